import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountOf,
  amountToPayOf,
  publishedChangesOf,
  assetsOf,
  collectRequestsOf,
  decide,
  fundsOf,
  nextOf,
  type Mode,
  payableNow,
  planStatus,
  type Plan,
  type PlanCommand,
  payoutOf,
} from '../src/index.ts';
import { lastStep } from '../src/plan/steps.ts';
import { holdOf } from './holdInvariants.ts';
import {
  closed,
  deliveredBy,
  delivery,
  evidence,
  executed,
  hashOf,
  linkMade,
  lost,
  observed,
  paidAgain,
  paidByReference,
  paidByTransaction,
  paidWithAmounts,
  payoutFailed,
  payoutHeld,
  payoutReturned,
  recorded,
  recordedTransfer,
  refunded,
  retried,
  submitted,
  swapFailed,
} from './planCommands.ts';
import { after } from './paidPlans.ts';
import { corridor, STEP_IDS } from './plans.ts';
import { assertKnown, planAfter, refusalOf } from './scenarios.ts';

const [, swapId, lastId] = STEP_IDS;
const PAID_OUT: readonly PlanCommand[] = [observed(1_000n), executed(evidence('s', 'FINAL'))];
const CHOSEN: readonly PlanCommand[] = [...PAID_OUT, linkMade('FIRST', 1), submitted(1)];

/** The plan after these commands, with their movements. */
const made = (commands: readonly PlanCommand[], mode: Mode = 'STANDARD') =>
  commands.reduce(after, planAfter([], mode));
const due = () => made(PAID_OUT);
const chosen = () => made(CHOSEN, 'DIGITAL_COLLECT');
const told = (plan: Plan) => nextOf(plan, { nowMs: plan.updatedAtMs });
const typesOf = (before: Plan, now: Plan) => publishedChangesOf(before, now).map(({ type }) => type);

test('a payout that is held keeps its statuses, and says who needs what until when', () => {
  const before = due();
  const untilMs = before.updatedAtMs + 86_400_000;
  const needs = ['the invoice', 'the source of the money'];
  const held = after(before, payoutHeld('H1', { reason: 'INFORMATION_REQUIRED', needs, untilMs }));
  const heldAtMs = held.updatedAtMs;
  assert.deepEqual(holdOf(held), {
    reason: 'INFORMATION_REQUIRED',
    needs,
    untilMs,
    heldAtMs,
    providerReference: 'H1',
  });
  assert.deepEqual([planStatus(held), lastStep(held)?.status], ['ACTION_REQUIRED', 'READY']);
  assert.deepEqual(told(held), {
    stepId: lastId,
    why: 'PAYOUT_HELD',
    detail:
      'The payment is held by the custodian (Test custodian) because it lacks information. Give it what it needs: the invoice; the source of the money. Report DONE when it has paid, or FAILED when it gives the payment up; have nothing paid in another way before.',
    deadlineMs: untilMs,
  });
  assert.deepEqual(typesOf(before, held), ['payment_plan.updated', 'payment_plan.step.held']);
  const behind = nextOf(held, { nowMs: held.updatedAtMs, isCatchingUp: true });
  assert.equal(behind?.why, 'PAYOUT_HELD', 'it moves no money');
});

test('a hold without needs is the decision of the custodian, and the words name its reason', () => {
  const why = {
    COMPLIANCE_REVIEW: 'for a compliance review',
    INFORMATION_REQUIRED: 'because it lacks information',
    BANK_DELAY: 'because a bank is late',
    OTHER: 'for a reason of its own',
  } as const;
  for (const [reason, words] of Object.entries(why) as [keyof typeof why, string][]) {
    const action = told(after(due(), payoutHeld(undefined, { reason })));
    assert.match(
      action?.detail ?? '',
      new RegExp(`${words}\\. The custodian decides what comes next: ask it\\.`),
    );
    assert.equal(action && 'deadlineMs' in action, false);
  }
});

