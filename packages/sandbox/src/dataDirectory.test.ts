import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Hex } from 'viem';
import { type SandboxChain, startSandboxChain } from './chain.ts';
import { endProcess, type Guardian, processIdentity } from '@fairway/processes';
import { createRpc } from './rpc.ts';

const root = mkdtempSync(join(tmpdir(), 'fw-data-'));
const givers: ChildProcess[] = [];
after(async () => {
  for (const giver of givers) giver.kill('SIGKILL');
  // Ends what a failed test has left behind: no guardian watches these chains.
  for (const name of readdirSync(root)) {
    if (!existsSync(join(root, name, 'node.json'))) continue;
    const { pid, identity, folder } = recordedNode(name);
    await endProcess(pid, identity, 'SIGKILL', 0);
    rmSync(folder, { recursive: true, force: true });
  }
  rmSync(root, { recursive: true, force: true });
});

const HOLDER = '0x00000000000000000000000000000000000a11ce' as const;
/** A guardian that does nothing, for tests of what the next start does without a guardian. */
const absentGuardian: Guardian = {
  watch: () => undefined,
  unwatch: () => undefined,
  removeAtEnd: () => undefined,
  close: async () => undefined,
};

const startIn = (name: string) =>
  startSandboxChain({ dataDirectory: join(root, name), guardian: absentGuardian, log: () => undefined });
const balanceOn = async (chain: SandboxChain) =>
  BigInt(await createRpc(chain.rpcUrl).request<Hex>('eth_getBalance', [HOLDER, 'latest']));
const latestOf = (chain: SandboxChain) =>
  createRpc(chain.rpcUrl).request<{ number: Hex; hash: Hex; timestamp: Hex }>('eth_getBlockByNumber', [
    'latest',
    false,
  ]);
const recordedNode = (name: string) =>
  JSON.parse(readFileSync(join(root, name, 'node.json'), 'utf8')) as {
    pid: number;
    identity: string;
    folder: string;
  };

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, 'it did not come true within 30 s');
    await sleep(50);
  }
}

test('A closed chain is restored with its blocks, receipts, contracts and clock', async () => {
  const first = await startIn('closed');
  const given = await first.faucet({ address: HOLDER, native: true, amount: 77n });
  await first.advanceClock(86_400);
  const before = await latestOf(first);
  const [nowBefore, contracts, pools] = [first.nowMs(), first.contracts, first.pools];
  await first.close();
  const beforeLoss = await startIn('closed');
  await beforeLoss.close();
  assert.ok(beforeLoss.nowMs() >= nowBefore);
  // Without the clock's file, the clock is still not behind the chain's latest block.
  rmSync(join(root, 'closed', 'clock.json'));
  const second = await startIn('closed');
  try {
    assert.ok(second.nowMs() >= Number(before.timestamp) * 1_000);
    assert.deepEqual(await latestOf(second), before);
    assert.equal(await balanceOn(second), 77n);
    assert.ok(given.ok);
    const receipt = await createRpc(second.rpcUrl).request('eth_getTransactionReceipt', [
      given.transactionHash,
    ]);
    assert.ok(receipt);
    assert.deepEqual([second.contracts, second.pools], [contracts, pools]);
    const next = await second.faucet({ address: HOLDER, native: true, amount: 1n });
    assert.ok(next.ok);
    const after = await latestOf(second);
    assert.ok(Number(after.timestamp) >= Number(before.timestamp));
    assert.ok(Math.abs(Number(after.timestamp) * 1_000 - second.nowMs()) < 3_000);
  } finally {
    await second.close();
  }
});

test('A second chain in a data folder that is in use is refused', async () => {
  const first = await startIn('shared');
  try {
    await assert.rejects(startIn('shared'), /shared is in use by the running process \d+\. Stop that one/);
    assert.ok((await first.faucet({ address: HOLDER, native: true, amount: 1n })).ok);
  } finally {
    await first.close();
  }
});

