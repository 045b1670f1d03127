import { type Amount, amountOf, isLess, mostOf, unitsOf } from '../terms/amount.ts';
import { swapStep } from '../plan/steps.ts';
import type { Address } from '../terms/scalars.ts';
import { arrivals, didNothing, disproved, evidenceFrom, type Judgement } from './judgement.ts';
import type { TransactionFacts, TransferFacts } from './transactionFacts.ts';
import { isTransferOnly } from '../terms/corridor.ts';
import type { Evidence, FurtherExecution, Plan } from '../plan/types.ts';

/** The bytes of a tag as hexadecimal digits, and those of a word. */
const [TAG_DIGITS, WORD_DIGITS] = [32, 64];
/** Instructions that are lost spent more than half of what the plan swaps. */
const MOST_LEFT_BPS = 4_999;
/** The selector of `transfer(address,uint256)`. */
const TRANSFER_SELECTOR = '0xa9059cbb';

/**
 * What shows that a call executes instructions which a plan does not have, because a restored database has lost them.
 * `tags`: the tags of instructions that the plan has or may have lost, with the position of the attempt. `routers`: the contracts that trade on its chain.
 * Both in lower case.
 */
export type ForgottenRules = {
  readonly tags: ReadonlyMap<string, number>;
  readonly routers: readonly string[];
};

type Call = { readonly to: Address | undefined; readonly input: string };

/** Instructions that a plan has lost, and the transaction that executed them. */
export type ForgottenExecution = {
  readonly position: number;
  readonly call: { readonly to: Address; readonly input: string };
  readonly minAmountOut: Amount;
  readonly evidence: Evidence;
  /** What it spent: less than all that the plan swaps where a pool ran out. */
  readonly amountIn: Amount;
  /** What further calls of the transaction executed. */
  readonly others: readonly FurtherExecution[];
};

/**
 * Judges whether a transaction executed instructions of the plan that the plan does not have. A tag alone shows
 * nothing, because everybody can copy one. The innermost call with the tag must be a call of a router. It must bring
 * at least what the plan's instructions let arrive. Where the money is only transferred, it must be exactly that
 * transfer.
 *
 * @example
 * ```ts
 * import { type ForgottenRules, judgeForgotten, judgeSwap, type Plan, type TransactionFacts } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const facts: TransactionFacts;
 * declare const rules: ForgottenRules;
 * const judged = judgeSwap(plan, facts);
 * const forgotten = judged.ok ? undefined : judgeForgotten(plan, facts, rules);
 * ```
 */
export function judgeForgotten(
  plan: Plan,
  facts: TransactionFacts,
  rules: ForgottenRules,
): Judgement<ForgottenExecution> {
  const { chainId, token, settlementAddress } = plan.corridor.target;
  const nothing = didNothing(facts, chainId);
  if (nothing !== undefined) return nothing;
  const calls = facts.calls ?? [facts];
  const tagged = calls.filter(({ input }) => rules.tags.has(tagOf(input)));
  const minAmountOut = leastForgotten(plan);
  const found = tagged.flatMap((call) => {
    const position = rules.tags.get(tagOf(call.input));
    const own = call.transfers.filter((each) => innermost(tagged, each) === call);
    const brought = arrivals(own, token, settlementAddress);
    const evidence = evidenceFrom(plan, facts, brought);
    const amountIn = spentWhole(plan, own);
    const { to, input } = call;
    if (position === undefined || to === undefined || amountIn === undefined) return [];
    if (brought.length === 0 || isLess(evidence.amount, minAmountOut) || !isOurs(plan, call, rules))
      return [];
    return [{ position, call: { to, input }, minAmountOut, evidence, amountIn }];
  });
  const [first, ...others] = found;
  if (first === undefined)
    return disproved(`The transaction ${facts.txHash} executes no instructions of this plan.`);
  const further = others.map(({ position, amountIn, evidence }) => ({
    position,
    amountIn,
    transfers: evidence.transfers,
  }));
  return { ok: true, ...first, others: further };
}

