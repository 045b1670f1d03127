import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockDirectory } from './lock.ts';
import { processIdentity } from './processes.ts';

function inFolder(body: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'fw-lock-'));
  try {
    body(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('A folder in use is refused, naming its holder, and can be locked once it is released', () => {
  inFolder((folder) => {
    const first = lockDirectory(folder);
    assert.ok(first.ok);
    const second = lockDirectory(folder);
    assert.deepEqual(second, {
      ok: false,
      detail: `${folder} is in use by the running process ${process.pid}. Stop that one first, or choose another data folder.`,
    });
    first.lock.release();
    const third = lockDirectory(folder);
    assert.ok(third.ok);
    third.lock.release();
    assert.deepEqual(readdirSync(folder), []);
  });
});

test('A refusal says what the folder is held for', () => {
  inFolder((folder) => {
    const first = lockDirectory(folder, 'COMMAND');
    assert.ok(first.ok);
    const second = lockDirectory(folder, 'SERVICE');
    assert.ok(!second.ok);
    assert.equal(second.role, 'COMMAND');
    first.lock.release();
  });
});

test('The lock of an ended process is taken over, also if another process has its id now', () => {
  const identity = processIdentity(process.pid);
  for (const stale of [
    JSON.stringify({ pid: 4_194_000, identity: 'long ago' }),
    JSON.stringify({ pid: process.pid, identity: `${identity}0` }),
    'half a li',
  ]) {
    inFolder((folder) => {
      writeFileSync(join(folder, 'owner.json'), stale);
      const taken = lockDirectory(folder);
      assert.ok(taken.ok);
      assert.deepEqual(readdirSync(folder), ['owner.json']);
      taken.lock.release();
    });
  }
});
