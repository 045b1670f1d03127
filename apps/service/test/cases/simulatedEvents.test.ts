// Each event of the simulator changes the plan just as the act of a payer, a wallet or a custodian does. Its
// transactions on the chain are real.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type PaymentStep, SIMULATED_EVENTS, type SimulatedEvent } from '@fairway/wire';
import { collectToWallet } from '../collectForms.ts';
import { receiptOf } from '../keyWallet.ts';
import {
  assertProblem,
  freshAddress,
  startPaymentsTest,
  statusesOf,
  stepOf,
  stepsWithoutRest,
  type WholePlan,
  endOf,
} from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const AMOUNT_IN = 100_000_001n;

const EFFECTS: Readonly<Record<SimulatedEvent, readonly [what: string, asserts: () => Promise<void>]>> = {
  'deposit.exact': ['the missing amount arrives at the address or by a report', exactDeposit],
  'deposit.partial': [
    'half of the missing amount arrives each time, and the plan asks for the rest',
    partialDeposit,
  ],
  'deposit.over': ['a tenth and one unit more arrive, and the planned amount is swapped', depositOver],
  'deposit.late': ['only this plan expires, then the money arrives', lateDeposit],
  'deposit.dust': ['so little arrives that the plan is not begun', depositDust],
  'deposit.otherToken': ['another token arrives, and is shown as unallocated', depositOfOtherToken],
  'swap.done': ['the instructions are executed, and the output arrives', swapDone],
  'swap.reverted': ['the instructions are executed and reverted, and can be retried', swapReverted],
  'swap.again': ['the instructions are executed a second time, and the money is unallocated', swapAgain],
  'payout.done': ['a bank pays by a reference, a wallet is paid by a transaction', payoutDone],
  'payout.deducted': ['the custodian tells of the fee that it keeps, and the plan ends', payoutDeducted],
  'payout.short': ['less is paid than is due, and a person is asked until the rest is paid', payoutShort],
  'payout.failed': ['the payout fails, and can be retried', payoutFailed],
  'payout.returned': ['a payout comes back once it was made, not before', payoutReturned],
  'payout.held': ['the custodian asks a question, and pays after that', payoutHeld],
  'collect.opened': ['the recipient opens the link', collectOpened],
  'collect.submitted': ['the recipient chooses where to be paid, and enters the code', collectSubmitted],
  'collect.expired': ['the link ends, and another can be sent', collectExpired],
  'delivery.held': ['the custodian holds what the recipient has chosen', deliveryHeld],
};

for (const event of SIMULATED_EVENTS) test(`${event}: ${EFFECTS[event][0]}`, EFFECTS[event][1]);

const KINDS = {
  deposit: 'AWAIT_DEPOSIT',
  swap: 'EXECUTE_SWAP',
  payout: 'CUSTODIAN_PAYOUT',
  delivery: 'SEND_DIGITAL_COLLECT',
  collect: 'SEND_DIGITAL_COLLECT',
} as const;

function stepTypeOf(event: SimulatedEvent): PaymentStep['type'] {
  return KINDS[event.split('.')[0] as keyof typeof KINDS];
}

function simulate(plan: WholePlan, event: SimulatedEvent) {
  return payments.simulate(plan, stepTypeOf(event), event);
}

/** A plan whose deposit address is watched. */
async function watchedPlan() {
  const depositAddress = freshAddress();
  const options = { mode: 'STANDARD', depositAddress };
  return { plan: await payments.plan({ amountIn: String(AMOUNT_IN), options }), depositAddress };
}

const walletPayment = () => ({
  corridorId: 'usdc-wallet',
  amountIn: String(AMOUNT_IN),
  recipient: { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() },
});

function depositOf(plan: WholePlan) {
  const { deposit } = stepOf(plan, 'AWAIT_DEPOSIT');
  assert.ok(deposit);
  return deposit;
}

/** The status of a transaction's receipt. */
async function statusAt(txHash: string | undefined): Promise<string> {
  assert.ok(txHash, 'there is a transaction');
  return (await receiptOf(payments.service.rpc, txHash)).status;
}

const held = (address: string, symbol: string) => payments.onChain.balanceOf(address, payments.token(symbol));

