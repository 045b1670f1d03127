// One lying node of three can neither change an answer, nor keep one from being given, nor hold up the process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainRpc } from '../rpc/chainRpc.ts';
import { headByHash } from '../rpc/head.ts';
import { headerHash } from '../rpc/headerHash.ts';
import { NodeNonsenseError, NodesDisagreeError, RpcUnreachableError } from '../rpc/errors.ts';
import type { NodesEvent } from './agreedRequest.ts';
import { createAgreedRpc } from './agreedRpc.ts';

type Call = Parameters<ChainRpc['request']>[0];
type Node = Partial<ChainRpc>;

function agreedOf(...nodes: readonly Node[]) {
  const events: NodesEvent[] = [];
  const rpc = createAgreedRpc({
    nodes: nodes.map((node, index) => ({
      name: `node-${index}`,
      rpc: {
        request: async () => assert.fail('nothing is asked'),
        subscribeHeads: async () => ({ state: 'IMPOSSIBLE' }),
        close() {},
        ...node,
      },
    })),
    agreement: 2,
    onEvent: (event) => events.push(event),
  });
  return { rpc, events };
}

const says = (answer: unknown): Node => ({ request: async () => answer });

/** A header that is hashed by the known rules. */
function headerOf(number: number, changes: object = {}) {
  const word = (digit: string) => `0x${digit.repeat(64)}`;
  const header = {
    parentHash: word('1'),
    sha3Uncles: word('2'),
    miner: `0x${'3'.repeat(40)}`,
    stateRoot: word('4'),
    transactionsRoot: word('5'),
    receiptsRoot: word('6'),
    logsBloom: `0x${'00'.repeat(256)}`,
    difficulty: '0x0',
    number: `0x${number.toString(16)}`,
    gasLimit: '0x1',
    gasUsed: '0x0',
    timestamp: '0x64',
    extraData: '0x',
    mixHash: word('7'),
    nonce: '0x0000000000000000',
    baseFeePerGas: '0x7',
  };
  return { ...header, hash: headerHash(header), ...changes };
}

const upTo = (number: number): Node => ({
  request: async ({ params = [] }) => {
    const asked = params[0] === 'latest' ? number : Number(params[0]);
    return asked > number ? null : headerOf(asked);
  },
});

const LATEST = { method: 'eth_getBlockByNumber', params: ['latest', false] };

test('a log that is said to be removed is another log', async () => {
  const log = { address: '0xaa', topics: ['0x01'], data: '0x', logIndex: '0x0', blockNumber: '0x1' };
  const receipt = (removed: boolean) => ({ status: '0x1', logs: [{ ...log, removed }] });
  const { rpc } = agreedOf(says([{ ...log, removed: true }]), says([log]), says([log]));
  assert.deepEqual(await rpc.request({ method: 'eth_getLogs', params: [{}] }), [log]);
  const alone = agreedOf(says(receipt(true)), says(receipt(false)));
  const call = { method: 'eth_getTransactionReceipt', params: ['0x01'] };
  await assert.rejects(alone.rpc.request(call), NodesDisagreeError);
});

test('a quantity of megabytes is no vote', async () => {
  const huge = { ...headerOf(7), number: `0x${'f'.repeat(1_000_000)}` };
  const call = { method: 'eth_getBlockByHash', params: [headerOf(7).hash, false] };
  await assert.rejects(agreedOf(says(huge), says(headerOf(7))).rpc.request(call), NodeNonsenseError);
  const { rpc, events } = agreedOf(says(huge), says(headerOf(7)), says(headerOf(7)));
  assert.deepEqual(await rpc.request(call), headerOf(7));
  // The operator is told of the node, in few words.
  assert.equal(events.length, 1);
  assert.ok(JSON.stringify(events).length < 200);
});

test('a header with a member of megabytes is not hashed', () => {
  assert.equal(headerHash({ ...headerOf(7), extraData: `0x${'ab'.repeat(1_000_000)}` }), undefined);
  assert.equal(headerHash({ ...headerOf(7), gasLimit: `0x${'f'.repeat(1_000_000)}` }), undefined);
});

