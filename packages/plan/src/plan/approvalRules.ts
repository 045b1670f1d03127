import type { CommandOf, Ruling } from './commands.ts';
import { changed, dueSentence, notReady, refused, unchanged } from './rulings.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { Plan } from './types.ts';

/**
 * Whether a plan waits for another credential's approval: until then it gives out no instructions and asks for no payout.
 *
 * @example
 * ```ts
 * import { needsApproval, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const actions = needsApproval(plan) ? ['approve'] : [];
 * ```
 */
export function needsApproval({ approval }: Plan): boolean {
  return approval !== undefined && approval.approved === undefined;
}

/** A credential approves a payment. It names the version that it has seen, so that it approves no recipient unseen. */
export function onPlanApproved(
  plan: Plan,
  { version, by }: CommandOf<'PLAN_APPROVED'>,
  atMs: TimeMs,
): Ruling {
  const { approval } = plan;
  if (approval === undefined)
    return refused({ reason: 'APPROVAL_NOT_DUE', detail: 'The plan needs no approval; let it go on.' });
  if (plan.ended !== undefined) return notReady(plan, dueSentence(plan));
  if (version !== approval.version) {
    const detail = `The payment is at version ${approval.version} of its approval, not ${version}: read the plan, look at its recipient, and approve that version.`;
    return refused({ reason: 'APPROVAL_NOT_DUE', detail });
  }
  if (approval.madeBy === by) {
    const detail =
      'Your credential made this plan or named its recipient; have another one look at it, and approve it.';
    return refused({ reason: 'OWN_APPROVAL', detail });
  }
  if (approval.approved?.by === by) return unchanged(plan);
  if (approval.approved !== undefined)
    return refused({
      reason: 'APPROVAL_NOT_DUE',
      detail: 'The payment was approved already; read the plan.',
    });
  return changed({ ...plan, approval: { ...approval, approved: { by, atMs } } });
}

/** The plan after a credential has named another recipient: what was approved was for the one before. */
export function withoutApproval(plan: Plan, by: string | undefined): Plan {
  const { approval } = plan;
  if (approval === undefined) return plan;
  return { ...plan, approval: { version: approval.version + 1, madeBy: by ?? approval.madeBy } };
}

/** Why instructions are not given out yet; undefined where they may be. */
export function refuseUnapproved(plan: Plan): Ruling | undefined {
  if (!needsApproval(plan)) return undefined;
  const detail =
    'Nobody has approved this payment, and no instructions are given out before that; have another credential look at it and approve it.';
  return refused({ reason: 'APPROVAL_REQUIRED', detail });
}
