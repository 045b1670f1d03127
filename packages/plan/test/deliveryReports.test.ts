// Reports of deliveries to accounts that tell amounts, by the rules of payouts. Deductions of a custodian are
// explained before a plan is COMPLETED. Contradictions are refused with both values, and mistakes are corrected in
// the ledger.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountOf,
  amountToPayOf,
  collectStep,
  decide,
  effectsOf,
  fundsOf,
  imbalanceOf,
  type MovementId,
  nextOf,
  type Plan,
  type PlanCommand,
  standingMovements,
  payoutOf,
} from '../src/index.ts';
import { after } from './paidPlans.ts';
import {
  closed,
  deliveredBy,
  delivery,
  derived,
  evidence,
  executed,
  linkMade,
  lost,
  observed,
  paidWithAmounts,
  refunded,
  submitted,
} from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, planAfter, refusalOf, summary } from './scenarios.ts';

const [, swapId, lastId] = STEP_IDS;

/** A plan whose recipient chose where 1500 go, after these commands. Each adds its movements, as the store has them added. */
function chosen(...commands: readonly PlanCommand[]): Plan {
  const done = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
  return [...done, linkMade('FIRST', 1), submitted(1, 'a'), ...commands].reduce(
    after,
    planAfter([], 'DIGITAL_COLLECT'),
  );
}

/** The movements to the recipient that stand, and what is outstanding then, as texts. */
function books(plan: Plan): readonly string[] {
  assert.deepEqual(imbalanceOf(plan), []);
  const rows = standingMovements(plan)
    .filter(({ kind }) => kind === 'PAYOUT' || kind === 'DEDUCTION' || kind === 'RETURN')
    .map(({ kind, actual, providerReference }) => `${kind} ${actual} ${providerReference}`);
  return [...rows, `${fundsOf(plan).at(-1)?.outstanding} left`];
}

function statusOf(plan: Plan): string | undefined {
  return collectStep(plan)?.delivery?.status;
}

function idOf(plan: Plan, reference: string): MovementId {
  const row = standingMovements(plan).find(
    ({ kind, providerReference }) => kind === 'PAYOUT' && providerReference === reference,
  );
  return row?.movementId ?? assert.fail(`There is no payment ${reference}`);
}

function mismatchOf(plan: Plan, command: PlanCommand): string {
  const refusal = refusalOf(plan, command);
  assert.ok(refusal.reason === 'EVIDENCE_MISMATCH', JSON.stringify(refusal));
  return refusal.detail;
}

function notReadyOf(plan: Plan, command: PlanCommand): string {
  const refusal = refusalOf(plan, command);
  assert.ok(refusal.reason === 'STEP_NOT_READY', JSON.stringify(refusal));
  return refusal.detail;
}

const REVIEW = 'ACTION_REQUIRED: DONE DONE DONE; INTEGRATOR PAYMENT_UNCLEAR';
const DUE = 'ACTION_REQUIRED: DONE DONE DONE; CUSTODIAN PAYOUT_DUE';
const SENT = 'ACTION_REQUIRED: DONE DONE DONE; CUSTODIAN PAYMENT_SENT';
const COMPLETED = 'COMPLETED: DONE DONE DONE; nothing';

test('a delivery of less than is due asks a person, and completes nothing', () => {
  for (const plan of [
    chosen(paidWithAmounts('R1', 1_400n)),
    chosen(delivery('SENT', 'R1'), paidWithAmounts('R1', 1_400n)),
  ]) {
    assert.deepEqual([summary(plan), statusOf(plan), amountToPayOf(plan)], [REVIEW, 'PENDING', '100']);
    assert.deepEqual(books(plan), ['PAYOUT 1400 R1', '100 left']);
    const { detail = '' } = nextOf(plan, { nowMs: plan.updatedAtMs }) ?? {};
    assert.match(
      detail,
      /account for 1400 units of 0x\w+ on chain \d+ of 1500 units of 0x\w+ on chain \d+: R1 paid .* Find out where 100 units/,
    );
    assert.ok(detail.includes(idOf(plan, 'R1')));
  }
});

