import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { toAddress } from '@fairway/engine';
import { latestHead } from '@fairway/evm';
import { startTemporaryPostgres } from '@fairway/postgres';
import { startChainRecord } from '@fairway/service';
import { openStore, type RecordStore, type Store } from '@fairway/store';
import { Pool } from 'pg';
import { atMost, type Benchmark, type Progress, type Row } from './benchmark.ts';
import { familyOf } from './measuring/processFamily.ts';
import { type RecordNode, recordNode } from './recordNode.ts';
import { percentile, short } from './measuring/statistics.ts';
import { collectGarbage } from './measuring/timing.ts';

const KEY = { environment: 'sandbox', chainId: 1 } as const;
const TOKEN = `0x${'01'.repeat(20)}`;
const SETTLEMENT = `0x${'03'.repeat(20)}`;
const START_BLOCK = 20_000_000;
const SIZES = [1_000, 10_000, 100_000];
/** As many as are read a second time at once. So one second reading is among them. */
const HEADS = 64;
const BLOCK_S = 2;
/** An hour of blocks. */
const MISSED_BLOCKS = 3_600 / BLOCK_S;
const CALLS_TARGET = 4;
const CORE_TARGET = 20;
const MISSED_HOUR_TARGET_S = 60;

/**
 * What the record of a chain costs for each head at 1,000, 10,000 and 100,000 watched plans. Also how long catching
 * up after an hour takes. The node is in this process; its own time is subtracted, and that of PostgreSQL added.
 */
export const chainRecord: Benchmark = {
  name: 'chainRecord',
  title: 'The record of a chain',
  run: async (progress) => {
    progress('starting PostgreSQL');
    const cacheDirectory = fileURLToPath(new URL('../../node_modules/.cache/fairway', import.meta.url));
    const postgres = await startTemporaryPostgres({ cacheDirectory, log: () => {} });
    const opened = await openStore({ connection: postgres.connection });
    if (!opened.ok) throw new Error(opened.detail);
    const pool = new Pool({ ...postgres.connection, max: 1 });
    // The end of the pool does not wait for its connections: the database may end first.
    pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
    try {
      return await measure(opened.store, pool, progress);
    } finally {
      await pool.end();
      await opened.store.close();
      await postgres.close();
    }
  },
};

async function measure(store: Store, pool: Pool, progress: Progress): Promise<Row[]> {
  const asked = { organisation: 'Bench', environment: 'sandbox', permissions: [] } as const;
  const made = await store.createCredential(asked);
  if (!made.ok) throw new Error('The organisation cannot be made.');
  const node = recordNode(TOKEN, START_BLOCK);
  node.mine(100, addressOf);
  const bench = { store: store.record, node, progress, databaseCpuMs: await databaseCpu(pool) };
  const rows: Row[] = [];
  let filled = 0;
  for (const size of SIZES) {
    progress(`${size} plans`);
    await fill(pool, made.organisationId, filled, size, node.latest() + 1);
    filled = size;
    rows.push(...(await headRows(bench, size)), await missedHourRow(bench, size));
  }
  return [...rows, await twoReadersRow(bench, filled)];
}

/** What the rows are measured with. `databaseCpuMs`: the CPU time of PostgreSQL until now. */
type Bench = {
  readonly store: RecordStore;
  readonly node: RecordNode;
  readonly progress: Progress;
  readonly databaseCpuMs: () => number;
};

/** The clock of /proc has a hundred ticks a second on every Linux. */
const TICK_MS = 10;

/** Reads what PostgreSQL has used so far: the server, its processes that run, and those that have ended. Linux only. */
async function databaseCpu(pool: Pool): Promise<() => number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const timesOf = (pid: number) => {
    // The name in parentheses may have spaces.
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const [, parent, , , , , , , , , , user, system, endedUser, endedSystem] = fields.split(' ').map(Number);
    return {
      parent: parent ?? 0,
      own: (user ?? 0) + (system ?? 0),
      ended: (endedUser ?? 0) + (endedSystem ?? 0),
    };
  };
  const server = timesOf(rows[0]?.pid ?? 0).parent;
  return () => {
    const ticks = familyOf(server).map((pid) => timesOf(pid).own);
    return TICK_MS * ticks.reduce((sum, own) => sum + own, timesOf(server).ended);
  };
}

