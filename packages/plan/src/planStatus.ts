import { isLess, ZERO } from './amount.ts';
import { openAttempt, owesInstructions } from './swapRules.ts';
import { depositStep, dueStep, swapStep } from './planSteps.ts';
import type { AwaitDepositStep, ExecuteSwapStep, Plan, PlanStatus, Step, StepId, TimeMs } from './types.ts';

/** What is to happen next, and who is to do it. */
export type NextAction = {
  readonly stepId: StepId;
  readonly actor: 'INTEGRATOR' | 'RECIPIENT' | 'SERVICE';
  readonly what: NextActionCode;
  /** The same as a sentence. */
  readonly detail: string;
  readonly deadlineMs?: TimeMs;
};

/** What there can be to do. */
export const NEXT_ACTIONS = [
  'SEND_DEPOSIT',
  'TOP_UP_DEPOSIT',
  'CONFIRM_DEPOSIT',
  'DERIVE_INSTRUCTIONS',
  'WAIT_FOR_PRICE',
  'EXECUTE_INSTRUCTIONS',
  'REFRESH_INSTRUCTIONS',
  'FIND_TRANSACTION',
  'CONFIRM_TRANSACTION',
  'PAY_OUT',
  'COLLECT',
  'RETRY_STEP',
] as const;

/** One of the things there can be to do. */
export type NextActionCode = (typeof NEXT_ACTIONS)[number];

/** Whether the plan can be cancelled: no money has moved and it has not ended. */
export function isCancelable(plan: Plan): boolean {
  const deposit = depositStep(plan);
  return plan.ended === undefined && deposit.status !== 'DONE' && deposit.received === ZERO;
}

/** Where the plan stands. */
export function planStatus(plan: Plan): PlanStatus {
  if (plan.ended !== undefined) return plan.ended;
  if (plan.returns.length > 0) return 'RETURNED';
  if (plan.steps.some(({ status }) => status === 'FAILED')) return 'FAILED';
  const due = dueStep(plan);
  if (due === undefined) return 'COMPLETED';
  if (due.type === 'AWAIT_DEPOSIT' && due.status === 'PENDING') return 'PENDING';
  // No action depends on time in who is to act: only instructions age, and they are the integrator's either way.
  const actor = nextAction(plan, 0)?.actor;
  return actor === 'SERVICE' ? 'IN_PROGRESS' : 'ACTION_REQUIRED';
}

/** Whether nothing more is expected of anybody. */
export function isOver(plan: Plan): boolean {
  return ['COMPLETED', 'EXPIRED', 'CANCELLED', 'RETURNED'].includes(planStatus(plan));
}

/** What is to happen next; undefined when the plan is over. */
export function nextAction(plan: Plan, nowMs: TimeMs): NextAction | undefined {
  if (plan.ended !== undefined) return undefined;
  const step = dueStep(plan);
  if (step === undefined) return undefined;
  if (step.status === 'FAILED') return retryAction(step);
  switch (step.type) {
    case 'AWAIT_DEPOSIT':
      return depositAction(plan, step);
    case 'EXECUTE_SWAP':
      return swapAction(plan, step, nowMs);
    case 'CUSTODIAN_PAYOUT':
      return payoutAction(step);
    case 'SEND_DIGITAL_COLLECT':
      return {
        stepId: step.stepId,
        actor: 'RECIPIENT',
        what: 'COLLECT',
        detail: 'The recipient chooses where the money goes.',
        ...(step.linkExpiresAtMs === undefined ? {} : { deadlineMs: step.linkExpiresAtMs }),
      };
  }
}

function retryAction({ stepId, type, failure }: Step): NextAction {
  const code = failure?.code ?? 'FAILED';
  const detail =
    type === 'SEND_DIGITAL_COLLECT'
      ? `The collect link ended (${code}); issue a new one.`
      : `${type} failed (${code}); retry the step when the cause is gone.`;
  return { stepId, actor: 'INTEGRATOR', what: 'RETRY_STEP', detail };
}

