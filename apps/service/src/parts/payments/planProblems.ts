import {
  type Corridor,
  type CorridorRefusal,
  type Plan,
  type PlanId,
  type Refusal,
  type StepId,
} from '@fairway/plan';
import type { ChangedPlan } from '@fairway/store';
import type { Away } from './chainFacts.ts';
import { invalidFields, type ProblemFacts, tryLater } from '@fairway/api';
import { nodesDisagree } from '../trading/index.ts';

/**
 * The problem of a plan that does not exist or is not the caller's. Both get the same answer, which reveals nothing.
 */
export const NO_SUCH_PLAN: ProblemFacts = {
  code: 'not-found',
  detail: 'There is no such plan; GET /v1/payments lists those of your organisation.',
};
/** The problem of a step id that the plan does not have. */
export const NO_SUCH_STEP: ProblemFacts = {
  code: 'not-found',
  detail: 'The plan has no such step; read the plan, which lists its steps.',
};
/** The problem of a chain whose nodes cannot answer. The request was not carried out. */
export const CHAIN_AWAY: ProblemFacts = tryLater(
  'upstream-unavailable',
  'The chain does not answer at the moment; the request was not carried out. Send it again in 2 s.',
  2,
);
/**
 * The problem of a chain whose newest blocks the service has not read yet. The request was not carried out.
 */
export const CHAIN_BEHIND: ProblemFacts = tryLater(
  'upstream-unavailable',
  'The service is still reading blocks of the chain that it has missed, so that it does not know yet where the money is; the request was not carried out. Send it again in 5 s.',
  5,
);
/** The problem of a plan whose swap may have been executed. The request was not carried out. */
export const MAYBE_EXECUTED: ProblemFacts = tryLater(
  'upstream-unavailable',
  'A transaction on the chain may have executed the swap, and the nodes cannot say yet whether it did; the request was not carried out. Send it again in 5 s.',
  5,
);
/** The problem of a chain that cannot be read now. The request was not carried out. */
export function chainAway(away: Away, chainId: number): ProblemFacts {
  return away === 'UNREACHABLE' ? CHAIN_AWAY : tryLater('nodes-disagree', nodesDisagree(chainId), 2);
}

/**
 * The problem of an existing plan that cannot be opened again, because another open plan has its deposit address.
 * Without `errors`: no field of the request names the address.
 */
export function addressTaken(planId?: PlanId): ProblemFacts {
  return {
    code: 'deposit-address-in-use',
    detail:
      `options.depositAddress is the deposit address of ${openPlan(planId)}: make a new plan with an address of its own, or wait ` +
      'until the other one is over.',
  };
}

/** Another open plan: by its id where it is of the same organisation, and never another organisation's. */
function openPlan(planId: PlanId | undefined): string {
  return planId === undefined ? 'another open plan' : `the open plan ${planId}`;
}

/** The problem of a plan whose recipient was erased and not replaced since. */
export const DETAILS_ERASED: ProblemFacts = {
  code: 'details-erased',
  detail:
    'The recipient of the plan was erased, with its full details. Name the one that is to be paid as recipient in POST /v1/payments/{planId}/again once the payment failed or came back; else end the plan and make a new one.',
};
/** The problem of a plan whose recipient was to be asked and was erased. */
export const ADDRESSEE_ERASED: ProblemFacts = {
  code: 'details-erased',
  detail:
    'The recipient of the plan was erased, with the address that its e-mails go to. Name another one as recipient in POST /v1/payments/{planId}/again, or end the plan.',
};
/** The problem of a registered recipient that was changed while a plan was going to pay it. */
const REGISTERED_CHANGED: ProblemFacts = {
  code: 'recipient-invalid',
  detail: 'The registered recipient was changed while the request ran; read it, and send the request again.',
  errors: [
    {
      pointer: '/recipient/recipientId',
      detail:
        'The registered recipient was changed while the request ran; read it, and send the request again.',
    },
  ],
};
/**
 * The problem of a new plan whose deposit address another open plan has. `planId`: that plan, where it is of the same
 * organisation.
 */
export function addressInUse(planId: PlanId | undefined): ProblemFacts {
  const whose = openPlan(planId);
  return {
    code: 'deposit-address-in-use',
    detail: `options.depositAddress is the deposit address of ${whose}: give one that no open plan has.`,
    errors: [
      {
        pointer: '/options/depositAddress',
        detail: `depositAddress must be of this plan alone; ${whose} has it.`,
      },
    ],
  };
}

/** The problem of a new plan whose deposit address has signed the swap of another organisation's plan. */
export const ADDRESS_OF_ANOTHER: ProblemFacts = {
  code: 'deposit-address-in-use',
  detail:
    "options.depositAddress is another organisation's: it has signed the swap of a plan of theirs, and money that comes late is still theirs. Give a fresh address.",
  errors: [
    {
      pointer: '/options/depositAddress',
      detail: "depositAddress must be your organisation's own; another organisation's plan was paid with it.",
    },
  ],
};

/**
 * The problem of a new plan without a deposit address, whose `sender` is the deposit address of another open plan. `planId`:
 * that plan, where it is of the same organisation.
 */
