// Payments to accounts that are told of the wrong plan, and payments that come back before all that is due was paid.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  acknowledgementOf,
  amountOf,
  type CustodianPayoutStep,
  endToEndIdOf,
  fundsOf,
  hasPaidOut,
  holdsAddress,
  isOver,
  nextOf,
  paymentsWith,
  type Plan,
  type PlanCommand,
  planStatus,
  payoutOf,
} from '../src/index.ts';
import { after, assertBooks, due, idOf, rowsOf } from './paidPlans.ts';
import {
  closed,
  delivery,
  depositGone,
  derived,
  evidence,
  executed,
  gone,
  linkMade,
  lost,
  observed,
  paidAgain,
  paidByReference,
  paidByTransaction,
  paidWithAmounts,
  payoutReturned,
  recorded,
  recordedTransfer,
  replaced,
  submitted,
} from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, planAfter, refusalOf, summary } from './scenarios.ts';

const HOUR_MS = 3_600_000;

const [, swapId, lastId] = STEP_IDS;
const PAYOUT_DUE = 'ACTION_REQUIRED: DONE DONE READY; CUSTODIAN PAYOUT_DUE';
const COMPLETED = 'COMPLETED: DONE DONE DONE; nothing';

/** Says that a payment paid nothing of this plan. */
function voided(plan: Plan, reference: string): PlanCommand {
  return paidWithAmounts(reference, 0n, undefined, { corrects: idOf(plan, reference) });
}

function mismatchOf(plan: Plan, command: PlanCommand): string {
  const { reason, detail = '' } = refusalOf(plan, command) as { reason: string; detail?: string };
  assert.equal(reason, 'EVIDENCE_MISMATCH');
  return detail;
}

test('a payment of another plan is taken back by a correction to nothing, and all is due again', () => {
  for (const told of [paidByReference('R1'), paidWithAmounts('R1'), paidWithAmounts('R1', 1_400n, 5n)]) {
    const paid = due([told]);
    const command = voided(paid, 'R1');
    const plan = after(paid, command);
    assert.equal(summary(plan), PAYOUT_DUE);
    assert.deepEqual(rowsOf(plan), []);
    assertBooks(plan, '1500');
    assertKnown(plan, command);
    assert.match(mismatchOf(plan, told), /R1 was taken back/, 'a report that arrives once more');
    const wrong = { ...told, type: 'PAYOUT_REPORTED', corrects: idOf(paid, 'R1') } as PlanCommand;
    assert.deepEqual(rowsOf(after(plan, wrong)), rowsOf(paid), 'it was of this plan after all');
    const done = after(plan, paidWithAmounts('R2'));
    assert.equal(summary(done), COMPLETED);
    assert.match(
      mismatchOf(done, { ...command, providerReference: 'R2' } as PlanCommand),
      /corrected already/,
    );
  }
});

test('of several payments one is taken back, and the others stay', () => {
  const parts = due([paidWithAmounts('R1', 1_000n), paidWithAmounts('R2', 500n)]);
  const plan = after(parts, voided(parts, 'R1'));
  assert.deepEqual(rowsOf(plan), ['PAYOUT 500 R2']);
  assertBooks(plan, '1000');
  const twice = due([paidWithAmounts('R1'), paidWithAmounts('R2', 40n)]);
  const once = after(twice, voided(twice, 'R2'));
  assert.equal(summary(once), COMPLETED);
  const last = once.steps.at(-1);
  assert.equal(last?.type === 'CUSTODIAN_PAYOUT' && last.providerReference, 'R1');
  assertBooks(once, '0');
});

test('a correction to nothing names its payment, and keeps nothing back', () => {
  const paid = due([paidWithAmounts('R1')]);
  const corrects = idOf(paid, 'R1');
  const other = paidWithAmounts('R2', 0n, undefined, { corrects });
  assert.match(mismatchOf(paid, other), /is not the payment R2/);
  assert.match(mismatchOf(paid, paidWithAmounts('R1', 0n, 5n, { corrects })), /leave them out/);
  assert.match(mismatchOf(due(), paidWithAmounts('R1', 0n)), /Nothing of the 1500 units/);
});

