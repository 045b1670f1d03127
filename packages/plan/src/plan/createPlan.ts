import { defined } from '@fairway/values';
import { type Amount, isLess } from '../terms/amount.ts';
import { type Corridor, type CorridorRefusal, dustBelow, refuseByCorridor } from '../terms/corridor.ts';
import type { DerivedInstructions, Plan, PlannedRecipient, PlanOptions, Step, Withheld } from './types.ts';
import type { Mode, PlanId, StepId, TimeMs } from '../terms/scalars.ts';

/** The request for a plan, whose fields were already checked one by one. */
export type PlanRequest = {
  readonly clientReference: string;
  readonly amountIn: Amount;
  readonly recipient: PlannedRecipient;
  readonly mode: Mode;
  readonly options: PlanOptions;
  readonly metadata: Readonly<Record<string, string>>;
};

/** What a plan is made of beside the request: ids, times and the first instructions. */
export type PlanMaking = {
  readonly planId: PlanId;
  /** One for each step, in order. */
  readonly stepIds: readonly [StepId, StepId, StepId];
  readonly endToEndId: string;
  readonly nowMs: TimeMs;
  readonly lifeMs: number;
  readonly watchFromBlock: number;
  /** The credential that asks for the plan. */
  readonly madeBy: string;
  readonly swap:
    | { readonly kind: 'DERIVED'; readonly derived: DerivedInstructions }
    /** A new plan has no instructions while the price is below its floor, or the record of its chain is behind. */
    | { readonly kind: 'WITHHELD'; readonly withheld: Withheld; readonly amountOut: Amount };
};

type Creation =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly refusal: CorridorRefusal };

/**
 * Makes a plan of three steps in the order of the mode, all PENDING.
 *
 * @example
 * ```ts
 * import { type Corridor, createPlan, type PlanMaking, type PlanRequest } from '@fairway/plan';
 *
 * declare const corridor: Corridor;
 * declare const request: PlanRequest;
 * declare const making: PlanMaking;
 * const created = createPlan(corridor, request, making);
 * if (!created.ok) throw new Error(created.refusal.reason); // such as 'AMOUNT_OUT_OF_RANGE'
 * console.log(created.plan.steps.map(({ status }) => status)); // ['PENDING', 'PENDING', 'PENDING']
 * ```
 */
export function createPlan(corridor: Corridor, request: PlanRequest, making: PlanMaking): Creation {
  const { mode, amountIn, recipient } = request;
  const refusal = refuseByCorridor(corridor, { mode, amountIn, recipientType: recipient.type });
  if (refusal !== undefined) return { ok: false, refusal };
  const { planId, endToEndId, nowMs, lifeMs, watchFromBlock, madeBy } = making;
  const { paymentApproval } = corridor;
  const isApprovalDue = paymentApproval !== undefined && isLess(paymentApproval.above, amountIn);
  return {
    ok: true,
    plan: {
      planId,
      ...request,
      corridor: { ...corridor, dustBelow: dustBelow({ corridor, amountIn }) },
      endToEndId,
      revision: 1,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      lifeMs,
      expiresAtMs: nowMs + lifeMs,
      watchFromBlock,
      ...(isApprovalDue ? { approval: { version: 1, madeBy } } : {}),
      steps: stepsOf(request, making),
      returns: [],
    },
  };
}

function stepsOf({ mode, amountIn }: PlanRequest, { stepIds, swap, nowMs }: PlanMaking): readonly Step[] {
  const [depositId, swapId, lastId] = stepIds;
  const amountOut = swap.kind === 'DERIVED' ? swap.derived.amountOut : swap.amountOut;
  return [
    {
      stepId: depositId,
      type: 'AWAIT_DEPOSIT',
      status: 'PENDING',
      expected: amountIn,
    },
    {
      stepId: swapId,
      type: 'EXECUTE_SWAP',
      status: 'PENDING',
      expected: amountOut,
      attempts: swap.kind === 'DERIVED' ? [{ ...swap.derived, derivedAtMs: nowMs, outcome: 'OPEN' }] : [],
      ...defined({ withheld: swap.kind === 'WITHHELD' ? swap.withheld : undefined }),
    },
    mode === 'STANDARD'
      ? { stepId: lastId, type: 'CUSTODIAN_PAYOUT', status: 'PENDING', attempts: [] }
      : { stepId: lastId, type: 'SEND_DIGITAL_COLLECT', status: 'PENDING', rounds: [] },
  ];
}
