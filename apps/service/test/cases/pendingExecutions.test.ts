// A transaction is reported before it is mined. Until it is mined, replaced or past its deadline, nobody gets other
// instructions, because both could be executed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import { keccak256 } from 'viem';
import { type Bid, type KeyWallet, receiptOf } from '../keyWallet.ts';
import {
  assertProblem,
  freshAddress,
  startPaymentsTest,
  statusesOf,
  stepOf,
  endOf,
  type WholePlan,
} from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const AMOUNT_IN = 50_000_000n;
const LOW_FEE: Bid = { feeWei: 2n * 10n ** 9n };

type Ready = { readonly plan: PaymentPlan; readonly wallet: KeyWallet };

/** A plan whose instructions its wallet can execute. */
async function readyPlan(fields: object = {}): Promise<Ready> {
  const wallet = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: wallet.address };
  const made = await payments.plan({ amountIn: String(AMOUNT_IN), options, ...fields });
  await payments.give(wallet.address, 'USDC', AMOUNT_IN);
  const plan = await payments.until(made, 'the deposit is seen', (now) => now.steps[1]?.status === 'READY');
  await wallet.approve(payments.token('USDC'), callOf(plan).to, AMOUNT_IN);
  return { plan, wallet };
}

function callOf(plan: PaymentPlan) {
  const call = stepOf(plan, 'EXECUTE_SWAP').instructions?.at(-1);
  assert.ok(call, 'there is something to execute');
  return call;
}

/** Signs the plan's swap without sending it. */
async function signed({ plan, wallet }: Ready, bid: Bid = LOW_FEE) {
  const raw = await wallet.sign(callOf(plan), bid);
  return { raw, hash: keccak256(raw as `0x${string}`) };
}

async function nonceOf({ wallet }: Ready): Promise<number> {
  return Number(await payments.service.rpc('eth_getTransactionCount', [wallet.address, 'latest']));
}

const submittedAs = (plan: PaymentPlan, txHash: string, more: Record<string, unknown> = {}) => ({
  outcome: 'SUBMITTED',
  attemptId: stepOf(plan, 'EXECUTE_SWAP').attemptId,
  txHash,
  ...more,
});

function newest(plan: PaymentPlan) {
  const attempt = stepOf(plan, 'EXECUTE_SWAP').attempts?.at(-1);
  assert.ok(attempt);
  return attempt;
}

/** Reports the transaction with its sender and nonce. */
async function submit(ready: Ready, txHash: string): Promise<PaymentPlan> {
  const by = { sender: ready.wallet.address, nonce: await nonceOf(ready) };
  const answer = await payments.report(ready.plan, 'EXECUTE_SWAP', submittedAs(ready.plan, txHash, by));
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const forced = (plan: PaymentPlan) => payments.again(plan, { force: true });

test('a submitted transaction is shown, and forbids other instructions until it is mined', async () => {
  const ready = await readyPlan();
  const { raw, hash } = await signed(ready);
  const plan = await submit(ready, hash);
  assert.equal(statusesOf(plan), 'DONE READY PENDING');
  assert.deepEqual([plan.next?.why, plan.next?.by], ['TRANSACTION_PENDING', 'CHAIN']);
  const { submissions } = newest(plan);
  assert.deepEqual(
    submissions?.map(({ txHash, sender, nonce, fate }) => [txHash, sender, nonce, fate]),
    [[hash, ready.wallet.address, await nonceOf(ready), undefined]],
  );
  const refused = await payments.again(plan);
  assertProblem(refused, 409, 'execution-in-flight', new RegExp(hash));
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  const failed = await payments.report(plan, 'EXECUTE_SWAP', {
    outcome: 'FAILED',
    failure: { code: 'OTHER' },
  });
  assertProblem(await payments.again(failed.body), 409, 'execution-in-flight');

  await payments.service.rpc('eth_sendRawTransaction', [raw]);
  await receiptOf(payments.service.rpc, hash);
  assertProblem(await payments.again(failed.body), 409, 'step-not-ready', /CUSTODIAN_PAYOUT/);
  assert.equal(statusesOf(await payments.get(plan.planId)), 'DONE DONE READY');
});

test('a refresh finds a submitted transaction that was mined and never reported', async () => {
  const ready = await readyPlan();
  const { raw, hash } = await signed(ready);
  const plan = await submit(ready, hash);
  await payments.service.rpc('eth_sendRawTransaction', [raw]);
  await receiptOf(payments.service.rpc, hash);
  assertProblem(await payments.again(plan), 409, 'step-not-ready');
  const found = await payments.get(plan.planId);
  assert.equal(statusesOf(found), 'DONE DONE READY');
  assert.equal(stepOf(found, 'EXECUTE_SWAP').evidence?.txHash, hash);
});

test('the same report again changes nothing, and a fee bump is kept beside it', async () => {
  const ready = await readyPlan();
  const [first, bump] = [await signed(ready), await signed(ready, { feeWei: 4n * 10n ** 9n })];
  const plan = await submit(ready, first.hash);
  assert.equal((await submit(ready, first.hash)).revision, plan.revision);
  const bumped = await submit(ready, bump.hash);
  assert.deepEqual(
    newest(bumped).submissions?.map(({ txHash }) => txHash),
    [first.hash, bump.hash],
  );
  await payments.service.rpc('eth_sendRawTransaction', [bump.raw]);
  await receiptOf(payments.service.rpc, bump.hash);
  const done = await payments.report(bumped, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: bump.hash });
  assert.equal(statusesOf(done.body), 'DONE DONE READY');
});

