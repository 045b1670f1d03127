import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountOf,
  collectStep,
  depositOf,
  nextOf,
  owedLink,
  type Plan,
  type PlanCommand,
  standingMovements,
  swapStep,
  swapTransactions,
  workOf,
  payoutOf,
} from '../src/index.ts';
import { swapOf } from '../src/book/swap.ts';
import {
  deliveredBy,
  delivery,
  depositGone,
  derived,
  evidence,
  executed,
  hashOf,
  linkMade,
  linkOpened,
  lost,
  observed,
  paidByReference,
  paidByTransaction,
  payoutFailed,
  payoutReturned,
  recorded,
  recordedTransfer,
  reported,
  retried,
  submitted,
  swapFailed,
  transfer,
  withheld,
} from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, planAfter, refusalOf, summary } from './scenarios.ts';

const [depositId, swapId, lastId] = STEP_IDS;
const ready = [observed(1_000n), derived()];
const confirming = [...ready, executed(evidence('s', 'CONFIRMING'), 1)];
const done = [...ready, executed(evidence('s', 'FINAL'), 1)];

function payout(plan: Plan) {
  const last = plan.steps.at(-1);
  assert.ok(last?.type === 'CUSTODIAN_PAYOUT');
  return last;
}

test('after a swap is taken back, its transaction is looked for, and no second swap is derived', () => {
  const plan = planAfter([...done, lost(swapId, 's')]);
  assert.equal(summary(plan), 'ACTION_REQUIRED: DONE READY PENDING; INTEGRATOR TRANSACTION_LOST');
  assert.equal(workOf(plan), undefined);
  assert.deepEqual(swapTransactions(plan), [hashOf('s')]);
  assert.equal(payoutOf(plan).due, '1500');
  const again = changedBy(plan, executed(evidence('s', 'FINAL', 1_495n, 'y'), 1));
  assert.equal(summary(again), 'ACTION_REQUIRED: DONE DONE READY; CUSTODIAN PAYOUT_DUE');
  assert.equal(payoutOf(again).due, '1495');
});

test('no second swap is derived when an older attempt is taken back, whatever later ones became', () => {
  const older = planAfter([...ready, executed(evidence('s', 'FINAL'), 0), lost(swapId, 's')]);
  const afterFailure = planAfter([
    ...ready,
    swapFailed('f'),
    retried(swapId),
    executed(evidence('s', 'FINAL'), 0),
    lost(swapId, 's'),
  ]);
  for (const plan of [older, afterFailure]) {
    assert.equal(summary(plan), 'ACTION_REQUIRED: DONE READY PENDING; INTEGRATOR TRANSACTION_LOST');
    assert.equal(workOf(plan), undefined);
    const flapped = changedBy(changedBy(plan, depositGone()), observed(1_000n));
    assert.equal(summary(flapped), 'ACTION_REQUIRED: DONE PENDING PENDING; INTEGRATOR TRANSACTION_LOST');
    assert.equal(workOf(flapped), undefined);
  }
});

test('after a loss only the integrator asks for new instructions; a lost transaction counts', () => {
  const plan = planAfter([...confirming, lost(swapId, 's'), derived('cc')]);
  assert.equal(summary(plan), 'ACTION_REQUIRED: DONE READY PENDING; INTEGRATOR SWAP_DUE');
  assert.deepEqual(swapTransactions(plan), [hashOf('s')]);
  const back = changedBy(plan, executed(evidence('s', 'FINAL'), 1));
  assert.deepEqual(
    swapStep(back).attempts.map(({ outcome }) => outcome),
    ['SUPERSEDED', 'EXECUTED', 'SUPERSEDED'],
  );
  assert.deepEqual(swapTransactions(back), [hashOf('s')]);
});

