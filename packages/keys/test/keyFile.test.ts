// Keys from files and from bytes: what is read, and what is refused without being shown.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readKey } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-keys-'));
after(() => rmSync(folder, { recursive: true }));
const DIGITS = '5c'.repeat(32);

function file(name: string, text: string, mode = 0o400): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

async function detailOf(path: string): Promise<string> {
  const read = await readKey({ kind: 'FILE', id: 'k1', path });
  assert.ok(!read.ok);
  assert.equal(read.reason, 'KEY_UNUSABLE');
  assert.ok(!read.detail.includes('5c5c'));
  return read.detail;
}

test('a key is read from a file that its owner, or its group too, can read', async () => {
  const key = { id: 'k1', key: Buffer.from(DIGITS, 'hex') };
  for (const [name, mode] of Object.entries({ owner: 0o400, written: 0o600, group: 0o440 })) {
    const path = file(name, `${DIGITS.toUpperCase()}\n`, mode);
    assert.deepEqual(await readKey({ kind: 'FILE', id: 'k1', path }), { ok: true, key });
  }
  // Kubernetes mounts secrets as links to files.
  symlinkSync(join(folder, 'owner'), join(folder, 'link'));
  assert.ok((await readKey({ kind: 'FILE', id: 'k1', path: join(folder, 'link') })).ok);
});

test('a key file that others can read or its group can change is refused with a remedy', async () => {
  for (const mode of [0o404, 0o444, 0o644, 0o602, 0o620, 0o401]) {
    const path = file(`open${mode}`, DIGITS, mode);
    const wrong = 'can be read by other users or changed by its group; run: chmod 0400';
    assert.equal(await detailOf(path), `The key k1 cannot be used: ${path} ${wrong} ${path}`);
  }
});

test('a key file that is missing, of another kind or without 64 digits is refused and not shown', async () => {
  assert.match(await detailOf(join(folder, 'none')), /there is no file/);
  assert.match(await detailOf(folder), /is not a file/);
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  assert.match(await detailOf(pipe), /is not a file/);
  for (const [index, text] of [
    '',
    DIGITS.slice(1),
    `${DIGITS}5c`,
    `${DIGITS.slice(2)}zz`,
    `k1:${DIGITS}`,
  ].entries())
    assert.match(await detailOf(file(`bad${index}`, text)), /must hold 32 bytes as 64 hexadecimal digits/);
  assert.match(await detailOf(file('long', DIGITS.repeat(100))), /is longer than 4096 bytes/);
});

test('bytes that are given must be 32', async () => {
  const key = Buffer.from(DIGITS, 'hex');
  assert.deepEqual(await readKey({ kind: 'BYTES', id: 'k1', key }), { ok: true, key: { id: 'k1', key } });
  const short = await readKey({ kind: 'BYTES', id: 'k1', key: key.subarray(1) });
  assert.ok(!short.ok && short.detail === 'The key k1 cannot be used: it must have 32 bytes.');
});
