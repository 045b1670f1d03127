// Reports of payments to accounts that tell amounts. Deductions of a custodian are explained before a plan is
// COMPLETED. Contradictions are refused with both values, and mistakes are corrected in the ledger.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountOf,
  fundsOf,
  type Money,
  type MovementId,
  nextOf,
  type Plan,
  type PlanCommand,
  standingMovements,
  payoutOf,
} from '../src/index.ts';
import { defined } from '@fairway/values';
import {
  closed,
  derived,
  observed,
  paidAgain,
  evidence,
  executed,
  paidByReference,
  paidWithAmounts,
  payoutFailed,
  payoutReturned,
  replaced,
  retried,
} from './planCommands.ts';
import { corridor, STEP_IDS } from './plans.ts';
import { assertBooks, due, idOf, rowsOf } from './paidPlans.ts';
import { assertKnown, changedBy, planAfter, refusalOf, summary } from './scenarios.ts';

const [, , lastId] = STEP_IDS;
const TOKEN = corridor.target.token;
const PESOS: Money = { amount: amountOf(8_475_000n), asset: { currency: 'PHP' } };

const REVIEW = 'ACTION_REQUIRED: DONE DONE READY; INTEGRATOR PAYMENT_UNCLEAR';
const COMPLETED = 'COMPLETED: DONE DONE DONE; nothing';

test('a payment of less than is due asks a person, and completes nothing', () => {
  const plan = due([paidWithAmounts('R1', 1_400n)]);
  assert.equal(summary(plan), REVIEW);
  assert.deepEqual(rowsOf(plan), ['PAYOUT 1400 R1']);
  assertBooks(plan, '100');
  const { detail = '' } = nextOf(plan, { nowMs: plan.updatedAtMs }) ?? {};
  assert.match(
    detail,
    /account for 1400 units of 0x\w+ on chain \d+ of 1500 units of 0x\w+ on chain \d+: R1 paid .* Find out where 100 units/,
  );
  assert.ok(detail.includes(idOf(plan, 'R1')));
});

test('the next action names each payment with its amount and the movement to correct', () => {
  const parts = ['R1', 'R2', 'R3'].map((reference) => paidWithAmounts(reference, 300n));
  const plan = due([...parts, paidWithAmounts('R4', 200n, 5n)]);
  const { detail = '' } = nextOf(plan, { nowMs: plan.updatedAtMs }) ?? {};
  const paid = (reference: string, units: number) =>
    `${reference} paid ${units} units of ${TOKEN} on chain 31337 (${idOf(plan, reference)})`;
  const told = [paid('R2', 300), paid('R3', 300), paid('R4', 200)].join(', ');
  assert.ok(
    detail.includes(`: 1 earlier, ${told}, and 5 units of ${TOKEN} on chain 31337 was deducted.`),
    detail,
  );
  assert.ok(detail.includes(`"corrects": "${idOf(plan, 'R4')}"`), detail);
});

test('deductions explain what is missing, at once or later', () => {
  const atOnce = due([paidWithAmounts('R1', 1_400n, 100n)]);
  const later = due([paidWithAmounts('R1', 1_400n), paidWithAmounts('R1', undefined, 100n)]);
  for (const plan of [atOnce, later]) {
    assert.equal(summary(plan), COMPLETED);
    assert.deepEqual(rowsOf(plan), ['PAYOUT 1400 R1', 'DEDUCTION 100 R1 fee']);
    assertBooks(plan, '0');
  }
});

test('another payment completes what is missing', () => {
  const plan = due([paidWithAmounts('R1', 1_400n), paidWithAmounts('R2')]);
  assert.equal(summary(plan), COMPLETED);
  assert.deepEqual(rowsOf(plan), ['PAYOUT 1400 R1', 'PAYOUT 100 R2']);
  assertBooks(plan, '0');
});

test('a report without amounts after a part pays the rest', () => {
  const plan = due([paidWithAmounts('R1', 1_400n), paidByReference('R2')]);
  assert.equal(summary(plan), COMPLETED);
  assert.deepEqual(rowsOf(plan), ['PAYOUT 1400 R1', 'PAYOUT 100 R2']);
  assertBooks(plan, '0');
});