test('the same hold again changes nothing, and another one takes its place and is told', () => {
  const held = after(due(), payoutHeld('H1', { needs: ['the invoice'] }));
  assertKnown(held, payoutHeld('H1', { needs: ['the invoice'] }));
  for (const other of [
    payoutHeld('H1'),
    payoutHeld('H2', { needs: ['the invoice'] }),
    payoutHeld('H1', { needs: ['the invoice'], reason: 'OTHER' }),
    payoutHeld('H1', { needs: ['the invoice'], untilMs: 5 }),
    { ...payoutHeld('H1', { needs: ['the invoice'] }), occurredAtMs: 5 } as PlanCommand,
  ]) {
    const next = after(held, other);
    assert.notDeepEqual(holdOf(next), holdOf(held));
    assert.deepEqual(typesOf(held, next), ['payment_plan.updated', 'payment_plan.step.held']);
  }
  const early = { ...payoutHeld(), occurredAtMs: 5 } as PlanCommand;
  assert.equal(holdOf(after(due(), early))?.heldAtMs, 5, 'it is held since the time that was told');
});

test('the next report on a payout ends its hold, also where a rest is due', () => {
  const held = after(due(), payoutHeld());
  const ends: readonly PlanCommand[] = [
    paidByReference('R1'),
    paidWithAmounts('R1', 1_500n),
    paidWithAmounts('R1', 700n),
    payoutFailed('R1'),
    paidByTransaction(evidence('p', 'CONFIRMING')),
    closed({ force: true }),
  ];
  for (const command of ends) {
    const next = after(held, command);
    assert.equal(holdOf(next), undefined, JSON.stringify(command));
    assert.notEqual(told(next)?.why, 'PAYOUT_HELD');
    assert.ok(!typesOf(held, next).includes('payment_plan.step.held'));
  }
  const again = after(after(held, payoutFailed('R1')), retried(lastId));
  assert.equal(told(again)?.why, 'PAYOUT_DUE');
});

test('what is not about the payment leaves its hold: other money, a swap that is mined again', () => {
  const held = after(due(), payoutHeld());
  const commands: readonly PlanCommand[] = [
    { type: 'RECIPIENT_REVEALED' },
    recorded([recordedTransfer('e', 300n)]),
    refunded('F1', 100n),
  ];
  const left = commands.reduce(after, held);
  assert.deepEqual(holdOf(left), holdOf(held));
  const undone = after(held, lost(swapId, 's'));
  assert.deepEqual([told(undone)?.why, holdOf(undone)], ['PAYOUT_HELD', holdOf(held)]);
  assert.doesNotMatch(told(held)?.detail ?? '', /took back/);
  assert.match(
    told(undone)?.detail ?? '',
    new RegExp(`before\\. The chain took back the transaction ${hashOf('s')}, which brought the money\\.$`),
  );
  const anew = after(undone, executed(evidence('s', 'FINAL', 1_500n, 'y')));
  assert.deepEqual([told(anew)?.why, holdOf(anew)], ['PAYOUT_HELD', holdOf(held)]);
  assert.equal(told(anew)?.detail, told(held)?.detail);
});

test('a held payment can be given up although its swap is lost, and then the plan can end', () => {
  const [deposit, swap] = [observed(1_000n), executed(evidence('s', 'FINAL'))];
  const held = made([
    deposit,
    refunded('B1', 1n),
    swap,
    payoutHeld('H1'),
    lost(swapId, 's'),
    swapFailed('s'),
  ]);
  assert.equal(told(held)?.why, 'PAYOUT_HELD');
  assert.equal(refusalOf(held, payoutFailed('R9')).reason, 'STEP_NOT_READY');
  const free = after(held, payoutFailed('H1'));
  assert.equal(told(free)?.why, 'MONEY_UNEXPLAINED');
  assert.equal(planStatus(after(free, closed())), 'ENDED');
});

test('what comes back of an earlier payment does not end the hold of the present one', () => {
  const failed = [paidByReference('R1'), payoutReturned('B1', 500n), paidAgain()];
  const held = after(made([...PAID_OUT, ...failed]), payoutHeld('R2'));
  const more = after(held, payoutReturned('B2', 100n));
  assert.deepEqual([payoutOf(more).due, holdOf(more)], ['600', holdOf(held)]);
});

test('a part that comes back waits for the report on the rest that is held', () => {
  const held = after(made([...PAID_OUT, paidWithAmounts('R1', 700n)]), payoutHeld('R2'));
  const refusal = refusalOf(held, payoutReturned('B1', 100n));
  assert.equal(
    'detail' in refusal ? refusal.detail : '',
    'The payment R2 is held by the custodian (Test custodian) and may still be made. Report first what becomes of it, DONE with its amount or FAILED, and then what came back.',
  );
  for (const [report, left] of [
    [paidWithAmounts('R2', 800n), '100'],
    [payoutFailed('R2'), '900'],
  ] as const) {
    const back = after(after(held, report), payoutReturned('B1', 100n));
    assert.equal(fundsOf(back).at(-1)?.outstanding, left);
  }
  const sent = after(after(chosen(), paidWithAmounts('R1', 700n)), payoutHeld('R2'));
  const partBack = { ...delivery('RETURNED', 'B1'), amount: amountOf(100n) } as PlanCommand;
  assert.equal(refusalOf(sent, partBack).reason, 'STEP_NOT_READY');
});

