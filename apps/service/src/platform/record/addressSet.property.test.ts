import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '@fairway/testing';
import { createAddressHash } from './addressHash.ts';
import { createAddressSet } from './addressSet.ts';

test('a set has what was added, however much it grows, and nothing else (printed seed)', () => {
  const random = createRandom();
  console.log(`FC_SEED=${random.seed}`);
  const set = createAddressSet();
  const known = new Set<string>();
  const word = () =>
    random
      .integer(0, 2 ** 32 - 1)
      .toString(16)
      .padStart(8, '0');
  const address = () => `0x${word()}${word()}${word()}${word()}${word()}`;
  for (let count = 0; count < 20_000; count += 1) {
    // Some end in zeros, some differ in one word alone.
    const added = count % 100 === 0 ? `${address().slice(0, 26)}${'0'.repeat(16)}` : address();
    set.add(added);
    set.add(added);
    known.add(added.slice(-16));
  }
  assert.equal(set.size(), known.size);
  for (const end of known) assert.ok(set.has(`0x${'7'.repeat(24)}${end}`), end);
  for (let count = 0; count < 20_000; count += 1) {
    const other = address();
    assert.equal(set.has(other), known.has(other.slice(-16)));
  }
  assert.equal(set.has(`0x${'0'.repeat(39)}1`), false);
  assert.equal(createAddressSet().has(`0x${'0'.repeat(40)}`), false);
});

test('addresses that are made to collide are spread over a table', () => {
  const kinds: readonly ((index: number) => readonly [high: number, low: number])[] = [
    (index) => [index, Math.imul(index, 0x9e3779b1) >>> 0],
    (index) => [index, 0],
    (index) => [0, index],
    (index) => [(index << 20) >>> 0, (index << 22) >>> 0],
  ];
  const [places, count] = [1 << 14, 1 << 12];
  for (const made of kinds) {
    const hash = createAddressHash();
    const met = new Set<number>();
    for (let index = 0; index < count; index += 1) met.add(hash(...made(index)) % places);
    assert.ok(met.size > count / 2, `${met.size} places of ${count} addresses`);
  }
  const hashes = [createAddressHash(), createAddressHash(), createAddressHash()];
  assert.ok(new Set(hashes.map((hash) => hash(1, 2))).size > 1, 'no process has the hash of another');
});
