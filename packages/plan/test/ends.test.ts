// Every plan can end. In each state that abstracted amounts and commands lead to, some permitted action ends the plan.
// This holds after dust, refunds, payouts that fail or come back, and transactions that are lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  acknowledgementOf,
  amountOf,
  collectStep,
  type Corridor,
  createPlan,
  decide,
  depositOf,
  depositStep,
  endToEndIdOf,
  commandsFromRecord,
  executableAttempt,
  fundsOf,
  isCancelable,
  isOver,
  type Mode,
  nextLinkVersion,
  nextOf,
  type Plan,
  type PlanCommand,
  planStatus,
  type RecordedTransfer,
  swapStep,
  payoutOf,
} from '../src/index.ts';
import { RESEND_AFTER_MS } from '../src/collect/rules.ts';
import { assertDecision, assertPlan } from './invariants.ts';
import {
  allRefunded,
  closed,
  LINK_EXPIRED,
  delivery,
  derived,
  evidence,
  executed,
  gone,
  hashOf,
  linkMade,
  paidAgain,
  paidByReference,
  paidByTransaction,
  paidInPart,
  payoutFailed,
  payoutReturned,
  recorded,
  recordedTransfer,
  refunded,
  replaced,
  retried,
  submitted,
  swapFailed,
} from './planCommands.ts';
import { corridor, LIFE_MS, newPlan, planMaking, planRequest, STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, refusalOf, summary, planAfter } from './scenarios.ts';

const [depositId, swapId, lastId] = STEP_IDS;
const DUST = 5n;
const DUSTY: Corridor = { ...corridor, dustBelow: amountOf(10n) };
const CANCEL: PlanCommand = { type: 'PLAN_ENDED', force: false };
const TIME: PlanCommand = { type: 'TIME_PASSED' };
const { target } = corridor;
const TARGET = { chainId: target.chainId, address: target.token };

/** A plan of 1,000 for which less than 10 is dust. */
function dustyPlan(mode: Mode = 'STANDARD'): Plan {
  const recipient = mode === 'STANDARD' ? planRequest().recipient : newPlan({ mode }).recipient;
  const created = createPlan(DUSTY, planRequest({ mode, recipient }), planMaking());
  assert.ok(created.ok);
  return created.plan;
}

/** The plan after these commands, each of which has to change it. */
function after(plan: Plan, commands: readonly PlanCommand[]): Plan {
  return commands.reduce((before, command) => {
    const next = changedBy(before, command);
    assertPlan(next);
    return next;
  }, plan);
}

/** A transfer of this much to the deposit address. */
function deposit(letter: string, units: bigint): PlanCommand {
  return recorded([recordedTransfer(letter, units)]);
}

