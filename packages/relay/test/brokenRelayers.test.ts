// What broke other relayers, each as a scenario: the chain and the nodes behave so, and the relayer goes on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '@fairway/testing';
import type { Call, Hex, RelayPorts } from '../src/index.ts';
import { advance, nextActs } from '../src/index.ts';
import { signed } from './chain.ts';
import { ADDRESS, CALM, createWorld, executionsOf, portsOf, RULES, sentUpTo, type World } from './lives.ts';

/** A world in which nothing dies and nothing is lost. */
function calmWorld(): World {
  return { ...createWorld(createRandom(1), CALM), mortality: 0, waiting: 0 };
}

function callTo(to: Hex, notAfterMs?: number): Call {
  return {
    ...{ chainId: 1, sender: ADDRESS, to, data: '0xaa', valueWei: 0n },
    ...(notAfterMs !== undefined && { notAfterMs }),
  };
}

/** A look at each head, as a process makes it. */
async function look(
  world: World,
  change: (ports: RelayPorts) => RelayPorts = (ports) => ports,
): Promise<void> {
  const sent = () => ({ upTo: sentUpTo(world), lately: sentLately });
  const sentLately = new Set<Hex>();
  const ports = change(portsOf(world));
  const send: RelayPorts['chain']['send'] = (attempt) => {
    sentLately.add(attempt.hash);
    return ports.chain.send(attempt);
  };
  await advance('r', { ...ports, chain: { ...ports.chain, send } }, RULES, sent);
}

async function looks(
  world: World,
  blocks: number,
  change?: (ports: RelayPorts) => RelayPorts,
): Promise<void> {
  for (let block = 0; block < blocks; block += 1) {
    await look(world, change);
    world.chain.mine();
  }
}

const outcomesOf = ({ database }: World) => database.rows().map(({ outcome }) => outcome?.as);
const timesOf = (world: World, to: Hex) => executionsOf(world).get(`${to} 0xaa`) ?? 0;

test('a receipt that is null for 26 looks is waited for, and nothing is sent again', async () => {
  const world = calmWorld();
  world.database.accept('e', [callTo('0xc1')]);
  await looks(world, 1);
  const sends: Hex[] = [];
  await looks(world, 26, (ports) => ({
    ...ports,
    chain: {
      ...ports.chain,
      look: async (relayer, bound) => ({
        ...(await ports.chain.look(relayer, bound)),
        inclusions: new Map(),
      }),
      async send(attempt) {
        sends.push(attempt.hash);
      },
    },
  }));
  assert.deepEqual([outcomesOf(world), sends], [[undefined], []]);
  await looks(world, 1);
  assert.deepEqual([outcomesOf(world), timesOf(world, '0xc1')], [['CONFIRMED'], 1]);
});

test('a stored nonce above that of the chain fills its gap, after a restart, too', async () => {
  const world = calmWorld();
  const calls = Array.from({ length: 4 }, (_, index) => callTo(`0xc${index}`));
  for (const [index, call] of calls.entries()) world.database.accept(`e${index}`, [call]);
  // Four are bound and signed, and the process ends before the first one leaves.
  await look(world, (ports) => ({ ...ports, chain: { ...ports.chain, send: async () => {} } }));
  world.chain.mine();
  assert.equal(world.chain.transactions().length, 0);
  await looks(world, 12);
  assert.deepEqual(
    outcomesOf(world),
    calls.map(() => 'CONFIRMED'),
  );
});

test('the lowest transaction that never left is sent by whoever looks next', async () => {
  const world = calmWorld();
  for (const id of ['a', 'b']) world.database.accept(id, [callTo(`0xc${id}`)]);
  let isFirst = true;
  await look(world, (ports) => ({
    ...ports,
    chain: {
      ...ports.chain,
      async send(attempt) {
        if (isFirst) isFirst = false;
        else await ports.chain.send(attempt);
      },
    },
  }));
  world.chain.mine();
  assert.equal(world.chain.transactions().length, 0, 'the second one waits for the first');
  await looks(world, 12);
  assert.deepEqual(outcomesOf(world), ['CONFIRMED', 'CONFIRMED']);
});

test('a call that has to wait before it is signed holds back those behind it', async () => {
  const world = calmWorld();
  for (const id of ['a', 'b']) world.database.accept(id, [callTo(`0xc${id}`)]);
  let isNight = false;
  const judging = (ports: RelayPorts): RelayPorts => ({
    ...ports,
    judge: async (about) => {
      if (isNight && about.relayTransactionId === 'a/0') return { may: 'WAIT' };
      return { may: 'EXECUTE', gasLimit: 21_000n };
    },
    store: {
      ...ports.store,
      bind: async (...given) => {
        await ports.store.bind(...given);
        isNight = true;
        throw new Error('the process ends here');
      },
    },
  });
  const told = (ports: RelayPorts) => judging({ ...ports, mayLeave: () => Promise.resolve(true) });
  await assert.rejects(look(world, told));
  await looks(world, 3, told);
  assert.deepEqual(
    world.database.rows().map(({ nonce, attempts }) => [nonce, attempts.map(({ wasSent }) => wasSent)]),
    [
      [0, []],
      [1, [false]],
    ],
  );
  isNight = false;
  await looks(world, 14);
  assert.deepEqual(outcomesOf(world), ['CONFIRMED', 'CONFIRMED']);
});

