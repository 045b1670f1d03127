// When money may go back to the payer, and of what it is then taken.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountToPayOf,
  assetsOf,
  decide,
  commandsFromRecord,
  fundsOf,
  type Plan,
  type PlanCommand,
  standingMovements,
} from '../src/index.ts';
import { after, due } from './paidPlans.ts';
import {
  closed,
  derived,
  evidence,
  executed,
  gone,
  hashOf,
  paidAgain,
  paidByReference,
  payoutReturned,
  recorded,
  recordedTransfer,
  refunded,
} from './planCommands.ts';
import { corridor, newPlan, STEP_IDS } from './plans.ts';
import { assertKnown, refusalOf } from './scenarios.ts';

const [, , lastId] = STEP_IDS;
const { target } = assetsOf({ corridor });
const SECOND = executed(evidence('t', 'FINAL', 1_495n), 0);

/** This much of the payout token went back in the transaction of this letter. */
function sentBack(letter: string, units: bigint, block = 'x'): PlanCommand {
  const place = { chainId: corridor.target.chainId, txHash: hashOf(letter), logIndex: 0 };
  const transfer = { ...place, blockNumber: 7, blockHash: hashOf(block) };
  return { ...refunded(letter, units, target), transfer } as PlanCommand;
}

/** What is to be paid out, and what a second execution brought that nobody gave back. */
function split(plan: Plan): readonly [string, string | undefined] {
  const unallocated = fundsOf(plan).at(-1)?.unallocated ?? [];
  return [amountToPayOf(plan), unallocated.find(({ reason }) => reason === 'SECOND_EXECUTION')?.amount];
}

test('what a swap brought goes back only when the swap is final', () => {
  const deposited = after(newPlan(), recorded([recordedTransfer('d', 1_000n)]));
  const plan = after(deposited, executed(evidence('s', 'CONFIRMING')));
  const refund = refunded('B1', 100n, target);
  const { detail } = refusalOf(plan, refund) as { detail?: string };
  assert.equal(detail, 'The swap is not final; record the refund when it is.');
  const final = after(plan, executed(evidence('s', 'FINAL')));
  assert.equal(amountToPayOf(after(final, refund)), '1400');
});

test('nothing is to be paid out while so much went back that nothing can be swapped', () => {
  const deposited = after(newPlan(), recorded([recordedTransfer('d', 1_000n)]));
  assert.notEqual(amountToPayOf(deposited), '0', 'an estimate');
  assert.equal(amountToPayOf(after(deposited, refunded('B1', 1_000n))), '0');
  const part = after(deposited, refunded('B1', 1n));
  assert.equal(amountToPayOf(part), '0');
  const whole = after(part, recorded([recordedTransfer('e', 1n)]));
  assert.equal(amountToPayOf(whole), amountToPayOf(deposited), 'the swap can be executed again');
});

test('a refund before a second execution stays before it when it is mined again', () => {
  const plan = due([sentBack('b', 400n), SECOND, sentBack('c', 300n)]);
  assert.deepEqual(split(plan), ['1100', '1195']);
  const again = after(after(plan, gone(plan, lastId, 'b')), sentBack('b', 400n, 'y'));
  assert.deepEqual(split(again), ['1100', '1195']);
});

for (const [reason, toPay, left] of [
  ['SETTLED_ELSEWHERE', '100', '1495'],
  ['REFUNDED', '1500', '95'],
] as const)
  test(`a refund after ${reason} gives back what came back${reason === 'REFUNDED' ? ' last' : ''}`, () => {
    const paid = due([paidByReference('P1'), SECOND, closed({ reason })]);
    const back = after(paid, payoutReturned('B1', 1_500n));
    const plan = after(after(back, refunded('R1', 1_400n, target)), paidAgain());
    assert.equal(amountToPayOf(plan), toPay);
    const kept = fundsOf(plan)
      .at(-1)
      ?.unallocated.map(({ amount, acknowledged }) => [amount, acknowledged]);
    assert.deepEqual(kept, [[left, true]]);
  });

test('a refund after SETTLED_ELSEWHERE first gives back what came since', () => {
  const paid = due([paidByReference('P1'), SECOND, closed({ reason: 'SETTLED_ELSEWHERE' })]);
  const third = after(paid, executed(evidence('u', 'FINAL', 300n), 0));
  const one = after(third, refunded('R1', 300n, target));
  assert.equal(split(one)[1], '1495', 'what was acknowledged is left');
  const forced = after(one, { ...refunded('R2', 200n, target), force: true } as PlanCommand);
  assert.deepEqual(
    fundsOf(forced)
      .at(-1)
      ?.unallocated.map(({ amount, acknowledged }) => [amount, acknowledged]),
    [['1295', true]],
  );
});

test('a second execution comes after a refund although its transaction deposited before it', () => {
  const paid = recorded([recordedTransfer('t', 5n)]);
  const plan = due([paid, refunded('B1', 400n, target), SECOND]);
  assert.deepEqual(split(plan), ['1100', '1495']);
});

