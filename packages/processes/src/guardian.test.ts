import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGuardian } from './guardian.ts';
import { processIdentity } from './processes.ts';

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!condition()) {
    assert.ok(Date.now() < deadline, 'it did not come true within 30 s');
    await sleep(20);
  }
}

/** Runs a program that imports this package and prints one line of JSON; resolves with it and the process. */
async function startProgram<T>(program: string) {
  const index = JSON.stringify(join(import.meta.dirname, 'index.ts'));
  const source = `const { startGuardian } = await import(${index});\n${program}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (piece) => {
      text += piece;
      if (text.includes('\n')) resolve(text);
    });
    child.once('exit', (code) => reject(new Error(`the program ended (${code}): ${text}`)));
  });
  return { child, said: JSON.parse(line) as T };
}

test('The guardian ends watched processes, spares others, and removes the registered paths', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fw-guardian-'));
  const [watched, spared, stubborn] = [0, 1, 2].map((index) =>
    spawn(process.execPath, [
      '--eval',
      `${index === 2 ? "process.on('SIGTERM', () => {});" : ''} setInterval(() => {}, 1000); console.log()`,
    ]),
  );
  assert.ok(watched?.pid && spared?.pid && stubborn?.pid);
  // The process must have its signal handler before it is asked to end.
  await once(stubborn.stdout, 'data');
  try {
    const guardian = await startGuardian();
    guardian.watch(watched.pid);
    guardian.watch(stubborn.pid);
    guardian.watch(spared.pid);
    guardian.unwatch(spared.pid);
    guardian.removeAtEnd(folder);
    await guardian.close();
    assert.equal(processIdentity(watched.pid), undefined);
    assert.equal(processIdentity(stubborn.pid), undefined);
    assert.ok(processIdentity(spared.pid));
    assert.ok(!existsSync(folder));
  } finally {
    for (const child of [watched, spared, stubborn]) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

test('An idle guardian does not keep its process running', async () => {
  const { child } = await startProgram(`
    await startGuardian();
    console.log('{}');
  `);
  await until(() => child.exitCode === 0);
});
