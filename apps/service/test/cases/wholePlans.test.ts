// Whole payments with a wallet that signs for itself, with many kinds of incidents. The amounts paid in, swapped,
// settled and paid out on the plan agree with the chain to the smallest unit. A bank's reference or a transaction
// proves a payout.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { keccak256 } from 'viem';
import { type KeyWallet, receiptOf, type Sent, transferCall } from '../keyWallet.ts';
import {
  assertProblem,
  AUSTRALIAN,
  startPaymentsTest,
  statusesOf,
  stepOf,
  stepsWithoutRest,
  type WholePlan,
} from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const AMOUNT_IN = 123_456_789n;

/** A corridor, with what distinguishes its payments. */
type Route = {
  readonly corridorId: string;
  readonly source: string;
  readonly target: string;
  readonly paysOut: 'AT_A_BANK' | 'ON_CHAIN';
};

const ROUTES: readonly Route[] = [
  { corridorId: 'usdc-aud-bank', source: 'USDC', target: 'tAUD', paysOut: 'AT_A_BANK' },
  { corridorId: 'usdt-usdc-wallet', source: 'USDT', target: 'USDC', paysOut: 'ON_CHAIN' },
];

/** One payment: its participants, and what the custodian held before it. */
type Payment = {
  readonly route: Route;
  readonly plan: WholePlan;
  readonly payer: KeyWallet;
  /** The wallet whose address is the deposit address; it executes the swap. */
  readonly wallet: KeyWallet;
  readonly beneficiary: KeyWallet;
  readonly custodian: string;
  readonly custodianHeld: bigint;
};

/** A plan whose swap is done, and the transaction of the swap. */
type Swapped = { readonly plan: WholePlan; readonly swap: Sent };

/** How a payment proceeds: the parts of its deposit, the way of its swap, and its end. */
type Way = {
  readonly parts: readonly bigint[];
  readonly swap: (payment: Payment, ready: WholePlan) => Promise<Swapped>;
  readonly end: 'COMPLETED' | 'RETURNED';
};

const straight: Way = { parts: [AMOUNT_IN], swap: executed, end: 'COMPLETED' };

const ways: Readonly<Record<string, Way>> = {
  'there is no incident': straight,
  'the deposit is partial, then topped up': {
    ...straight,
    parts: [AMOUNT_IN / 3n, AMOUNT_IN - AMOUNT_IN / 3n],
  },
  'more is paid in than the amount': { ...straight, parts: [AMOUNT_IN + 7n] },
  'the swap is reverted and retried': { ...straight, swap: revertedAndRetried },
  'the swap is replaced before it is mined': { ...straight, swap: replaced },
  'a reorganisation replaces the swap': { ...straight, swap: replacedByReorganisation },
  'a reorganisation undoes the swap, and it is mined again at another price': {
    ...straight,
    swap: minedAgainAtAnotherPrice,
  },
  'a reorganisation undoes the swap, and it is executed anew': { ...straight, swap: executedAnew },
  'the payout is returned': { ...straight, end: 'RETURNED' },
};

for (const route of ROUTES)
  for (const [what, way] of Object.entries(ways))
    test(`${route.corridorId}: ${what}`, async () => {
      const payment = await planned(route, way);
      const ready = await paidIn(payment, way.parts);
      const swapped = await way.swap(payment, ready);
      const arrived = await assertSettled(payment, swapped);
      const completed = await paidOut(payment, swapped.plan, arrived);
      await assertPaidOut(payment, completed, arrived);
      if (way.end === 'RETURNED') await returned(payment, completed, arrived);
    });

async function planned(route: Route, { parts }: Way): Promise<Payment> {
  const [payer, wallet, beneficiary] = [
    await payments.freshWallet(),
    await payments.freshWallet(),
    await payments.freshWallet(),
  ];
  await payments.give(
    payer.address,
    route.source,
    parts.reduce((sum, part) => sum + part),
  );
  const { address } = beneficiary;
  const custodian = await payments.settlementAddress(route.corridorId);
  const custodianHeld = await payments.onChain.balanceOf(custodian, payments.token(route.target));
  const plan = await payments.plan({
    corridorId: route.corridorId,
    amountIn: String(AMOUNT_IN),
    recipient:
      route.paysOut === 'ON_CHAIN'
        ? { type: 'wallet', chainId: payments.sandbox.chainId, address }
        : AUSTRALIAN,
    options: { mode: 'STANDARD', depositAddress: wallet.address, slippageBps: 300 },
  });
  return { route, plan, payer, wallet, beneficiary, custodian, custodianHeld };
}

