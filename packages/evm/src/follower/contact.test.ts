import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Head } from '../types.ts';
import { createContact } from './contact.ts';

function blockAt(number: bigint, timestampSeconds = 0n): Head {
  return { number, hash: `0x${number}`, parentHash: '0x', timestampSeconds, baseFeePerGas: 0n };
}

function contactAt(options: { maxBlockAgeMs?: number } = {}) {
  const time = { ms: 0 };
  const clock = { nowMs: () => time.ms, monotonicMs: () => time.ms };
  return { time, contact: createContact({ pollIntervalMs: 1000, staleAfterMs: 5000, ...clock, ...options }) };
}

test('a market whose node has never answered is stale', () => {
  const { contact } = contactAt();
  assert.equal(contact.ageMs(), undefined);
  assert.partialDeepStrictEqual(contact.freshness(undefined), { fresh: false, why: 'NO_CONTACT' });
});

test('the market is stale while the node has been silent for longer than the limit', () => {
  const { contact, time } = contactAt();
  const head = blockAt(1n);
  contact.heard(head, head);
  time.ms = 5000;
  assert.deepEqual(contact.freshness(head), { fresh: true });
  time.ms = 5001;
  assert.partialDeepStrictEqual(contact.freshness(head), { fresh: false, why: 'NO_CONTACT' });
  contact.heard(head, head);
  assert.deepEqual(contact.freshness(head), { fresh: true });
});

test('a market may be behind for as long as the limit, counted from the first missed block', () => {
  const { contact, time } = contactAt();
  const [followed, latest] = [blockAt(1n), blockAt(4n)];
  contact.heard(latest, followed);
  assert.equal(contact.lagBlocks(followed), 3n);
  for (time.ms = 1000; time.ms <= 5000; time.ms += 1000) contact.heard(latest, followed);
  time.ms = 5000;
  assert.deepEqual(contact.freshness(followed), { fresh: true });
  time.ms = 5001;
  contact.heard(latest, followed);
  assert.partialDeepStrictEqual(contact.freshness(followed), { fresh: false, why: 'LAGGING' });
  contact.reached(latest, time.ms);
  assert.deepEqual(contact.freshness(latest), { fresh: true });
});

test('a market stays fresh on a chain with blocks faster than one reading', () => {
  const { contact, time } = contactAt();
  let followed = blockAt(0n);
  for (let number = 1n; number < 100n; number++) {
    const heardAtMs = contact.heard(blockAt(number), followed);
    time.ms += 200;
    contact.heard(blockAt(number + 1n), followed);
    followed = blockAt(number);
    contact.reached(followed, heardAtMs);
    assert.deepEqual(contact.freshness(followed), { fresh: true });
  }
});

test('the age of the latest block counts only where a maximum is configured', () => {
  const old = blockAt(1n, 0n);
  const unlimited = contactAt();
  const limited = contactAt({ maxBlockAgeMs: 60_000 });
  for (const { contact, time } of [unlimited, limited]) {
    time.ms = 61_000;
    contact.heard(old, old);
  }
  assert.deepEqual(unlimited.contact.freshness(old), { fresh: true });
  assert.partialDeepStrictEqual(limited.contact.freshness(old), { fresh: false, why: 'BLOCK_TOO_OLD' });
});

test('a block from far ahead of this clock is not fresh, one from a little ahead is', () => {
  const { contact } = contactAt({ maxBlockAgeMs: 60_000 });
  for (const seconds of [15n, 16n]) {
    const ahead = blockAt(1n, seconds);
    contact.heard(ahead, ahead);
    const expected = seconds === 15n ? { fresh: true } : { fresh: false, why: 'BLOCK_IN_FUTURE' };
    assert.partialDeepStrictEqual(contact.freshness(ahead), expected);
  }
});

test('a market that gets stale because nodes contradict each other says so, until it moves on', () => {
  const { contact, time } = contactAt();
  const head = blockAt(1n);
  contact.heard(head, head);
  contact.contradicted();
  assert.deepEqual(contact.freshness(head), { fresh: true });
  time.ms = 5001;
  assert.partialDeepStrictEqual(contact.freshness(head), { fresh: false, why: 'NODES_DISAGREE' });
  // The nodes agree on a new head, but not yet on its logs.
  const next = blockAt(2n);
  contact.heard(next, head);
  contact.contradicted();
  time.ms = 10_002;
  contact.heard(next, head);
  assert.partialDeepStrictEqual(contact.freshness(head), { fresh: false, why: 'NODES_DISAGREE' });
  contact.reached(next, time.ms);
  assert.deepEqual(contact.freshness(next), { fresh: true });
});
