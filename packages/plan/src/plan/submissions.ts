import { defined } from '@fairway/values';
import type { CommandOf, Ruling } from './commands.ts';
import type { Hash, TimeMs } from '../terms/scalars.ts';
import { changed, mismatch, refused, unchanged } from './rulings.ts';
import { without } from './steps.ts';
import type { Evidence, Plan, Submission } from './types.ts';

type Submitted = CommandOf<'EXECUTION_SUBMITTED'>;
type Ended = CommandOf<'EXECUTION_ENDED'>;

/** How many transactions of one attempt are kept: an attempt, its fee bumps, and room for mistakes. */
const MOST_SUBMISSIONS = 16;

/** The submitted transactions of an attempt: those that a plan has, and the plan with others in their place. */
export type Submissions = {
  readonly plan: Plan;
  readonly submissions: readonly Submission[];
  readonly withSubmissions: (submissions: readonly Submission[]) => Plan;
};

/**
 * Records a submitted transaction of an attempt. Facts that were missing are filled in; facts that contradict are
 * refused.
 */
export function onSubmission(
  of: Submissions,
  { txHash, sender, nonce }: Pick<Submitted, 'txHash' | 'sender' | 'nonce'>,
  atMs: TimeMs,
): Ruling {
  const { plan, submissions, withSubmissions } = of;
  const known = submissions.find((each) => each.txHash === txHash);
  // Told again, a transaction that was given up may be mined after all.
  if (known?.fate === 'FORCED' || known?.fate === 'FORGOTTEN') {
    const others = submissions.filter((each) => each !== known);
    return onSubmission({ ...of, submissions: others }, { txHash, ...defined({ sender, nonce }) }, atMs);
  }
  if (known === undefined) {
    if (submissions.length >= MOST_SUBMISSIONS) {
      const detail = `${MOST_SUBMISSIONS} transactions of this attempt are known, and no more are kept. Report the one that is mined as DONE.`;
      return refused({ reason: 'TOO_MANY', detail });
    }
    const fresh = { txHash, ...defined({ sender, nonce }), submittedAtMs: atMs };
    return changed(withSubmissions([...submissions, fresh]));
  }
  if (sender === undefined || nonce === undefined) return unchanged(plan);
  if (known.sender === undefined)
    return changed(
      withSubmissions(submissions.map((each) => (each === known ? { ...each, sender, nonce } : each))),
    );
  if (known.sender === sender && known.nonce === nonce) return unchanged(plan);
  const detail = `The transaction ${txHash} was submitted with sender ${known.sender} and nonce ${known.nonce}, not with ${sender} and ${nonce}. Send the same values again.`;
  return mismatch(detail);
}

/** Records the fate of a submitted transaction. The first fate stays. */
export function onFate({ plan, submissions, withSubmissions }: Submissions, told: Ended): Ruling {
  const { txHash, fate, shownBy } = told;
  const known = submissions.find((each) => each.txHash === txHash);
  if (known === undefined) return mismatch(`The transaction ${txHash} was not submitted for this attempt.`);
  if (known.fate !== undefined) return unchanged(plan);
  const ended = { ...known, fate, ...defined({ shownBy }) };
  return changed(withSubmissions(submissions.map((each) => (each === known ? ended : each))));
}

/** The submitted transactions without the fates that a transaction had shown, which the chain has no longer. */
export function withoutFatesOf(submissions: readonly Submission[], txHash: Hash): readonly Submission[] {
  return submissions.map((each) =>
    each.shownBy?.txHash === txHash ? without(each, 'fate', 'shownBy') : each,
  );
}

/** Whether only one of two transactions can be mined, because they are one or have one nonce. */
export function isOfNonce(
  evidence: Pick<Evidence, 'txHash' | 'sender' | 'nonce'>,
  { txHash, sender, nonce }: Pick<Submission, 'txHash' | 'sender' | 'nonce'>,
): boolean {
  return evidence.txHash === txHash || (evidence.sender === sender && evidence.nonce === nonce);
}