test('a transaction whose nonce another one used is REPLACED, and a refresh goes on', async () => {
  const ready = await readyPlan();
  const { hash } = await signed(ready);
  const plan = await submit(ready, hash);
  await ready.wallet.execute([{ to: freshAddress(), data: '0x', value: '0' }]);
  const refreshed = await payments.again(plan);
  assert.equal(refreshed.status, 200, refreshed.text);
  assert.equal(refreshed.body.next?.why, 'SWAP_DUE');
  assert.equal(newest(refreshed.body).submissions?.[0]?.fate, 'REPLACED');
  assert.equal(refreshed.body.next?.attemptId, newest(plan).attemptId, 'they can still be executed');
});

test('a submitted transaction waits again when a reorganisation takes back what had replaced it', async () => {
  const ready = await readyPlan();
  const { hash, raw } = await signed(ready);
  const plan = await submit(ready, hash);
  await ready.wallet.execute([{ to: freshAddress(), data: '0x', value: '0' }]);
  assert.equal((await payments.again(plan)).body.next?.do, 'EXECUTE');
  await payments.service.rpc('anvil_reorg', [1, []]);
  const waits = await payments.until(plan, 'it waits again', ({ next }) => next?.do === 'WAIT');
  assert.deepEqual(
    [waits.next?.by, waits.next?.why, waits.next?.calls],
    ['CHAIN', 'TRANSACTION_PENDING', undefined],
  );
  assert.equal(newest(waits).submissions?.[0]?.fate, undefined);
  assertProblem(await payments.again(waits), 409, 'execution-in-flight');
  await payments.service.rpc('eth_sendRawTransaction', [raw]);
  await payments.until(waits, 'it is mined', (now) => statusesOf(now) === 'DONE DONE READY');
});

test('a submitted transaction is EXPIRED when the chain is past the deadline', async () => {
  const ready = await readyPlan();
  const { hash } = await signed(ready);
  const plan = await submit(ready, hash);
  assertProblem(await payments.again(plan), 409, 'execution-in-flight');
  await payments.advance('PT20M1S');
  const refreshed = await payments.again(plan);
  assert.equal(refreshed.status, 200, refreshed.text);
  assert.equal(stepOf(refreshed.body, 'EXECUTE_SWAP').attempts?.at(-2)?.submissions?.[0]?.fate, 'EXPIRED');
});

