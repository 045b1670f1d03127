import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from './process.ts';

const run = (source: string) =>
  runCommand(process.execPath, ['-e', source], { output: 'collected', graceMs: 300 });
/** Dead processes that nobody has waited for yet do not count as alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('a command tells its exit code and everything it wrote', async () => {
  const { exitCode, output, leftBehind } = await run(
    'console.log("out"); console.error("err"); process.exit(3)',
  );
  assert.equal(exitCode, 3);
  assert.deepEqual(output.split('\n').sort(), ['', 'err', 'out']);
  assert.deepEqual(leftBehind, []);
});

test('a command that a signal ends has the exit code of a shell', async () => {
  assert.equal((await run('process.kill(process.pid, "SIGKILL")')).exitCode, 137);
});

test('what a command leaves running is named and killed', {
  skip: process.platform !== 'linux',
}, async () => {
  const orphan = 'setInterval(() => {}, 1000)';
  const { exitCode, output, leftBehind } = await run(
    `const child = require('node:child_process').spawn(process.execPath, ['-e', '${orphan}'], { stdio: 'ignore', detached: true });
     console.log(child.pid); child.unref(); process.exit(0);`,
  );
  assert.equal(exitCode, 0);
  assert.equal(leftBehind.length, 1);
  assert.match(leftBehind[0] ?? '', /setInterval/);
  assert.ok(Number(output) > 0);
  while (isAlive(Number(output))) await sleep(10);
});

test('a command that does not end by its deadline is ended', async () => {
  const { exitCode } = await runCommand(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    output: 'collected',
    deadlineMs: 50,
  });
  assert.equal(exitCode, 143);
});

test('a signal to the runner reaches what its command started', {
  skip: process.platform === 'win32',
}, async () => {
  const inner = `require('node:child_process').spawn(process.execPath, ['-e', 'console.log(process.pid); setInterval(() => {}, 1000)'], { stdio: 'inherit' })`;
  const outer = `import { runCommand } from ${JSON.stringify(join(import.meta.dirname, 'process.ts'))};
    const { exitCode } = await runCommand(process.execPath, ['-e', ${JSON.stringify(inner)}], { output: 'shown' });
    process.exitCode = exitCode;`;
  const runner = spawn(process.execPath, ['--input-type=module', '-e', outer], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = (await once(runner.stdout, 'data')) as [Buffer];
  const pid = Number(chunk.toString());
  assert.ok(isAlive(pid));
  runner.kill('SIGTERM');
  await Promise.all([once(runner, 'exit'), text(runner.stdout)]);
  assert.equal(runner.exitCode, 143);
  while (isAlive(pid)) await sleep(10);
});
