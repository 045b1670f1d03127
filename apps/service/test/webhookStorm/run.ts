import { unlessAway } from '@fairway/postgres';
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestDatabase } from '@fairway/testing';
import { openStore, type PlanScope, type Store } from '@fairway/store';
import { createWebhookSecret } from '@fairway/webhooks';
import { Client } from 'pg';
import { launch } from '../processHarness.ts';
import { startReceiver, until } from '../webhookReceivers.ts';
import { startMixedReceiver } from './receivers.ts';
import type { SenderSetting } from './senderProcess.ts';

/** How large a storm is. `kills`: how often a process is killed; twice, if there are so many, the database is, too. */
export type StormOptions = {
  readonly events: number;
  readonly kills: number;
  /** How many events are timed, alone and beside a dead receiver. */
  readonly probes: number;
  /**
   * By which share of its p99 a good receiver may wait longer beside a dead one; undefined: the share is printed, but not
   * judged.
   */
  readonly mostDelayed?: number;
  readonly say: (line: string) => void;
};

/** Waits of minutes end within a second, and five days, after which an endpoint without a success is disabled, take 86 s. */
const [SPEED, ATTEMPT_MS, HOLD_MS] = [5_000, 400, 1_500];
const PROGRAM = 'apps/service/test/webhookStorm/senderProcess.ts';
/** How much more memory the end of a long run may need than its beginning. */
const MORE_HEAP_BYTES = 20 * 1024 * 1024;

type Ground = {
  readonly store: Store;
  readonly client: Client;
  readonly scope: PlanScope;
  readonly setting: SenderSetting;
};

/**
 * Sends events to receivers that fail in all ways, while the sending processes and the database are killed. Every event is taken, and
 * each attempt is signed and the same as those before. Receivers that hang hold up nobody else.
 */
export async function runStorm({
  events,
  kills,
  probes,
  mostDelayed = Number.POSITIVE_INFINITY,
  say,
}: StormOptions): Promise<void> {
  await using ending = new AsyncDisposableStack();
  const postgres = await startTestDatabase();
  ending.defer(postgres.close);
  const key = randomBytes(32);
  const opened = await openStore({
    connection: postgres.connection,
    sealingKeys: [{ id: 'test', key }],
  });
  assert.ok(opened.ok);
  const { store } = opened;
  ending.defer(store.close);
  const times = { startMs: Date.now(), speed: SPEED, attemptMs: ATTEMPT_MS, holdMs: HOLD_MS };
  const setting = { connection: postgres.connection, key: key.toString('hex'), ...times };
  const made = await store.createCredential({
    ...{ organisation: 'Storm', environment: 'sandbox', permissions: [] },
  });
  assert.ok(made.ok);
  const scope: PlanScope = { organisationId: made.organisationId, environment: 'sandbox' };
  const senders = createSenders(setting);
  ending.defer(senders.end);
  const ground = async () => {
    const client = new Client(postgres.connection);
    client.on('error', () => undefined);
    await client.connect();
    return { store, client, scope, setting };
  };
  senders.start({ ...setting, speed: 1, attemptMs: 15_000, holdMs: 30_000 });
  const delayed = await showIsolation(await ground(), probes, say);
  senders.killOne();
  senders.start();
  senders.start();
  const secret = createWebhookSecret();
  const { receiver, noticed } = await startMixedReceiver(() => secret);
  const mixed = await endpointAt(await ground(), receiver.url, secret);
  const gone = await startReceiver((_, response) => response.writeHead(410).end());
  const goneId = await endpointAt(await ground(), gone.url);
  const before = await ground();
  await insertEvents(before, 0, Math.ceil(events / 2));
  const ended = await killInTurns(await ground(), senders, postgres, kills);
  await insertEvents(await ground(), Math.ceil(events / 2), Math.floor(events / 2));
  const all = () => [...noticed.taken].length >= events;
  await until(`${events} events`, all, 60_000 + 100 * events);
  const attempts = [...noticed.attempts.values()].reduce((sum, count) => sum + count, 0);
  const killed = `${kills} kills of senders and ${ended} of the database`;
  say(`${noticed.taken.size} events in ${attempts} attempts, ${killed}, ${noticed.wrong.length} wrong`);
  assert.deepEqual(noticed.wrong.slice(0, 5), []);
  const pending = async (endpointId: string) => {
    const listed = await store.webhooks.listDeliveries(scope, endpointId, { limit: 1, status: 'PENDING' });
    return listed.ok ? listed.deliveries.length : 1;
  };
  await until('every record', async () => (await pending(mixed)) === 0);
  const listed = await store.webhooks.loadEndpoint(scope, goneId);
  assert.ok(listed.endpoint?.disabledReason === 'GONE');
  assert.equal(await pending(goneId), 0);
  await senders.assertFlat(say);
  // This check comes last, so that a busy machine does not prevent the other checks.
  assert.ok(
    delayed < mostDelayed,
    `p99 is ${delayed} more beside a dead receiver, at most ${mostDelayed} may be`,
  );
}

