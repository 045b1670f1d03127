// The agent, which sees nothing of a plan but its `next`, and does what that says. Besides it knows its own wallet, and
// hears from the bank what came back.
import assert from 'node:assert/strict';
import {
  acknowledgementOf,
  type Address,
  amountOf,
  amountToPayOf,
  decide,
  depositOf,
  depositsAfterSwap,
  depositStep,
  dueStep,
  endToEndIdOf,
  executableAttempt,
  type Hash,
  isTransferOnly,
  type Movement,
  type MovementTransfer,
  NEXT,
  type Next,
  nextOf,
  openAttempt,
  payableNow,
  paymentAttempt,
  type Plan,
  type PlanCommand,
  planStatus,
  swapStep,
  unitsOf,
  ZERO,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import { AMOUNT_IN, derivedAt, SOURCE, STRANGER, TARGET } from './modelPlans.ts';
import type { BankPayment } from './obedientBank.ts';
import type { Life, ObedientFaults, SeenNext, SentTransfer, Signed } from './obedientTypes.ts';
import {
  depositAddressOf,
  executionsOn,
  isBehind,
  lookForPending,
  mine,
  mineTransfer,
  newHash,
  nextNonce,
  planOf,
  read,
  tell,
  transfer,
} from './obedientWorld.ts';
import type { RefBlock } from './referenceLedger.ts';

/** The service as it is. */
export const OBEYED: ObedientFaults = {
  see: (seen) => seen,
  // The id of the first payment is the one that the plan was made with.
  id: (attempt, part, account) =>
    attempt === 1 && part === 1 && account === 'f1' ? 'FW1' : `FW ${attempt} ${part} ${account}`,
  isBehindTold: true,
};

/** What the API shows as `next`. */
export function seenNext(life: Life): SeenNext | undefined {
  const { plan } = planOf(life);
  const isCatchingUp = life.faults.isBehindTold && isBehind(life);
  const next = nextOf(plan, { nowMs: life.world.nowMs, isCatchingUp });
  return life.faults.see(next === undefined ? undefined : shown(plan, next), plan);
}

function shown(plan: Plan, { why, stepId, deadlineMs, options = NEXT[why].options ?? [] }: Next): SeenNext {
  const { do: what, by } = NEXT[why];
  const { expected } = depositStep(plan);
  const { received } = depositOf(plan);
  const open = what === 'EXECUTE' ? executableAttempt(plan) : undefined;
  const amount = why === 'PAYOUT_DUE' ? payableNow(plan) : ZERO;
  const account = String(plan.recipient.fingerprint);
  return {
    ...{ do: what, by, why, stepId, options, revision: plan.revision },
    ...defined({
      deadlineMs,
      send: what === 'SEND' ? { amount: amountOf(unitsOf(expected) - unitsOf(received)) } : undefined,
      position: open && swapStep(plan).attempts.indexOf(open),
      pay: amount === ZERO ? undefined : { amount, endToEndId: endToEndIdOf(plan), account },
    }),
  };
}

/** Does what `next` says, or waits. */
export function obey(life: Life): void {
  if (!isBehind(life)) tellReturns(life);
  const seen = seenNext(life);
  if (seen === undefined) return;
  life.way.push(`${seen.why}@${seen.revision}`);
  if (seen.send !== undefined && !isOnItsWay(life)) send(life, unitsOf(seen.send.amount));
  if (seen.position !== undefined) execute(life, seen, seen.position);
  if (seen.pay !== undefined) pay(life, seen.pay);
  if (seen.why === 'PAYOUT_HELD') askBank(life);
  if (seen.do === 'DECIDE') decideAmong(life, seen);
  const isOver = seen.deadlineMs !== undefined && seen.deadlineMs <= life.world.nowMs;
  // A transfer has no deadline, but the wallet knows when it has used the nonce for something else.
  const isTransfer = isTransferOnly(planOf(life).plan.corridor);
  const isVoid = isTransfer && life.waiting.length === 0 && executionsOn(life).length === 0;
  const late = ['again', 'again', 'end'] as const;
  if (seen.why === 'TRANSACTION_PENDING' && (isOver || isVoid)) decideAmong(life, { ...seen, options: late });
}

/** The payer sends what is missing. */
function send(life: Life, amount: bigint): void {
  life.sent.set(transfer(life, SOURCE, amount), amount);
}

/** Whether what the payer sent waits to be mined and was never on the plan: `next` cannot know of it, but its wallet does. */
function isOnItsWay(life: Life): boolean {
  const { ledger = [] } = planOf(life).plan;
  return life.dropped.some(
    ({ tx }) => life.sent.has(tx) && !ledger.some(({ transfer: at }) => at?.txHash === tx),
  );
}

/** The wallet executes the calls. It says so first, or not; the transaction is mined at once, or later. */
function execute(life: Life, { stepId }: SeenNext, position: number): void {
  const { random, nowMs } = life.world;
  const { plan } = planOf(life);
  const { notAfterMs } = swapStep(plan).attempts[position] ?? { notAfterMs: nowMs };
  const nonce = nextNonce(life);
  const brought = isTransferOnly(plan.corridor) ? AMOUNT_IN : 1_490n + BigInt(random.integer(0, 20));
  const txHash = newHash(life);
  const signed: Signed = { txHash, position, nonce, notAfterMs, brought };
  life.signed.set(txHash, signed);
  if (random.integer(0, 1) === 1)
    tell(life, { type: 'EXECUTION_SUBMITTED', stepId, position, txHash, sender: '0xaa', nonce });
  // A node keeps one transaction of a nonce.
  life.waiting = life.waiting.filter((each) => each.nonce !== nonce);
  if (random.integer(0, 1) === 1) mine(life, signed);
  else life.waiting.push(signed);
}

/** Has the bank pay, and reports what it answers, unless that is lost. */
function pay(life: Life, { amount, endToEndId, account }: NonNullable<SeenNext['pay']>): void {
  const payment = life.bank.pay(endToEndId, account, unitsOf(amount), life.isCalm);
  if (!life.isCalm && life.world.random.integer(1, 5) === 1) return;
  report(life, payment);
}

/** Asks what became of the payments that are held, and reports it. */
function askBank(life: Life): void {
  const last = planOf(life).plan.steps.at(-1);
  const held = last?.type === 'CUSTODIAN_PAYOUT' ? last.hold?.providerReference : undefined;
  const payment = life.bank.payments.find(({ reference }) => reference === held);
  if (payment === undefined) return;
  life.bank.resolve(payment, life.isCalm);
  if (payment.state !== 'HELD') report(life, payment);
}

/** Reports a payment as it stands. */
function report(life: Life, { reference, amount, account, state, code }: BankPayment): void {
  const { plan } = planOf(life);
  const last = plan.steps.at(-1);
  if (last?.type !== 'CUSTODIAN_PAYOUT') return;
  const told = { stepId: last.stepId, providerReference: reference };
  if (state === 'HELD')
    tell(life, { type: 'PAYOUT_HELD', ...told, hold: { reason: 'BANK_DELAY', needs: [] } });
  else if (state === 'FAILED') tell(life, { type: 'PAYOUT_FAILED', ...told, failure: { code } });
  else {
    const part = (last.payout?.earlierIds?.length ?? 0) + 2;
    const nextEndToEndId = idOf(life, account, part);
    const discharged = amountOf(amount);
    const isExact = discharged === amountToPayOf(plan) && life.world.random.integer(0, 1) === 1;
    tell(life, { type: 'PAYOUT_REPORTED', ...told, ...(isExact ? {} : { discharged }), nextEndToEndId });
    tellReturns(life);
  }
}

/** Reports what came back, once the plan has the payment. */
function tellReturns(life: Life): void {
  const { plan } = planOf(life);
  const last = plan.steps.at(-1);
  const rows = plan.ledger ?? [];
  for (const { reference, state, amount } of life.bank.payments) {
    const isKnown = rows.some(
      ({ kind, providerReference }) => kind === 'PAYOUT' && providerReference === reference,
    );
    const back = `RET-${reference}`;
    if (state !== 'RETURNED' || !isKnown || last === undefined) continue;
    if (plan.returns.some(({ providerReference }) => providerReference === back)) continue;
    const told = { stepId: last.stepId, providerReference: back, amount: amountOf(amount) };
    tell(life, { type: 'PAYOUT_RETURNED', ...told });
  }
}

function idOf({ faults, world }: Life, account: string, part: number, attempt?: number): string {
  const { plan } = planOf({ world });
  return faults.id(attempt ?? paymentAttempt(plan), part, account, (world.made += 1));
}

/** Takes one of the options. An end is rarer where the plan can go on. */
function decideAmong(life: Life, { options: all, revision }: SeenNext): void {
  const { random } = life.world;
  const isRefundable = isFree(life, planOf(life).plan);
  const options = all.filter((each) => each !== 'refunds' || isRefundable);
  if (options.length === 0) return;
  const others = options.filter((each) => each !== 'end');
  const isEnd = others.length === 0 || random.integer(1, 6) === 1;
  const option = isEnd && options.includes('end') ? 'end' : random.pick(options);
  life.way.push(option);
  if (option === 'reports') reportDoubts(life);
  if (option === 'again') again(life);
  if (option === 'refunds') refund(life);
  if (option === 'end') end(life, revision);
}

/**
 * Whether the plan has all payments that the bank has made or holds. A restore can have lost the report of one. After
 * comparing with the bank, the agent neither refunds such money nor has another account paid.
 */
function isFree({ bank }: Life, { ledger = [] }: Plan): boolean {
  const known = new Set(
    ledger.map(({ kind, providerReference }) => (kind === 'PAYOUT' ? providerReference : '')),
  );
  return bank.payments.every(
    ({ reference, state }) => (state !== 'PAID' && state !== 'HELD') || known.has(reference),
  );
}

/** Says what deposits are that came after the swap, and tells of payments that the plan does not have. */
function reportDoubts(life: Life): void {
  const { plan } = planOf(life);
  const { stepId } = depositStep(plan);
  for (const { transfer: place, actual } of depositsAfterSwap(plan)) {
    if (place?.logIndex === undefined) continue;
    const { chainId, txHash, blockNumber, blockHash, logIndex } = place;
    const transfers = [{ chainId, txHash, blockNumber, blockHash, logIndex, amount: actual }];
    tell(life, { type: 'DEPOSIT_REPORTED', stepId, amount: actual, verification: 'VERIFIED', transfers });
  }
  for (const payment of life.bank.payments)
    if (payment.state === 'PAID' || payment.state === 'RETURNED') report(life, payment);
}

/** What fits the state, as the service does it: another try, another account, or fresh instructions. */
function again(life: Life): void {
  read(life);
  const { plan } = planOf(life);
  const step = plan.steps.find(({ status }) => status === 'FAILED') ?? dueStep(plan) ?? plan.steps.at(-1);
  if (step === undefined) return;
  const { stepId } = step;
  if (step.type === 'EXECUTE_SWAP') return freshInstructions(life, step.status === 'FAILED');
  if (step.type !== 'CUSTODIAN_PAYOUT') return void tell(life, { type: 'STEP_RETRIED', stepId });
  const isBack = planStatus(plan) === 'RETURNED';
  const attempt = paymentAttempt(plan);
  const same = String(plan.recipient.fingerprint);
  const isOther = life.world.random.integer(0, 2) === 0 && isFree(life, plan);
  const before = isBack ? life.decided.get(attempt) : undefined;
  const account = before ?? (isOther ? life.world.random.pick(['f1', 'f2', 'f3']) : same);
  const isTaken = account === same ? payAgain(life, isBack) : payAnother(life, account, isBack);
  if (isTaken && isBack) life.decided.set(attempt, account);
}

function payAgain(life: Life, isBack: boolean): boolean {
  const { plan } = planOf(life);
  const stepId = plan.steps.at(-1)?.stepId;
  if (stepId === undefined) return false;
  const endToEndId = isBack ? idOf(life, String(plan.recipient.fingerprint), 1) : undefined;
  return tell(life, { type: 'STEP_RETRIED', stepId, ...defined({ endToEndId }) });
}

/**
 * Another account is to be paid. After a failure a backup from before is not put back. Such a plan would have the former
 * account paid, and its id says nothing of the payment to the new one.
 */
function payAnother(life: Life, fingerprint: string, isBack: boolean): boolean {
  const { plan } = planOf(life);
  const stepId = plan.steps.at(-1)?.stepId;
  if (stepId === undefined) return false;
  const endToEndId = idOf(life, fingerprint, 1);
  const recipient = { ...plan.recipient, fingerprint };
  const isTaken = tell(life, { type: 'RECIPIENT_REPLACED', stepId, recipient, endToEndId });
  if (isTaken && !isBack) life.snapshots = [];
  return isTaken;
}

function freshInstructions(life: Life, isFailed: boolean): void {
  lookForPending(life, 'ASKED');
  const { plan } = planOf(life);
  const { stepId } = swapStep(plan);
  if (isFailed) return void tell(life, { type: 'STEP_RETRIED', stepId });
  if (isTransferOnly(plan.corridor) && openAttempt(swapStep(plan)) !== undefined) return;
  const derived = derivedAt(life.world.nowMs, plan);
  tell(life, { type: 'INSTRUCTED', stepId, askedBy: 'INTEGRATOR', derived });
}

/**
 * All that is left goes back, if the plan takes that. A backup from before is not put back: the plan would have that money
 * paid out that it has no more.
 */
function refund(life: Life): void {
  const { random, nowMs } = life.world;
  const { plan } = planOf(life);
  for (const { amount, asset, direction } of acknowledgementOf(plan)) {
    if (direction === 'OUT' || !('address' in asset)) continue;
    const before = planOf(life).plan.ledger?.length ?? 0;
    const isOnChain = random.integer(0, 2) > 0;
    const sent = sentBack(life, asset.address, unitsOf(amount));
    const told = (block: Pick<RefBlock, 'number' | 'hash'>): PlanCommand => ({
      ...{ type: 'REFUND_RECORDED', money: { amount, asset } },
      ...(isOnChain
        ? { verification: 'VERIFIED', transfer: placeIn(block, sent) }
        : { verification: 'REPORTED', providerReference: `RF-${sent.tx}` }),
    });
    const decision = decide(planOf(life).plan, told({ number: 0, hash: 'next' }), nowMs);
    if (!decision.ok) continue;
    if (isOnChain) mineTransfer(life, sent);
    tell(life, told(life.world.chain.blocks().at(-1) ?? assert.fail('A chain must have a block.')));
    life.snapshots = [];
    const rows = (planOf(life).plan.ledger?.slice(before) ?? []).filter(({ kind }) => kind === 'REFUND');
    const unitsAt = (of: Movement['side']) =>
      rows.reduce((sum, { side, actual }) => (side === of ? sum + unitsOf(actual) : sum), 0n);
    const isOfToken = asset.address === SOURCE;
    const ofDeposits = isOfToken ? unitsAt('SOURCE') : 0n;
    life.refunds.set(sent.tx, { isOnChain, ofDeposits, ofSwap: unitsAt('TARGET') });
  }
}

/** The custodian or the owner of the deposit address sends money back to the payer. */
function sentBack(life: Life, token: string, amount: bigint): SentTransfer {
  const { settlementAddress } = planOf(life).plan.corridor.target;
  const from = token === TARGET ? settlementAddress : depositAddressOf(life);
  return { tx: newHash(life), token, from, to: STRANGER, amount };
}

/** Where a transfer is that a block has alone. */
function placeIn(
  { number, hash }: Pick<RefBlock, 'number' | 'hash'>,
  { tx, from, to }: SentTransfer,
): MovementTransfer {
  const place = { chainId: 1, txHash: tx as Hash, logIndex: 0, blockNumber: number, blockHash: hash as Hash };
  return { ...place, from: from as Address, to: to as Address };
}

/** Ends the plan as it was seen; with force only when the wallet has made sure that nothing of its own is mined any more. */
function end(life: Life, revision: number): void {
  read(life);
  lookForPending(life, 'ASKED');
  if (planOf(life).plan.revision !== revision) return;
  const reason = life.world.random.pick(['OTHER', 'REFUNDED', 'ABANDONED'] as const);
  const close = { type: 'PLAN_ENDED', reason, note: `at ${revision}` } as const;
  if (tell(life, { ...close, force: false })) return;
  life.bank.recall();
  for (const { nonce } of life.waiting.splice(0)) life.used.add(nonce);
  life.used.add(nextNonce(life));
  tell(life, { ...close, force: true });
}
