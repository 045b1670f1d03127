import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnHeld } from './heldProcess.ts';
import { processIdentity } from './processes.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'fw-held-'));
});
after(() => rmSync(folder, { recursive: true }));

/** A program that writes its id and its arguments to the file that the first of them names. */
function hold(file: string, ...args: string[]) {
  const program =
    'fs.writeFileSync(process.argv[1], JSON.stringify([process.pid, ...process.argv.slice(2)]))';
  return spawnHeld(process.execPath, ['--eval', program, file, ...args], {});
}

test('A held program begins when it is told to, in the process that was made for it', async () => {
  const file = join(folder, 'told');
  const args = ['two words', '$HOME', '"', ''];
  const { child, begin } = hold(file, ...args);
  assert.ok(child.pid);
  const identity = processIdentity(child.pid);
  assert.ok(identity);
  begin();
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), [child.pid, ...args]);
});

test('A held program never runs if its holder ends before it is told to begin', async () => {
  const file = join(folder, 'unnamed');
  const { child } = hold(file);
  assert.ok(child.pid);
  // Longer than the program would need.
  await sleep(500);
  assert.equal(existsSync(file), false);
  assert.ok(processIdentity(child.pid));
  // The system closes the pipe of a process that ends.
  child.stdin?.destroy();
  await once(child, 'exit');
  assert.equal(existsSync(file), false);
});

test('A program that does not exist gives an exit code', async () => {
  const { child, begin } = spawnHeld(join(folder, 'nothing'), [], {});
  begin();
  const [code] = await once(child, 'exit');
  assert.equal(code, 127);
});
