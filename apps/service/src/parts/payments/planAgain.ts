import { collectStep, dueStep, type Plan, type Step } from '@fairway/plan';
import type { PaymentPlan } from '@fairway/wire';
import { changeRecipient } from './changeRecipient.ts';
import type { AgainRequest } from './planRequests.ts';
import { currentPlan } from './findPlan.ts';
import type { PaymentParts } from './paymentParts.ts';
import { type Acting, done, invalidFields, type Outcome, refuse } from '@fairway/api';
import { refreshStep, retryStep } from './steps.ts';
import { sendLink } from './links/linkRequests.ts';

/** What was done once more: fresh instructions, another try of a step, another account, or another link. */
export type Did = NonNullable<PaymentPlan['did']>;

/** A plan, and what was done with it. */
export type AgainPlan = { readonly plan: Plan; readonly did: Did };

/** Does once more what fits the state of a plan. */
export async function planAgain(
  parts: PaymentParts,
  acting: Acting,
  planId: string,
  request: AgainRequest,
): Promise<Outcome<AgainPlan>> {
  const found = await currentPlan(parts, acting.scope, planId);
  if (!found.ok) return found;
  const plan = found.value;
  const did = whatFits(plan, request);
  const unused = unusedFields(did, request);
  if (unused !== undefined) return refuse(unused);
  const outcome = await doAgain(parts, acting, plan, did, request);
  return outcome.ok ? done({ plan: outcome.value, did }) : outcome;
}

function whatFits(plan: Plan, { recipient }: AgainRequest): Did {
  const collect = collectStep(plan);
  const isAsking = collect !== undefined && plan.ended === undefined && collect.status !== 'PENDING';
  if (isAsking || (collect !== undefined && recipient !== undefined)) return 'LINK';
  if (recipient !== undefined) return 'RECIPIENT';
  return stepToTry(plan).type === 'EXECUTE_SWAP' ? 'INSTRUCTIONS' : 'TRY';
}

/** The step that failed, else the one that is due, else the last. */
function stepToTry(plan: Plan): Step {
  const failed = plan.steps.find(({ status }) => status === 'FAILED');
  const step = failed ?? dueStep(plan) ?? plan.steps.at(-1);
  if (step === undefined) throw new Error('A plan must have steps.');
  return step;
}

function unusedFields(did: Did, { slippageBps, force }: AgainRequest) {
  const given = { slippageBps, force };
  const errors = (['slippageBps', 'force'] as const).flatMap((name) =>
    did === 'INSTRUCTIONS' || given[name] === undefined
      ? []
      : [{ pointer: `/${name}`, detail: `${name} goes with fresh instructions of a swap; leave it out.` }],
  );
  return errors.length === 0 ? undefined : invalidFields(errors);
}

async function doAgain(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  did: Did,
  { recipient, slippageBps, force }: AgainRequest,
): Promise<Outcome<Plan>> {
  if (did === 'LINK') return sendLink(parts, acting, plan, recipient);
  if (recipient !== undefined) return changeRecipient(parts, acting, plan, recipient);
  const step = stepToTry(plan);
  const forced = force === true ? ({ force } as const) : {};
  if (did === 'TRY') return retryStep(parts, acting, { plan, step }, forced);
  if (step.status !== 'FAILED') return refreshStep(parts, acting, { plan, step }, forced, slippageBps);
  return retryStep(parts, acting, { plan, step }, forced, slippageBps);
}
