import type { Address, StepId } from '../terms/scalars.ts';
import type {
  AwaitDepositStep,
  ExecuteSwapStep,
  PayingStep,
  Plan,
  SendDigitalCollectStep,
  Step,
  StepEvidence,
  StepType,
} from './types.ts';

/**
 * The step of this id; undefined when the plan has none.
 *
 * @example
 * ```ts
 * import { type Plan, stepOf, type StepId } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const status = stepOf(plan, 'step_0199a6f2' as StepId)?.status;
 * ```
 */
export function stepOf(plan: Plan, stepId: StepId): Step | undefined {
  return plan.steps.find((step) => step.stepId === stepId);
}

/**
 * The step that is due: the first that is not DONE.
 *
 * @example
 * ```ts
 * import { dueStep, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const type = dueStep(plan)?.type; // 'AWAIT_DEPOSIT' at first
 * ```
 */
export function dueStep(plan: Plan): Step | undefined {
  return plan.steps.find(({ status }) => status !== 'DONE');
}

/**
 * The step that waits for the deposit; every plan has one.
 *
 * @example
 * ```ts
 * import { depositStep, isLess, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isThere = depositStep(plan).status === 'DONE';
 * ```
 */
export function depositStep(plan: Plan): AwaitDepositStep {
  return stepAs(plan, 'AWAIT_DEPOSIT');
}

/** The step of this kind, where the plan must have one: `decide` refuses a command about another kind. */
export function stepAs<Type extends StepType>(plan: Plan, type: Type): Extract<Step, { type: Type }> {
  const isOf = (step: Step): step is Extract<Step, { type: Type }> => step.type === type;
  const step = plan.steps.find(isOf);
  if (step === undefined) throw new Error(`A plan must have a step ${type}.`);
  return step;
}

/**
 * The step that swaps; every plan has one.
 *
 * @example
 * ```ts
 * import { type Plan, swapStep } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const attemptCount = swapStep(plan).attempts.length;
 * ```
 */
export function swapStep(plan: Plan): ExecuteSwapStep {
  return stepAs(plan, 'EXECUTE_SWAP');
}

/**
 * The step in which the recipient chooses; undefined for a plan whose mode is not DIGITAL_COLLECT.
 *
 * @example
 * ```ts
 * import { collectStep, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const link = collectStep(plan)?.link;
 * ```
 */
export function collectStep(plan: Plan): SendDigitalCollectStep | undefined {
  const last = lastStep(plan);
  return last.type === 'SEND_DIGITAL_COLLECT' ? last : undefined;
}

/** The step whose recipient has chosen and is still to be paid; undefined where nobody is. */
export function owedDelivery(plan: Plan): SendDigitalCollectStep | undefined {
  const step = collectStep(plan);
  return ['PENDING', 'SENT', 'FAILED'].includes(step?.delivery?.status ?? '') ? step : undefined;
}

/**
 * The transaction that a step rests on, even if the chain took it back; undefined when there is none.
 *
 * @example
 * ```ts
 * import { evidenceOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const hashes = plan.steps.flatMap((step) => evidenceOf(step)?.txHash ?? []);
 * ```
 */
export function evidenceOf(step: Step): StepEvidence | undefined {
  if (step.type === 'AWAIT_DEPOSIT') return undefined;
  if (step.type !== 'SEND_DIGITAL_COLLECT') return step.evidence;
  // A delivery that failed rests on no transaction.
  return step.delivery?.status === 'FAILED' ? undefined : step.delivery?.evidence;
}

/** The transaction that a step rests on; undefined when there is none, or the chain took it back. */
export function standingEvidence(step: Step): StepEvidence | undefined {
  const evidence = evidenceOf(step);
  return evidence?.status === 'LOST' ? undefined : evidence;
}

/** Whether the newest payment came back, and no other was begun since. */
export function isReturned(plan: Plan): boolean {
  const last = lastStep(plan);
  if (last.type === 'SEND_DIGITAL_COLLECT') return last.delivery?.status === 'RETURNED';
  return plan.returns.length > (last.payout?.returns ?? 0);
}

/** The plan with the step of the same id replaced. */
export function withStep(plan: Plan, changed: Step): Plan {
  return {
    ...plan,
    steps: plan.steps.map((step) => (step.stepId === changed.stepId ? changed : step)),
  };
}

/** A value without some of its members. They are absent and not undefined, so that equal values have equal records. */
export function without<T extends object, K extends keyof T>(value: T, ...names: readonly K[]): Omit<T, K> {
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => !(names as readonly string[]).includes(name)),
  ) as Omit<T, K>;
}

/** Whether this step is due: the plan has not ended, and all steps before this one are DONE. */
export function isTurnOf(plan: Plan, { stepId }: Step): boolean {
  return plan.ended === undefined && dueStep(plan)?.stepId === stepId;
}

/**
 * The last step, which pays the recipient; every plan has one.
 *
 * @example
 * ```ts
 * import { lastStep, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const stepId = lastStep(plan).stepId;
 * ```
 */
export function lastStep(plan: Plan): PayingStep {
  const last = plan.steps.at(-1);
  if (last?.type === 'CUSTODIAN_PAYOUT' || last?.type === 'SEND_DIGITAL_COLLECT') return last;
  throw new Error('A plan must end with a step that pays.');
}

/** The wallet of the recipient, or the one that the recipient of a collect link chose; undefined where that is no wallet. */
export function recipientWallet(plan: Plan): Address | undefined {
  const step = lastStep(plan);
  const account = step.type === 'SEND_DIGITAL_COLLECT' ? step.destination : plan.recipient;
  return account?.type === 'wallet' ? account.address : undefined;
}

/**
 * How far a step is with the payment, which for a recipient who chooses the account is the delivery.
 *
 * @example
 * ```ts
 * import { payingState, type PayingStep } from '@fairway/plan';
 *
 * declare const step: PayingStep;
 * const isDue = payingState(step) === 'DUE';
 * ```
 */
export function payingState(step: PayingStep): 'EARLY' | 'DUE' | 'PAID' | 'FAILED' {
  if (step.type === 'CUSTODIAN_PAYOUT') return PAYOUT_STATES[step.status];
  return step.delivery === undefined ? 'EARLY' : DELIVERY_STATES[step.delivery.status];
}

const PAYOUT_STATES = { PENDING: 'EARLY', READY: 'DUE', DONE: 'PAID', FAILED: 'FAILED' } as const;

const DELIVERY_STATES = {
  PENDING: 'DUE',
  SENT: 'DUE',
  DELIVERED: 'PAID',
  RETURNED: 'PAID',
  FAILED: 'FAILED',
} as const;
