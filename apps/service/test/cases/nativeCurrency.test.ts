// Native currency that comes to a deposit address in place of the token: who is told, when, and how it ends.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postOf } from '../harness.ts';
import { assertProblem, freshAddress, startPaymentsTest, type WholePlan, endOf } from '../paymentsHarness.ts';
import { NATIVE_TOKEN } from '../wallet.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const AMOUNT_IN = 100_000_000n;
const WEI = 10n ** 17n;

async function planAt(depositAddress: string): Promise<WholePlan> {
  const options = { mode: 'STANDARD', depositAddress };
  return payments.plan({ amountIn: String(AMOUNT_IN), options });
}

async function giveNative(address: string, wei = WEI): Promise<void> {
  const given = { address, native: true, amount: String(wei) };
  assert.equal((await payments.service.request('/v1/sandbox/faucet', postOf(given))).status, 200);
}

/** The native currency that a plan lists as unallocated, each with its reason. */
function nativeLeft({ funds }: WholePlan): string[] {
  const native = funds.filter(({ asset }) => 'address' in asset && asset.address === NATIVE_TOKEN);
  return native.flatMap(({ unallocated }) => unallocated).map(({ amount, reason }) => `${amount} ${reason}`);
}

/** Mines a block by a transfer of another account: after it the service looks at the plans that are over. */
async function nextBlock(): Promise<void> {
  await payments.give(freshAddress(), 'USDC', 1n);
}

/** Waits until a plan that is over lists native currency: a block that was read while it was cancelled may be too early. */
async function untilListed(plan: WholePlan): Promise<WholePlan> {
  let over = await payments.get(plan.planId);
  for (let tries = 0; tries < 40 && nativeLeft(over).length === 0; tries += 1) {
    await nextBlock();
    await sleep(250);
    over = await payments.get(plan.planId);
  }
  assert.notDeepEqual(nativeLeft(over), [], 'nothing is listed');
  return over;
}

test('native currency in place of a deposit is told by a refusal, and by the plan that is over', async () => {
  const depositAddress = freshAddress();
  const plan = await planAt(depositAddress);
  await giveNative(depositAddress);
  const early = await payments.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE' });
  assertProblem(
    early,
    409,
    'evidence-mismatch',
    /also holds 0\.1 ETH on .* .100000000000000000 wei., which is no deposit/,
  );
  assert.deepEqual(nativeLeft(await payments.get(plan.planId)), [], 'while the plan is open');

  assert.equal((await payments.end(plan)).status, 200);
  const over = await untilListed(plan);
  assert.deepEqual([endOf(over), nativeLeft(over)], ['CANCELLED', [`${WEI} OTHER_TOKEN`]]);
  assert.match(over.next?.detail ?? '', /no use for 0\.1 ETH on .* .100000000000000000 wei.: refund it/);

  const asset = { chainId: payments.sandbox.chainId, address: NATIVE_TOKEN };
  const refund = { amount: String(WEI), asset, txHash: `0x${'ab'.repeat(32)}` };
  const refunded = await payments.ask(`/v1/payments/${plan.planId}/refunds`, refund);
  assert.deepEqual([refunded.status, nativeLeft(refunded.body)], [200, []]);
  assert.equal(refunded.body.next, undefined);
});

test('native currency that comes later is listed once the plan is ended anew, and a wei never', async () => {
  const [late, poor, beacon] = [
    await planAt(freshAddress()),
    await planAt(freshAddress()),
    await planAt(freshAddress()),
  ];
  await giveNative(stepAddress(poor), 1n);
  await giveNative(stepAddress(beacon));
  for (const plan of [late, poor, beacon]) assert.equal((await payments.end(plan)).status, 200);
  await untilListed(beacon);
  assert.deepEqual(nativeLeft(await payments.get(poor.planId)), []);
  await giveNative(stepAddress(late));
  assert.equal((await payments.end(late, { reason: 'ABANDONED' })).status, 200);
  assert.deepEqual(nativeLeft(await untilListed(late)), [`${WEI} OTHER_TOKEN`]);
});

test('an address that pays its own fees, or that two plans had, has nothing listed', async () => {
  const payer = await payments.freshWallet();
  await payments.give(payer.address, 'USDC', 1n);
  await payer.transfer(payments.token('USDC'), freshAddress(), 1n);
  const shared = freshAddress();
  const first = await planAt(shared);
  assert.equal((await payments.end(first)).status, 200);
  await nextBlock();
  const [second, ofPayer, ofNobody] = [
    await planAt(shared),
    await planAt(payer.address),
    await planAt(freshAddress()),
  ];
  const withNative = [shared, stepAddress(ofNobody)];
  for (const address of withNative) await giveNative(address);
  for (const plan of [second, ofPayer, ofNobody]) assert.equal((await payments.end(plan)).status, 200);
  await untilListed(ofNobody);
  for (const { planId } of [first, second, ofPayer])
    assert.deepEqual(nativeLeft(await payments.get(planId)), []);
});

function stepAddress(plan: WholePlan): string {
  const { depositAddress } = plan.options;
  assert.ok(depositAddress !== undefined);
  return depositAddress;
}