/** Pays in part after part, each after the previous one was seen. Returns the plan when its swap is due. */
async function paidIn({ route, plan, payer, wallet }: Payment, parts: readonly bigint[]): Promise<WholePlan> {
  const sent: (readonly [string, string])[] = [];
  let now = plan;
  for (const part of parts) {
    const { hash } = await payer.transfer(payments.token(route.source), wallet.address, part);
    sent.push([hash, String(part)]);
    now = await payments.until(plan, 'it is seen', (seen) => transfersOf(seen).length === sent.length);
    if (sent.length < parts.length) assert.equal(now.next?.why, 'DEPOSIT_PARTIAL');
  }
  assert.deepEqual(transfersOf(now), sent);
  const ready = await payments.until(plan, 'its swap is due', (due) => due.steps[1]?.status === 'READY');
  assert.equal(ready.next?.why, 'SWAP_DUE');
  return ready;
}

function transfersOf(plan: WholePlan): (readonly [string, string])[] {
  const { transfers = [] } = stepOf(plan, 'AWAIT_DEPOSIT').deposit ?? {};
  return transfers.map(({ txHash, amount }) => [txHash, amount]);
}

/** The last call of a plan's instructions, which is the swap. */
function callOf(plan: WholePlan) {
  const call = stepOf(plan, 'EXECUTE_SWAP').instructions?.at(-1);
  assert.ok(call, 'there is something to execute');
  return call;
}

function approved({ route, wallet }: Payment, ready: WholePlan): Promise<Sent> {
  return wallet.approve(payments.token(route.source), callOf(ready).to, AMOUNT_IN);
}

async function reported(plan: WholePlan, swap: Sent): Promise<Swapped> {
  const answer = await payments.report(plan, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: swap.hash });
  assert.equal(answer.status, 200, answer.text);
  return { plan: answer.body, swap };
}

async function executed(payment: Payment, ready: WholePlan): Promise<Swapped> {
  await approved(payment, ready);
  return reported(ready, await payment.wallet.execute([callOf(ready)]));
}

async function revertedAndRetried(payment: Payment, ready: WholePlan): Promise<Swapped> {
  // Without an approval the router cannot pull the deposit.
  const { hash } = await payment.wallet.send(callOf(ready));
  assert.equal((await receiptOf(payments.service.rpc, hash)).status, '0x0');
  const failure = { outcome: 'FAILED', txHash: hash, failure: { code: 'REVERTED' } };
  const failed = (await payments.report(ready, 'EXECUTE_SWAP', failure)).body;
  assert.deepEqual([failed.status, statusesOf(failed)], ['ACTION_REQUIRED', 'DONE FAILED PENDING']);
  const swapped = await executed(payment, (await payments.again(failed)).body);
  assert.deepEqual(triedOf(swapped.plan), ['FAILED', 'EXECUTED']);
  return swapped;
}

/** The outcomes of the plan's attempts, without those that newer instructions replaced. */
function triedOf(plan: WholePlan): string[] {
  const { attempts = [] } = stepOf(plan, 'EXECUTE_SWAP');
  return attempts.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'SUPERSEDED');
}

async function replaced(payment: Payment, ready: WholePlan): Promise<Swapped> {
  const { rpc } = payments.service;
  await approved(payment, ready);
  await rpc('evm_setAutomine', [false]);
  try {
    const [first, second] = await rivals(payment, ready);
    for (const { raw } of [first, second]) await rpc('eth_sendRawTransaction', [raw]);
    await rpc('evm_mine');
    const gone = await payments.report(ready, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: first.hash });
    assertProblem(gone, 409, 'evidence-mismatch', /report that one's hash/);
    return await reported(ready, second);
  } finally {
    await rpc('evm_setAutomine', [true]);
  }
}

/** Two signed swaps with the same nonce: only one of them can be mined. */
async function rivals({ wallet }: Payment, ready: WholePlan): Promise<[Sent, Sent]> {
  const counted = await payments.service.rpc<string>('eth_getTransactionCount', [wallet.address, 'latest']);
  const nonce = Number(counted);
  const signed = async (feeWei: bigint) => {
    const raw = (await wallet.sign(callOf(ready), { nonce, feeWei })) as `0x${string}`;
    return { raw, hash: keccak256(raw) };
  };
  return [await signed(10n ** 10n), await signed(3n * 10n ** 10n)];
}

async function replacedByReorganisation(payment: Payment, ready: WholePlan): Promise<Swapped> {
  const { rpc } = payments.service;
  await approved(payment, ready);
  const [first, second] = await rivals(payment, ready);
  await rpc('eth_sendRawTransaction', [first.raw]);
  await receiptOf(rpc, first.hash);
  const { plan } = await reported(ready, first);
  await rpc('anvil_reorg', [1, [[second.raw, 0]]]);
  const is = (now: WholePlan) => stepOf(now, 'EXECUTE_SWAP').evidence?.txHash === second.hash;
  const found = await payments.until(plan, 'the other swap is found by itself', is);
  const [lost] = (await payments.events(found)).filter(({ type }) => type === 'EVIDENCE_LOST');
  assert.equal((lost?.data as { cause?: string }).cause, 'REPLACED');
  return { plan: found, swap: second };
}

