// The journal is read again after every kind of end: what was written whole stands, what was cut off is gone.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Hex, Leaving } from '@fairway/relay';
import { openJournal } from '../src/platform/journal/journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-journal-'));
after(() => rmSync(folder, { recursive: true }));

const SENDER: Hex = '0x5e4de4';
let files = 0;
const newPath = () => join(folder, `journal-${(files += 1)}`);
const fileIn = (path: string) => join(path, 'journal');

function leaving(nonce: number): Leaving {
  const call = { chainId: 1, sender: SENDER, to: '0xc1' as Hex, data: '0xaa' as Hex, valueWei: 7n };
  const fees = { maxFeePerGasWei: 5n, maxPriorityFeePerGasWei: 2n };
  const about = {
    ...{ relayTransactionId: `é/${nonce}`, call, nonce, gasLimit: 21_000n },
    ...{ attempts: [], isCancelAsked: false },
  };
  const raw: Hex = `0x0${nonce}`;
  const attempt = { hash: raw, raw, purpose: 'EXECUTE' as const, fees, signedAtBlock: 3, wasSent: false };
  return { about, attempt };
}

async function written(path: string, ...nonces: number[]): Promise<void> {
  const journal = openJournal(path);
  for (const nonce of nonces) await journal.write([leaving(nonce)]);
  journal.close();
}

function readAgain(path: string) {
  const journal = openJournal(path);
  const read = { entries: journal.entries(), upTo: journal.sentUpTo(1, SENDER) };
  journal.close();
  return read;
}

test('what was written is read again', async () => {
  const path = newPath();
  await written(path, 0, 1);
  assert.deepEqual(readAgain(path), { entries: [leaving(0), leaving(1)], upTo: 1 });
});

test('a line that is cut off anywhere leaves those before it, and the next one is read again', async () => {
  const path = newPath();
  await written(path, 0, 1);
  const whole = readFileSync(fileIn(path));
  const second = whole.indexOf('\n') + 1;
  for (let length = second; length < whole.length; length += 1) {
    writeFileSync(fileIn(path), whole.subarray(0, length));
    await written(path, 2);
    assert.deepEqual(readAgain(path).entries, [leaving(0), leaving(2)], `cut at ${length}`);
  }
});

test('several that leave at once are all there', async () => {
  const path = newPath();
  const journal = openJournal(path);
  await Promise.all([3, 4, 5].map((nonce) => journal.write([leaving(nonce)])));
  journal.close();
  assert.deepEqual(readAgain(path).entries, [leaving(3), leaving(4), leaving(5)]);
});

test('a whole line that is no transaction is refused', async () => {
  const path = newPath();
  await written(path, 0);
  appendFileSync(fileIn(path), 'nonsense\n');
  assert.throws(() => openJournal(path), /is not a journal: line 2 cannot be read/);
});

test('an address is known from the nonce that was noted first, and as far as the last', async () => {
  const path = newPath();
  const journal = openJournal(path);
  assert.equal(journal.knownFrom(1, SENDER), undefined);
  await journal.write([leaving(8)]);
  assert.equal(journal.knownFrom(1, SENDER), undefined, 'what left does not say what left before');
  for (const next of [4, 7, 12, 9]) await journal.know(1, SENDER, next);
  journal.close();
  const again = openJournal(path);
  assert.deepEqual([again.knownFrom(1, SENDER), again.sentUpTo(1, SENDER)], [4, 11]);
  assert.equal(again.knownFrom(2, SENDER), undefined, 'another chain');
  again.close();
});

test('a long journal keeps its newest half and how far it knows each address', async () => {
  const path = newPath();
  const journal = openJournal(path);
  await journal.know(1, SENDER, 0);
  for (let nonce = 0; nonce < 8; nonce += 1) await journal.write([leaving(nonce)]);
  journal.close();
  appendFileSync(fileIn(path), 'cut o');
  const shorter = openJournal(path, 6);
  await shorter.write([leaving(9)]);
  shorter.close();
  const again = openJournal(path);
  assert.deepEqual(again.entries(), [5, 6, 7, 9].map(leaving));
  assert.deepEqual([again.knownFrom(1, SENDER), again.sentUpTo(1, SENDER)], [0, 9]);
  again.close();
});

test('a journal in use is refused, and one that is closed is not', () => {
  const path = newPath();
  const journal = openJournal(path);
  assert.throws(() => openJournal(path), /is in use by the running process \d+\. Stop that one first/);
  journal.close();
  openJournal(path).close();
});
