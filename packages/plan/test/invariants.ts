import assert from 'node:assert/strict';
import {
  acknowledgementOf,
  collectStep,
  decide,
  type Decision,
  depositOf,
  depositStep,
  dueStep,
  evidenceOf,
  evidenceWith,
  executableAttempt,
  fundsOf,
  imbalanceOf,
  isCancelable,
  isLess,
  isOver,
  isUnfunded,
  type Movement,
  needsApproval,
  NEXT,
  type Next,
  type NextBy,
  nextOf,
  openAttempt,
  owedLink,
  payoutOf,
  pendingTransactionsOf,
  type Plan,
  type PlanCommand,
  planStatus,
  standingMovements,
  type Step,
  swapStep,
  swapTransactions,
  unbookedEvidence,
  unitsOf,
  workOf,
} from '../src/index.ts';
import { isOnlyDust } from '../src/book/acknowledgement.ts';
import { wasClosed } from '../src/payout/rules.ts';
import { isDepositMoved } from '../src/book/deposit.ts';
import { isReturned, lastStep, owedDelivery, payingState } from '../src/plan/steps.ts';
import { takesInstructions } from '../src/swap/rules.ts';
import {
  assertClosable,
  assertEnding,
  assertUnderWay,
  namedUnits,
  waitsForTransaction,
} from './closingInvariants.ts';
import { assertCollect, assertCollectChange } from './collectInvariants.ts';
import { assertEffects } from './effectsInvariants.ts';
import { assertHoldChange } from './holdInvariants.ts';
import { assertOptions } from './optionInvariants.ts';
import { derived } from './planCommands.ts';
import { assertReturns } from './returnInvariants.ts';

const FAR_AHEAD_MS = 10 ** 15;

/** Asserts what holds for every plan that commands can make. */
export function assertPlan(plan: Plan): void {
  assert.deepEqual(JSON.parse(JSON.stringify(plan)), plan, 'a plan is what its JSON says');
  assertOrder(plan);
  assertDeposit(plan);
  assertSwap(plan);
  assertLast(plan);
  assertCollect(plan);
  assertStatus(plan);
  assertWork(plan);
  assertLedger(plan);
  assertApproval(plan);
}

/** Without its approval a plan shows no instructions, owes none, and asks for no payment. */
function assertApproval(plan: Plan): void {
  if (!needsApproval(plan)) return;
  assert.equal(executableAttempt(plan), undefined);
  assert.notEqual(workOf(plan)?.kind, 'DERIVE_INSTRUCTIONS');
  const asked = nextOf(plan, { nowMs: plan.updatedAtMs })?.why ?? '';
  const paying = ['SWAP_DUE', 'INSTRUCTIONS_EXPIRED', 'PAYOUT_DUE', 'PAYMENT_SENT', 'LINKS_USED_UP'];
  assert.ok(!paying.includes(asked), asked);
}

/** The equations hold for the ledger, and it says what the steps say. */
function assertLedger(plan: Plan): void {
  assert.deepEqual(imbalanceOf(plan), [], 'every unit is accounted for');
  const { ledger = [] } = plan;
  assert.deepEqual(
    ledger.map(({ seq }) => seq),
    ledger.map((_, index) => index + 1),
  );
  assert.equal(new Set(ledger.map(({ movementId }) => movementId)).size, ledger.length);
  assertReversals(ledger);
  assert.deepEqual(unbookedEvidence(plan), [], 'the ledger lacks nothing');
  const standing = standingMovements(plan);
  const claims = standing.flatMap(({ kind, side, transfer }) =>
    transfer?.logIndex === undefined ? [] : [`${kind} ${side} ${transfer.txHash} ${transfer.logIndex}`],
  );
  assert.equal(new Set(claims).size, claims.length, 'a transfer counts once in each role and equation');
  const [source] = fundsOf(plan);
  assert.equal(source?.received, depositOf(plan).received, 'the ledger has what the deposit says');
  const units = (kind: Movement['kind'], stepId: Step['stepId']) =>
    standing.reduce(
      (sum, row) => (row.kind === kind && row.stepId === stepId ? sum + unitsOf(row.actual) : sum),
      0n,
    );
  for (const { stepId } of plan.steps)
    assert.ok(units('RETURN', stepId) <= units('PAYOUT', stepId), 'no more comes back than was paid');
}