test('a report on another payment leaves the hold of the one that is named', () => {
  const part = made([...PAID_OUT, paidWithAmounts('R1', 700n)]);
  const held = after(part, payoutHeld('R2'));
  const more = after(held, paidWithAmounts('R3', 100n));
  assert.deepEqual([holdOf(more), told(more)?.why], [holdOf(held), 'PAYOUT_HELD']);
  const wrong = (part.ledger ?? []).find(({ kind }) => kind === 'PAYOUT')?.movementId ?? '';
  const corrected = after(held, { ...paidWithAmounts('R1', 0n), corrects: wrong } as PlanCommand);
  assert.deepEqual([holdOf(corrected), amountToPayOf(corrected)], [holdOf(held), '1500']);
  assert.equal(holdOf(after(held, paidWithAmounts('R2', 100n))), undefined, 'the payment that is held');
  for (const forgets of [
    payoutFailed('R3'),
    paidWithAmounts('R3', 800n),
    paidByReference('R3'),
    { ...paidWithAmounts('R1', 1_500n), corrects: wrong } as PlanCommand,
  ]) {
    const refusal = refusalOf(held, forgets);
    assert.equal(refusal.reason, 'STEP_NOT_READY', JSON.stringify(forgets));
    assert.match(
      'detail' in refusal ? refusal.detail : '',
      /^The payment R2 is held by .*; this report is of the payment R[13]\.$/,
    );
  }
  const unnamed = after(part, payoutHeld());
  assert.equal(holdOf(after(unnamed, paidWithAmounts('R3', 800n))), undefined, 'any report tells of it');
});

test('no delivery is sent beside one that is held, so that each can be reported', () => {
  const held = after(chosen(), payoutHeld('R1'));
  assert.equal(refusalOf(held, delivery('SENT', 'R2')).reason, 'STEP_NOT_READY');
  assert.equal(refusalOf(held, delivery('DELIVERED', 'R2')).reason, 'STEP_NOT_READY');
  for (const status of ['SENT', 'DELIVERED', 'FAILED'] as const)
    assert.equal(holdOf(after(held, delivery(status, 'R1'))), undefined, status);
  const byChain = after(held, deliveredBy(evidence('p', 'FINAL')));
  assert.equal(holdOf(byChain), undefined, 'what the chain shows is taken');
});

test('only a payment that is due can be held, and none that rests on a transaction', () => {
  const done = made([...PAID_OUT, paidByReference('R1')]);
  const cases: readonly (readonly [Plan, RegExp])[] = [
    [made([observed(1_000n)]), /^The step that is due is EXECUTE_SWAP/],
    [done, /^The payout is DONE already\. Every step is DONE\.$/],
    [
      made([...PAID_OUT, payoutFailed('R1')]),
      /CUSTODIAN_PAYOUT \(step_3\), which is FAILED: try it anew first/,
    ],
    [after(due(), closed()), /^The plan is ENDED \(OTHER\)/],
    [
      made([...PAID_OUT, paidByTransaction(evidence('p', 'CONFIRMING'))]),
      /^The payment rests on the transaction 0x70.*, which nobody can hold back\./,
    ],
    [
      made([...PAID_OUT, paidByTransaction(evidence('p', 'FINAL')), lost(lastId, 'p')]),
      /^The payment rests on the transaction/,
    ],
    [made([...PAID_OUT, linkMade('FIRST', 1)], 'DIGITAL_COLLECT'), /^The recipient has not chosen/],
    [after(chosen(), delivery('DELIVERED', 'R1')), /^The delivery is DELIVERED, so nothing of it is held/],
    [after(chosen(), delivery('FAILED', 'R1')), /^The delivery is FAILED, so nothing of it is held/],
    [after(chosen(), deliveredBy(evidence('p', 'CONFIRMING'))), /^The payment rests on the transaction/],
  ];
  for (const [plan, detail] of cases) {
    const refusal = refusalOf(plan, payoutHeld('H1'));
    assert.equal(refusal.reason, 'STEP_NOT_READY');
    assert.match('detail' in refusal ? refusal.detail : '', detail);
  }
});

