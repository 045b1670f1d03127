import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity } from '@fairway/processes';

/** A program that starts a database, prints its process and its folder, and ends as `end` says. */
function startProgram(end: string) {
  const source = `
    const { startTestDatabase } = await import(${JSON.stringify(join(import.meta.dirname, 'database.ts'))});
    const database = await startTestDatabase();
    console.log(JSON.stringify({ pid: database.pid(), folder: database.connection.host }));
    ${end}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

for (const [way, end] of [
  ['an error that nothing catches', "throw new Error('planted');"],
  ['SIGKILL', "process.kill(process.pid, 'SIGKILL');"],
  ['SIGTERM', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);"],
] as const)
  test(`a program that ends by ${way} leaves no database and no folder`, async () => {
    const child = startProgram(end);
    const [line] = await once(child.stdout, 'data');
    const { pid, folder } = JSON.parse(String(line)) as { pid: number; folder: string };
    const deadlineMs = performance.now() + 30_000;
    while (processIdentity(pid) !== undefined || existsSync(folder)) {
      assert.ok(performance.now() < deadlineMs, `process ${pid} or its folder ${folder} is still there`);
      await sleep(50);
    }
  });