test('deductions explain what is missing of a delivery, at once or later', () => {
  for (const plan of [
    chosen(paidWithAmounts('R1', 1_400n, 100n)),
    chosen(paidWithAmounts('R1', 1_400n), paidWithAmounts('R1', undefined, 100n)),
  ]) {
    assert.deepEqual([summary(plan), statusOf(plan), amountToPayOf(plan)], [COMPLETED, 'DELIVERED', '0']);
    assert.deepEqual(books(plan), ['PAYOUT 1400 R1', 'DEDUCTION 100 R1', '0 left']);
    assert.equal(payoutOf(plan).paidOut, '1400');
    assertKnown(plan, paidWithAmounts('R1', 1_400n, 100n));
  }
});

test('another payment brings the rest of a delivery, with amounts or without', () => {
  const part = chosen(paidWithAmounts('R1', 1_400n));
  const onItsWay = after(part, delivery('SENT', 'R2'));
  assert.deepEqual([summary(onItsWay), amountToPayOf(onItsWay)], [SENT, '0']);
  for (const plan of [
    after(part, paidWithAmounts('R2')),
    after(part, delivery('DELIVERED', 'R2')),
    after(onItsWay, paidWithAmounts('R2', 100n)),
  ]) {
    assert.deepEqual([summary(plan), statusOf(plan)], [COMPLETED, 'DELIVERED']);
    assert.deepEqual(books(plan), ['PAYOUT 1400 R1', 'PAYOUT 100 R2', '0 left']);
    assertKnown(plan, delivery('SENT', 'R1'));
  }
  assert.match(notReadyOf(onItsWay, paidWithAmounts('R3', 100n)), /on its way as R2, not as R3/);
});

test('what is explained of a part leaves another payment on its way', () => {
  const onItsWay = chosen(paidWithAmounts('R1', 1_400n), delivery('SENT', 'R2'));
  const plan = after(onItsWay, paidWithAmounts('R1', undefined, 60n));
  assert.deepEqual([summary(plan), collectStep(plan)?.delivery?.providerReference], [SENT, 'R2']);
  assert.deepEqual(books(after(plan, paidWithAmounts('R2'))), [
    'PAYOUT 1400 R1',
    'DEDUCTION 60 R1',
    'PAYOUT 40 R2',
    '0 left',
  ]);
});

test('a delivery that is told otherwise is refused with both values and the remedy', () => {
  const plan = chosen(paidWithAmounts('R1', 1_400n, 100n, { rate: '56.5' }));
  for (const [command, both] of [
    [paidWithAmounts('R1', 1_500n), /amount 1400, this report says 1500/],
    [paidWithAmounts('R1', undefined, undefined, { rate: '57' }), /rate 56\.5, this report says 57/],
    [paidWithAmounts('R1', undefined, 99n), /deductions 100 \(fee\), this report says 99 \(fee\)/],
  ] as const) {
    assert.match(mismatchOf(plan, command), both);
    assert.ok(mismatchOf(plan, command).includes(`"corrects": "${idOf(plan, 'R1')}"`));
  }
});

test('a part of a delivery that is told once more settles no more, and has not failed', () => {
  const plan = chosen(paidWithAmounts('R1', 1_400n));
  assertKnown(plan, paidWithAmounts('R1'));
  assertKnown(plan, delivery('SENT', 'R1'));
  assert.match(notReadyOf(plan, delivery('DELIVERED', 'R1')), /R1 is recorded with 1400 units/);
  assert.match(mismatchOf(plan, delivery('FAILED', 'R1')), /R1 is recorded with 1400 units/);
});