/** Waits until the plan shows that its swap is gone, and why. */
async function takenBack(plan: WholePlan): Promise<WholePlan> {
  const is = (now: WholePlan) => now.next?.why === 'TRANSACTION_LOST';
  const lost = await payments.until(plan, 'the swap is taken back', is);
  assert.equal(statusesOf(lost), 'DONE READY PENDING');
  const [last] = (await payments.events(lost)).slice(-1);
  assert.equal(last?.type, 'EVIDENCE_LOST');
  assert.equal((last.data as { cause?: string }).cause, 'REORGANISED');
  return lost;
}

/** Executes a swap, then takes the latest block away. */
async function undone(payment: Payment, ready: WholePlan): Promise<Swapped> {
  const { plan, swap } = await executed(payment, ready);
  await payments.service.rpc('anvil_reorg', [1, []]);
  return { plan: await takenBack(plan), swap };
}

async function minedAgainAtAnotherPrice(payment: Payment, ready: WholePlan): Promise<Swapped> {
  const { route } = payment;
  const lost = await undone(payment, ready);
  const promised = lost.plan.quote?.amountOut ?? '';
  await payments.trade(route.source, route.target, 100_000_000_000n);
  await payments.service.rpc('eth_sendRawTransaction', [lost.swap.raw]);
  const is = (now: WholePlan) => statusesOf(now) === 'DONE DONE READY';
  const plan = await payments.until(lost.plan, 'it is found by itself', is);
  const amount = BigInt(stepOf(plan, 'EXECUTE_SWAP').evidence?.amount ?? 0);
  assert.ok(amount < BigInt(promised), `${amount} arrived of ${promised}, though the price fell`);
  return { plan, swap: lost.swap };
}

async function executedAnew(payment: Payment, ready: WholePlan): Promise<Swapped> {
  const lost = await undone(payment, ready);
  await payments.service.recordAtHead();
  const fresh = (await payments.again(lost.plan)).body;
  assert.equal(fresh.next?.why, 'SWAP_DUE');
  const anew = await reported(fresh, await payment.wallet.execute([callOf(fresh)]));
  assert.deepEqual(triedOf(anew.plan), ['LOST', 'EXECUTED']);
  return anew;
}

/**
 * Asserts that plan and chain agree on the deposit and on the settled amount. Returns the settled amount in smallest
 * units.
 */