test('a call that is cancelled before it left holds back those behind it, too', async () => {
  const world = calmWorld();
  for (const id of ['a', 'b']) world.database.accept(id, [callTo(`0xc${id}`)]);
  let mayLeave = false;
  const told = (ports: RelayPorts): RelayPorts => ({ ...ports, mayLeave: () => Promise.resolve(mayLeave) });
  await look(world, told);
  world.database.cancel('a/0');
  mayLeave = true;
  const left: number[] = [];
  await look(world, (ports) => ({
    ...told(ports),
    async journal(leaving) {
      left.push(...leaving.map(({ about }) => about.nonce));
    },
  }));
  assert.deepEqual(left, [0, 1], 'an older database knows neither, and a gap would stop all behind it');
});

test('an error whose text nobody knows pauses nothing', async () => {
  const world = calmWorld();
  for (const id of ['a', 'b', 'c']) world.database.accept(id, [callTo(`0xc${id}`)]);
  await looks(world, 12, (ports) => ({
    ...ports,
    chain: {
      ...ports.chain,
      async send(attempt) {
        await ports.chain.send(attempt);
        throw new Error('-32099: ñandú');
      },
    },
  }));
  assert.deepEqual(outcomesOf(world), ['CONFIRMED', 'CONFIRMED', 'CONFIRMED']);
});

test('a key that is used elsewhere is found, and its relayer binds nothing more', async () => {
  const world = calmWorld();
  world.database.accept('e', [callTo('0xc1')]);
  // Somebody else was faster with the same nonce.
  await look(world, (ports) => ({ ...ports, chain: { ...ports.chain, send: async () => {} } }));
  const fees = { maxFeePerGasWei: 900n, maxPriorityFeePerGasWei: 2n };
  const { raw } = signed({ to: '0xee', data: '0x', valueWei: 1n, ...fees, nonce: 0 });
  await world.chain.send(raw);
  world.chain.mine();
  await looks(world, 12);
  world.database.accept('later', [callTo('0xc2')]);
  await looks(world, 12);
  assert.deepEqual(outcomesOf(world), ['REPLACED', undefined]);
  assert.equal(world.database.relayer().disabled, 'KEY_USED_ELSEWHERE');
  assert.deepEqual([timesOf(world, '0xc1'), timesOf(world, '0xc2')], [0, 0]);
});

test('a call in capitals that an older database lost is found as its own, not as another one', async () => {
  const world = calmWorld();
  world.database.accept('e', [{ ...callTo('0xC1'), data: '0xAA' }]);
  // What the database knew before it was signed, and is put back to.
  await look(world, (ports) => ({ ...ports, chain: { ...ports.chain, send: async () => {} } }));
  const fees = { maxFeePerGasWei: 900n, maxPriorityFeePerGasWei: 2n };
  const { raw } = signed({ to: '0xc1', data: '0xaa', valueWei: 0n, ...fees, nonce: 0 });
  await world.chain.send(raw);
  world.chain.mine();
  await looks(world, 12);
  assert.deepEqual(outcomesOf(world), ['CONFIRMED']);
  assert.equal(world.database.relayer().disabled, undefined);
});

test('cancelling one transaction strands none of those behind it', async () => {
  const world = calmWorld();
  world.chain.baseFee = 10_000n; // Nothing is mined at the cap.
  for (const id of ['a', 'b', 'c']) world.database.accept(id, [callTo(`0xc${id}`)]);
  await looks(world, 2);
  world.database.cancel('a/0');
  await looks(world, 2);
  world.chain.baseFee = 10n;
  await looks(world, 14);
  assert.deepEqual(outcomesOf(world), ['CANCELLED', 'CONFIRMED', 'CONFIRMED']);
  assert.equal(timesOf(world, '0xca'), 0);
});

test('a fee bump that lost to the first attempt is not sent with another nonce', async () => {
  const world = calmWorld();
  world.database.accept('e', [callTo('0xc1')]);
  await look(world);
  world.chain.baseFee = 4800n;
  await looks(world, 4);
  const [row] = world.database.rows();
  assert.ok(row && row.attempts.length > 1, 'it was bumped');
  // A block maker has kept the first one all the time, and knows no other.
  world.chain.forget(() => true);
  world.chain.baseFee = 10n;
  await world.chain.send(row.attempts[0]?.raw ?? '0x');
  assert.equal(world.chain.transactions().length, 0);
  world.chain.mine();
  await looks(world, 12);
  assert.deepEqual([outcomesOf(world), timesOf(world, '0xc1')], [['CONFIRMED'], 1]);
  assert.equal(world.chain.transactions().length, 1);
});