test('a part that comes back ends the attempt; paid again, all that is there is due', () => {
  const parts = [paidWithAmounts('R1', 1_000n), paidWithAmounts('R2', 300n)];
  assert.match(mismatchOf(due(parts), payoutReturned('B1')), /say how much came back/);
  const plan = due([...parts, payoutReturned('B1', 1_000n)]);
  assert.equal(summary(plan), 'RETURNED: DONE DONE DONE; INTEGRATOR MONEY_RETURNED');
  assert.deepEqual(rowsOf(plan), ['PAYOUT 1000 R1', 'PAYOUT 300 R2', 'RETURN 1000 B1']);
  assertBooks(plan, '1200');
  assertKnown(plan, payoutReturned('B1', 1_000n));
  for (const again of [paidAgain(), replaced('b')]) {
    const open = after(plan, again);
    assert.equal(summary(open), PAYOUT_DUE);
    assert.match(nextOf(open, { nowMs: 0 })?.detail ?? '', /from 1200 units/);
    assertBooks(open, '1200');
    assert.match(mismatchOf(open, paidWithAmounts('R1', 1_000n)), /R1 came back/);
    assert.equal(summary(after(open, paidWithAmounts('R3'))), COMPLETED);
  }
});

test('money of an earlier attempt comes back while the next one is to be paid, or has failed', () => {
  const parts = [paidWithAmounts('R1', 1_000n), paidWithAmounts('R2', 500n)];
  const open = due([...parts, payoutReturned('B1', 1_000n), paidAgain()]);
  const failure = { code: 'ACCOUNT_CLOSED' };
  const { stepId } = lastOf(open);
  const failed = after(open, { type: 'PAYOUT_FAILED', stepId, failure, providerReference: 'R3' });
  for (const before of [open, failed]) {
    assertBooks(before, '1000');
    assert.match(mismatchOf(before, payoutReturned('B2')), /say how much came back/);
    assert.match(
      mismatchOf(before, payoutReturned('B2', 501n)),
      /501 units came back, 500 of earlier payments/,
    );
    const plan = after(before, payoutReturned('B2', 500n));
    assertBooks(plan, '1500');
    assert.deepEqual(
      [planStatus(plan), payoutOf(plan).left],
      [planStatus(before), '1500'],
      'the attempt goes on',
    );
    assertKnown(plan, payoutReturned('B2', 500n));
    assert.match(mismatchOf(plan, payoutReturned('B2', 499n)), /recorded with amount 500/);
    assert.equal(refusalOf(plan, payoutReturned('B3', 1n)).reason, 'STEP_NOT_READY');
    const retried = before === failed ? after(plan, { type: 'STEP_RETRIED', stepId }) : plan;
    for (const told of [paidWithAmounts('R4'), paidByReference('R4')]) {
      const paid = after(retried, told);
      assert.equal(summary(paid), COMPLETED);
      assertBooks(paid, '0');
    }
  }
});

test('money of an earlier attempt that comes back to a closed plan is left over', () => {
  const parts = [paidWithAmounts('R1', 1_000n), paidWithAmounts('R2', 500n)];
  const open = due([...parts, payoutReturned('B1', 1_000n), paidAgain()]);
  const plan = after(after(open, closed()), payoutReturned('B2', 500n));
  assert.equal(planStatus(plan), 'ENDED');
  assert.deepEqual(
    acknowledgementOf(plan).map(({ amount, direction }) => [amount, direction]),
    [['500', 'IN']],
  );
});

test('an attempt that came back has all its payments, and no others', () => {
  const parts = [paidWithAmounts('R1', 1_000n), paidWithAmounts('R2', 500n)];
  const plan = due([...parts, payoutReturned('B1', 1_500n), paidAgain(), paidWithAmounts('R3')]);
  const [attempt] = lastOf(plan).attempts;
  assert.deepEqual(
    paymentsWith(plan, [attempt?.endToEndId ?? '']).map(({ providerReference }) => providerReference),
    ['R1', 'R2'],
  );
});

function lastOf(plan: Plan): CustodianPayoutStep {
  const last = plan.steps.at(-1);
  assert.ok(last?.type === 'CUSTODIAN_PAYOUT');
  return last;
}

test('nothing comes back of a payout of which nothing was paid', () => {
  assert.equal(refusalOf(due(), payoutReturned('B1')).reason, 'STEP_NOT_READY');
});

test('a part of a delivery that comes back ends the round; the rest is due in the next one', () => {
  const start: readonly PlanCommand[] = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
  const commands = [linkMade('FIRST', 1), submitted(1, 'a'), paidWithAmounts('R1', 1_000n)];
  const paid = [...start, ...commands].reduce(after, planAfter([], 'DIGITAL_COLLECT'));
  const plan = after(paid, delivery('RETURNED', 'B1'));
  assert.equal(planStatus(plan), 'RETURNED');
  assert.deepEqual(rowsOf(plan), ['PAYOUT 1000 R1', 'RETURN 1000 B1']);
  assertBooks(plan, '1500');
  const reissued = { ...linkMade('REISSUED', 2), endToEndId: 'FW-2' } as PlanCommand;
  const open = [reissued, submitted(2, 'a')].reduce(after, plan);
  assert.equal(payoutOf(open).due, '1500');
  assert.equal(summary(after(open, paidWithAmounts('R2'))), COMPLETED);
});

