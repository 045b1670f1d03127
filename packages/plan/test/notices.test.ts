import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectStep, type Notice, type NoticeOptions, type Plan, type PlanCommand } from '../src/index.ts';
import { noticeOf, noticeTruth, reminderDueAtMs } from '../src/collect/notices.ts';
import {
  deliveredBy,
  delivery,
  derived,
  evidence,
  executed,
  LINK_ENDS_AT_MS,
  LINK_EXPIRED,
  linkMade,
  linkMailed,
  lost,
  observed,
  submitted,
} from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { changedBy, planAfter } from './scenarios.ts';

const [, , lastId] = STEP_IDS;
const DAY_MS = 86_400_000;
const sent = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1), linkMade('FIRST', 1)];
const chosen = [...sent, linkMailed(1), submitted(1)];
const ALL: NoticeOptions = { reminderBeforeMs: DAY_MS, confirmation: true, delivery: true };

/** The plan of an organisation that wants these notices; without the argument it wants none. */
function collecting(commands: readonly PlanCommand[], notices?: NoticeOptions): Plan {
  const plan = planAfter(commands, 'DIGITAL_COLLECT');
  return notices === undefined ? plan : { ...plan, options: { ...plan.options, notices } };
}

/** The notices that these commands call for, one after the other. */
function told(
  notices: NoticeOptions | undefined,
  before: readonly PlanCommand[],
  ...commands: PlanCommand[]
) {
  let plan = collecting(before, notices);
  return commands.map((command) => {
    const next = changedBy(plan, command);
    const notice = noticeOf(plan, next);
    plan = next;
    return notice;
  });
}

test('a reminder is due its time before the end of the link, unless the link was made later', () => {
  const dueOf = (reminderBeforeMs: number) => reminderDueAtMs(collecting(sent, { reminderBeforeMs }));
  assert.equal(dueOf(DAY_MS), LINK_ENDS_AT_MS - DAY_MS);
  const madeAtMs = collectStep(collecting(sent))?.link?.madeAtMs ?? 0;
  assert.equal(dueOf(LINK_ENDS_AT_MS - madeAtMs - 1), madeAtMs + 1);
  assert.equal(dueOf(LINK_ENDS_AT_MS - madeAtMs), undefined);
  assert.equal(dueOf(90 * DAY_MS), undefined);
  assert.equal(reminderDueAtMs(collecting(sent)), undefined);
  assert.equal(reminderDueAtMs(collecting(sent, { confirmation: true, delivery: true })), undefined);
  assert.equal(reminderDueAtMs(collecting(sent.slice(0, 3), ALL)), undefined);
});

test('choice and delivery are announced when they happen, if the organisation wants that', () => {
  const commands = [
    linkMailed(1),
    submitted(1),
    delivery('SENT', 'R1'),
    delivery('DELIVERED', 'R1'),
    delivery('RETURNED', 'B1'),
  ];
  const none: (Notice | undefined)[] = commands.map(() => undefined);
  assert.deepEqual(told(undefined, sent, ...commands), none);
  assert.deepEqual(told({ reminderBeforeMs: DAY_MS }, sent, ...commands), none);
  assert.deepEqual(told({ confirmation: false, delivery: false }, sent, ...commands), none);
  assert.deepEqual(told({ confirmation: true }, sent, ...commands), none.with(1, 'CONFIRMATION'));
  assert.deepEqual(told({ delivery: true }, sent, ...commands), none.with(3, 'DELIVERED'));
  assert.deepEqual(told(ALL, sent, ...commands), none.with(1, 'CONFIRMATION').with(3, 'DELIVERED'));
});

test('every round has its confirmation, and a delivery that happens again is announced again', () => {
  const again = [
    delivery('FAILED', 'R1'),
    linkMade('REOPENED', 2),
    submitted(2, 'b'),
    deliveredBy(evidence('p', 'FINAL')),
  ];
  assert.deepEqual(told(ALL, chosen, ...again), [undefined, undefined, 'CONFIRMATION', 'DELIVERED']);
  const paid = [...chosen, deliveredBy(evidence('p', 'FINAL'))];
  assert.deepEqual(told(ALL, paid, lost(lastId, 'p'), deliveredBy(evidence('q', 'FINAL'))), [
    undefined,
    'DELIVERED',
  ]);
});

test('a notice is true only while the plan is as the notice says', () => {
  const truths: [string, readonly PlanCommand[], readonly Notice[]][] = [
    ['not mailed', sent, []],
    ['mailed', [...sent, linkMailed(1)], ['REMINDER']],
    ['bounced', [...sent, linkMailed(1, 'BOUNCED')], []],
    ['expired', [...sent, linkMailed(1), LINK_EXPIRED], []],
    ['chosen', chosen, ['CONFIRMATION']],
    ['on its way', [...chosen, delivery('SENT', 'R1')], ['CONFIRMATION']],
    ['delivered', [...chosen, delivery('DELIVERED', 'R1')], ['DELIVERED']],
    ['taken back', [...chosen, deliveredBy(evidence('p', 'FINAL')), lost(lastId, 'p')], ['CONFIRMATION']],
    ['failed', [...chosen, delivery('FAILED', 'R1')], []],
    ['returned', [...chosen, delivery('DELIVERED', 'R1'), delivery('RETURNED', 'B1')], []],
  ];
  for (const [what, commands, expected] of truths) {
    const plan = collecting(commands, ALL);
    const thatAre = (truth: string, version: number) =>
      (['REMINDER', 'CONFIRMATION', 'DELIVERED'] as const).filter(
        (notice) => noticeTruth(plan, notice, version) === truth,
      );
    assert.deepEqual(thatAre('TRUE', 1), expected, what);
    assert.deepEqual(thatAre('NOT_YET', 1), what === 'not mailed' ? ['REMINDER'] : [], what);
    assert.equal(thatAre('OVER', 2).length, 3, what);
  }
  assert.equal(noticeTruth(planAfter(sent.slice(0, 2)), 'REMINDER', 1), 'OVER');
  // The organisation wants no notice of the delivery, so the confirmation stays true.
  const unannounced = collecting([...chosen, delivery('DELIVERED', 'R1')], { confirmation: true });
  assert.equal(noticeTruth(unannounced, 'CONFIRMATION', 1), 'TRUE');
});
