// Anybody can send dust to a settlement address. It costs the nodes little, keeps no deposit waiting and no swap unread.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { toAddress } from '@fairway/engine';
import { type RpcRequest, RpcAnswerError, RpcUnreachableError } from '@fairway/evm';
import { concatHex, encodeFunctionData, erc20Abi, type Hex, multicall3Abi } from 'viem';
import type { ChainRecord } from '../src/platform/record/chain.ts';
import { openRecordBench, type RecordBench, type RecordSetting, SETTLEMENT } from './recordHarness.ts';

let bench: RecordBench;
let record: ChainRecord | undefined;

before(async () => {
  bench = await openRecordBench();
});
after(() => bench?.close());
beforeEach(async () => {
  await bench.pay([toAddress(bench.chain.contracts.multicall3)], 10_000_000n);
});
afterEach(stop);

async function stop(): Promise<void> {
  await record?.close();
  record = undefined;
}

function start(setting?: RecordSetting): void {
  record = bench.start(setting);
}

/** The least that the plans of the bench have to bring is 10, so that less than 1 is no swap. */
const LEAST = 10n;
const TAG = `0x${'7d'.repeat(16)}` as const;
/** The methods that read transactions and not blocks. */
const OF_TRANSACTIONS = [
  ...['eth_getTransactionByHash', 'eth_getTransactionReceipt', 'eth_getBlockReceipts'],
  ...['debug_traceTransaction', 'debug_traceBlockByHash'],
];

/** Answers like the chain's node, counts what it is asked, and may refuse it or hold it up. */
function counting(before: (call: Parameters<RpcRequest>[0]) => Promise<void> | void = () => {}) {
  const asked: { readonly method: string; readonly params: readonly unknown[] }[] = [];
  const request: RpcRequest = async (call) => {
    asked.push({ method: call.method, params: call.params ?? [] });
    await before(call);
    return bench.rpc.request(call);
  };
  const countOf = (methods: readonly string[]) =>
    asked.filter(({ method }) => methods.includes(method)).length;
  return { request, asked, countOf };
}

const call = (amount: bigint, tag: Hex = '0x') =>
  concatHex([
    encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [SETTLEMENT as Hex, amount] }),
    tag,
  ]);

/** A transaction to the settlement address through another contract, so that only a trace tells its tag. */
async function sendThroughContract(amount: bigint, tag: Hex = '0x', from = 1): Promise<Hex> {
  const { chain, token, accounts } = bench;
  const callData = call(amount, tag);
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [[{ target: token, allowFailure: false, callData }]],
  });
  const to = chain.contracts.multicall3;
  return chain.rpc('eth_sendTransaction', [{ from: accounts[from], to, data, gas: '0x20000' }]);
}

/** Mines what `send` sends, with a deposit, in one block. */
async function inOneBlock(deposit: string | undefined, send: () => Promise<void>): Promise<void> {
  const { chain, token, accounts } = bench;
  await chain.rpc('evm_setAutomine', [false]);
  await send();
  if (deposit !== undefined) {
    const args = [deposit as Hex, 1_000n] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
    await chain.rpc('eth_sendTransaction', [{ from: accounts[0], to: token, data, gas: '0x20000' }]);
  }
  await chain.rpc('evm_mine');
  await chain.rpc('evm_setAutomine', [true]);
}

async function times(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < count; index += 1) await work(index);
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 20) {
    if (await holds()) return;
    await sleep(20);
  }
  assert.fail(`it never came to this: ${what}`);
}

const unreadCount = async () => (await bench.query(`select from chain_unread`)).length;
const isDeposited = async (address: string) =>
  (await bench.recorded()).some((place) => place.includes(address));
const readNumber = async () =>
  (await bench.query<{ read: string }>(`select read_number as read from chain_records`))[0]?.read;
const amountsOf = async (tag: Hex) =>
  (
    await bench.query<{ amount: string }>(
      `select amount from chain_transfers where canonical and tag = decode($1, 'hex') order by amount`,
      [tag.slice(2)],
    )
  ).map(({ amount }) => amount);

