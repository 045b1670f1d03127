// Money that the custodian sent on to the deposit address is in one place: nothing is paid before it is known which.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  acknowledgementOf,
  assetsOf,
  commandsFromRecord,
  fundsOf,
  nextOf,
  payableNow,
  type Plan,
  type PlanCommand,
  planStatus,
  type RecordedTransfer,
  standingMovements,
} from '../src/index.ts';
import { after } from './paidPlans.ts';
import {
  closed,
  delivery,
  derived,
  evidence,
  executed,
  gone,
  hashOf,
  linkMade,
  paidAgain,
  paidByReference,
  payoutFailed,
  payoutReturned,
  recorded,
  recordedTransfer,
  refunded,
  replaced,
  sent,
  submitted,
} from './planCommands.ts';
import { corridor, newPlan, planRequest, STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, refusalOf } from './scenarios.ts';

const [depositId, , lastId] = STEP_IDS;
const { target } = assetsOf({ corridor });
const CUSTODIAN = { from: corridor.target.settlementAddress } as const;
const ADDRESS = `0x${'0c'.repeat(20)}` as const;
const { options } = planRequest();
/** A plan whose deposit address is watched. */
const watched = () => newPlan({ options: { ...options, depositAddress: ADDRESS } });
const QUESTION = /came to the deposit address, and may be the very money/;

/** What came to the deposit address in the transaction of this letter, in the payout token, two blocks after the swap. */
function sentOn(letter: string, units: bigint, changes: Partial<RecordedTransfer> = {}): RecordedTransfer {
  const place = { token: corridor.target.token, to: ADDRESS, blockNumber: 9, blockHash: hashOf('z') };
  return recordedTransfer(letter, units, { ...place, ...changes });
}

function seen(moved: RecordedTransfer): PlanCommand {
  return recorded([moved], 20);
}

/** The answer that a transfer is the plan's money: a refund in this transaction. */
function isPlans(moved: RecordedTransfer, providerReference?: string): PlanCommand {
  const { amount, token: _token, ...transfer } = moved;
  const { providerReference: _none, ...told } = refunded('', BigInt(amount), target) as PlanCommand & {
    providerReference?: string;
  };
  const named = providerReference === undefined ? {} : { providerReference };
  return { ...told, ...named, transfer } as PlanCommand;
}

/** The answer that a transfer is other money: a deposit. */
function isOther(moved: RecordedTransfer): PlanCommand {
  const { token: _token, to: _to, ...transfer } = moved;
  const told = { amount: moved.amount, verification: 'VERIFIED', transfers: [transfer] } as const;
  return { type: 'DEPOSIT_REPORTED', stepId: depositId, ...told };
}

/** The payout token of a plan, as one line. */
function booksOf(plan: Plan): string {
  const { received, returned, refunded: away, outstanding, unallocated } = fundsOf(plan).at(-1)!;
  const rest = unallocated.map(({ direction, reason, amount }) => `, ${direction} ${reason} ${amount}`);
  const { paidOut } = fundsOf(plan).at(-1)!;
  return `received ${received}, paid ${paidOut}, back ${returned}, refunded ${away}, outstanding ${outstanding}${rest.join('')}`;
}

const whatNext = (plan: Plan) => nextOf(plan, { nowMs: plan.updatedAtMs });

/** Asserts that nothing is to be paid before it is known what came. */
function assertAsked(plan: Plan): void {
  const { why, detail } = whatNext(plan) ?? {};
  assert.equal(payableNow(plan), '0');
  assert.equal(why, 'DEPOSIT_UNCLEAR');
  assert.match(detail ?? '', QUESTION);
  assert.doesNotMatch(detail ?? '', /has no use for/);
}

/** Asserts that a plan whose money came back is not paid again before it is known what came. */
function assertNotAgain(plan: Plan): void {
  assertAsked(plan);
  for (const again of [paidAgain(), replaced('a')]) {
    const refusal = refusalOf(plan, again) as { reason: string; detail?: string };
    assert.equal(refusal.reason, 'STEP_NOT_READY');
    assert.match(refusal.detail ?? '', QUESTION);
  }
}