test('a gap of 24 nonces is closed', async () => {
  const world = calmWorld();
  const many = { ...RULES, mostPending: 30 };
  for (let index = 0; index < 25; index += 1) world.database.accept(`e${index}`, [callTo(`0xc${index}`)]);
  const ports = portsOf(world);
  const sent = { upTo: -1, lately: new Set<Hex>() };
  const silent = { ...ports, chain: { ...ports.chain, send: async () => {} } };
  await advance('r', silent, many, () => sent);
  // Only the last of them arrived.
  const last = world.database.rows().at(-1)?.attempts.at(-1);
  assert.ok(last);
  await world.chain.send(last.raw);
  await looks(world, 14);
  assert.ok(outcomesOf(world).every((as) => as === 'CONFIRMED'));
  assert.equal(world.chain.transactions().length, 25);
});

test('what is too late is cancelled at its nonce, or ends without one', async () => {
  const world = calmWorld();
  world.chain.baseFee = 10_000n;
  world.database.accept('bound', [callTo('0xc1', 5 * 12_000)]);
  await looks(world, 10);
  world.database.accept('never', [callTo('0xc2', 5 * 12_000)]);
  world.chain.baseFee = 10n;
  await looks(world, 14);
  assert.deepEqual(outcomesOf(world), ['CANCELLED', 'EXPIRED']);
  assert.deepEqual([timesOf(world, '0xc1'), timesOf(world, '0xc2')], [0, 0]);
});

test('a nonce that another process has bound since the last look is not taken for an unknown one', async () => {
  const world = calmWorld();
  for (const id of ['a', 'b']) world.database.accept(id, [callTo(`0xc${id}`)]);
  let isFirst = true;
  await look(world, (ports) => ({
    ...ports,
    chain: {
      ...ports.chain,
      async look(relayer, bound) {
        // Between the two readings the other one binds, sends, and a block comes.
        if (isFirst) {
          isFirst = false;
          await look(world);
          world.chain.mine();
        }
        return ports.chain.look(relayer, bound);
      },
    },
  }));
  assert.equal(world.database.relayer().disabled, undefined);
  await looks(world, 12);
  assert.deepEqual(outcomesOf(world), ['CONFIRMED', 'CONFIRMED']);
});

test('a replacement is dearer than each attempt before, also where the newest is not the dearest', async () => {
  const world = calmWorld();
  world.database.accept('e', [callTo('0xc1')]);
  await look(world);
  const [row] = world.database.rows();
  const first = row?.attempts[0];
  assert.ok(row && first);
  // Two processes signed for the nonce at the same time, the later one when blocks were cheaper.
  const dear = { ...first, fees: { maxFeePerGasWei: 1000n, maxPriorityFeePerGasWei: 8n } };
  const cheap = { ...first, fees: { maxFeePerGasWei: 100n, maxPriorityFeePerGasWei: 2n } };
  const now = world.chain.look([]);
  const later = { ...now, head: { ...now.head, number: first.signedAtBlock + RULES.bumpAfterBlocks } };
  const sent = { upTo: -1, lately: new Set<Hex>() };
  const both = [{ ...row, attempts: [dear, cheap] }];
  const [act] = nextActs(world.database.relayer(), both, later, RULES, sent);
  assert.ok(act?.do === 'SIGN');
  assert.ok(act.fees.maxFeePerGasWei >= 1100n && act.fees.maxPriorityFeePerGasWei >= 9n);
});

test('calls are judged at once, and one that cannot be judged holds up none before it', async () => {
  const world = calmWorld();
  world.database.accept('early', [callTo('0xc1')]);
  await look(world, (ports) => ({ ...ports, mayLeave: () => Promise.resolve(false) }));
  for (const to of ['0xc2', '0xc3', '0xc4'] as const) world.database.accept(to, [callTo(to)]);
  let [judging, most] = [0, 0];
  const judge =
    (ports: RelayPorts): RelayPorts['judge'] =>
    async (about, at) => {
      most = Math.max(most, (judging += 1));
      await new Promise(setImmediate);
      judging -= 1;
      if (about.call.to === '0xc4') throw new Error('no node answers for this one');
      return ports.judge(about, at);
    };
  const told = (ports: RelayPorts) => ({
    ...ports,
    judge: judge(ports),
    mayLeave: () => Promise.resolve(true),
  });
  for (let block = 0; block < 20; block += 1) {
    await look(world, told).catch(() => undefined);
    world.chain.mine();
  }
  assert.equal(most, 3);
  assert.deepEqual(outcomesOf(world), ['CONFIRMED', 'CONFIRMED', 'CONFIRMED', undefined]);
  assert.deepEqual(
    ['0xc1', '0xc2', '0xc3', '0xc4'].map((to) => timesOf(world, to as Hex)),
    [1, 1, 1, 0],
  );
});
