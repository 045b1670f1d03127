import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainRpc } from '../rpc/chainRpc.ts';
import {
  AnswerTooLongError,
  NodeNonsenseError,
  NodesDisagreeError,
  RpcAnswerError,
  RpcUnreachableError,
  TooFewNodesError,
} from '../rpc/errors.ts';
import type { NodesEvent } from './agreedRequest.ts';
import { createAgreedRpc } from './agreedRpc.ts';

type Call = { readonly method: string; readonly params?: readonly unknown[] };
type Answers = (call: Call) => unknown;

/** Nodes that answer as told, and the port that asks them. Counts the calls of each node. */
function nodesThat(answers: readonly Answers[], agreement: number) {
  const events: NodesEvent[] = [];
  const calls = answers.map((): Call[] => []);
  const pushers: ((header: unknown) => void)[] = [];
  const nodes = answers.map((answer, index) => {
    const rpc: ChainRpc = {
      async request(call) {
        calls[index]?.push(call);
        return answer(call);
      },
      async subscribeHeads(onHead) {
        pushers.push(onHead);
        return { state: 'SUBSCRIBED', stop() {} };
      },
      close() {},
    };
    return { name: `node-${index}`, rpc };
  });
  const rpc = createAgreedRpc({ nodes, agreement, onEvent: (event) => events.push(event) });
  return { rpc, events, calls, pushers };
}

const say =
  (answer: unknown): Answers =>
  () =>
    answer;

const fail =
  (error: Error): Answers =>
  () => {
    throw error;
  };

const silent = fail(new RpcUnreachableError('no connection'));
const CODE = { method: 'eth_getCode', params: ['0x01', { blockHash: '0x02' }] };

function word(text: string): string {
  return `0x${text.padStart(64, '0')}`;
}

/** The header of a height on one of several forks. */
function headerOf(number: number, fork = '') {
  return {
    number: `0x${number.toString(16)}`,
    hash: word(`${fork}${number}`),
    parentHash: word(`${fork}${number - 1}`),
    timestamp: `0x${(1000 + number).toString(16)}`,
    baseFeePerGas: '0x7',
  };
}

/** A node of a chain up to a height; `forkFrom` and above its blocks are others than those of the other nodes. */
function chainUpTo(top: number, forkFrom = Number.POSITIVE_INFINITY): Answers {
  return ({ params = [] }) => {
    const number = params[0] === 'latest' ? top : Number(params[0]);
    return number > top ? null : headerOf(number, number >= forkFrom ? 'f' : '');
  };
}

const LATEST = { method: 'eth_getBlockByNumber', params: ['latest', false] };

test('what enough nodes say alike is the answer, and no further node is asked', async () => {
  const { rpc, calls, events } = nodesThat([say('0xAB'), say('0xab'), say('0xcd')], 2);
  assert.equal(await rpc.request(CODE), '0xab');
  assert.deepEqual(
    calls.map((each) => each.length),
    [1, 1, 0],
  );
  assert.deepEqual(events, []);
});

test('a node whose answer cannot be read is named when the others agree, and asked last', async () => {
  const { rpc, calls, events } = nodesThat([say('nonsense'), chainUpTo(9), chainUpTo(9)], 2);
  const ninth = { method: 'eth_getBlockByNumber', params: ['0x9', false] };
  await rpc.request(ninth);
  await rpc.request(ninth);
  assert.deepEqual(events, [
    {
      type: 'NODE_OUTVOTED',
      method: 'eth_getBlockByNumber',
      said: { node: 'node-0', said: 'an answer that cannot be read' },
    },
  ]);
  assert.deepEqual(
    calls.map((each) => each.length),
    [1, 2, 2],
  );
});

test('a third node decides between two, and the outvoted node is named and asked last', async () => {
  const { rpc, calls, events } = nodesThat([say('0xbad'), say('0x01'), say('0x01')], 2);
  assert.equal(await rpc.request(CODE), '0x01');
  assert.deepEqual(events, [
    { type: 'NODE_OUTVOTED', method: 'eth_getCode', said: { node: 'node-0', said: '"0xbad"' } },
  ]);
  assert.equal(await rpc.request(CODE), '0x01');
  assert.deepEqual(
    calls.map((each) => each.length),
    [1, 2, 2],
  );
});