/** A plan that is due to pay 1,500 after these commands. */
function due(commands: readonly PlanCommand[] = []): Plan {
  const paidIn = recorded([recordedTransfer('d', 1_000n)]);
  return [paidIn, derived(), executed(evidence('s', 'FINAL'), 1), ...commands].reduce(after, watched());
}

/** A plan that paid 1,500 and got 300 of them back. */
function returned(): Plan {
  return due([paidByReference('P1'), payoutReturned('B1', 300n)]);
}

test('what came back and may have been sent on is not paid again before it is known', () => {
  const moved = sentOn('b', 300n);
  const first = after(returned(), seen(moved));
  const later = due([paidByReference('P1'), seen(moved), payoutReturned('B1', 300n)]);
  for (const plan of [first, later]) {
    assertNotAgain(plan);
    const gave = after(plan, isPlans(moved));
    assert.equal(booksOf(gave), 'received 0, paid 1500, back 300, refunded 300, outstanding 0');
    assert.deepEqual([payableNow(gave), whatNext(gave)?.why], ['0', 'NOTHING_LEFT']);
    assertKnown(gave, isPlans(moved));
    const kept = after(plan, isOther(moved));
    assertKnown(kept, isOther(moved));
    assert.equal(
      booksOf(kept),
      'received 300, paid 1500, back 300, refunded 0, outstanding 300, IN OTHER_TOKEN 300',
    );
    assert.equal(whatNext(kept)?.why, 'MONEY_RETURNED');
    assert.equal(booksOf(after(kept, isPlans(moved))), booksOf(gave), 'a mistaken answer is mended');
    assert.equal(payableNow(after(kept, paidAgain())), '300');
    assert.equal(planStatus(after(plan, closed())), 'ENDED', 'it can end without an answer');
  }
});

test('a part that may have been sent on leaves the rest to be paid', () => {
  const moved = sentOn('b', 100n);
  const plan = after(returned(), seen(moved));
  assertNotAgain(plan);
  assert.equal(payableNow(after(after(plan, isPlans(moved)), paidAgain())), '200');
  assert.equal(payableNow(after(after(plan, isOther(moved)), paidAgain())), '300');
});

test('money that comes when the payment is due again is asked about, too', () => {
  const moved = sentOn('b', 300n);
  const again = after(returned(), paidAgain());
  assert.equal(payableNow(again), '300');
  const plan = after(again, seen(moved));
  assertAsked(plan);
  assert.equal(payableNow(after(plan, isOther(moved))), '300');
  const gave = after(plan, isPlans(moved));
  assert.deepEqual([payableNow(gave), whatNext(gave)?.why], ['0', 'NOTHING_LEFT']);
  const place = { chainId: 31337, txHash: hashOf('b'), logIndex: 0, blockHash: hashOf('z') };
  const view = { readNumber: 20, deposits: [], executions: [], gone: [place] };
  const without = commandsFromRecord(gave, view, gave.updatedAtMs).reduce(after, gave);
  assert.equal(payableNow(without), '0', 'a reorganisation took the refund back: it may be mined again');
  assert.equal(payableNow(changedBy(without, { type: 'TIME_PASSED' })), '300');
  assert.equal(
    whatNext(after(plan, paidByReference('P2')))?.why,
    'MONEY_UNEXPLAINED',
    'what was paid is recorded',
  );
});

test('what came is asked about also while another transaction may still swap', () => {
  const again = after(returned(), paidAgain());
  const pending = after(again, sent('f', 0, { sender: ADDRESS, nonce: 7 }));
  assert.equal(payableNow(pending), '300');
  assertAsked(after(pending, seen(sentOn('b', 300n))));
});

test('dust is not asked about: anybody can send it', () => {
  const [dust, more] = [sentOn('b', 1n), sentOn('b', 2n)];
  const plan = due([paidByReference('P1'), payoutReturned('B1', 1_500n)]);
  assert.equal(payableNow(after(after(plan, seen(dust)), paidAgain())), '1500');
  assertNotAgain(after(plan, seen(more)));
});