test('a delivery that was told wrongly is corrected, and a plan that was completed opens', () => {
  const wrong = chosen(paidWithAmounts('R1', 1_400n, 100n));
  const command = paidWithAmounts('R1', 1_500n, undefined, { corrects: idOf(wrong, 'R1') });
  const right = after(wrong, command);
  assert.deepEqual([summary(right), ...books(right)], [COMPLETED, 'PAYOUT 1500 R1', '0 left']);
  assertKnown(right, command);
  const whole = chosen(delivery('DELIVERED', 'R1'));
  const less = after(whole, paidWithAmounts('R7', 1_400n, undefined, { corrects: idOf(whole, 'R1') }));
  assert.deepEqual([summary(less), statusOf(less)], [REVIEW, 'PENDING']);
  assert.deepEqual(books(less), ['PAYOUT 1400 R7', '100 left']);
});

test('a second payment by mistake after a delivery is recorded above what was due', () => {
  const whole = chosen(paidWithAmounts('R1', 1_500n));
  const plan = after(whole, paidWithAmounts('R2', 1_500n));
  assert.deepEqual(
    [summary(plan), statusOf(plan)],
    [`${COMPLETED.split(';')[0]}; INTEGRATOR MONEY_UNEXPLAINED`, 'DELIVERED'],
  );
  const { detail = '' } = nextOf(plan, { nowMs: plan.updatedAtMs }) ?? {};
  assert.ok(detail.includes(`R2 with "corrects": "${idOf(plan, 'R2')}"`), detail);
  const [surplus] = fundsOf(plan).at(-1)?.unallocated ?? [];
  assert.deepEqual([surplus?.amount, surplus?.reason], ['1500', 'PAID_ABOVE_DUE']);
  assert.equal(payoutOf(plan).paidOut, '3000');
  const back = after(plan, { ...delivery('RETURNED', 'B1'), amount: amountOf(3_000n) } as PlanCommand);
  assert.match(notReadyOf(back, paidWithAmounts('R3', 1n)), /came back, so nothing is due/);
});

test('a recipient who chooses again after a part was paid is paid the rest', () => {
  const failed = chosen(paidWithAmounts('R1', 1_400n), delivery('SENT', 'R2'), delivery('FAILED', 'R2'));
  assert.equal(payoutOf(failed).due, '100');
  const again = [linkMade('REOPENED', 2), submitted(2, 'b')].reduce(after, failed);
  assert.deepEqual([summary(again), amountToPayOf(again)], [DUE, '100']);
  assertKnown(again, delivery('DELIVERED', 'R1'));
  assertKnown(again, delivery('SENT', 'R1'));
  assertKnown(again, paidWithAmounts('R1', 1_400n));
  assert.match(mismatchOf(again, paidWithAmounts('R1', 100n)), /amount 1400, this report says 100/);
  const toWallet = after(again, deliveredBy(evidence('p', 'FINAL', 100n)));
  assert.equal(summary(toWallet), COMPLETED);
  const plan = after(again, paidWithAmounts('R3', 90n, 10n));
  assert.deepEqual(books(plan), ['PAYOUT 1400 R1', 'PAYOUT 90 R3', 'DEDUCTION 10 R3', '0 left']);
});

test('what comes back of a delivery is what was paid, not what was kept, and is paid again', () => {
  const back = chosen(paidWithAmounts('R1', 1_400n, 100n), delivery('RETURNED', 'B1'));
  assert.deepEqual(books(back), ['PAYOUT 1400 R1', 'DEDUCTION 100 R1', 'RETURN 1400 B1', '1400 left']);
  assertKnown(back, paidWithAmounts('R1', 1_400n));
  const reissued = { ...linkMade('REISSUED', 2), endToEndId: 'FW-4' } as PlanCommand;
  const again = [reissued, submitted(2, 'b')].reduce(after, back);
  assert.equal(amountToPayOf(again), '1400');
  assertKnown(again, delivery('SENT', 'R1'));
  assert.match(mismatchOf(again, paidWithAmounts('R1', 1_400n)), /R1 came back/);
  const plan = after(again, paidWithAmounts('R2', 1_395n, 5n));
  assert.deepEqual(books(plan).slice(3), ['PAYOUT 1395 R2', 'DEDUCTION 5 R2', '0 left']);
  const unnamed = [delivery('RETURNED', 'B1'), reissued, submitted(2, 'b'), delivery('DELIVERED')];
  const twice = chosen(delivery('DELIVERED'), ...unnamed);
  assert.deepEqual(books(twice).slice(2), ['PAYOUT 1500 undefined', '0 left']);
});