/** Asserts that a deposit has these amounts, and that the chain has their transactions to the address. */
async function assertDeposited(
  plan: WholePlan,
  address: string,
  outcome: string,
  amounts: readonly bigint[],
  verification = 'VERIFIED',
) {
  const deposit = depositOf(plan);
  assert.deepEqual(
    deposit.transfers.map(({ amount }) => amount),
    amounts.map(String),
  );
  for (const { txHash } of deposit.transfers) assert.equal(await statusAt(txHash), '0x1');
  const sum = amounts.reduce((total, amount) => total + amount);
  assert.equal(await held(address, 'USDC'), sum);
  assert.deepEqual([deposit.received, deposit.outcome], [String(sum), outcome]);
  assert.equal(stepOf(plan, 'AWAIT_DEPOSIT').verification, verification);
}

async function exactDeposit(): Promise<void> {
  const { plan, depositAddress } = await watchedPlan();
  const deposited = await payments.played(plan, 'deposit.exact');
  await assertDeposited(deposited, depositAddress, 'EXACT', [AMOUNT_IN]);
  assert.deepEqual([statusesOf(deposited), deposited.next?.why], ['DONE READY PENDING', 'SWAP_DUE']);

  const sender = freshAddress();
  const sent = await payments.plan({ amountIn: String(AMOUNT_IN), options: { mode: 'STANDARD', sender } });
  await assertDeposited(
    await payments.played(sent, 'deposit.exact'),
    sender,
    'EXACT',
    [AMOUNT_IN],
    'REPORTED',
  );

  const unaddressed = await payments.played(
    await payments.plan({ amountIn: String(AMOUNT_IN) }),
    'deposit.exact',
  );
  const { deposit, verification } = stepOf(unaddressed, 'AWAIT_DEPOSIT');
  assert.deepEqual(
    [statusesOf(unaddressed), deposit?.received, deposit?.transfers, verification],
    ['DONE READY PENDING', String(AMOUNT_IN), [], 'UNVERIFIABLE'],
  );
}

async function partialDeposit(): Promise<void> {
  const { plan, depositAddress } = await watchedPlan();
  const parts = [50_000_000n, 25_000_000n, 25_000_001n];
  const once = await payments.played(plan, 'deposit.partial');
  await assertDeposited(once, depositAddress, 'PARTIAL', parts.slice(0, 1));
  assert.deepEqual([statusesOf(once), once.next?.why], ['READY PENDING PENDING', 'DEPOSIT_PARTIAL']);
  const twice = await payments.played(once, 'deposit.partial');
  await assertDeposited(twice, depositAddress, 'PARTIAL', parts.slice(0, 2));
  const whole = await payments.played(twice, 'deposit.exact');
  await assertDeposited(whole, depositAddress, 'EXACT', parts);
  assert.equal(statusesOf(whole), 'DONE READY PENDING');

  const unwatched = await payments.plan();
  const refused = await simulate(unwatched, 'deposit.partial');
  assertProblem(refused, 400, 'validation-failed', /options\.depositAddress/);
  assert.deepEqual(
    refused.problem.errors?.map(({ pointer }) => pointer),
    ['/event'],
  );
}

async function depositOver(): Promise<void> {
  const unwatched = await simulate(await payments.plan(), 'deposit.over');
  assertProblem(
    unwatched,
    400,
    'validation-failed',
    /deposit\.over needs a plan with options\.depositAddress/,
  );
  const { plan, depositAddress } = await watchedPlan();
  const over = await payments.played(plan, 'deposit.over');
  await assertDeposited(over, depositAddress, 'OVER', [AMOUNT_IN + AMOUNT_IN / 10n + 1n]);
  assert.deepEqual([statusesOf(over), over.quote?.amountIn], ['DONE READY PENDING', String(AMOUNT_IN)]);
}

async function lateDeposit(): Promise<void> {
  const { plan, depositAddress } = await watchedPlan();
  const bystander = await payments.plan();
  const late = await payments.played(plan, 'deposit.late');
  await assertDeposited(late, depositAddress, 'LATE', [AMOUNT_IN]);
  assert.deepEqual([endOf(late), statusesOf(late)], ['EXPIRED', 'FAILED PENDING PENDING']);
  assert.equal(stepOf(late, 'AWAIT_DEPOSIT').failure?.code, 'DEPOSIT_EXPIRED');
  assert.deepEqual(await payments.get(bystander.planId), bystander);
  const newest = await payments.plan();
  assert.ok(newest.createdAt < plan.expiresAt, 'the clock does not move');
  const revived = (await payments.again(late)).body;
  assert.equal(statusesOf(revived), 'DONE READY PENDING');

  const part = await payments.played((await watchedPlan()).plan, 'deposit.partial', 'deposit.late');
  assert.deepEqual([part.next?.why, depositOf(part).outcome], ['STEP_FAILED', 'LATE']);
}

