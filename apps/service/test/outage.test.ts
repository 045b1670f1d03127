// The chain and the database stop answering and come back: the service says so in the meantime, and nobody has to
// restart it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Health, Sandbox } from '@fairway/wire';
import { basic } from './harness.ts';
import { endEverything, startProcess, type ServiceProcess } from './processHarness.ts';

/** A payment over a corridor without a swap. */
const WALLET_PAYMENT = {
  clientReference: 'made in silence',
  corridorId: 'usdc-wallet',
  amountIn: '250000000',
  recipient: { type: 'wallet', chainId: 31_337, name: 'Jo', address: `0x${'7a'.repeat(20)}` },
  options: { mode: 'STANDARD' },
};

let service: ServiceProcess;
let path: string;

before(async () => {
  service = await startProcess(['--port', '0']);
  const { tokens } = (await ask('/v1/sandbox')).body as Sandbox;
  const usdc = tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? '';
  const query = {
    chainId: String(service.ready.chainId),
    tokenIn: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
    tokenOut: usdc,
    tradeType: 'EXACT_IN',
    amount: '1000000000000000000',
  };
  path = `/v1/quote?${new URLSearchParams(query)}`;
});
after(endEverything);

async function ask(where: string, login?: { username: string; password: string }, body?: object) {
  const { url, username, password } = { ...service.ready, ...login };
  const headers = { authorization: basic(username, password), 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${url}${where}`, { headers, ...sent });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await holds()) return;
    await sleep(50);
  }
  assert.fail(`It never came true that ${what}`);
}

/** The process of a program that the service started. */
function processOf(program: string): number {
  const pid = service
    .family()
    .find((member) => readFileSync(`/proc/${member}/cmdline`, 'utf8').includes(program));
  assert.ok(pid, `no process of ${program}`);
  return pid;
}

const quoteStatus = async () => (await ask(path)).status;
const chainHealth = async () => ((await ask('/health')).body as Health).chains[0];

test('while a node hangs, quotes answer 503 with Retry-After; afterwards they recover', async () => {
  assert.equal(await quoteStatus(), 200);
  const anvil = processOf('bin/anvil');
  process.kill(anvil, 'SIGSTOP');
  await until('quotes are refused', async () => (await quoteStatus()) === 503);
  const refused = await ask(path);
  assert.partialDeepStrictEqual(refused.body, { code: 'market-stale', status: 503 });
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  // Only a fresh block tells which deposits are older than a plan, also of a plan without a swap.
  const unpriced = await ask('/v1/payments', undefined, WALLET_PAYMENT);
  assert.partialDeepStrictEqual(unpriced.body, { code: 'market-stale', status: 503 });
  assert.equal((await chainHealth())?.status, 'NO_CONTACT');
  const { url } = service.ready;
  assert.equal((await fetch(`${url}/readyz`)).status, 503);
  assert.equal((await fetch(`${url}/livez`)).status, 200);
  process.kill(anvil, 'SIGCONT');
  await until('quotes are served again', async () => (await quoteStatus()) === 200);
  assert.equal((await chainHealth())?.status, 'OK');
  assert.equal((await ask('/v1/payments', undefined, WALLET_PAYMENT)).status, 200);
});

test('a node that dies is started again, and quotes are served again', async () => {
  const anvil = processOf('bin/anvil');
  process.kill(anvil, 'SIGKILL');
  await until('another node runs', async () => (processNow('bin/anvil') ?? anvil) !== anvil);
  await until('the market stands at the new chain', async () => {
    const latest = await latestHash();
    return latest !== undefined && (await chainHealth())?.head?.hash === latest;
  });
  assert.equal(await quoteStatus(), 200);
});

/** The hash of the node's latest block; undefined while the node does not answer. */
async function latestHash(): Promise<string | undefined> {
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['latest', false] };
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(service.ready.rpcUrl, {
      method: 'POST',
      headers,
      body: JSON.stringify(call),
    });
    return ((await response.json()) as { result: { hash: string } }).result.hash;
  } catch {
    return undefined;
  }
}

function processNow(program: string): number | undefined {
  try {
    return processOf(program);
  } catch {
    return undefined;
  }
}

test('while a database hangs, known credentials work and unknown ones get 503; then all recovers', async () => {
  assert.equal(await quoteStatus(), 200);
  const postmaster = processOf('postgres');
  const database = service
    .family()
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres'));
  for (const pid of database) process.kill(pid, 'SIGSTOP');
  // After 5 s a credential is normally checked again; from here on the grace time keeps known credentials valid.
  await sleep(5000);
  assert.equal(await quoteStatus(), 200);
  const stranger = { username: 'cred_00000000000000000000000000000000', password: 'x' };
  const refused = await ask('/v1/markets/chains', stranger);
  assert.equal(refused.status, 503);
  assert.partialDeepStrictEqual(refused.body, { code: 'upstream-unavailable' });
  for (const pid of database) process.kill(pid, 'SIGCONT');
  await until(
    'strangers are refused as such',
    async () => (await ask('/v1/markets/chains', stranger)).status === 401,
  );
  process.kill(postmaster, 'SIGKILL');
  await until('another database runs', async () => {
    const status = (await ask('/v1/markets/chains', stranger)).status;
    return status === 401 && processNow('postgres') !== postmaster;
  });
  assert.equal(await quoteStatus(), 200);
});