test('of executions after the end, the first on the chain gives what was refunded', () => {
  const executedIn = (letter: string, blockNumber: number): PlanCommand => {
    const proof = evidence(letter, 'FINAL', 1_000n);
    const transfers = proof.transfers.map((moved) => ({ ...moved, blockNumber }));
    return executed({ ...proof, blockNumber, transfers });
  };
  const ready = [recorded([recordedTransfer('d', 1_000n)]), derived()].reduce(after, newPlan());
  const refund = refunded('B1', 2_000n, target);
  const ended = [executedIn('a', 5), executedIn('b', 6), refund].reduce(after, after(ready, closed()));
  const reorganised = ['a', 'b'].reduce(
    (plan, letter) => after(plan, gone(plan, STEP_IDS[1], letter)),
    ended,
  );
  // A third one is recorded before the first one is recorded again, in an earlier block.
  const plan = [executedIn('c', 6), executedIn('a', 4)].reduce(after, reorganised);
  const unallocated = fundsOf(plan).at(-1)?.unallocated ?? [];
  assert.deepEqual(
    unallocated.map(({ amount, direction }) => `${amount} ${direction}`),
    ['1000 IN', '1000 OUT'],
  );
});

const { source } = assetsOf({ corridor });

/** A plan that only sends 1,000 on: the custodian has those, and the deposit address has 50 more. */
function sentOn(): Plan {
  const made = newPlan();
  const transferOnly = { ...corridor, target: { ...corridor.target, token: corridor.source.token } };
  const paidIn = recorded([recordedTransfer('d', 1_050n)]);
  const sent = executed(evidence('s', 'FINAL', 1_000n));
  return [paidIn, sent].reduce(after, { ...made, corridor: transferOnly });
}

/** The transfer of this letter brought this much of the deposit's token back. */
function backIn(letter: string, units: bigint, block = 'x'): PlanCommand {
  return { ...sentBack(letter, units, block), ...refunded(letter, units, source) } as PlanCommand;
}

/** The refunds of a plan that stand, as texts. */
function refundsOf(plan: Plan): readonly string[] {
  return standingMovements(plan)
    .filter(({ kind }) => kind === 'REFUND')
    .map(({ side, actual }) => `${side} ${actual}`);
}

test('one transfer gives back what is left over of the deposit and what is to be paid out', () => {
  const plan = sentOn();
  assert.equal(refusalOf(plan, backIn('b', 1_051n)).reason, 'EVIDENCE_MISMATCH', 'more than there is');
  const refund = backIn('b', 1_050n);
  const all = after(plan, refund);
  assert.deepEqual(refundsOf(all), ['SOURCE 50', 'TARGET 1000']);
  assert.equal(amountToPayOf(all), '0');
  assertKnown(all, refund);
  const known = refusalOf(all, backIn('b', 50n)) as { detail?: string };
  assert.match(
    known.detail ?? '',
    /recorded already, with 1050 units of 0x\w+ on chain \d+, not 50 units of/,
  );
  const part = after(plan, backIn('b', 1_020n));
  assert.deepEqual([refundsOf(part), amountToPayOf(part)], [['SOURCE 50', 'TARGET 970'], '30']);
});

test('a reorganisation takes back both parts of a refund', () => {
  const all = after(sentOn(), backIn('b', 1_050n));
  const place = { chainId: 31337, txHash: hashOf('b'), logIndex: 0, blockHash: hashOf('x') };
  const deposits = [recordedTransfer('d', 1_050n)];
  const view = { readNumber: 8, deposits, executions: [], gone: [place] };
  const back = commandsFromRecord(all, view, all.updatedAtMs).reduce(after, all);
  assert.deepEqual([refundsOf(back), amountToPayOf(back)], [[], '1000']);
  assert.deepEqual(refundsOf(after(back, backIn('b', 1_050n, 'y'))), ['SOURCE 50', 'TARGET 1000']);
});

test('what the custodian sent to the deposit address is no deposit once it is told as a refund', () => {
  const deposit = recordedTransfer('d', 1_000n);
  const swapped = after(after(newPlan(), recorded([deposit])), executed(evidence('s', 'FINAL')));
  const back = recordedTransfer('b', 400n, { token: corridor.target.token });
  const told: PlanCommand = { ...refunded('r', 400n, target), ...{ transfer: back } };
  const seen = after(swapped, recorded([back]));
  const fundsIn = (plan: Plan) => {
    const { received, refunded: away, outstanding, unallocated } = fundsOf(plan).at(-1) ?? {};
    return [received, away, outstanding, unallocated?.map(({ reason }) => reason)];
  };
  assert.deepEqual(fundsIn(seen), ['400', '0', '1500', ['OTHER_TOKEN']]);
  const sent = after(seen, told);
  assert.deepEqual(fundsIn(sent), ['0', '400', '1100', []]);
  assert.deepEqual(fundsIn(after(swapped, told)), fundsIn(sent), 'also where it was told before it was seen');
  assertKnown(sent, told);
  const view = { readNumber: 8, deposits: [deposit, back], executions: [], gone: [] };
  assert.deepEqual(commandsFromRecord(sent, view, 1), []);
});

