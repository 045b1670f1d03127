import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  encodeSnapshot,
  type Follower,
  type FollowerEvent,
  type SnapshotStore,
  startFollower,
} from '@fairway/evm';
import { snapshotFile } from '@fairway/service';
import { atMost, type Benchmark, type Progress, type Row } from './benchmark.ts';
import { CHAIN_ID, type InProcessNode, inProcessNode, MULTICALL3 } from './inProcessNode.ts';
import { FACTORIES, type LargeMarket, largeMarket } from './largeMarket.ts';
import { blockLogs } from './blockLogs.ts';
import { createNumbers } from './measuring/numbers.ts';
import { median, percentile, short } from './measuring/statistics.ts';
import { collectGarbage } from './measuring/timing.ts';

const SEED = 42;
const POOLS = 20_000;
const BLOCK = 20_000_000n;
const ROUNDS = 5;
const MISSED_BLOCKS = 50;
const CHANGED_POOLS = 50;
/** How many logs of the same events are from contracts that are not followed. */
const STRANGERS = 350;
const HEADS = 60;
const SAMPLE = 64;
const SETTLING_ROUNDS = 6;
const START_TARGET_S = 2;
const HEAD_TARGET_MS = 5;
const POOL_TARGET_BYTES = 4000;
const TICK_TARGET_BYTES = 64;

/**
 * What a market of 20,000 pools costs: to save it, to start from the saved one, to keep it in memory, and to follow
 * it.
 */