test('a hold of another payment is refused, and one of a payment that ended changes nothing', () => {
  const part = made([...PAID_OUT, paidWithAmounts('R1', 700n)]);
  assert.equal(refusalOf(part, payoutHeld('R1')).reason, 'EVIDENCE_MISMATCH');
  assert.equal(told(after(part, payoutHeld('R2')))?.why, 'PAYOUT_HELD', 'the rest is held');
  assertKnown(made([...PAID_OUT, payoutFailed('R1'), retried(lastId)]), payoutHeld('R1'));
  const sent = after(chosen(), delivery('SENT', 'R1'));
  assert.equal(refusalOf(sent, payoutHeld('R2')).reason, 'STEP_NOT_READY');
  const again = [delivery('FAILED', 'R1'), linkMade('REOPENED', 2), submitted(2)];
  assertKnown(again.reduce(after, sent), payoutHeld('R1'));
});

test('a delivery is held before it is sent and after, and the next report ends that', () => {
  for (const before of [chosen(), after(chosen(), delivery('SENT', 'R1'))]) {
    const held = after(before, payoutHeld('R1'));
    assert.equal(collectRequestsOf(held).at(-1)?.hold?.reason, 'COMPLIANCE_REVIEW');
    assert.match(told(held)?.detail ?? '', / Report DONE when it has paid, or FAILED/);
    assert.deepEqual(typesOf(before, held), [
      'payment_plan.updated',
      'payment_plan.step.held',
      'collect_request.updated',
    ]);
    for (const status of ['SENT', 'DELIVERED', 'FAILED'] as const)
      assert.equal(holdOf(after(held, delivery(status, 'R1'))), undefined, status);
    // A process that repeats its report does not find it changed again.
    assertKnown(after(held, delivery('SENT', 'R1')), delivery('SENT', 'R1'));
  }
});

test('what is held may still be paid: closing needs force, and the money is not refunded', () => {
  const { target } = assetsOf({ corridor });
  for (const [plan, failed] of [
    [after(due(), payoutHeld()), payoutFailed('R1')],
    [after(after(chosen(), delivery('SENT', 'R1')), payoutHeld()), delivery('FAILED', 'R1')],
  ] as const) {
    const refusal = refusalOf(plan, closed());
    assert.equal(refusal.reason, 'EXECUTION_PENDING');
    assert.match(
      'detail' in refusal ? refusal.detail : '',
      /^The payment is held by the custodian \(Test custodian\) and may still be made: report FAILED when the custodian gives it up\./,
    );
    const forced = after(plan, closed({ force: true }));
    assert.deepEqual([forced.closed?.forced, holdOf(forced)], [true, undefined]);
    const unpaid = refusalOf(plan, refunded('F1', 1_500n, target));
    assert.match('detail' in unpaid ? unpaid.detail : '', /report FAILED when the custodian gives it up/);
    assert.equal(decide(after(plan, failed), closed(), plan.updatedAtMs + 9_000).ok, true);
  }
});

test('a held payment can be reported as paid although its swap is lost', () => {
  const held = after(due(), payoutHeld('H1'));
  const lostSwap = after(held, lost(swapId, 's'));
  const reverted = after(lostSwap, swapFailed('s'));
  for (const plan of [lostSwap, reverted]) {
    assert.equal(told(plan)?.why, 'PAYOUT_HELD');
    assert.equal(payableNow(plan), '0');
    for (const report of [paidByReference('H1'), paidWithAmounts('H1', 1_500n)]) {
      const paid = after(plan, report);
      assert.deepEqual([lastStep(paid)?.status, holdOf(paid)], ['DONE', undefined]);
      assert.equal(payoutOf(paid).paidOut, '1500');
      const anew = after(paid, executed(evidence('s', 'FINAL', 1_500n, 'y')));
      assert.deepEqual([planStatus(anew), told(anew)], ['COMPLETED', undefined]);
    }
    const part = after(plan, paidWithAmounts('H1', 700n));
    assert.deepEqual([lastStep(part)?.status, payableNow(part)], ['PENDING', '0']);
    assert.equal(payableNow(after(part, executed(evidence('s', 'FINAL', 1_500n, 'y')))), '800');
  }
});
