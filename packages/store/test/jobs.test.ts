import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Plan, workOf } from '@fairway/plan';
import type { JobWorker } from '@fairway/postgres';
import { sql } from 'kysely';
import type { PlanScope } from '../src/index.ts';
import { deposit, hashOf, instructions, MADE_AT_MS, newPlan } from './plans.ts';
import { jobKeys, openTestStore, type TestStore } from './storeOfTest.ts';

let bench: TestStore;
let workers: JobWorker[] = [];
before(async () => {
  bench = await openTestStore();
});
beforeEach(() => bench.clear());
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [];
});
after(() => bench?.close());

function work(perform: (scope: PlanScope, planId: string) => Promise<void>, concurrency = 2): JobWorker {
  const { jobs } = bench.store;
  const tasks = {
    plan: jobs.planTask(async (scope, planId) => {
      await perform(scope, planId);
      return 'TRIED';
    }),
  };
  const worker = jobs.startWorker({ tasks, concurrency, log: () => {} });
  workers.push(worker);
  return worker;
}

/** Does what the service does: derives instructions that are owed, or lets time pass. */
async function performWork(scope: PlanScope, planId: string): Promise<void> {
  const { payments } = bench.store;
  const loaded = await payments.loadPlan(scope, planId);
  if (loaded.plan === undefined) throw new Error('not loaded');
  const atMs = bench.clock.nowMs;
  const isOwed = workOf(loaded.plan)?.kind === 'DERIVE_INSTRUCTIONS';
  const event = isOwed ? instructions(loaded.plan, atMs) : ({ type: 'TIME_PASSED' } as const);
  const changed = await payments.changePlan(scope, planId, event, { actor: 'service', atMs });
  if (!changed.ok) throw new Error(changed.reason);
}

async function eventually(is: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await is().catch(() => false)); tries += 1) {
    assert.ok(tries < 1_200, 'it did not come about');
    await sleep(25);
  }
}

/** A plan whose deposit has come: it waits for instructions. */
async function planWithWork(): Promise<Plan> {
  const plan = await bench.create();
  return bench.change(plan, deposit(plan, hashOf(plan.planId)));
}

const hasInstructions = async (plan: Plan) => (await bench.stored(plan)).steps[1]?.status === 'READY';

type Job = {
  key: string;
  locked_by: string | null;
  attempts: number;
  last_error: string | null;
  delay_s: number;
};

async function jobOf({ planId }: Plan): Promise<Job | undefined> {
  const { rows } = await sql<Job>`
    select key, locked_by, attempts, last_error, extract(epoch from run_at - clock_timestamp())::float8 as delay_s
    from graphile_worker.jobs where key = ${`plan:${planId}`}`.execute(bench.database);
  return rows[0];
}

test('a plan’s work is done once, and then there is no job', async () => {
  const plans = await Promise.all(Array.from({ length: 5 }, planWithWork));
  const calls: string[] = [];
  work(async (scope, planId) => {
    calls.push(planId);
    assert.deepEqual(scope, bench.scope);
    await performWork(scope, planId);
  });
  for (const plan of plans) await eventually(() => hasInstructions(plan));
  await eventually(async () => (await bench.contents())['graphile_worker._private_jobs']?.length === 0);
  assert.deepEqual(calls.toSorted(), plans.map(({ planId }) => planId).toSorted());
});

test('a job waits by the service’s clock, and runs when that clock is advanced', async () => {
  bench.clock.nowMs = MADE_AT_MS + 86_400_000;
  const [soon, late] = [await bench.create(), await bench.create(newPlan({}, MADE_AT_MS + 10 * 86_400_000))];
  const days = async (plan: Plan) => Math.round(((await jobOf(plan))?.delay_s ?? 0) / 86_400);
  assert.equal(await days(soon), 6);
  assert.equal(await days(late), 16);
  const calls: string[] = [];
  work(async (scope, planId) => {
    calls.push(planId);
    await performWork(scope, planId);
  });
  bench.clock.nowMs = soon.expiresAtMs;
  await bench.store.jobs.hasten();
  const endOf = async (plan: Plan) => (await bench.stored(plan)).ended;
  await eventually(async () => (await endOf(soon))?.reason === 'EXPIRED' && calls.length === 2);
  await eventually(async () => (await jobKeys(bench.database)).length === 1);
  // The other job ran too early: it waits again, for the time that is left by the new clock.
  await eventually(async () => (await days(late)) === 10);
  assert.equal(await endOf(late), undefined);
});

test('work that could not be done is scheduled again, but only while there is work', async () => {
  const plan = await planWithWork();
  await bench.store.jobs.schedule(bench.scope, plan.planId, 3_600_000);
  const delayS = (await jobOf(plan))?.delay_s ?? 0;
  assert.ok(delayS > 3_500 && delayS <= 3_600);
  await bench.change(plan, instructions(plan));
  await bench.store.jobs.schedule(bench.scope, plan.planId, 0);
  assert.deepEqual(await jobKeys(bench.database), []);

  // When the work schedules itself again, the running job is replaced by the waiting one.
  const other = await planWithWork();
  let calls = 0;
  work(async (scope, planId) => {
    calls += 1;
    await bench.store.jobs.schedule(scope, planId, 3_600_000);
  });
  await eventually(async () => calls === 1 && (await jobOf(other))?.locked_by === null);
  assert.ok(((await jobOf(other))?.delay_s ?? 0) > 3_500);
  await eventually(async () => (await bench.contents())['graphile_worker._private_jobs']?.length === 1);
});