test('what was paid in a currency settles all that is due, and is kept as it was told', () => {
  const plan = due([paidWithAmounts('R1', undefined, undefined, { paid: PESOS, rate: '56.5' })]);
  assert.equal(summary(plan), COMPLETED);
  const payout = standingMovements(plan).find(({ kind }) => kind === 'PAYOUT');
  assert.deepEqual([payout?.actual, payout?.paid, payout?.rate], ['1500', PESOS, '56.5']);
  assertBooks(plan, '0');
});

test('a payment above what is due completes the plan, and the surplus is shown', () => {
  const plan = due([paidWithAmounts('R1', 1_600n)]);
  assert.equal(summary(plan).split(':')[0], 'COMPLETED');
  const [surplus] = fundsOf(plan).at(-1)?.unallocated ?? [];
  assert.deepEqual([surplus?.amount, surplus?.direction, surplus?.reason], ['100', 'OUT', 'PAID_ABOVE_DUE']);
});

const TWICE = due([paidWithAmounts('R1'), paidWithAmounts('R2', 40n)]);
const SURPLUS = 'COMPLETED: DONE DONE DONE; INTEGRATOR MONEY_UNEXPLAINED';

/** What was paid above what is due, and not named yet, as texts. */
function surplusOf(plan: Plan): readonly string[] {
  const { unallocated = [] } = fundsOf(plan).at(-1) ?? {};
  return unallocated.map(({ amount, direction, reason }) => `${amount} ${direction} ${reason}`);
}

test('another payment after the payout is recorded above what is due; the plan is COMPLETED', () => {
  for (const first of [paidWithAmounts('R1'), paidByReference('R1')]) {
    const plan = due([first, paidWithAmounts('R2', 40n)]);
    assert.equal(summary(plan), SURPLUS);
    assert.deepEqual(rowsOf(plan), ['PAYOUT 1500 R1', 'PAYOUT 40 R2']);
    assert.deepEqual(surplusOf(plan), ['40 OUT PAID_ABOVE_DUE']);
    assertBooks(plan, '0');
    const { detail = '' } = nextOf(plan, { nowMs: plan.updatedAtMs }) ?? {};
    assert.match(
      detail,
      /^40 units of 0x\w+ on chain \d+ was paid above what was due: .* report it as RETURNED/,
    );
    assert.ok(detail.includes(`R2 with "corrects": "${idOf(plan, 'R2')}"`), detail);
    for (const command of [paidWithAmounts('R2', 40n), paidWithAmounts('R2'), paidWithAmounts('R1', 1_500n)])
      assertKnown(plan, command);
    assert.match(mismatchOf(plan, paidWithAmounts('R2', 41n)), /amount 40, this report says 41/);
    assert.match(
      mismatchOf(plan, payoutFailed('R2')),
      /recorded with 40 units of 0x\w+ on chain \d+, so it has not failed/,
    );
  }
});

test('another reference without an amount, or with a deduction, is no second payment', () => {
  const done = due([paidWithAmounts('R1')]);
  for (const command of [
    paidWithAmounts('R2'),
    paidWithAmounts('R2', undefined, undefined, { paid: PESOS }),
    paidByReference('R2'),
  ])
    assert.equal(refusalOf(done, command).reason, 'STEP_NOT_READY');
  assert.match(mismatchOf(done, paidWithAmounts('R2', 40n, 5n)), /deductions come to 5 units/);
  const back = due([paidWithAmounts('R1'), payoutReturned('B1')]);
  const unbooked = changedBy(due([paidWithAmounts('R1')]), payoutReturned('B1'));
  for (const plan of [back, unbooked])
    assert.equal(refusalOf(plan, paidWithAmounts('R2', 40n)).reason, 'STEP_NOT_READY');
});