test('a node that is outvoted, silent or slow is asked last for half a minute', async (t) => {
  const never: Answers = () => new Promise(() => {});
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const faulty of [say('0xbad'), silent, never]) {
    let nowMs = Math.floor(performance.now());
    const clock = t.mock.method(performance, 'now', () => nowMs);
    const { rpc, calls } = nodesThat([faulty, say('0x01'), say('0x01')], 2);
    const counts: number[][] = [];
    for (const passedMs of [0, 0, 29_999, 1]) {
      nowMs += passedMs;
      const asking = rpc.request(CODE);
      await new Promise((resolve) => setImmediate(resolve));
      t.mock.timers.tick(500);
      assert.equal(await asking, '0x01');
      counts.push(calls.map((each) => each.length));
    }
    assert.deepEqual(counts, [
      [1, 1, 1],
      [1, 2, 2],
      [1, 3, 3],
      [2, 4, 4],
    ]);
    clock.mock.restore();
  }
});

test('two nodes that contradict each other give no answer, and both are named', async () => {
  const { rpc, events } = nodesThat([say('0xbad'), say('0x01')], 2);
  await assert.rejects(rpc.request(CODE), NodesDisagreeError);
  const said = [
    { node: 'node-0', said: '"0xbad"' },
    { node: 'node-1', said: '"0x01"' },
  ];
  assert.deepEqual(events, [{ type: 'NODES_DISAGREE', method: 'eth_getCode', said }]);
});

test('an answer of one node where two must agree is no answer', async () => {
  for (const order of [
    [say('0x01'), silent],
    [silent, say('0x01')],
  ]) {
    const { rpc, events } = nodesThat(order, 2);
    await assert.rejects(rpc.request(CODE), RpcUnreachableError);
    assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(['NODE_FAILED']));
  }
});

test('a node that refuses a method does not vote, and others are asked in its place', async () => {
  const refusing = fail(new RpcAnswerError(-32_601, 'no such method', undefined));
  const enough = nodesThat([refusing, say('0x01'), say('0x01')], 2);
  assert.equal(await enough.rpc.request(CODE), '0x01');
  const tooFew = nodesThat([refusing, say('0x01')], 2);
  await assert.rejects(
    tooFew.rpc.request(CODE),
    (error) => error instanceof RpcAnswerError && error.code === -32_601,
  );
});

test('what cannot be read is nonsense, and no refusal, unless enough other nodes refuse', async () => {
  const refusing = fail(new RpcAnswerError(-32_601, 'no such method', undefined));
  const simulated = say([{ calls: [{ status: '0x1', returnData: '0x', gasUsed: '0x5' }] }]);
  const nonsense = say('nonsense');
  const cases: [Answers[], typeof NodeNonsenseError | typeof RpcAnswerError | typeof RpcUnreachableError][] =
    [
      [[nonsense, simulated], NodeNonsenseError],
      [[simulated, nonsense], NodeNonsenseError],
      [[nonsense, refusing], NodeNonsenseError],
      [[nonsense, silent], NodeNonsenseError],
      [[simulated, refusing, nonsense], NodeNonsenseError],
      [[refusing, nonsense, refusing], RpcAnswerError],
      [[nonsense, refusing, silent], RpcAnswerError],
      [[silent, nonsense, silent], RpcUnreachableError],
    ];
  for (const [answers, kind] of cases) {
    const { rpc } = nodesThat(answers, 2);
    await assert.rejects(rpc.request({ method: 'eth_simulateV1', params: [{}, '0x1'] }), kind);
  }
  const { rpc } = nodesThat([nonsense, simulated], 2);
  await assert.rejects(rpc.request({ method: 'eth_simulateV1', params: [{}, '0x1'] }), {
    message: 'What these nodes answered to eth_simulateV1 cannot be read: node-0',
  });
});