export const snapshotStart: Benchmark = {
  name: 'snapshot',
  title: 'A market of 20,000 pools',
  run: async (progress) => {
    const folder = mkdtempSync(join(tmpdir(), 'fairway-bench-'));
    try {
      return [
        ...(await mixedRows(folder, progress)),
        await memoryRow(folder, progress, 'V2 pool', largeMarket(POOLS, 0, SEED)),
        await memoryRow(folder, progress, 'V3 tick', largeMarket(0, POOLS / 2, SEED)),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function mixedRows(folder: string, progress: Progress): Promise<Row[]> {
  progress(`a market of ${POOLS} pools`);
  const market = largeMarket(POOLS / 2, POOLS / 2, SEED);
  const path = join(folder, 'mixed.snapshot');
  const saves: Timed[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`saving, ${round + 1} of ${ROUNDS}`);
    saves.push(await timedSave(snapshotFile(path), market));
  }
  const starts: Timed[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`starting, ${round + 1} of ${ROUNDS}`);
    const { follower, ...times } = await timedStart(snapshotFile(path), market);
    starts.push(times);
    await follower.close();
  }
  progress('following');
  const heads = await timedHeads(snapshotFile(path), market);
  const startS = median(starts.map(({ ms }) => ms)) / 1000;
  const headMs = percentile(
    heads.map(({ ms }) => ms),
    0.95,
  );
  const share = Math.round((100 * market.meetingCount) / market.tickCount);
  const megabytes = short(statSync(path).size / 1e6);
  return [
    {
      what: 'save: encode, write, fsync, rename',
      measured: `${short(median(saves.map(({ ms }) => ms)))} ms`,
      note: `${spread(saves)}; ${megabytes} MB for ${market.tickCount} ticks, ${share} % of them with overlap`,
    },
    {
      what: 'longest pause for other work during a save',
      measured: `${short(median(saves.map(({ longestMs }) => longestMs)))} ms`,
      note: `median of ${ROUNDS}, at most ${short(Math.max(...saves.map(({ longestMs }) => longestMs)))} ms`,
    },
    {
      what: 'start: read, verify, index, replay, compare',
      measured: `${short(startS)} s`,
      note: `${spread(starts)}; ${MISSED_BLOCKS} blocks replayed, ${SAMPLE} pools and ${market.tokens.length} tokens read; without the node's own work`,
      target: atMost(startS, START_TARGET_S, 's'),
    },
    {
      what: `a head that changes ${CHANGED_POOLS} pools`,
      measured: `p95 ${short(headMs)} ms`,
      note: `pushed to market; ${spread(heads)}; ${STRANGERS} logs of other contracts in each`,
      target: atMost(headMs, HEAD_TARGET_MS, 'ms'),
    },
  ];
}

/** The spread of some times, and their processor time, which hardly depends on how busy the machine is. */
function spread(times: readonly Pick<Timed, 'ms' | 'cpuMs'>[]): string {
  const passed = times.map(({ ms }) => ms);
  const [least, middle, most] = [Math.min(...passed), median(passed), Math.max(...passed)].map(short);
  return `${least} to ${most} ms, p50 ${middle} ms of ${times.length}, CPU ${short(median(times.map(({ cpuMs }) => cpuMs)))} ms`;
}

function contentOf(market: LargeMarket, node: Pick<InProcessNode, 'blockHash'>) {
  const { tokens, pools } = market;
  const origin = { chainId: CHAIN_ID, factories: FACTORIES, blockNumber: BLOCK };
  return { ...origin, blockHash: node.blockHash(BLOCK), isWhole: true, tokens, pools };
}

async function timedSave(store: SnapshotStore, market: LargeMarket) {
  const node = inProcessNode(market, BLOCK);
  collectGarbage();
  return timed(() => store.save(encodeSnapshot(contentOf(market, node))));
}

type Timed = { readonly ms: number; readonly cpuMs: number; readonly longestMs: number };

/** Measures the time and the processor time of some work, and the longest time in which nothing else could run. */
async function timed(work: () => Promise<void>): Promise<Timed> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await sleep(5);
  delay.reset();
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const ms = performance.now() - startedAt;
  const cpuMs = cpuSince(cpuBefore);
  await sleep(5);
  delay.disable();
  return { ms, cpuMs, longestMs: delay.max / 1e6 };
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

type Start = Timed & {
  readonly follower: Follower;
  readonly node: InProcessNode;
  readonly onHead: { call?: () => void };
};

/** Starts a follower from a snapshot that is some blocks old. The node's own time is subtracted. */
async function timedStart(store: SnapshotStore, market: LargeMarket): Promise<Start> {
  const node = inProcessNode(market, BLOCK);
  // The node's pools never change, so the replayed blocks set pools to their current state.
  for (let block = 0; block < MISSED_BLOCKS; block += 1)
    node.mine(blockLogs(market, createNumbers(block), CHANGED_POOLS, STRANGERS, 'UNCHANGED'));
  collectGarbage();
  const onHead: { call?: () => void } = {};
  let started: ReturnType<typeof startFollower> | undefined;
  const time = await timed(async () => {
    started = startFollower({
      rpc: node,
      chainId: CHAIN_ID,
      multicall3: MULTICALL3,
      spender: MULTICALL3,
      factories: FACTORIES,
      tokens: market.tokens,
      staleAfterMs: 60_000,
      pollIntervalMs: 60_000,
      nowMs: Date.now,
      monotonicMs: () => performance.now(),
      snapshot: {
        // Saving is measured separately.
        store: { read: () => store.read(), save: async () => {} },
        confirmations: 12,
        saveIntervalMs: 600_000,
        sampleSize: SAMPLE,
      },
      onEvent: (event) => onEvent(event, onHead),
    });
    await started.synced;
  });
  if (started === undefined) throw new Error('The follower did not start');
  return { ...time, ms: time.ms - node.busyMs(), follower: started, node, onHead };
}

function onEvent(event: FollowerEvent, onHead: { call?: () => void }): void {
  if (event.type === 'HEAD') onHead.call?.();
  if (event.type === 'SNAPSHOT_DISCARDED' || event.type === 'FAILED') throw new Error(event.detail);
}

async function timedHeads(store: SnapshotStore, market: LargeMarket) {
  const { follower, node, onHead } = await timedStart(store, market);
  // The first poll subscribes.
  await sleep(20);
  const times: { ms: number; cpuMs: number }[] = [];
  for (let head = 0; head < HEADS; head += 1) {
    const logs = blockLogs(market, createNumbers(1000 + head), CHANGED_POOLS, STRANGERS, 'TRADED');
    const arrived = new Promise<void>((resolve) => {
      onHead.call = resolve;
    });
    const cpuBefore = process.cpuUsage();
    const pushedAt = performance.now();
    node.mine(logs);
    await arrived;
    times.push({ ms: performance.now() - pushedAt, cpuMs: cpuSince(cpuBefore) });
    await sleep(2);
  }
  await follower.close();
  return times;
}

/** The memory that a follower with a market keeps, tokens included, per pool and per tick. */
async function memoryRow(
  folder: string,
  progress: Progress,
  unit: 'V2 pool' | 'V3 tick',
  market: LargeMarket,
): Promise<Row> {
  progress(`memory of a ${unit}`);
  const path = join(folder, 'memory.snapshot');
  await timedSave(snapshotFile(path), market);
  const before = await retainedBytes();
  const { follower } = await timedStart(snapshotFile(path), market);
  const retained = (await retainedBytes()) - before;
  await follower.close();
  const { pools, tickCount } = market;
  const isPool = unit === 'V2 pool';
  const bytes = retained / (isPool ? pools.length : tickCount);
  const perPool = isPool ? '' : `, ${Math.round(retained / pools.length)} B for a pool with its ticks`;
  return {
    what: `memory of a ${unit}`,
    measured: `${Math.round(bytes)} B`,
    note: `${short(retained / 1e6)} MB for ${pools.length} pools${isPool ? '' : ` with ${tickCount} ticks`}${perPool}`,
    target: atMost(bytes, isPool ? POOL_TARGET_BYTES : TICK_TARGET_BYTES, 'B'),
  };
}

/** The memory after garbage collection. It waits, because buffers are freed in another thread some time later. */
async function retainedBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < SETTLING_ROUNDS; round += 1) {
    collectGarbage();
    await sleep(50);
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    least = Math.min(least, heapUsed + arrayBuffers);
  }
  return least;
}