function assertReversals(ledger: readonly Movement[]): void {
  const reversed = ledger.flatMap(({ reverses }) => reverses ?? []);
  assert.equal(new Set(reversed).size, reversed.length, 'a movement is taken back once');
  for (const { reverses, seq, kind, actual } of ledger.filter((row) => row.reverses !== undefined)) {
    const taken = ledger.find(({ movementId }) => movementId === reverses);
    assert.ok(taken !== undefined && taken.seq < seq && taken.reverses === undefined);
    assert.deepEqual([taken.kind, taken.actual], [kind, actual]);
  }
}

function assertOrder(plan: Plan): void {
  const { steps } = plan;
  for (const [index, step] of steps.entries()) {
    const isFree = steps.slice(0, index).every(({ status }) => status === 'DONE');
    assert.ok(step.status === 'PENDING' || isFree, `${step.type} is ${step.status} before its turn`);
    assert.equal(
      step.status === 'FAILED',
      step.failure !== undefined,
      'FAILED says why, and nothing else does',
    );
    // A plan that was closed keeps its steps as they were.
    if (plan.ended === undefined || wasClosed(plan)) continue;
    if ('evidence' in step) assert.equal(step.evidence?.status, 'LOST', 'money moved');
    if (index > 0) assert.equal(step.status, 'PENDING', 'nothing went on in an ended plan');
  }
}

function assertDeposit(plan: Plan): void {
  const { status, expected, verification } = depositStep(plan);
  const { received, confirmed, outcome } = depositOf(plan);
  assert.equal(expected, plan.amountIn);
  const isThere = !isLess(confirmed, expected);
  const hasMoved = swapStep(plan).evidence !== undefined;
  if (plan.ended?.reason === 'EXPIRED') assert.equal(status, 'FAILED');
  if (plan.ended !== undefined || status === 'FAILED') {
    assert.ok(status !== 'DONE' || wasClosed(plan));
    if (received === '0') assert.equal(outcome, undefined, 'no money has no outcome');
    return;
  }
  if (!hasMoved)
    assert.equal(status === 'DONE', isThere, `the deposit is ${status} with ${confirmed} of ${expected}`);
  if (hasMoved) assert.equal(status, 'DONE');
  if (status === 'PENDING' || status === 'READY')
    assert.equal(status === 'READY', isDepositMoved(plan), 'dust begins nothing');
  const due = isLess(received, expected) ? 'PARTIAL' : received === expected ? 'EXACT' : 'OVER';
  assert.equal(outcome, received === '0' ? undefined : due);
  if (received !== '0') assert.notEqual(verification, undefined);
}

