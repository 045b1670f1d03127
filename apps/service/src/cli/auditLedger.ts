import { LONG_LIMITS } from '@fairway/postgres';
import type { Acknowledged } from '@fairway/plan';
import type { LedgerFindings, LeftMoney, StrayTransfer, StrayTransfers } from '@fairway/store';
import { assetText } from './assetText.ts';
import { CommandError } from './commandError.ts';
import { openCommandStore } from './openCommandStore.ts';
import { createProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';

/** The most transfers of a kind and token without a plan that are listed, and what is printed for people. */
const MOST_STRAY = 1_000;
const FAULTS_SHOWN = 20;
const LEFT_SHOWN = 20;
const STRAY_SHOWN = 20;

/**
 * `fairway audit ledger`: compares the ledger of every plan with its history, its claims and its references. It lists
 * plans that are over and still have money, and transfers on the chains that count for no plan. Changes nothing, and
 * works while services run.
 * @throws ConfigError, CommandError; LEDGER_FAULTY when a ledger is wrong.
 */
export async function auditLedger(
  data: string | undefined,
  terminal: Terminal,
  asJson: boolean,
): Promise<string> {
  const { store, close } = await openCommandStore(data, terminal, false, {
    sealingKeys: [],
    limits: LONG_LIMITS,
  });
  try {
    const progress = createProgress(terminal.notes);
    const tell = ({ plans, faults }: LedgerFindings) =>
      progress.tell(`${counted(plans, 'plan')} looked at, ${counted(faults.length, 'fault')}`);
    const audited = await store.ledger.audit(MOST_STRAY, asJson ? () => {} : tell);
    progress.end();
    const { findings, stray } = audited;
    const text = asJson
      ? JSON.stringify({ ...findings, stray: stray.transfers, strayCount: stray.count })
      : findingsText(findings, stray);
    if (findings.faults.length > 0) throw new CommandError('LEDGER_FAULTY', text);
    return text;
  } finally {
    await close();
  }
}

function findingsText({ plans, left, faults }: LedgerFindings, stray: StrayTransfers): string {
  const verdict =
    faults.length === 0
      ? `Every ledger of ${counted(plans, 'plan')} balances, and every history rebuilds its plan.`
      : `${counted(faults.length, 'fault')} in ${counted(plans, 'plan')}:`;
  const shown = faults
    .slice(0, FAULTS_SHOWN)
    .map(
      ({ kind, planId, organisationId, detail }) => `  ${kind}  ${planId} of ${organisationId}: ${detail}`,
    );
  const more = faults.length > FAULTS_SHOWN ? [`  and ${faults.length - FAULTS_SHOWN} more; see --json`] : [];
  return [verdict, ...shown, ...more, ...leftText(left), ...strayText(stray)].join('\n');
}

function leftText(left: readonly LeftMoney[]): string[] {
  if (left.length === 0) return [];
  const lines = left.slice(0, LEFT_SHOWN).map(({ planId, organisationId, status, left: amounts }) => {
    const told = amounts.map(amountText).join(', ');
    return `  ${planId} of ${organisationId}, ${status}: ${told}`;
  });
  const more = left.length > LEFT_SHOWN ? [`  and ${left.length - LEFT_SHOWN} more; see --json`] : [];
  return [
    `${counted(left.length, 'plan')} that ended with money to look at (refund it, or end the plan):`,
    ...lines,
    ...more,
  ];
}

function amountText({ amount, asset, direction }: Acknowledged): string {
  const unit = 'currency' in asset ? '' : ' units of';
  return `${amount}${unit} ${assetText(asset)} ${direction === 'IN' ? 'are there' : 'were paid without a recorded arrival'}`;
}

function strayText({ transfers: stray, count }: StrayTransfers): string[] {
  if (stray.length === 0) return [];
  const lines = stray.slice(0, STRAY_SHOWN).map((each) => {
    const { kind, chainId, txHash, logIndex, token, to, amount, plans } = each;
    const what =
      kind === 'PAYOUT' ? `from the custodian to the wallet of ${plans.join(', ')}` : STRAY_WORDS[kind];
    return `  ${txHash} log ${logIndex} of chain ${chainId}: ${amount} units of ${token} to ${to}, ${what}`;
  });
  const more = count > STRAY_SHOWN ? [`  and ${count - STRAY_SHOWN} more; see --json`] : [];
  return [`${counted(count, 'transfer')} on the chains for no plan, the largest first:`, ...lines, ...more];
}

const STRAY_WORDS: Readonly<Record<Exclude<StrayTransfer['kind'], 'PAYOUT'>, string>> = {
  DEPOSIT: 'to a deposit address',
  SWAP: 'with a tag, but the swap of no plan',
  UNTRACED: 'perhaps a swap: no node traces it; report it where it is one',
};

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