function depositAction(plan: Plan, step: AwaitDepositStep): NextAction {
  const { stepId, expected, received } = step;
  const deadlineMs = plan.expiresAtMs;
  if (received === ZERO) {
    const told = plan.options.depositAddress === undefined ? ', then report it' : '';
    const detail = `Send ${expected} of the source token${told}.`;
    return { stepId, actor: 'INTEGRATOR', what: 'SEND_DEPOSIT', detail, deadlineMs };
  }
  if (isLess(received, expected)) {
    const detail = `${received} of ${expected} has arrived; send the rest.`;
    return { stepId, actor: 'INTEGRATOR', what: 'TOP_UP_DEPOSIT', detail, deadlineMs };
  }
  const detail = `The deposit is waiting for ${plan.corridor.minConfirmations} confirmations.`;
  return { stepId, actor: 'SERVICE', what: 'CONFIRM_DEPOSIT', detail };
}

function swapAction(plan: Plan, step: ExecuteSwapStep, nowMs: TimeMs): NextAction {
  const { stepId, evidence, withheld } = step;
  const last = step.attempts.at(-1);
  if (evidence !== undefined) {
    const detail = `The transaction ${evidence.txHash} is waiting for ${plan.corridor.minConfirmations} confirmations.`;
    return { stepId, actor: 'SERVICE', what: 'CONFIRM_TRANSACTION', detail };
  }
  if (last?.outcome === 'LOST') {
    const detail = `A reorganisation took the transaction ${last.txHash} back. When it is mined again it counts by itself; refresh only when it cannot be.`;
    return { stepId, actor: 'INTEGRATOR', what: 'FIND_TRANSACTION', detail };
  }
  if (withheld?.reason === 'PRICE_BELOW_FLOOR')
    return { stepId, actor: 'SERVICE', what: 'WAIT_FOR_PRICE', detail: withheld.detail };
  const open = openAttempt(step);
  if (owesInstructions(plan) || open === undefined) {
    const detail = withheld?.detail ?? 'The service derives instructions from the current block.';
    return { stepId, actor: 'SERVICE', what: 'DERIVE_INSTRUCTIONS', detail };
  }
  if (nowMs >= open.notAfterMs) {
    const detail = 'The instructions have expired; refresh the step for new ones.';
    return { stepId, actor: 'INTEGRATOR', what: 'REFRESH_INSTRUCTIONS', detail };
  }
  const detail = 'Execute the instructions in order and report the transaction of the last one.';
  return { stepId, actor: 'INTEGRATOR', what: 'EXECUTE_INSTRUCTIONS', detail, deadlineMs: open.notAfterMs };
}

function payoutAction(step: Extract<Step, { type: 'CUSTODIAN_PAYOUT' }>): NextAction {
  const { stepId, evidence } = step;
  if (evidence !== undefined) {
    const detail = `The transaction ${evidence.txHash} is being confirmed.`;
    return { stepId, actor: 'SERVICE', what: 'CONFIRM_TRANSACTION', detail };
  }
  const detail = "Have the custodian pay as custodianAction says, and report the custodian's reference.";
  return { stepId, actor: 'INTEGRATOR', what: 'PAY_OUT', detail };
}

/** What the service itself has to do for a plan, and from when on; undefined when nothing. One job each. */
export type Work = { readonly kind: 'DERIVE_INSTRUCTIONS' | 'PASS_TIME'; readonly atMs: TimeMs };

/** The work a plan leaves to the service. */
export function workOf(plan: Plan): Work | undefined {
  if (plan.ended !== undefined) return undefined;
  if (owesInstructions(plan)) return { kind: 'DERIVE_INSTRUCTIONS', atMs: plan.updatedAtMs };
  const deposit = depositStep(plan);
  if (deposit.status !== 'DONE' && deposit.status !== 'FAILED')
    return isLess(deposit.received, deposit.expected)
      ? { kind: 'PASS_TIME', atMs: plan.expiresAtMs }
      : undefined;
  const last = plan.steps.at(-1);
  if (last?.type === 'SEND_DIGITAL_COLLECT' && last.status === 'READY' && last.linkExpiresAtMs !== undefined)
    return { kind: 'PASS_TIME', atMs: last.linkExpiresAtMs };
  return undefined;
}

/** Transactions whose fate moves the plan: those being confirmed, done, or taken back and perhaps mined again. */
export function swapTransactions(plan: Plan): readonly string[] {
  const { evidence, attempts } = swapStep(plan);
  const lost = attempts.at(-1)?.outcome === 'LOST' ? attempts.at(-1)?.txHash : undefined;
  return [evidence?.txHash, lost].filter((hash) => hash !== undefined);
}
