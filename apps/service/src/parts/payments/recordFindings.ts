import { readBlockHash } from '@fairway/evm';
import {
  awaitedRefunds,
  confirmingOthers,
  evidenceOf,
  expectedPayout,
  type FateProof,
  fateProofs,
  type FoundExecution,
  type FoundPayout,
  type FoundRefund,
  type Hash,
  judgePayout,
  paidWallet,
  type Plan,
  type RecordView,
  refundsAgain,
  swapStep,
  swapTransactions,
  type TransferPlace,
} from '@fairway/plan';
import type { PlanScope, PlanView } from '@fairway/store';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { reached, readSwapFacts, readTransactionFacts } from './chainFacts.ts';
import { isKnownExecution, judgeExecution } from './executions.ts';
import type { PaymentParts } from './paymentParts.ts';
import { payoutAddressesOf } from './corridors/payoutAddresses.ts';

/**
 * The findings about a plan. `isAway`: the nodes could not say all of it. `isMaybeExecuted`: transactions with a tag of
 * the plan are in the record, and nobody can judge yet whether they executed its swap.
 */
export type Findings = {
  readonly view: RecordView;
  readonly isAway: boolean;
  readonly isMaybeExecuted: boolean;
};

/**
 * Completes the record's view of a plan with facts that only transactions tell: which instructions were executed, and
 * who was paid. Enough nodes must say the same.
 */
export async function recordFindings(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  view: PlanView,
): Promise<Findings> {
  const { deposits, moment } = view;
  const chain = parts.chains.get(plan.corridor.source.chainId);
  const proofs = plan.ended === undefined ? fateProofs(plan) : [];
  // First the record is told whom their blocks concern: a block may be taken back while it is looked at.
  for (const { chainId, txHash, blockHash, blockNumber } of proofs) {
    const asked = { txHash, blockHash, blockNumber, logIndexes: [] };
    await parts.store.record.request(scope, plan.planId, chainId, asked);
  }
  const lost = await lostPlaces(chain, [...view.unrecorded, ...proofs.map(atAnyLog)]);
  const back = await placesBack(chain, view.gone);
  const readNumber = moment.readNumber ?? -1;
  const missing = [...view.unrecorded.filter((place) => !lost.gone.includes(place)), ...back];
  await askForUnrecorded(
    parts,
    scope,
    plan,
    missing.filter(({ blockNumber }) => blockNumber <= readNumber),
  );
  const gone = [...view.gone.filter((place) => !back.includes(place)), ...lost.gone];
  const seen: Seen = { parts, scope, chain, plan, view, gone };
  const executions = await foundExecutions(seen);
  const refunds = await foundRefunds(seen);
  const paid = await foundPayout(seen);
  const { found, reverted, isAway, isMaybe: isMaybeExecuted } = executions;
  return {
    view: {
      readNumber: Math.max(readNumber, 0),
      deposits,
      executions: found,
      reverted,
      refunds: refunds.found,
      payout: paid.found,
      gone: seen.gone,
    },
    // Transfers above the last block that was read are asked for later, unless the record has them by then.
    isAway:
      isAway ||
      refunds.isAway ||
      paid.isAway ||
      lost.isAway ||
      back.length > 0 ||
      missing.some(({ blockNumber }) => blockNumber > readNumber),
    isMaybeExecuted,
  };
}

type Seen = {
  readonly parts: PaymentParts;
  readonly scope: PlanScope;
  readonly chain: ChainService | undefined;
  readonly plan: Plan;
  readonly view: PlanView;
  readonly gone: readonly TransferPlace[];
};

/** A mined transaction as `gone` has it. */
function atAnyLog({ chainId, txHash, blockHash, blockNumber }: FateProof): Unrecorded {
  return { chainId, txHash, blockHash, blockNumber, logIndex: 0 };
}

type Unrecorded = PlanView['unrecorded'][number];

