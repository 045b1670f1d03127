// The ids of payments in parts. Each part is asked for with an id of its own, and a part that FAILED keeps it. So a
// custodian's guard against paying twice can tell the parts apart, and a bank statement, too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endToEndIdOf, paymentsWith, type Plan, type PlanCommand, standingMovements } from '../src/index.ts';
import { after, due, idOf } from './paidPlans.ts';
import {
  delivery,
  derived,
  evidence,
  executed,
  gone,
  linkMade,
  observed,
  paidAgain,
  paidByTransaction,
  paidInPart,
  paidWithAmounts,
  payoutFailed,
  payoutReturned,
  replaced,
  retried,
  submitted,
} from './planCommands.ts';
import { planRequest, STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, planAfter, summary } from './scenarios.ts';

const [, , lastId] = STEP_IDS;
const COMPLETED = 'COMPLETED: DONE DONE DONE; nothing';

/** The custodian paid so much of what is due; the rest is asked for with this id. */
function part(
  reference: string,
  units: bigint | undefined,
  nextEndToEndId: string,
  kept?: bigint,
): PlanCommand {
  return paidWithAmounts(reference, units, kept, { nextEndToEndId });
}

/** A transaction paid a part; the rest is asked for with this id. */
function partBy(letter: string, status: 'CONFIRMING' | 'FINAL', units: bigint, nextEndToEndId?: string) {
  const told = paidInPart(evidence(letter, status, units));
  return (nextEndToEndId === undefined ? told : { ...told, nextEndToEndId }) as PlanCommand;
}

/** The ids of the payments that stand, and of the one that is asked for. */
function ids(plan: Plan): string {
  const paid = standingMovements(plan).filter(({ kind }) => kind === 'PAYOUT');
  return [...paid.map(({ endToEndId }) => endToEndId), endToEndIdOf(plan)].join(' ');
}

function attemptsOf(plan: Plan) {
  const last = plan.steps.at(-1);
  return last?.type === 'CUSTODIAN_PAYOUT' ? last.attempts : assert.fail();
}

test('each further part to an account is asked for with an id of its own', () => {
  const one = due([part('R1', 700n, 'FW2')]);
  assert.equal(ids(one), 'FW1 FW2');
  assertKnown(one, part('R1', 700n, 'FW-unused'));
  const two = after(one, part('R2', 500n, 'FW3'));
  assert.equal(ids(two), 'FW1 FW2 FW3');
  const done = after(two, part('R3', undefined, 'FW-unused'));
  assert.equal(ids(done), 'FW1 FW2 FW3 FW3');
  assert.equal(summary(done), COMPLETED);
});

test('what pays all, and deductions of a part, ask for nothing with another id', () => {
  assert.equal(ids(due([part('R1', undefined, 'FW-unused')])), 'FW1 FW1');
  const kept = due([part('R1', 700n, 'FW2'), part('R1', undefined, 'FW-unused', 100n)]);
  assert.equal(ids(kept), 'FW1 FW2');
  const deduction = standingMovements(kept).find(({ kind }) => kind === 'DEDUCTION');
  assert.equal(deduction?.endToEndId, 'FW1', 'it was kept back from the first part');
});

test('a part that failed keeps its id for the same account, also after others', () => {
  const one = due([part('R1', 700n, 'FW2')]);
  const failed = after(one, payoutFailed('F1'));
  assert.equal(ids(after(failed, retried(lastId))), 'FW1 FW2');
  const other = after(failed, replaced('a'));
  assert.equal(ids(other), 'FW1 FW-a');
  const further = after(other, part('R2', 300n, 'FW-a2'));
  assert.equal(ids(further), 'FW1 FW-a FW-a2');
  const { recipient } = planRequest();
  const again = { type: 'RECIPIENT_REPLACED', stepId: lastId, recipient, endToEndId: 'FW-unused' } as const;
  const back = [payoutFailed('F2'), again].reduce(after, further);
  assert.equal(ids(back), 'FW1 FW-a FW2');
  assert.deepEqual(
    attemptsOf(back).map(({ endToEndId, earlierIds }) => [endToEndId, earlierIds]),
    [
      ['FW2', ['FW1']],
      ['FW-a2', ['FW-a']],
    ],
  );
  assert.equal(ids(after(back, part('R3', 200n, 'FW3'))), 'FW1 FW-a FW2 FW3');
});

test('an attempt keeps the id of the part that it was of', () => {
  const plan = due([payoutFailed('F1'), retried(lastId), part('R1', 700n, 'FW2'), payoutFailed('F2')]);
  const named = attemptsOf(after(plan, replaced('a'))).map(({ endToEndId }) => endToEndId);
  assert.deepEqual(named, ['FW1', 'FW2']);
});