test('work that is left undone without an error keeps a job', async () => {
  const plan = await planWithWork();
  let calls = 0;
  work(async () => void (calls += 1));
  await eventually(async () => calls === 1 && (await jobOf(plan))?.locked_by === null);
  assert.ok(((await jobOf(plan))?.delay_s ?? 0) > 1);
});

test('plans that wait for a chain that is away leave no job behind, each tried once', async () => {
  const plans = await Promise.all(Array.from({ length: 20 }, () => planWithWork()));
  const { jobs } = bench.store;
  const tried: string[] = [];
  const plan = jobs.planTask(async (scope, planId) => {
    tried.push(planId);
    await jobs.awaitBlock(scope, planId, { chainId: 31337, dueBlock: 0 });
    return 'WAITING';
  });
  workers.push(jobs.startWorker({ tasks: { plan }, concurrency: 4, log: () => {} }));
  await eventually(async () => (await jobKeys(bench.database)).length === 0);
  assert.deepEqual(tried.toSorted(), plans.map(({ planId }) => planId).toSorted());
  const counted = await bench.store.operator.figures('sandbox');
  assert.deepEqual(counted.figures.waiting, { 31337: 20 });
});

test('work that fails is tried again later, and other work goes on', async () => {
  const [bad, good] = [await planWithWork(), await planWithWork()];
  work(async (scope, planId) => {
    if (planId === bad.planId) throw new Error('the chain is away');
    await performWork(scope, planId);
  });
  await eventually(() => hasInstructions(good));
  await eventually(async () => (await jobOf(bad))?.last_error === 'the chain is away');
  const job = await jobOf(bad);
  assert.ok(job !== undefined && job.attempts === 1 && job.locked_by === null);
});

/** Makes a plan as soon as the database can keep it, and waits until its work is done. */
async function planDone(): Promise<void> {
  let plan: Plan | undefined;
  await eventually(async () => {
    plan = await planWithWork();
    return true;
  });
  await eventually(() => hasInstructions(plan as Plan));
}

test('a worker goes on after every connection is cut and after the database is killed', async () => {
  const before = await planWithWork();
  work(performWork);
  await eventually(() => hasInstructions(before));
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()
    and datname = current_database()`.execute(bench.database);
  await planDone();
  process.kill(bench.postgres.pid() ?? 0, 'SIGKILL');
  await planDone();
});

test('a job is done again when its end could not be written', async () => {
  const plan = await planWithWork();
  let calls = 0;
  work(async (scope, planId) => {
    calls += 1;
    if (calls > 1) return performWork(scope, planId);
    const first = bench.postgres.pid();
    process.kill(first ?? 0, 'SIGKILL');
    await eventually(async () => ![undefined, first].includes(bench.postgres.pid()));
  });
  await eventually(() => hasInstructions(plan));
});

test('the jobs of a silent worker are freed, and those of a living worker are not', async () => {
  const [dead, stale, living] = [await planWithWork(), await planWithWork(), await planWithWork()];
  const lock = ({ planId }: Plan, worker: string, seconds: number) =>
    sql`
    update graphile_worker._private_jobs set locked_by = ${worker}, locked_at = now() - ${seconds}::int * interval '1 s',
      attempts = 1 where key = ${`plan:${planId}`}`.execute(bench.database);
  await lock(dead, 'pool-dead', 21);
  await lock(stale, 'pool-stale', 5);
  await lock(living, 'pool-living', 3_600);
  await sql`insert into workers values ('pool-stale', now() - interval '18 s'), ('pool-living', now() + interval '1 h')`.execute(
    bench.database,
  );
  work(performWork);
  await eventually(() => hasInstructions(dead));
  await eventually(() => hasInstructions(stale));
  assert.equal((await jobOf(living))?.locked_by, 'pool-living');
});

test('closing waits for running jobs, and leaves a slow one to the next worker', async () => {
  const [quick, slow] = [await planWithWork(), await planWithWork()];
  const started = new Set<string>();
  let freeSlow = () => {};
  const first = work(async (scope, planId) => {
    started.add(planId);
    await (planId === quick.planId
      ? sleep(100)
      : new Promise<void>((resolve) => {
          freeSlow = resolve;
        }));
    await performWork(scope, planId);
  });
  await eventually(async () => started.size === 2);
  await first.close();
  assert.ok(await hasInstructions(quick));
  assert.ok(!(await hasInstructions(slow)));
  assert.equal((await jobOf(slow))?.locked_by, null);
  assert.deepEqual((await bench.contents())['public.workers'], []);
  work(performWork);
  await eventually(() => hasInstructions(slow));
  freeSlow();
});

test('a worker can be started and closed while there is no database', async () => {
  await bench.postgres.close();
  const worker = work(performWork);
  await sleep(300);
  await worker.close();
  await worker.close();
});