/** The places that the record does not have and whose block is not on the chain. A node that is behind has no block there. */
async function lostPlaces(
  chain: ChainService | undefined,
  unrecorded: readonly Unrecorded[],
): Promise<{ readonly gone: readonly TransferPlace[]; readonly isAway: boolean }> {
  if (unrecorded.length === 0) return { gone: [], isAway: false };
  if (chain === undefined) return { gone: [], isAway: true };
  const hashes = new Map<number, string | undefined>();
  for (const { blockNumber, blockHash } of unrecorded) {
    if (hashes.has(blockNumber)) continue;
    const read = () => reached(() => readBlockHash(chain.request, BigInt(blockNumber)));
    const first = await read();
    // The block is read again, because it may be newer than the first answer.
    hashes.set(blockNumber, first === undefined || first === blockHash ? first : await read());
  }
  const gone = unrecorded.filter(({ blockNumber, blockHash }) => {
    const hash = hashes.get(blockNumber);
    return hash !== undefined && hash !== blockHash;
  });
  return { gone, isAway: [...hashes.values()].includes(undefined) };
}

/**
 * The places that the record has as gone and whose block is on the chain once more. The record reads a transaction that a
 * report told only when it is asked to, and so does not see that its block is back.
 */
async function placesBack(
  chain: ChainService | undefined,
  gone: readonly Unrecorded[],
): Promise<readonly Unrecorded[]> {
  if (gone.length === 0 || chain === undefined) return [];
  const hashes = new Map<number, string | undefined>();
  for (const { blockNumber } of gone)
    hashes.set(blockNumber, await reached(() => readBlockHash(chain.request, BigInt(blockNumber))));
  return gone.filter(({ blockNumber, blockHash }) => hashes.get(blockNumber) === blockHash);
}

/** Asks the record to read transactions that the plan rests on. */
async function askForUnrecorded(
  { store }: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  missing: PlanView['unrecorded'],
): Promise<void> {
  for (const places of Map.groupBy(missing, ({ txHash, blockHash }) => `${txHash} ${blockHash}`).values()) {
    const [first] = places;
    if (first === undefined) continue;
    const { chainId, txHash, blockHash, blockNumber } = first;
    const logIndexes = places.map(({ logIndex }) => logIndex);
    const asked = { txHash, blockHash, blockNumber, logIndexes };
    await store.record.request(scope, plan.planId, chainId, asked);
  }
}

/**
 * The transactions that executed the plan's instructions. Some are shown by the record, and the plan does not know them
 * in their present block. The plan rests on others, which may have got confirmations or another block. `reverted`: those that
 * had executed them, were taken back, and did nothing when they were mined again.
 */
async function foundExecutions(seen: Seen): Promise<{
  readonly found: readonly FoundExecution[];
  readonly reverted: readonly Hash[];
  readonly isAway: boolean;
  readonly isMaybe: boolean;
}> {
  const { parts, plan, view, chain } = seen;
  const shown = view.executions.filter((each) => !isKnownExecution(plan, each.txHash, each.blockHash));
  const hashes = new Set([
    ...shown.map(({ txHash }) => txHash),
    ...(isToBeRead(seen, swapStep(plan)) ? swapTransactions(plan) : []),
    ...confirmingOthers(plan).flatMap(({ txHash, blockNumber }) =>
      isConfirmedBy(seen, blockNumber) ? [txHash] : [],
    ),
  ]);
  const lost = new Set(lostSwaps(plan));
  const found: FoundExecution[] = [];
  const reverted: Hash[] = [];
  let [isAway, isMaybe] = [false, false];
  for (const txHash of hashes) {
    const reading = await readSwapFacts(chain, plan, txHash);
    const judged =
      reading.outcome === 'MINED' && chain !== undefined
        ? await judgeExecution(parts, chain, plan, reading.facts)
        : undefined;
    if (judged?.kind === 'EXECUTED') found.push(judged.execution);
    const isFinal =
      reading.outcome === 'MINED' && reading.facts.confirmations >= plan.corridor.minConfirmations;
    if (judged?.kind === 'OTHER' && isFinal && lost.has(txHash)) reverted.push(txHash);
    const isUnknown = isAwayNow(reading.outcome) || judged?.kind === 'UNTRACED';
    if (isUnknown) isAway = true;
    // A transaction that the record has shown is in a block, whatever one reading of the nodes says.
    const isShown = shown.some((each) => each.txHash === txHash);
    if (isShown && (isUnknown || judged === undefined)) isMaybe = true;
  }
  return { found, reverted, isAway: isAway || isMaybe, isMaybe };
}