test('no more comes back than both payments, and what the recipient has is not due again', () => {
  assert.match(
    mismatchOf(TWICE, payoutReturned('B1', 1_541n)),
    /1541 units of 0x\w+ on chain \d+ came back, 1540 units of 0x\w+ on chain \d+ are paid out/,
  );
  assert.match(
    mismatchOf(TWICE, payoutReturned('B1', 1_541n, { amount: amountOf(88n), asset: { currency: 'AUD' } })),
    /0\.88 AUD \(88 minor units\) came back \(returned\), which are 1541 units .* in minor units of AUD/,
  );
  const surplus = changedBy(TWICE, payoutReturned('B1', 40n));
  assert.equal(summary(surplus), 'RETURNED: DONE DONE DONE; INTEGRATOR NOTHING_LEFT');
  assert.deepEqual(surplusOf(surplus), []);
  assertBooks(surplus, '0');
  assert.equal(refusalOf(surplus, paidAgain('FW2')).reason, 'STEP_NOT_READY');
  const all = changedBy(TWICE, payoutReturned('B1', 1_540n));
  assert.deepEqual(rowsOf(all).at(-1), 'RETURN 1540 B1');
  assertBooks(all, '1500');
});

test('a plan with a second payment keeps its status when it is ended, and the payment is known', () => {
  const known = changedBy(TWICE, closed());
  assert.deepEqual(
    known.closed?.acknowledged.map(({ amount, direction }) => [amount, direction]),
    [['40', 'OUT']],
  );
  assert.equal(summary(known), COMPLETED);
  const third = changedBy(known, paidWithAmounts('R3', 7n));
  assert.equal(summary(third), SURPLUS);
  assert.deepEqual(surplusOf(third), ['7 OUT PAID_ABOVE_DUE', '40 OUT PAID_ABOVE_DUE']);
});

/** A report of a payment in a currency whose smallest unit is 40 units of the token. */
function inCurrency(reference: string, units?: bigint, kept?: bigint, corrects?: MovementId): PlanCommand {
  return paidWithAmounts(reference, units, kept, { minorUnit: amountOf(40n), ...defined({ corrects }) });
}

const REST = 'less than the smallest unit of AUD';

test('what the currency has no unit for is deducted, and completes the payout', () => {
  const whole = due([inCurrency('R1', 1_480n)]);
  assert.equal(summary(whole), COMPLETED);
  assert.deepEqual(rowsOf(whole), ['PAYOUT 1480 R1', `DEDUCTION 20 R1 ${REST}`]);
  assertBooks(whole, '0');
  assertKnown(whole, inCurrency('R1', 1_480n));
  const fee = due([inCurrency('R1', 1_400n, 80n)]);
  assert.deepEqual(rowsOf(fee), ['PAYOUT 1400 R1', 'DEDUCTION 80 R1 fee', `DEDUCTION 20 R1 ${REST}`]);
  assertKnown(fee, inCurrency('R1', 1_400n, 80n));
  const later = due([inCurrency('R1', 1_400n), inCurrency('R1', undefined, 80n)]);
  assert.deepEqual(rowsOf(later), rowsOf(fee));
  const parts = due([inCurrency('R1', 1_400n), inCurrency('R2', 80n)]);
  assert.deepEqual(rowsOf(parts), ['PAYOUT 1400 R1', 'PAYOUT 80 R2', `DEDUCTION 20 R2 ${REST}`]);
  for (const plan of [fee, later, parts]) {
    assert.equal(summary(plan), COMPLETED);
    assertBooks(plan, '0');
  }
});

test('a payment of all that is due leaves the rest, with and without its amount', () => {
  for (const [units, kept] of [[undefined], [1_500n], [undefined, 5n], [1_495n, 5n]] as const) {
    const plan = due([inCurrency('R1', units, kept)]);
    assert.equal(summary(plan), COMPLETED, `${units}`);
    const fee = kept === undefined ? [] : ['DEDUCTION 5 R1 fee'];
    const rest = 1_500 - 1_480 - Number(kept ?? 0n);
    assert.deepEqual(rowsOf(plan), ['PAYOUT 1480 R1', ...fee, `DEDUCTION ${rest} R1 ${REST}`]);
    assertKnown(plan, inCurrency('R1', units, kept));
    assertKnown(plan, inCurrency('R1', 1_480n));
    assert.match(mismatchOf(plan, inCurrency('R1', 1_440n)), /amount 1480, this report says 1440/);
    assertBooks(plan, '0');
  }
  for (const first of [1_400, 1_390]) {
    const parts = due([inCurrency('R1', BigInt(first)), inCurrency('R2')]);
    assert.equal(summary(parts), COMPLETED);
    const second = 1_480 - first;
    assert.deepEqual(rowsOf(parts), [`PAYOUT ${first} R1`, `PAYOUT ${second} R2`, `DEDUCTION 20 R2 ${REST}`]);
  }
});