test('what is a deposit of the plan came back to the payer and not to the custodian', () => {
  const late = recordedTransfer('b', 400n);
  const plan = after(due([paidByReference('P1')]), recorded([late]));
  const decision = decide(plan, payoutReturned(late.txHash), plan.updatedAtMs);
  assert.match(JSON.stringify(decision), /brought the money to the deposit address/);
  assert.equal(decide(plan, payoutReturned('R1'), plan.updatedAtMs).ok, true);
});

const CUSTODIAN = corridor.target.settlementAddress;

test('what the custodian sends back is of what the swap brought, whatever else is there', () => {
  const stray = recordedTransfer('b', 400n, { token: corridor.target.token });
  const plan = after(due(), recorded([stray]));
  const refund = {
    ...refunded('r', 400n, target),
    transfer: { ...recordedTransfer('r', 400n), from: CUSTODIAN },
  };
  assert.equal(amountToPayOf(after(plan, refund as PlanCommand)), '1100');
  const payers = { ...refund, transfer: recordedTransfer('r', 400n) } as PlanCommand;
  assert.equal(amountToPayOf(after(plan, payers)), '1500', 'somebody else sent it: the stray went back');
});

test('a deposit that a late record brought before the swap can be the refund that it is', () => {
  const [first, back] = [recordedTransfer('d', 1_000n), recordedTransfer('b', 400n, { logIndex: 2 })];
  const plan = after(after(newPlan(), recorded([first, back])), executed(evidence('s', 'FINAL')));
  const sent = { ...refunded('r', 400n, target), transfer: back } as PlanCommand;
  const asSource = { ...refunded('r', 400n), transfer: back } as PlanCommand;
  assert.match(
    JSON.stringify(refusalOf(plan, asSource)),
    /does not have 400/,
    'all of the source was swapped',
  );
  assert.equal(fundsOf(after(plan, sent)).find(({ refunded: units }) => units === '400')?.received, '0');
  const needed = { ...refunded('r', 1_000n), transfer: first } as PlanCommand;
  assert.match(JSON.stringify(refusalOf(plan, needed)), /is a deposit that the plan needs/);
});

test('a refund after SETTLED_ELSEWHERE needs force, also once it was seen at the deposit address', () => {
  const plan = due();
  const settled = after(plan, { ...closed(), reason: 'SETTLED_ELSEWHERE' } as PlanCommand);
  const back = recordedTransfer('b', 400n, { token: corridor.target.token });
  const refund = { ...refunded('r', 400n, target), transfer: back } as PlanCommand;
  for (const each of [settled, after(settled, recorded([back]))]) {
    const decision = decide(each, refund, each.updatedAtMs);
    assert.equal(!decision.ok && decision.refusal.reason, 'STEP_NOT_READY');
  }
});

test('a refund keeps the names of its first report, and another name for it is refused', () => {
  const named = (command: PlanCommand, providerReference: string) =>
    ({ ...command, providerReference }) as PlanCommand;
  const alone = ({
    providerReference: _reference,
    ...command
  }: PlanCommand & { providerReference?: string }) => command as PlanCommand;
  const inTransaction = alone(sentBack('b', 400n));
  const byHash = due([inTransaction]);
  assertKnown(byHash, inTransaction);
  const byReference = due([refunded('R1', 400n, target)]);
  const both = due([named(inTransaction, 'R1')]);
  for (const told of [inTransaction, refunded('R1', 400n, target), named(inTransaction, 'R1')])
    assertKnown(both, told);
  for (const [plan, told, detail] of [
    [
      byHash,
      named(inTransaction, 'R1'),
      /without a providerReference, and keeps .* Leave providerReference out/,
    ],
    [byReference, named(inTransaction, 'R1'), /recorded as R1, without a transaction, .* Leave txHash out/],
    [both, named(inTransaction, 'R2'), /with the providerReference R1, .* send the recorded one/],
    [both, named(sentBack('c', 400n), 'R1'), /recorded in the transaction 0x.* its own providerReference/],
  ] as const) {
    const refusal = refusalOf(plan, told);
    assert.equal(refusal.reason, 'EVIDENCE_MISMATCH');
    assert.match('detail' in refusal ? refusal.detail : '', detail);
  }
});

test('what came back in a transaction came back once, in whatever letters its hash is told', () => {
  const hash = `0x${'ab'.repeat(32)}`;
  const plan = due([paidByReference('P1'), payoutReturned(hash, 100n)]);
  for (const same of [
    hash.toUpperCase().replace('0X', '0x'),
    hash.replace('0x', '0X'),
    hash.slice(2),
    ` ${hash}`,
  ])
    assertKnown(plan, payoutReturned(same, 100n));
  assert.equal(refusalOf(plan, payoutReturned(hash.slice(2), 90n)).reason, 'EVIDENCE_MISMATCH');
});