async function assertSettled(payment: Payment, { plan, swap }: Swapped): Promise<bigint> {
  const { route, payer, wallet, custodian, custodianHeld } = payment;
  const { onChain, token } = payments;
  assert.deepEqual([plan.status, statusesOf(plan)], ['ACTION_REQUIRED', 'DONE DONE READY']);
  const { expected, received, confirmed, outcome } = stepOf(plan, 'AWAIT_DEPOSIT').deposit ?? {};
  assert.deepEqual([plan.amountIn, expected], [String(AMOUNT_IN), String(AMOUNT_IN)]);
  const [paid, rest] = [
    transfersOf(plan).reduce((sum, [, amount]) => sum + BigInt(amount), 0n),
    await onChain.balanceOf(wallet.address, token(route.source)),
  ];
  assert.equal(await onChain.balanceOf(payer.address, token(route.source)), 0n, 'the payer had no more');
  assert.deepEqual([received, confirmed], [String(paid), String(paid)]);
  assert.equal(outcome, paid > AMOUNT_IN ? 'OVER' : 'EXACT');
  assert.equal(paid - rest, AMOUNT_IN, 'the swap takes the amount exactly once');

  const arrived = (await onChain.balanceOf(custodian, token(route.target))) - custodianHeld;
  const { evidence, verification, attempts = [] } = stepOf(plan, 'EXECUTE_SWAP');
  const { status, blockNumber } = await minedAt(swap);
  assert.deepEqual(
    [evidence?.txHash, evidence?.blockNumber, evidence?.amount, evidence?.status, verification],
    [swap.hash, blockNumber, String(arrived), 'FINAL', 'VERIFIED'],
  );
  assert.equal(status, '0x1');
  const executions = attempts.filter((attempt) => attempt.outcome === 'EXECUTED');
  assert.deepEqual(
    executions.map(({ txHash }) => txHash),
    [swap.hash],
  );
  assert.ok(arrived >= BigInt(executions[0]?.minAmountOut ?? 0) && arrived > 0n);
  const { asset, amount, isFinal } = stepOf(plan, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();
  assert.deepEqual(
    [asset.chainId, asset.address, asset.symbol, amount, isFinal],
    [payments.sandbox.chainId, token(route.target), route.target, String(arrived), true],
  );
  return arrived;
}

async function minedAt({ hash }: Pick<Sent, 'hash'>): Promise<{ status: string; blockNumber: number }> {
  const { status, blockNumber } = await receiptOf(payments.service.rpc, hash);
  return { status, blockNumber: Number(blockNumber) };
}

/** A plan whose payout is done, and the evidence that was reported. */
type PaidOut = { readonly plan: WholePlan; readonly told: object };

/** Pays out as the plan tells the custodian, and reports it. */
async function paidOut({ route, beneficiary }: Payment, plan: WholePlan, arrived: bigint): Promise<PaidOut> {
  const { requiredEvidence = [] } = stepOf(plan, 'CUSTODIAN_PAYOUT').custodianAction ?? {};
  let told: object = { providerReference: `NPP ${plan.clientReference}` };
  if (route.paysOut === 'ON_CHAIN') {
    const transfer = transferCall(payments.token(route.target), beneficiary.address, arrived);
    told = { txHash: await payments.custodianSends(route.corridorId, transfer) };
  }
  assert.deepEqual(Object.keys(told), requiredEvidence);
  const report = { outcome: 'DONE', amount: String(arrived), ...told };
  const { status, body, text } = await payments.report(plan, 'CUSTODIAN_PAYOUT', report);
  assert.equal(status, 200, text);
  return { plan: body, told };
}

/** Asserts that the payment is over when it is read again, and that everybody holds the right amounts. */
async function assertPaidOut(
  payment: Payment,
  { plan: { planId }, told }: PaidOut,
  arrived: bigint,
): Promise<void> {
  const { route, beneficiary } = payment;
  const plan = await payments.get(planId);
  assert.deepEqual(
    [plan.status, statusesOf(plan), plan.next?.why],
    // Money that is left is to be reviewed: a rest of a deposit, or of a swap that brought more when it was mined
    // again.
    ['COMPLETED', 'DONE DONE DONE', isMoneyLeft(plan) ? 'MONEY_UNEXPLAINED' : undefined],
  );
  const { evidence, providerReference, paidAmount, verification, custodianAction } = stepOf(
    plan,
    'CUSTODIAN_PAYOUT',
  );
  const isOnChain = route.paysOut === 'ON_CHAIN';
  assert.deepEqual(isOnChain ? { txHash: evidence?.txHash } : { providerReference }, told);
  assert.deepEqual(
    [custodianAction?.amount, paidAmount, evidence?.amount, verification],
    isOnChain
      ? [String(arrived), String(arrived), String(arrived), 'VERIFIED']
      : [String(arrived), String(payable(payment, arrived)), undefined, 'REPORTED'],
  );
  const held = await payments.onChain.balanceOf(beneficiary.address, payments.token(route.target));
  assert.equal(held, isOnChain ? arrived : 0n);
  assert.equal(await settledWith(payment), isOnChain ? 0n : arrived);
}

/** What of an amount can be paid: a bank pays whole cents. */
function payable({ route }: Payment, arrived: bigint): bigint {
  return route.paysOut === 'ON_CHAIN' ? arrived : arrived - (arrived % 10_000n);
}

/** How much more the custodian holds than before the payment. */
async function settledWith({ route, custodian, custodianHeld }: Payment): Promise<bigint> {
  return (await payments.onChain.balanceOf(custodian, payments.token(route.target))) - custodianHeld;
}

/** The money comes back to the custodian. Steps that were DONE stay DONE. */
function isMoneyLeft({ funds }: WholePlan): boolean {
  return funds.some(({ outstanding, unallocated }) => outstanding !== '0' || unallocated.length > 0);
}

async function returned(payment: Payment, { plan: completed }: PaidOut, arrived: bigint): Promise<void> {
  const { route, beneficiary, custodian } = payment;
  if (route.paysOut === 'ON_CHAIN')
    await beneficiary.transfer(payments.token(route.target), custodian, arrived);
  const providerReference = `RETURN ${completed.clientReference}`;
  const amount = String(payable(payment, arrived));
  const { status, text } = await payments.report(completed, 'CUSTODIAN_PAYOUT', {
    outcome: 'RETURNED',
    providerReference,
    amount,
    failure: { code: 'ACCOUNT_CLOSED' },
  });
  assert.equal(status, 200, text);
  const plan = await payments.get(completed.planId);
  assert.deepEqual(
    [plan.status, plan.next?.why, stepsWithoutRest(plan)],
    ['RETURNED', 'MONEY_RETURNED', stepsWithoutRest(completed)],
  );
  assert.deepEqual(
    plan.returns.map((each) => [each.providerReference, each.amount, each.failure?.code]),
    [[providerReference, amount, 'ACCOUNT_CLOSED']],
  );
  assert.equal(await settledWith(payment), arrived);
}
