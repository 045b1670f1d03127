import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRandom, createTraffic, startTestChain, type TestChain } from '@fairway/testing';
import type { NodesEvent } from '../src/agreement/agreedRequest.ts';
import { createAgreedRpc } from '../src/agreement/agreedRpc.ts';
import { FOLLOWED_TOPICS } from '../src/pools/poolEvents.ts';
import { type BlockLogs, readBlockLogs as readLogs } from '../src/rpc/blockLogs.ts';
import { type ChainRpc, createChainRpc } from '../src/rpc/chainRpc.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { headByHash, headByNumber } from '../src/rpc/head.ts';
import { NodeNonsenseError, RpcAnswerError } from '../src/rpc/errors.ts';
import type { Head } from '../src/types.ts';

// What a single lying node can say about the logs of a block without contradicting the block's hash.

type Log = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: string;
};

/** The logs of pools. */
async function readBlockLogs(request: RpcRequest, head: Head): Promise<BlockLogs['logs']> {
  return (await readLogs(request, head, { topics: FOLLOWED_TOPICS })).logs;
}

let chain: TestChain;
let rpc: ChainRpc;
let block: Head;
let logs: readonly Log[];
let empty: Head;

before(async () => {
  chain = await startTestChain();
  rpc = createChainRpc([chain.rpcUrl], 5000);
  const traffic = await createTraffic(chain, createRandom());
  for (;;) {
    assert.ok(await traffic.trade().then(() => true));
    const number = BigInt(await chain.rpc<string>('eth_blockNumber'));
    const head = await headByNumber(rpc.request, number);
    if (head === undefined) continue;
    const found = (await readBlockLogs(rpc.request, head)) as readonly Log[];
    if (found.length < 2) continue;
    [block, logs] = [head, found];
    break;
  }
  await chain.rpc('anvil_mine', ['0x1']);
  const last = await headByNumber(rpc.request, block.number + 1n);
  assert.ok(last);
  empty = last;
});
after(async () => {
  rpc?.close();
  await chain?.close();
});

/** The chain's node, which answers a request for logs with something else. */
function nodeThatSends(lie: unknown, receipts?: (answer: unknown) => unknown): RpcRequest {
  return async (call) => {
    if (call.method === 'eth_getLogs') return lie;
    const answer = await rpc.request(call);
    return call.method === 'eth_getBlockReceipts' && receipts !== undefined ? receipts(answer) : answer;
  };
}

test('a block without logs of pools has none, and its bloom proves it', async () => {
  const refusing: RpcRequest = (call) => {
    assert.notEqual(call.method, 'eth_getBlockReceipts');
    return rpc.request(call);
  };
  assert.deepEqual(await readBlockLogs(refusing, empty), []);
});

test('logs that the bloom of the block rules out are replaced by those of the receipts', async () => {
  const invented = nodeThatSends([{ ...logs[0], blockHash: empty.hash }]);
  assert.deepEqual(await readBlockLogs(invented, empty), []);
  const elsewhere = { ...logs[1], address: `0x${'ab'.repeat(20)}` };
  const found = await readBlockLogs(nodeThatSends([logs[0], elsewhere]), block);
  assert.deepEqual(
    found.map(({ address, data }) => [address, data]),
    logs.map(({ address, data }) => [address, data]),
  );
});

test('without receipts, logs that the bloom rules out are left out and counted', async () => {
  const elsewhere = { ...logs[1], address: `0x${'ab'.repeat(20)}` };
  const lying = nodeThatSends([logs[0], elsewhere], () => []);
  const { logs: found, ruledOut } = await readLogs(lying, block, { topics: FOLLOWED_TOPICS });
  assert.deepEqual([found, ruledOut], [[logs[0]], 1]);
});

test('logs may be counted anew in each transaction', async () => {
  const at = (transactionIndex: string, logIndex: string) => ({ ...logs[0], transactionIndex, logIndex });
  const anew = [at('0x1', '0x0'), at('0x1', '0x1'), at('0x2', '0x0')];
  assert.equal((await readBlockLogs(nodeThatSends(anew), block)).length, 3);
  for (const twice of [[...anew, at('0x2', '0x0')], anew.toReversed()])
    await assert.rejects(readBlockLogs(nodeThatSends(twice), block), /twice or out of order/);
});