test('a refresh without instructions after a loss names the lost transaction and the reason', () => {
  const plan = planAfter([...confirming, lost(swapId, 's'), withheld('PRICE_BELOW_FLOOR')]);
  assert.equal(
    nextOf(plan, { nowMs: plan.updatedAtMs })?.detail,
    `The transaction ${hashOf('s')} is no longer on the chain. Mined again, it counts by itself; report the one that replaced it; send POST …/again only when neither can be. For the reason PRICE_BELOW_FLOOR.`,
  );
  assert.equal(workOf(plan), undefined);
});

test('a deposit that is gone counts as missing once its swap is taken back, in either order', () => {
  const parts = recorded([recordedTransfer('d', 600n), recordedTransfer('e', 400n)]);
  const plan = planAfter([parts, ...confirming.slice(1)]);
  const noted = changedBy(plan, depositGone());
  assert.equal(summary(noted), 'IN_PROGRESS: DONE READY PENDING; CHAIN TRANSACTION_CONFIRMING');
  const deposits = [
    changedBy(noted, lost(swapId, 's')),
    changedBy(changedBy(plan, lost(swapId, 's')), depositGone()),
  ];
  for (const after of deposits) {
    assert.equal(summary(after), 'IN_PROGRESS: READY PENDING PENDING; CHAIN DEPOSIT_LOST');
    assert.equal(depositOf(after).outcome, 'PARTIAL');
  }
});

test('a swap with a done payout stays DONE, and its evidence is LOST until it is found again', () => {
  const plan = planAfter([...done, paidByReference('R1'), lost(swapId, 's')]);
  assert.equal(summary(plan), 'COMPLETED: DONE DONE DONE; INTEGRATOR TRANSACTION_LOST');
  assert.equal(swapStep(plan).evidence?.status, 'LOST');
  assert.deepEqual(swapTransactions(plan), [hashOf('s')]);
  assertKnown(plan, lost(swapId, 's'));
  const found = changedBy(plan, executed(evidence('t', 'CONFIRMING'), 0));
  assert.equal(summary(found), 'COMPLETED: DONE DONE DONE; nothing');
  assert.deepEqual(
    swapStep(found).attempts.map(({ outcome }) => outcome),
    ['EXECUTED', 'LOST'],
  );
});

test('every lost transaction of a swap is looked for while no transaction stands', () => {
  const plan = planAfter([
    ...confirming,
    lost(swapId, 's'),
    derived('cc'),
    executed(evidence('t', 'FINAL'), 2),
    paidByReference('R1'),
    lost(swapId, 't'),
  ]);
  assert.deepEqual(swapTransactions(plan), [hashOf('s'), hashOf('t')]);
});

test('what was paid stays when the swap turns out to have brought another amount', () => {
  const plan = planAfter([...done, paidByReference('R1'), executed(evidence('s', 'FINAL', 1_495n, 'y'), 1)]);
  const { due, paidOut } = payoutOf(plan);
  assert.deepEqual([due, paidOut], ['1495', '1500']);
  assert.equal(swapOf(plan).brought, '1495');
});

test('a payout and its swap that are taken back leave the same plan in either order', () => {
  const plan = planAfter([...done, paidByTransaction(evidence('p', 'FINAL'), 'R1')]);
  const swapFirst = changedBy(changedBy(plan, lost(swapId, 's')), lost(lastId, 'p'));
  const payoutFirst = changedBy(changedBy(plan, lost(lastId, 'p')), lost(swapId, 's'));
  assert.deepEqual({ ...swapFirst, ledger: [] }, { ...payoutFirst, ledger: [] });
  assert.deepEqual(standingMovements(swapFirst), standingMovements(payoutFirst));
  assert.equal(summary(swapFirst), 'ACTION_REQUIRED: DONE READY PENDING; INTEGRATOR TRANSACTION_LOST');
  assert.equal(payout(swapFirst).readyAtMs, undefined);
});