/** The reasons why money is unallocated. */
function unallocatedOf({ funds }: WholePlan): string[] {
  return funds.flatMap(({ unallocated }) => unallocated.map(({ reason }) => String(reason))).toSorted();
}

async function depositDust(): Promise<void> {
  const { plan, depositAddress } = await watchedPlan();
  const dusty = await payments.played(plan, 'deposit.dust');
  const dust = await held(depositAddress, 'USDC');
  assert.ok(dust > 0n && dust * 1000n <= AMOUNT_IN, String(dust));
  assert.deepEqual(
    [dusty.next?.why, statusesOf(dusty), depositOf(dusty).received],
    ['DEPOSIT_PARTIAL', 'PENDING PENDING PENDING', String(dust)],
  );
  const whole = await payments.played(dusty, 'deposit.exact');
  assert.equal(statusesOf(whole), 'DONE READY PENDING');
}

async function depositOfOtherToken(): Promise<void> {
  const { plan } = await watchedPlan();
  const other = await payments.played(plan, 'deposit.otherToken');
  assert.deepEqual([other.next?.why, depositOf(other).received], ['DEPOSIT_MISSING', '0']);
  assert.equal(unallocatedOf(other).length, 1);
}

async function swapAgain(): Promise<void> {
  const swapped = await payments.played((await watchedPlan()).plan, 'deposit.exact', 'swap.done');
  assert.deepEqual(unallocatedOf(swapped), []);
  const twice = await payments.played(swapped, 'swap.again');
  assert.equal(statusesOf(twice), 'DONE DONE READY');
  assert.ok(unallocatedOf(twice).length > 0);
  const early = await simulate((await watchedPlan()).plan, 'swap.again');
  assertProblem(early, 409, 'step-not-ready', /DONE/);
}

async function swapDone(): Promise<void> {
  const custodian = await payments.settlementAddress('usdc-aud-bank');
  const heldBefore = await held(custodian, 'tAUD');
  const swapped = await payments.played((await watchedPlan()).plan, 'deposit.exact', 'swap.done');
  const arrived = (await held(custodian, 'tAUD')) - heldBefore;
  const { evidence, verification } = stepOf(swapped, 'EXECUTE_SWAP');
  assert.equal(await statusAt(evidence?.txHash), '0x1');
  assert.ok(arrived > 0n);
  assert.deepEqual(
    [statusesOf(swapped), evidence?.amount, evidence?.status, verification],
    ['DONE DONE READY', String(arrived), 'FINAL', 'VERIFIED'],
  );
  const { amount, isFinal } = stepOf(swapped, 'CUSTODIAN_PAYOUT').custodianAction ?? {};
  assert.deepEqual([amount, isFinal], [String(arrived), true]);
  assertProblem(await simulate(await payments.plan(), 'swap.done'), 409, 'step-not-ready', /AWAIT_DEPOSIT/);
}

async function swapReverted(): Promise<void> {
  for (const corridorId of ['usdc-aud-bank', 'usdc-wallet']) {
    const fields = corridorId === 'usdc-wallet' ? walletPayment() : {};
    const deposited = await payments.played(await payments.plan(fields), 'deposit.exact');
    const symbol = corridorId === 'usdc-wallet' ? 'USDC' : 'tAUD';
    const custodian = await payments.settlementAddress(corridorId);
    const heldBefore = await held(custodian, symbol);
    const failed = await payments.played(deposited, 'swap.reverted');
    assert.deepEqual(
      [failed.status, statusesOf(failed), failed.next?.why],
      ['ACTION_REQUIRED', 'DONE FAILED PENDING', 'STEP_FAILED'],
    );
    const { failure, verification, attempts, instructions } = stepOf(failed, 'EXECUTE_SWAP');
    assert.deepEqual([failure?.code, verification, instructions], ['REVERTED', 'VERIFIED', []]);
    const { outcome, txHash = '' } = attempts?.at(-1) ?? {};
    assert.equal(outcome, 'FAILED');
    assert.equal(await statusAt(txHash), '0x0');
    const call = stepOf(deposited, 'EXECUTE_SWAP').instructions?.at(-1);
    const sent = await payments.service.rpc<{ to: string; input: string }>('eth_getTransactionByHash', [
      txHash,
    ]);
    assert.deepEqual([sent.to, sent.input], [call?.to.toLowerCase(), call?.data]);
    assert.equal(await held(custodian, symbol), heldBefore);
    const retried = (await payments.again(failed)).body;
    assert.equal(statusesOf(await payments.played(retried, 'swap.done')), 'DONE DONE READY');
    assert.ok((await held(custodian, symbol)) > heldBefore);
  }
}

