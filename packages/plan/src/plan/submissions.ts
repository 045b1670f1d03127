import { defined } from '@fairway/values';
import type { CommandOf, Ruling } from './commands.ts';
import type { Hash, TimeMs } from '../terms/scalars.ts';
import { without } from './steps.ts';
import type { Evidence, Submission } from './types.ts';

type Submitted = CommandOf<'EXECUTION_SUBMITTED'>;
type Ended = CommandOf<'EXECUTION_ENDED'>;

/** How many transactions of one attempt are kept: an attempt, its fee bumps, and room for mistakes. */
const MOST_SUBMISSIONS = 16;

/** That a report of a submitted transaction tells nothing new. */
type Known = { readonly ok: true; readonly outcome: 'UNCHANGED' };

/**
 * The submitted transactions of an attempt with the one that is told. Facts that were missing are filled in; facts that
 * contradict are refused.
 */
export function withSubmission(
  submissions: readonly Submission[],
  { txHash, sender, nonce }: Pick<Submitted, 'txHash' | 'sender' | 'nonce'>,
  atMs: TimeMs,
): readonly Submission[] | Known | Extract<Ruling, { ok: false }> {
  const known = submissions.find((each) => each.txHash === txHash);
  // Told again, a transaction that was given up may be mined after all.
  if (known?.fate === 'FORCED' || known?.fate === 'FORGOTTEN') {
    const others = submissions.filter((each) => each !== known);
    return withSubmission(others, { txHash, ...defined({ sender, nonce }) }, atMs);
  }
  if (known === undefined) {
    if (submissions.length >= MOST_SUBMISSIONS) {
      const detail = `${MOST_SUBMISSIONS} transactions of this attempt are known, and no more are kept. Report the one that is mined as DONE.`;
      return { ok: false, refusal: { reason: 'TOO_MANY', detail } };
    }
    return [...submissions, { txHash, ...defined({ sender, nonce }), submittedAtMs: atMs }];
  }
  if (sender === undefined || nonce === undefined) return KNOWN;
  if (known.sender === undefined)
    return submissions.map((each) => (each.txHash === txHash ? { ...each, sender, nonce } : each));
  if (known.sender === sender && known.nonce === nonce) return KNOWN;
  const detail = `The transaction ${txHash} was submitted with sender ${known.sender} and nonce ${known.nonce}, not with ${sender} and ${nonce}. Send the same values again.`;
  return { ok: false, refusal: { reason: 'EVIDENCE_MISMATCH', detail } };
}

const KNOWN: Known = { ok: true, outcome: 'UNCHANGED' };

/** The submitted transactions with the fate of one of them. The first fate stays. */
export function withFate(
  submissions: readonly Submission[],
  { txHash, fate, shownBy }: Pick<Ended, 'txHash' | 'fate' | 'shownBy'>,
): readonly Submission[] | Known | Extract<Ruling, { ok: false }> {
  const known = submissions.find((each) => each.txHash === txHash);
  if (known?.fate !== undefined) return KNOWN;
  if (known !== undefined)
    return submissions.map((each) => (each === known ? { ...each, fate, ...defined({ shownBy }) } : each));
  const detail = `The transaction ${txHash} was not submitted for this attempt.`;
  return { ok: false, refusal: { reason: 'EVIDENCE_MISMATCH', detail } };
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