/** Kills senders one after the other, and the database twice meanwhile; once where there are few kills. Answers how often. */
async function killInTurns(
  { store, scope }: Ground,
  senders: ReturnType<typeof createSenders>,
  postgres: Awaited<ReturnType<typeof startTestDatabase>>,
  kills: number,
): Promise<number> {
  const endings = new Set([Math.floor(kills / 3), Math.floor((2 * kills) / 3)]);
  for (let count = 0; count < kills; count += 1) {
    await sleep(700);
    if (endings.has(count)) {
      const pid = postgres.pid() ?? assert.fail('the database is away');
      process.kill(pid, 'SIGKILL');
      await until('another database', () => ![undefined, pid].includes(postgres.pid()));
      await until(
        'its answers',
        async () => (await unlessAway(store.webhooks.listEndpoints(scope))) !== 'AWAY',
      );
    }
    senders.killOne();
    senders.start();
  }
  return endings.size;
}

/** Compares how long a good receiver waits: alone, beside one that hangs, and alone again. Answers by which share p99 is more. */
async function showIsolation(ground: Ground, probes: number, say: (line: string) => void): Promise<number> {
  const sentMs: number[] = [];
  const waits: number[] = [];
  const good = await startReceiver(({ text }, response) => {
    const { data } = JSON.parse(text) as { data: { object: { number: number } } };
    waits.push(performance.now() - (sentMs[data.object.number] ?? 0));
    response.writeHead(204).end();
  });
  const endpointId = await endpointAt(ground, good.url);
  const p99 = async (first: number) => {
    waits.length = 0;
    for (let number = first; number < first + probes; number += 1) {
      sentMs[number] = performance.now();
      await insertEvents(ground, number, 1);
      await sleep(10);
    }
    await until('the probes', () => waits.length >= probes);
    return waits.sort((a, b) => a - b)[Math.floor(probes * 0.99)] ?? 0;
  };
  await p99(1_000_000);
  const alone = await p99(2_000_000);
  const dead = await startReceiver(() => {});
  const deadId = await endpointAt(ground, dead.url);
  const end = (id: string) =>
    ground.store.webhooks.changeEndpoint(ground.scope, id, { type: 'DELETED' }, Date.now());
  const beside = await p99(3_000_000);
  await until('the dead receiver is asked', () => dead.got.length > 0);
  await end(deadId);
  await dead.close();
  const again = await p99(4_000_000);
  await end(endpointId);
  const [before, meanwhile, afterwards] = [alone, beside, again].map(Math.round);
  say(`p99 alone ${before} ms, beside a dead receiver ${meanwhile} ms, alone again ${afterwards} ms`);
  // Each attempt of the dead receiver takes 15 s: were any waited for, a probe would take longer than that of the busiest machine.
  assert.ok(beside < alone + 10_000, `${alone} ${beside}`);
  // The slower of the two is compared: a delay by the machine is no delay by the receiver.
  const share = beside / Math.max(alone, again) - 1;
  say(`beside a dead receiver p99 is ${(100 * share).toFixed(1)} % more`);
  return share;
}

async function endpointAt(
  { store, scope }: Ground,
  url: string,
  secret = createWebhookSecret(),
): Promise<string> {
  const endpointId = `whe_${randomBytes(16).toString('hex')}`;
  const secrets = { secrets: [{ secret }], headers: {} };
  const creation = { endpointId, url, types: ['payment_plan.*'], secrets, bodyFingerprint: undefined };
  const made = await store.webhooks.createEndpoint(scope, creation, Date.now());
  assert.ok(made.ok && made.outcome === 'CREATED');
  return endpointId;
}

/** Writes events as changes of plans do, a few in each transaction. */
async function insertEvents({ client, scope }: Ground, first: number, count: number): Promise<void> {
  const filling = 'x'.repeat(2_000);
  for (let from = first; from < first + count; from += 7)
    await client.query(
      `insert into events (organisation_id, environment, event_id, type, subject_type, subject_id, sequence, at, data)
       select $1, $2, 'evt_' || substr(encode(sha256(n::text::bytea), 'hex'), 1, 32), 'payment_plan.updated',
         'payment_plan', 'plan_' || n, 1, now(),
         jsonb_build_object('data', jsonb_build_object('object', jsonb_build_object('number', n, 'filling', $3::text)))
       from generate_series($4::int, $5::int) n`,
      [scope.organisationId, scope.environment, filling, from, Math.min(from + 7, first + count) - 1],
    );
}

/** The sending processes, and how much memory each took over time. */
function createSenders(setting: SenderSetting) {
  type Running = { child: ChildProcess; heaps: number[]; output: () => string };
  const running: Running[] = [];
  return {
    start(own = setting) {
      const { child, output } = launch([process.execPath, '--expose-gc', PROGRAM, JSON.stringify(own)]);
      const heaps: number[] = [];
      child.stdout?.on('data', (bytes: Buffer) => {
        for (const line of bytes.toString().trim().split('\n')) heaps.push(Number(line.split(' ')[0]));
      });
      running.push({ child, heaps, output });
    },
    killOne() {
      running.shift()?.child.kill('SIGKILL');
    },
    /** Memory of processes that ran to the end does not grow with what they have sent. */
    async assertFlat(say: (line: string) => void) {
      const isMeasured = ({ heaps, child, output }: Running) => {
        assert.equal(child.exitCode, null, output());
        return heaps.length >= 10;
      };
      await until('ten looks at the memory', () => running.every(isMeasured));
      for (const { heaps } of running) {
        const [begin, end] = [heaps[4] ?? 0, Math.max(...heaps.slice(-4))];
        say(`heap ${Math.round(begin / 1e6)} MB, later ${Math.round(end / 1e6)} MB`);
        assert.ok(end - begin < MORE_HEAP_BYTES, heaps.join(' '));
      }
    },
    async end() {
      for (const { child } of running.splice(0)) {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
      }
    },
  };
}
