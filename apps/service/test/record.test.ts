// The record of a chain holds what the chain holds. That is so after reorganisations of any depth, absences, and nodes
// that answer nothing, too little or too late.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { toAddress } from '@fairway/engine';
import { NodesDisagreeError, type RpcRequest, RpcAnswerError, RpcUnreachableError } from '@fairway/evm';
import { concatHex, encodeFunctionData, erc20Abi, multicall3Abi } from 'viem';
import type { ChainRecord } from '../src/platform/record/chain.ts';
import { openRecordBench, type RecordBench, type RecordSetting, SETTLEMENT } from './recordHarness.ts';

let bench: RecordBench;
let record: ChainRecord | undefined;

before(async () => {
  bench = await openRecordBench();
});
after(() => bench?.close());
afterEach(stop);

async function stop(): Promise<void> {
  await record?.close();
  record = undefined;
}

function start(setting?: RecordSetting): void {
  record = bench.start(setting);
}

async function assertEqual(count?: number): Promise<void> {
  await bench.recordAtHead();
  const [recorded, onChain] = [await bench.recorded(), await bench.onChain()];
  assert.deepEqual(recorded, onChain);
  if (count !== undefined) assert.equal(recorded.length, count);
}

/** A node whose answers to a method are changed, and that counts how often it was asked for each. */
function changing(method: string, change: (answer: unknown, params: readonly unknown[]) => unknown) {
  const asked = new Map<string, number>();
  const request: RpcRequest = async (call) => {
    asked.set(call.method, (asked.get(call.method) ?? 0) + 1);
    const answer = await bench.rpc.request(call);
    return call.method === method ? change(answer, call.params ?? []) : answer;
  };
  return { request, asked };
}

const transfersTo = async (address: string) =>
  (await bench.recorded()).filter((place) => place.includes(address)).length;

test('a deposit is on record with its block, a transfer to a stranger or to nobody’s plan is not', async () => {
  const address = await bench.watchFresh();
  start();
  await bench.pay([address, bench.freshAddress(), address], 5n);
  await assertEqual();
  assert.equal(await transfersTo(address), 2);
  const rows = await bench.query(`select distinct block_time from chain_transfers`);
  assert.equal(rows.length, 1);
});

test('an empty answer takes nothing back, and hides no deposit', async () => {
  const address = await bench.watchFresh();
  const { request, asked } = changing('eth_getLogs', () => []);
  start({ request });
  await bench.recordAtHead();
  await bench.pay([address], 6n);
  await assertEqual();
  assert.equal(await transfersTo(address), 1);
  assert.ok(asked.get('eth_getBlockReceipts'));
  await bench.mine(3);
  await assertEqual();
  assert.equal(await transfersTo(address), 1);
});

test('a plan that is made when its block was read already is matched at no request', async () => {
  const { request, asked } = changing('eth_getLogs', (answer) => answer);
  start({ request });
  await bench.recordAtHead();
  const from = (await bench.headNumber()) + 1;
  const address = bench.freshAddress();
  await bench.pay([address], 7n);
  await bench.recordAtHead();
  await bench.watchFresh(from, address);
  const before = asked.get('eth_getLogs');
  await bench.mine(1);
  await assertEqual();
  assert.equal(await transfersTo(address), 1);
  // The only request is for the new block.
  assert.equal(asked.get('eth_getLogs'), (before ?? 0) + 1);
});

test('a plan whose block was read before a new reader came is matched from the chain', async () => {
  start();
  await bench.recordAtHead();
  const from = (await bench.headNumber()) + 1;
  const address = bench.freshAddress();
  await bench.pay([address], 8n);
  await bench.mine(2);
  await bench.recordAtHead();
  await stop();
  await bench.watchFresh(from, address);
  start();
  await assertEqual();
  assert.equal(await transfersTo(address), 1);
});

test('a reorganisation during an absence of more than 64 blocks is found', async () => {
  const [kept, lost] = [await bench.watchFresh(), await bench.watchFresh()];
  start();
  await bench.pay([kept], 1n);
  await bench.recordAtHead();
  await bench.pay([lost], 2n);
  await bench.mine(5);
  await assertEqual();
  assert.equal(await transfersTo(lost), 1);
  await stop();
  await bench.reorganise(6);
  await bench.mine(70);
  const late = await bench.watchFresh();
  await bench.pay([late], 3n);
  await bench.mine(70);
  start();
  await assertEqual();
  assert.deepEqual([await transfersTo(kept), await transfersTo(lost), await transfersTo(late)], [1, 0, 1]);
});