test('a whole unit of the currency is no rest, and without a pegged currency nothing is', () => {
  for (const units of [1_460n, 1_440n, 1_490n])
    assert.equal(summary(due([inCurrency('R1', units)])), REVIEW, `${units}`);
  const plan = due([paidWithAmounts('R1', 1_480n)]);
  assert.equal(summary(plan), REVIEW);
  const settled = changedBy(plan, inCurrency('R1', 1_480n));
  assert.equal(summary(settled), COMPLETED, 'the report once more completes the plan');
  assert.deepEqual(rowsOf(settled), ['PAYOUT 1480 R1', `DEDUCTION 20 R1 ${REST}`]);
  assertBooks(settled, '0');
});

test('the rest is counted anew when a payment is corrected, and stays when another was made', () => {
  const whole = due([inCurrency('R1', 1_400n), inCurrency('R2', 80n)]);
  const right = changedBy(whole, inCurrency('R1', 1_420n, undefined, idOf(whole, 'R1')));
  assert.equal(summary(right), COMPLETED);
  assert.deepEqual(rowsOf(right), ['PAYOUT 80 R2', 'PAYOUT 1400 R1', `DEDUCTION 20 R1 ${REST}`]);
  const less = changedBy(whole, inCurrency('R1', 1_360n, undefined, idOf(whole, 'R1')));
  assert.equal(summary(less), REVIEW);
  assertBooks(less, '60');
  const twice = changedBy(whole, inCurrency('R3', 40n));
  // A rest below a unit of the currency stays deducted: else it would be due once the 40 came back.
  assert.deepEqual(surplusOf(twice), ['40 OUT PAID_ABOVE_DUE']);
  const back = changedBy(whole, payoutReturned('B1', 1_480n));
  assertBooks(back, '1480');
});

test('a payment that was recorded under two references is one again after a correction', () => {
  const once = paidWithAmounts('R1', undefined, undefined, { corrects: idOf(TWICE, 'R2') });
  const plan = changedBy(TWICE, once);
  assert.equal(summary(plan), COMPLETED);
  assert.deepEqual(rowsOf(plan), ['PAYOUT 1500 R1']);
  assertKnown(plan, once);
  assertBooks(plan, '0');
  const less = paidWithAmounts('R1', 1_460n, undefined, { corrects: idOf(TWICE, 'R1') });
  const both = changedBy(TWICE, less);
  assert.equal(summary(both), COMPLETED, 'the second payment was the rest');
  assert.deepEqual(rowsOf(both), ['PAYOUT 40 R2', 'PAYOUT 1460 R1']);
});

test('the same report again changes nothing, and what was absent is filled in', () => {
  const told = { paid: PESOS, rate: '56.5', occurredAtMs: 1_700_000_000_000 };
  const plan = due([paidWithAmounts('R1', 1_500n)]);
  assertKnown(plan, paidWithAmounts('R1', 1_500n));
  assertKnown(plan, paidWithAmounts('R1'));
  const filled = due([paidWithAmounts('R1', 1_500n), paidWithAmounts('R1', undefined, undefined, told)]);
  const payout = standingMovements(filled).find(({ kind }) => kind === 'PAYOUT');
  assert.deepEqual([payout?.actual, payout?.paid, payout?.rate], ['1500', PESOS, '56.5']);
  assert.equal(summary(filled), COMPLETED);
  assertKnown(filled, paidWithAmounts('R1', 1_500n, undefined, told));
  assertBooks(filled, '0');
});

