// Two processes with one database. Each plan is brought up to date once, and one process goes on when the other stands
// still. A process that was away for more than 64 blocks finds what was reorganised meanwhile.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeAt, startTestDatabase } from '@fairway/testing';
import type { Health, PaymentEvent, PaymentPlan, Sandbox } from '@fairway/wire';
import { Pool } from 'pg';
import { basic } from './harness.ts';
import { makeLogin, urlOf } from './paymentCalls.ts';
import {
  assertProblem,
  AUSTRALIAN,
  freshAddress,
  type PaymentsClient,
  paymentsClient,
  statusesOf,
} from './paymentsHarness.ts';
import { endEverything, startProcess, type ServiceProcess } from './processHarness.ts';
import { startSecondProcess } from './secondInstance.ts';

const AMOUNT_IN = 60_000_000n;
/** EVIDENCE: another process takes over within so long. */
const TAKEOVER_MS = 5_000;

let database: Awaited<ReturnType<typeof startTestDatabase>>;
let first: ServiceProcess;
let second: ServiceProcess;
let [here, there]: PaymentsClient[] = [];
let sandbox: Sandbox;
let pool: Pool;

before(async () => {
  database = await startTestDatabase();
  const databaseUrl = urlOf(database.connection);
  pool = new Pool({ ...database.connection, max: 1 }).on('error', () => {});
  const env = { FAIRWAY_SEALING_KEYS: `k1:${'5a'.repeat(32)}` };
  first = await startProcess(['--port', '0'], { ...env, DATABASE_URL: databaseUrl });
  const login = await makeLogin({ databaseUrl }, 'Acme');
  second = await startSecondProcess({ first: first.ready, login, databaseUrl, env });
  const authorization = basic(login.username, login.password);
  here = paymentsClient(first.ready.url, authorization);
  there = paymentsClient(second.ready.url, authorization);
  sandbox = (await here.ask('/v1/sandbox')).json as Sandbox;
});
after(async () => {
  second?.child.kill('SIGCONT');
  await endEverything();
  await pool?.end();
  await database?.close();
});

const rpc = (method: string, params: unknown[] = []) => nodeAt(first.ready.rpcUrl)(method, params);
const client = (of: PaymentsClient | undefined) => of ?? assert.fail('The processes run.');

async function planAt(depositAddress: string): Promise<PaymentPlan> {
  return client(here).plan({ amountIn: String(AMOUNT_IN), options: { mode: 'STANDARD', depositAddress } });
}

/** Pays from an account of the sandbox, without its service. */
async function pay(to: string): Promise<void> {
  const [token] = sandbox.tokens.filter(({ symbol }) => symbol === 'USDC');
  const data = `0xa9059cbb${to.slice(2).padStart(64, '0')}${AMOUNT_IN.toString(16).padStart(64, '0')}`;
  await rpc('eth_sendTransaction', [{ from: payer(), to: token?.address, data, gas: '0x50000' }]);
}

const payer = () => sandbox.accounts[0]?.address ?? assert.fail('The sandbox has accounts.');
const isPaid = (plan: PaymentPlan) => plan.steps[1]?.status === 'READY';

async function recordedOf(plan: PaymentPlan): Promise<PaymentEvent[]> {
  const read = (await client(there).events(plan)).filter(({ type }) => type === 'RECORD_READ');
  return read.filter(({ data }) => (data as { added: readonly unknown[] }).added.length > 0);
}

test('of two processes each deposit is recorded once, and instructions are derived once', async () => {
  const plans = await Promise.all(Array.from({ length: 12 }, () => planAt(freshAddress())));
  for (const { options } of plans) await pay(options?.depositAddress ?? '');
  for (const plan of plans) {
    const ready = await client(there).until(plan, 'the swap is due', isPaid);
    const types = (await client(there).events(ready)).map(({ type }) => type);
    assert.deepEqual(types, ['PLAN_CREATED', 'RECORD_READ', 'INSTRUCTED']);
  }
});