async function payoutDone(): Promise<void> {
  const atBank = await payments.played(await payments.plan(), 'deposit.exact', 'swap.done', 'payout.done');
  const { providerReference, evidence, verification } = stepOf(atBank, 'CUSTODIAN_PAYOUT');
  assert.deepEqual([atBank.status, evidence, verification], ['COMPLETED', undefined, 'REPORTED']);
  assert.match(providerReference ?? '', /^SIM-/);

  const asked = walletPayment();
  const onChain = await payments.played(
    await payments.plan(asked),
    'deposit.exact',
    'swap.done',
    'payout.done',
  );
  const paid = stepOf(onChain, 'CUSTODIAN_PAYOUT');
  assert.equal(await statusAt(paid.evidence?.txHash), '0x1');
  assert.deepEqual(
    [onChain.status, paid.evidence?.amount, paid.paidAmount, paid.verification],
    ['COMPLETED', String(AMOUNT_IN), String(AMOUNT_IN), 'VERIFIED'],
  );
  assert.equal(await held(asked.recipient.address, 'USDC'), AMOUNT_IN);
  const early = await payments.played(await payments.plan(asked), 'deposit.exact');
  assertProblem(await simulate(early, 'payout.done'), 409, 'step-not-ready', /EXECUTE_SWAP/);
  assert.equal(await held(asked.recipient.address, 'USDC'), AMOUNT_IN, 'no payout is sent before it is due');
}

/** The funds in the payout token, after a hundredth of the money was kept. */
function keptOf(due: WholePlan, plan: WholePlan) {
  const units = BigInt(stepOf(due, 'CUSTODIAN_PAYOUT').custodianAction?.amount ?? '');
  const { paidOut, deducted, outstanding } = plan.funds.at(-1) ?? assert.fail();
  const kept = (units + 99n) / 100n;
  // A bank pays whole cents where that settles all.
  const rest = outstanding === '0' ? (units - kept) % 10_000n : 0n;
  assert.equal(paidOut, String(units - kept - rest));
  return { kept: String(kept), rest: String(rest), deducted, outstanding };
}

async function payoutDeducted(): Promise<void> {
  const due = await payments.played(await payments.plan(), 'deposit.exact', 'swap.done');
  const paid = await payments.played(due, 'payout.deducted');
  const { kept, rest, deducted, outstanding } = keptOf(due, paid);
  const all = String(BigInt(kept) + BigInt(rest));
  assert.deepEqual([paid.status, deducted, outstanding], ['COMPLETED', all, '0']);
  assert.deepEqual(
    stepOf(paid, 'CUSTODIAN_PAYOUT').deductions?.map(({ amount }) => amount),
    [kept, rest],
  );
  assertProblem(await simulate(paid, 'payout.deducted'), 409, 'step-not-ready', /DONE already/);
  await assertForAccountsOnly('payout.deducted');
}

async function payoutShort(): Promise<void> {
  const due = await payments.played(await payments.plan(), 'deposit.exact', 'swap.done');
  const short = await payments.played(due, 'payout.short');
  const { kept, deducted, outstanding } = keptOf(due, short);
  assert.deepEqual(
    [short.status, short.next?.why, deducted, outstanding],
    ['ACTION_REQUIRED', 'PAYMENT_UNCLEAR', '0', kept],
  );
  assert.equal((await payments.played(short, 'payout.done')).status, 'COMPLETED', 'the rest is paid');
  await assertForAccountsOnly('payout.short');
}

/** A wallet is paid what the chain shows, so that nothing can be kept back. A delivery waits for a destination. */
async function assertForAccountsOnly(event: SimulatedEvent): Promise<void> {
  const due = await payments.played(await payments.plan(walletPayment()), 'deposit.exact', 'swap.done');
  assertProblem(await simulate(due, event), 400, 'validation-failed', /to an account/);
  const options = { mode: 'DIGITAL_COLLECT' };
  const recipient = { type: 'email', email: 'jo@example.com' };
  const collecting = await payments.plan({ corridorId: 'usdc-eur-collect', recipient, options });
  const refused = await payments.simulate(collecting, 'SEND_DIGITAL_COLLECT', event);
  assertProblem(refused, 409, 'step-not-ready', /has not chosen/);
}

