// A sandbox whose chain lost its last blocks in a kill, or whose saved chain is older than its database. It starts, and its
// plans go on without what the lost blocks had.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { PaymentPlan } from '@fairway/wire';
import { basic } from './harness.ts';
import { freshAddress, paymentsClient, type PaymentsClient } from './paymentsHarness.ts';
import { endEverything, freshFolder, type Ready, startProcess, waitForEnd } from './processHarness.ts';

after(endEverything);

function clientOf({ url, username, password }: Ready): PaymentsClient {
  return paymentsClient(url, basic(username, password));
}

/** A plan whose deposit has come to its address. */
async function deposited(client: PaymentsClient): Promise<PaymentPlan> {
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  return client.played(await client.plan({ amountIn: '70000000', options }), 'deposit.exact');
}

async function heightOf({ rpcUrl }: Ready): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(rpcUrl, { method: 'POST', headers, body });
  return Number(((await answer.json()) as { result: string }).result);
}

/** Waits until the chain is saved with its block of this height. */
async function untilSaved(state: string, height: number): Promise<void> {
  const saved = () => Number(JSON.parse(gunzipSync(readFileSync(state)).toString()).best_block_number);
  while (saved() < height) await sleep(50);
}

/** Asserts that the deposit is taken back, and that the plan can be paid and completed all the same. */
async function assertGoesOn(client: PaymentsClient, plan: PaymentPlan): Promise<void> {
  const lost = await client.until(
    plan,
    'the deposit is taken back',
    ({ funds }) => funds[0]?.received === '0',
  );
  assert.equal(lost.next?.why, 'DEPOSIT_LOST');
  const paid = await client.played(lost, 'deposit.exact', 'swap.done', 'payout.done');
  assert.equal(paid.status, 'COMPLETED');
}

test('a sandbox whose saved chain is older than its database starts, and its plans go on', async () => {
  const data = join(freshFolder(), 'data');
  const args = ['--port', '0', '--data', data];
  const first = await startProcess(args);
  const client = clientOf(first.ready);
  const early = await deposited(client);
  const height = await heightOf(first.ready);
  const state = join(data, 'chain', 'chain-state.json.gz');
  await untilSaved(state, height);
  copyFileSync(state, `${state}.old`);
  const plans = [await deposited(client), await deposited(client), await deposited(client)];
  const known = await heightOf(first.ready);
  assert.ok(known > height + 2);
  const family = first.family();
  first.child.kill('SIGKILL');
  assert.deepEqual(await waitForEnd(family), []);
  copyFileSync(`${state}.old`, state);

  const second = await startProcess(args);
  const again = clientOf(second.ready);
  assert.ok((await heightOf(second.ready)) >= known);
  for (const plan of plans) await assertGoesOn(again, plan);
  assert.equal(
    (await again.get(early.planId)).funds[0]?.received,
    '70000000',
    'older blocks are still there',
  );
});

test('a sandbox whose node is killed and loses its chain goes on with a new one', async () => {
  const { ready, family, output } = await startProcess(['--port', '0']);
  const client = clientOf(ready);
  const plan = await deposited(client);
  const nodes = family().filter((pid) => commandOf(pid).includes('anvil'));
  assert.equal(nodes.length, 1);
  for (const pid of nodes) process.kill(pid, 'SIGKILL');
  while (!output().includes('The sandbox chain runs again')) await sleep(50);
  await assertGoesOn(client, plan);
});

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}