test('a simulation whose gas cannot be read is no vote', async () => {
  const run = (gasUsed?: string) => [{ calls: [{ status: '0x1', returnData: '0x02', gasUsed }] }];
  for (const gasUsed of ['much', '5', undefined]) {
    const { rpc } = agreedOf(says(run(gasUsed)), says(run('0x5')), says(run('0x5')));
    assert.deepEqual(await rpc.request({ method: 'eth_simulateV1', params: [{}, '0x1'] }), run('0x5'));
  }
});

test('another letter case of what the others say reaches no reader', async () => {
  const shouted = (text: string) => `0x${text.slice(2).toUpperCase()}`;
  const header = headerOf(10);
  const odd = { ...header, hash: shouted(String(header.hash)), receiptsRoot: shouted(header.receiptsRoot) };
  const heads = agreedOf(says(odd), upTo(10), upTo(10));
  assert.deepEqual(await heads.rpc.request(LATEST), header);
  const log = { address: '0xab', topics: ['0xcd'], data: '0x', logIndex: '0x0', blockNumber: '0x1' };
  const oddLog = { ...log, topics: ['0xCD'] };
  const logs = agreedOf(says([oddLog]), says([log]), says([log]));
  assert.deepEqual(await logs.rpc.request({ method: 'eth_getLogs', params: [{}] }), [log]);
  const words = agreedOf(says('0XEF'), says('0xef'), says('0xef'));
  assert.equal(await words.rpc.request({ method: 'eth_call', params: [{}, '0x1'] }), '0xef');
});

test('something that is no header, sent first while the others are on forks, is passed over', async () => {
  const junk: Node = { request: async ({ params = [] }) => (params[0] === 'latest' ? headerOf(99) : {}) };
  const onFork = (digit: string): Node => ({
    async request({ params = [] }) {
      await new Promise((resolve) => setImmediate(resolve));
      const isTop = params[0] === 'latest' || Number(params[0]) === 11;
      return isTop ? headerOf(11, { hash: `0x${digit.repeat(64)}` }) : headerOf(Number(params[0]));
    },
  });
  const { rpc } = agreedOf(junk, onFork('8'), onFork('9'));
  assert.deepEqual(await rpc.request(LATEST), headerOf(10));
});

test('what contradicting nodes said of their latest blocks is short', async () => {
  const long = (digit: string) => says(headerOf(7, { logsBloom: `0x${digit.repeat(1_000_000)}` }));
  const { rpc, events } = agreedOf(long('1'), long('2'), long('3'));
  await assert.rejects(rpc.request(LATEST), NodesDisagreeError);
  const [event] = events;
  assert.ok(event !== undefined && event.type === 'NODES_DISAGREE');
  assert.ok(event.said.every(({ said }) => said.length < 200));
});

test('one node alone changes neither a trace nor the number of an account’s transactions', async () => {
  const [from, to, other] = ['11', '22', '33'].map((digits) => `0x${digits.repeat(20)}`);
  const trace = { type: 'CALL', from, to, input: '0x12', value: '0x0', logs: [] };
  const lies: readonly [method: string, truth: unknown, lie: unknown][] = [
    ['debug_traceTransaction', trace, { ...trace, to: other }],
    ['debug_traceTransaction', trace, { ...trace, error: 'execution reverted' }],
    ['eth_getTransactionCount', '0x7', '0xffff'],
  ];
  for (const [method, truth, lie] of lies) {
    const call = { method, params: [from, '0x1'] };
    const { rpc } = agreedOf(says(lie), says(truth), says(truth));
    assert.deepEqual(await rpc.request(call), truth, method);
    await assert.rejects(agreedOf(says(lie), says(truth)).rpc.request(call), NodesDisagreeError);
  }
});