const SWAPPED = [deposit('d', 1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
const PAID = [...SWAPPED, paidByReference('R1')];

/** What can happen to a plan, with amounts of no, some, all and too much money. */
function happenings(plan: Plan): Record<string, PlanCommand> {
  const swap = swapStep(plan);
  const step = collectStep(plan);
  const version = step === undefined ? 1 : nextLinkVersion(step);
  const endsAtMs = plan.updatedAtMs + plan.options.collectLifeMs;
  const link = (reason: 'FIRST' | 'REISSUED' | 'REOPENED') => linkMade(reason, version, endsAtMs);
  const collecting: Record<string, PlanCommand> = {
    'first link': link('FIRST'),
    'link reissued': { ...link('REISSUED'), endToEndId: 'FW-again' } as PlanCommand,
    'link reopened': link('REOPENED'),
    choose: submitted(version - 1),
    sent: delivery('SENT', `R${version}`),
    delivered: delivery('DELIVERED', `R${version}`),
    'delivery failed': delivery('FAILED', `R${version}`),
    'delivery returned': delivery('RETURNED', `B${version}`),
  };
  const paying: Record<string, PlanCommand> = {
    paid: paidByReference(`R${plan.revision}`),
    'payment confirming': paidByTransaction(evidence('p', 'CONFIRMING')),
    'payment final': paidByTransaction(evidence('p', 'FINAL')),
    'payment of a part': paidInPart(evidence('q', 'FINAL', 1_000n)),
    'payment gone': gone(plan, lastId, 'p'),
    'payout failed': payoutFailed(`F${plan.revision}`),
    'payout returned': payoutReturned(`B${plan.revision}`),
    'pay again': paidAgain(),
    'replace recipient': replaced('a'),
  };
  return {
    dust: deposit('e', DUST),
    'a part': deposit('d', 400n),
    'the whole': deposit('f', 1_000n),
    'too much': deposit('g', 1_300n),
    'deposit gone': gone(plan, depositId, 'f'),
    derive: derived('bb', 'SERVICE'),
    'swap confirming': executed(evidence('s', 'CONFIRMING'), Math.max(0, swap.attempts.length - 1)),
    'swap final': executed(evidence('s', 'FINAL'), Math.max(0, swap.attempts.length - 1)),
    'second execution': executed(evidence('t', 'FINAL')),
    'swap gone': gone(plan, swapId, 's'),
    'swap failed': swapFailed(),
    'retry deposit': retried(depositId),
    'retry swap': retried(swapId),
    'retry last': retried(lastId),
    'refund what is left': allRefunded(plan, 'refund'),
    'refund a part': refunded('part', 100n),
    'time passes': TIME,
    ...(plan.mode === 'STANDARD' ? paying : collecting),
  };
}

/** What decides what can happen next: statuses, next action, and whether there is money and of which kind. */
function abstracted(plan: Plan): string {
  const step = plan.steps.at(-1);
  const last = step?.type === 'SEND_DIGITAL_COLLECT' || step?.type === 'CUSTODIAN_PAYOUT' ? step : undefined;
  const collect = collectStep(plan);
  const { received, transfers } = depositOf(plan);
  const { evidence: proof, attempts } = swapStep(plan);
  const left = acknowledgementOf(plan);
  return JSON.stringify([
    summary(plan),
    [isCancelable(plan), received === '0', transfers.length > 1],
    [proof?.status, attempts.findLast(({ outcome }) => outcome !== 'SUPERSEDED')?.outcome],
    last?.type === 'CUSTODIAN_PAYOUT' && [last.evidence?.status, last.attempts.at(-1)?.outcome],
    [collect?.link?.state, collect?.delivery?.status, last?.payout !== undefined],
    [left.map(({ direction, asset }) => [direction, asset]), plan.returns.length > 0],
  ]);
}

/** The ways to end a plan, without any transaction that has still to happen. */
const EXITS: readonly PlanCommand[] = [CANCEL, closed(), closed({ force: true })];

const LONGEST_WAY = 7;

for (const mode of ['STANDARD', 'DIGITAL_COLLECT'] as const) {
  test(`from every state of a ${mode} plan some permitted action ends it`, () => {
    const fresh = dustyPlan(mode);
    const found = new Map([[abstracted(fresh), { plan: fresh, way: [] as readonly string[] }]]);
    const seen = new Set<string>();
    for (const { plan, way } of found.values()) {
      if (plan.ended !== undefined) seen.add(plan.ended.reason);
      seen.add(planStatus(plan)).add(nextOf(plan, { nowMs: plan.updatedAtMs })?.why ?? 'NOTHING');
      try {
        assertEnds(plan);
        assertPlan(plan);
        for (const [name, command] of Object.entries(happenings(plan))) {
          const atMs = plan.updatedAtMs + (name === 'time passes' ? 10 * LIFE_MS : RESEND_AFTER_MS);
          const decision = decide(plan, command, atMs);
          assertDecision(plan, command, atMs, decision);
          if (!decision.ok || way.length >= LONGEST_WAY) continue;
          const next = decision.plan;
          const state = abstracted(next);
          if (!found.has(state)) found.set(state, { plan: next, way: [...way, name] });
        }
      } catch (cause) {
        throw new Error(`${String(cause)}, after ${way.join(', ')}`, { cause });
      }
    }
    assert.ok(found.size > 300, `${found.size} states are too few`);
    const usual = [
      'EXPIRED',
      'COMPLETED',
      'RETURNED',
      'MONEY_RETURNED',
      'NOTHING_LEFT',
      'MONEY_UNEXPLAINED',
      'TRANSACTION_LOST',
    ];
    const last = mode === 'STANDARD' ? ['ACCOUNT_REFUSED', 'PAYOUT_DUE'] : ['LINK_ENDED', 'PAYMENT_SENT'];
    for (const place of [...usual, ...last]) assert.ok(seen.has(place), `no state came by ${place}`);
  });
}

/** Asserts that some exit ends the plan, and that nothing but money that comes later is left of it then. */
function assertEnds(plan: Plan): void {
  if (isOver(plan) && planStatus(plan) !== 'RETURNED') return;
  const ends = EXITS.map((exit) => decide(plan, exit, plan.updatedAtMs + 1)).filter(
    (decision) => decision.ok && isOver(decision.plan) && planStatus(decision.plan) !== 'RETURNED',
  );
  assert.ok(ends.length > 0, `${planStatus(plan)} cannot end`);
  for (const decision of ends) {
    assert.ok(decision.ok);
    assertPlan(decision.plan);
    const { link } = collectStep(decision.plan) ?? {};
    assert.ok(!['WAITING', 'SENT', 'OPENED'].includes(link?.state ?? ''), 'nobody can choose any more');
  }
}

test('dust starts no plan and keeps none from its end, but completes a deposit', () => {
  const dusty = after(dustyPlan(), [deposit('e', DUST)]);
  assert.equal(summary(dusty), 'ACTION_REQUIRED: PENDING PENDING PENDING; PAYER DEPOSIT_PARTIAL');
  assert.match(nextOf(dusty, { nowMs: 0 })?.detail ?? '', /^5 units .* has arrived; send the missing 995/);
  assert.equal(planStatus(after(dusty, [CANCEL])), 'ENDED');
  const expired = changedBy(dusty, TIME, dusty.expiresAtMs);
  assert.equal(summary(expired), 'ENDED: FAILED PENDING PENDING; nothing');
  const [{ unallocated } = { unallocated: [] }] = fundsOf(expired);
  assert.deepEqual(
    unallocated.map(({ amount, reason }) => [amount, reason]),
    [['5', 'AFTER_END']],
  );
  assert.equal(depositStep(after(dusty, [deposit('f', 995n)])).status, 'DONE');
  const almost = after(dustyPlan(), [deposit('f', 995n)]);
  assert.equal(depositStep(almost).status, 'READY');
  assert.equal(depositOf(after(almost, [deposit('e', DUST)])).outcome, 'EXACT');
});

test('a plan counts a hundred transfers of dust and of other tokens, and all that it can use', () => {
  const useless = (letter: string, changes: Partial<RecordedTransfer>) =>
    Array.from({ length: 200 }, (_, logIndex) => ({
      ...recordedTransfer(letter, DUST),
      logIndex,
      ...changes,
    }));
  const other = useless('o', { token: `0x${'0d'.repeat(20)}`, amount: amountOf(10n ** 30n) });
  const whole = recordedTransfer('w', 1_000n);
  for (const deposits of [
    [...other, whole],
    [...useless('e', {}).slice(0, 60), ...other.slice(60), whole],
  ]) {
    const view = { readNumber: 8, deposits, executions: [], gone: [] };
    const [command] = commandsFromRecord(dustyPlan(), view, 0);
    assert.ok(command?.type === 'RECORD_READ');
    assert.equal(command.added.length, 102, 'the first of another token is more than nothing before it');
    assert.deepEqual(command.added.at(-1), whole);
  }
  const units = other.map((each) => ({ ...each, amount: amountOf(1n) }));
  const wrong = { ...recordedTransfer('x', 1_000_000n), token: units[0]?.token ?? assert.fail() };
  for (const before of [units, useless('e', {})]) {
    const view = { readNumber: 8, deposits: [...before, wrong], executions: [], gone: [] };
    const [command] = commandsFromRecord(dustyPlan(), view, 0);
    assert.ok(command?.type === 'RECORD_READ');
    assert.deepEqual(command.added.at(-1), wrong, 'dust hides no money');
  }
});

test('an account that cannot be paid is replaced, and each account keeps the id of its payment', () => {
  const failed = after(dustyPlan(), [...SWAPPED, payoutFailed('F1')]);
  assert.equal(summary(failed), 'ACTION_REQUIRED: DONE DONE FAILED; INTEGRATOR ACCOUNT_REFUSED');
  assert.equal(endToEndIdOf(after(failed, [retried(lastId)])), 'FW1', 'the same account keeps the id');
  const other = after(failed, [replaced('a')]);
  assert.equal(summary(other), 'ACTION_REQUIRED: DONE DONE READY; CUSTODIAN PAYOUT_DUE');
  assert.deepEqual([other.recipient.fingerprint, endToEndIdOf(other)], ['a', 'FW-a']);
  assertKnown(other, replaced('a'));
  const third = after(other, [payoutFailed('F2'), replaced('b')]);
  assert.equal(endToEndIdOf(third), 'FW-b');
  const { recipient } = planRequest();
  const back = after(third, [
    payoutFailed('F3'),
    { type: 'RECIPIENT_REPLACED', stepId: lastId, recipient, endToEndId: 'FW-unused' },
  ]);
  assert.equal(endToEndIdOf(back), 'FW1', 'an account whose payment failed keeps its id');
  const last = back.steps.at(-1);
  assert.deepEqual(
    last?.type === 'CUSTODIAN_PAYOUT' &&
      last.attempts.map((each) => [each.endToEndId, each.recipient?.fingerprint]),
    [
      ['FW1', 'f1'],
      ['FW-a', 'a'],
      ['FW-b', 'b'],
    ],
  );
  const collected = after(dustyPlan('DIGITAL_COLLECT'), SWAPPED);
  assert.equal(refusalOf(collected, replaced('a')).reason, 'STEP_NOT_READY');
  assert.equal(refusalOf(after(dustyPlan(), SWAPPED), replaced('a')).reason, 'STEP_NOT_READY');
});

test('what came back is paid again with another id, and no more than what is there', () => {
  const paid = after(dustyPlan(), [...SWAPPED, paidByReference('R1')]);
  const returned = after(paid, [payoutReturned('B1', 1_400n)]);
  assert.equal(summary(returned), 'RETURNED: DONE DONE DONE; INTEGRATOR MONEY_RETURNED');
  const again = after(returned, [paidAgain('FW-2')]);
  assert.equal(summary(again), 'ACTION_REQUIRED: DONE DONE READY; CUSTODIAN PAYOUT_DUE');
  assert.equal(payoutOf(again).due, '1400');
  assert.equal(endToEndIdOf(again), 'FW-2');
  assert.equal(refusalOf(again, paidByReference('R1')).reason, 'EVIDENCE_MISMATCH', 'R1 came back');
  assert.equal(refusalOf(again, payoutFailed('R1')).reason, 'EVIDENCE_MISMATCH');
  const done = after(again, [paidByReference('R2')]);
  assert.equal(summary(done), 'COMPLETED: DONE DONE DONE; nothing');
  const [, { paidOut, returned: back, outstanding } = { paidOut: '', returned: '', outstanding: '' }] =
    fundsOf(done);
  assert.deepEqual([paidOut, back, outstanding], ['2900', '1400', '0']);
  const twice = after(done, [payoutReturned('B2', 1_400n)]);
  assert.equal(planStatus(twice), 'RETURNED', 'the newest payment decides');
  assert.equal(endToEndIdOf(after(twice, [replaced('a')])), 'FW-a');
});

test('a delivery that came back opens another round with another id', () => {
  const chosen = [linkMade('FIRST', 1), submitted(1), delivery('SENT', 'R1'), delivery('DELIVERED', 'R1')];
  const delivered = after(dustyPlan('DIGITAL_COLLECT'), [...SWAPPED, ...chosen]);
  const returned = after(delivered, [delivery('RETURNED', 'B1')]);
  assert.equal(summary(returned), 'RETURNED: DONE DONE DONE; INTEGRATOR MONEY_RETURNED');
  const link = { ...linkMade('REISSUED', 2), endToEndId: 'FW-2' } as PlanCommand;
  assert.equal(refusalOf(returned, linkMade('REISSUED', 2)).reason, 'STEP_NOT_READY');
  const asked = after(returned, [link]);
  assert.equal(summary(asked), 'ACTION_REQUIRED: DONE DONE DONE; SERVICE SEND_LINK');
  assert.equal(refusalOf(asked, delivery('DELIVERED', 'R1')).reason, 'STEP_NOT_READY');
  const done = after(asked, [submitted(2, 'b'), delivery('DELIVERED', 'R2')]);
  assert.equal(summary(done), 'COMPLETED: DONE DONE DONE; nothing');
  assert.equal(endToEndIdOf(done), 'FW-2');
});

test('a recipient who was sent a hundred links is settled with directly, and the plan is closed', () => {
  let plan = after(dustyPlan('DIGITAL_COLLECT'), SWAPPED);
  for (let version = 1; version <= 100; version += 1) {
    const atMs = plan.updatedAtMs + RESEND_AFTER_MS;
    plan = changedBy(plan, linkMade(version === 1 ? 'FIRST' : 'REISSUED', version, atMs + 1_000), atMs);
    plan = changedBy(plan, LINK_EXPIRED);
  }
  assert.equal(summary(plan), 'ACTION_REQUIRED: DONE DONE FAILED; INTEGRATOR LINKS_USED_UP');
  const ended = after(plan, [closed({ reason: 'SETTLED_ELSEWHERE' })]);
  assert.equal(summary(ended), 'ENDED: DONE DONE FAILED; nothing');
});

test('money that went back is neither swapped nor paid out', () => {
  const deposited = after(dustyPlan(), [deposit('f', 1_000n)]);
  const back = after(deposited, [refunded('B1', 1_000n)]);
  assert.equal(summary(back), 'ACTION_REQUIRED: DONE PENDING PENDING; INTEGRATOR NOTHING_LEFT');
  assert.equal(refusalOf(back, derived()).reason, 'STEP_NOT_READY');
  assert.equal(summary(after(back, [closed()])), 'ENDED: DONE PENDING PENDING; nothing');
  const part = after(deposited, [refunded('B1', 1n)]);
  assert.equal(summary(part), 'ACTION_REQUIRED: DONE PENDING PENDING; INTEGRATOR MONEY_UNEXPLAINED');
  const topped = after(part, [deposit('e', 1n)]);
  assert.equal(nextOf(topped, { nowMs: 0 })?.why, 'INSTRUCTIONS_DUE');
  const swapped = after(dustyPlan(), SWAPPED);
  const less = after(swapped, [refunded('B2', 100n, TARGET)]);
  assert.equal(payoutOf(less).due, '1400');
  assertKnown(less, refunded('B2', 100n, TARGET));
  assert.equal(refusalOf(less, refunded('B2', 99n, TARGET)).reason, 'EVIDENCE_MISMATCH');
  assert.equal(refusalOf(less, refunded('B3', 1_401n, TARGET)).reason, 'EVIDENCE_MISMATCH');
  const nothing = after(less, [refunded('B3', 1_400n, TARGET)]);
  assert.equal(summary(nothing), 'ACTION_REQUIRED: DONE DONE READY; INTEGRATOR NOTHING_LEFT');
  assert.equal(refusalOf(nothing, paidByReference('R1')).reason, 'STEP_NOT_READY');
  const linked = after(dustyPlan('DIGITAL_COLLECT'), [...SWAPPED, linkMade('FIRST', 1)]);
  assert.equal(refusalOf(linked, refunded('B1', 1_500n, TARGET)).reason, 'STEP_NOT_READY');
});

test('instructions that were given out are not to be executed once the deposit went back', () => {
  const given = after(dustyPlan(), [deposit('f', 1_000n), derived()]);
  assert.notEqual(executableAttempt(given), undefined);
  for (const [units, what] of [
    [1_000n, 'NOTHING_LEFT'],
    [1n, 'MONEY_UNEXPLAINED'],
  ] as const) {
    const back = after(given, [refunded('B1', units)]);
    assert.equal(executableAttempt(back), undefined);
    const action = nextOf(back, { nowMs: back.updatedAtMs });
    assert.equal(action?.why, what);
    assert.match(action?.detail ?? '', /end the plan\. Execute no instructions any more/);
  }
  const surplus = after(given, [deposit('e', 100n), refunded('B1', 100n)]);
  assert.notEqual(executableAttempt(surplus), undefined, 'enough is left for the swap');
});

test('whoever ends a plan has seen exactly the money that is left', () => {
  const swapped = after(dustyPlan(), SWAPPED);
  const left = [{ amount: '1500', asset: TARGET, direction: 'IN' }];
  assert.deepEqual(acknowledgementOf(swapped), left);
  assert.equal(refusalOf(swapped, CANCEL).reason, 'REASON_MISSING');
  const ended = after(swapped, [closed({ reason: 'ABANDONED', note: 'given up' })]);
  assert.equal(summary(ended), 'ENDED: DONE DONE READY; nothing');
  assertKnown(ended, closed({ reason: 'ABANDONED', note: 'given up' }));
  assert.equal(refusalOf(ended, closed({ reason: 'OTHER' })).reason, 'STEP_NOT_READY');
  for (const command of [paidByReference('R1'), payoutFailed(), retried(lastId), replaced('a'), derived()])
    assert.equal(refusalOf(ended, command).reason, 'STEP_NOT_READY', command.type);
});

test('money that comes after a plan was closed is to be looked at, and can be acknowledged, too', () => {
  const done = after(dustyPlan(), PAID);
  const late = after(done, [deposit('e', 12n)]);
  assert.equal(summary(late), 'COMPLETED: DONE DONE DONE; INTEGRATOR MONEY_UNEXPLAINED');
  const toSay = { reason: 'REASON_MISSING', detail: 'Money is left: say in reason why the plan ends.' };
  for (const over of [late, planAfter([CANCEL, deposit('e', 12n)])])
    assert.deepEqual(refusalOf(over, CANCEL), toSay);
  const known = after(late, [closed({ reason: 'REFUNDED' })]);
  assert.equal(summary(known), 'COMPLETED: DONE DONE DONE; nothing', 'the status stays');
  assert.equal(known.closed?.acknowledged.map(({ amount }) => amount).join(), '12');
  const words = closed({ reason: 'REFUNDED' });
  assertKnown(known, words);
  assert.match(
    (refusalOf(known, closed({ reason: 'OTHER' })) as { detail?: string }).detail ?? '',
    /ended already \(REFUNDED\), and no money is left/,
  );
  // The same amount once more is other money. A person who ends the plan again has seen it.
  const more = after(known, [deposit('h', 12n)]);
  assert.equal(summary(more), 'COMPLETED: DONE DONE DONE; INTEGRATOR MONEY_UNEXPLAINED');
  const twice = after(more, [words]);
  assert.equal(summary(twice), 'COMPLETED: DONE DONE DONE; nothing');
  assertKnown(twice, words);
  const later = after(known, [deposit('g', 7n)]);
  assert.equal(acknowledgementOf(later)[0]?.amount, '7');
  const [source] = fundsOf(later);
  assert.deepEqual(
    source?.unallocated.map(({ amount, acknowledged }) => [amount, acknowledged]),
    [
      ['7', false],
      ['12', true],
    ],
  );
  const again = after(later, [closed({ reason: 'OTHER' })]);
  assert.equal(summary(again), 'COMPLETED: DONE DONE DONE; nothing');
  const lost = after(again, [gone(again, depositId, 'e')]);
  const found = after(lost, [recorded([recordedTransfer('e', 12n, { blockHash: hashOf('y') })])]);
  assert.deepEqual(
    acknowledgementOf(found).map(({ amount }) => amount),
    ['12'],
    'another movement',
  );
});

test('a plan with a transaction under way is closed by force alone; what is mined then shows', () => {
  const confirming = after(dustyPlan(), [
    deposit('d', 1_000n),
    derived(),
    executed(evidence('s', 'CONFIRMING'), 1),
  ]);
  assert.equal(refusalOf(confirming, closed()).reason, 'EXECUTION_PENDING');
  const forced = after(confirming, [closed({ force: true })]);
  assert.equal(forced.closed?.forced, true);
  const calm = after(dustyPlan(), SWAPPED);
  assert.equal(after(calm, [closed({ force: true })]).closed?.forced, false, 'nothing to force');
  const lost = after(forced, [gone(forced, swapId, 's')]);
  assert.deepEqual(acknowledgementOf(lost), [
    { amount: '1000', asset: acknowledgementOf(lost)[0]?.asset, direction: 'IN' },
  ]);
  const found = after(lost, [executed(evidence('s', 'FINAL', 1_500n, 'y'), 1)]);
  assert.equal(planStatus(found), 'ENDED');
  assert.deepEqual(
    acknowledgementOf(found).map(({ amount }) => amount),
    ['1500'],
  );
  const paying = after(dustyPlan(), [...SWAPPED, paidByTransaction(evidence('p', 'CONFIRMING'))]);
  assert.equal(refusalOf(paying, closed()).reason, 'EXECUTION_PENDING');
  const over = after(paying, [closed({ force: true })]);
  assert.deepEqual(over.closed?.acknowledged, [], 'what is being confirmed is paid');
  assert.equal(
    summary(after(over, [paidByTransaction(evidence('p', 'FINAL'))])),
    'ENDED: DONE DONE DONE; nothing',
  );
});

test('a recipient whose plan is closed cannot choose any more', () => {
  const linked = after(dustyPlan('DIGITAL_COLLECT'), [...SWAPPED, linkMade('FIRST', 1)]);
  const ended = after(linked, [closed()]);
  assert.equal(collectStep(ended)?.link?.state, 'CANCELLED');
  for (const command of [submitted(1), linkMade('REISSUED', 2), delivery('SENT')])
    assert.equal(refusalOf(ended, command).reason, 'STEP_NOT_READY', command.type);
});

test('a plan that expired and was closed is not opened again', () => {
  const expired = changedBy(dustyPlan(), TIME, newPlan().expiresAtMs);
  assert.equal(planStatus(after(expired, [retried(depositId)])), 'ACTION_REQUIRED');
  const ended = after(expired, [closed()]);
  assert.equal(planStatus(ended), 'ENDED');
  assert.equal(refusalOf(ended, retried(depositId)).reason, 'STEP_NOT_READY');
});
