// The money of plans that were closed: what was left then, what came since, and what may still go back of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  acknowledgementOf,
  amountToPayOf,
  assetsOf,
  fundsOf,
  nextOf,
  pendingRefundOf,
  type Plan,
  type PlanCommand,
} from '../src/index.ts';
import { closingsOf } from '../src/book/equations.ts';
import { after, due } from './paidPlans.ts';
import {
  closed,
  delivery,
  derived,
  evidence,
  executed,
  gone,
  LINK_EXPIRED,
  linkMade,
  lost,
  observed,
  paidAgain,
  paidByReference,
  paidWithAmounts,
  payoutReturned,
  pesos,
  recorded,
  recordedTransfer,
  refunded,
} from './planCommands.ts';
import { newPlan, STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, refusalOf, summary } from './scenarios.ts';

/** A plan that was closed with 400 of its deposit there. */
function closedWith400(reason: 'SETTLED_ELSEWHERE' | 'ABANDONED' | 'REFUNDED' | 'OTHER'): Plan {
  const part = after(newPlan(), deposit('d', 400n));
  return after(part, closed({ reason }));
}

function deposit(letter: string, units: bigint, block = 'x'): PlanCommand {
  return recorded([recordedTransfer(letter, units, { blockHash: recordedTransfer(block, 1n).txHash })]);
}

/** What is unallocated of a plan, as texts. */
function left(plan: Plan): readonly string[] {
  return fundsOf(plan).flatMap(({ unallocated }) =>
    unallocated.map(
      ({ amount, reason, acknowledged }) => `${amount} ${reason} ${acknowledged ? 'named' : 'new'}`,
    ),
  );
}

/** The refund, asked for although its money went elsewhere. */
function forced(refund: PlanCommand): PlanCommand {
  return { ...refund, force: true } as PlanCommand;
}

test('what was named when a plan was closed was left then; what comes later came after the end', () => {
  const plan = closedWith400('ABANDONED');
  assert.deepEqual(left(plan), ['400 LEFT_AT_CLOSE named']);
  const late = after(plan, deposit('e', 70n));
  assert.deepEqual(left(late), ['70 AFTER_END new', '400 LEFT_AT_CLOSE named']);
  const paying = due([]);
  assert.deepEqual(left(after(paying, closed())), ['1500 LEFT_AT_CLOSE named']);
});

test('what an execution after the end brought is left when the plan is closed once more', () => {
  const ready = [deposit('d', 1_000n), derived()].reduce(after, newPlan());
  const ended = after(after(ready, closed()), executed(evidence('s', 'FINAL')));
  assert.deepEqual(left(ended), ['1500 AFTER_END new']);
  assert.deepEqual(left(after(ended, closed({ note: 'known' }))), ['1500 LEFT_AT_CLOSE named']);
});

test('of two executions after the end what the second spent is told, also when it is all', () => {
  const ready = [deposit('d', 1_000n), derived()].reduce(after, newPlan());
  const twice = [executed(evidence('s', 'FINAL')), executed(evidence('t', 'FINAL', 1_495n))];
  const ended = twice.reduce(after, after(ready, closed()));
  const { target } = assetsOf(ended);
  const empty = after(ended, refunded('B1', 2_995n, target));
  for (const plan of [ended, empty]) {
    assert.ok(left(plan).includes('1000 SECOND_EXECUTION new'), left(plan).join());
    const { why, detail = '' } = nextOf(plan, { nowMs: plan.updatedAtMs }) ?? {};
    assert.equal(why, 'MONEY_UNEXPLAINED');
    assert.match(detail, /A second execution spent 1000 units .* refund no more than that/);
  }
  const named = after(empty, closed({ note: 'known' }));
  assert.deepEqual(left(named), ['1000 SECOND_EXECUTION named']);
});

test('a refund whose deposit of another token is lost later is asked about', () => {
  const { target } = assetsOf(newPlan());
  const stray = recordedTransfer('e', 7n, { token: newPlan().corridor.target.token });
  const commands = [
    recorded([stray]),
    { type: 'PLAN_ENDED', force: false } as const,
    refunded('B1', 7n, target),
  ];
  const cancelled = commands.reduce(after, newPlan());
  const lost = after(cancelled, gone(cancelled, STEP_IDS[0], 'e'));
  const { why, detail = '' } = nextOf(lost, { nowMs: lost.updatedAtMs }) ?? {};
  assert.equal(why, 'MONEY_UNEXPLAINED');
  assert.match(detail, /^Of 7 units .* no arrival is on record/);
});

