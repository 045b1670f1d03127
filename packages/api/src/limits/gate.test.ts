import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnswerKind, type Asker, createAdmissionGate, type GateLimits } from './gate.ts';
import { GATE_LIMITS } from './limits.ts';
import { createThreadShares } from './thread.ts';

const ONE = { all: 1, alone: 1 };

/** A gate whose time stands still, except while work runs. `arrive` reads the requests that have arrived. */
function gateOf(limits: Partial<GateLimits> = {}) {
  let nowMs = 1_000;
  let turns: (() => void)[] = [];
  const gate = createAdmissionGate(
    { ...GATE_LIMITS, ...limits },
    { nowMs: () => nowMs, busyMs: () => nowMs, afterArrivals: (turn) => turns.push(turn) },
  );
  const ran: string[] = [];
  return {
    gate,
    ran,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Asks for work that uses the thread for some milliseconds. */
    ask: (name: string, asker: Asker, ms: number) =>
      gate.now(asker, () => {
        ran.push(name);
        nowMs += ms;
      }),
    /** Runs one turn. Returns whether there was one. */
    turn: () => {
      const due = turns;
      turns = [];
      for (const turn of due) turn();
      return due.length > 0;
    },
  };
}

const of = (organisationId: string): Asker => ({ organisationId, operation: 'getQuote' });

/** Work that waits until it is released, and then has an answer of some kind. */
function held(kind: AnswerKind) {
  const { promise, resolve } = Promise.withResolvers<AnswerKind>();
  return { work: () => promise, release: () => resolve(kind) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a request runs at once when no other request waits', () => {
  const { ask, ran } = gateOf();
  assert.equal(ask('first', of('a'), 0.1), undefined);
  assert.equal(ask('second', of('b'), 0.1), undefined);
  assert.deepEqual(ran, ['first', 'second']);
});

test('fifty requests of one organisation do not delay the turn of another organisation', () => {
  const { ask, ran, turn } = gateOf();
  for (let number = 1; number <= 50; number += 1) void ask(`many ${number}`, of('many'), 5);
  void ask('few', of('few'), 1);
  while (turn());
  assert.equal(ran.length, 51);
  assert.equal(ran.indexOf('few'), 1, `only the request that ran already was before it: ${ran.join(', ')}`);
});

test('organisations share the time of the thread, not the number of requests', () => {
  const { ask, ran, turn } = gateOf();
  for (let number = 0; number < 40; number += 1) {
    void ask('dear', of('dear'), 8);
    void ask('cheap', of('cheap'), 1);
  }
  while (ran.filter((name) => name === 'dear').length < 5) assert.ok(turn());
  const cheap = ran.filter((name) => name === 'cheap').length;
  assert.ok(cheap >= 30, `${cheap} cheap requests ran beside five that take eight times as long`);
});

test('an organisation that was idle for long has no right to delay others for long', () => {
  const { ask, ran, turn } = gateOf();
  void ask('new', of('new'), 1);
  for (let number = 0; number < 1_000; number += 1) {
    void ask('busy', of('busy'), 1);
    while (turn());
  }
  ran.length = 0;
  for (let number = 0; number < 100; number += 1) void ask('new', of('new'), 1);
  for (let number = 0; number < 100; number += 1) void ask('busy', of('busy'), 1);
  while (turn());
  const first = ran.indexOf('busy');
  assert.ok(first <= 20, `${first} requests of the new organisation ran before one of the busy one`);
});

test('one turn uses the thread for a short time, so that new requests are read in between', () => {
  const { ask, ran, turn } = gateOf();
  for (let number = 0; number < 20; number += 1) void ask('a', of('a'), 1);
  const before = ran.length;
  turn();
  assert.ok(ran.length - before <= 3, `${ran.length - before} requests of 1 ms ran in one turn`);
});

test('one organisation does not take all places, and another one runs at once beside it', async () => {
  const { gate } = gateOf({ places: { ...GATE_LIMITS.places, CHAIN: { all: 6, alone: 4 } } });
  const started: string[] = [];
  const { work, release } = held('one kind');
  const send = (organisationId: string) =>
    gate.run({ organisationId, operation: 'planSwap' }, 'CHAIN', () => {
      started.push(organisationId);
      return work();
    });
  const sent = ['many', 'many', 'many', 'many', 'many', 'many', 'few'].map(send);
  assert.deepEqual(started, ['many', 'many', 'many', 'many', 'few']);
  release();
  await Promise.all(sent.slice(0, 4));
});

/** A gate with four places for swaps of an organisation that is alone. */
function swapGate() {
  const { gate, pass, turn } = gateOf({ places: { ...GATE_LIMITS.places, CHAIN: { all: 20, alone: 4 } } });
  const send = (organisationId: string, work: () => Promise<AnswerKind>) =>
    gate.run({ organisationId, operation: 'planSwap' }, 'CHAIN', work);
  return {
    pass,
    send,
    /** Sends swaps of one organisation at once that end one after another. `kind` is that of their answers. */
    swap: async (organisationId: string, kind: AnswerKind, tookMs: readonly number[]) => {
      const swaps = tookMs.map(() => held(kind));
      const answers = swaps.map(({ work }) => send(organisationId, work));
      for (const [index, { release }] of swaps.entries()) {
        pass(tookMs[index] ?? 0);
        release();
        await answers[index];
        turn();
      }
    },
    /** How many of four swaps of an organisation run at the same time beside another organisation. */
    countBeside: () => {
      let started = 0;
      void send('few', async () => '200');
      for (let number = 0; number < 4; number += 1) {
        void send('many', () => {
          started += 1;
          return new Promise(() => {});
        });
      }
      return started;
    },
  };
}

