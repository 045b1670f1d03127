// A pacer against a node that bears so many requests a second, on a clock of the test.
import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { createPacer } from './pacer.ts';
import { RpcBusyError } from './errors.ts';

const FOR_EVER = Number.POSITIVE_INFINITY;
/** How long the node of these tests takes to answer. */
const ANSWER_MS = 50;

let nowMs: number;
beforeEach((context) => {
  nowMs = 0;
  mock.timers.enable({ apis: ['setTimeout'] });
  if ('after' in context) context.after(() => mock.timers.reset());
});

/** Lets the time pass in steps of a millisecond, with all that is due. */
async function pass(milliseconds: number): Promise<void> {
  for (let step = 0; step < milliseconds; step++) {
    nowMs++;
    mock.timers.tick(1);
    for (let turn = 0; turn < 4; turn++) await Promise.resolve();
  }
}

/** Keeps so many requests waiting at a node that bears `perSecond`, and counts. */
function load(pacer: ReturnType<typeof createPacer>, perSecond: number, isBackground = true) {
  const counts = { answered: 0, refused: 0 };
  let tokens = perSecond;
  let filledAtMs = 0;
  async function ask(): Promise<void> {
    for (;;) {
      await pacer.turn(isBackground, FOR_EVER);
      const sentAtMs = nowMs;
      tokens = Math.min(perSecond, tokens + ((nowMs - filledAtMs) * perSecond) / 1000);
      filledAtMs = nowMs;
      const isBorne = tokens >= 1;
      if (isBorne) tokens--;
      await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
      if (isBorne) {
        counts.answered++;
        pacer.answered();
      } else {
        counts.refused++;
        pacer.refused(sentAtMs, undefined);
      }
      pacer.finished();
    }
  }
  for (let width = 0; width < 16; width++) ask().catch(() => undefined);
  return counts;
}

for (const perSecond of [3, 15, 100])
  test(`a node that bears ${perSecond} requests a second is used well and rarely asked too often`, async () => {
    const pacer = createPacer(() => nowMs);
    const counts = load(pacer, perSecond);
    await pass(60_000);
    const { answered, refused } = { ...counts };
    assert.ok(answered > 0.75 * 60 * perSecond, `${answered} of ${60 * perSecond} answered`);
    // Sixteen were under way before it refused the first; then it is tried every few seconds.
    assert.ok(refused < 16 + 20, `${refused} refused`);
    pacer.close(new Error('the end'));
  });

test('without a refusal nothing waits, but only so many are under way', async () => {
  const pacer = createPacer(() => nowMs);
  const counts = load(pacer, 1_000_000);
  await pass(1000);
  assert.ok(counts.answered >= 16 * (1000 / ANSWER_MS) - 16, String(counts.answered));
  pacer.close(new Error('the end'));
  const wide = createPacer(() => nowMs);
  let sent = 0;
  for (let each = 0; each < 100; each++)
    wide.turn(each % 2 === 0, FOR_EVER).then(
      () => sent++,
      () => undefined,
    );
  await pass(1);
  assert.equal(sent, 32);
  wide.close(new Error('the end'));
});

test('what somebody waits for goes first, and the background has its share', async () => {
  const pacer = createPacer(() => nowMs);
  pacer.refused(0, 1000);
  const order: string[] = [];
  const wait = (name: string, isBackground: boolean) =>
    void pacer.turn(isBackground, FOR_EVER).then(() => {
      order.push(name);
      pacer.finished();
    });
  for (let each = 0; each < 4; each++) wait('background', true);
  for (let each = 0; each < 8; each++) wait('live', false);
  assert.ok(pacer.waitMs(false) < pacer.waitMs(true));
  await pass(20_000);
  const live = (count: number) => Array.from({ length: count }, () => 'live');
  assert.deepEqual(order, [
    ...live(3),
    'background',
    ...live(3),
    'background',
    ...live(2),
    'background',
    'background',
  ]);
});

test('a request is not kept waiting for a turn that comes too late', async () => {
  const pacer = createPacer(() => nowMs);
  pacer.refused(0, 1000);
  await assert.rejects(pacer.turn(false, 500), RpcBusyError);
  const waits = assert.rejects(pacer.turn(false, 5000), RpcBusyError);
  pacer.refused(1, 60_000);
  await waits;
});

test('a pause that the node wants is kept, and one round of refusals halves once', async () => {
  const pacer = createPacer(() => nowMs);
  for (let each = 0; each < 40; each++) pacer.answered();
  nowMs = 10;
  for (let each = 0; each < 10; each++) pacer.refused(5, 2000);
  let sent = 0;
  const ask = () =>
    void pacer.turn(false, FOR_EVER).then(
      () => {
        sent++;
        pacer.finished();
      },
      () => undefined,
    );
  for (let each = 0; each < 41; each++) ask();
  await pass(1999);
  assert.equal(sent, 0);
  // Twenty a second: half of the forty that it answered.
  await pass(201 + 1000);
  assert.ok(sent >= 20 && sent <= 25, String(sent));
  pacer.close(new Error('the end'));
});

test('an idle pacer keeps no timer, and a closed one rejects what waits and what comes', async () => {
  // Other files of the process may have timers of their own.
  const timerCount = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timerCount();
  const pacer = createPacer(() => nowMs);
  pacer.refused(0, 100);
  assert.equal(timerCount(), before);
  const waits = assert.rejects(pacer.turn(true, FOR_EVER), /the end/);
  pacer.close(new Error('the end'));
  await waits;
  await assert.rejects(pacer.turn(true, FOR_EVER), /the end/);
});

test('behind a node that hangs nobody waits longer than they can: they ask another', async () => {
  const pacer = createPacer(() => nowMs);
  const [hangs, patience, count] = [3_000, 3_000, 200];
  const ends: { atMs: number; busy: boolean }[] = [];
  const ask = async () => {
    try {
      await pacer.turn(false, patience);
      await new Promise((resolve) => setTimeout(resolve, hangs));
      pacer.finished();
      ends.push({ atMs: nowMs, busy: false });
    } catch (error) {
      ends.push({ atMs: nowMs, busy: error instanceof RpcBusyError });
    }
  };
  for (let index = 0; index < count; index++) void ask();
  await pass(2 * hangs + 10);
  assert.equal(ends.length, count);
  assert.ok(ends.some(({ busy }) => busy));
  for (const { atMs, busy } of ends) assert.ok(!busy || atMs <= patience + 5, `waited until ${atMs}`);
});