/** The process that reads the chain. */
async function holder(): Promise<string | undefined> {
  const { rows } = await pool.query<{ holder: string }>(
    'select holder from chain_records where lease_until > clock_timestamp()',
  );
  return rows[0]?.holder;
}

/** Takes the lease away from its holder for this long. */
async function keepLease(ms: number): Promise<void> {
  const text = `update chain_records set holder = 'nobody', state = 'CATCHING_UP',
    lease_until = clock_timestamp() + $1::float8 * interval '1 ms'`;
  await pool.query(text, [ms]);
}

/** Lets the second process read the chain. The first one has the nodes of the chain in its own process. */
async function letSecondRead(): Promise<void> {
  const former = await holder();
  for (let tries = 0; tries < 20; tries += 1) {
    const now = await holder();
    if (now !== undefined && now !== 'nobody' && now !== former) return;
    if (now === former) await keepLease(0);
    await sleep(300);
  }
  assert.fail('The second process never read the chain.');
}

test('when the process that reads the chain stands still, the other one goes on in five seconds', async (t) => {
  const plan = await planAt(freshAddress());
  await letSecondRead();
  second.child.kill('SIGSTOP');
  const stoodAtMs = performance.now();
  await pay(plan.options?.depositAddress ?? '');
  const ready = await client(here).until(plan, 'the swap is due', isPaid);
  const tookMs = performance.now() - stoodAtMs;
  second.child.kill('SIGCONT');
  t.diagnostic(`gone on after ${Math.round(tookMs)} ms`);
  assert.ok(tookMs < TAKEOVER_MS, `it took ${tookMs} ms`);
  assert.equal((await recordedOf(ready)).length, 1);
});

test('while the record stands still, a swap has no second instructions, and no other end', async () => {
  const plan = await planAt(freshAddress());
  await pay(plan.options?.depositAddress ?? '');
  const ready = await client(here).until(plan, 'the swap is due', isPaid);
  // The holder of the lease reads nothing, like a process that hangs or that has lost its nodes.
  const standing = `update chain_records set holder = 'nobody', state = 'AT_HEAD',
    lease_until = clock_timestamp() + interval '60 s'`;
  await pool.query(standing);
  await rpc('anvil_mine', ['0x1']);
  const behind = await client(here).again(ready);
  assertProblem(behind, 503, 'upstream-unavailable', /still reading blocks/);
  assert.ok(behind.headers.has('retry-after'));
  for (const refused of [
    await client(here).end(plan, { reason: 'OTHER' }),
    await client(here).again(plan, { recipient: AUSTRALIAN }),
  ])
    assertProblem(refused, 503, 'upstream-unavailable', /still reading/);
  const { chains } = (await client(here).ask('/health')).json as Health;
  assert.ok((chains[0]?.record?.lagBlocks ?? 0) > 0, JSON.stringify(chains[0]?.record));
  assert.equal((await client(here).get(plan.planId)).revision, ready.revision, 'nothing was derived');
  await keepLease(0);
});

test('a deposit that a reorganisation took away in an absence of 70 blocks is taken back', async () => {
  const depositAddress = freshAddress();
  const plan = await planAt(depositAddress);
  await rpc('anvil_mine', ['0x3']);
  await pay(depositAddress);
  const ready = await client(there).until(plan, 'the swap is due', isPaid);
  await rpc('anvil_mine', ['0x2']);
  await keepLease(4_000);
  // By now the process that read the chain has noticed that it may not.
  await sleep(2_000);
  await rpc('anvil_reorg', [5, []]);
  await rpc('anvil_mine', ['0x46']);
  const gone = await client(there).until(
    ready,
    'the deposit is taken back',
    (now) => statusesOf(now) === 'PENDING PENDING PENDING',
  );
  const types = (await client(there).events(gone)).map(({ type }) => type);
  assert.equal(types.at(-1), 'EVIDENCE_LOST');
});