async function payoutFailed(): Promise<void> {
  const asked = walletPayment();
  const due = await payments.played(await payments.plan(asked), 'deposit.exact', 'swap.done');
  const failed = await payments.played(due, 'payout.failed');
  assert.deepEqual(
    [failed.status, statusesOf(failed), failed.next?.why],
    ['ACTION_REQUIRED', 'DONE DONE FAILED', 'ACCOUNT_REFUSED'],
  );
  const { failure, attempts, verification } = stepOf(failed, 'CUSTODIAN_PAYOUT');
  assert.deepEqual([failure?.code, verification], ['ACCOUNT_NOT_FOUND', 'REPORTED']);
  assert.deepEqual(
    attempts?.map(({ outcome, failure: told }) => [outcome, told?.code]),
    [['FAILED', 'ACCOUNT_NOT_FOUND']],
  );
  assert.equal(await held(asked.recipient.address, 'USDC'), 0n);
  const retried = (await payments.again(failed)).body;
  assert.equal((await payments.played(retried, 'payout.done')).status, 'COMPLETED');
}

async function payoutReturned(): Promise<void> {
  const due = await payments.played(await payments.plan(), 'deposit.exact', 'swap.done');
  assertProblem(await simulate(due, 'payout.returned'), 409, 'step-not-ready', /DONE can be returned/);
  const completed = await payments.played(due, 'payout.done');
  const returned = await payments.played(completed, 'payout.returned');
  assert.deepEqual([returned.status, stepsWithoutRest(returned)], ['RETURNED', stepsWithoutRest(completed)]);
  assert.deepEqual(
    returned.returns.map(({ failure }) => failure?.code),
    ['ACCOUNT_CLOSED'],
  );
  assert.match(returned.returns[0]?.providerReference ?? '', /^SIM-/);
  const again = await simulate(returned, 'payout.returned');
  assertProblem(again, 409, 'step-not-ready', /Nothing is left to return/);
  await assertWalletSendsBack();
}

async function payoutHeld(): Promise<void> {
  const due = await payments.played(await payments.plan(), 'deposit.exact', 'swap.done');
  const held = await payments.played(due, 'payout.held');
  assert.deepEqual([held.status, held.next?.why], ['ACTION_REQUIRED', 'PAYOUT_HELD']);
  assert.equal(stepOf(held, 'CUSTODIAN_PAYOUT').hold?.reason, 'COMPLIANCE_REVIEW');
  const completed = await payments.played(held, 'payout.done');
  assert.equal(completed.status, 'COMPLETED');
  assertProblem(await simulate(completed, 'payout.held'), 409, 'step-not-ready', /DONE already/);
}

async function deliveryHeld(): Promise<void> {
  const email = `held-${freshAddress()}@example.com`;
  const made = await payments.plan({
    corridorId: 'usdc-eur-collect',
    recipient: { type: 'email', email },
    options: { mode: 'DIGITAL_COLLECT' },
  });
  const asked = await payments.played(made, 'deposit.exact', 'swap.done');
  assertProblem(await simulate(asked, 'delivery.held'), 409, 'step-not-ready', /has not chosen/);
  await collectToWallet(payments.service, email, freshAddress());
  const held = await payments.played(asked, 'delivery.held');
  const { collect } = stepOf(held, 'SEND_DIGITAL_COLLECT');
  assert.deepEqual([collect?.delivery?.status, held.next?.why], ['PENDING', 'PAYOUT_HELD']);
  const { stepId } = stepOf(held, 'SEND_DIGITAL_COLLECT');
  const path = `/v1/sandbox/payments/${held.planId}/steps/${stepId}/simulate`;
  assert.equal((await payments.ask(path, { event: 'payout.done' })).body.status, 'COMPLETED');
}

/** A plan whose link is made, and a function that simulates its recipient. */
async function collecting() {
  const email = `sim-${freshAddress()}@example.com`;
  const made = await payments.plan({
    corridorId: 'usdc-eur-collect',
    recipient: { type: 'email', email },
    options: { mode: 'DIGITAL_COLLECT' },
  });
  const { stepId } = stepOf(made, 'SEND_DIGITAL_COLLECT');
  const path = `/v1/sandbox/payments/${made.planId}/steps/${stepId}/simulate`;
  const simulated = (event: SimulatedEvent, destination?: object) =>
    payments.ask(path, { event, ...(destination === undefined ? {} : { destination }) });
  return { made, email, simulated };
}