test('logs that come twice, out of order or from another block are refused', async () => {
  const [first, second] = logs;
  const lies = [[first, first], [second, first], [{ ...first, blockHash: empty.hash }]];
  for (const lie of lies)
    await assert.rejects(readBlockLogs(nodeThatSends(lie), block), /another block, twice or out of order/);
});

test('an empty answer that the bloom does not explain is replaced by the logs of the receipts', async () => {
  const found = await readBlockLogs(nodeThatSends([]), block);
  assert.deepEqual(
    found.map(({ address, data }) => [address, data]),
    logs.map(({ address, data }) => [address, data]),
  );
});

test('receipts that are not the block’s, or that a node does not offer, change nothing', async () => {
  const changed = nodeThatSends([], (receipts) =>
    (receipts as object[]).map((each) => ({ ...each, status: '0x0' })),
  );
  assert.deepEqual(await readBlockLogs(changed, block), []);
  const failures = [
    new RpcAnswerError(-32_601, 'no such method', undefined),
    new NodeNonsenseError('cannot be read'),
  ];
  for (const failure of failures) {
    const refused: RpcRequest = async (call) => {
      if (call.method === 'eth_getBlockReceipts') throw failure;
      return call.method === 'eth_getLogs' ? [] : rpc.request(call);
    };
    assert.deepEqual(await readBlockLogs(refused, block), []);
  }
});

test('receipts with the root of the block are believed from one node, and no other can hide them', async () => {
  const slow: RpcRequest = async (call) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return rpc.request(call);
  };
  const behind: RpcRequest = async ({ method }) => (method === 'eth_getLogs' ? [] : null);
  const without: RpcRequest = async (call) => {
    if (call.method === 'eth_getLogs') return [];
    const answer = (await rpc.request(call)) as object;
    return call.method === 'eth_getBlockByHash' ? { ...answer, stateRoot: undefined } : answer;
  };
  const lyingReceipts = (lie: (receipts: object[]) => unknown) =>
    nodeThatSends([], (receipts) => lie(receipts as object[]));
  const refusesReceipts: RpcRequest = async (call) => {
    if (call.method === 'eth_getBlockReceipts')
      throw new RpcAnswerError(-32_601, 'no such method', undefined);
    return call.method === 'eth_getLogs' ? [] : rpc.request(call);
  };
  const falseReceipts: readonly RpcRequest[] = [
    lyingReceipts((receipts) => receipts.map((each) => ({ ...each, cumulativeGasUsed: '0x1' }))),
    lyingReceipts((receipts) => receipts.map((each) => ({ ...each, logs: [] }))),
    lyingReceipts(() => []),
    lyingReceipts(() => [null, 7, {}]),
    lyingReceipts((receipts) => JSON.parse(JSON.stringify(receipts).replaceAll('"data":"0x0', '"data":"0x'))),
    lyingReceipts(() => null),
  ];
  const outvoted: NodesEvent[] = [];
  const believed = async (...requests: readonly RpcRequest[]) => {
    const nodes = requests.map((request, index) => ({ name: `node-${index}`, rpc: { ...rpc, request } }));
    const onEvent = (event: NodesEvent) => outvoted.push(event);
    const { request } = createAgreedRpc({ nodes, agreement: 2, onEvent });
    const head = await headByHash(request, block.hash);
    assert.ok(head);
    return readBlockLogs(request, head);
  };
  assert.equal((await believed(without, slow, behind)).length, logs.length);
  for (const liar of [...falseReceipts, refusesReceipts])
    for (const other of [behind, refusesReceipts]) {
      assert.equal((await believed(liar, other, slow)).length, logs.length);
      assert.equal((await believed(slow, other, liar)).length, logs.length);
    }
  const said = outvoted.flatMap((event) =>
    event.type === 'NODE_OUTVOTED' && event.method === 'eth_getBlockReceipts' ? [event.said] : [],
  );
  const words = { node: 'node-0', said: 'receipts whose root is not that of the block' };
  assert.deepEqual(said[0], words);
  // Wherever the liar is, it and a node that is behind outvote the honest one on the logs. So the honest one is asked
  // last.
  assert.equal(said.length, 5 * 2 * 2);
});