export function senderInUse(planId: PlanId | undefined): ProblemFacts {
  const detail =
    `options.sender is the deposit address of ${openPlan(planId)}, so what is sent there counts for that plan alone. Give this plan ` +
    'options.depositAddress, an address that no open plan has, or name another sender.';
  return { code: 'deposit-address-in-use', detail, errors: [{ pointer: '/options/sender', detail }] };
}

/** The problem of a corridor that does not take a request. */
export function corridorRefused({ id }: Corridor, mode: string, refusal: CorridorRefusal): ProblemFacts {
  switch (refusal.reason) {
    case 'CORRIDOR_SUSPENDED':
      return {
        code: 'corridor-suspended',
        detail: `Corridor ${id} is suspended and takes no new plans; use another that GET /v1/markets/corridors lists.`,
      };
    case 'MODE_NOT_SUPPORTED': {
      const detail = `Corridor ${id} offers ${refusal.modes.join(' and ')}; ${mode} is not among its modes. Use another mode or corridor.`;
      return { code: 'mode-not-supported', detail, errors: [{ pointer: '/options/mode', detail }] };
    }
    case 'RECIPIENT_TYPE_NOT_SUPPORTED': {
      const detail = `Type must be ${refusal.recipientTypes.join(' or ')} for corridor ${id} with ${mode}.`;
      return { code: 'recipient-invalid', detail, errors: [{ pointer: '/recipient/type', detail }] };
    }
    case 'AMOUNT_OUT_OF_RANGE': {
      const { minAmountIn, maxAmountIn } = refusal;
      const detail = `amountIn must be from ${minAmountIn} to ${maxAmountIn} for corridor ${id}.`;
      return { code: 'amount-out-of-range', detail, errors: [{ pointer: '/amountIn', detail }] };
    }
  }
}

/** The problem of a command that was not recorded. */
export function changeRefused(refused: Exclude<ChangedPlan, { ok: true }>): ProblemFacts {
  switch (refused.reason) {
    case 'PLAN_UNKNOWN':
      return NO_SUCH_PLAN;
    case 'DEPOSIT_ADDRESS_IN_USE':
      return addressTaken();
    case 'RECIPIENT_CHANGED':
      return REGISTERED_CHANGED;
    case 'DETAILS_ERASED':
      return DETAILS_ERASED;
    case 'TRANSFER_CLAIMED':
      return mismatch(
        `The transaction ${refused.transfers[0]?.txHash} settles another step already: report the one of this step.`,
      );
    case 'REFERENCE_USED': {
      const { reference, planId, kind } = refused;
      return mismatch(
        `The providerReference ${reference} settles a ${kind.toLowerCase()} of the plan ${planId} already: report the reference of this one.`,
      );
    }
    case 'REVISION_MISMATCH':
      return revisionMismatch(refused.plan);
    case 'REFUSED':
      return commandRefused(refused.refusal);
  }
}

/** The problem of a request that was made for another revision of a plan. */
export function revisionMismatch({ revision }: Plan): ProblemFacts {
  const detail = `The plan is at revision ${revision}, and If-Match does not name that one; the request was not carried out. Read the plan, and send it with If-Match: "${revision}" if it still fits.`;
  return { code: 'revision-mismatch', detail, revision };
}

/** The problem of a command that a plan's rules refuse. */
export function commandRefused(refusal: Refusal): ProblemFacts {
  switch (refusal.reason) {
    case 'STEP_UNKNOWN':
      return NO_SUCH_STEP;
    case 'STEP_NOT_READY':
      return { code: 'step-not-ready', detail: `${refusal.detail}${turnSentence(refusal)}` };
    case 'EXECUTION_PENDING':
      return tryLater('execution-in-flight', refusal.detail, 30);
    case 'REASON_MISSING':
      return invalidFields([{ pointer: '/reason', detail: `reason is missing. ${refusal.detail}` }]);
    case 'TOO_SOON':
      return tryLater('rate-limited', refusal.detail, Math.ceil(refusal.retryAfterMs / 1000));
    case 'APPROVAL_REQUIRED':
      return { code: 'approval-required', detail: refusal.detail };
    case 'OWN_APPROVAL':
      return { code: 'own-approval', detail: refusal.detail };
    case 'APPROVAL_NOT_DUE':
      return { code: 'approval-not-due', detail: refusal.detail };
    case 'TOO_MANY':
      return { code: 'step-not-ready', detail: refusal.detail };
    case 'EVIDENCE_MISMATCH':
      return mismatch(refusal.detail);
    case 'NOT_OF_THIS_STEP': {
      const detail = `A step of the kind ${refusal.stepType} takes no such request; send it to the step that next names.`;
      return invalidFields([{ pointer: '', detail }]);
    }
  }
}

/** Where the integrator reads what is due; empty for a plan in which nothing is. */
function turnSentence({ dueStepId }: { readonly dueStepId?: StepId }): string {
  return dueStepId === undefined ? '' : ' Look at the member next of the plan, which says what to do.';
}

/** The problem of a claim that the chain contradicts or cannot confirm. */
export function mismatch(detail: string): ProblemFacts {
  return { code: 'evidence-mismatch', detail: `${detail} The report was not recorded.` };
}
