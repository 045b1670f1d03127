import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createPublicClient, http } from 'viem';
import { startSandboxChain } from './chain.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-seeded-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a chain with this cache, and tells how it begins. */
async function beginsWith(cacheDirectory: string) {
  const said: string[] = [];
  const chain = await startSandboxChain({ cacheDirectory, log: (message) => said.push(message) });
  try {
    const client = createPublicClient({ transport: http(chain.rpcUrl) });
    const [setup, head] = await Promise.all([
      client.getBlock({ blockNumber: 1n }),
      client.getBlock({ blockTag: 'latest' }),
    ]);
    const [account] = chain.accounts;
    assert.ok(account);
    for (const blockNumber of [0n, 1n, 2n])
      assert.ok((await client.getBalance({ address: account.address, blockNumber })) > 0n, 'its state');
    const age = Math.floor(Date.now() / 1000) - Number(head.timestamp);
    assert.ok(age >= -1 && age < 60, `the head is ${age} s old`);
    return { setup: setup.hash, number: head.number, gasLimit: head.gasLimit, said, pools: chain.pools };
  } finally {
    await chain.close();
  }
}

test('a chain that is set up is kept, and later starts load it with a head of now', async () => {
  const first = await beginsWith(folder);
  const [file = '', ...others] = readdirSync(folder);
  assert.deepEqual(others, []);
  const second = await beginsWith(folder);
  assert.deepEqual(second, first);

  const path = join(folder, file);
  const whole = readFileSync(path);
  writeFileSync(path, whole.subarray(0, whole.length / 2));
  const third = await beginsWith(folder);
  assert.deepEqual([third.number, third.gasLimit], [first.number, first.gasLimit]);
  assert.notEqual(third.setup, first.setup, 'a file that cannot be loaded is made anew');
  assert.match(third.said.join(), /^The chain is set up anew, because the one in .* cannot be loaded: anvil/);
  assert.equal((await beginsWith(folder)).setup, third.setup);
});

test('where nothing can be kept, the chain is set up and the reason is logged', async () => {
  const notAFolder = join(folder, readdirSync(folder)[0] ?? '');
  const { said, number } = await beginsWith(join(notAFolder, 'cache'));
  assert.equal(number, 2n);
  assert.match(said.join(), /^The chain that is set up is not kept in .*ENOTDIR/);
});

test('what can be neither loaded nor removed keeps no chain from its start', async () => {
  const cache = join(folder, 'not removable');
  const [name = ''] = readdirSync(folder);
  mkdirSync(join(cache, name), { recursive: true });
  const { said, number } = await beginsWith(cache);
  assert.equal(number, 2n);
  assert.match(said.join(), /cannot be loaded: .*That file cannot be removed: .*is not kept in/s);
});

test('a kept chain without the contracts is refused once, and the next start makes another', async () => {
  const cache = mkdtempSync(join(folder, 'another-'));
  const dataDirectory = join(cache, 'data');
  const { number } = await beginsWith(cache);
  const path = join(cache, readdirSync(cache)[0] ?? '');
  const state = JSON.parse(readFileSync(path, 'utf8')) as { accounts: object };
  writeFileSync(path, JSON.stringify({ ...state, accounts: {} }));
  await assert.rejects(
    startSandboxChain({ cacheDirectory: cache, dataDirectory, log: () => {} }),
    /^SandboxStartRefused: The kept chain of the sandbox was .* no contract at 0x\w+\. Start again\.$/,
  );
  assert.equal((await beginsWith(cache)).number, number);
});