function assertSwap(plan: Plan): void {
  const swap = swapStep(plan);
  const { evidence, attempts, status, withheld } = swap;
  const last = lastStep(plan);
  const isPaid = last.status === 'DONE' || last.hold !== undefined;
  if (status === 'DONE') assert.ok(evidence?.status === 'FINAL' || isPaid, 'DONE on final evidence');
  if (status === 'DONE') assert.equal(swap.verification, 'VERIFIED');
  if (evidence?.status === 'FINAL') assert.equal(status, 'DONE');
  if (evidence?.status === 'LOST')
    assert.ok(status === 'DONE' && isPaid, 'LOST evidence stays only behind DONE or a hold');
  if (evidence?.status === 'CONFIRMING' && !isPaid) assert.equal(status, 'READY');
  if (status === 'READY' && evidence === undefined) assert.notEqual(attempts.length, 0);
  if (evidence !== undefined || openAttempt(swap) !== undefined) assert.equal(withheld, undefined);
  if (evidence === undefined && status !== 'FAILED') assert.equal(swap.verification, undefined);
  const executed = attempts.filter(({ outcome }) => outcome === 'EXECUTED');
  const isOnChain = evidence !== undefined && evidence.status !== 'LOST';
  assert.deepEqual(
    executed.map(({ txHash }) => txHash),
    isOnChain ? [evidence.txHash] : [],
    'one attempt was executed, by the evidence',
  );
  const open = attempts.filter(({ outcome }) => outcome === 'OPEN');
  assert.ok(
    open.length === 0 || (open.length === 1 && attempts.at(-1) === open[0]),
    'the last alone is OPEN',
  );
  if (isOnChain) assert.equal(open.length, 0, 'nothing is left to execute beside what was executed');
  for (const { outcome, failure, txHash } of attempts) {
    if (outcome === 'FAILED') assert.notEqual(failure, undefined);
    if (failure !== undefined)
      assert.ok(outcome === 'FAILED' || outcome === 'SUPERSEDED' || outcome === 'LOST');
    if (outcome === 'LOST' || outcome === 'EXECUTED') assert.notEqual(txHash, undefined);
    if (outcome === 'LOST' && !isOnChain)
      assert.ok(swapTransactions(plan).includes(txHash!), 'LOST is looked for');
  }
  if (isOnChain) assert.deepEqual(swapTransactions(plan), [evidence.txHash]);
}

function assertLast(plan: Plan): void {
  const last = plan.steps.at(-1)!;
  const { status } = swapStep(plan);
  assert.ok(last.type === 'CUSTODIAN_PAYOUT' || last.type === 'SEND_DIGITAL_COLLECT');
  assert.equal(last.status === 'PENDING', status !== 'DONE', 'the last step is due when the swap is DONE');
  if (last.type === 'SEND_DIGITAL_COLLECT') return;
  assert.equal(last.readyAtMs !== undefined, last.status !== 'PENDING');
  if (last.evidence?.status === 'FINAL') assert.equal(last.status, 'DONE');
  if (last.status === 'DONE' && !isReturned(plan))
    assert.ok(last.evidence === undefined || last.evidence.status === 'FINAL', 'paid by final evidence');
  if (last.status === 'DONE' && last.evidence !== undefined)
    assert.ok(!isLess(payoutOf(plan).paidOut, evidenceWith(plan, 'PAYOUT', last.evidence).amount));
  if (last.status !== 'DONE') {
    assert.equal(isReturned(plan), false);
    const isOpen = last.evidence?.status !== 'CONFIRMING';
    const { providerReference, occurredAtMs } = last;
    if (isOpen) assert.deepEqual([providerReference, occurredAtMs], [undefined, undefined]);
    if (isOpen && last.status !== 'FAILED') assert.equal(last.verification, undefined);
  }
}

const byOf = (action: Next | undefined): NextBy | undefined => action && NEXT[action.why].by;

function isOfService(action: Next | undefined): boolean {
  const by = byOf(action);
  return by === 'SERVICE' || by === 'CHAIN';
}