test('a delivery with amounts is recorded when it is due, and on no transaction', () => {
  const early = planAfter([observed(1_000n), derived()], 'DIGITAL_COLLECT');
  assert.match(notReadyOf(early, paidWithAmounts('R1')), /has not chosen where the money goes/);
  const failed = chosen(delivery('FAILED', 'R1'));
  assert.match(notReadyOf(failed, paidWithAmounts('R2')), /asked again where the money goes/);
  const again = [linkMade('REOPENED', 2), submitted(2, 'b')].reduce(after, failed);
  assert.match(notReadyOf(again, paidWithAmounts('R1')), /R1 failed/);
  assert.match(notReadyOf(chosen(delivery('DELIVERED', 'R1')), paidWithAmounts('R2')), /DELIVERED already/);
  const onChain = chosen(deliveredBy(evidence('p', 'CONFIRMING')));
  assert.match(notReadyOf(onChain, paidWithAmounts('R1')), /paid the recipient and is being confirmed/);
  const gone = after(onChain, lost(lastId, 'p'));
  assert.match(notReadyOf(gone, paidWithAmounts('R1')), /rests on the transaction/);
  const bare = [delivery('SENT', 'R1'), delivery('DELIVERED', 'R1')].reduce((plan, command) => {
    return changedBy(plan, command);
  }, chosen());
  assert.match(mismatchOf(bare, paidWithAmounts('R1', 1_400n)), /recorded with amount 1500/);
  const ended = chosen(paidWithAmounts('R1', 1_400n));
  const over = changedBy(ended, closed());
  assert.match(notReadyOf(over, paidWithAmounts('R2')), /The plan is ENDED \(OTHER\)/);
  assert.match(mismatchOf(chosen(), paidWithAmounts('R1', undefined, 1_500n)), /Nothing of the 1500 units/);
});

test('what is due of a delivery is what the swap brought in its present block', () => {
  const again = (units: bigint, status: 'CONFIRMING' | 'FINAL') => [
    lost(swapId, 's'),
    executed(evidence('t', status, units), 1),
  ];
  const less = [paidWithAmounts('R1', 1_490n), ...again(1_490n, 'FINAL')];
  const plan = chosen(...less);
  assert.deepEqual([summary(plan), amountToPayOf(plan)], [REVIEW, '0']);
  assert.equal(summary(after(plan, paidWithAmounts('R1'))), COMPLETED);
  const more = chosen(delivery('DELIVERED', 'R1'), ...again(1_510n, 'CONFIRMING'));
  const corrects = idOf(more, 'R1');
  const open = after(more, paidWithAmounts('R1', 1_490n, undefined, { corrects }));
  assert.equal(amountToPayOf(open), '20');
});

test('a rest that nobody can explain is named when the plan is closed', () => {
  const plan = chosen(paidWithAmounts('R1', 1_400n));
  assert.match(notReadyOf(plan, refunded('B1', 100n, fundsOf(plan).at(-1)!.asset)), /is to be paid/);
  const over = changedBy(plan, closed());
  assert.deepEqual(
    over.closed?.acknowledged.map(({ amount }) => amount),
    [amountOf(100n)],
  );
});

test('the recipient is told of a delivery when payments account for all of it', () => {
  const noticed = (plan: Plan, command: PlanCommand) => {
    const wanting = { ...plan, options: { ...plan.options, notices: { delivery: true } } };
    const decision = decide(wanting, command, plan.updatedAtMs + 1_000);
    assert.ok(decision.ok);
    return effectsOf(wanting, decision.plan).some(({ kind }) => kind === 'NOTICE_WANTED');
  };
  const plan = chosen();
  assert.equal(noticed(plan, paidWithAmounts('R1', 1_400n)), false);
  assert.equal(noticed(plan, paidWithAmounts('R1', 1_400n, 100n)), true);
});