test('a reorganisation that takes the transfer back has the money paid again', () => {
  const moved = sentOn('b', 300n);
  const plan = after(returned(), seen(moved));
  const without = after(plan, gone(plan, depositId, 'b'));
  assert.equal(payableNow(after(without, paidAgain())), '300');
  const gave = after(plan, isPlans(moved));
  const place = { chainId: 31337, txHash: hashOf('b'), logIndex: 0, blockHash: hashOf('z') };
  const view = { readNumber: 20, deposits: [], executions: [], gone: [place] };
  const back = commandsFromRecord(gave, view, gave.updatedAtMs).reduce(after, gave);
  const over = changedBy(back, { type: 'TIME_PASSED' });
  assert.equal(payableNow(after(over, paidAgain())), '300');
  const anew = after(back, seen(sentOn('b', 300n, { blockNumber: 11, blockHash: hashOf('y') })));
  assert.equal(whatNext(anew)?.why, 'REFUND_LOST');
  assert.match(whatNext(anew)?.detail ?? '', QUESTION);
  assertNotAgain(changedBy(anew, { type: 'TIME_PASSED' }));
});

test('what was said of a transaction holds in another block, too', () => {
  const moved = sentOn('b', 300n);
  const kept = after(after(returned(), seen(moved)), isOther(moved));
  const without = after(kept, gone(kept, depositId, 'b'));
  const anew = after(without, seen(sentOn('b', 300n, { blockNumber: 11, blockHash: hashOf('y') })));
  assert.equal(payableNow(after(anew, paidAgain())), '300');
});

test('what the custodian sends on before any payment is asked about, what others send is not', () => {
  const fromCustodian = sentOn('b', 1_500n, CUSTODIAN);
  const plan = after(due(), seen(fromCustodian));
  assertAsked(plan);
  assert.equal(whatNext(after(plan, isPlans(fromCustodian)))?.why, 'NOTHING_LEFT');
  assert.equal(payableNow(after(plan, isOther(fromCustodian))), '1500');
  assert.equal(payableNow(after(due(), seen(sentOn('b', 1_500n)))), '1500');
  assertAsked(after(due([payoutFailed('F1')]), seen(sentOn('b', 1_500n))));
  const early = sentOn('b', 1_500n, { ...CUSTODIAN, blockNumber: 6 });
  assert.equal(payableNow(after(due(), seen(early))), '1500', 'before the swap there was nothing to send on');
  const ofSwap = sentOn('s', 2n, { ...CUSTODIAN, blockNumber: 7, logIndex: 4 });
  assert.equal(payableNow(after(due(), seen(ofSwap))), '1500', 'what the swap gave to the wallet itself');
});

test('what a second execution brought and the custodian sent on counts once', () => {
  const moved = sentOn('b', 1_495n, CUSTODIAN);
  const plan = [executed(evidence('t', 'FINAL', 1_495n)), seen(moved)].reduce(after, due());
  assertAsked(plan);
  const gave = after(plan, isPlans(moved));
  assert.equal(payableNow(gave), '1500');
  assert.equal(booksOf(gave), 'received 0, paid 0, back 0, refunded 1495, outstanding 1500');
});

test('after the end of a plan the two are not both to be refunded', () => {
  const moved = sentOn('b', 300n);
  const paid = due([paidByReference('P1')]);
  const over = after(paid, closed());
  const plan = [payoutReturned('B1', 300n), seen(moved)].reduce(after, over);
  assertNotAgain(plan);
  const unpaid = due();
  const ended = after(after(unpaid, closed()), seen(moved));
  assertAsked(ended);
  const gave = after(ended, isPlans(moved));
  assert.match(booksOf(gave), /received 0, .* refunded 300, outstanding 0, IN LEFT_AT_CLOSE 1200/);
  assert.deepEqual(acknowledgementOf(gave), []);
});

