import { assetsOf } from '../terms/money.ts';
import { PLAIN_WORDS } from '../terms/words.ts';
import { type Amount, amountOf, isLess, sumOf, ZERO } from '../terms/amount.ts';
import { swapStep } from '../plan/steps.ts';
import type { Hash } from '../terms/scalars.ts';
import { openAttempt } from '../swap/rules.ts';
import {
  arrivals,
  didNothing,
  disproved,
  evidenceFrom,
  type Judgement,
  onAnotherChain,
} from './judgement.ts';
import { movesMoney, type SignedFacts, type TransactionFacts } from './transactionFacts.ts';
import type { Evidence, FurtherExecution, Plan, SwapAttempt } from '../plan/types.ts';

/**
 * Whether `judgeSwap` needs the calls that a transaction made, because the transaction went to another contract than
 * the instructions name.
 *
 * @example
 * ```ts
 * import { judgeSwap, needsCalls, type Plan, type TransactionFacts } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const facts: TransactionFacts;
 * declare const callsOf: (txHash: string) => TransactionFacts['calls'];
 * const calls = needsCalls(plan, facts) ? callsOf(facts.txHash) : undefined;
 * const judgement = judgeSwap(plan, calls === undefined ? facts : { ...facts, calls });
 * ```
 */
export function needsCalls(plan: Plan, { outcome, to }: TransactionFacts): boolean {
  return (
    outcome === 'SUCCEEDED' &&
    !swapStep(plan).attempts.some(({ instructions }) => instructions.at(-1)?.to.toLowerCase() === to)
  );
}

/**
 * Judges whether a transaction executed the swap: it made a call of the step's instructions, and the output arrived. `others`:
 * what further such calls of it executed. `amountIn`: what the call spent.
 *
 * @example
 * ```ts
 * import { decide, judgeSwap, type Plan, swapStep, type TransactionFacts } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const facts: TransactionFacts;
 * const judged = judgeSwap(plan, facts);
 * if (!judged.ok) throw new Error(judged.detail);
 * const { attemptIndex: position, evidence, amountIn } = judged;
 * const { stepId } = swapStep(plan);
 * decide(plan, { type: 'EXECUTION_FOUND', stepId, position, evidence, amountIn }, 1_700_000_000_000);
 * ```
 */
export function judgeSwap(
  plan: Plan,
  facts: TransactionFacts,
): Judgement<Executed & { readonly others: readonly FurtherExecution[] }> {
  const { target } = plan.corridor;
  const nothing = didNothing(facts, target.chainId);
  if (nothing !== undefined) return nothing;
  const executed = executionsOf(plan, facts);
  if (executed.length === 0) return disproved(whyNot(plan, facts));
  const [first, ...others] = executed.filter(({ evidence }) => evidence.transfers.length > 0);
  if (first === undefined)
    return disproved(
      `The transaction ${facts.txHash} brought nothing to the settlement address. Report the transaction that executed the instructions.`,
    );
  const { attemptIndex, evidence } = first;
  const least = swapStep(plan).attempts[attemptIndex]?.minAmountOut;
  if (least !== undefined && isLess(evidence.amount, least)) {
    const [came, due] = [evidence.amount, least].map((each) =>
      PLAIN_WORDS.amount(each, assetsOf(plan).target),
    );
    return disproved(
      `The transaction ${facts.txHash} brought ${came} to the settlement address, at least ${due} is due. Report the transaction that executed the instructions.`,
    );
  }
  return {
    ok: true,
    ...first,
    others: others.map((each) => ({
      position: each.attemptIndex,
      amountIn: each.amountIn,
      transfers: each.evidence.transfers,
    })),
  };
}

/**
 * Judges whether a transaction tried the swap and was reverted, so that no instructions are left to execute.
 *
 * @example
 * ```ts
 * import { judgeRevertedSwap, type Plan, type TransactionFacts } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const facts: TransactionFacts;
 * const judged = judgeRevertedSwap(plan, facts);
 * const answer = judged.ok ? 'The swap has failed.' : judged.detail;
 * ```
 */
export function judgeRevertedSwap(plan: Plan, facts: TransactionFacts): Judgement<object> {
  const elsewhere = onAnotherChain(facts, plan.corridor.target.chainId);
  if (elsewhere !== undefined) return elsewhere;
  const swap = swapStep(plan);
  const isOfSwap = swap.attempts.some((each) => carries(facts, each));
  if (facts.outcome === 'SUCCEEDED')
    return disproved(
      `The transaction ${facts.txHash} was not reverted: it succeeded. ${isOfSwap ? 'Report it as DONE.' : 'It does not execute the instructions of this step: report the one that does.'}`,
    );
  const attempt = swap.attempts.findLast((each) => carries(facts, each));
  if (attempt === undefined)
    return disproved(
      `The transaction ${facts.txHash} does not execute the instructions of this step. Report the transaction that does.`,
    );
  if (attempt.outcome === 'SUPERSEDED' && openAttempt(swap) !== undefined)
    return disproved(
      `The transaction ${facts.txHash} executes instructions that newer ones have replaced; those can be executed. Report the transaction that executes those.`,
    );
  return { ok: true };
}