test('while swaps are delayed, an organisation has fewer places beside another one', async () => {
  const { pass, send, swap, countBeside } = swapGate();
  await swap('few', '200', [10, ...Array.from({ length: 20 }, () => 50)]);
  assert.equal(countBeside(), 1);
  pass(1_000);
  let started = 1;
  for (let number = 0; number < 4; number += 1)
    void send('many', async () => {
      started += 1;
      return '200';
    });
  assert.equal(started, 4, 'an organisation that was alone for a second has four');
});

test('swaps that are refused quickly do not take places from swaps that are answered', async () => {
  const { swap, countBeside } = swapGate();
  for (let round = 0; round < 30; round += 1) {
    await swap('few', undefined, [1]);
    await swap('many', '200', [10, 10]);
  }
  assert.equal(countBeside(), 2, 'the number that ever wanted to run at the same time');
});

test('waiting requests get the places that become free, in fair turns', async () => {
  const { gate, pass, turn } = gateOf({ places: { ...GATE_LIMITS.places, LIST: ONE } });
  const started: string[] = [];
  const works = Array.from({ length: 4 }, () => held('one kind'));
  const asked = ['many', 'many', 'many', 'few'].map((organisationId, index) =>
    gate.run({ organisationId, operation: 'listPayments' }, 'LIST', () => {
      started.push(`${organisationId} ${index}`);
      return works[index]?.work() ?? assert.fail();
    }),
  );
  pass(5);
  works[0]?.release();
  await settled();
  turn();
  assert.deepEqual(started, ['many 0', 'few 3']);
  for (const { release } of works) release();
  for (let round = 0; round < 4; round += 1) {
    await settled();
    turn();
  }
  assert.deepEqual(await Promise.all(asked), [undefined, undefined, undefined, undefined]);
});

test('a request that has waited too long is refused with a time to retry', async (t) => {
  const { gate, pass, turn } = gateOf({ places: { ...GATE_LIMITS.places, CHAIN: ONE }, waitMs: 500 });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { work, release } = held('one kind');
  const asker: Asker = { organisationId: 'a', operation: 'planSwap' };
  const running = gate.run(asker, 'CHAIN', work);
  let ran = false;
  const late = gate.run(asker, 'CHAIN', async () => {
    ran = true;
    return '200';
  });
  pass(499);
  t.mock.timers.tick(20);
  pass(1);
  t.mock.timers.tick(20);
  const refused = await late;
  assert.deepEqual([refused?.code, refused?.retryAfterSeconds], ['overloaded', 1]);
  release();
  assert.equal(await running, undefined);
  while (turn());
  assert.equal(ran, false);
});

test('waiting requests are bounded, with an equal share for each organisation that waits', async () => {
  const { gate, ask } = gateOf({ waiting: 10 });
  void ask('uses the turn', of('a'), 5);
  const many = Array.from({ length: 12 }, () => ask('a', of('a'), 1));
  assert.equal(many.filter((answer) => answer instanceof Promise).length, 10);
  assert.deepEqual(
    many.slice(10).map((answer) => (answer instanceof Promise ? 'waits' : answer?.retryAfterSeconds)),
    [1, 1],
  );
  assert.ok(gate.isFull('a'));
  assert.ok(!gate.isFull('b'), 'another organisation can still wait');
  const other = Array.from({ length: 6 }, () => ask('b', of('b'), 1));
  assert.equal(other.filter((answer) => answer instanceof Promise).length, 5);
});

test('work that fails frees its place, and its error reaches the caller', async () => {
  const { gate, ask, turn } = gateOf({ places: { ...GATE_LIMITS.places, CHAIN: ONE } });
  const asker: Asker = { organisationId: 'a', operation: 'planSwap' };
  for (let round = 0; round < 3; round += 1) {
    await assert.rejects(
      gate.run(asker, 'CHAIN', () => Promise.reject(new Error('a bug'))),
      /a bug/,
    );
    turn();
  }
  assert.equal(await gate.run(asker, 'CHAIN', async () => '200'), undefined);
  void ask('uses the turn', of('a'), 5);
  const waiting = gate.now(of('a'), () => {
    throw new Error('another bug');
  });
  turn();
  await assert.rejects(Promise.resolve(waiting), /another bug/);
});

test('time on the thread is charged once, in equal parts to the requests that are under way', () => {
  let busyMs = 0;
  const shares = createThreadShares(() => busyMs);
  const first = shares.begin();
  busyMs += 10;
  const second = shares.begin();
  busyMs += 6;
  const costOfSecond = shares.end(second);
  shares.exclude(4);
  busyMs += 5;
  assert.equal(costOfSecond, 3);
  assert.equal(shares.end(first), 10 + 3 + 1);
});

test('a waiting request starts when its organisation becomes alone, without another event', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { gate, pass, turn } = gateOf();
  const send = (organisationId: string, work: () => Promise<AnswerKind>) =>
    gate.run({ organisationId, operation: 'planSwap' }, 'CHAIN', work);
  await send('other', async () => '200');
  turn();
  const { work, release } = held('one kind');
  const slow = send('own', work);
  turn();
  let started = false;
  const next = send('own', async () => {
    started = true;
    return '200';
  });
  assert.equal(started, false);
  pass(1_000);
  t.mock.timers.tick(20);
  turn();
  assert.equal(started, true);
  release();
  await Promise.all([slow, next]);
});