test('a plan that was paid twice and closed can be closed again when the second came back', () => {
  const paid = due([paidWithAmounts('R1'), paidWithAmounts('R2', 40n)]);
  const known = after(paid, closed({ reason: 'OTHER' }));
  const back = after(known, payoutReturned('R3', 40n));
  assert.match(summary(back), /^RETURNED/);
  const again = after(back, closed({ reason: 'REFUNDED' }));
  assert.match(summary(again), /^ENDED/);
  assertKnown(again, closed({ reason: 'REFUNDED' }));
});

test('a refund of what a closing says was settled elsewhere has to be asked for', () => {
  const plan = closedWith400('SETTLED_ELSEWHERE');
  const refund = refunded('B1', 400n);
  const { reason, detail = '' } = refusalOf(plan, refund) as { reason: string; detail?: string };
  assert.equal(reason, 'STEP_NOT_READY');
  assert.match(detail, /^The plan was ended as SETTLED_ELSEWHERE .* only 0 .*"force": true/);
  const back = after(plan, forced(refund));
  assert.deepEqual(left(back), []);
  assertKnown(back, refund);
  for (const other of ['ABANDONED', 'REFUNDED', 'OTHER'] as const)
    assert.deepEqual(left(after(closedWith400(other), refund)), []);
});

test('what came after a plan was settled elsewhere goes back as ever, and no more than that', () => {
  const late = after(closedWith400('SETTLED_ELSEWHERE'), deposit('e', 70n));
  const { detail = '' } = refusalOf(late, refunded('B1', 71n)) as { detail?: string };
  assert.match(detail, /only 70 /);
  const back = after(late, refunded('B1', 70n));
  assert.deepEqual([left(back), summary(back).split('; ')[1]], [['400 LEFT_AT_CLOSE named'], 'nothing']);
  assert.equal(refusalOf(back, refunded('B2', 70n)).reason, 'STEP_NOT_READY', 'not once more');
});

test('each closing counts for the money that it named, whatever a later one says', () => {
  const ways = [
    { reasons: ['SETTLED_ELSEWHERE', 'ABANDONED'], free: 70n },
    { reasons: ['ABANDONED', 'SETTLED_ELSEWHERE'], free: 400n },
  ] as const;
  for (const { reasons, free } of ways) {
    const late = after(closedWith400(reasons[0]), deposit('e', 70n));
    const closing = closed({ reason: reasons[1], note: 'the second' });
    const plan = after(late, closing);
    assert.deepEqual(
      closingsOf(plan).map(({ reason, acknowledged }) => [reason, acknowledged.map(({ amount }) => amount)]),
      [
        [reasons[0], ['400']],
        [reasons[1], ['70']],
      ],
    );
    const { detail = '' } = refusalOf(plan, refunded('B1', free + 1n)) as { detail?: string };
    assert.match(detail, new RegExp(`only ${free} units of \\w+ on chain \\d+ is there besides`));
    const back = after(plan, refunded('B1', free));
    assert.equal(refusalOf(back, refunded('B2', 1n)).reason, 'STEP_NOT_READY', 'the rest went elsewhere');
    assert.deepEqual(left(after(back, forced(refunded('B2', 470n - free)))), []);
    assertKnown(plan, closing);
    assertKnown(plan, closed({ reason: reasons[0] }));
  }
});

test('a refund is expected of what one closing names as refunded, not of what others name', () => {
  const late = after(closedWith400('REFUNDED'), deposit('e', 70n));
  const plan = after(late, closed({ reason: 'ABANDONED' }));
  const { source } = assetsOf(plan);
  const from = recordedTransfer('d', 400n).from;
  assert.equal(pendingRefundOf(plan, from, source), 400n);
});

test('a refund gives back what came after the plan was closed, and asks for no second one', () => {
  const late = after(closedWith400('ABANDONED'), deposit('e', 70n));
  const part = after(late, refunded('B1', 50n));
  assert.deepEqual(left(part), ['20 AFTER_END new', '400 LEFT_AT_CLOSE named']);
  const back = after(part, refunded('B2', 20n));
  assert.deepEqual([left(back), acknowledgementOf(back)], [['400 LEFT_AT_CLOSE named'], []]);
  // Mined again in another block it is the same deposit, which went back.
  const again = after(after(back, gone(back, STEP_IDS[0], 'e')), deposit('e', 70n, 'y'));
  assert.deepEqual(left(again), ['400 LEFT_AT_CLOSE named']);
  // The refund gave back nothing that came after it.
  assert.deepEqual(left(after(back, deposit('f', 30n))), ['30 AFTER_END new', '400 LEFT_AT_CLOSE named']);
});