/**
 * The position of the attempt that a transaction executes if it is mined. It is the one that the transaction was submitted
 * for, else the newest whose call it makes or passes on. Where neither is known it is the newest of all, whose deadline
 * is the latest. Undefined where there are no instructions. `signed`: where it is known.
 *
 * @example
 * ```ts
 * import { type Hash, type Plan, type SignedFacts, submittedPosition, swapStep } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const txHash: Hash;
 * declare const signed: SignedFacts;
 * const position = submittedPosition(plan, txHash, signed);
 * const attempt = position === undefined ? undefined : swapStep(plan).attempts[position];
 * ```
 */
export function submittedPosition(plan: Plan, txHash: Hash, signed?: SignedFacts): number | undefined {
  const { attempts } = swapStep(plan);
  const known = attempts.findIndex(({ submissions }) => submissions?.some((each) => each.txHash === txHash));
  if (known >= 0) return known;
  const carried = signed === undefined ? -1 : attempts.findLastIndex((attempt) => carries(signed, attempt));
  if (carried >= 0) return carried;
  return attempts.length === 0 ? undefined : attempts.length - 1;
}

/** What a call of instructions spent, and the evidence of what it brought to the settlement address. */
type Executed = {
  readonly attemptIndex: number;
  readonly amountIn: Amount;
  readonly evidence: Evidence;
};

/**
 * The instructions that a transaction executed, one call after the other. Calldata that was only passed to a contract
 * does not count: the contract must have made the call. Only the transfers made in that call count, each once.
 */
function executionsOf(plan: Plan, facts: TransactionFacts): readonly Executed[] {
  const made = facts.calls ?? [facts];
  const { token, settlementAddress } = plan.corridor.target;
  const { attempts } = swapStep(plan);
  const counted = new Set<number>();
  return made.flatMap((call) => {
    const attemptIndex = attempts.findLastIndex(({ instructions }) => {
      const due = instructions.at(-1);
      return call.to === due?.to.toLowerCase() && call.input === due?.data.toLowerCase();
    });
    if (attemptIndex < 0) return [];
    const own = call.transfers.filter(({ logIndex }) => !counted.has(logIndex));
    for (const { logIndex } of own) counted.add(logIndex);
    const evidence = evidenceFrom(plan, facts, arrivals(own, token, settlementAddress));
    return [{ attemptIndex, amountIn: spentOf(plan, own), evidence }];
  });
}

/**
 * What a call spent of the planned amount: less than all of it where a pool ran out, because the rest never left the payer.
 * A route takes its input to its first pools and no further, so all transfers of the source token are what it spent. A token
 * that logs none of them is taken to have been spent whole.
 */
function spentOf({ corridor, amountIn }: Plan, transfers: TransactionFacts['transfers']): Amount {
  const taken = transfers.filter((each) => each.token === corridor.source.token && movesMoney(each));
  const spent = sumOf(taken.map(({ amount }) => amountOf(amount)));
  return spent === ZERO || isLess(amountIn, spent) ? amountIn : spent;
}

function whyNot(plan: Plan, facts: TransactionFacts): string {
  const isHidden =
    facts.calls === undefined && swapStep(plan).attempts.some((attempt) => carries(facts, attempt));
  return isHidden
    ? `The transaction ${facts.txHash} goes through a contract wallet, and the node of chain ${facts.chainId} cannot tell which calls that made (debug_traceTransaction).`
    : `The transaction ${facts.txHash} does not execute the instructions of this step. Report the transaction that does.`;
}

/**
 * Whether a transaction is the call, or gives the whole call to a contract. A reverted transaction has no calls that
 * stood, so its input is all there is to judge it by.
 */
function carries({ to, input }: SignedFacts, { instructions }: SwapAttempt): boolean {
  const call = instructions.at(-1);
  if (call === undefined) return false;
  const data = call.data.toLowerCase();
  const contract = call.to.toLowerCase();
  if (to === contract) return input === data;
  // Empty calldata can be found in every input.
  if (data.length === 2) return false;
  // A wallet's input names the contract first and then its calldata, whether packed or in words.
  const place = placeOf(input, contract.slice(2), 2);
  return place >= 0 && placeOf(input, data.slice(2), place + contract.length - 2) >= 0;
}

/**
 * Where bytes begin in a hexadecimal string, from a place on; -1 when nowhere. A place inside a byte does not count.
 */
function placeOf(input: string, bytes: string, from: number): number {
  let place = input.indexOf(bytes, from);
  while (place >= 0 && place % 2 !== 0) place = input.indexOf(bytes, place + 1);
  return place;
}
