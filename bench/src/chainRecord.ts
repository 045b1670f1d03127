import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { toAddress } from '@fairway/engine';
import { latestHead } from '@fairway/evm';
import { startTemporaryPostgres } from '@fairway/postgres';
import { startChainRecord } from '@fairway/service';
import { openStore, type RecordStore, type Store } from '@fairway/store';
import { Pool } from 'pg';
import { atMost, type Benchmark, type Progress, type Row } from './benchmark.ts';
import { type RecordNode, recordNode } from './recordNode.ts';
import { percentile, short } from './statistics.ts';
import { collectGarbage } from './timing.ts';

const KEY = { environment: 'sandbox', chainId: 1 } as const;
const TOKEN = `0x${'01'.repeat(20)}`;
const SETTLEMENT = `0x${'03'.repeat(20)}`;
const START_BLOCK = 20_000_000;
const SIZES = [1_000, 10_000, 100_000];
const HEADS = 40;
const HEAD_MS = 250;
/** An hour of blocks of two seconds. */
const MISSED_BLOCKS = 1_800;
const CALLS_TARGET = 4;
const CORE_TARGET = 20;
const CATCH_UP_TARGET_S = 60;
const BLOCK_S = 2;

/**
 * What the record of a chain costs for each head at 1,000, 10,000 and 100,000 watched plans, and how long catching up
 * after an hour takes. The node is in this process; its own time is subtracted.
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
  const rows: Row[] = [];
  let filled = 0;
  for (const size of SIZES) {
    progress(`${size} plans`);
    await fill(pool, made.organisationId, filled, size, node.latest() + 1);
    filled = size;
    rows.push(...(await headRows(store.record, node, size, progress)));
  }
  return [...rows, await catchUpRow(store.record, node, progress)];
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
          revision, status, created_at, updated_at, life_ms, expires_at, watch_from_block)
        select $1, 'sandbox', plan_id, plan_id, '', 'bench', 1, '{}', 'STANDARD', 1000000, '{}', address, '{}', '{}',
          right(plan_id, 30), 1, 'PENDING', now(), now(), 0, now(), $4 from row
      )
      insert into watched_addresses (environment, chain_id, address, organisation_id, plan_id, purpose, source_token,
        target_token, settlement_address, from_block)
      select 'sandbox', 1, address, $1, plan_id, 'DEPOSIT', $5, $5, $6, $4 from row`,
      values,
    );
  }
  await pool.query('analyze');
}

/** Counts the statements of a store, those of the lease aside. */
function counting(store: RecordStore) {
  const counted = { statements: 0 };
  const lease = new Set<PropertyKey>(['takeLease', 'renewLease', 'releaseLease']);
  const proxy = new Proxy(store, {
    get: (target, operation: keyof RecordStore) => {
      if (!lease.has(operation)) counted.statements += 1;
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
      head: () => latestHead(request),
      routers: [],
      configured: { tokens, settlementAddresses, payoutAddresses: [] },
    },
    store,
    key: KEY,
    holder: `bench ${performance.now()}`,
    events: { onAddedLate: () => {}, onIgnored: () => {}, onUntraced: () => {} },
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

async function headRows(
  store: RecordStore,
  node: RecordNode,
  size: number,
  progress: Progress,
): Promise<Row[]> {
  const { counted, proxy } = counting(store);
  collectGarbage();
  const record = startRecord(proxy, node);
  const loadMs = await untilRead(record, node);
  await sleep(1_000);
  progress(`${size} plans: ${HEADS} heads`);
  const before = { statements: counted.statements, calls: node.calls(), busyMs: node.busyMs() };
  const cpuBefore = process.cpuUsage();
  const times: number[] = [];
  for (let head = 0; head < HEADS; head += 1) {
    node.mine(1, (block) => addressOf((block * 7919) % size));
    times.push(await untilRead(record, node));
    await sleep(HEAD_MS);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  await record.close();
  const calls = (node.calls() - before.calls) / HEADS;
  const cpuMs = ((user + system) / 1000 - (node.busyMs() - before.busyMs)) / HEADS;
  const core = cpuMs / (1000 * BLOCK_S);
  const plans = `${size} plans`;
  return [
    {
      what: `${plans}: calls of a node for a head`,
      measured: short(calls),
      note: 'without the look for the head; with the second reading of 64 blocks at a time',
      target: atMost(calls, CALLS_TARGET, 'calls'),
    },
    {
      what: `${plans}: statements for a head`,
      measured: short((counted.statements - before.statements) / HEADS),
      note: `one with new addresses, one with the block and its transfer; beside them one renewal a second`,
    },
    {
      what: `${plans}: time of a head on record`,
      measured: `p95 ${short(percentile(times, 0.95))} ms`,
      note: `p50 ${short(percentile(times, 0.5))} ms; a look for the head each 200 ms; first load ${short(loadMs)} ms`,
    },
    {
      what: `${plans}: CPU for a head`,
      measured: `${short(cpuMs)} ms`,
      note: `this process without the node, with all that it does between heads; ${short(100 * core)} % of a core with blocks of ${BLOCK_S} s`,
      target: atMost(100 * core, CORE_TARGET, '%'),
    },
  ];
}

async function catchUpRow(store: RecordStore, node: RecordNode, progress: Progress): Promise<Row> {
  progress(`catching up with ${MISSED_BLOCKS} blocks`);
  const size = SIZES.at(-1) ?? 1;
  node.mine(MISSED_BLOCKS, (block) => addressOf((block * 7919) % size));
  const { counted, proxy } = counting(store);
  const calls = node.calls();
  const record = startRecord(proxy, node);
  const seconds = (await untilRead(record, node)) / 1000;
  await record.close();
  const figures = `${node.calls() - calls} calls and ${counted.statements} statements`;
  return {
    what: `catching up after an hour, ${size} plans`,
    measured: `${short(seconds)} s`,
    note: `${MISSED_BLOCKS} blocks with a deposit each; ${figures}; the load of the addresses included`,
    target: atMost(seconds, CATCH_UP_TARGET_S, 's'),
  };
}