test('money of an earlier round comes back while the recipient is asked, and after the choice', () => {
  const start: readonly PlanCommand[] = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
  const commands = [linkMade('FIRST', 1), submitted(1, 'a'), paidWithAmounts('R1', 1_000n), back('B1', 600n)];
  const plan = [...start, ...commands].reduce(after, planAfter([], 'DIGITAL_COLLECT'));
  const asked = after(plan, { ...linkMade('REISSUED', 2), endToEndId: 'FW-2' } as PlanCommand);
  for (const before of [asked, after(asked, submitted(2, 'b'))]) {
    assertBooks(before, '1100');
    const open = after(before, back('B2', 400n));
    assertBooks(open, '1500');
    assert.equal(payoutOf(open).due, '1500');
    assertKnown(open, back('B2', 400n));
  }
});

/** A part of a delivery came back. */
function back(reference: string, units: bigint): PlanCommand {
  return { ...delivery('RETURNED', reference), amount: amountOf(units) } as PlanCommand;
}

test('a payment after a return is refused, and the refusal says to try the payout again first', () => {
  const plan = due([paidWithAmounts('R1'), payoutReturned('B1')]);
  const { detail = '' } = refusalOf(plan, paidWithAmounts('R2', 1_500n)) as { detail?: string };
  assert.match(detail, /came back, so nothing is due. Send POST …\/again/);
});

test('a correction of a payment of an attempt that is over says that it is over', () => {
  const start: readonly PlanCommand[] = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
  const commands = [
    linkMade('FIRST', 1),
    submitted(1, 'a'),
    paidWithAmounts('R1', 1_000n),
    delivery('FAILED'),
  ];
  const plan = [...start, ...commands, linkMade('REOPENED', 2), submitted(2, 'b')].reduce(
    after,
    planAfter([], 'DIGITAL_COLLECT'),
  );
  const command = paidWithAmounts('R1', 900n, undefined, { corrects: idOf(plan, 'R1') });
  assert.match(mismatchOf(plan, command), /is of an attempt to pay that is over/);
});

test('a second payment stays above what is due, although a second execution brought as much', () => {
  const paid = due([paidWithAmounts('R1'), paidWithAmounts('R2', 40n)]);
  const target = () =>
    fundsOf(plan)
      .at(-1)
      ?.unallocated.map(({ amount, reason }) => `${amount} ${reason}`);
  const found = {
    type: 'EXECUTION_FOUND',
    stepId: swapId,
    position: 0,
    amountIn: amountOf(1_000n),
  } as const;
  const plan = after(paid, { ...found, evidence: evidence('t', 'FINAL', 1_495n) });
  assert.deepEqual(target(), ['1495 SECOND_EXECUTION', '40 PAID_ABOVE_DUE']);
});

test('an overpayment that was acknowledged and corrected does not hide another one', () => {
  const paid = due([paidWithAmounts('R1'), paidWithAmounts('R2', 40n)]);
  const known = after(paid, closed());
  assert.equal(summary(known), COMPLETED);
  const completed = after(
    known,
    paidWithAmounts('R2', undefined, undefined, { occurredAtMs: 1_700_000_000_000 }),
  );
  assert.equal(summary(completed), COMPLETED, 'more is told of the same payment');
  const other = after(after(known, voided(known, 'R2')), paidWithAmounts('R3', 40n));
  assert.equal(summary(other), 'COMPLETED: DONE DONE DONE; INTEGRATOR MONEY_UNEXPLAINED');
});

test('another account that a recipient chooses has a payment id of its own, the same keeps one', () => {
  const start: readonly PlanCommand[] = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
  const first = [...start, linkMade('FIRST', 1), submitted(1, 'a')].reduce(
    after,
    planAfter([], 'DIGITAL_COLLECT'),
  );
  const chosenAgain = (plan: Plan, version: number, letter: string) =>
    [delivery('FAILED'), linkMade('REOPENED', version), submitted(version, letter)].reduce(after, plan);
  const id = endToEndIdOf(first);
  assert.equal(id, 'FW1', 'the first account has the id of the plan');
  const other = chosenAgain(first, 2, 'b');
  assert.equal(endToEndIdOf(other), 'FW-2-b');
  assert.equal(endToEndIdOf(chosenAgain(other, 3, 'b')), 'FW-2-b');
  const back = chosenAgain(other, 3, 'a');
  assert.equal(endToEndIdOf(back), 'FW1');
  assert.equal(endToEndIdOf(chosenAgain(back, 4, 'b')), 'FW-2-b');
  assert.equal(endToEndIdOf(chosenAgain(back, 4, 'c')), 'FW-4-c');
  assert.equal(payoutOf(back).due, '1500');
});