test('an answer is too long where too few nodes are left that could agree on another', async () => {
  const long = fail(new AnswerTooLongError());
  const { rpc } = nodesThat([long, say('0x01'), long], 2);
  await assert.rejects(rpc.request(CODE), AnswerTooLongError);
  const liar = nodesThat([long, say('0x01'), silent], 2);
  await assert.rejects(liar.rpc.request(CODE), TooFewNodesError);
  assert.equal(await nodesThat([long, say('0x01'), say('0x01')], 2).rpc.request(CODE), '0x01');
});

test('a reverted call is an answer, of which enough nodes must have the same', async () => {
  const reverted = (data: string) => fail(new RpcAnswerError(3, 'execution reverted', data));
  const agreed = nodesThat([reverted('0xAB'), reverted('0xab')], 2);
  await assert.rejects(
    agreed.rpc.request(CODE),
    (error) => error instanceof RpcAnswerError && error.data === '0xAB',
  );
  const divided = nodesThat([reverted('0xab'), say('0x01')], 2);
  await assert.rejects(divided.rpc.request(CODE), NodesDisagreeError);
});

test('a node without an answer for a while is helped out by another', async () => {
  const { rpc } = nodesThat([() => new Promise(() => {}), say('0x01'), say('0x01')], 2);
  assert.equal(await rpc.request(CODE), '0x01');
});

test('a node that has a block a moment later is waited for', async () => {
  let asked = 0;
  const late: Answers = () => (++asked < 3 ? null : { status: '0x1', logs: [] });
  const { rpc, events } = nodesThat([say({ status: '0x1', logs: [] }), late], 2);
  assert.deepEqual(await rpc.request({ method: 'eth_getTransactionReceipt', params: ['0x01'] }), {
    status: '0x1',
    logs: [],
  });
  assert.deepEqual(events, []);
});

test('a receipt has the gas that enough nodes say, and none where they differ in it alone', async () => {
  const receipt = { status: '0x1', logs: [] };
  const gas = { gasUsed: '0x5208', effectiveGasPrice: '0x7' };
  const zeros = { gasUsed: '0x05208', effectiveGasPrice: '0x07', l1Fee: null };
  const other = { ...gas, gasUsed: '0x5209' };
  const opStack = { ...gas, l1Fee: '0x1' };
  const nonsense = { gasUsed: { a: 1 }, effectiveGasPrice: 'much' };
  const ask = async (agreement: number, ...told: readonly object[]) => {
    const { rpc, events } = nodesThat(
      told.map((each) => say({ ...receipt, ...each })),
      agreement,
    );
    const answer = await rpc.request({ method: 'eth_getTransactionReceipt', params: ['0x01'] });
    assert.deepEqual(events, []);
    return answer;
  };
  assert.deepEqual(await ask(2, gas, gas), { ...receipt, ...gas });
  assert.deepEqual(await ask(2, gas, zeros), { ...receipt, ...gas });
  assert.deepEqual(await ask(1, gas, other), { ...receipt, ...gas });
  for (const odd of [other, opStack, nonsense, {}]) {
    assert.deepEqual(await ask(2, gas, odd), receipt);
    assert.deepEqual(await ask(2, odd, gas), receipt);
    assert.deepEqual(await ask(3, gas, odd, gas), receipt);
  }
});

test('nothing is believed to be absent because one node does not have it', async () => {
  const receipt = say({ status: '0x1', logs: [] });
  const { rpc } = nodesThat([say(null), receipt], 2);
  await assert.rejects(
    rpc.request({ method: 'eth_getTransactionReceipt', params: ['0x01'] }),
    NodesDisagreeError,
  );
});

test('answers that differ only in what nothing depends on are the same', async () => {
  const log = { address: '0xAB', topics: ['0x01'], data: '0x', logIndex: '0x0', blockNumber: '0x1' };
  const other = { ...log, address: '0xab', logIndex: '0x00', removed: false };
  const logs = nodesThat([say([log]), say([other])], 2);
  assert.deepEqual(await logs.rpc.request({ method: 'eth_getLogs', params: [{}] }), [
    { ...log, address: '0xab' },
  ]);
  const run = (gasUsed: string) => [{ calls: [{ status: '0x1', returnData: '0x02', gasUsed }] }];
  const runs = nodesThat([say(run('0x5')), say(run('0x6'))], 2);
  assert.deepEqual(await runs.rpc.request({ method: 'eth_simulateV1', params: [{}, '0x1'] }), run('0x5'));
});

