// After any mix of payments, reorganisations, false answers, errors and kills, the record holds what the chain holds.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from '@fairway/engine';
import { RpcAnswerError, type RpcRequest, RpcUnreachableError } from '@fairway/evm';
import type { RecordStore } from '@fairway/store';
import { createRandom } from '@fairway/testing';
import { scale } from '@fairway/testing/properties';
import { openRecordBench } from './recordHarness.ts';

const OPERATIONS = 10 * scale;
const random = createRandom();
const name = `after ${OPERATIONS} random operations the record equals the chain (FC_SEED=${random.seed})`;

const bench = await openRecordBench();
after(() => {
  // The killed processes may end now, too.
  dead.reject(new Error('this process was killed'));
  return bench?.close();
});

/** What a process that was killed waits for. */
const dead = Promise.withResolvers<never>();
dead.promise.catch(() => undefined);

/** The faults that happen; none after `areOn` is false. */
const faults = { areOn: true, counts: new Map<string, number>() };

function happens(fault: string, oneIn: number): boolean {
  if (!faults.areOn || random.integer(1, oneIn) > 1) return false;
  faults.counts.set(fault, (faults.counts.get(fault) ?? 0) + 1);
  return true;
}

/** Blocks from which something was left out once. If a node left it out every time, nobody could notice. */
const curtailed = new Set<number>();

/** A node that is late, empty, behind, or refuses, now and then. */
function faultyRequest(): RpcRequest {
  let former: unknown;
  return async (call) => {
    if (happens('unreachable', 40)) throw new RpcUnreachableError('timed out');
    if (happens('late', 60)) await sleep(random.integer(50, 400));
    const answer = await bench.rpc.request(call);
    const [first] = call.params ?? [];
    if (call.method === 'eth_getBlockByNumber' && first === 'latest') {
      const behind = former;
      if (behind === undefined || random.integer(1, 3) === 1) former = answer;
      return behind !== undefined && happens('behind', 8) ? behind : answer;
    }
    return call.method === 'eth_getLogs' ? faultyLogs(answer as unknown[], first as Filter) : answer;
  };
}

type Filter = { readonly blockHash?: string; readonly fromBlock: string; readonly toBlock: string };

async function faultyLogs(
  logs: readonly unknown[],
  { blockHash, fromBlock, toBlock }: Filter,
): Promise<unknown> {
  if (happens('refused', 6)) throw new RpcAnswerError(-32_005, 'too many', undefined);
  if (blockHash !== undefined) {
    if (happens('empty', 2)) return [];
    const number = Number((logs[0] as { blockNumber?: string } | undefined)?.blockNumber ?? Number.NaN);
    if (logs.length < 2 || curtailed.has(number) || !happens('curtailed', 2)) return logs;
    curtailed.add(number);
    return logs.slice(1);
  }
  const numbers = Array.from(
    { length: Number(toBlock) - Number(fromBlock) + 1 },
    (_, index) => Number(fromBlock) + index,
  );
  if (numbers.length > 40) throw new RpcAnswerError(-32_005, 'at most 40 blocks', undefined);
  if (logs.length === 0 || numbers.some((number) => curtailed.has(number)) || !happens('empty range', 2))
    return logs;
  for (const number of numbers) curtailed.add(number);
  return [];
}

/** A process that can be killed: from then on it neither asks nor writes anything. */
function startKillable(): { kill(): Promise<void> } {
  let isDead = false;
  const request = faultyRequest();
  const store = new Proxy(bench.store.record, {
    get: (target, operation: keyof RecordStore) => (isDead ? () => dead.promise : target[operation]),
  });
  bench.start({ store, request: (call) => (isDead ? dead.promise : request(call)) });
  return {
    async kill() {
      isDead = true;
      await bench.endLease();
    },
  };
}

const addresses: Address[] = [];
const receivers = () =>
  Array.from({ length: random.integer(1, 4) }, () =>
    random.integer(1, 3) === 1 ? bench.freshAddress() : random.pick(addresses),
  );

async function disturb(): Promise<void> {
  switch (random.integer(1, 4)) {
    case 1:
      return bench.reorganise(random.integer(1, 5));
    case 2: {
      const depth = random.integer(1, 5);
      await bench.chain.rpc('anvil_rollback', [depth]);
      // The chain is longer again before it ends: a shorter one looks like a node that is behind.
      return bench.mine(depth + 2);
    }
    case 3:
      return bench.mine(random.integer(1, 12));
    default:
      return bench.mine(random.integer(1, 4));
  }
}

/** Lets the reader come to the head, if its faults do not keep it from that. */
async function readForAWhile(): Promise<void> {
  const { hash } = await bench.chain.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
  for (let waitedMs = 0; waitedMs < 2_000; waitedMs += 20) {
    const rows = await bench.query(`select from chain_records where read_hash = $1`, [hash]);
    if (rows.length > 0) return;
    await sleep(20);
  }
}

test(name, async () => {
  await bench.mine(90);
  let reader = startKillable();
  let waiting = startKillable();
  addresses.push(await bench.watchFresh());
  const deepest = random.integer(1, OPERATIONS / 3);
  for (let operation = 1; operation <= OPERATIONS; operation += 1) {
    // One reorganisation is deeper than anything that a reader remembers.
    if (operation === deepest) await bench.reorganise(70);
    const dice = random.integer(1, 12);
    if (dice <= 7) await bench.pay(receivers(), BigInt(random.integer(1, 1_000)));
    else if (dice <= 8) addresses.push(await bench.watchFresh());
    else if (dice <= 11 || operation % 3 > 0) await disturb();
    else {
      // One of the two is killed, whether it reads or waits, and another one starts.
      await reader.kill();
      faults.counts.set('killed', (faults.counts.get('killed') ?? 0) + 1);
      [reader, waiting] = [waiting, startKillable()];
    }
    if (random.integer(1, 3) > 1) await readForAWhile();
  }
  faults.areOn = false;
  // Reorganisations may have taken back any payment until here. These payments certainly remain.
  for (let payment = 1; payment <= 4; payment += 1) await bench.pay(addresses.slice(0, 1), BigInt(payment));
  const last = await bench.headNumber();
  await bench.mine(140);
  await bench.recordAtHead();
  // The test waits until all blocks were read a second time.
  for (let waitedMs = 0; waitedMs < 20_000; waitedMs += 50) {
    const rows = await bench.query<{
      verified_number: bigint;
    }>(`select verified_number from chain_records`);
    if (Number(rows[0]?.verified_number) >= last) break;
    await sleep(50);
  }
  const [recorded, onChain] = [await bench.recorded(), await bench.onChain()];
  console.log(`${onChain.length} transfers; ${[...faults.counts].map((each) => each.join(' ')).join(', ')}`);
  assert.deepEqual(recorded, onChain);
  assert.ok(onChain.length >= 4, 'what was paid last stays');
});

test('the hash of every block with a canonical transfer is on record: its loss would be found', async () => {
  const rows = await bench.query(`select t.block_number from chain_transfers t
    where t.canonical and not exists (select from chain_blocks b where b.number = t.block_number
      and b.hash = t.block_hash)`);
  assert.deepEqual(rows, []);
});
