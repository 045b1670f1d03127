import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { headerHash } from '../rpc/headerHash.ts';
import { receiptsRoot } from '../rpc/receiptsRoot.ts';
import { RpcAnswerError, RpcUnreachableError } from '../rpc/errors.ts';
import type { NodesEvent } from './agreedRequest.ts';
import { createAgreedRpc } from './agreedRpc.ts';

const word = (digit: string) => `0x${digit.repeat(64)}`;
const BLOOM = `0x${'00'.repeat(256)}` as const;
const RECEIPTS = [
  { type: '0x2', status: '0x1', cumulativeGasUsed: '0x5208', logsBloom: BLOOM, logs: [] },
] as const;
const SEALED = {
  ...{ parentHash: word('1'), sha3Uncles: word('2'), miner: `0x${'3'.repeat(40)}`, stateRoot: word('4') },
  ...{ transactionsRoot: word('5'), receiptsRoot: receiptsRoot(RECEIPTS), logsBloom: BLOOM },
  ...{ difficulty: '0x0', number: '0x7', gasLimit: '0x1', gasUsed: '0x0', timestamp: '0x64' },
  ...{ extraData: '0x', mixHash: word('7'), nonce: '0x0000000000000000', baseFeePerGas: '0x7' },
};
const HEADER = { ...SEALED, hash: headerHash(SEALED) };
const CALL = { method: 'eth_getBlockReceipts', params: [HEADER.hash] };

const never = () => new Promise(() => {});

/** Nodes that have the block and send these receipts, how often each was asked for them, and what the operator is told. */
function nodesThatSend(...receipts: readonly (() => unknown)[]) {
  const events: NodesEvent[] = [];
  const asked = receipts.map(() => 0);
  const nodes = receipts.map((send, index) => {
    const request: RpcRequest = async ({ method }) => {
      if (method !== 'eth_getBlockReceipts') return HEADER;
      asked[index] = (asked[index] ?? 0) + 1;
      return send();
    };
    const rpc = { request, subscribeHeads: async () => ({ state: 'IMPOSSIBLE' }) as const, close() {} };
    return { name: `node-${index}`, rpc };
  });
  const { request } = createAgreedRpc({ nodes, agreement: 2, onEvent: (event) => events.push(event) });
  return { request, asked, events };
}

/** Lets everything happen that waits for nothing but promises. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

function inFakeTime(t: TestContext): (ms: number) => Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  return async (ms) => {
    await settled();
    t.mock.timers.tick(ms);
    await settled();
  };
}

test('a node that hangs, fails or sends other receipts is asked for receipts last from then on', async (t) => {
  const pass = inFakeTime(t);
  const away = () => Promise.reject(new RpcUnreachableError('timed out'));
  for (const faulty of [never, away, () => []]) {
    const { request, asked, events } = nodesThatSend(
      faulty,
      () => RECEIPTS,
      () => RECEIPTS,
    );
    const first = request(CALL);
    await pass(500);
    assert.deepEqual(await first, RECEIPTS);
    // No time passes: nothing is waited for.
    assert.deepEqual(await request(CALL), RECEIPTS);
    assert.deepEqual(asked, [1, 2, 0]);
    assert.equal(events.length, faulty === never ? 0 : 1);
  }
});

test('a node without the method stays in its place', async () => {
  const { request, asked } = nodesThatSend(
    () => Promise.reject(new RpcAnswerError(-32_601, 'no such method', undefined)),
    () => RECEIPTS,
  );
  for (const _ of [1, 2]) assert.deepEqual(await request(CALL), RECEIPTS);
  assert.deepEqual(asked, [2, 2]);
});

test('after receipts were proven no further node is asked, whatever comes late', async (t) => {
  const pass = inFakeTime(t);
  const late = Promise.withResolvers<unknown>();
  const { request, asked, events } = nodesThatSend(
    () => late.promise,
    () => RECEIPTS,
    () => RECEIPTS,
  );
  const reading = request(CALL);
  await pass(500);
  assert.deepEqual(await reading, RECEIPTS);
  late.resolve([]);
  await pass(2_000);
  assert.deepEqual(asked, [1, 1, 0]);
  assert.deepEqual(events, []);
});
