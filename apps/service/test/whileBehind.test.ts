// Answers while the newest blocks of the chain are not read: money may have moved in them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeAt, startTestDatabase } from '@fairway/testing';
import type { Health, Mailbox, PaymentPlan, PaymentStep, SimulatedEvent, Token } from '@fairway/wire';
import { Pool } from 'pg';
import { freshEmail } from './collectCalls.ts';
import { collectToWallet } from './collectForms.ts';
import { basic } from './harness.ts';
import { urlOf } from './paymentCalls.ts';
import {
  assertProblem,
  freshAddress,
  type PaymentsClient,
  paymentsClient,
  stepOf,
} from './paymentsHarness.ts';
import { endEverything } from './processHarness.ts';
import { startFairway, type StartedService } from './commandHarness.ts';

let database: Awaited<ReturnType<typeof startTestDatabase>>;
let service: StartedService;
let client: PaymentsClient;
let pool: Pool;

before(async () => {
  database = await startTestDatabase();
  pool = new Pool({ ...database.connection, max: 1 }).on('error', () => {});
  const env = {
    FAIRWAY_SEALING_KEYS: `k1:${'5a'.repeat(32)}`,
    DATABASE_URL: urlOf(database.connection),
  };
  service = await startFairway(['--port', '0'], env);
  client = paymentsClient(service.ready.url, basic(service.ready.username, service.ready.password));
});
after(async () => {
  await endEverything();
  await pool?.end();
  await database?.close();
});

/** A plan whose link is in the mailbox of this address. */
async function mailedPlan(email: string): Promise<PaymentPlan> {
  const plan = await client.plan({
    corridorId: 'usdc-eur-collect',
    recipient: { type: 'email', email, name: 'Jo Citizen' },
    options: { mode: 'DIGITAL_COLLECT' },
  });
  await play(plan, 'AWAIT_DEPOSIT', 'deposit.exact');
  await play(plan, 'EXECUTE_SWAP', 'swap.done');
  const isMailed = ({ steps }: PaymentPlan) => steps[2]?.collect?.link?.mail === 'ACCEPTED';
  return client.until(plan, 'its link is mailed', isMailed);
}

async function play(plan: PaymentPlan, type: PaymentStep['type'], event: SimulatedEvent): Promise<void> {
  const path = `/v1/sandbox/payments/${plan.planId}/steps/${stepOf(plan, type).stepId}/simulate`;
  await posted(path, { event });
}

async function posted(path: string, body: object = {}): Promise<void> {
  const { status, text } = await client.ask(path, body);
  assert.equal(status, 200, text);
}

/** Another process has the chain for so long, but reads nothing, and the chain goes on. */
async function standStill(ms: number, state: 'AT_HEAD' | 'CATCHING_UP' = 'AT_HEAD'): Promise<void> {
  const text = `update chain_records set holder = 'nobody', state = $2,
    lease_until = clock_timestamp() + $1::float8 * interval '1 ms'`;
  await pool.query(text, [ms, state]);
  await nodeAt(service.ready.rpcUrl)('anvil_mine', ['0x1']);
}

test('while the chain is not read, nobody who was paid is sent another link', async () => {
  const email = freshEmail();
  const [paid, unpaid] = [await mailedPlan(email), await mailedPlan(freshEmail())];
  const mailbox = async () => (await client.ask('/v1/sandbox/mailbox')).json as Mailbox;
  await collectToWallet({ url: service.ready.url, ask: mailbox }, email, freshAddress());
  await play(paid, 'SEND_DIGITAL_COLLECT', 'payout.done');
  await play(paid, 'SEND_DIGITAL_COLLECT', 'payout.returned');
  await posted('/v1/sandbox/clock', { advance: 'PT61S' });
  const returned = await client.get(paid.planId);

  await standStill(60_000);
  const behind = await client.again(paid);
  assertProblem(behind, 503, 'upstream-unavailable', /still reading blocks/);
  assert.ok(behind.headers.has('retry-after'));
  assert.equal((await client.get(paid.planId)).revision, returned.revision, 'no link was made');
  // The recipient of the other plan was not asked yet where the money goes, so that it cannot have been paid.
  assert.equal((await client.again(unpaid)).status, 200);

  await standStill(0);
  let again = await client.again(paid);
  for (let tries = 0; again.status === 503 && tries < 200; tries += 1) {
    await sleep(250);
    again = await client.again(paid);
  }
  assert.equal(again.status, 200, again.text);
});

/** What /health says of the record of the chain. */
async function recordState(): Promise<string | undefined> {
  const { json } = await client.ask('/health');
  return (json as Health).chains[0]?.record?.state;
}

async function untilRecordIs(state: string): Promise<void> {
  for (let tries = 0; (await recordState()) !== state; tries += 1) {
    assert.ok(tries < 200, `the record is never ${state}`);
    await sleep(250);
  }
}

test('while the chain catches up, plans get no instructions and say so; swaps are answered', async () => {
  await untilRecordIs('AT_HEAD');
  const ready = await client.plan({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });
  await play(ready, 'AWAIT_DEPOSIT', 'deposit.exact');
  const isReady = ({ next }: PaymentPlan) => next?.why === 'SWAP_DUE';
  await client.until(ready, 'its swap is due', isReady);

  await standStill(60_000, 'CATCHING_UP');
  await untilRecordIs('CATCHING_UP');
  const made = await client.plan({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });
  assert.deepEqual(stepOf(made, 'EXECUTE_SWAP').instructions, []);
  assert.equal(made.next?.why, 'CATCHING_UP');
  const behind = await client.get(ready.planId);
  assert.deepEqual([behind.next?.why, behind.next?.by], ['CATCHING_UP', 'SERVICE']);
  assert.match(behind.next?.detail ?? '', /Move no money before/);
  for (const answer of [await client.again(behind), await client.end(made)]) {
    assertProblem(answer, 503, 'upstream-unavailable', /still reading blocks/);
    assert.ok(answer.headers.has('retry-after'));
  }
  const [usdc, weth] = await Promise.all(['USDC', 'WETH'].map(tokenOf));
  const trade = { chainId: service.ready.chainId, tokenIn: usdc, tokenOut: weth, amount: '1000000' };
  const order = { ...trade, tradeType: 'EXACT_IN', recipient: freshAddress(), slippageBps: 50 };
  const swap = await client.ask('/v1/swap', order);
  assert.equal(swap.status, 200, swap.text);

  await standStill(0);
  await client.until(ready, 'its swap is due again', isReady);
  const isAsked = ({ next }: PaymentPlan) => next?.why === 'DEPOSIT_MISSING';
  await client.until(made, 'its deposit is asked for', isAsked);
});

async function tokenOf(symbol: string): Promise<string> {
  const { json } = await client.ask('/v1/markets/tokens');
  return (json as Token[]).find((token) => token.symbol === symbol)?.address ?? '';
}