test('what is too little for any swap costs no request, whatever it goes through', async () => {
  await bench.query(`update least_swaps set least = 1000`);
  const deposit = await bench.watchFresh();
  const { request, countOf } = counting();
  start({ request });
  await bench.recordAtHead();
  await inOneBlock(deposit, async () => {
    await times(20, () => sendThroughContract(99n));
    const data = call(99n);
    await bench.chain.rpc('eth_sendTransaction', [
      { from: bench.accounts[0], to: bench.token, data, gas: '0x20000' },
    ]);
  });
  await bench.recordAtHead();
  assert.deepEqual([await isDeposited(deposit), countOf(OF_TRANSACTIONS)], [true, 0]);
  await bench.query(`update least_swaps set least = 10`);
});

test('a crowded block takes three requests more, and the swap in it is found', async () => {
  const deposit = await bench.watchFresh();
  const { request, countOf, asked } = counting();
  start({ request });
  await bench.recordAtHead();
  await inOneBlock(deposit, async () => {
    await times(60, () => sendThroughContract(1n));
    await sendThroughContract(LEAST, TAG, 2);
  });
  await bench.recordAtHead();
  assert.deepEqual([await isDeposited(deposit), await amountsOf(TAG)], [true, ['10']]);
  assert.equal(countOf(OF_TRANSACTIONS), 2);
  assert.equal(asked.filter(({ params }) => params[1] === true).length, 1);
});

test('no deposit waits for transactions that nobody can read, and blocks go on being read', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { request } = counting(({ method, params }) =>
    OF_TRANSACTIONS.includes(method) || params?.[1] === true ? held : undefined,
  );
  start({ request });
  await bench.recordAtHead();
  const deposit = await bench.watchFresh();
  await inOneBlock(deposit, () => times(12, () => sendThroughContract(LEAST, TAG)));
  await until('the deposit is on record', () => isDeposited(deposit));
  const later = await bench.watchFresh();
  await bench.pay([later], 5n);
  await until('the next deposit is on record', () => isDeposited(later));
  assert.equal(Number(await readNumber()), await bench.headNumber());
  const [state] = await bench.query<{ state: string }>(`select state from chain_records`);
  assert.deepEqual([state?.state, await unreadCount(), await amountsOf(TAG)], ['AT_HEAD', 12, ['10']]);
  release();
  await bench.recordAtHead();
  assert.equal((await amountsOf(TAG)).length, 13);
});

test('where nodes trace no whole blocks, the largest are read first, and none is lost', async () => {
  const tag = `0x${'6d'.repeat(16)}` as const;
  const { request, asked } = counting(({ method }) => {
    if (method === 'debug_traceBlockByHash') throw new RpcAnswerError(-32_601, 'no such method', undefined);
  });
  start({ request });
  await bench.recordAtHead();
  let swap: string | undefined;
  await inOneBlock(undefined, async () => {
    await times(30, () => sendThroughContract(1n));
    swap = await sendThroughContract(500n, tag, 2);
    await times(10, () => sendThroughContract(2n, tag));
  });
  await bench.recordAtHead();
  const traced = asked.flatMap(({ method, params }) =>
    method === 'debug_traceTransaction' ? params[0] : [],
  );
  // Eight are asked for at the same time.
  assert.ok(traced.slice(0, 8).includes(swap), 'the largest is among the first');
  assert.equal(traced.length, 41);
  assert.deepEqual(await amountsOf(tag), [...Array.from({ length: 10 }, () => '2'), '500']);
  assert.equal(asked.filter(({ method }) => method === 'debug_traceBlockByHash').length, 1);
});

test('a reorganisation takes back what was not read yet', async () => {
  const tag = `0x${'5d'.repeat(16)}` as const;
  let isHeld = true;
  const { request } = counting(({ method, params }) => {
    if (isHeld && (OF_TRANSACTIONS.includes(method) || params?.[1] === true))
      throw new RpcUnreachableError('no connection');
  });
  start({ request });
  await bench.recordAtHead();
  await inOneBlock(undefined, () => times(5, () => sendThroughContract(LEAST, tag)));
  await until('the transfers are unread', async () => (await unreadCount()) === 5);
  await bench.reorganise(1);
  await until('they are gone', async () => (await unreadCount()) === 0);
  isHeld = false;
  await bench.mine(1);
  await bench.recordAtHead();
  assert.deepEqual(await amountsOf(tag), []);
});

