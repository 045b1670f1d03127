import { toAddress } from '@fairway/engine';
import { hasSent, latestHead, readBalance } from '@fairway/evm';
import {
  type Address,
  type Amount,
  amountOf,
  assetsOf,
  depositOf,
  depositStep,
  type Hash,
  isDust,
  isLess,
  judgeDeposit,
  type Plan,
  type PlanCommand,
  type RecordedTransfer,
  sumOf,
  type TransactionFacts,
  type Transfer,
  ZERO,
} from '@fairway/plan';
import { MOST_UNKNOWN_SWAPS, type PlanScope } from '@fairway/store';
import type { ChainService } from '../../../platform/chains/chainService.ts';
import { type Acting, done, type Outcome, refuse, timestampOf } from '@fairway/api';
import { readOrAway, readTransactionFacts } from '../chainFacts.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { chainAway, mismatch } from '../planProblems.ts';
import { inSource, planWords } from '../planWords.ts';

/** What a report names, and the block up to which the record of the chain was read. */
type Named = { readonly txHash: Hash; readonly amount?: Amount | undefined; readonly readNumber: number };

/**
 * The command of a deposit that is older than its plan: a restored backup did not have the plan, and the plan was made again.
 * The service does not look for such deposits. Only the integrator knows that it is the same plan, and names the transaction.
 * Undefined where the transaction cannot be such a deposit.
 */
export async function olderDeposit(
  parts: PaymentParts,
  { scope }: Acting,
  plan: Plan,
  { txHash, amount, readNumber }: Named,
): Promise<Outcome<PlanCommand> | undefined> {
  const { options, corridor, watchFromBlock } = plan;
  const { depositAddress } = options;
  if (depositAddress === undefined) return undefined;
  const reading = await readTransactionFacts(parts.chains.get(corridor.source.chainId), txHash);
  if (reading.outcome !== 'MINED' || reading.facts.blockNumber >= watchFromBlock) return undefined;
  const { facts } = reading;
  const looked = await parts.store.record.lookBack(scope, plan);
  if (looked.sinceMs === undefined || facts.blockTimeMs < looked.sinceMs) return undefined;
  const judged = judgeDeposit(plan, facts, depositAddress);
  if (!judged.ok) return refuse(mismatch(judged.detail));
  const brought = sumOf(judged.transfers.map((transfer) => transfer.amount));
  if (amount !== undefined && amount !== brought)
    return refuse(
      mismatch(
        `The transaction ${txHash} brought ${inSource(plan, brought)}, not ${inSource(plan, amount)}: report that amount.`,
      ),
    );
  const swapped = await swappedSince(parts, plan, depositAddress, looked.swaps);
  if (!swapped.ok) return swapped;
  if (swapped.value !== undefined)
    return refuse(
      mismatch(
        `The transaction ${swapped.value} swapped from the deposit address since then, and no plan has that swap: it may be the one of the plan that was lost. Settle it with the custodian and end this plan.`,
      ),
    );
  const held = await heldNow(parts, plan, depositAddress);
  if (!held.ok) return held;
  const due = sumOf([depositOf(plan).received, brought]);
  if (isLess(held.value, due))
    return refuse(
      mismatch(
        `The deposit address holds ${inSource(plan, held.value)}, less than the ${inSource(plan, due)} of the deposit: it was moved on, perhaps by the swap of the plan that was lost. Settle it with the custodian and end this plan.`,
      ),
    );
  const added = judged.transfers.map((transfer) => recorded(plan, depositAddress, facts, transfer));
  const { stepId } = depositStep(plan);
  return done({ type: 'RECORD_READ', stepId, readNumber, added });
}

/**
 * A sentence about money that a deposit address holds and whose arrival the plan has not seen. After a restore it may be the
 * deposit of the same plan, which the backup did not have. Empty where no restore was marked in the last 30 days.
 */
export async function olderThere(parts: PaymentParts, { scope }: Acting, plan: Plan): Promise<string> {
  const { depositAddress } = plan.options;
  if (depositAddress === undefined) return '';
  const looked = await parts.store.record.lookBack(scope, plan);
  if (looked.sinceMs === undefined) return '';
  const held = await heldNow(parts, plan, depositAddress);
  if (!held.ok || !isLess(depositOf(plan).received, held.value)) return '';
  const amount = planWords(parts.chains).amount(held.value, assetsOf(plan).source);
  return ` It holds ${amount}. A backup of ${timestampOf(looked.sinceMs)} was put back, so a deposit that came since then may be older than this plan: report it with its txHash.`;
}