/** The deposit address of a plan of this number, or of the plan that is paid in a block. */
function addressOf(number: number): string {
  // Spread over all bits, as addresses are.
  return `0x${(BigInt(number + 1) * 0x9e3779b97f4a7c15f39cc0605cedc8341082276bn).toString(16).padStart(40, '0').slice(-40)}`;
}

/** Makes plans from one number to another by SQL, with their watched addresses. */
async function fill(
  pool: Pool,
  organisationId: string,
  from: number,
  to: number,
  fromBlock: number,
): Promise<void> {
  const STEP = 10_000;
  for (let first = from; first < to; first += STEP) {
    const numbers = Array.from({ length: Math.min(STEP, to - first) }, (_, index) => first + index);
    const values = [organisationId, numbers, numbers.map(addressOf), fromBlock, TOKEN, SETTLEMENT];
    await pool.query(
      `with row as (
        select 'plan_' || lpad(number::text, 32, '0') as plan_id, address
        from unnest($2::int8[], $3::text[]) as each (number, address)
      ), made as (
        insert into plans (organisation_id, environment, plan_id, client_reference, body_fingerprint, corridor_id,
          source_chain_id, corridor, mode, amount_in, recipient, deposit_address, options, metadata, end_to_end_id,
          revision, status, is_unfunded, created_at, updated_at, life_ms, expires_at, watch_from_block)
        select $1, 'sandbox', plan_id, plan_id, '', 'bench', 1, '{}', 'STANDARD', 1000000, '{}', address, '{}', '{}',
          right(plan_id, 30), 1, 'ACTION_REQUIRED', true, now(), now(), 0, now(), $4 from row
      )
      insert into watched_addresses (environment, chain_id, address, organisation_id, plan_id, purpose, source_token,
        target_token, settlement_address, from_block)
      select 'sandbox', 1, address, $1, plan_id, 'DEPOSIT', $5, $5, $6, $4 from row`,
      values,
    );
  }
  await pool.query('analyze');
}

/** Counts the queries of a store, those of the lease aside. */
function counting(store: RecordStore) {
  const counted = { queries: 0 };
  const lease = new Set<PropertyKey>(['takeLease', 'renewLease', 'releaseLease']);
  const proxy = new Proxy(store, {
    get: (target, operation: keyof RecordStore) => {
      if (!lease.has(operation)) counted.queries += 1;
      return target[operation];
    },
  });
  return { counted, proxy };
}

function startRecord(store: RecordStore, node: RecordNode) {
  const [tokens, settlementAddresses] = [[toAddress(TOKEN)], [toAddress(SETTLEMENT)]];
  const { request } = node;
  return startChainRecord({
    chain: {
      chainId: KEY.chainId,
      request,
      newestHead: () => latestHead(request),
      routers: [],
      configured: { tokens, settlementAddresses, payoutAddresses: [] },
    },
    store,
    key: KEY,
    holder: `bench ${performance.now()}`,
    events: { onAddedLate: () => {}, onIgnored: () => {}, onRuledOut: () => {}, onUntraced: () => {} },
    warn(error) {
      throw error;
    },
  });
}

type Record = ReturnType<typeof startRecord>;

/** Waits until the record is at the node's latest block; how long that took. */
async function untilRead(record: Record, node: RecordNode): Promise<number> {
  const startedAt = performance.now();
  while (record.status()?.readNumber !== node.latest()) await sleep(1);
  return performance.now() - startedAt;
}

/** Waits until the record has asked for nothing but heads for a second: what was caught up is read a second time first. */
async function untilQuiet(node: RecordNode): Promise<void> {
  for (let calls = -1; calls !== node.calls(); await sleep(1_000)) calls = node.calls();
}