test('an account whose payment came back is paid with an id that no payment had', () => {
  const start: readonly PlanCommand[] = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
  const first = [linkMade('FIRST', 1), submitted(1, 'a'), delivery('FAILED'), linkMade('REOPENED', 2)];
  const back = [submitted(2, 'a'), delivery('DELIVERED', 'R1'), delivery('RETURNED', 'B1')];
  const reissued = { ...linkMade('REISSUED', 3), endToEndId: 'FW-2' } as PlanCommand;
  const failed = [submitted(3, 'b'), delivery('FAILED'), linkMade('REOPENED', 4)];
  const plan = [...start, ...first, ...back, reissued, ...failed].reduce(
    after,
    planAfter([], 'DIGITAL_COLLECT'),
  );
  assert.equal(endToEndIdOf(after(plan, submitted(4, 'a'))), 'FW-4-a');
  assert.equal(endToEndIdOf(after(plan, submitted(4, 'b'))), 'FW-2');
  assert.equal(endToEndIdOf(after(plan, submitted(4, 'c'))), 'FW-4-c');
});

test('a report without a reference is of no payment that has one', () => {
  const start: readonly PlanCommand[] = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
  const chosen = [...start, linkMade('FIRST', 1), submitted(1, 'a')].reduce(
    after,
    planAfter([], 'DIGITAL_COLLECT'),
  );
  const sentAs = after(chosen, delivery('SENT', 'R10'));
  const failure = refusalOf(sentAs, delivery('FAILED')) as { detail?: string };
  assert.match(failure.detail ?? '', /on its way as R10: name this providerReference/);
  after(sentAs, delivery('FAILED', 'R10'));
  const part = after(chosen, paidWithAmounts('R1', 700n));
  const sent = refusalOf(part, delivery('SENT')) as { detail?: string };
  assert.match(sent.detail ?? '', /R1 is recorded: name the providerReference/);
});

test('a plan that has paid out once needs its deposit address no more, even if open again', () => {
  const paid = due([paidWithAmounts('R1')]);
  const plan = after(paid, voided(paid, 'R1'));
  assert.deepEqual([isOver(plan), hasPaidOut(plan), holdsAddress(plan)], [false, true, false]);
  assert.equal(holdsAddress(due()), true);
});

test('a plan that has paid out asks for no money at an address that may be another plan’s', () => {
  const depositAddress = `0x${'0c'.repeat(20)}` as const;
  const addressed = (plan: Plan): Plan => ({ ...plan, options: { ...plan.options, depositAddress } });
  const paid = due([paidWithAmounts('R1'), payoutReturned('B1'), paidAgain()]);
  for (const received of [[], [recorded([recordedTransfer('e', 400n)])]]) {
    const gone = addressed([lost(swapId, 's'), depositGone(), ...received].reduce(after, paid));
    assert.equal(nextOf(gone, { nowMs: 0 })?.why, 'DEPOSIT_LOST');
    const plan = changedBy(gone, { type: 'TIME_PASSED' }, gone.updatedAtMs + HOUR_MS);
    const { why, detail = '' } = nextOf(plan, { nowMs: 0 }) ?? {};
    assert.equal(why, 'TRANSACTION_LOST');
    assert.match(detail, /Send nothing to the deposit address: .* end the plan/);
    assert.match(nextOf(addressed(planAfter([])), { nowMs: 0 })?.detail ?? '', /^Send 1000 units/);
  }
});