test('a plan that was refunded is ended when its submitted transaction cannot be mined any more', async () => {
  const ready = await readyPlan();
  const { hash } = await signed(ready);
  const plan = await submit(ready, hash);
  const asset = { chainId: payments.sandbox.chainId, address: payments.token('USDC') };
  const refund = { amount: String(AMOUNT_IN), asset, providerReference: 'REFUND-1' };
  const url = `/v1/payments/${plan.planId}`;
  const back = (await payments.ask(`${url}/refunds`, refund)).json as PaymentPlan;
  assert.equal(back.next?.why, 'TRANSACTION_PENDING');
  const failed = await payments.report(plan, 'EXECUTE_SWAP', {
    outcome: 'FAILED',
    failure: { code: 'OTHER' },
  });
  assert.equal(failed.body.next?.why, 'TRANSACTION_PENDING');
  const end = { reason: 'REFUNDED' };
  assertProblem(await payments.end(plan, end), 409, 'execution-in-flight');
  await payments.advance('PT20M1S');
  // Who looks first, the worker or this request, finds the transaction expired, which changes the plan.
  const first = await payments.end(plan, end);
  if (first.status !== 200) assertProblem(first, 412, 'revision-mismatch');
  const closed = first.status === 200 ? first : await payments.end(plan, end);
  assert.equal(stepOf(closed.body, 'EXECUTE_SWAP').attempts?.at(-1)?.submissions?.[0]?.fate, 'EXPIRED');
  assert.deepEqual([closed.status, endOf(closed.body)], [200, 'REFUNDED']);
});

test('a plan is ended by force beside a submitted transaction, and shows it when it is mined', async () => {
  const ready = await readyPlan();
  const { raw, hash } = await signed(ready);
  const plan = await submit(ready, hash);
  const end = { reason: 'ABANDONED' };
  assertProblem(await payments.end(plan, end), 409, 'execution-in-flight');
  const { body: ended } = await payments.end(plan, { ...end, force: true });
  assert.deepEqual([endOf(ended), ended.next], ['ABANDONED', undefined]);
  await payments.service.rpc('eth_sendRawTransaction', [raw]);
  await receiptOf(payments.service.rpc, hash);
  const seen = await payments.until(plan, 'the swap is seen', (now) => now.next?.why === 'MONEY_UNEXPLAINED');
  const [source, target] = seen.funds;
  assert.deepEqual([endOf(seen), source?.swapped.in], ['ABANDONED', String(AMOUNT_IN)]);
  assert.deepEqual(
    target?.unallocated.map(({ amount, reason }) => [amount, reason]),
    [[target?.swapped.out, 'AFTER_END']],
  );
});

test('with force there are new instructions beside a submitted transaction', async () => {
  const ready = await readyPlan();
  const { hash } = await signed(ready);
  const plan = await submit(ready, hash);
  const refreshed = await forced(plan);
  assert.equal(refreshed.status, 200, refreshed.text);
  const { attempts } = stepOf(refreshed.body, 'EXECUTE_SWAP');
  assert.equal(attempts?.at(-2)?.submissions?.[0]?.fate, 'FORCED');
  const last = (await payments.events(plan)).at(-1);
  assert.deepEqual([last?.type, (last?.data as { force?: boolean }).force], ['INSTRUCTED', true]);
});

test('a submission that contradicts itself or names another attempt is refused and not kept', async () => {
  const ready = await readyPlan();
  const other = await readyPlan();
  const { hash } = await signed(ready);
  const before = await payments.textOf(ready.plan.planId);
  const wrong: [Record<string, unknown>, number, string, RegExp][] = [
    [
      { outcome: 'SUBMITTED', txHash: hash },
      400,
      'validation-failed',
      /attemptId is missing; give .*next\.attemptId/,
    ],
    [submittedAs(ready.plan, hash, { nonce: 1 }), 400, 'validation-failed', /sender is missing/],
    [
      submittedAs(ready.plan, hash, { sender: ready.wallet.address }),
      400,
      'validation-failed',
      /nonce is missing/,
    ],
    [submittedAs(ready.plan, hash, { amount: '5' }), 400, 'validation-failed', /amount/],
    [{ outcome: 'DONE', txHash: hash, nonce: 1 }, 400, 'validation-failed', /nonce/],
    [submittedAs(other.plan, hash), 409, 'evidence-mismatch', /no attempt of this plan/],
    [
      { ...submittedAs(ready.plan, hash), attemptId: `${newest(ready.plan).attemptId?.slice(0, -4)}00ff` },
      409,
      'evidence-mismatch',
      /no such attempt/,
    ],
  ];
  for (const [report, status, code, detail] of wrong)
    assertProblem(await payments.report(ready.plan, 'EXECUTE_SWAP', report), status, code, detail);
  const elsewhere = await payments.report(ready.plan, 'CUSTODIAN_PAYOUT', submittedAs(ready.plan, hash));
  assertProblem(elsewhere, 400, 'validation-failed');
  assert.equal(await payments.textOf(ready.plan.planId), before);
});