/**
 * Whether a new plan may be of a payment whose plan a restored database has lost. It may be where its deposit address holds
 * money, or where a swap of no known plan was paid from there. False where no restore was marked in the last 30 days.
 */
export async function hasOlderMoney(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
): Promise<Outcome<boolean>> {
  const { depositAddress } = plan.options;
  if (depositAddress === undefined) return done(false);
  const looked = await parts.store.record.lookBack(scope, plan);
  if (looked.sinceMs === undefined) return done(false);
  const held = await heldNow(parts, plan, depositAddress);
  if (!held.ok) return held;
  if (held.value !== ZERO && !isDust(plan, held.value)) return done(true);
  // An account that has sent nothing has not paid for a swap.
  const signed = looked.swaps.length === 0 ? done(false) : await signedAnything(parts, plan, depositAddress);
  if (!signed.ok || !signed.value) return signed;
  if (looked.swaps.length > MOST_UNKNOWN_SWAPS) return done(true);
  const swapped = await swappedSince(parts, plan, depositAddress, looked.swaps);
  return swapped.ok ? done(swapped.value !== undefined) : swapped;
}

/** A swap of no known plan that was paid from the deposit address. The address may hold other money, too. */
async function swappedSince(
  { chains }: PaymentParts,
  { corridor: { source } }: Plan,
  depositAddress: Address,
  swaps: readonly Hash[],
): Promise<Outcome<Hash | undefined>> {
  if (swaps.length > MOST_UNKNOWN_SWAPS)
    return refuse(
      mismatch(
        'Too many swaps of no plan are on record to tell which one was of this plan. Settle it with the custodian and end this plan.',
      ),
    );
  for (const txHash of swaps) {
    const reading = await readTransactionFacts(chains.get(source.chainId), txHash);
    if (reading.outcome === 'UNREACHABLE' || reading.outcome === 'CONTRADICTED')
      return refuse(chainAway(reading.outcome, source.chainId));
    const isFromHere =
      reading.outcome === 'MINED' &&
      reading.facts.transfers.some(
        ({ token, from }) => token === source.token && from === depositAddress.toLowerCase(),
      );
    if (isFromHere) return done(txHash);
  }
  return done(undefined);
}

/** The balance of the source token at the deposit address. A deposit that was swapped is no longer part of it. */
async function heldNow(
  { chains }: PaymentParts,
  { corridor }: Plan,
  depositAddress: Address,
): Promise<Outcome<Amount>> {
  const { chainId, token } = corridor.source;
  const asked = { token: toAddress(token), owner: toAddress(depositAddress) };
  const held = await readAtHead(chains.get(chainId), chainId, ({ request }, hash) =>
    readBalance(request, hash, asked),
  );
  return held.ok ? done(amountOf(held.value)) : held;
}

/** Whether the deposit address has sent a transaction, or is a contract. */
function signedAnything(
  { chains }: PaymentParts,
  { corridor }: Plan,
  depositAddress: Address,
): Promise<Outcome<boolean>> {
  const { chainId } = corridor.source;
  return readAtHead(chains.get(chainId), chainId, ({ request }, hash) =>
    hasSent(request, hash, toAddress(depositAddress)),
  );
}

/** Reads something of a chain's newest block. */
async function readAtHead<Value>(
  chain: ChainService | undefined,
  chainId: number,
  read: (chain: ChainService, hash: string) => Promise<Value>,
): Promise<Outcome<Value>> {
  if (chain === undefined) return refuse(chainAway('UNREACHABLE', chainId));
  const found = await readOrAway(async () => read(chain, (await latestHead(chain.request)).hash));
  return found.ok ? done(found.value) : refuse(chainAway(found.away, chainId));
}

function recorded(
  { corridor }: Plan,
  depositAddress: Address,
  { sender, blockTimeMs }: TransactionFacts,
  transfer: Transfer,
): RecordedTransfer {
  return { from: sender, ...transfer, blockTimeMs, token: corridor.source.token, to: depositAddress };
}
