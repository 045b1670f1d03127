import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  evolve,
  amountOf,
  collectRequestsOf,
  collectStatusOf,
  imbalanceOf,
  unbookedEvidence,
  type Mode,
  type Movement,
  type Plan,
  type PlanCommand,
  planOf,
  type RecordedEvent,
  standingMovements,
  type Step,
  workOf,
} from '@fairway/plan';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { ChangedPlan } from '../src/index.ts';
import { linkMade, linkOf, newLink, submitted } from './collecting.ts';
import {
  deposit,
  deposited,
  evidence,
  hashOf,
  instructions,
  MADE_AT_MS,
  newPlan,
  swap,
  transfer,
} from './plans.ts';
import { jobKeys, openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());

/** Something that may happen: a kind of event, a number that decides its details, and how much later it happens. */
type Happening = { kind: number; detail: number; laterMs: number };

const happening: fc.Arbitrary<Happening> = fc.record({
  kind: fc.nat({ max: 100 }),
  detail: fc.nat(5),
  laterMs: fc.oneof(fc.constant(1), fc.constant(0), fc.constant(8 * 86_400_000)),
});

type Make = (plan: Plan, detail: number, atMs: number) => PlanCommand;

const depositOf = (plan: Plan) => plan.steps[0] as Step;
const swapOf = (plan: Plan) => plan.steps[1] as Step;
const lastOf = (plan: Plan) => plan.steps[2] as Step;
const hashFor = (plan: Plan, detail: number | string) => hashOf(`${plan.planId}${detail}`);
const statusOf = (detail: number) => (detail % 2 === 0 ? 'CONFIRMING' : 'FINAL');

const deposits: readonly Make[] = [
  (plan, detail) => deposit(plan, hashFor(plan, detail)),
  (plan, detail) => deposit(plan, hashFor(plan, detail)),
  (plan, detail) => {
    const received = amountOf(BigInt(plan.amountIn) / 2n);
    const transfers = [transfer(hashFor(plan, detail), BigInt(received), detail)];
    return deposited(plan, transfers, 0);
  },
  (plan) => {
    const { stepId } = depositOf(plan);
    const told = { amount: plan.amountIn, verification: 'REPORTED', transfers: [] } as const;
    return { type: 'DEPOSIT_REPORTED', stepId, ...told };
  },
];

const swaps: readonly Make[] = [
  (plan, _detail, atMs) => instructions(plan, atMs),
  (plan, _detail, atMs) => instructions(plan, atMs),
  (plan, detail) =>
    swap(plan, evidence(hashFor(plan, `s${detail >> 1}`), 2_000n, statusOf(detail), 200 + detail)),
  (plan, detail) =>
    swap(plan, evidence(hashFor(plan, `s${detail >> 1}`), 2_000n, statusOf(detail), 200 + detail)),
  (plan, detail) => {
    const told = { failure: { code: `F${detail % 2}` }, verification: 'REPORTED' } as const;
    return { type: 'SWAP_FAILED', stepId: swapOf(plan).stepId, ...told, txHash: hashFor(plan, detail) };
  },
  (plan, detail) => ({
    ...{ type: 'INSTRUCTED', askedBy: 'INTEGRATOR', stepId: swapOf(plan).stepId },
    withheld: { reason: 'NOT_DERIVABLE', detail: `${detail}` },
  }),
];

/** The custodian holds the payment back. */
function held(plan: Plan, detail: number, atMs: number): PlanCommand {
  const hold = {
    reason: 'BANK_DELAY',
    needs: detail < 3 ? [] : [`${detail}`],
    untilMs: atMs + detail,
  } as const;
  return { type: 'PAYOUT_HELD', stepId: lastOf(plan).stepId, hold };
}

const payouts: readonly Make[] = [
  held,
  (plan, detail, atMs) => {
    const told = {
      verification: 'REPORTED',
      providerReference: `P${detail} ${plan.planId}`,
      occurredAtMs: atMs,
    } as const;
    return { type: 'PAYOUT_DONE', stepId: lastOf(plan).stepId, ...told };
  },
  (plan, detail) => {
    const paid = evidence(hashFor(plan, `p${detail}`), 2_000n, statusOf(detail));
    const verification = detail % 4 === 3 ? 'REPORTED' : 'VERIFIED';
    return { type: 'PAYOUT_DONE', stepId: lastOf(plan).stepId, verification, evidence: paid };
  },
  (plan, detail) => ({ type: 'PAYOUT_FAILED', stepId: lastOf(plan).stepId, failure: { code: `F${detail}` } }),
  (plan, detail) => {
    const told = { providerReference: `R${detail}`, failure: { code: 'CLOSED' } };
    return { type: 'PAYOUT_RETURNED', stepId: lastOf(plan).stepId, ...told };
  },
];

