import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, toAddress } from '@fairway/engine';
import { createMetrics } from '../metrics/metrics.ts';
import { type AvoidedPart, createAvoided, NOTHING_AVOIDED } from './avoided.ts';

const part = (number: number): Address => toAddress(`0x${number.toString(16).padStart(40, '0')}`);

function memory() {
  let nowMs = 1_000_000;
  const told: AvoidedPart[] = [];
  const avoided = createAvoided(
    () => nowMs,
    (added) => told.push(added),
  );
  const pass = (seconds: number) => {
    nowMs += seconds * 1000;
  };
  return { avoided, told, pass };
}

test('a part that fails again and again is avoided for twice as long, up to a quarter of an hour', () => {
  const { avoided, told, pass } = memory();
  const periods: number[] = [];
  for (let failure = 0; failure < 8; failure += 1) {
    avoided.add({ tokens: [part(1)], pools: [] });
    // Another request that finds the same meanwhile changes nothing.
    avoided.add({ tokens: [part(1)], pools: [] });
    const seconds = (told.at(-1)?.periodMs ?? 0) / 1000;
    periods.push(seconds);
    pass(seconds - 1);
    assert.deepEqual([...avoided.now().tokens], [part(1)]);
    pass(1);
    assert.equal(avoided.now(), NOTHING_AVOIDED);
  }
  assert.deepEqual(periods, [30, 60, 120, 240, 480, 900, 900, 900]);
  pass(900);
  avoided.add({ tokens: [part(1)], pools: [] });
  assert.equal(told.at(-1)?.periodMs, 30_000, 'after a quiet quarter of an hour it begins anew');
});

test('what is avoided is the same value until it changes', () => {
  const { avoided, pass } = memory();
  avoided.add({ tokens: [part(1)], pools: [part(2)] });
  const before = avoided.now();
  pass(29);
  assert.equal(avoided.now(), before);
  assert.deepEqual([[...before.tokens], [...before.pools]], [[part(1)], [part(2)]]);
});

test('many parts are not remembered for ever: what failed again stays, what is new makes way', () => {
  const { avoided, pass } = memory();
  avoided.add({ tokens: [part(1)], pools: [] });
  pass(30);
  avoided.add({ tokens: [part(1)], pools: [] });
  avoided.add({ tokens: [], pools: Array.from({ length: 500 }, (_, index) => part(index + 2)) });
  const { tokens, pools } = avoided.now();
  assert.deepEqual([tokens.size, pools.size], [1, 31]);
});

test('metrics show how much is avoided, and count swaps that were planned again', async () => {
  const { avoided } = memory();
  const metrics = createMetrics();
  metrics.observeAvoided(1, avoided.now);
  const served = await metrics.listen('127.0.0.1', 0);
  try {
    avoided.add({ tokens: [part(1)], pools: [part(2), part(3)] });
    metrics.onReroute(1);
    const text = await (await fetch(served.url)).text();
    assert.match(text, /^fairway_avoided\{chain="1",kind="token"\} 1$/m);
    assert.match(text, /^fairway_avoided\{chain="1",kind="pool"\} 2$/m);
    assert.match(text, /^fairway_swaps_rerouted_total\{chain="1"\} 1$/m);
  } finally {
    await served.close();
  }
});