test('what one process wrote and did not read, the next one reads', async () => {
  const tag = `0x${'4d'.repeat(16)}` as const;
  const refusing = counting(({ method, params }) => {
    if (OF_TRANSACTIONS.includes(method) || params?.[1] === true)
      throw new RpcUnreachableError('no connection');
  });
  start({ request: refusing.request });
  await bench.recordAtHead();
  await inOneBlock(undefined, () => times(6, () => sendThroughContract(LEAST, tag)));
  await until('the transfers are unread', async () => (await unreadCount()) === 6);
  await stop();
  const next = counting();
  start({ request: next.request });
  await bench.recordAtHead();
  assert.equal((await amountsOf(tag)).length, 6);
  // The block was read for the first transaction.
  const byHash = next.asked.filter(
    ({ params }) => (params[0] as { blockHash?: string } | undefined)?.blockHash !== undefined,
  );
  assert.equal(byHash.length, 0);
});

test('after an absence, what was sent meanwhile is found in ranges of blocks', async () => {
  const tag = `0x${'3d'.repeat(16)}` as const;
  start();
  await bench.recordAtHead();
  await stop();
  const deposit = await bench.watchFresh();
  await inOneBlock(deposit, () => times(10, () => sendThroughContract(LEAST, tag)));
  await bench.mine(150);
  const { request, countOf } = counting();
  start({ request });
  await bench.recordAtHead();
  assert.deepEqual([await isDeposited(deposit), (await amountsOf(tag)).length], [true, 10]);
  assert.equal(countOf(OF_TRANSACTIONS), 2);
});

test('a log that the bloom rules out stops no record, and is added when blocks are read again', async () => {
  const deposit = await bench.watchFresh();
  const [template] = await bench.chain.rpc<Record<string, unknown>[]>('eth_getLogs', [
    { fromBlock: '0x0', toBlock: 'latest', address: [bench.token] },
  ]);
  await bench.mine(1);
  const block = await bench.chain.rpc<{ hash: string; number: string }>('eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  const topics = (template?.['topics'] as string[]).with(2, `0x${'00'.repeat(12)}${deposit.slice(2)}`);
  const added = { ...template, topics, blockHash: block.hash, blockNumber: block.number, logIndex: '0x0' };
  const request: RpcRequest = async (asked) => {
    if (asked.method === 'eth_getBlockReceipts')
      throw new RpcAnswerError(-32_601, 'no such method', undefined);
    const answer = await bench.rpc.request(asked);
    if (asked.method !== 'eth_getLogs') return answer;
    const { blockHash, fromBlock, toBlock } = asked.params?.[0] as Record<string, string | undefined>;
    const isIn = Number(fromBlock) <= Number(block.number) && Number(block.number) <= Number(toBlock);
    return blockHash === block.hash || isIn ? [added, ...(answer as object[])] : answer;
  };
  const ruledOut: number[] = [];
  let late = 0;
  start({
    request,
    onRuledOut: (number) => ruledOut.push(number),
    onAddedLate: (count) => {
      late += count;
    },
  });
  await bench.recordAtHead();
  assert.deepEqual([await isDeposited(deposit), ruledOut], [false, [Number(block.number)]]);
  for (let part = 0; part < 9; part += 1) {
    await bench.mine(16);
    await bench.recordAtHead();
  }
  await until('the log is added', () => isDeposited(deposit));
  assert.equal(late, 1);
});

test('while blocks cannot be read, the record is not at the head', async () => {
  let isFailing = false;
  const { request } = counting(({ method }) => {
    if (isFailing && method === 'eth_getLogs') throw new RpcUnreachableError('no connection');
  });
  start({ request });
  await bench.recordAtHead();
  isFailing = true;
  // More than the blocks of ten seconds, which count as being at the head.
  await bench.mine(80);
  const stateNow = async () =>
    (await bench.query<{ state: string }>(`select state from chain_records`))[0]?.state;
  await until('the record is behind', async () => (await stateNow()) === 'CATCHING_UP');
  isFailing = false;
  await bench.recordAtHead();
});