test('a payout that is taken back is due again only when its swap is confirmed', () => {
  const plan = planAfter([
    ...done,
    paidByTransaction(evidence('p', 'FINAL')),
    lost(swapId, 's'),
    executed(evidence('s', 'CONFIRMING', 1_495n, 'y'), 1),
    lost(lastId, 'p'),
  ]);
  assert.equal(summary(plan), 'IN_PROGRESS: DONE READY PENDING; CHAIN TRANSACTION_CONFIRMING');
  assert.equal(payoutOf(plan).due, '1495');
});

test('after its payout is taken back, a swap counts with the amount that it brought last', () => {
  const plan = planAfter([
    ...done,
    paidByTransaction(evidence('p', 'FINAL')),
    executed(evidence('s', 'FINAL', 1_495n, 'y'), 1),
    lost(lastId, 'p'),
  ]);
  assert.equal(summary(plan), 'ACTION_REQUIRED: DONE DONE READY; INTEGRATOR TRANSACTION_LOST');
  assert.equal(payoutOf(plan).due, '1495');
});

test('the transaction of a payout that is taken back is looked for before anybody pays again', () => {
  const plan = planAfter([...done, paidByTransaction(evidence('p', 'FINAL'), 'R1'), lost(lastId, 'p')]);
  assert.equal(summary(plan), 'ACTION_REQUIRED: DONE DONE READY; INTEGRATOR TRANSACTION_LOST');
  const { evidence: known, providerReference, verification } = payout(plan);
  assert.deepEqual(
    [known?.status, providerReference, payoutOf(plan).paidOut, verification],
    ['LOST', undefined, '0', undefined],
  );
  assert.equal(
    summary(changedBy(plan, paidByTransaction(evidence('p', 'FINAL')))),
    'COMPLETED: DONE DONE DONE; nothing',
  );
  const anew = changedBy(plan, paidByReference('R2'));
  assert.equal(
    summary(anew),
    'COMPLETED: DONE DONE DONE; CHAIN TRANSACTION_PENDING',
    'it would pay once more',
  );
  assert.equal(payout(anew).evidence, undefined);
  const failed = changedBy(changedBy(plan, payoutFailed('R1')), retried(lastId));
  assert.equal(summary(failed), 'ACTION_REQUIRED: DONE DONE READY; CUSTODIAN PAYOUT_DUE');
});

test('a payout that is on the chain is not paid twice when its swap is taken back', () => {
  const plan = planAfter([...done, paidByTransaction(evidence('p', 'CONFIRMING')), lost(swapId, 's')]);
  assert.equal(summary(plan), 'ACTION_REQUIRED: DONE READY PENDING; INTEGRATOR TRANSACTION_LOST');
  assert.equal(payout(plan).evidence?.status, 'CONFIRMING');
  const gone = changedBy(plan, lost(lastId, 'p'));
  assert.equal(payout(gone).status, 'PENDING');
  // The swap is executed anew and brings more; the payout was enough when it was made.
  const richer = changedBy(plan, executed(evidence('s', 'FINAL', 1_510n, 'y'), 1));
  assert.equal(summary(richer), 'IN_PROGRESS: DONE DONE READY; CHAIN TRANSACTION_CONFIRMING');
  const paid = changedBy(richer, paidByTransaction(evidence('p', 'FINAL')));
  assert.equal(summary(paid), 'COMPLETED: DONE DONE DONE; INTEGRATOR MONEY_UNEXPLAINED');
});

test('a plan whose payout is on the chain can neither be cancelled nor expire', () => {
  const plan = planAfter([
    ...done,
    paidByTransaction(evidence('p', 'CONFIRMING')),
    lost(swapId, 's'),
    depositGone(),
  ]);
  assert.deepEqual(refusalOf(plan, { type: 'PLAN_ENDED', force: false }), {
    reason: 'REASON_MISSING',
    detail: 'Money has been paid out: say in reason why the plan ends.',
  });
  const late = changedBy(plan, { type: 'TIME_PASSED' }, plan.expiresAtMs);
  assert.equal(summary(late), 'ACTION_REQUIRED: FAILED PENDING PENDING; INTEGRATOR STEP_FAILED');
});