test('of long answers that begin alike, the log shows where they differ', async () => {
  const answer = (end: string) => says(`0x${'ab'.repeat(500)}${end}${'cd'.repeat(500)}`);
  const call = { method: 'eth_call', params: [{}, '0x1'] };
  const divided = agreedOf(answer('01'), answer('02'));
  await assert.rejects(divided.rpc.request(call), NodesDisagreeError);
  const [event] = divided.events;
  assert.ok(event !== undefined && event.type === 'NODES_DISAGREE');
  const before = 'ab'.repeat(19).slice(0, 37);
  const [first = '', second = ''] = event.said.map(({ said }) => said);
  assert.match(
    first,
    new RegExp(`^\\.\\.\\.b?${before}b?01cd.*\\(from character \\d+ of 2006 characters\\)$`),
  );
  assert.match(second, /b02cd/);
  const outvoted = agreedOf(answer('01'), answer('02'), answer('02'));
  await outvoted.rpc.request(call);
  assert.match(JSON.stringify(outvoted.events), /"node-0".*b01cd/);
});

test('when too few nodes answer, the error names them and what to do', async () => {
  const away: Node = { request: () => Promise.reject(new RpcUnreachableError('timed out')) };
  const message =
    'Fewer than 2 nodes answer, and 2 must say the same. No answer came from: node-0, node-2. Check that each of them runs, and that this machine reaches it.';
  for (const call of [LATEST, { method: 'eth_call', params: [{}, '0x1'] }]) {
    const { rpc } = agreedOf(away, upTo(10), away);
    await assert.rejects(rpc.request(call), { name: 'TooFewNodesError', message });
  }
});

test('the storage words that a call reads are what enough nodes say', async () => {
  const list = (storageKeys: string[], ...others: object[]) => ({
    accessList: [{ address: '0xaa', storageKeys }, ...others],
    gasUsed: '0x5',
  });
  const call = { method: 'eth_createAccessList', params: [{}, '0x1'] };
  const withCaller = list(['0x02', '0x01'], { address: '0xbb', storageKeys: [] });
  const { rpc } = agreedOf(says(list([])), says(list(['0x01', '0x02'])), says(withCaller));
  assert.deepEqual(await rpc.request(call), list(['0x01', '0x02']));
});

test('a node that names a future block and then falls silent is not waited for', async () => {
  const silentBelow: Node = {
    request: ({ params = [] }: Call) =>
      params[0] === 'latest' ? Promise.resolve(headerOf(99)) : new Promise(() => {}),
  };
  const { rpc } = agreedOf(silentBelow, upTo(10), upTo(10));
  assert.deepEqual(await rpc.request(LATEST), headerOf(10));
});

test('of equal headers the one is used whose hash fits', async () => {
  const misfit = headerOf(10, { stateRoot: `0x${'5a'.repeat(32)}` });
  const { rpc } = agreedOf(says(misfit), upTo(10));
  assert.deepEqual(await rpc.request(LATEST), headerOf(10));
});

test('a subscription that ends while another is asked for leaves the others, without an error', async () => {
  let stops = 0;
  const second = Promise.withResolvers<void>();
  const endsAtOnce: Node = {
    async subscribeHeads(_, onEnd) {
      onEnd();
      return { state: 'SUBSCRIBED', stop: () => stops++ };
    },
  };
  const late: Node = {
    async subscribeHeads() {
      await second.promise;
      return { state: 'SUBSCRIBED', stop: () => stops++ };
    },
  };
  const { rpc } = agreedOf(endsAtOnce, late);
  const subscribing = rpc.subscribeHeads(
    () => {},
    () => assert.fail('the subscription stands'),
  );
  second.resolve();
  const subscription = await subscribing;
  assert.ok(subscription.state === 'SUBSCRIBED');
  assert.equal(stops, 0);
  subscription.stop();
  assert.equal(stops, 2);
});

test('another block than the one asked for by its hash is refused', async () => {
  await assert.rejects(
    headByHash(async () => headerOf(7), String(headerOf(8).hash)),
    NodeNonsenseError,
  );
});