test('a reorganisation of more than 64 blocks under a running reader is found', async () => {
  const address = await bench.watchFresh();
  start();
  await bench.pay([address], 2n);
  await bench.recordAtHead();
  for (let part = 0; part < 4; part += 1) {
    await bench.mine(17);
    await bench.recordAtHead();
  }
  assert.equal(await transfersTo(address), 1);
  await bench.reorganise(69);
  await bench.mine(1);
  await assertEqual();
  assert.equal(await transfersTo(address), 0);
});

test('nodes that are behind take nothing back', async () => {
  const address = await bench.watchFresh();
  const behind = await bench.rpc.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  let isBehind = false;
  const { request } = changing('eth_getBlockByNumber', (answer, [block]) =>
    isBehind && block === 'latest' ? behind : answer,
  );
  start({ request });
  await bench.pay([address], 4n);
  await assertEqual();
  const read = record?.status()?.readNumber;
  isBehind = true;
  await sleep(600);
  assert.equal(record?.status()?.readNumber, read);
  assert.equal(await transfersTo(address), 1);
  await bench.pay([address], 4n);
  isBehind = false;
  await assertEqual();
  assert.equal(await transfersTo(address), 2);
});

test('after an absence, ranges that a node refuses are read in parts', async () => {
  const address = await bench.watchFresh();
  start();
  await bench.recordAtHead();
  await stop();
  await bench.pay([address], 1n);
  await bench.mine(60);
  await bench.pay([address], 1n);
  await bench.mine(90);
  const widths: number[] = [];
  const refusing: RpcRequest = async (call) => {
    const [filter] = (call.params ?? []) as { fromBlock?: string; toBlock?: string }[];
    if (call.method === 'eth_getLogs' && filter?.fromBlock !== undefined) {
      const width = Number(filter.toBlock) - Number(filter.fromBlock) + 1;
      widths.push(width);
      if (width > 10) throw new RpcAnswerError(-32_005, 'at most 10 blocks', undefined);
    }
    return bench.rpc.request(call);
  };
  start({ request: refusing });
  await assertEqual();
  assert.equal(await transfersTo(address), 2);
  const [wide, few] = [widths.filter((width) => width > 10), widths.filter((width) => width <= 10)];
  assert.ok(few.length >= 9 && wide.length < few.length, `${wide.length} refused, ${few.length} answered`);
});

test('a transfer that a node left out of its logs is added when the blocks are read again', async () => {
  const address = await bench.watchFresh();
  let late = 0;
  const { request } = changing('eth_getLogs', (answer, [filter]) =>
    'blockHash' in (filter as object) ? (answer as unknown[]).slice(0, 1) : answer,
  );
  start({ request, onAddedLate: (count) => (late += count) });
  await bench.recordAtHead();
  await bench.pay([bench.freshAddress(), address], 9n);
  await bench.recordAtHead();
  assert.equal(await transfersTo(address), 0);
  for (let part = 0; part < 9; part += 1) {
    await bench.mine(16);
    await bench.recordAtHead();
  }
  for (let waitedMs = 0; late === 0 && waitedMs < 5_000; waitedMs += 50) await sleep(50);
  assert.equal(late, 1);
  await assertEqual();
  assert.equal(await transfersTo(address), 1);
});

test('a transfer to a settlement address is on record where a tag says whose it is', async () => {
  start();
  await bench.recordAtHead();
  const tag = `0x${'7a'.repeat(16)}` as const;
  await bench.pay([SETTLEMENT], 11n, tag);
  await bench.pay([SETTLEMENT], 12n);
  await bench.recordAtHead();
  const rows = await bench.query(
    `select amount, encode(tag, 'hex') as tag from chain_transfers
    where to_address = $1`,
    [SETTLEMENT],
  );
  assert.deepEqual(rows, [{ amount: '11', tag: '7a'.repeat(16) }]);
});

/** Pays the settlement address through a contract, so that only a trace tells whose instructions that were. */
async function payThroughContract(tag: `0x${string}`): Promise<void> {
  const { chain, token, accounts } = bench;
  const to = chain.contracts.multicall3;
  await bench.pay([toAddress(to)], 5n);
  const transfer = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [SETTLEMENT as `0x${string}`, 5n],
  });
  const calls = [
    { target: token as `0x${string}`, allowFailure: false, callData: concatHex([transfer, tag]) },
  ];
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  await chain.rpc('eth_sendTransaction', [{ from: accounts[2], to, data, gas: '0x100000' }]);
  await bench.mine(1);
}

async function settledWith(tag: string): Promise<{ untraced: boolean }[]> {
  return bench.query(
    `select untraced from chain_transfers where to_address = $1 and (untraced or encode(tag, 'hex') = $2)
     and block_number > (select max(block_number) - 20 from chain_transfers)`,
    [SETTLEMENT, tag.slice(2)],
  );
}