test('a returned payout whose transaction is taken back stays DONE', () => {
  const plan = planAfter([
    ...done,
    paidByTransaction(evidence('p', 'FINAL')),
    payoutReturned('B1', 1_400n),
    lost(lastId, 'p'),
  ]);
  assert.equal(summary(plan), 'RETURNED: DONE DONE DONE; INTEGRATOR MONEY_RETURNED');
  assert.equal(payout(plan).evidence?.status, 'LOST');
});

test('a final transaction stays final until it is lost, even when it is seen confirming again', () => {
  const plan = planAfter([...done, paidByTransaction(evidence('p', 'FINAL'))]);
  for (const block of ['x', 'y']) {
    assertKnown(plan, executed(evidence('s', 'CONFIRMING', 1_500n, block), 1));
    assertKnown(plan, paidByTransaction(evidence('p', 'CONFIRMING', 1_500n, block)));
  }
  const moved = changedBy(plan, executed(evidence('s', 'FINAL', 1_500n, 'y'), 1));
  assert.equal(swapStep(moved).evidence?.blockHash, hashOf('y'));
});

test('a final swap in another block changes neither a failed payout nor its failure', () => {
  const plan = planAfter([...done, payoutFailed('R1'), executed(evidence('s', 'FINAL', 1_495n, 'y'), 1)]);
  assert.equal(summary(plan), 'ACTION_REQUIRED: DONE DONE FAILED; INTEGRATOR ACCOUNT_REFUSED');
  assert.deepEqual(payout(plan).failure, { code: 'ACCOUNT_CLOSED' });
});

test('a custodian’s reference is added once to the transaction of a payout', () => {
  const plan = planAfter([...done, paidByTransaction(evidence('p', 'FINAL'))]);
  const named = changedBy(plan, paidByTransaction(evidence('p', 'CONFIRMING'), 'R1'));
  assert.deepEqual([payout(named).providerReference, payout(named).evidence?.status], ['R1', 'FINAL']);
  assertKnown(named, paidByTransaction(evidence('p', 'FINAL'), 'R1'));
  assertKnown(named, paidByTransaction(evidence('p', 'FINAL'), 'R2'));
});

test('a collect link ends when its swap is taken back, and the next one has another version', () => {
  const plan = planAfter([...done, linkMade('FIRST', 1)], 'DIGITAL_COLLECT');
  const back = changedBy(plan, lost(swapId, 's'));
  const { link, readyAtMs, rounds } = collectStep(back)!;
  assert.deepEqual([link, readyAtMs, rounds], [undefined, undefined, [{ version: 1 }]]);
  assertKnown(back, linkOpened(1));
  assert.equal(refusalOf(back, submitted(1)).reason, 'STEP_NOT_READY');
  const again = changedBy(back, executed(evidence('s', 'FINAL'), 1));
  assert.deepEqual(owedLink(again), { version: 2, reason: 'FIRST' });
  assert.equal(collectStep(again)?.readyAtMs, again.updatedAtMs);
  assert.equal(refusalOf(again, linkMade('FIRST', 1)).reason, 'STEP_NOT_READY');
  assert.equal(collectStep(changedBy(again, linkMade('FIRST', 2)))?.link?.version, 2);
});

const chosen = [...done, linkMade('FIRST', 1), submitted(1)];

test('a choice survives a swap that is taken back, and delivery waits until the swap is found', () => {
  const plan = planAfter([...chosen, lost(swapId, 's')], 'DIGITAL_COLLECT');
  assert.equal(summary(plan), 'ACTION_REQUIRED: DONE DONE DONE; INTEGRATOR TRANSACTION_LOST');
  assert.equal(nextOf(plan, { nowMs: 0 })?.stepId, swapId);
  const found = changedBy(plan, executed(evidence('s', 'FINAL', 1_495n, 'y'), 1));
  assert.equal(summary(found), 'ACTION_REQUIRED: DONE DONE DONE; CUSTODIAN PAYOUT_DUE');
  assert.equal(payoutOf(found).due, '1495');
  const delivered = changedBy(found, deliveredBy(evidence('p', 'FINAL', 1_495n)));
  assert.equal(summary(delivered), 'COMPLETED: DONE DONE DONE; nothing');
});

