import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

test('a process goes on when nobody reads its notes any more', async () => {
  const program = `
    import { setTimeout as sleep } from 'node:timers/promises';
    import { processTerminal } from ${JSON.stringify(import.meta.resolve('./terminal.ts'))};
    const { notes } = processTerminal();
    notes.write('It runs');
    process.stdin.once('end', async () => {
      for (const note of ['one', 'two']) {
        notes.write(note);
        await sleep(20);
      }
      process.exit(7);
    });
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  const ended = once(child, 'exit');
  await once(child.stderr, 'data');
  child.stderr.destroy();
  child.stdin.end();
  assert.deepEqual(await ended, [7, null]);
});