test('an invented, missing, changed, moved or doubled log is a contradiction', async () => {
  const [a, b] = ['0xaa', '0xbb'].map((address, index) => ({
    ...{ address, topics: ['0x01'], data: '0x', blockNumber: '0x1', logIndex: `0x${index}` },
  }));
  const lies = [[a], [a, b, b], [b, a], [a, { ...b, data: '0x01' }], [a, { ...b, logIndex: '0x2' }], []];
  for (const lie of lies) {
    const { rpc } = nodesThat([say([a, b]), say(lie)], 2);
    await assert.rejects(rpc.request({ method: 'eth_getLogs', params: [{}] }), NodesDisagreeError);
  }
});

test('the latest block is the newest that enough nodes hold', async () => {
  const cases: [Answers[], number, number][] = [
    [[chainUpTo(9), chainUpTo(9)], 2, 9],
    [[chainUpTo(10), chainUpTo(9)], 2, 9],
    [[chainUpTo(1_000_000), chainUpTo(10), chainUpTo(9)], 2, 10],
    [[chainUpTo(3), chainUpTo(10), chainUpTo(10)], 2, 10],
    [[silent, chainUpTo(10), chainUpTo(10)], 2, 10],
    [[chainUpTo(12), chainUpTo(11), chainUpTo(10)], 3, 10],
    // The first node is on a fork of the others.
    [[chainUpTo(10, 9), chainUpTo(10), chainUpTo(10)], 2, 10],
    [[chainUpTo(10, 9), chainUpTo(10)], 2, 8],
  ];
  for (const [answers, agreement, expected] of cases) {
    const { rpc } = nodesThat(answers, agreement);
    assert.deepEqual(await rpc.request(LATEST), headerOf(expected));
  }
});

test('nodes without a common recent block give no latest block', async () => {
  const { rpc, events } = nodesThat([chainUpTo(10, 1), chainUpTo(10)], 2);
  await assert.rejects(rpc.request(LATEST), NodesDisagreeError);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['NODES_DISAGREE'],
  );
  const alone = nodesThat([silent, chainUpTo(10)], 2);
  await assert.rejects(alone.rpc.request(LATEST), RpcUnreachableError);
});

test('a header with another base fee is another block', async () => {
  const lying: Answers = (call) => ({ ...(chainUpTo(10)(call) as object), baseFeePerGas: '0x8' });
  const { rpc } = nodesThat([lying, chainUpTo(10)], 2);
  await assert.rejects(rpc.request(LATEST), NodesDisagreeError);
});

test('state at "latest" is read at the hash of the block that the nodes agree on', async () => {
  for (const method of ['eth_getCode', 'eth_call']) {
    const answer: Answers = (call) => (call.method === method ? '0x60' : chainUpTo(10)(call));
    const { rpc, calls } = nodesThat([answer, answer], 2);
    assert.equal(await rpc.request({ method, params: ['0x01', 'latest'] }), '0x60');
    for (const each of calls)
      assert.deepEqual(each.at(-1)?.params, ['0x01', { blockHash: headerOf(10).hash }]);
  }
});

test('a head that is pushed while nodes are asked is looked for afterwards', async () => {
  let top = 10;
  const slow: Answers = async (call) => {
    const answer = chainUpTo(top)(call);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return answer;
  };
  const { rpc, pushers } = nodesThat([slow, slow], 2);
  const last = Promise.withResolvers<void>();
  const heads: unknown[] = [];
  await rpc.subscribeHeads(
    (header) => {
      heads.push(header);
      if (heads.length === 2) last.resolve();
    },
    () => {},
  );
  pushers[0]?.(headerOf(10));
  top = 11;
  pushers[1]?.(headerOf(11));
  await last.promise;
  assert.deepEqual(heads, [headerOf(10), headerOf(11)]);
});