/** The transactions of the swap that a reorganisation took back. */
function lostSwaps(plan: Plan): readonly Hash[] {
  return swapStep(plan).attempts.flatMap(({ outcome, txHash }) =>
    outcome === 'LOST' && txHash !== undefined ? [txHash] : [],
  );
}

function isAwayNow(outcome: string): boolean {
  return outcome === 'UNREACHABLE' || outcome === 'CONTRADICTED';
}

/**
 * Whether the transaction that a step rests on is to be read again. That is so when it or its block is not on the
 * chain, or when it should have its confirmations by now.
 */
function isToBeRead(seen: Seen, step: Plan['steps'][number]): boolean {
  const evidence = evidenceOf(step);
  // Only a swap has transactions without evidence: those that a reorganisation took back.
  if (evidence === undefined || evidence.status === 'LOST') return true;
  if (seen.gone.some(({ blockHash }) => blockHash === evidence.blockHash)) return true;
  return evidence.status === 'CONFIRMING' && isConfirmedBy(seen, evidence.blockNumber);
}

/** Whether the record was read so far that a transaction of a block should have its confirmations. */
function isConfirmedBy({ plan, view }: Seen, blockNumber: number): boolean {
  return (view.moment.readNumber ?? -1) >= blockNumber + plan.corridor.minConfirmations - 1;
}

/** The refunds that are waited for and that are mined again. */
async function foundRefunds({ plan, chain }: Seen): Promise<{
  readonly found: readonly FoundRefund[];
  readonly isAway: boolean;
}> {
  const found: FoundRefund[] = [];
  let isAway = false;
  for (const txHash of awaitedRefunds(plan)?.txHashes ?? []) {
    const reading = await readTransactionFacts(chain, txHash);
    if (reading.outcome === 'MINED') found.push(...refundsAgain(plan, reading.facts));
    else if (isAwayNow(reading.outcome)) isAway = true;
  }
  return { found, isAway };
}

type FoundPaid = { readonly found: FoundPayout | undefined; readonly isAway: boolean };

/**
 * The payout: the transaction that the plan rests on, where it may have changed. Else a new one that can only be it.
 */
async function foundPayout(seen: Seen): Promise<FoundPaid> {
  const { plan, parts, scope } = seen;
  const wallet = paidWallet(plan);
  const last = plan.steps.at(-1);
  if (wallet === undefined || last === undefined) return NOTHING;
  const { evidence } = wallet;
  const resting =
    evidence !== undefined && isToBeRead(seen, last) ? await judged(seen, evidence.txHash) : NOTHING;
  if (resting.found !== undefined || resting.isAway) return resting;
  const exact = evidence === undefined ? expectedPayout(plan, seen.view.payouts) : undefined;
  if (exact === undefined) return NOTHING;
  const { chainId, txHash, logIndex, blockNumber, token } = exact;
  const { address, due } = wallet;
  const sent = { chainId, wallet: address, token, amount: due, blockNumber };
  const others = await parts.store.payments.isMaybeOfOthers(scope, plan.planId, sent, 'ANY');
  return others.isMaybe ? NOTHING : judged(seen, txHash, logIndex);
}

const NOTHING: FoundPaid = { found: undefined, isAway: false };

async function judged({ parts, plan, chain }: Seen, txHash: Hash, logIndex?: number): Promise<FoundPaid> {
  const reading = await readTransactionFacts(chain, txHash);
  if (isAwayNow(reading.outcome)) return { found: undefined, isAway: true };
  if (reading.outcome !== 'MINED') return NOTHING;
  const payoutAddresses = payoutAddressesOf(parts.corridors, plan);
  const payout = judgePayout(plan, reading.facts, { payoutAddresses, logIndex });
  if (!payout.ok) return NOTHING;
  const { verification, evidence } = payout;
  return { found: { verification, evidence }, isAway: false };
}
