// The transfers of a block: all of the tokens, also when a node leaves some out, and none that the block does not
// have.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Address } from '@fairway/engine';
import { readBlockTransfers } from '../src/record/readBlockTransfers.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { latestHead } from '../src/rpc/head.ts';
import { BlockGoneError, NodeNonsenseError, RpcAnswerError } from '../src/rpc/errors.ts';
import type { Head } from '../src/types.ts';
import { startTokenSandbox, type TokenSandbox, transferData } from './tokenSandbox.ts';

const RECEIVERS = ['0xa1', '0xa2', '0xa3'].map((start) => `${start}${'00'.repeat(19)}` as Address);

let sandbox: TokenSandbox;
let usdc: Address;
let usdt: Address;
/** A block with two transfers of USDC and one of USDT, each of its own transaction. */
let block: Head;
let hashes: readonly `0x${string}`[];

before(async () => {
  sandbox = await startTokenSandbox();
  [usdc, usdt] = [sandbox.token('USDC'), sandbox.token('USDT')];
  const [from] = sandbox.accounts;
  assert.ok(from);
  hashes = await sandbox.withoutMining(async () => {
    const posted: `0x${string}`[] = [];
    for (const [index, token] of [usdc, usdt, usdc].entries())
      posted.push(
        await sandbox.post({ from, to: token, data: transferData(RECEIVERS[index] as Address, 5n) }),
      );
    await sandbox.chain.rpc('evm_mine');
    return posted;
  });
  block = await latestHead(sandbox.request);
});
after(() => sandbox?.close());

const readAll = (request: RpcRequest = sandbox.request, tokens: readonly Address[] = [usdc], of = block) =>
  readBlockTransfers(request, of, { tokens });
const read = async (...given: Parameters<typeof readAll>) => (await readAll(...given)).transfers;

/** A node that changes its answers to a method. */
function changing(method: string, change: (answer: unknown) => unknown): RpcRequest {
  return async (call) => {
    const answer = await sandbox.request(call);
    return call.method === method ? change(answer) : answer;
  };
}

const empty = changing('eth_getLogs', () => []);

test('the transfers of the tokens are read, each with its transaction and its place', async () => {
  const transfers = await read();
  assert.deepEqual(
    transfers.map(({ token, from, to, amount, txHash, logIndex }) => [
      token,
      from,
      to,
      amount,
      txHash,
      logIndex,
    ]),
    [
      [usdc, sandbox.accounts[0], RECEIVERS[0], 5n, hashes[0], 0],
      [usdc, sandbox.accounts[0], RECEIVERS[2], 5n, hashes[2], 2],
    ],
  );
  assert.ok(transfers.every((each) => each.blockHash === block.hash && each.blockNumber === block.number));
  assert.equal((await read(sandbox.request, [usdc, usdt])).length, 3);
});

test('an empty answer for a block with transfers is found by the bloom, and nothing is lost', async () => {
  for (const tokens of [[usdc], [usdt], [usdc, usdt]])
    assert.deepEqual(await read(empty, tokens), await read(sandbox.request, tokens));
});

test('a block without transfers of the tokens has none, and no receipts are asked for', async () => {
  await sandbox.chain.rpc('evm_mine');
  const next = await latestHead(sandbox.request);
  const refusing: RpcRequest = (call) => {
    assert.notEqual(call.method, 'eth_getBlockReceipts');
    return sandbox.request(call);
  };
  assert.deepEqual(await read(refusing, [usdc], next), []);
});

test('without tokens there are no transfers, and no node is asked', async () => {
  assert.deepEqual(await read(async () => assert.fail('a node was asked'), []), []);
});

test('a node that ignores the filter adds no transfers of other tokens', async () => {
  const unfiltered: RpcRequest = (call) =>
    sandbox.request(call.method === 'eth_getLogs' ? { ...call, params: [{ blockHash: block.hash }] } : call);
  assert.deepEqual(await read(unfiltered), await read());
});

test('after an empty answer, transactions that the receipts do not prove are refused', async () => {
  const swapped: RpcRequest = async (call) => {
    const answer = await empty(call);
    if (call.method !== 'eth_getBlockByHash') return answer;
    const { transactions, ...rest } = answer as { transactions: string[] };
    return { ...rest, transactions: transactions.toReversed() };
  };
  await assert.rejects(read(swapped, [usdt, usdc]), NodeNonsenseError);
  const elsewhere: RpcRequest = async (call) =>
    call.method === 'eth_getTransactionReceipt' ? null : empty(call);
  await assert.rejects(read(elsewhere), BlockGoneError);
});

test('where nodes offer no receipts, their empty answer stands', async () => {
  const without: RpcRequest = async (call) => {
    if (call.method === 'eth_getBlockReceipts')
      throw new RpcAnswerError(-32_601, 'no such method', undefined);
    return empty(call);
  };
  assert.deepEqual(await read(without), []);
});

test('an invented transfer is replaced by what receipts prove, and without them left out', async () => {
  const invented = changing('eth_getLogs', (logs) =>
    (logs as { topics: string[] }[]).map((log) => ({
      ...log,
      topics: log.topics.with(2, `0x${'00'.repeat(12)}${'be'.repeat(20)}`),
    })),
  );
  assert.deepEqual(await readAll(invented), await readAll());
  const unproven: RpcRequest = async (call) => {
    if (call.method === 'eth_getBlockReceipts')
      throw new RpcAnswerError(-32_601, 'no such method', undefined);
    return invented(call);
  };
  assert.deepEqual(await readAll(unproven), { transfers: [], ruledOut: 2 });
});

test('transfers of another block are refused', async () => {
  const moved = changing('eth_getLogs', (logs) =>
    (logs as object[]).map((log) => ({ ...log, blockNumber: '0x1' })),
  );
  await assert.rejects(read(moved), /another block/);
});

test('logs may be counted anew in each transaction', async () => {
  const anew = changing('eth_getLogs', (logs) =>
    (logs as object[]).map((log) => ({ ...log, logIndex: '0x0' })),
  );
  const found = await read(anew, [usdc, usdt]);
  assert.deepEqual(
    found.map(({ txHash, logIndex }) => [txHash, logIndex]),
    hashes.map((hash) => [hash, 0]),
  );
  const receipts: RpcRequest = async (call) => {
    const answer = await empty(call);
    if (call.method !== 'eth_getTransactionReceipt') return answer;
    const { logs, ...rest } = answer as { logs: object[] };
    return { ...rest, logs: logs.map((log, index) => ({ ...log, logIndex: `0x${index}` })) };
  };
  assert.deepEqual(await read(receipts, [usdc, usdt]), found);
});