const KNOWN = due([
  paidWithAmounts('R1', 1_400n, 100n, {
    paid: PESOS,
    fee: { ...PESOS, amount: amountOf(500n) },
    rate: '56.5',
  }),
]);
const CONTRADICTIONS: [what: string, command: PlanCommand, both: RegExp][] = [
  ['amount', paidWithAmounts('R1', 1_500n), /amount 1400, this report says 1500/],
  ['rate', paidWithAmounts('R1', undefined, undefined, { rate: '57' }), /rate 56\.5, this report says 57/],
  [
    'amount in the currency',
    paidWithAmounts('R1', undefined, undefined, { paid: { ...PESOS, amount: amountOf(1n) } }),
    /paid 84750\.00 PHP \(8475000 minor units\), this report says 0\.01 PHP \(1 minor unit\)/,
  ],
  [
    'currency of the fee',
    paidWithAmounts('R1', undefined, undefined, { fee: { ...PESOS, asset: { currency: 'EUR' } } }),
    /fee 5\.00 PHP \(500 minor units\), this report says 84750\.00 EUR \(8475000 minor units\)/,
  ],
  ['deduction', paidWithAmounts('R1', undefined, 99n), /deductions 100 \(fee\), this report says 99 \(fee\)/],
];
for (const [what, command, both] of CONTRADICTIONS)
  test(`a report with another ${what} is refused with both values and the remedy`, () => {
    const refusal = refusalOf(KNOWN, command);
    assert.ok(refusal.reason === 'EVIDENCE_MISMATCH');
    assert.match(refusal.detail, both);
    assert.ok(refusal.detail.includes(`"corrects": "${idOf(KNOWN, 'R1')}"`));
  });

test('a correction takes the payment back with its deductions and records what is so', () => {
  const wrong = due([paidWithAmounts('R1', 1_400n, 100n)]);
  const corrects = idOf(wrong, 'R1');
  const command = paidWithAmounts('R1', 1_500n, undefined, { corrects });
  const right = changedBy(wrong, command);
  assert.deepEqual(rowsOf(right), ['PAYOUT 1500 R1']);
  assert.equal(summary(right), COMPLETED);
  assert.deepEqual(
    right.ledger?.slice(-3).map(({ kind, reverses }) => [kind, reverses !== undefined]),
    [
      ['PAYOUT', true],
      ['DEDUCTION', true],
      ['PAYOUT', false],
    ],
  );
  assertKnown(right, command);
  assertBooks(right, '0');
});

test('a correction to less than is due opens a completed plan for a person', () => {
  const whole = due([paidByReference('R1')]);
  const plan = changedBy(whole, paidWithAmounts('R7', 1_400n, undefined, { corrects: idOf(whole, 'R1') }));
  assert.equal(summary(plan), REVIEW);
  assert.deepEqual(rowsOf(plan), ['PAYOUT 1400 R7']);
  assertBooks(plan, '100');
});

test('no other movement is corrected, nor one that was corrected or came back', () => {
  const plan = due([paidWithAmounts('R1', 1_400n), paidWithAmounts('R2', 100n)]);
  const [deposit] = plan.ledger ?? [];
  const correcting = (corrects?: MovementId, reference = 'R9') =>
    paidWithAmounts(reference, 1n, undefined, { corrects: corrects ?? assert.fail() });
  assert.match(mismatchOf(plan, correcting(deposit?.movementId)), /is no payment of this step/);
  assert.match(mismatchOf(plan, correcting(idOf(plan, 'R1'), 'R2')), /R2 is recorded already/);
  const once = changedBy(plan, correcting(idOf(plan, 'R1')));
  assert.match(mismatchOf(once, correcting(idOf(plan, 'R1'), 'R8')), /was corrected already/);
  const back = due([paidWithAmounts('R1', 1_500n), payoutReturned('B1')]);
  const first = back.ledger?.find(({ kind }) => kind === 'PAYOUT')?.movementId;
  assert.match(mismatchOf(back, correcting(first)), /came back after it was paid/);
});

function mismatchOf(plan: Plan, command: PlanCommand): string {
  const refusal = refusalOf(plan, command);
  assert.ok(refusal.reason === 'EVIDENCE_MISMATCH', JSON.stringify(refusal));
  return refusal.detail;
}

test('what comes back is what was paid, not what was kept', () => {
  const plan = due([paidWithAmounts('R1', 1_400n, 100n), payoutReturned('B1')]);
  assert.deepEqual(rowsOf(plan), ['PAYOUT 1400 R1', 'DEDUCTION 100 R1 fee', 'RETURN 1400 B1']);
  assertBooks(plan, '1400');
});