async function headRows(bench: Bench, size: number): Promise<Row[]> {
  const { node, progress } = bench;
  const { counted, proxy } = counting(bench.store);
  collectGarbage();
  const record = startRecord(proxy, node);
  const loadMs = await untilRead(record, node);
  await untilQuiet(node);
  progress(`${size} plans: ${HEADS} heads, one every ${BLOCK_S} s`);
  const before = { queries: counted.queries, calls: node.calls(), busyMs: node.busyMs() };
  const databaseBeforeMs = bench.databaseCpuMs();
  const cpuBefore = process.cpuUsage();
  const times = await readHeads(record, node, size);
  const { user, system } = process.cpuUsage(cpuBefore);
  const databaseMs = (bench.databaseCpuMs() - databaseBeforeMs) / HEADS;
  await record.close();
  const calls = (node.calls() - before.calls) / HEADS;
  const ownMs = ((user + system) / 1000 - (node.busyMs() - before.busyMs)) / HEADS;
  const core = (ownMs + databaseMs) / (1000 * BLOCK_S);
  const plans = `${size} plans`;
  return [
    {
      what: `${plans}: calls of a node for a head`,
      measured: short(calls),
      note: 'without the look for the head; with one second reading of 64 blocks',
      target: atMost(calls, CALLS_TARGET, 'calls'),
    },
    {
      what: `${plans}: queries for a head`,
      measured: short((counted.queries - before.queries) / HEADS),
      note: `one with new addresses, one with the block and its transfer; beside them one renewal a second`,
    },
    {
      what: `${plans}: time of a head on record`,
      measured: `p95 ${short(percentile(times, 0.95))} ms`,
      note: `p50 ${short(percentile(times, 0.5))} ms; a look for the head each 200 ms; first load ${short(loadMs)} ms`,
    },
    {
      what: `${plans}: CPU for a head`,
      measured: `${short(ownMs + databaseMs)} ms`,
      note: `${short(ownMs)} ms of this process without the node, ${short(databaseMs)} ms of PostgreSQL, with all that both do between heads; ${short(100 * core)} % of a core`,
      target: atMost(100 * core, CORE_TARGET, '%'),
    },
  ];
}

/** Makes a block every two seconds, and waits until each is on record; how long that took. */
async function readHeads(record: Record, node: RecordNode, size: number): Promise<number[]> {
  const times: number[] = [];
  for (let head = 0; head < HEADS; head += 1) {
    const madeAt = performance.now();
    node.mine(1, (block) => addressOf((block * 7919) % size));
    times.push(await untilRead(record, node));
    await sleep(Math.max(0, 1000 * BLOCK_S - (performance.now() - madeAt)));
  }
  return times;
}

async function missedHourRow({ store, node, progress }: Bench, size: number): Promise<Row> {
  progress(`${size} plans: catching up with ${MISSED_BLOCKS} blocks`);
  node.mine(MISSED_BLOCKS, (block) => addressOf((block * 7919) % size));
  const { counted, proxy } = counting(store);
  const calls = node.calls();
  const record = startRecord(proxy, node);
  const seconds = (await untilRead(record, node)) / 1000;
  const figures = `${node.calls() - calls} calls and ${counted.queries} queries`;
  await untilQuiet(node);
  const again = `${node.calls() - calls} and ${counted.queries} with the second reading, which follows`;
  await record.close();
  return {
    what: `${size} plans: catching up after an hour`,
    measured: `${short(seconds)} s`,
    note: `${MISSED_BLOCKS} blocks with a deposit each; ${figures}, ${again}; the load of the addresses included`,
    target: atMost(seconds, MISSED_HOUR_TARGET_S, 's'),
  };
}

/** Two processes read the same chain: one of them does, the other one waits for its lease. */
async function twoReadersRow({ store, node, progress }: Bench, size: number): Promise<Row> {
  progress(`${size} plans: two readers`);
  const { counted, proxy } = counting(store);
  const first = startRecord(proxy, node);
  await untilRead(first, node);
  await untilQuiet(node);
  const second = startRecord(proxy, node);
  await sleep(1_000);
  const before = { queries: counted.queries, calls: node.calls() };
  await readHeads(first, node, size);
  const calls = (node.calls() - before.calls) / HEADS;
  const queries = (counted.queries - before.queries) / HEADS;
  await Promise.all([first.close(), second.close()]);
  return {
    what: `${size} plans, two readers: calls of a node for a head`,
    measured: short(calls),
    note: `of both together, with ${short(queries)} queries`,
    target: atMost(calls, CALLS_TARGET, 'calls'),
  };
}
