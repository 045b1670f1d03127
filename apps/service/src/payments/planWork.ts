import { depositStep, type Plan, type PlanEvent, swapStep, type Work, workOf } from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import { observeDeposit, transferName } from './chainFacts.ts';
import type { PaymentParts, WorkDone } from './paymentParts.ts';
import { chainAway, DATABASE_AWAY, DEPOSIT_UNREAD } from './planProblems.ts';
import { done, type Outcome, refuse } from '../problems/problem.ts';

/** How long to wait before work is tried again after the chain, the database or another part prevented it. */
export const AGAIN_SOON_MS = 2_000;
/** How long to wait before instructions that were withheld are derived again. */
const AGAIN_WITHHELD_MS = 60_000;
/** How long to wait while the clocks differ. */
const AGAIN_DOUBTFUL_MS = 10_000;
/** The `actor` of events that the service records without a request. */
export const SERVICE_ACTOR = 'service';

/**
 * Does the work that a plan needs from the service now: ends the plan or its link when its time has passed, derives
 * instructions once the deposit is there, sends a link. Safe to repeat, because work that is done is not due any more.
 * Throws when the database cannot answer; the job is then tried again.
 */
export async function performWork(parts: PaymentParts, scope: PlanScope, planId: string): Promise<void> {
  const loaded = await parts.store.payments.loadPlan(scope, planId);
  if (!loaded.ok) throw new Error(`The plan cannot be read: ${loaded.detail}`);
  const { plan } = loaded;
  const work = plan === undefined ? undefined : workOf(plan);
  if (plan === undefined || work === undefined) return;
  const waitMs = work.kind === 'PASS_TIME' ? work.atMs - parts.nowMs() : 0;
  if (waitMs > 0) return again(parts, scope, planId, waitMs);
  const outcome = await WORK[work.kind](parts, scope, plan);
  if (outcome.againMs !== undefined) await again(parts, scope, planId, outcome.againMs);
}

/** Tries the work that is due now, and answers the plan after it. What cannot be done now is left to the plan's job. */
export async function carriedOn(parts: PaymentParts, scope: PlanScope, plan: Plan): Promise<Plan> {
  const work = workOf(plan);
  if (work === undefined || (work.kind === 'PASS_TIME' && work.atMs > parts.nowMs())) return plan;
  const { plan: after } = await WORK[work.kind](parts, scope, plan);
  return after;
}

type Doing = (parts: PaymentParts, scope: PlanScope, plan: Plan) => Promise<WorkDone>;

const WORK: Readonly<Record<Work['kind'], Doing>> = {
  PASS_TIME: passTime,
  DERIVE_INSTRUCTIONS: deriveInstructions,
  SEND_LINK: ({ sendLink }, scope, plan) => sendLink(scope, plan),
};

async function again(
  { store }: PaymentParts,
  scope: PlanScope,
  planId: string,
  delayMs: number,
): Promise<void> {
  const scheduled = await store.jobs.schedule(scope, planId, delayMs);
  if (!scheduled.ok) throw new Error(`The work cannot be scheduled: ${scheduled.detail}`);
}

/**
 * Ends a plan or a link whose time has passed. First the chain is read, as a deposit may have arrived in time. Nothing
 * ends while the clocks differ.
 */
async function passTime(parts: PaymentParts, scope: PlanScope, plan: Plan): Promise<WorkDone> {
  if (isTimeDoubtful(parts, plan)) return { plan, againMs: AGAIN_DOUBTFUL_MS };
  if (plan.options.depositAddress !== undefined && depositStep(plan).status !== 'DONE') {
    const observed = await recordDeposit(parts, scope, plan);
    if (!observed.ok) return { plan, againMs: AGAIN_SOON_MS };
    if (workOf(observed.value)?.kind !== 'PASS_TIME') return { plan: observed.value };
  }
  return change(parts, scope, plan, { type: 'TIME_PASSED' });
}

/** Whether the clocks of this process, of the database and of the plan's chain differ too much for anything to end. */
function isTimeDoubtful({ chains }: PaymentParts, { corridor }: Plan): boolean {
  const freshness = chains.get(corridor.source.chainId)?.follower.status().freshness;
  return freshness?.fresh === false && DOUBTFUL.has(freshness.why);
}

const DOUBTFUL: ReadonlySet<string> = new Set(['CLOCK_DIFFERS', 'BLOCK_TOO_OLD', 'BLOCK_IN_FUTURE']);

async function deriveInstructions(parts: PaymentParts, scope: PlanScope, plan: Plan): Promise<WorkDone> {
  const { stepId } = swapStep(plan);
  const derivation = await parts.derive(plan);
  if (derivation.kind === 'DERIVED')
    return change(parts, scope, plan, {
      type: 'INSTRUCTIONS_DERIVED',
      stepId,
      askedBy: 'SERVICE',
      ...derivation.derived,
    });
  if (derivation.kind === 'PROBLEM' && derivation.problem.retryAfterSeconds !== undefined)
    return { plan, againMs: AGAIN_SOON_MS };
  const withheld =
    derivation.kind === 'WITHHELD'
      ? derivation.withheld
      : { reason: 'NOT_DERIVABLE' as const, detail: derivation.problem.detail };
  const noted = await change(parts, scope, plan, {
    type: 'INSTRUCTIONS_WITHHELD',
    stepId,
    askedBy: 'SERVICE',
    ...withheld,
  });
  return { ...noted, againMs: AGAIN_WITHHELD_MS };
}

async function change(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  event: PlanEvent,
): Promise<WorkDone> {
  const deed = { actor: SERVICE_ACTOR, atMs: parts.nowMs() };
  const changed = await parts.store.payments.changePlan(scope, plan.planId, event, deed);
  if (changed.ok) return { plan: changed.plan };
  // Another request or process changed the plan first, so the event does not fit any more.
  if (changed.reason === 'REFUSED') return { plan: changed.plan };
  return { plan, againMs: AGAIN_SOON_MS };
}

/**
 * Records the transfers to a plan's deposit address. Results in the plan after that, or in the problem of a chain or a
 * database that cannot answer. A transfer that settles another step is not counted.
 */
export async function recordDeposit(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
): Promise<Outcome<Plan>> {
  const { chainId } = plan.corridor.source;
  const chain = parts.chains.get(chainId);
  const claimed = new Set<string>();
  for (;;) {
    const event = await observeDeposit(chain, plan, claimed);
    if (typeof event === 'string') return refuse(chainAway(event, chainId));
    const deed = { actor: SERVICE_ACTOR, atMs: parts.nowMs() };
    const changed = await parts.store.payments.changePlan(scope, plan.planId, event, deed);
    if (changed.ok || changed.reason === 'REFUSED') return done(changed.plan);
    // What was asked for is another event, which is not recorded yet.
    if (changed.reason === 'DATABASE_UNAVAILABLE') return refuse(DATABASE_AWAY);
    if (changed.reason !== 'TRANSFER_CLAIMED') return refuse(DEPOSIT_UNREAD);
    const known = claimed.size;
    for (const transfer of changed.transfers) claimed.add(transferName(transfer));
    if (claimed.size === known) return refuse(DEPOSIT_UNREAD);
  }
}