test('a payment of another plan is taken back although another one came back since', () => {
  const parts = [paidWithAmounts('R1', 1_000n), paidWithAmounts('R2', 500n), payoutReturned('B1', 1_000n)];
  const back = due(parts);
  const waiting = after(back, voided(back, 'R2'));
  assert.deepEqual(rowsOf(waiting), ['PAYOUT 1000 R1', 'RETURN 1000 B1']);
  assert.equal(planStatus(waiting), 'RETURNED');
  assertBooks(waiting, '1500');
  const open = after(back, paidAgain());
  const more = after(open, voided(open, 'R2'));
  assertBooks(more, '1500');
  const done = after(open, paidWithAmounts('R3'));
  const reopened = after(done, voided(done, 'R2'));
  assert.equal(summary(reopened), 'ACTION_REQUIRED: DONE DONE READY; INTEGRATOR PAYMENT_UNCLEAR');
  assertBooks(reopened, '500');
  for (const plan of [after(waiting, paidAgain()), more, reopened])
    assert.equal(summary(after(plan, paidWithAmounts('R9'))), COMPLETED);
  assert.match(mismatchOf(back, voided(back, 'R1')), /came back after it was paid/);
  const allBack = due([
    ...parts.slice(0, 2),
    payoutReturned('B1', 1_500n),
    paidAgain(),
    paidWithAmounts('R3'),
  ]);
  assert.match(mismatchOf(allBack, voided(allBack, 'R2')), /came back after it was paid/);
});

test('what comes back of each attempt to pay is a return of its own, also without a reference', () => {
  const first = [paidWithAmounts('R1'), payoutReturned(undefined, 1_500n), paidAgain()];
  const plan = due([...first, paidWithAmounts('R2'), payoutReturned(undefined, 1_400n)]);
  assert.deepEqual(rowsOf(plan), ['PAYOUT 1500 R1', 'RETURN 1500', 'PAYOUT 1500 R2', 'RETURN 1400']);
});

test('a transaction that was found for a payment that came back stays when the chain loses it', () => {
  const paid = due([paidByTransaction(evidence('p', 'FINAL')), payoutReturned('B1')]);
  const found = after(after(paid, gone(paid, lastId, 'p')), paidByTransaction(evidence('q', 'FINAL')));
  assert.deepEqual(after(found, gone(found, lastId, 'q')).ledger, found.ledger);
});

for (const [what, reports, corrected, rows, outstanding] of [
  ['to less', [['R1', 1_000n], ['R2', 500n], 1_000n], ['R2', 490n], ['PAYOUT 490 R2'], '1010'],
  ['that came back', [['R1', 1_000n], ['R2', 500n], 1_000n], ['R1', 990n], ['PAYOUT 990 R1'], '1010'],
  [
    'with its fee',
    [['R1', 1_500n], 10n],
    ['R1', 1_490n, 10n],
    ['PAYOUT 1490 R1', 'DEDUCTION 10 R1 fee'],
    '10',
  ],
] as const)
  test(`a payment is corrected after money came back: one ${what}`, () => {
    const told = reports.map((each) =>
      typeof each === 'bigint' ? payoutReturned('B1', each) : paidWithAmounts(each[0], each[1]),
    );
    const back = due(told);
    const [name, units, kept] = corrected;
    const command = paidWithAmounts(name, units, kept, { corrects: idOf(back, name) });
    const plan = after(back, command);
    assert.equal(planStatus(plan), 'RETURNED');
    assert.deepEqual(rowsOf(plan).slice(-rows.length), rows);
    assertBooks(plan, outstanding);
    assertKnown(plan, command);
    const wrong = paidWithAmounts(name, 1_500n, undefined, { corrects: idOf(plan, name) });
    after(plan, wrong);
    for (const again of [paidAgain(), replaced('b')])
      assert.equal(payoutOf(after(plan, again)).left, outstanding);
    assert.equal(summary(after(after(plan, paidAgain()), paidWithAmounts('R9'))), COMPLETED);
  });

test('a payment that was taken back after a return is restored, also when it is paid again', () => {
  const back = due([
    paidWithAmounts('R1', 1_000n),
    paidWithAmounts('R2', 500n),
    payoutReturned('B1', 1_000n),
  ]);
  const corrects = idOf(back, 'R2');
  const taken = after(back, voided(back, 'R2'));
  for (const [plan, status] of [
    [taken, 'RETURNED'],
    [after(taken, paidAgain()), 'ACTION_REQUIRED'],
  ] as const) {
    const command = paidWithAmounts('R2', 500n, undefined, { corrects });
    const restored = after(plan, command);
    assert.equal(planStatus(restored), status);
    assert.deepEqual(rowsOf(restored), ['PAYOUT 1000 R1', 'RETURN 1000 B1', 'PAYOUT 500 R2']);
    assertBooks(restored, '1000');
    assertKnown(restored, command);
    assertBooks(after(restored, voided(restored, 'R2')), '1500');
  }
  assertBooks(after(taken, paidWithAmounts('R2', undefined, undefined, { corrects })), '1000');
  const few = paidWithAmounts('R1', 499n, undefined, { corrects: idOf(back, 'R1') });
  assert.match(mismatchOf(back, few), /came back after it was paid/);
});