test('a delivery that is taken back is SENT again, and keeps the lost transaction', () => {
  const plan = planAfter([...chosen, deliveredBy(evidence('p', 'FINAL'), 'R1')], 'DIGITAL_COLLECT');
  const back = changedBy(plan, lost(lastId, 'p'));
  assert.equal(summary(back), 'ACTION_REQUIRED: DONE DONE DONE; INTEGRATOR TRANSACTION_LOST');
  const { evidence: kept, ...rest } = collectStep(back)!.delivery!;
  assert.deepEqual([kept?.status, rest], ['LOST', { status: 'SENT' }]);
  assertKnown(back, lost(lastId, 'p'));
  const told = changedBy(back, delivery('SENT', 'R2'));
  assert.equal(collectStep(told)?.delivery?.evidence?.status, 'LOST');
  const other = changedBy(told, delivery('DELIVERED', 'R3'));
  assert.equal(collectStep(other)?.delivery?.evidence, undefined);
  const mined = changedBy(back, deliveredBy(evidence('p', 'CONFIRMING', 1_500n, 'y')));
  assert.equal(summary(mined), 'IN_PROGRESS: DONE DONE DONE; CHAIN TRANSACTION_CONFIRMING');
  assert.equal(summary(changedBy(mined, deliveredBy(evidence('p', 'FINAL', 1_500n, 'y')))), summary(plan));
});

test('a delivery and its swap that are taken back leave the same amount due in either order', () => {
  const plan = planAfter([...chosen, deliveredBy(evidence('p', 'FINAL'))], 'DIGITAL_COLLECT');
  const anew = executed(evidence('s', 'FINAL', 1_495n, 'y'), 1);
  const one = [lost(swapId, 's'), anew, lost(lastId, 'p')].reduce(
    (now, command) => changedBy(now, command),
    plan,
  );
  const two = [lost(lastId, 'p'), lost(swapId, 's'), anew].reduce(
    (now, command) => changedBy(now, command),
    plan,
  );
  assert.deepEqual(one.steps, two.steps);
  assert.equal(payoutOf(one).due, '1495');
});

test('a returned delivery stays returned when its transaction is taken back', () => {
  const plan = planAfter(
    [...chosen, deliveredBy(evidence('p', 'FINAL')), delivery('RETURNED', 'B1'), lost(lastId, 'p')],
    'DIGITAL_COLLECT',
  );
  assert.equal(summary(plan), 'RETURNED: DONE DONE DONE; INTEGRATOR MONEY_RETURNED');
  assert.equal(collectStep(plan)?.delivery?.evidence?.status, 'LOST');
  assert.equal(refusalOf(plan, delivery('SENT', 'R9')).reason, 'STEP_NOT_READY');
  const found = changedBy(plan, deliveredBy(evidence('q', 'FINAL')));
  assert.equal(collectStep(found)?.delivery?.status, 'RETURNED');
});

test('what was told of a deposit stays when the chain loses the transaction of the rest', () => {
  const plan = planAfter([reported(1_000n, [transfer('d', amountOf(600n))])]);
  const { blockHash } = transfer('d', amountOf(600n));
  const place = { chainId: 31337, txHash: hashOf('d'), blockHash, logIndex: 0 };
  const left = changedBy(plan, { ...lost(depositId, 'd'), gone: [place] } as PlanCommand);
  assert.equal(depositOf(left).received, '400');
  assert.equal(refusalOf(left, { type: 'PLAN_ENDED', force: false }).reason, 'REASON_MISSING');
});