test('a refund without a transaction is the transfer that is seen, once it is said so', () => {
  const moved = sentOn('b', 300n);
  const told = refunded('R1', 300n, target);
  const asked = after(returned(), seen(moved));
  assert.match(JSON.stringify(refusalOf(asked, told)), QUESTION);
  const plan = after(after(returned(), told), seen(moved));
  assertAsked(plan);
  const traced = after(plan, isPlans(moved, 'R1'));
  assert.equal(booksOf(traced), 'received 0, paid 1500, back 300, refunded 300, outstanding 0');
  for (const again of [told, isPlans(moved), isPlans(moved, 'R1')]) assertKnown(traced, again);
  assert.deepEqual(
    standingMovements(traced)
      .filter(({ kind }) => kind === 'REFUND')
      .map(({ side, transfer, providerReference }) => [side, transfer?.txHash, providerReference]),
    [['TARGET', moved.txHash, 'R1']],
  );
  const other = after(plan, isOther(moved));
  assert.equal(whatNext(other)?.why, 'MONEY_UNEXPLAINED');
  assert.match(whatNext(other)?.detail ?? '', /has no use for 300/);
  assert.equal(
    booksOf(after(after(returned(), told), isPlans(moved, 'R1'))),
    'received 0, paid 1500, back 300, refunded 300, outstanding 0',
    'also before it is seen',
  );
});

test('where one token is paid in and out, only what came after the swap is asked about', () => {
  const transferOnly = { ...corridor, target: { ...corridor.target, token: corridor.source.token } };
  const paidIn = recorded([recordedTransfer('d', 1_400n)]);
  const commands = [paidIn, derived(), executed(evidence('s', 'FINAL', 1_000n), 1), paidByReference('P1')];
  const paid = commands.reduce(after, { ...watched(), corridor: transferOnly });
  const plan = after(paid, payoutReturned('B1', 300n));
  assert.equal(payableNow(after(plan, paidAgain())), '300', 'the 400 above the amount are the payer’s');
  const moved = sentOn('b', 300n, { token: corridor.source.token });
  const asked = after(plan, seen(moved));
  assertNotAgain(asked);
  const { source } = assetsOf({ corridor });
  const gave = after(asked, {
    ...isPlans(moved),
    money: { amount: moved.amount, asset: source },
  } as PlanCommand);
  assert.equal(
    booksOf(gave),
    'received 1400, paid 1000, back 300, refunded 300, outstanding 0, IN ABOVE_AMOUNT 400',
  );
  const kept = after(asked, isOther(moved));
  assert.equal(payableNow(after(kept, paidAgain())), '300');
});

test('a delivery that came back is asked for again only when it is known where the money is', () => {
  const moved = sentOn('b', 300n);
  const collect = [derived(), executed(evidence('s', 'FINAL'), 1), linkMade('FIRST', 1), submitted(1)];
  const delivered = [
    recorded([recordedTransfer('d', 1_000n)]),
    ...collect,
    delivery('DELIVERED', 'P1'),
  ].reduce(after, newPlan({ mode: 'DIGITAL_COLLECT' }));
  const back = { ...delivery('RETURNED', 'B1'), amount: moved.amount } as PlanCommand;
  const reissued = { ...linkMade('REISSUED', 2), endToEndId: 'FW-again' } as PlanCommand;
  for (const commands of [
    [back, seen(moved)],
    [seen(moved), back],
  ]) {
    const plan = commands.reduce(after, delivered);
    assertAsked(plan);
    assert.match(JSON.stringify(refusalOf(plan, reissued)), QUESTION);
    assert.equal(whatNext(after(plan, isPlans(moved)))?.why, 'NOTHING_LEFT');
    const again = [isOther(moved), reissued, submitted(2)].reduce(after, plan);
    assert.equal(payableNow(again), '300');
  }
  const asked = [back, reissued, seen(moved)].reduce(after, delivered);
  assert.match(whatNext(asked)?.detail ?? '', /Besides, .* may be the very money/);
  const chosen = after(asked, submitted(2));
  assertAsked(chosen);
  assert.equal(payableNow(after(chosen, isOther(moved))), '300');
  assert.equal(standingMovements(chosen).filter(({ stepId }) => stepId === lastId).length, 2);
});