test('A node that dies is restarted on its port from the last save', async () => {
  const chain = await startIn('dying');
  try {
    await until(() => existsSync(join(root, 'dying', 'chain-state.json.gz')));
    await chain.faucet({ address: HOLDER, native: true, amount: 5n });
    const stateFile = join(root, 'dying', 'chain-state.json.gz');
    const minimum = Date.now() + 300;
    await until(() => statSync(stateFile).mtimeMs > minimum);
    const { pid } = recordedNode('dying');
    process.kill(pid, 'SIGKILL');
    await until(() => recordedNode('dying').pid !== pid);
    await until(async () => (await balanceOn(chain).catch(() => -1n)) === 5n);
    await until(async () => (await chain.faucet({ address: HOLDER, native: true, amount: 1n })).ok);
  } finally {
    await chain.close();
  }
});

/** Starts a process with a sandbox that gives an account one wei after the other and prints each balance. */
function startGiver(name: string): ChildProcess & { readonly balances: () => number } {
  const source = `
    const { startSandboxChain } = await import(${JSON.stringify(join(import.meta.dirname, 'index.ts'))});
    const none = { watch() {}, unwatch() {}, removeAtEnd() {}, async close() {} };
    const dataDirectory = ${JSON.stringify(join(root, name))};
    const chain = await startSandboxChain({ dataDirectory, guardian: none, log() {} });
    for (;;) {
      const given = await chain.faucet({ address: '${HOLDER}', native: true, amount: 1n });
      if (given.ok) process.stdout.write('.');
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  givers.push(child);
  let given = 0;
  child.stdout.on('data', (text: Buffer) => {
    given += text.length;
  });
  return Object.assign(child, { balances: () => given });
}

test('A service killed at any moment finds its chain complete, and ends its orphaned node', async () => {
  let total = 0n;
  for (const pauseMs of [5, 600, 1_310]) {
    const giver = startGiver('killed');
    await until(() => giver.balances() > (pauseMs < 100 ? 0 : 20));
    if (pauseMs > 100) {
      const savedAt = () => statSync(join(root, 'killed', 'chain-state.json.gz')).mtimeMs;
      const [earlier, minimum] = [savedAt(), Date.now() + 200];
      await until(() => savedAt() > Math.max(earlier, minimum));
    }
    await sleep(pauseMs);
    giver.kill('SIGKILL');
    await until(() => giver.signalCode !== null);
    const orphan = recordedNode('killed');
    assert.equal(processIdentity(orphan.pid), orphan.identity, 'without a guardian the node goes on');
    const chain = await startIn('killed');
    try {
      assert.equal(processIdentity(orphan.pid), undefined);
      assert.ok(!existsSync(orphan.folder));
      const kept = await balanceOn(chain);
      assert.ok(kept >= total, `${kept} wei, ${total} before`);
      total = kept;
      assert.ok((await chain.faucet({ address: HOLDER, native: true, amount: 1n })).ok);
      total += 1n;
    } finally {
      await chain.close();
    }
  }
  assert.ok(total > 10n, `only ${total} wei survived`);
});

test('A recorded process id that another process has now is left alone', async () => {
  const stranger = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)']);
  try {
    const chain = await startIn('stranger');
    await chain.close();
    const { pid } = stranger;
    assert.ok(pid);
    const record = { pid, identity: processIdentity(pid), folder: join(tmpdir(), 'fw-chain-nobody') };
    writeFileSync(join(root, 'stranger', 'node.json'), JSON.stringify(record));
    await (await startIn('stranger')).close();
    assert.ok(processIdentity(pid));
    await endProcess(pid, 'another identity', 'SIGKILL', 0);
    assert.ok(processIdentity(pid));
  } finally {
    stranger.kill('SIGKILL');
  }
});

test('A damaged save is refused with its file and what to do, and the folder is released', async () => {
  await (await startIn('damaged')).close();
  const file = join(root, 'damaged', 'chain-state.json.gz');
  const whole = readFileSync(file);
  const refusal = new RegExp(
    `${file} cannot be read \\(.+\\)\\. Move that file away to begin with a fresh`,
    's',
  );
  truncateSync(file, 1_000);
  await assert.rejects(startIn('damaged'), refusal);
  writeFileSync(file, gzipSync('{"block":'));
  await assert.rejects(startIn('damaged'), refusal);
  writeFileSync(file, gzipSync('{"block":null,"accounts":{}}'));
  await assert.rejects(startIn('damaged'), refusal);
  writeFileSync(file, whole);
  await (await startIn('damaged')).close();
});