/**
 * Whether the calls of a transaction are needed to judge it and are missing. Then it went through a contract that is
 * no router, and no node has told what this contract called.
 *
 * @example
 * ```ts
 * import { type ForgottenRules, isUntraced, type Plan, type TransactionFacts } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const facts: TransactionFacts;
 * declare const rules: ForgottenRules;
 * const verdict = isUntraced(plan, facts, rules) ? 'nobody knows yet' : 'it can be judged';
 * ```
 */
export function isUntraced(plan: Plan, facts: TransactionFacts, { routers }: ForgottenRules): boolean {
  const { outcome, to, calls } = facts;
  if (outcome === 'REVERTED' || calls !== undefined || to === undefined) return false;
  return to !== plan.corridor.target.token && !routers.includes(to);
}

/** Whether the call is of a contract that the plan's instructions would name; a mere transfer has to be the whole one. */
function isOurs(plan: Plan, { to, input }: Call, { routers }: ForgottenRules): boolean {
  const { token, settlementAddress } = plan.corridor.target;
  if (!isTransferOnly(plan.corridor)) return to !== undefined && routers.includes(to);
  const words = [settlementAddress.slice(2), unitsOf(plan.amountIn).toString(16)];
  const call = `${TRANSFER_SELECTOR}${words.map((word) => word.padStart(WORD_DIGITS, '0')).join('')}`;
  return to === token && input === `${call}${tagOf(input)}`;
}

/** The tagged call that made a transfer. Nested calls are listed from the outside in, so it is the last one. */
function innermost<Made extends { readonly transfers: readonly TransferFacts[] }>(
  tagged: readonly Made[],
  transfer: TransferFacts,
): Made | undefined {
  return tagged.findLast(({ transfers }) => transfers.some(({ logIndex }) => logIndex === transfer.logIndex));
}

/**
 * The amount that one account spent, if it is the plan's whole amount. A little less is enough, because a swap whose
 * pools ran out can still bring its least amount. Otherwise undefined. Everybody can copy a tag. If a smaller swap
 * were taken for the plan's, its deposit could neither be swapped nor refunded any more.
 */
function spentWhole(
  { corridor, amountIn, options }: Plan,
  transfers: readonly TransferFacts[],
): Amount | undefined {
  if (isTransferOnly(corridor)) return amountIn;
  const spent = new Map<string, bigint>();
  for (const { token, from, amount } of transfers)
    if (token === corridor.source.token) spent.set(from, (spent.get(from) ?? 0n) + amount);
  const wholeUnits = unitsOf(amountIn);
  // The first part of a trade has the best price. So an input that is smaller by a little more than the slippage can
  // still bring the least amount.
  const bpsUnits = 10_000n;
  const twiceBps = options.slippageBps + options.slippageBps;
  const scaledUnits = wholeUnits * BigInt(twiceBps < MOST_LEFT_BPS ? twiceBps : MOST_LEFT_BPS);
  const leastUnits = wholeUnits - scaledUnits / bpsUnits;
  const found = [...spent.values()].filter((units) => units >= leastUnits && units <= wholeUnits);
  return found.length === 0 ? undefined : amountOf(mostOf(found));
}

/** The bytes at the end of a call, which is where the tag of a call of ours is. */
function tagOf(input: string): string {
  return input.slice(-TAG_DIGITS);
}

/**
 * The least amount that lost instructions can have let arrive: half of what the plan's other instructions do. Without
 * others it is half of the estimate, since the price may have changed. It is never less than what the plan asks for.
 *
 * @example
 * ```ts
 * import { leastForgotten, type Plan, unitsOf } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const arrived: bigint;
 * const isPossible = arrived >= unitsOf(leastForgotten(plan));
 * ```
 */
export function leastForgotten(plan: Plan): Amount {
  const { attempts, expected } = swapStep(plan);
  const known = attempts.map(({ minAmountOut }) => unitsOf(minAmountOut));
  const whole = attempts.length === 0 ? unitsOf(expected) : mostOf(known);
  const half = amountOf((whole + 1n) >> 1n);
  const floor = isTransferOnly(plan.corridor) ? plan.amountIn : plan.options.minAmountOut;
  return floor === undefined || isLess(floor, half) ? half : floor;
}