const collects: readonly Make[] = [
  held,
  ...(['FIRST', 'FIRST', 'RESENT', 'REISSUED', 'REOPENED'] as const).map(
    (reason): Make =>
      (plan, _detail, atMs) =>
        linkMade(plan, reason, atMs),
  ),
  // After a delivery came back the next payment has an id of its own.
  (plan, detail, atMs) => ({
    ...linkMade(plan, 'REISSUED', atMs),
    endToEndId: `E${detail}${plan.planId.slice(-9)}`,
  }),
  (plan, detail) => {
    const told = { version: linkOf(plan)?.version ?? 1, stepId: lastOf(plan).stepId };
    if (detail < 1) return { type: 'LINK_REQUESTED', ...told };
    if (detail < 2) return { type: 'LINK_OPENED', ...told };
    return { type: 'LINK_MAILED', ...told, outcome: detail < 4 ? 'ACCEPTED' : 'BOUNCED' };
  },
  submitted,
  submitted,
  (plan, detail) => {
    const status = (['SENT', 'DELIVERED', 'FAILED', 'RETURNED'] as const)[detail % 4] ?? 'SENT';
    const told = { verification: 'REPORTED', providerReference: `D${detail} ${plan.planId}` } as const;
    const failure = status === 'FAILED' ? { failure: { code: 'CLOSED' } } : {};
    return { type: 'DELIVERY_REPORTED', stepId: lastOf(plan).stepId, status, ...told, ...failure };
  },
  (plan, detail) => {
    const paid = evidence(hashFor(plan, `d${detail >> 1}`), 2_000n, statusOf(detail));
    const told = { status: 'DELIVERED', verification: 'VERIFIED', evidence: paid } as const;
    return { type: 'DELIVERY_REPORTED', stepId: lastOf(plan).stepId, ...told };
  },
];

const setbacks: readonly Make[] = [
  (plan, detail) => {
    const step = detail < 3 ? swapOf(plan) : lastOf(plan);
    const delivery = 'delivery' in step ? step.delivery : undefined;
    const known = 'evidence' in step ? step.evidence : delivery?.evidence;
    const txHash = known?.txHash ?? hashFor(plan, detail);
    return { type: 'EVIDENCE_LOST', stepId: step.stepId, txHash, cause: 'REPLACED' };
  },
  (plan) => {
    const failed = plan.steps.find(({ status }) => status === 'FAILED') ?? depositOf(plan);
    return { type: 'STEP_RETRIED', stepId: failed.stepId };
  },
  (_plan, detail): PlanCommand => {
    if (detail === 5) return { type: 'PLAN_ENDED', reason: 'OTHER', force: false };
    return detail < 4 ? { type: 'TIME_PASSED' } : { type: 'PLAN_ENDED', force: false };
  },
];

/** Mostly events that move a plan on, and a few that set it back or do not fit. */
const MAKES: Readonly<Record<Mode, readonly Make[]>> = {
  STANDARD: [...deposits, ...swaps, ...payouts, ...setbacks],
  DIGITAL_COLLECT: [...deposits, ...swaps, ...collects, ...setbacks],
};

/** What moves a plan on to its last step. A walk begins after none or some of these, so that it sees late events too. */
const AHEAD: readonly Make[] = [
  (plan) => deposit(plan, hashFor(plan, 'ahead')),
  (plan, _detail, atMs) => instructions(plan, atMs),
  (plan) => swap(plan, evidence(hashFor(plan, 'ahead swap'), 2_000n, 'FINAL', 200)),
  (plan, _detail, atMs) => collecting(plan, linkMade(plan, 'FIRST', atMs)),
  (plan) => collecting(plan, submitted(plan)),
  (plan) => collecting(plan, delivered(plan, 'FAILED')),
  (plan, _detail, atMs) => collecting(plan, linkMade(plan, 'REOPENED', atMs)),
  (plan) => collecting(plan, submitted(plan)),
  (plan) => collecting(plan, delivered(plan, 'DELIVERED')),
  (plan) => collecting(plan, delivered(plan, 'RETURNED')),
];

/** An event of a plan whose recipient is asked; nothing happens to any other. */
function collecting({ mode }: Plan, event: PlanCommand): PlanCommand {
  return mode === 'DIGITAL_COLLECT' ? event : { type: 'TIME_PASSED' };
}

function delivered(plan: Plan, status: 'DELIVERED' | 'FAILED' | 'RETURNED'): PlanCommand {
  const told = { verification: 'REPORTED', providerReference: `A-${status} ${plan.planId}` } as const;
  const failure = status === 'FAILED' ? { failure: { code: 'CLOSED' } } : {};
  return { type: 'DELIVERY_REPORTED', stepId: lastOf(plan).stepId, status, ...told, ...failure };
}

/** Lets an event happen as the service does: a link is made with its token and e-mail. */
function happen(plan: Plan, event: PlanCommand, atMs: number): Promise<ChangedPlan> {
  const context = { actor: 'a', atMs };
  const { payments, collect } = bench.store;
  if (event.type !== 'LINK_MADE') return payments.changePlan(bench.scope, plan.planId, event, context);
  const made = newLink(`${plan.planId} ${event.version}`);
  return collect.makeLink(bench.scope, plan.planId, event, made, context);
}

