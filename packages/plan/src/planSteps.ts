import { ZERO } from './amount.ts';
import { defined } from './defined.ts';
import type { Decision, Refusal } from './events.ts';
import type { StepId } from './scalars.ts';
import type {
  AwaitDepositStep,
  Evidence,
  ExecuteSwapStep,
  Plan,
  SendDigitalCollectStep,
  Step,
} from './types.ts';

/** The step of this id. */
export function stepOf(plan: Plan, stepId: StepId): Step | undefined {
  return plan.steps.find((step) => step.stepId === stepId);
}

/** The step whose turn it is: the first that is not done. */
export function dueStep(plan: Plan): Step | undefined {
  return plan.steps.find(({ status }) => status !== 'DONE');
}

/** The step that waits for the deposit; every plan has one. */
export function depositStep(plan: Plan): AwaitDepositStep {
  const step = plan.steps.find(({ type }) => type === 'AWAIT_DEPOSIT');
  if (step?.type !== 'AWAIT_DEPOSIT') throw new Error('A plan awaits a deposit.');
  return step;
}

/** The step that swaps; every plan has one. */
export function swapStep(plan: Plan): ExecuteSwapStep {
  const step = plan.steps.find(({ type }) => type === 'EXECUTE_SWAP');
  if (step?.type !== 'EXECUTE_SWAP') throw new Error('A plan executes a swap.');
  return step;
}

/** The step in which the recipient chooses; plans of the mode DIGITAL_COLLECT alone have one. */
export function collectStep(plan: Plan): SendDigitalCollectStep | undefined {
  const last = plan.steps.at(-1);
  return last?.type === 'SEND_DIGITAL_COLLECT' ? last : undefined;
}

/** Whether a recipient who has chosen is still to be paid. */
export function owesDelivery({ delivery }: SendDigitalCollectStep): boolean {
  return delivery !== undefined && delivery.status !== 'DELIVERED' && delivery.status !== 'RETURNED';
}

function deliverySentence(plan: Plan): string {
  const step = collectStep(plan);
  if (step === undefined || !owesDelivery(step)) return '';
  return step.delivery?.status === 'FAILED'
    ? '; the recipient is asked again where the money goes'
    : '; what is due is the delivery to the destination that the recipient chose';
}

/** The transaction that a step rests on now, also one that the chain took back; undefined when there is none. */
export function evidenceOf(step: Step): Evidence | undefined {
  if (step.type === 'AWAIT_DEPOSIT') return undefined;
  if (step.type !== 'SEND_DIGITAL_COLLECT') return step.evidence;
  // What failed rests on nothing.
  return step.delivery?.status === 'FAILED' ? undefined : step.delivery?.evidence;
}

/** Whether money has moved: a deposit in part or on somebody's word, or a transaction that the chain still shows. */
export function hasMoneyMoved(plan: Plan): boolean {
  const isPaid = plan.steps.some(
    (step) => 'evidence' in step && step.evidence !== undefined && step.evidence.status !== 'LOST',
  );
  const { status, received } = depositStep(plan);
  return isPaid || status === 'DONE' || received !== ZERO;
}

/** The plan with a step replaced by its new self. */
export function withStep(plan: Plan, changed: Step): Plan {
  return {
    ...plan,
    steps: plan.steps.map((step) => (step.stepId === changed.stepId ? changed : step)),
  };
}

/** A value without some of its members: absent, not undefined, so that records of it are equal. */
export function without<T extends object, K extends keyof T>(value: T, ...names: readonly K[]): Omit<T, K> {
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => !(names as readonly string[]).includes(name)),
  ) as Omit<T, K>;
}

/** The decision that an event is known already. */
export function unchanged(plan: Plan): Decision {
  return { ok: true, outcome: 'UNCHANGED', plan };
}

/** The decision that an event changes the plan into this one; revision and time are added by `decide`. */
export function changed(plan: Plan): Decision {
  return { ok: true, outcome: 'CHANGED', plan };
}

/** The decision that an event cannot happen. */
export function refused(refusal: Refusal): Decision {
  return { ok: false, refusal };
}

/** The refusal of what is not, or no longer, this step's turn. */
export function notReady(plan: Plan, detail: string): Decision {
  const due = plan.ended === undefined ? dueStep(plan) : undefined;
  const turn = defined({ dueStepId: due?.stepId, dueStepType: due?.type });
  return refused({ reason: 'STEP_NOT_READY', ...turn, detail });
}

/** The refusal of an outcome that the step it is told of does not know. */
export function notOfThisStep(plan: Plan, stepId: StepId): Decision {
  const step = stepOf(plan, stepId);
  return refused(
    step === undefined ? { reason: 'STEP_UNKNOWN' } : { reason: 'NOT_OF_THIS_STEP', stepType: step.type },
  );
}

/** The refusal of a transaction that the chain does not have. */
export function lostIsNoEvidence({ txHash }: Evidence): Decision {
  return refused({
    reason: 'EVIDENCE_MISMATCH',
    detail: `The transaction ${txHash} is not on the chain, so it settles nothing.`,
  });
}

/** Whether it is this step's turn: the plan goes on and all steps before are done. */
export function isTurnOf(plan: Plan, { stepId }: Step): boolean {
  return plan.ended === undefined && dueStep(plan)?.stepId === stepId;
}

/** Says which step is due, for refusals. */
export function dueSentence(plan: Plan): string {
  if (plan.ended !== undefined)
    return `The plan is ${plan.ended}.${plan.ended === 'EXPIRED' ? ' Retry its deposit step to open it again.' : ''}`;
  const due = dueStep(plan);
  if (due === undefined) return `Every step is DONE${deliverySentence(plan)}.`;
  const remedy = due.type === 'SEND_DIGITAL_COLLECT' ? 'issue a new link' : 'retry it';
  const failed = due.status === 'FAILED' ? `: ${remedy} first` : '';
  return `The step that is due is ${due.type} (${due.stepId}), which is ${due.status}${failed}.`;
}