test('a transaction that cannot be traced stops no record, and is read again later', async () => {
  let isFailing = true;
  const untraced: string[] = [];
  const { request, asked } = changing('debug_traceTransaction', (answer) => {
    if (isFailing) throw new NodesDisagreeError('debug_traceTransaction', []);
    return answer;
  });
  start({ request, onUntraced: (txHash) => untraced.push(txHash) });
  await bench.recordAtHead();
  const tag = `0x${'7b'.repeat(16)}` as const;
  const address = await bench.watchFresh();
  await payThroughContract(tag);
  await bench.pay([address], 5n);
  await assertEqual();
  assert.deepEqual([await transfersTo(address), untraced.length], [1, 1]);
  assert.equal(asked.get('debug_traceTransaction'), 3);
  assert.deepEqual(await settledWith(tag), [{ untraced: true }]);
  isFailing = false;
  for (let part = 0; part < 9; part += 1) {
    await bench.mine(16);
    await bench.recordAtHead();
  }
  for (let tries = 0; tries < 2_000 && (await settledWith(tag))[0]?.untraced !== false; tries += 1)
    await sleep(50);
  assert.deepEqual(await settledWith(tag), [{ untraced: false }]);
});

test('while no node answers anything, no transaction counts as untraceable', async () => {
  const untraced: string[] = [];
  const tag = `0x${'7c'.repeat(16)}` as const;
  // The first trace begins an outage of all that is asked, for more rounds than a transaction is tried.
  let left: number | undefined;
  const request: RpcRequest = async (call) => {
    if (call.method === 'debug_traceTransaction') left ??= 5;
    if (left === undefined || left === 0) return bench.rpc.request(call);
    if (call.method === 'eth_getTransactionByHash') left -= 1;
    throw new RpcUnreachableError('no connection');
  };
  start({ request, onUntraced: (txHash) => untraced.push(txHash) });
  await bench.recordAtHead();
  await payThroughContract(tag);
  await bench.recordAtHead();
  assert.deepEqual([untraced, await settledWith(tag)], [[], [{ untraced: false }]]);
});

test('nodes of another chain change nothing on record', async () => {
  start();
  await bench.recordAtHead();
  await stop();
  const before = await bench.recorded();
  start({ request: changing('eth_chainId', () => '0x1').request });
  await sleep(1_500);
  assert.equal(record?.status(), undefined);
  assert.deepEqual(await bench.recorded(), before);
});

test('of two processes one reads the chain, and the other takes over when it stops', async () => {
  const [first, second] = [changing('none', () => 0), changing('none', () => 0)];
  start({ request: first.request });
  await bench.recordAtHead();
  const other = bench.start({ request: second.request });
  const address = await bench.watchFresh();
  await bench.pay([address], 3n);
  await assertEqual();
  await sleep(1_200);
  assert.equal(second.asked.size, 0);
  assert.equal(other.status(), undefined);
  await stop();
  await bench.pay([address], 3n);
  await assertEqual();
  assert.equal(await transfersTo(address), 2);
  assert.notEqual(other.status(), undefined);
  await other.close();
});

test('a transfer to a wallet that is to be paid is on record if it is from a payout address', async () => {
  const address = await bench.watchFresh();
  await bench.query(`update watched_addresses set purpose = 'BENEFICIARY' where address = $1`, [address]);
  start();
  await bench.pay([address], 21n);
  await bench.pay([bench.accounts[3] ?? address], 100n);
  await bench.pay([address], 22n, '0x', bench.accounts[3]);
  await bench.recordAtHead();
  const rows = await bench.query(`select amount from chain_transfers where to_address = $1`, [address]);
  assert.deepEqual(rows, [{ amount: '21' }]);
});

test('after a marked restore the chain is read again, and what the record had lost is added', async () => {
  const tag = `0x${'5c'.repeat(16)}` as const;
  start();
  await bench.pay([SETTLEMENT], 13n, tag);
  await bench.recordAtHead();
  const text = `select amount::text as amount from chain_transfers where encode(tag, 'hex') = $1`;
  const known = () => bench.query<{ amount: string }>(text, [tag.slice(2)]);
  assert.deepEqual(await known(), [{ amount: '13' }]);
  await bench.query(`delete from chain_transfers where encode(tag, 'hex') = $1`, [tag.slice(2)]);
  const since = Date.now() - 3_600_000;
  const marked = await bench.store.operator.recover(since);
  assert.ok(marked.isNew && marked.chains.length === 1);
  await bench.recordAtHead();
  assert.deepEqual(await known(), [{ amount: '13' }]);
  const again = await bench.store.operator.recover(since);
  assert.ok(!again.isNew);
  assert.equal(again.epoch, marked.epoch);
  const next = await bench.store.operator.recover(since + 1);
  assert.ok(next.epoch > marked.epoch);
  await bench.recordAtHead();
});
