import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity } from '@fairway/processes';

/** A program that makes a folder and starts a process of its own, prints both, and ends as `end` says. */
function startProgram(end: string) {
  const source = `
    const harness = await import(${JSON.stringify(join(import.meta.dirname, 'processHarness.ts'))});
    const folder = harness.freshFolder();
    const { child } = harness.launch([process.execPath, '--eval', 'setInterval(() => {}, 1000)']);
    console.log(JSON.stringify({ pid: child.pid, folder }));
    ${end}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

for (const [way, end] of [
  ['an error that nothing catches', "throw new Error('planted');"],
  ['SIGKILL', "process.kill(process.pid, 'SIGKILL');"],
] as const)
  test(`a test program that ends by ${way} leaves no process and no folder`, async () => {
    const child = startProgram(end);
    const [line] = await once(child.stdout, 'data');
    const { pid, folder } = JSON.parse(String(line)) as { pid: number; folder: string };
    const deadlineMs = performance.now() + 30_000;
    while (processIdentity(pid) !== undefined || existsSync(folder)) {
      assert.ok(performance.now() < deadlineMs, `process ${pid} or its folder ${folder} is still there`);
      await sleep(50);
    }
  });