const collectOf = (plan: WholePlan) => stepOf(plan, 'SEND_DIGITAL_COLLECT').collect;

async function collectOpened(): Promise<void> {
  const { made, simulated } = await collecting();
  assertProblem(await simulated('collect.opened'), 409, 'step-not-ready', /when the swap is DONE/);
  await payments.played(made, 'deposit.exact', 'swap.done');
  const { body } = await simulated('collect.opened');
  assert.deepEqual([collectOf(body)?.link?.state, body.next?.why], ['OPENED', 'RECIPIENT_CHOOSES']);
}

async function collectSubmitted(): Promise<void> {
  const { made, email, simulated } = await collecting();
  await payments.played(made, 'deposit.exact', 'swap.done');
  const iban = {
    type: 'bank',
    name: 'Jo Citizen',
    country: 'DE',
    account: { iban: 'DE89370400440532013000' },
  };
  assertProblem(await simulated('collect.submitted'), 400, 'validation-failed', /destination goes with/);
  assertProblem(await simulated('collect.opened', iban), 400, 'validation-failed', /destination goes with/);
  const wrong = { ...iban, account: { iban: 'DE88370400440532013000' } };
  const refused = await simulated('collect.submitted', wrong);
  assertProblem(refused, 400, 'validation-failed');
  assert.deepEqual(
    refused.problem.errors?.map(({ pointer }) => pointer),
    ['/destination/account/iban'],
  );
  const { body: chosen, status, text } = await simulated('collect.submitted', iban);
  assert.equal(status, 200, text);
  const { link, destinationType } = collectOf(chosen) ?? {};
  assert.deepEqual([link?.state, destinationType, chosen.next?.why], ['SUBMITTED', 'bank', 'PAYOUT_DUE']);
  const { data } = await payments.service.ask<{ data: { to: string; code?: string; links: string[] }[] }>(
    '/v1/sandbox/mailbox',
  );
  const mails = data.filter(({ to }) => to === email);
  assert.equal(mails.filter(({ links }) => links.some((url) => url.includes('/collect#'))).length, 1);
  for (const { code } of mails) assert.ok(code === undefined || /^\d{6}$/.test(code));
  assertProblem(await simulated('collect.submitted', iban), 409, 'step-not-ready', /can still be used/);
}

async function collectExpired(): Promise<void> {
  const { made, simulated } = await collecting();
  const bystander = await payments.plan();
  await payments.played(made, 'deposit.exact', 'swap.done');
  const { body } = await simulated('collect.expired');
  assert.deepEqual([collectOf(body)?.link?.state, body.next?.why], ['EXPIRED', 'LINK_ENDED']);
  assert.deepEqual(await payments.get(bystander.planId), bystander, 'the clock is not moved');
}

/** A wallet gives back what it was paid. If it has spent the money, nothing comes back. */
async function assertWalletSendsBack(): Promise<void> {
  const wallet = await payments.freshWallet();
  const recipient = { ...walletPayment().recipient, address: wallet.address };
  const fields = { ...walletPayment(), recipient };
  const [kept, spent] = [await payments.plan(fields), await payments.plan(fields)];
  await payments.played(kept, 'deposit.exact', 'swap.done', 'payout.done', 'payout.returned');
  assert.equal(await held(wallet.address, 'USDC'), 0n);
  const paid = await payments.played(spent, 'deposit.exact', 'swap.done', 'payout.done');
  await wallet.transfer(payments.token('USDC'), freshAddress(), 1n);
  assertProblem(await simulate(paid, 'payout.returned'), 409, 'step-not-ready', /does not hold any more/);
  assert.deepEqual(await payments.get(spent.planId), paid);
}

test('an event that belongs to another step is refused', async () => {
  const made = await payments.plan();
  const { stepId } = stepOf(made, 'EXECUTE_SWAP');
  for (const event of SIMULATED_EVENTS.filter((each) => stepTypeOf(each) !== 'EXECUTE_SWAP')) {
    const path = `/v1/sandbox/payments/${made.planId}/steps/${stepId}/simulate`;
    assertProblem(await payments.ask(path, { event }), 400, 'validation-failed', /EXECUTE_SWAP/);
  }
  assert.deepEqual(await payments.get(made.planId), made);
});