/** The versions of the live links, and of the links whose e-mail waits. */
async function linksOf({ planId }: Plan): Promise<{ live: number[]; queued: number[] }> {
  const { rows } = await sql<{ version: number; state: string; mail: string }>`
    select version, l.state, m.state as mail from collect_links l join mails m using (token_hash)
    where l.plan_id = ${planId} order by version`.execute(bench.database);
  const versions = (found: typeof rows) => found.map(({ version }) => version);
  return {
    live: versions(rows.filter(({ state }) => state === 'LIVE')),
    queued: versions(rows.filter(({ mail }) => mail === 'QUEUED')),
  };
}

/** What a plan's history says of the rounds of asking its recipient: how each stands, and when its first link was made. */
function roundsIn(events: readonly RecordedEvent[]): object[] {
  const begun = new Map<number, number>();
  let plan: Plan | undefined;
  for (const event of events) {
    plan = evolve(plan, event);
    for (const { round } of collectRequestsOf(plan)) if (!begun.has(round)) begun.set(round, event.atMs);
  }
  assert.ok(plan !== undefined);
  return collectRequestsOf(plan).map((request) => ({
    round: request.round,
    version: request.version,
    status: collectStatusOf(request),
    atMs: begun.get(request.round),
  }));
}

/** The rows of the rounds of a plan. */
async function roundsKept({ planId }: Plan): Promise<object[]> {
  const { rows } = await sql<{ atMs: string; isNoted: boolean }>`
    select round, link_version as version, status, (extract(epoch from created_at) * 1000)::int8::text as "atMs",
      length(email_fingerprint) = 33 as "isNoted"
    from collect_requests where plan_id = ${planId} order by round`.execute(bench.database);
  return rows.map(({ isNoted, ...row }) => {
    assert.ok(isNoted, 'the addressee of each link is noted');
    return { ...row, atMs: Number(row.atMs) };
  });
}

const ROLES: Readonly<Partial<Record<Movement['kind'], string>>> = {
  SWAP_OUT: 'SWAP',
  PAYOUT: 'PAYOUT',
};

/** The claims of a plan that are not lost are the transfers of its movements that stand. These plans have no deposit address. */
async function assertClaims(plan: Plan): Promise<void> {
  const { rows } = await sql<{ place: string }>`
    select concat(role, ' ', tx_hash, ' ', log_index) as place from settlements
    where plan_id = ${plan.planId} and lost_at is null order by 1`.execute(bench.database);
  const standing = standingMovements(plan).filter(
    ({ kind, verification }) => kind !== 'PAYOUT' || verification === 'VERIFIED',
  );
  const places = standing.flatMap(({ kind, transfer }) =>
    ROLES[kind] === undefined ? [] : [`${ROLES[kind]} ${transfer?.txHash} ${transfer?.logIndex}`],
  );
  const claimed = places.filter((place) => !place.includes('undefined')).toSorted();
  assert.deepEqual(
    rows.map(({ place }) => place),
    claimed,
  );
}

test('whatever happens to a plan, its stored rows, history, job and links agree', async () => {
  const seen = new Set<string>();
  const walks = fc.array(happening, { minLength: 15, maxLength: 40 });
  const modes = fc.constantFrom<Mode[]>('STANDARD', 'DIGITAL_COLLECT');
  await fc.assert(
    fc.asyncProperty(walks, modes, fc.nat(AHEAD.length), async (walk, mode, ahead) => {
      let plan = await bench.create(newPlan({ mode }));
      let atMs = MADE_AT_MS;
      const apply = async (event: PlanCommand): Promise<void> => {
        const changed = await happen(plan, event, atMs);
        if (changed.ok && changed.outcome === 'CHANGED') seen.add(event.type);
        if (changed.ok) plan = changed.plan;
      };
      for (const make of AHEAD.slice(0, ahead)) await apply(make(plan, 0, atMs));
      for (const step of walk) {
        atMs += step.laterMs;
        await apply((MAKES[mode][step.kind % MAKES[mode].length] as Make)(plan, step.detail, atMs));
      }
      const stored = await bench.store.payments.loadPlan(bench.scope, plan.planId);
      const history = await bench.store.payments.history(bench.scope, plan.planId, { limit: 100 });
      assert.ok(history.found !== undefined);
      assert.deepEqual(stored.plan, plan);
      assert.deepEqual(planOf(history.found.events), plan);
      assert.deepEqual(await roundsKept(plan), roundsIn(history.found.events));
      assert.deepEqual([imbalanceOf(plan), unbookedEvidence(plan)], [[], []]);
      await assertClaims(plan);
      assert.equal(
        (await jobKeys(bench.database)).includes(`plan:${plan.planId}`),
        workOf(plan) !== undefined,
      );
      const link = linkOf(plan);
      const live = link !== undefined && ['WAITING', 'SENT', 'OPENED'].includes(link.state);
      // No e-mail is sent here, so each waits as long as its link is live.
      const versions = live ? [link.version] : [];
      assert.deepEqual(await linksOf(plan), { live: versions, queued: versions });
    }),
    { seed, numRuns: 60 },
  );
  // Walks with few kinds of events would prove little.
  assert.ok(seen.size >= 15 && seen.has('PAYOUT_HELD'), [...seen].join());
});
