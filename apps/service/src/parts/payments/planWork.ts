import { unlessAway } from '@fairway/postgres';
import {
  awaitedRefunds,
  depositStep,
  type Plan,
  type PlanCommand,
  swapStep,
  type Work,
  workOf,
} from '@fairway/plan';
import { type ChainMoment, type PlanScope, SOUND_CLOCK, type WorkOutcome } from '@fairway/store';
import {
  type Compared,
  comparePlan,
  isPending,
  laterBlock,
  nextLookAt,
  SERVICE_ACTOR,
} from './comparePlan.ts';
import { nextAttempt } from './instructions.ts';
import { lookForNative } from './nativeCurrency.ts';
import type { PaymentParts, WorkDone } from './paymentParts.ts';
import { resolvePendingTransactions } from './resolvePendingTransactions.ts';

/** How long to wait before work is tried again after the database or another part prevented it. */
export const AGAIN_SOON_MS = 2_000;
/** How long to wait before instructions that were withheld are derived again. */
const AGAIN_WITHHELD_MS = 60_000;

/**
 * Brings a plan up to date with the record of its chain, then does the work that it needs from the service. It ends the
 * plan or its link when its time has passed, derives instructions once the deposit is there, and sends a link. Safe to
 * repeat, because work that is done is not due any more. The plan is compared first, so that a swap which the record
 * has read is on the plan before other instructions are derived. Then its submitted transactions are looked for. Once the plan is over, its deposit address is looked
 * at. Work that needs the chain and cannot be done waits for its next blocks: the more often it was tried (`tries`),
 * the longer. Throws when the database cannot answer, or what was found cannot be recorded; the job is then tried
 * again.
 */
export async function performWork(
  parts: PaymentParts,
  scope: PlanScope,
  planId: string,
  tries = 0,
): Promise<WorkOutcome> {
  const loaded = await parts.store.payments.loadPlan(scope, planId);
  if (loaded.plan === undefined) return 'TRIED';
  const compared = await comparePlan(parts, scope, loaded.plan);
  if (!compared.ok) throw new Error(`The plan cannot be compared with its chain: ${compared.problem.detail}`);
  const { moment, obstacle, isMaybeExecuted } = compared.value;
  const plan = await withFates(parts, scope, compared.value.plan);
  const work = workOf(plan);
  const outcome: WorkDone =
    work === undefined
      ? await lookForNative(parts, scope, plan, { moment, tries })
      : await attend(parts, scope, plan, { work, moment, tries, isMaybeExecuted });
  await lookAgain(parts, scope, compared.value, outcome, tries);
  if (outcome.againMs !== undefined) await again(parts, scope, planId, outcome.againMs, outcome.needs);
  if (obstacle !== undefined) throw new Error(obstacle);
  return outcome.dueBlock === undefined ? 'TRIED' : 'WAITING';
}

/** The plan after a look for its submitted transactions. Where that fails, a later look will do. */
async function withFates(parts: PaymentParts, scope: PlanScope, plan: Plan): Promise<Plan> {
  const acting = { scope, actor: SERVICE_ACTOR };
  const resolved = await resolvePendingTransactions(parts, acting, plan, 'BY_ITSELF');
  return resolved.ok ? resolved.value.plan : plan;
}

/**
 * Tries the work that is due now, and answers the plan after it. Work that cannot be done now is left to the plan's job,
 * also while the database is away. The caller's own request is carried out already.
 */
export async function carriedOn(parts: PaymentParts, scope: PlanScope, plan: Plan): Promise<Plan> {
  if (!isDue(plan, parts.nowMs())) return plan;
  const now = await unlessAway(carryOn(parts, scope, plan));
  return now === 'AWAY' ? plan : now;
}

async function carryOn(parts: PaymentParts, scope: PlanScope, plan: Plan): Promise<Plan> {
  const compared = await comparePlan(parts, scope, plan);
  if (!compared.ok) return plan;
  const { plan: now, moment, isMaybeExecuted } = compared.value;
  const work = workOf(now);
  if (work === undefined || !isDue(now, parts.nowMs())) return now;
  return (await WORK[work.kind](parts, scope, now, { moment, tries: 0, isMaybeExecuted })).plan;
}

function isDue(plan: Plan, nowMs: number): boolean {
  const work = workOf(plan);
  return work !== undefined && (work.kind !== 'PASS_TIME' || work.atMs <= nowMs);
}

async function attend(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  { work, ...circumstances }: Circumstances & { readonly work: Work },
): Promise<WorkDone> {
  const waitMs = work.kind === 'PASS_TIME' ? work.atMs - parts.nowMs() : 0;
  if (waitMs > 0) return { plan, againMs: waitMs };
  // Another process with a right clock can do this work now. If there is none, the job waits until a clock is right.
  if (work.kind !== 'SEND_LINK' && whyStale(parts, plan) === 'CLOCK_DIFFERS')
    return { plan, againMs: 0, needs: SOUND_CLOCK };
  return WORK[work.kind](parts, scope, plan, circumstances);
}

/**
 * How far the record of the plan's chain is, how often the work was put off before, and whether the plan may have been
 * executed.
 */
type Circumstances = {
  readonly moment: ChainMoment;
  readonly tries: number;
  readonly isMaybeExecuted: boolean;
};