test('an attempt that came back names the payments of all its parts', () => {
  const paid = due([part('R1', 700n, 'FW2'), part('R2', undefined, 'FW-unused')]);
  const back = [payoutReturned('B1', 1_500n), paidAgain('FW9')].reduce(after, paid);
  assert.equal(ids(back), 'FW1 FW2 FW9');
  const [{ endToEndId = '', earlierIds = [] } = {}] = attemptsOf(back);
  const named = paymentsWith(back, [...earlierIds, endToEndId]);
  assert.deepEqual(
    named.map(({ providerReference }) => providerReference),
    ['R1', 'R2'],
  );
});

test('a corrected part keeps its id, and the rest is asked for as before', () => {
  const corrected = (plan: Plan, reference: string, units: bigint) =>
    after(plan, { ...part(reference, units, 'FW3'), corrects: idOf(plan, 'R1') } as PlanCommand);
  const one = due([part('R1', 700n, 'FW2')]);
  assert.equal(ids(corrected(one, 'R1', 600n)), 'FW1 FW2');
  assert.equal(ids(corrected(one, 'R1b', 600n)), 'FW1 FW2');
  assert.equal(ids(corrected(one, 'R1', 0n)), 'FW2');
  const whole = due([part('R1', undefined, 'FW-unused')]);
  assert.equal(ids(corrected(whole, 'R1', 600n)), 'FW1 FW3', 'the rest was not asked for before');
});

test('each further transaction to a wallet is asked for with an id of its own', () => {
  const seen = due([partBy('p', 'CONFIRMING', 700n, 'FW2')]);
  assert.equal(ids(seen), 'FW1 FW1');
  const one = after(seen, partBy('p', 'FINAL', 700n));
  assert.equal(ids(one), 'FW1 FW2');
  const two = after(one, partBy('q', 'FINAL', 500n, 'FW3'));
  assert.equal(ids(two), 'FW1 FW2 FW3');
  const done = after(two, paidByTransaction(evidence('r', 'FINAL', 300n)));
  assert.equal(ids(done), 'FW1 FW2 FW3 FW3');
  assert.equal(summary(done), COMPLETED);
});

test('a part that a reorganisation took back and the chain has again keeps its id', () => {
  const one = due([partBy('p', 'FINAL', 700n, 'FW2')]);
  const without = after(one, gone(one, lastId, 'p'));
  assert.equal(ids(without), 'FW2');
  const again = after(without, partBy('p', 'FINAL', 700n, 'FW-unused'));
  assert.equal(ids(again), 'FW1 FW2');
});

test('a recipient who chose an account is paid in parts with ids of their own', () => {
  const start = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1), linkMade('FIRST', 1)];
  const one = [...start, submitted(1, 'a'), part('R1', 700n, 'FW2')].reduce(
    after,
    planAfter([], 'DIGITAL_COLLECT'),
  );
  assert.equal(ids(one), 'FW1 FW2');
  const asked = [delivery('FAILED', 'F1'), linkMade('REOPENED', 2)].reduce(after, one);
  assert.equal(ids(after(asked, submitted(2, 'a'))), 'FW1 FW2', 'the part that failed keeps its id');
  const other = after(asked, submitted(2, 'b'));
  assert.equal(ids(other), 'FW1 FW-2-b');
  const further = after(other, part('R2', 300n, 'FW-b2'));
  assert.equal(ids(further), 'FW1 FW-2-b FW-b2');
  const chosen = [delivery('FAILED', 'F2'), linkMade('REOPENED', 3), submitted(3, 'b')].reduce(
    after,
    further,
  );
  assert.equal(ids(chosen), 'FW1 FW-2-b FW-b2');
  assert.equal(ids(changedBy(chosen, part('R3', undefined, 'FW-unused'))), 'FW1 FW-2-b FW-b2 FW-b2');
});

test('an account that is chosen again knows the ids of the parts that it was paid before', () => {
  const start = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1), linkMade('FIRST', 1)];
  const again = [
    ...[...start, submitted(1, 'a'), part('R1', 700n, 'FW2')],
    ...[delivery('FAILED', 'F1'), linkMade('REOPENED', 2), submitted(2, 'b')],
    ...[delivery('FAILED', 'F2'), linkMade('REOPENED', 3), submitted(3, 'a')],
  ].reduce(after, planAfter([], 'DIGITAL_COLLECT'));
  assert.equal(ids(again), 'FW1 FW2');
  const last = again.steps.at(-1);
  assert.deepEqual(last?.type === 'SEND_DIGITAL_COLLECT' && last.payout?.earlierIds, ['FW1']);
  // The service names the third part, as two are known: with the id of the second it would be taken for that.
  assert.equal(ids(after(again, part('R2', 300n, 'FW3'))), 'FW1 FW2 FW3');
});