test('a payment is recorded when it is due, once, and on no other step', () => {
  const early = planAfter([observed(1_000n), derived()]);
  assert.equal(refusalOf(early, paidWithAmounts('R1')).reason, 'STEP_NOT_READY');
  assert.equal(refusalOf(due([paidWithAmounts('R1')]), paidWithAmounts('R2')).reason, 'STEP_NOT_READY');
  const [depositId] = STEP_IDS;
  const elsewhere = { ...paidWithAmounts('R1'), stepId: depositId } as PlanCommand;
  assert.equal(refusalOf(early, elsewhere).reason, 'NOT_OF_THIS_STEP');
  assert.match(mismatchOf(due(), paidWithAmounts('R1', undefined, 1_500n)), /Nothing of the 1500 units/);
  assert.match(mismatchOf(due(), paidWithAmounts('R1', 1_500n, 1n)), /deductions come to 1 units/);
});

test('a part that was paid stays recorded when the rest fails and is retried', () => {
  const plan = due([paidWithAmounts('R1', 1_400n), payoutFailed('R2'), retried(lastId)]);
  assert.equal(summary(plan), REVIEW);
  assert.deepEqual(rowsOf(plan), ['PAYOUT 1400 R1']);
  assertBooks(plan, '100');
});

test('another account is paid what is left of a part that was paid', () => {
  const other = due([paidWithAmounts('R1', 1_400n), payoutFailed('R2'), replaced('b')]);
  assert.equal(summary(other), 'ACTION_REQUIRED: DONE DONE READY; CUSTODIAN PAYOUT_DUE');
  assert.equal(payoutOf(other).due, '100');
  const plan = changedBy(other, paidWithAmounts('R3', 90n, 10n));
  assert.equal(summary(plan), COMPLETED);
  assert.deepEqual(rowsOf(plan), ['PAYOUT 1400 R1', 'PAYOUT 90 R3', 'DEDUCTION 10 R3 fee']);
  assertBooks(plan, '0');
});

test('no more comes back than was paid, in parts or at once', () => {
  const paid = due([paidWithAmounts('R1', 1_400n, 100n)]);
  assert.match(
    mismatchOf(paid, payoutReturned('B1', 1_401n)),
    /1401 units of 0x\w+ on chain \d+ came back, 1400 units of 0x\w+ on chain \d+ are paid out/,
  );
  const part = due([paidWithAmounts('R1', 1_400n, 100n), payoutReturned('B1', 1_000n)]);
  assert.match(
    mismatchOf(part, payoutReturned('B2', 401n)),
    /401 units of 0x\w+ on chain \d+ came back, 400 units of 0x\w+ on chain \d+ are paid out/,
  );
  const all = [paidWithAmounts('R1', 1_400n, 100n), payoutReturned('B1', 1_000n), payoutReturned('B2')];
  const back = due(all);
  assert.deepEqual(rowsOf(back).slice(2), ['RETURN 1000 B1', 'RETURN 400 B2']);
  assertBooks(back, '1400');
  const more = refusalOf(back, payoutReturned('B3', 1n));
  assert.ok(more.reason === 'STEP_NOT_READY' && /Nothing is left to return/.test(more.detail));
  const again = due([...all, paidAgain('FW2'), paidWithAmounts('R2', 1_400n), payoutReturned('B3')]);
  assert.deepEqual(rowsOf(again).slice(4), ['PAYOUT 1400 R2', 'RETURN 1400 B3']);
  assertBooks(again, '1400');
});

test('a return that was told otherwise is refused with both values', () => {
  const told = { ...payoutReturned('B1', 1_400n), failure: { code: 'ACCOUNT_CLOSED' } } as PlanCommand;
  const plan = due([paidWithAmounts('R1'), told]);
  assertKnown(plan, told);
  assertKnown(plan, payoutReturned('B1'));
  assert.match(mismatchOf(plan, payoutReturned('B1', 1_300n)), /amount 1400, this report says 1300/);
  const other = { ...told, failure: { code: 'OTHER' } } as PlanCommand;
  assert.match(mismatchOf(plan, other), /failure ACCOUNT_CLOSED, this report says OTHER/);
  const whole = due([paidWithAmounts('R1'), payoutReturned('B1')]);
  assert.match(mismatchOf(whole, payoutReturned('B1', 1_300n)), /amount 1500, this report says 1300/);
});

