import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Guardian, processIdentity, startGuardian } from '@fairway/processes';
import { startSandboxChain } from './chain.ts';

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
  const source = `const sandbox = await import(${index});\n${program}`;
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

test('A service killed with SIGKILL leaves no chain and no temporary folder', async () => {
  const { child, said } = await startProgram<{ ipcPath: string; pid: number }>(`
    const chain = await sandbox.startSandboxChain({ log() {} });
    const { execFileSync } = await import('node:child_process');
    const pid = Number(execFileSync('pgrep', ['-f', chain.ipcPath]));
    console.log(JSON.stringify({ ipcPath: chain.ipcPath, pid }));
  `);
  assert.ok(processIdentity(said.pid));
  assert.ok(existsSync(said.ipcPath));
  child.kill('SIGKILL');
  await until(() => processIdentity(said.pid) === undefined);
  await until(() => !existsSync(join(said.ipcPath, '..')));
});

test('The node does not begin before the guardian knows of it', async () => {
  const own = await startGuardian();
  const folders: string[] = [];
  let before: boolean | undefined;
  const guardian: Guardian = {
    ...own,
    removeAtEnd(path) {
      folders.push(path);
      own.removeAtEnd(path);
    },
    watch(pid) {
      // Pauses this process, for much longer than the node needs to begin.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      before ??= existsSync(join(folders[0] ?? '', 'anvil.ipc'));
      own.watch(pid);
    },
  };
  const chain = await startSandboxChain({ guardian, log() {} });
  try {
    assert.equal(before, false);
    assert.equal(chain.ipcPath, join(folders[0] ?? '', 'anvil.ipc'));
    assert.ok(existsSync(chain.ipcPath));
  } finally {
    await chain.close();
    await own.close();
  }
});
