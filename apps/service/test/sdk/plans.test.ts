// A plan, executed by a wallet and paid out until it is COMPLETED; and what happens when something fails on the way.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createFairway, type Fairway, isFairwayError } from '@fairway/sdk';
import * as withEthers from '@fairway/sdk/ethers';
import * as withViem from '@fairway/sdk/viem';
import type { PaymentPlan } from '@fairway/sdk/payments';
import { type SdkTest, type Signers, startSdkTest } from './clients.ts';
import { payDeposit, planPayment, type PlannedPayment, stepIdOf } from './plannedPayment.ts';

let sdk: SdkTest;
before(async () => {
  sdk = await startSdkTest();
});
after(() => sdk?.close());

const FAST = { everyMs: 50 };

function executed(
  library: 'viem' | 'ethers',
  { request, corridor, plan }: PlannedPayment,
  { wallet, node, signer }: Signers,
  fairway: Fairway = sdk.fairway,
  signal?: AbortSignal,
): Promise<PaymentPlan> {
  const known = { planId: plan.planId, request, corridor, router: sdk.router };
  const options = { ...FAST, signal };
  return library === 'viem'
    ? withViem.executePlan(fairway, { ...known, wallet, node }, options)
    : withEthers.executePlan(fairway, { ...known, signer }, options);
}

for (const library of ['viem', 'ethers'] as const)
  test(`a payment to a bank is executed with ${library}, paid out and followed to its end`, async () => {
    const signers = await sdk.signers();
    const payment = await planPayment(sdk, signers);
    const { planId } = payment.plan;
    const { payments } = sdk.fairway;
    const execution = executed(library, payment, signers);
    const seen: string[] = [];
    const following = (async () => {
      for await (const plan of payments.follow(planId, FAST)) seen.push(plan.status);
    })();
    await payDeposit(sdk, payment.plan);
    const ready = await execution;
    assert.equal(ready.next?.do, 'PAY');
    assert.equal(ready.steps[1]?.status, 'DONE');
    const stepId = stepIdOf(ready, 'CUSTODIAN_PAYOUT');
    const report = { outcome: 'DONE', providerReference: `BANK-${planId}` } as const;
    const paid = await payments.steps.report(planId, stepId, report, { ifRevision: ready.revision });
    assert.equal(paid.status, 'COMPLETED');
    await following;
    assert.deepEqual([seen[0], seen.at(-1)], ['ACTION_REQUIRED', 'COMPLETED']);
    const kinds: string[] = [];
    for await (const { kind } of payments.movements(planId, { limit: 1 })) kinds.push(kind);
    assert.deepEqual(kinds, ['DEPOSIT', 'SWAP_IN', 'SWAP_OUT', 'PAYOUT', 'DEDUCTION']);
  });

test('a plan that only sends its token is executed, too', async () => {
  const signers = await sdk.signers();
  const payment = await planPayment(sdk, signers, 'usdc-wallet');
  await payDeposit(sdk, payment.plan);
  const ready = await executed('viem', payment, signers);
  assert.equal(ready.next?.do, 'PAY');
});

test('nothing is sent when the service does not take the report before', async () => {
  const signers = await sdk.signers();
  const payment = await planPayment(sdk, signers);
  await payDeposit(sdk, payment.plan);
  const deaf = deafTo('/reports');
  await assert.rejects(
    executed('viem', payment, signers, deaf),
    (error) => isFairwayError(error) && error.code === 'connection-failed',
  );
  // The approval alone.
  assert.equal(await signers.node.getTransactionCount({ address: signers.address }), 1);
});

test('a transaction that was reported and never sent is waited for, and no other is sent', async () => {
  const signers = await sdk.signers();
  const payment = await planPayment(sdk, signers);
  await payDeposit(sdk, payment.plan);
  const node = { ...signers.node, sendRawTransaction: () => Promise.reject(new Error('the power fails')) };
  await assert.rejects(executed('viem', payment, { ...signers, node }), /the power fails/);
  const stop = new AbortController();
  const again = executed('viem', payment, signers, sdk.fairway, stop.signal);
  const held = await sdk.fairway.payments.get(payment.plan.planId);
  assert.equal(held.next?.why, 'TRANSACTION_PENDING');
  setTimeout(() => stop.abort(new Error('enough')), 500);
  await assert.rejects(again, /enough/);
  assert.equal(await signers.node.getTransactionCount({ address: signers.address }), 1);
});

test('a plan whose last report is lost goes on: the service finds the transaction', async () => {
  const signers = await sdk.signers();
  const payment = await planPayment(sdk, signers);
  await payDeposit(sdk, payment.plan);
  const ready = await executed('ethers', payment, signers, deafTo('/reports', 'DONE'));
  assert.equal(ready.next?.do, 'PAY');
});

test('a node that counts a transaction before it has the receipt is asked again', async () => {
  const signers = await sdk.signers();
  const payment = await planPayment(sdk, signers);
  await payDeposit(sdk, payment.plan);
  const { provider } = signers.signer;
  assert.ok(provider);
  const receiptOf = provider.getTransactionReceipt.bind(provider);
  let looks = 0;
  provider.getTransactionReceipt = (hash) => (looks++ < 3 ? Promise.resolve(null) : receiptOf(hash));
  const ready = await executed('ethers', payment, signers);
  assert.equal(ready.next?.do, 'PAY');
});

/** A client whose requests to a path are lost, or of those only the ones with a text in their body. */
function deafTo(end: string, text = ''): Fairway {
  const [username = '', password = ''] = atob(sdk.service.authorization.replace('Basic ', '')).split(':');
  return createFairway({
    url: sdk.service.url,
    username,
    password,
    fetch(input, init) {
      const body = init?.body instanceof ArrayBuffer ? new TextDecoder().decode(init.body) : '';
      const isLost = (input as string).endsWith(end) && body.includes(text);
      return isLost ? Promise.reject(new TypeError('the network is away')) : fetch(input, init);
    },
  });
}
