import { defined } from '@fairway/values';
import type { Refusal, Ruling } from './commands.ts';
import type { Evidence, Plan, Step } from './types.ts';
import { dueStep, owedDelivery } from './steps.ts';

/** The decision that a command is known already and changes nothing. */
export function unchanged(plan: Plan): Ruling {
  return { ok: true, outcome: 'UNCHANGED', plan };
}

/** The decision that a command changes the plan into this plan; `decide` adds revision and time. */
export function changed(plan: Plan): Ruling {
  return { ok: true, outcome: 'CHANGED', plan };
}

/** The decision that a command cannot happen. */
export function refused(refusal: Refusal): Ruling {
  return { ok: false, refusal };
}

/** The refusal of a command that contradicts the chain or what is recorded. */
export function mismatch(detail: string): Ruling {
  return refused({ reason: 'EVIDENCE_MISMATCH', detail });
}

/** The refusal of a command for a step that is not due. */
export function notReady(plan: Plan, detail: string): Ruling {
  const due = plan.ended === undefined ? dueStep(plan) : undefined;
  const turn = defined({ dueStepId: due?.stepId, dueStepType: due?.type });
  return refused({ reason: 'STEP_NOT_READY', ...turn, detail });
}

/** The refusal of a command that belongs to another kind of step. */
export function notOfThisStep({ type }: Step): Ruling {
  return refused({ reason: 'NOT_OF_THIS_STEP', stepType: type });
}

/** The refusal of a transaction that the chain does not have. */
export function lostIsNoEvidence({ txHash }: Evidence): Ruling {
  return mismatch(
    `The transaction ${txHash} is not on the chain, so it settles nothing. Report it when it is mined.`,
  );
}

/** The refusal of a payment that was made, and that came back. */
export function cameBack(name: string | undefined): Ruling {
  return mismatch(
    `The payment ${name} came back, so it does not settle this payout. Report the payment that was made after it.`,
  );
}

/** The refusal of a payment where the plan has nothing to pay. */
export function nothingLeft(plan: Plan): Ruling {
  return notReady(plan, 'Nothing is left to pay out: end the plan.');
}

/** A sentence for refusals that says which step is due. */
export function dueSentence(plan: Plan): string {
  if (plan.ended?.reason === 'EXPIRED' && plan.closed === undefined)
    return 'The plan is ENDED (EXPIRED). Send POST …/again to open it again.';
  if (plan.ended !== undefined)
    return `The plan is ENDED (${plan.ended.reason}). It stays so: another payment needs a new plan.`;
  const due = dueStep(plan);
  if (due === undefined) return `Every step is DONE${deliverySentence(plan)}.`;
  if (due.type === 'AWAIT_DEPOSIT' && due.status !== 'FAILED')
    return `The step that is due is AWAIT_DEPOSIT (${due.stepId}), which is ${due.status}: the deposit has to come first.`;
  const remedy =
    due.type === 'SEND_DIGITAL_COLLECT'
      ? 'send another link first (POST …/again), or end the plan where no other can be sent'
      : 'try it anew first (POST …/again)';
  const failed = due.status === 'FAILED' ? `: ${remedy}` : '';
  return `The step that is due is ${due.type} (${due.stepId}), which is ${due.status}${failed}.`;
}

function deliverySentence(plan: Plan): string {
  const step = owedDelivery(plan);
  if (step === undefined) return '';
  return step.delivery?.status === 'FAILED'
    ? '; the recipient is asked again where the money goes'
    : '; what is due is the delivery to the destination that the recipient chose';
}