type Doing = (
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  circumstances: Circumstances,
) => Promise<WorkDone>;

const WORK: Readonly<Record<Work['kind'], Doing>> = {
  PASS_TIME: passTime,
  DERIVE_INSTRUCTIONS: deriveInstructions,
  SEND_LINK: ({ sendLink }, scope, plan) => sendLink(scope, plan),
};

/** Lets the plan wait for the block at which it is to be compared again, or its work is to be tried again. */
async function lookAgain(
  { store }: PaymentParts,
  scope: PlanScope,
  compared: Compared,
  { plan, dueBlock }: WorkDone,
  tries: number,
): Promise<void> {
  const next = nextLookAt({ ...compared, plan }, tries);
  const blocks = [next, dueBlock].filter((block) => block !== undefined);
  if (blocks.length === 0) return;
  const isPutOff = compared.isUnsure || dueBlock !== undefined || isPending(plan);
  const { chainId } = plan.corridor.source;
  const wait = { chainId, dueBlock: Math.min(...blocks), tries: isPutOff ? tries + 1 : 0 };
  await store.jobs.awaitBlock(scope, plan.planId, wait);
}

async function again(
  { store }: PaymentParts,
  scope: PlanScope,
  planId: string,
  delayMs: number,
  needs?: typeof SOUND_CLOCK,
): Promise<void> {
  await store.jobs.schedule(scope, planId, delayMs, needs);
}

/**
 * Ends a plan, a link or a wait whose time has passed. A plan that waits for a deposit or a lost refund changes only when the
 * record has read a block of that time. The plan then shows everything that was paid in time. Nothing ends while the clocks differ or while the swap
 * may have been executed.
 */
async function passTime(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  { moment, tries, isMaybeExecuted }: Circumstances,
): Promise<WorkDone> {
  if (isTimeDoubtful(parts, plan) || isMaybeExecuted) return { plan, dueBlock: laterBlock(moment, tries) };
  const isOfDeposit = plan.options.depositAddress !== undefined && depositStep(plan).status !== 'DONE';
  const isOfRefund = parts.nowMs() >= (awaitedRefunds(plan)?.untilMs ?? Infinity);
  if (isOfDeposit || isOfRefund) {
    if (moment.state !== 'AT_HEAD') return { plan, dueBlock: 0 };
    // Blocks say their time in whole seconds.
    const work = workOf(plan);
    const dueMs = work?.kind === 'PASS_TIME' ? work.atMs : plan.expiresAtMs;
    if ((moment.readTimeMs ?? 0) + 999 < dueMs) return { plan, dueBlock: laterBlock(moment, 0) };
  }
  return change(parts, scope, plan, { type: 'TIME_PASSED' });
}

/** Whether the clocks of this process, of the database and of the plan's chain differ too much for anything to end. */
function isTimeDoubtful(parts: PaymentParts, plan: Plan): boolean {
  const why = whyStale(parts, plan);
  return why !== undefined && DOUBTFUL.has(why);
}

/** Why this process has no fresh market of the plan's chain; undefined when it has one. */
function whyStale({ chains }: PaymentParts, { corridor }: Plan): string | undefined {
  const freshness = chains.get(corridor.source.chainId)?.follower.status().freshness;
  return freshness?.fresh === false ? freshness.why : undefined;
}

const DOUBTFUL: ReadonlySet<string> = new Set(['CLOCK_DIFFERS', 'BLOCK_TOO_OLD', 'BLOCK_IN_FUTURE']);

/**
 * Derives instructions, unless the record is behind: the swap may have been executed in a block that it lacks. It
 * derives none either while a transaction with a tag of the plan cannot be judged.
 */
async function deriveInstructions(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  { moment, tries, isMaybeExecuted }: Circumstances,
): Promise<WorkDone> {
  if (moment.state !== 'AT_HEAD') return { plan, dueBlock: 0 };
  if (isMaybeExecuted) return { plan, dueBlock: laterBlock(moment, tries) };
  const instructed = { type: 'INSTRUCTED', stepId: swapStep(plan).stepId, askedBy: 'SERVICE' } as const;
  const derivation = await parts.derive(nextAttempt(plan));
  if (derivation.kind === 'DERIVED')
    return change(parts, scope, plan, { ...instructed, derived: derivation.derived });
  if (derivation.kind === 'PROBLEM' && derivation.problem.retryAfterSeconds !== undefined)
    return { plan, dueBlock: laterBlock(moment, tries) };
  const withheld =
    derivation.kind === 'WITHHELD'
      ? derivation.withheld
      : { reason: 'NOT_DERIVABLE' as const, detail: derivation.problem.detail };
  const noted = await change(parts, scope, plan, { ...instructed, withheld });
  return { ...noted, againMs: AGAIN_WITHHELD_MS };
}

async function change(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  command: PlanCommand,
): Promise<WorkDone> {
  const context = { actor: SERVICE_ACTOR, atMs: parts.nowMs() };
  const changed = await parts.store.payments.changePlan(scope, plan.planId, command, context);
  if (changed.ok) return { plan: changed.plan };
  // Another request or process changed the plan first, so the command does not fit any more.
  if (changed.reason === 'REFUSED') return { plan: changed.plan };
  return { plan, againMs: AGAIN_SOON_MS };
}