test('a payment of an earlier attempt is known in the next one, and counts once', () => {
  const other = due([paidWithAmounts('R1', 1_400n), payoutFailed('R2'), replaced('b')]);
  assertKnown(other, paidWithAmounts('R1', 1_400n));
  assertKnown(other, paidWithAmounts('R1'));
  assertKnown(other, paidByReference('R1'));
  assert.match(mismatchOf(other, paidWithAmounts('R1', 100n)), /amount 1400, this report says 100/);
  assertBooks(other, '100');
});

test('a deduction from a payment of an earlier attempt is refused, not left out in silence', () => {
  const bare = due([paidWithAmounts('R1', 1_400n), payoutFailed('R2'), replaced('b')]);
  assert.match(mismatchOf(bare, paidWithAmounts('R1', 1_400n, 100n)), /none, this report says 100 \(fee\)/);
  const kept = due([paidWithAmounts('R1', 1_300n, 100n), payoutFailed('R2'), replaced('b')]);
  assertKnown(kept, paidWithAmounts('R1', 1_300n, 100n));
  assert.match(mismatchOf(kept, paidWithAmounts('R1', 1_300n, 200n)), /100 \(fee\), this report says 200/);
  const back = due([paidWithAmounts('R1', 1_400n, 100n), payoutReturned('B1')]);
  assertKnown(back, paidWithAmounts('R1', 1_400n, 100n));
});

test('none of the payments that came back settles the payout once more', () => {
  const parts = [paidWithAmounts('R1', 1_400n), paidWithAmounts('R2', 100n)];
  assert.match(mismatchOf(due(parts), payoutReturned('B1')), /Several payments are recorded: say how much/);
  const back = due([...parts, payoutReturned('B1', 1_500n)]);
  assertKnown(back, paidWithAmounts('R1', 1_400n));
  const again = due([...parts, payoutReturned('B1', 1_500n), paidAgain('FW2')]);
  for (const command of [paidWithAmounts('R1', 1_400n), paidByReference('R1'), paidByReference('R2')])
    assert.match(mismatchOf(again, command), /R\d came back/);
});

test('a payment that is recorded as made has not failed', () => {
  const plan = due([paidWithAmounts('R1', 1_400n)]);
  assert.match(mismatchOf(plan, payoutFailed('R1')), /R1 is recorded with 1400 units/);
});

test('a payment that came back does not settle the payout once more', () => {
  const plan = due([paidWithAmounts('R1', 1_500n), payoutReturned('B1'), paidAgain('FW2')]);
  assert.match(mismatchOf(plan, paidWithAmounts('R1', 1_500n)), /R1 came back/);
  const again = changedBy(plan, paidWithAmounts('R2', 1_500n));
  assert.equal(again.steps.at(-1)?.status, 'DONE');
  const payout = standingMovements(again).findLast(({ kind }) => kind === 'PAYOUT');
  assert.deepEqual([payout?.providerReference, payout?.endToEndId], ['R2', 'FW2']);
  assertBooks(again, '0');
});

test('a part that is told once more without its amount does not pay the rest', () => {
  const part = due([paidWithAmounts('R1', 1_400n)]);
  const again = refusalOf(part, paidByReference('R1'));
  assert.ok(again.reason === 'STEP_NOT_READY' && /R1 is recorded with 1400 units/.test(again.detail));
});

test('while the record catches up, nobody is asked to have the rest of a payout paid', () => {
  const part = due([paidWithAmounts('R1', 1_400n)]);
  const next = nextOf(part, { nowMs: part.updatedAtMs, isCatchingUp: true });
  assert.equal(next?.why, 'CATCHING_UP');
});

test('a payment that is told once more stays paid when its swap has brought more since', () => {
  const more = executed(evidence('s', 'FINAL', 1_510n, 'y'), 1);
  const plan = due([paidByReference('R1'), more]);
  const refusal = refusalOf(plan, paidWithAmounts('R1', undefined, 5n));
  assert.match('detail' in refusal ? refusal.detail : '', /5 units of the token, but 0 units are due/);
  const told = changedBy(plan, paidWithAmounts('R1', undefined, undefined, { occurredAtMs: 7 }));
  assert.equal(told.steps.at(-1)?.status, 'DONE');
});