test('a plan that only transfers keeps its instructions, which never expire', async () => {
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() };
  const ready = await readyPlan({ corridorId: 'usdc-wallet', recipient });
  await payments.advance('P1D');
  const aged = await payments.get(ready.plan.planId);
  assert.equal(aged.next?.why, 'SWAP_DUE');
  assert.equal(aged.next?.deadline, undefined);
  assert.equal(callOf(aged).constraints?.notAfter, undefined);
  const refreshed = await payments.again(aged);
  assert.deepEqual([refreshed.status, refreshed.body.revision], [200, aged.revision]);
  const expired = { outcome: 'FAILED', failure: { code: 'INSTRUCTIONS_EXPIRED' } };
  assertProblem(
    await payments.report(aged, 'EXECUTE_SWAP', expired),
    409,
    'evidence-mismatch',
    /never expire/,
  );
  const sent = await ready.wallet.execute([callOf(aged)]);
  const done = await payments.report(aged, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: sent.hash });
  assert.equal(statusesOf(done.body), 'DONE DONE READY');
});

test('a transfer that no node has seen for a day, and of which no sender was told, is FORGOTTEN', async () => {
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() };
  const ready = await readyPlan({ corridorId: 'usdc-wallet', recipient });
  const { hash } = await signed(ready);
  const submitted = await payments.report(ready.plan, 'EXECUTE_SWAP', submittedAs(ready.plan, hash));
  assert.equal(submitted.body.next?.why, 'TRANSACTION_PENDING', submitted.text);
  await payments.advance('PT23H59M');
  assertProblem(await payments.again(ready.plan), 409, 'execution-in-flight');
  await payments.advance('PT2M');
  const refreshed = await payments.again(ready.plan);
  assert.deepEqual([refreshed.status, refreshed.body.next?.why], [200, 'SWAP_DUE']);
  assert.equal(newest(refreshed.body).submissions?.[0]?.fate, 'FORGOTTEN');
  const closed = await payments.end(ready.plan, { reason: 'ABANDONED' });
  assert.deepEqual([closed.status, endOf(closed.body)], [200, 'ABANDONED']);
});

test('a second swap of another nonce is told beside a COMPLETED plan, and found when it is mined', async () => {
  const ready = await readyPlan();
  const { wallet, plan } = ready;
  await wallet.approve(payments.token('USDC'), callOf(plan).to, 2n * AMOUNT_IN);
  const nonce = await nonceOf(ready);
  const [first, second] = [await signed(ready, { nonce }), await signed(ready, { nonce: nonce + 1 })];
  for (const [place, { hash }] of [first, second].entries()) {
    const report = submittedAs(plan, hash, { sender: wallet.address, nonce: nonce + place });
    assert.equal((await payments.report(plan, 'EXECUTE_SWAP', report)).status, 200);
  }
  await payments.service.rpc('eth_sendRawTransaction', [first.raw]);
  const swapped = await payments.until(plan, 'the swap is found', ({ steps }) => steps[1]?.status === 'DONE');
  const paid = (await payments.simulate(swapped, 'CUSTODIAN_PAYOUT', 'payout.done')).body;
  assert.deepEqual([paid.status, paid.next?.why], ['COMPLETED', 'TRANSACTION_PENDING']);
  assert.match(paid.next?.detail ?? '', new RegExp(`${second.hash}.* swap once more`));
  await payments.give(wallet.address, 'USDC', AMOUNT_IN);
  const unasked = await payments.until(paid, 'it is seen', ({ next }) => next?.why === 'MONEY_UNEXPLAINED');
  assert.match(unasked.next?.detail ?? '', new RegExp(`${second.hash}.* swap once more`));
  await payments.service.rpc('eth_sendRawTransaction', [second.raw]);
  const reasonsOf = ({ funds }: WholePlan) =>
    funds.flatMap(({ unallocated }) => unallocated.map(({ reason }) => reason));
  const twice = await payments.until(paid, 'it is found', (now) =>
    reasonsOf(now).includes('SECOND_EXECUTION'),
  );
  assert.doesNotMatch(twice.next?.detail ?? '', /submitted/);
});
