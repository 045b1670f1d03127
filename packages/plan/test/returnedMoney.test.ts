// What came back of a payment in the currency that the custodian converted to: told at once or afterwards, never more than was paid.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assetsOf,
  fundsOf,
  imbalanceOf,
  type Plan,
  type PlanCommand,
  standingMovements,
} from '../src/index.ts';
import { after, assertBooks, due, rowsOf } from './paidPlans.ts';
import {
  allRefunded,
  closed,
  paidAgain,
  paidWithAmounts,
  payoutReturned,
  pesos,
  refunded,
  replaced,
} from './planCommands.ts';
import { assertKnown, refusalOf, summary } from './scenarios.ts';

const paidPesos = (reference: string, units: bigint | undefined, minor: bigint) =>
  paidWithAmounts(reference, units, undefined, { paid: pesos(minor) });
const PAID = paidPesos('R1', 1_500n, 84_000n);

function backOf(plan: Plan): readonly (string | undefined)[] {
  return standingMovements(plan).flatMap(({ kind, paid }) => (kind === 'RETURN' ? [paid?.amount] : []));
}

function mismatchOf(plan: Plan, command: PlanCommand): string {
  const refusal = refusalOf(plan, command);
  assert.ok(refusal.reason === 'EVIDENCE_MISMATCH', refusal.reason);
  return refusal.detail;
}

test('a part that came back is recorded with its amount in the currency, once', () => {
  const told = payoutReturned('B1', 500n, pesos(27_999n));
  const plan = due([PAID, told]);
  assert.deepEqual(backOf(plan), ['27999']);
  assertKnown(plan, told);
  assertKnown(plan, payoutReturned('B1', 500n));
  assertKnown(plan, payoutReturned('B1'));
  assert.match(
    mismatchOf(plan, payoutReturned('B1', 500n, pesos(28_000n))),
    /recorded with returned 279\.99 PHP \(27999 minor units\), this report says 280\.00 PHP \(28000 minor units\)/,
  );
});

test('a return that was told without it is told once more, also after the plan has gone on', () => {
  const told = payoutReturned('B1', 500n);
  const more = payoutReturned('B1', 500n, pesos(27_999n));
  for (const since of [[], [paidAgain('FW2')], [paidAgain('FW2'), paidPesos('R2', 500n, 28_100n)]]) {
    const plan = due([PAID, told, ...since]);
    const again = after(plan, more);
    assert.deepEqual(backOf(again), ['27999']);
    assert.deepEqual(rowsOf(again), rowsOf(plan), 'it stands where it was told first');
    assert.equal(again.ledger?.length, (plan.ledger?.length ?? 0) + 2);
    assert.deepEqual([again.steps, again.returns], [plan.steps, plan.returns]);
    assert.deepEqual(fundsOf(again).at(-1)?.outstanding, fundsOf(plan).at(-1)?.outstanding);
    assertKnown(again, more);
    assertKnown(again, told);
  }
});

test('a return told once more after the plan was closed is no new money', () => {
  const back = due([PAID, payoutReturned('B1', 500n)]);
  const over = after(back, closed());
  const again = after(over, payoutReturned('B1', undefined, pesos(27_999n)));
  assert.deepEqual(backOf(again), ['27999']);
  const left = fundsOf(again).flatMap(({ unallocated }) => unallocated);
  assert.deepEqual(
    left.map(({ amount, reason, acknowledged }) => [amount, reason, acknowledged]),
    [['500', 'LEFT_AT_CLOSE', true]],
  );
  assert.deepEqual(imbalanceOf(again), []);
});

test('the whole payment came back with the amount of the payment, and with no other', () => {
  const plan = due([PAID]);
  const other = mismatchOf(plan, payoutReturned('B1', 1_500n, pesos(83_000n)));
  assert.match(
    other,
    /The report says that 830\.00 PHP \(83000 minor units\) came back \(returned\), .* whole payment of 1500 units .* paid 840\.00 PHP \(84000 minor units\)\. Give/,
  );
  assert.match(mismatchOf(plan, payoutReturned('B1', undefined, pesos(83_000n))), /whole payment of 1500/);
  assert.deepEqual(backOf(after(plan, payoutReturned('B1', undefined, pesos(84_000n)))), ['84000']);
  // Told without it, the amount is known: what is told again is the same, or refused.
  const whole = after(plan, payoutReturned('B1'));
  assert.deepEqual(backOf(after(whole, payoutReturned('B1', undefined, pesos(84_000n)))), ['84000']);
  assert.match(
    mismatchOf(whole, payoutReturned('B1', undefined, pesos(1n))),
    /returned 840\.00 PHP \(84000 minor units\)/,
  );
});