test('where no other link can be sent, the next action and refusals say how the plan ends', () => {
  const begun = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
  let plan = begun.reduce(after, newPlan({ mode: 'DIGITAL_COLLECT' }));
  for (let version = 1; version <= 100; version += 1) {
    const atMs = plan.updatedAtMs + 60_000;
    const made = linkMade(version === 1 ? 'FIRST' : 'REISSUED', version, atMs + 1);
    plan = changedBy(changedBy(plan, made, atMs), LINK_EXPIRED);
  }
  const action = nextOf(plan, { nowMs: plan.updatedAtMs });
  assert.equal(action?.why, 'LINKS_USED_UP');
  assert.match(
    action.detail,
    /end the plan with the reason SETTLED_ELSEWHERE.* reference in note.*refund it/,
  );
  const { detail = '' } = refusalOf(plan, delivery('DELIVERED', 'R1')) as { detail?: string };
  assert.match(
    detail,
    /is FAILED: send another link first \(POST …\/again\), or end the plan where no other can be sent\.$/,
  );
  const ended = after(plan, closed({ reason: 'SETTLED_ELSEWHERE', note: 'R1' }));
  assert.deepEqual(left(ended), ['1500 LEFT_AT_CLOSE named']);
});

test('what was named when a COMPLETED plan was closed is neither outstanding nor paid out later', () => {
  for (const reason of ['REFUNDED', 'SETTLED_ELSEWHERE', 'ABANDONED', 'OTHER'] as const) {
    // The chain has the swap in another block, where it brought more than was paid out.
    const paidOut = due([paidByReference('R1')]);
    const short = after(paidOut, executed(evidence('s', 'FINAL', 1_600n, 'y'), 1));
    const target = (plan: Plan) => fundsOf(plan).at(-1) ?? assert.fail();
    assert.deepEqual([summary(short).split(':')[0], target(short).outstanding], ['COMPLETED', '100']);
    const known = after(short, closed({ reason }));
    assert.deepEqual([target(known).outstanding, left(known)], ['0', ['100 LEFT_AT_CLOSE named']]);
    assert.equal(target(known).unallocated[0]?.movementId, short.ledger?.findLast(isSwapOut)?.movementId);
    assert.equal(summary(known).split('; ')[1], 'nothing');
    const back = after(known, payoutReturned('B1', 1_500n));
    assert.deepEqual([target(back).outstanding, left(back)], ['1500', ['100 LEFT_AT_CLOSE named']]);
    const again = after(back, paidAgain());
    assert.equal(amountToPayOf(again), '1500', 'what was named is not paid');
    const paid = after(again, paidByReference('R2'));
    assert.deepEqual([target(paid).outstanding, left(paid)], ['0', ['100 LEFT_AT_CLOSE named']]);
    const returned = after(paid, payoutReturned('B2', 1_500n));
    const twice = after(returned, closed({ reason, note: 'once more' }));
    assert.deepEqual(acknowledgementOf(twice), []);
    assert.equal(target(twice).outstanding, '0');
    const named = target(twice).unallocated.map(({ amount, acknowledged }) => [amount, acknowledged]);
    assert.deepEqual(
      named.reduce((sum, [amount]) => sum + BigInt(String(amount)), 0n),
      1_600n,
    );
    assert.ok(named.every(([, acknowledged]) => acknowledged === true));
  }
});

function isSwapOut({ kind }: { readonly kind: string }): boolean {
  return kind === 'SWAP_OUT';
}

test('a return that was told again, and a swap found after it, are acknowledged', () => {
  const paid = [executed(evidence('s', 'FINAL')), paidByReference('R1'), lost(STEP_IDS[1], 's')];
  const back = [payoutReturned('B1', 1_400n), executed(evidence('s', 'FINAL'))];
  const again = payoutReturned('B1', undefined, pesos(100n));
  const plan = [...paid, ...back, again, closed()].reduce(after, newPlan());
  assert.deepEqual(acknowledgementOf(plan), []);
  assert.deepEqual(left(plan), ['1000 SWAP_WITHOUT_DEPOSIT named', '1400 LEFT_AT_CLOSE named']);
});