function assertStatus(plan: Plan): void {
  const status = planStatus(plan);
  const action = nextOf(plan, { nowMs: plan.updatedAtMs });
  const due = dueStep(plan);
  const collect = collectStep(plan);
  const isChosen = owedDelivery(plan) !== undefined;
  if (!isOver(plan)) assert.notEqual(action, undefined, `${status} has a next action`);
  else if (status !== 'RETURNED') {
    const isLeft = acknowledgementOf(plan).length > 0 && !isOnlyDust(plan);
    const isAsked = action !== undefined && action.why !== 'TRANSACTION_PENDING';
    assert.equal(isAsked, isLeft, `${status} says what to do about money that is left`);
    if (action?.why === 'TRANSACTION_PENDING') assertUnderWay(plan);
  }
  // A transaction of any step can keep a plan from being closed.
  const isOfTransaction = waitsForTransaction(action);
  if (!isOver(plan) && action !== undefined && !isChosen && !isOfTransaction)
    assert.equal(action.stepId, due?.stepId);
  if (action?.why === 'NOTHING_LEFT') assertClosable(plan);
  assertOptions(plan, action);
  if (!wasClosed(plan))
    assert.equal(due === undefined, status === 'COMPLETED' || status === 'RETURNED' || isChosen);
  if (plan.ended !== undefined) assert.equal(status, 'ENDED');
  else if (isReturned(plan)) assert.equal(status, 'RETURNED');
  else if (collect?.delivery?.status === 'FAILED') assert.equal(status, 'ACTION_REQUIRED');
  else if (due === undefined && !isChosen) assert.equal(status, 'COMPLETED');
  else assert.equal(status, isOfService(action) ? 'IN_PROGRESS' : 'ACTION_REQUIRED');
  assert.equal(
    isUnfunded(plan),
    plan.ended === undefined && due === depositStep(plan) && due.status === 'PENDING',
  );
  const isGoingOn = plan.ended === undefined && !isReturned(plan) && collect?.delivery?.status !== 'FAILED';
  const isFailed = isGoingOn && due?.status === 'FAILED';
  const isTriedAgain = action?.why === 'STEP_FAILED' || action?.why === 'ACCOUNT_REFUSED';
  if (action?.why === 'MONEY_RETURNED') assert.equal(status, 'RETURNED');
  const isAboutMoney = ['NOTHING_LEFT', 'MONEY_UNEXPLAINED', 'DEPOSIT_UNCLEAR'].includes(action?.why ?? '');
  if (isFailed && isOfTransaction) assertUnderWay(plan);
  else if (isFailed && !isAboutMoney)
    assert.ok(due === collect ? action?.why === 'LINK_ENDED' : isTriedAgain, String(action?.why));
  else if (status !== 'RETURNED') assert.ok(!isTriedAgain, `${status} asks to try again`);
  for (const nowMs of [0, FAR_AHEAD_MS]) {
    const later = nextOf(plan, { nowMs });
    // A second swap cannot be mined after its deadline, and a plan that is over then says nothing of it.
    if (!isOver(plan)) assert.equal(byOf(later), byOf(action), 'who is to act does not depend on the time');
    assert.doesNotMatch(later?.detail ?? '', /undefined|\[object/);
  }
  const cancel = decide(plan, { type: 'PLAN_ENDED', force: false }, plan.updatedAtMs);
  assert.equal(cancel.ok && cancel.outcome === 'CHANGED', isCancelable(plan));
  if (isCancelable(plan)) {
    assert.equal(isDepositMoved(plan), false);
    assert.ok(isUnfunded(plan) || isFailed, `a plan that is ${status} is not cancelled`);
  }
}

/** An action of the service has work or a transaction behind it, and no other action has. */
function assertWork(plan: Plan): void {
  const work = workOf(plan);
  const action = nextOf(plan, { nowMs: plan.updatedAtMs });
  const derives = action?.why === 'INSTRUCTIONS_DUE' || action?.why === 'PRICE_BELOW_FLOOR';
  assert.equal(work?.kind === 'DERIVE_INSTRUCTIONS', derives, `${action?.why} leaves ${work?.kind}`);
  if (action?.why === 'DEPOSIT_CONFIRMING') assert.notEqual(depositOf(plan).transfers.length, 0);
  if (action?.why === 'TRANSACTION_CONFIRMING') {
    const step = plan.steps.find(({ stepId }) => stepId === action.stepId);
    assert.equal(step && evidenceOf(step)?.status, 'CONFIRMING');
  }
  if (owedLink(plan) !== undefined) assert.equal(action?.why, 'SEND_LINK');
  assert.equal(work?.kind === 'SEND_LINK', owedLink(plan) !== undefined);
  const again = decide(plan, derived('cc'), plan.updatedAtMs);
  const isFree = pendingTransactionsOf(plan).length === 0;
  const isApproved = !needsApproval(plan);
  assert.equal(again.ok, takesInstructions(plan) && isFree && isApproved, 'whether instructions are taken');
  const forced = decide(plan, { ...derived('cc'), force: true } as PlanCommand, plan.updatedAtMs);
  const isTaken = takesInstructions(plan) && isApproved;
  assert.equal(forced.ok, isTaken, 'with force, a pending transaction does not matter');
  const unasked = decide(plan, derived('cc', 'SERVICE'), plan.updatedAtMs);
  const isGiven = unasked.ok && unasked.outcome === 'CHANGED';
  assert.equal(isGiven, derives, 'the service replaces no instructions that it does not owe');
  const pass = (atMs: number) => {
    const decision = decide(plan, { type: 'TIME_PASSED' }, atMs);
    assert.ok(decision.ok, 'time passes without asking');
    return decision.outcome;
  };
  if (work?.kind === 'PASS_TIME') {
    assert.equal(pass(work.atMs), 'CHANGED', 'at the time of the work the plan changes');
    assert.equal(pass(work.atMs - 1), 'UNCHANGED', 'and not before');
  } else assert.equal(pass(FAR_AHEAD_MS), 'UNCHANGED', 'time changes nothing that nobody waits for');
}

/** Asserts what holds for every decision about a plan that satisfied `assertPlan`. */
export function assertDecision(plan: Plan, command: PlanCommand, atMs: number, decision: Decision): void {
  if (!decision.ok) return assertRefusal(decision);
  if (decision.outcome === 'UNCHANGED')
    return assert.equal(decision.plan, plan, 'UNCHANGED is the same plan');
  const after = decision.plan;
  assert.equal(after.revision, plan.revision + 1);
  assert.equal(after.updatedAtMs, Math.max(plan.updatedAtMs, atMs));
  assertConstant(plan, after, command);
  for (const [index, step] of plan.steps.entries())
    assertStepChange(plan, after, step, after.steps[index], command);
  assertEnding(plan, command, atMs, after);
  assertCollectChange(plan, command, atMs, after);
  assertMoney(plan, command, after);
  assertHoldChange(plan, command, after);
  assertEffects(plan, after);
  if (swapStep(plan).evidence !== undefined && swapStep(after).evidence === undefined)
    assert.notEqual(workOf(after)?.kind, 'DERIVE_INSTRUCTIONS', 'two swaps for one deposit');
  assertTwice(after, command, atMs);
}

const REASONS = [
  'STEP_UNKNOWN',
  'STEP_NOT_READY',
  'REASON_MISSING',
  'EXECUTION_PENDING',
  'EVIDENCE_MISMATCH',
  'TOO_SOON',
  'TOO_MANY',
  'NOT_OF_THIS_STEP',
];

function assertRefusal({ refusal }: Extract<Decision, { ok: false }>): void {
  assert.ok(REASONS.includes(refusal.reason), refusal.reason);
  if (refusal.reason === 'TOO_SOON') assert.ok(refusal.retryAfterMs > 0);
  if ('detail' in refusal) assert.match(refusal.detail, /^[A-Z0-9].*\.$/);
  assert.doesNotMatch(JSON.stringify(refusal), /undefined|\[object|FAILED and FAILED/);
}

/** The past of a plan and the request that it was made from do not change. */
function assertConstant(before: Plan, after: Plan, command: PlanCommand): void {
  const constant = ({
    steps,
    revision: _r,
    updatedAtMs: _u,
    expiresAtMs: _e,
    ended: _d,
    returns: _t,
    recipient: _p,
    ledger: _l,
    closed: _c,
    ...rest
  }: Plan) => [rest, steps.map(({ stepId, type }) => [stepId, type])] as const;
  assert.deepEqual(constant(after), constant(before));
  const isReplaced = command.type === 'LINK_MADE' || command.type === 'RECIPIENT_REPLACED';
  const readdressed = isReplaced ? command.recipient : undefined;
  assert.deepEqual(after.recipient, readdressed ?? before.recipient);
  assert.deepEqual(after.returns.slice(0, before.returns.length), before.returns);
  const { ledger: movements = [] } = before;
  assert.deepEqual((after.ledger ?? []).slice(0, movements.length), movements, 'movements are only added');
  const calls = (plan: Plan) => swapStep(plan).attempts.map(({ instructions }) => instructions);
  assert.deepEqual(calls(after).slice(0, calls(before).length), calls(before), 'attempts are kept');
  const failures = (plan: Plan) => {
    const last = plan.steps.at(-1)!;
    return last.type === 'CUSTODIAN_PAYOUT' ? last.attempts.map(({ failedAtMs }) => failedAtMs) : [];
  };
  assert.deepEqual(failures(after).slice(0, failures(before).length), failures(before));
}

function assertStepChange(
  plan: Plan,
  whole: Plan,
  before: Step,
  after: Step | undefined,
  command: PlanCommand,
): void {
  assert.ok(after !== undefined);
  const isUndone = before.status === 'DONE' && after.status !== 'DONE';
  const isPaidAgain =
    before.type === 'CUSTODIAN_PAYOUT' &&
    isReturned(plan) &&
    (command.type === 'STEP_RETRIED' || command.type === 'RECIPIENT_REPLACED');
  if (isUndone)
    assert.ok(
      command.type === 'EVIDENCE_LOST' ||
        (command.type === 'PAYOUT_REPORTED' && command.corrects !== undefined) ||
        // A swap that the chain has lost was DONE on account of the hold alone.
        (lastStep(plan).hold !== undefined && lastStep(whole).hold === undefined) ||
        isPaidAgain,
      `${command.type} undid`,
    );
  if (isUndone) assert.equal(after.failure, undefined);
  if (
    isUndone &&
    before.type === 'AWAIT_DEPOSIT' &&
    'stepId' in command &&
    command.stepId === before.stepId
  ) {
    const [was, is] = [depositOf(plan), depositOf(whole)];
    assert.ok(isLess(is.confirmed, was.confirmed));
  }
  if (before.status === 'FAILED' && after.status !== 'FAILED') {
    const isCollect = before.type === 'SEND_DIGITAL_COLLECT';
    const isRetried = isCollect
      ? command.type === 'LINK_MADE' && command.reason === 'REISSUED'
      : (command.type === 'STEP_RETRIED' || command.type === 'RECIPIENT_REPLACED') &&
        command.stepId === before.stepId;
    const isMoot = command.type === 'EVIDENCE_LOST';
    // The chain knows better than a report that a swap failed, or than a clock that a deposit did not come.
    const isDisproved = command.type === 'EXECUTION_FOUND' && before.type !== 'CUSTODIAN_PAYOUT';
    assert.ok(
      isRetried || isDisproved || (isMoot && after.status === 'PENDING'),
      `${command.type} took FAILED back`,
    );
    if (isMoot) assert.notEqual(before.type, 'AWAIT_DEPOSIT', 'a late deposit changes nothing');
  }
  if (before.status !== 'FAILED' && after.status === 'FAILED')
    assert.ok(
      ['SWAP_FAILED', 'PAYOUT_FAILED', 'TIME_PASSED'].includes(command.type),
      `${command.type} failed a step`,
    );
  if (plan.ended !== undefined && !wasClosed(plan) && command.type !== 'STEP_RETRIED')
    assert.equal(after.status, before.status);
}

/** Amounts change only by the commands that are about them, and to the amounts of those commands. */
function assertMoney(before: Plan, command: PlanCommand, after: Plan): void {
  const deposit = depositOf(after);
  if (command.type === 'DEPOSIT_REPORTED') assert.equal(deposit.received, command.amount);
  else if (!['RECORD_READ', 'EVIDENCE_LOST', 'REFUND_RECORDED'].includes(command.type))
    assert.equal(deposit.received, depositOf(before).received);
  const last = after.steps.at(-1)!;
  const lastBefore = before.steps.at(-1)!;
  assert.ok(last.type !== 'AWAIT_DEPOSIT' && last.type !== 'EXECUTE_SWAP');
  assert.ok(lastBefore.type !== 'AWAIT_DEPOSIT' && lastBefore.type !== 'EXECUTE_SWAP');
  const isAboutAsset = [
    'INSTRUCTED',
    'SWAP_FAILED',
    'EVIDENCE_LOST',
    'EXECUTION_FOUND',
    'REFUND_RECORDED',
    'RECIPIENT_REPLACED',
    'STEP_RETRIED',
    'LINK_MADE',
    'COLLECT_SUBMITTED',
    // Money that a person knows of is not paid any more.
    'PLAN_ENDED',
  ].includes(command.type);
  // A payout that is corrected to less than is due is due again, with what the swap brought in its present block.
  const isReopened =
    command.type === 'PAYOUT_REPORTED' && (lastBefore.status === 'DONE' || !!command.corrects);
  const isDelivery = command.type === 'DELIVERY_REPORTED';
  const isBack = command.type === 'PAYOUT_RETURNED' || (isDelivery && command.status === 'RETURNED');
  // After a part was paid the rest is due, and what comes back of an earlier payment is due once more.
  const isPaid = command.type === 'PAYOUT_DONE' || isDelivery;
  const isPartPaid = isPaid && command.evidence !== undefined && payingState(last) === 'DUE';
  const isAfterPart = payoutOf(before).payouts.length > 0;
  const isRest = isPartPaid || (isDelivery && command.status === 'FAILED' && isAfterPart);
  const [is, was] = [payoutOf(after).due, payoutOf(before).due];
  // A payment above what is due uses first what a person had acknowledged when the plan was closed.
  const isPayment = isPaid || command.type === 'PAYMENT_REPEATED';
  const isNamed = isPayment && isLess(was, is) && unitsOf(is) <= unitsOf(was) + namedUnits(before);
  if (isRest && !isNamed) assert.ok(!isLess(was, is), 'a part makes nothing due');
  const isMore = isNamed || (isBack && payingState(last) !== 'PAID');
  if (!isAboutAsset && !isReopened && !isRest && !isMore) assert.equal(is, was);
  if (command.type === 'STEP_RETRIED' || command.type === 'RECIPIENT_REPLACED')
    if (!isReturned(before) && lastBefore.status !== 'FAILED') assert.equal(is, was);
  // What was paid out stays, whatever the swap turns out to have brought.
  if (command.type === 'EXECUTION_FOUND') assert.equal(payoutOf(after).paidOut, payoutOf(before).paidOut);
  const isUntouched = standingMovements(after).every(({ side }) => side === 'SOURCE');
  if (command.type === 'INSTRUCTED' && 'derived' in command && isUntouched)
    assert.equal(is, command.derived.amountOut);
  assertReturns(before, isBack ? command : undefined, after);
}

/** The same command again changes nothing, except instructions that have expired and each reveal. */
function assertTwice(after: Plan, command: PlanCommand, atMs: number): void {
  const again = decide(after, command, atMs);
  const isAskedFor =
    command.type === 'INSTRUCTED' && 'derived' in command && command.askedBy === 'INTEGRATOR';
  const isMeant = (isAskedFor && atMs >= command.derived.notAfterMs) || command.type === 'RECIPIENT_REVEALED';
  assert.equal(again.ok && again.outcome === 'CHANGED', isMeant, `${command.type} twice`);
}