test('no more comes back in the currency than was paid, and is not back yet', () => {
  const plan = due([PAID]);
  const more = payoutReturned('B1', 500n, pesos(84_001n));
  assert.match(
    mismatchOf(plan, more),
    /840\.01 PHP \(84001 minor units\) came back \(returned\), but 840\.00 PHP \(84000 minor units\) were paid .* minor units/,
  );
  const part = after(plan, payoutReturned('B1', 500n, pesos(28_000n)));
  assert.match(
    mismatchOf(part, payoutReturned('B2', 500n, pesos(56_001n))),
    /but 560\.00 PHP \(56000 minor units\) were paid/,
  );
  assert.deepEqual(backOf(after(part, payoutReturned('B2', 500n, pesos(56_000n)))), ['28000', '56000']);
  const unreported = due([PAID, payoutReturned('B1', 500n)]);
  assert.match(
    mismatchOf(unreported, payoutReturned('B1', 500n, pesos(84_001n))),
    /840\.00 PHP \(84000 minor units\) were paid/,
  );
  // What an earlier attempt paid comes back while a later one is due.
  const again = due([PAID, payoutReturned('B1', 500n, pesos(28_000n)), paidAgain('FW2')]);
  assert.deepEqual(backOf(after(again, payoutReturned('B2', 400n, pesos(22_000n)))), ['28000', '22000']);
  assertBooks(after(again, payoutReturned('B2', 400n, pesos(22_000n))), '900');
});

test('where a payment was told without its amount, what came back of it is taken as told', () => {
  const plan = due([paidWithAmounts('R1', 1_500n), payoutReturned('B1', 500n, pesos(27_999n))]);
  assert.deepEqual(backOf(plan), ['27999']);
});

test('what was paid cannot be told any more once it came back, and the report says so', () => {
  const plan = due([paidWithAmounts('R1', 1_500n), payoutReturned('B1', 500n), paidAgain('FW2')]);
  assert.match(mismatchOf(plan, PAID), /R1 came back/);
  const returned = due([paidWithAmounts('R1', 1_500n), payoutReturned('B1', 500n)]);
  assert.match(
    mismatchOf(returned, PAID),
    /R1 came back, so paid can no longer be added to it. Leave paid out/,
  );
  assertKnown(returned, paidWithAmounts('R1', 1_500n));
});

for (const [what, refundOf] of [
  ['all', allRefunded],
  ['a part', (plan: Plan) => refunded('refund', 400n, assetsOf(plan).target)],
] as const)
  for (const units of [undefined, 100n])
    test(`a part comes back after ${what} of the rest was refunded: ${units ?? 'all of it'}`, () => {
      const part = due([paidWithAmounts('A', 500n)]);
      const told = payoutReturned('B', units);
      const back = after(after(part, refundOf(part)), told);
      assert.equal(summary(back), 'RETURNED: DONE DONE DONE; INTEGRATOR MONEY_RETURNED');
      assert.deepEqual(rowsOf(back), ['PAYOUT 500 A', `RETURN ${units ?? 500n} B`]);
      assertKnown(back, told);
      assert.match(mismatchOf(after(back, replaced('b')), paidWithAmounts('A')), /A came back/);
      const paid = after(after(back, paidAgain()), paidWithAmounts('C'));
      assert.equal(summary(paid), 'COMPLETED: DONE DONE DONE; nothing');
      if (units !== undefined)
        assert.equal(rowsOf(after(back, payoutReturned('B2'))).at(-1), 'RETURN 400 B2');
    });

for (const [units, minor, isTaken] of [
  [500n, 28_000n, true],
  [500n, 14_001n, true],
  [500n, 56_001n, true],
  [500n, 13_998n, false],
  [500n, 56_002n, false],
  [1n, 39_549n, false],
  [500n, 280n, false],
] as const)
  test(`${units} units that came back as ${minor} centavos are ${isTaken ? 'taken' : 'refused'}`, () => {
    const told = payoutReturned('B1', units, pesos(minor));
    if (isTaken) assert.deepEqual(backOf(due([PAID, told])), [String(minor)]);
    else assert.match(mismatchOf(due([PAID]), told), /84000 minor units\) were paid for 1500 units. Give/);
    const again = due([PAID, payoutReturned('B1', units)]);
    if (!isTaken) assert.match(mismatchOf(again, told), /were paid for 1500 units/);
  });