test('a pushed head is passed on only when enough nodes hold it', async () => {
  let top = 10;
  const { rpc, pushers } = nodesThat([chainUpTo(1_000_000, 11), (call) => chainUpTo(top)(call)], 2);
  const heads: unknown[] = [];
  const subscription = await rpc.subscribeHeads(
    (header) => heads.push(header),
    () => {},
  );
  assert.equal(subscription.state, 'SUBSCRIBED');
  pushers[0]?.(headerOf(11, 'f'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(heads, [headerOf(10)]);
  top = 9;
  pushers[1]?.(headerOf(9));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(heads.at(-1), headerOf(9));
});

test('a single node is asked as it is', async () => {
  const { rpc, calls } = nodesThat([say('0x01')], 1);
  assert.equal(await rpc.request({ method: 'eth_getCode', params: ['0x01', 'latest'] }), '0x01');
  assert.deepEqual(calls[0], [{ method: 'eth_getCode', params: ['0x01', 'latest'] }]);
});

test('a transaction that waits at one node and not at another is not mined, and no contradiction', async () => {
  const from = `0x${'02'.repeat(20)}`;
  const waiting = { hash: word('1'), from, nonce: '0x0', value: '0x0', input: '0x', blockHash: null };
  const call = { method: 'eth_getTransactionByHash', params: [word('1')] };
  const unmined = nodesThat([say(waiting), say(null)], 2);
  assert.deepEqual(await unmined.rpc.request(call), { hash: word('1'), blockHash: null });
  assert.deepEqual(unmined.events, []);
  const mined = { ...waiting, blockHash: '0x03' };
  const divided = nodesThat([say(mined), say(waiting)], 2);
  await assert.rejects(divided.rpc.request(call), NodesDisagreeError);
  const junk = [
    {},
    { blockHash: null },
    { ...waiting, hash: word('2') },
    { ...waiting, from: '0x02' },
    { ...waiting, nonce: `0x${'f'.repeat(16)}` },
    { ...waiting, nonce: undefined },
  ];
  for (const lie of junk) {
    const { rpc } = nodesThat([say(lie), say(null), say(null)], 2);
    assert.equal(await rpc.request(call), null, JSON.stringify(lie));
  }
});

const after =
  (ms: number, answers: Answers): Answers =>
  async (call) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return answers(call);
  };
/** Says that it is a block ahead, and answers about the blocks below as it is told to. */
const ahead =
  (below: Answers): Answers =>
  (call) =>
    call.params?.[0] === 'latest' ? headerOf(12) : below(call);

test('a node that sends no header for a block below does not end the search', async () => {
  for (const nonsense of [{}, { hash: 7 }, [], 'x', null]) {
    const nodes = [after(5, chainUpTo(11)), after(5, chainUpTo(9)), ahead(say(nonsense))];
    const { rpc } = nodesThat(nodes, 2);
    assert.deepEqual(await rpc.request(LATEST), headerOf(9));
  }
});

test('a node that keeps a block below to itself is not waited for', async () => {
  const { rpc } = nodesThat([chainUpTo(11), chainUpTo(10), ahead(() => new Promise(() => {}))], 2);
  const startMs = performance.now();
  assert.deepEqual(await rpc.request(LATEST), headerOf(10));
  assert.ok(performance.now() - startMs < 1_500);
});

test('a slow node is waited for where the quick ones contradict each other', async () => {
  const { rpc, events } = nodesThat([chainUpTo(10), chainUpTo(10, 0), after(600, chainUpTo(10))], 2);
  assert.deepEqual(await rpc.request(LATEST), headerOf(10));
  assert.deepEqual(events, []);
});

test('a node that is gone is told of, while the others agree', async () => {
  const { rpc, events } = nodesThat([silent, say('0xab'), say('0xab')], 2);
  assert.equal(await rpc.request(CODE), '0xab');
  const told = () => events.map((event) => event.type === 'NODE_FAILED' && [event.node, event.method]);
  assert.deepEqual(told(), [['node-0', 'eth_getCode']]);
  rpc.close();
  await rpc.request(CODE);
  assert.equal(events.length, 1, 'what ends at the end of the process is no failure');
});
