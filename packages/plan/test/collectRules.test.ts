import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  canAskForLink,
  collectStep,
  decide,
  evidenceOf,
  nextOf,
  owedLink,
  type Plan,
  type PlanCommand,
  planStatus,
  workOf,
  payoutOf,
} from '../src/index.ts';
import {
  choice,
  closed,
  deliveredBy,
  delivery,
  derived,
  evidence,
  executed,
  LINK_ENDS_AT_MS,
  LINK_EXPIRED,
  linkMade,
  linkMailed,
  linkOpened,
  linkRequested,
  lost,
  observed,
  retried,
  submitted,
} from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, planAfter, refusalOf, summary } from './scenarios.ts';

const [, , lastId] = STEP_IDS;
const TIME_PASSED = { type: 'TIME_PASSED' } as const;
const done = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
const sent = [...done, linkMade('FIRST', 1)];
const chosen = [...sent, linkMailed(1), linkOpened(1), submitted(1, 'a')];
const failed = [...chosen, delivery('FAILED', 'R1')];
const again = [...failed, linkMade('REOPENED', 2)];

function collecting(...commands: readonly PlanCommand[]): Plan {
  return planAfter(commands, 'DIGITAL_COLLECT');
}

function link(plan: Plan) {
  return collectStep(plan)?.link;
}

/** The plan after its link was sent again this many times, a minute apart. */
function resent(times: number): Plan {
  let plan = collecting(...sent);
  for (let version = 2; version < times + 2; version += 1)
    plan = changedBy(plan, linkMade('RESENT', version), plan.updatedAtMs + 60_000);
  return plan;
}

test('a DIGITAL_COLLECT plan says at each stage from link to delivery who has to do what', () => {
  const turns = [
    collecting(...done),
    collecting(...sent),
    collecting(...sent, linkMailed(1)),
    collecting(...sent, linkOpened(1)),
    collecting(...sent, linkMailed(1), linkOpened(1)),
    collecting(...chosen),
    collecting(...chosen, delivery('SENT', 'R1')),
    collecting(...chosen, deliveredBy(evidence('p', 'CONFIRMING'))),
    collecting(...chosen, delivery('DELIVERED', 'R1')),
    collecting(...chosen, delivery('DELIVERED', 'R1'), delivery('RETURNED', 'B1')),
    collecting(...failed),
    collecting(...again),
    collecting(...again, submitted(2, 'b'), delivery('DELIVERED', 'R2')),
  ];
  assert.deepEqual(turns.map(summary), [
    'IN_PROGRESS: DONE DONE READY; SERVICE SEND_LINK',
    'IN_PROGRESS: DONE DONE READY; SERVICE SEND_LINK',
    'ACTION_REQUIRED: DONE DONE READY; RECIPIENT RECIPIENT_CHOOSES',
    'ACTION_REQUIRED: DONE DONE READY; RECIPIENT RECIPIENT_CHOOSES',
    'ACTION_REQUIRED: DONE DONE READY; RECIPIENT RECIPIENT_CHOOSES',
    'ACTION_REQUIRED: DONE DONE DONE; CUSTODIAN PAYOUT_DUE',
    'ACTION_REQUIRED: DONE DONE DONE; CUSTODIAN PAYMENT_SENT',
    'IN_PROGRESS: DONE DONE DONE; CHAIN TRANSACTION_CONFIRMING',
    'COMPLETED: DONE DONE DONE; nothing',
    'RETURNED: DONE DONE DONE; INTEGRATOR MONEY_RETURNED',
    'ACTION_REQUIRED: DONE DONE DONE; SERVICE SEND_LINK',
    'ACTION_REQUIRED: DONE DONE DONE; SERVICE SEND_LINK',
    'COMPLETED: DONE DONE DONE; nothing',
  ]);
});

test('the service owes one link when the swap is done, and one after each failed delivery', () => {
  const plan = collecting(...done);
  assert.deepEqual(workOf(plan), { kind: 'SEND_LINK' });
  assert.deepEqual(owedLink(plan), { version: 1, reason: 'FIRST' });
  assert.deepEqual(owedLink(collecting(...failed)), { version: 2, reason: 'REOPENED' });
  for (const none of [sent, chosen, again, [...sent, LINK_EXPIRED]])
    assert.equal(owedLink(collecting(...none)), undefined);
  assert.equal(owedLink(planAfter(done)), undefined);
});

test('while the chain has lost the swap, a recipient who could not be paid is not asked again', () => {
  for (const commands of [failed, again]) {
    const plan = collecting(...commands, lost(STEP_IDS[1], 's'));
    assert.equal(summary(plan), 'ACTION_REQUIRED: DONE DONE DONE; INTEGRATOR TRANSACTION_LOST');
    assert.equal(owedLink(plan), undefined);
  }
  const plan = collecting(...failed, lost(STEP_IDS[1], 's'));
  const found = changedBy(plan, executed(evidence('s', 'FINAL'), 1));
  assert.equal(summary(found), 'ACTION_REQUIRED: DONE DONE DONE; SERVICE SEND_LINK');
  assert.deepEqual(workOf(found), { kind: 'SEND_LINK' });
});

test('a link is WAITING, then SENT by the mail server, then OPENED, and then SUBMITTED', () => {
  const states = [
    sent,
    [...sent, linkMailed(1)],
    [...sent, linkMailed(1), linkOpened(1)],
    [...sent, linkOpened(1), linkMailed(1)],
    [...sent, linkMailed(1, 'BOUNCED')],
    [...sent, linkMailed(1), linkMailed(1, 'BOUNCED')],
    chosen,
  ].map((commands) => {
    const { state, mail } = link(collecting(...commands))!;
    return `${state} ${mail}`;
  });
  assert.deepEqual(states, [
    'WAITING QUEUED',
    'SENT ACCEPTED',
    'OPENED ACCEPTED',
    'OPENED ACCEPTED',
    'WAITING BOUNCED',
    'SENT BOUNCED',
    'SUBMITTED ACCEPTED',
  ]);
  const opened = collecting(...sent, linkOpened(1));
  assert.equal(link(opened)?.openedAtMs, opened.updatedAtMs);
  assertKnown(opened, linkOpened(1));
  assertKnown(collecting(...sent, linkMailed(1, 'BOUNCED')), linkMailed(1));
});

test('after an e-mail bounced, the next action asks for the right address', () => {
  const action = nextOf(collecting(...sent, linkMailed(1, 'BOUNCED')), { nowMs: 0 });
  assert.equal(
    action?.detail,
    'The e-mail with the link came back: name the right address as the recipient in POST …/again.',
  );
});

test('at the end of its life a link fails the step, which is mended by a new link, not a retry', () => {
  const plan = collecting(...sent);
  assert.deepEqual(workOf(plan), { kind: 'PASS_TIME', atMs: LINK_ENDS_AT_MS });
  assertKnown(plan, TIME_PASSED);
  const ended = changedBy(plan, TIME_PASSED, LINK_ENDS_AT_MS);
  assert.equal(summary(ended), 'ACTION_REQUIRED: DONE DONE FAILED; INTEGRATOR LINK_ENDED');
  assert.deepEqual(
    [link(ended)?.state, collectStep(ended)?.failure],
    ['EXPIRED', { code: 'COLLECT_EXPIRED' }],
  );
  assertKnown(ended, linkOpened(1));
  assert.equal(workOf(ended), undefined);
  assert.deepEqual(refusalOf(ended, retried(lastId)), {
    reason: 'STEP_NOT_READY',
    dueStepId: lastId,
    dueStepType: 'SEND_DIGITAL_COLLECT',
    detail: 'The recipient needs another link: send POST …/again.',
  });
  const reissued = changedBy(ended, linkMade('REISSUED', 2, LINK_ENDS_AT_MS + 86_400_000));
  assert.equal(summary(reissued), 'IN_PROGRESS: DONE DONE READY; SERVICE SEND_LINK');
  assert.deepEqual(workOf(reissued), { kind: 'PASS_TIME', atMs: LINK_ENDS_AT_MS + 86_400_000 });
});

test('a link past its end can be reissued before its end is recorded, and cannot be sent again', () => {
  const plan = collecting(...sent);
  const late = LINK_ENDS_AT_MS;
  const resend = decide(plan, linkMade('RESENT', 2), late);
  assert.equal(!resend.ok && resend.refusal.reason, 'STEP_NOT_READY');
  assert.equal(link(changedBy(plan, linkMade('REISSUED', 2, late + 1), late))?.version, 2);
  assert.equal(refusalOf(plan, linkMade('REISSUED', 2)).reason, 'STEP_NOT_READY');
});

test('a link can be sent again five times, a minute apart, without living longer', () => {
  const plan = collecting(...sent);
  const at = (waitedMs: number) => decide(plan, linkMade('RESENT', 2, 9e15), plan.updatedAtMs + waitedMs);
  const soon = at(59_999);
  assert.deepEqual(!soon.ok && soon.refusal, {
    reason: 'TOO_SOON',
    retryAfterMs: 1,
    detail: 'The last link was sent less than 60 seconds ago.',
  });
  const made = at(60_000);
  assert.ok(made.ok);
  assert.equal(link(made.plan)?.expiresAtMs, LINK_ENDS_AT_MS);
  const often = resent(5);
  assert.deepEqual([link(often)?.resends, link(often)?.version], [5, 6]);
  const more = decide(often, linkMade('READDRESSED', 7), often.updatedAtMs + 60_000);
  assert.deepEqual(!more.ok && more.refusal, {
    reason: 'TOO_MANY',
    detail: 'The link was sent anew 5 times: wait until it ends, or end the plan.',
  });
  const ended = changedBy(often, LINK_EXPIRED);
  assert.equal(link(changedBy(ended, linkMade('REISSUED', 7, 9e15)))?.resends, 0);
});

test('a link that ended in less than a minute is followed by another after the minute alone', () => {
  const plan = collecting(...done);
  const short = changedBy(plan, linkMade('FIRST', 1, plan.updatedAtMs + 2_000));
  const ended = changedBy(short, LINK_EXPIRED);
  const hasty = decide(ended, linkMade('REISSUED', 2), short.updatedAtMs + 59_999);
  assert.ok(!hasty.ok && hasty.refusal.reason === 'TOO_SOON');
  assert.equal(link(changedBy(ended, linkMade('REISSUED', 2), short.updatedAtMs + 60_000))?.version, 2);
});

test('after 100 links none is reissued, but a link that the service owes is still made', () => {
  let plan = collecting(...sent);
  for (let version = 2; version <= 100; version += 1) {
    const ended = changedBy(plan, LINK_EXPIRED);
    plan = changedBy(ended, linkMade('REISSUED', version, ended.updatedAtMs + 120_000));
  }
  const last = changedBy(plan, LINK_EXPIRED);
  assert.equal(summary(last), 'ACTION_REQUIRED: DONE DONE FAILED; INTEGRATOR LINKS_USED_UP');
  assert.deepEqual(refusalOf(last, linkMade('REISSUED', 101)), {
    reason: 'TOO_MANY',
    detail:
      'The recipient was sent 100 links of this plan; no other is sent. Settle with the recipient directly and end the plan.',
  });
  const again = changedBy(changedBy(plan, submitted(100, 'a')), delivery('FAILED', 'R1'));
  assert.equal(link(changedBy(again, linkMade('REOPENED', 101, 9e15)))?.version, 101);
});

test('a readdressed link counts as sent again, and goes to the new recipient alone', () => {
  const plan = collecting(...sent, linkMailed(1), linkOpened(1));
  const { recipient } = changedBy(plan, linkMade('READDRESSED', 2), plan.updatedAtMs + 60_000);
  assert.deepEqual(recipient, { type: 'email', email: 'k***@example.com', fingerprint: 'f3' });
  const moved = changedBy(plan, linkMade('READDRESSED', 2), plan.updatedAtMs + 60_000);
  assert.deepEqual(link(moved), {
    version: 2,
    state: 'WAITING',
    mail: 'QUEUED',
    madeAtMs: moved.updatedAtMs,
    expiresAtMs: LINK_ENDS_AT_MS,
    resends: 1,
  });
});

test('a link that is owed can be readdressed, and then lives as long as any first link', () => {
  const owed = collecting(...done);
  assert.equal(summary(owed), 'IN_PROGRESS: DONE DONE READY; SERVICE SEND_LINK');
  for (const plan of [owed, collecting(...failed)]) {
    const version = (link(plan)?.version ?? 0) + 1;
    const made = changedBy(plan, linkMade('READDRESSED', version));
    assert.deepEqual(made.recipient, { type: 'email', email: 'k***@example.com', fingerprint: 'f3' });
    const { expiresAtMs, resends, state } = link(made)!;
    assert.deepEqual([expiresAtMs, resends, state], [LINK_ENDS_AT_MS, 0, 'WAITING']);
    // The link before it, if any, was used, so that nothing about it delays the one that is owed.
    assert.equal(refusalOf(plan, linkMade('RESENT', version)).reason, 'STEP_NOT_READY');
    assert.equal(refusalOf(plan, linkMade('READDRESSED', version, 0)).reason, 'STEP_NOT_READY');
  }
});

test('commands about a replaced link change nothing, and nothing can be submitted with it', () => {
  const plan = resent(1);
  assertKnown(plan, linkMailed(1));
  assertKnown(plan, linkMailed(1, 'BOUNCED'));
  assertKnown(plan, linkOpened(1));
  assert.equal(refusalOf(plan, submitted(1)).reason, 'STEP_NOT_READY');
  assert.equal(planStatus(changedBy(plan, submitted(2))), 'ACTION_REQUIRED');
  for (const command of [linkMailed(3), linkOpened(3), submitted(3)])
    assert.equal(refusalOf(plan, command).reason, 'STEP_NOT_READY');
});

test('a link takes one choice: the same choice again changes nothing, and another is refused', () => {
  const plan = collecting(...chosen);
  assertKnown(plan, submitted(1, 'a'));
  assert.equal(refusalOf(plan, submitted(1, 'b')).reason, 'STEP_NOT_READY');
  const { destination, submittedAtMs, delivery: paid } = collectStep(plan)!;
  assert.deepEqual(
    [destination, submittedAtMs, paid],
    [choice('a'), plan.updatedAtMs, { status: 'PENDING' }],
  );
});

test('a choice after the end of its link is refused', () => {
  const plan = collecting(...sent);
  const late = decide(plan, submitted(1), LINK_ENDS_AT_MS);
  const detail = 'The link is EXPIRED; nothing more is submitted with it.';
  assert.equal(!late.ok && 'detail' in late.refusal && late.refusal.detail, detail);
  assert.equal(summary(changedBy(plan, submitted(1), LINK_ENDS_AT_MS - 1)).slice(-10), 'PAYOUT_DUE');
  assert.equal(decide(plan, linkOpened(1), LINK_ENDS_AT_MS).ok, true);
  assert.equal(refusalOf(collecting(...sent, LINK_EXPIRED), submitted(1)).reason, 'STEP_NOT_READY');
});

test('a failed delivery ends its round, which is kept, and the recipient is asked again', () => {
  const plan = collecting(...failed);
  const { rounds, delivery: paid, status, submittedAtMs } = collectStep(plan)!;
  assert.equal(status, 'DONE');
  const ended = {
    status: 'FAILED',
    verification: 'REPORTED',
    providerReference: 'R1',
    failure: { code: 'ACCOUNT_CLOSED' },
  };
  assert.deepEqual(paid, ended);
  assert.deepEqual(rounds, [{ version: 1, destination: choice('a'), submittedAtMs, delivery: ended }]);
  assertKnown(plan, delivery('FAILED', 'R1'));
  assertKnown(plan, delivery('FAILED'));
  for (const command of [delivery('SENT', 'R2'), delivery('DELIVERED', 'R2'), delivery('FAILED', 'R2')])
    assert.equal(refusalOf(plan, command).reason, 'STEP_NOT_READY');
  const next = collecting(...again, submitted(2, 'b'));
  const step = collectStep(next)!;
  const pending = { status: 'PENDING', endToEndId: 'FW-2-b' };
  assert.deepEqual([step.destination, step.delivery], [choice('b'), pending]);
  assert.deepEqual(step.rounds, rounds);
});

test('a link of a later round that expires leaves the step DONE, and can be reissued', () => {
  const plan = collecting(...again);
  assert.deepEqual(workOf(plan), { kind: 'PASS_TIME', atMs: LINK_ENDS_AT_MS });
  const ended = changedBy(plan, TIME_PASSED, LINK_ENDS_AT_MS);
  assert.equal(summary(ended), 'ACTION_REQUIRED: DONE DONE DONE; INTEGRATOR LINK_ENDED');
  assert.equal(workOf(ended), undefined);
  const reissued = changedBy(ended, linkMade('REISSUED', 3, LINK_ENDS_AT_MS + 86_400_000));
  assert.equal(summary(reissued), 'ACTION_REQUIRED: DONE DONE DONE; SERVICE SEND_LINK');
  assert.equal(planStatus(changedBy(reissued, submitted(3, 'b'))), 'ACTION_REQUIRED');
});

test('a late report about an ended round does not change the next round', () => {
  const plan = collecting(...again, submitted(2, 'b'));
  assertKnown(plan, delivery('SENT', 'R1'));
  assertKnown(plan, delivery('FAILED', 'R1'));
  for (const command of [delivery('DELIVERED', 'R1'), delivery('RETURNED', 'R1')])
    assert.equal(refusalOf(plan, command).reason, 'STEP_NOT_READY');
  assert.equal(planStatus(changedBy(plan, delivery('DELIVERED', 'R2'))), 'COMPLETED');
});

test('no delivery can be reported before the recipient has chosen', () => {
  for (const status of ['SENT', 'DELIVERED', 'FAILED', 'RETURNED'] as const)
    for (const commands of [done, sent])
      assert.equal(refusalOf(collecting(...commands), delivery(status)).reason, 'STEP_NOT_READY');
});

test('a delivery never goes back a status, keeps one reference, and counts each report once', () => {
  const way = collecting(...chosen, delivery('SENT', 'R1'));
  assertKnown(way, delivery('SENT', 'R1'));
  assertKnown(way, delivery('SENT'));
  for (const command of [delivery('SENT', 'R2'), delivery('DELIVERED', 'R2'), delivery('FAILED', 'R2')])
    assert.equal(refusalOf(way, command).reason, 'STEP_NOT_READY');
  assert.equal(refusalOf(way, delivery('RETURNED', 'B1')).reason, 'STEP_NOT_READY');
  const plan = changedBy(way, delivery('DELIVERED'));
  for (const command of [delivery('SENT', 'R1'), delivery('DELIVERED', 'R1'), delivery('DELIVERED')])
    assertKnown(plan, command);
  assert.equal(refusalOf(plan, delivery('DELIVERED', 'R2')).reason, 'STEP_NOT_READY');
  assert.equal(refusalOf(plan, delivery('FAILED', 'R1')).reason, 'EVIDENCE_MISMATCH');
  const back = changedBy(plan, delivery('RETURNED', 'B1'));
  assertKnown(back, delivery('RETURNED', 'B1'));
  const more = refusalOf(back, delivery('RETURNED', 'B2'));
  assert.match('detail' in more ? more.detail : '', /Nothing is left to return/);
  const otherwise = { ...delivery('RETURNED', 'B1'), amount: '7' } as PlanCommand;
  assert.match(JSON.stringify(refusalOf(back, otherwise)), /amount 1500, this report says 7/);
});

test('a delivery’s transaction decides between SENT and DELIVERED, and must pay all that is due', () => {
  const plan = collecting(...chosen);
  const seen = changedBy(plan, {
    ...deliveredBy(evidence('p', 'CONFIRMING')),
    status: 'SENT',
  } as PlanCommand);
  assert.equal(collectStep(seen)?.delivery?.status, 'SENT');
  assert.equal(
    collectStep(changedBy(plan, deliveredBy(evidence('p', 'CONFIRMING'))))?.delivery?.status,
    'SENT',
  );
  for (const command of [delivery('DELIVERED', 'R1'), deliveredBy(evidence('q', 'FINAL'))])
    assert.equal(refusalOf(seen, command).reason, 'STEP_NOT_READY');
  assert.equal(refusalOf(seen, delivery('FAILED', 'R1')).reason, 'EVIDENCE_MISMATCH');
  const final = { ...deliveredBy(evidence('p', 'FINAL')), status: 'SENT' } as PlanCommand;
  const delivered = changedBy(seen, final);
  const { delivery: paid } = collectStep(delivered)!;
  const { paidOut } = payoutOf(delivered);
  assert.deepEqual([paid?.status, paidOut, paid?.verification], ['DELIVERED', '1500', 'VERIFIED']);
  assert.deepEqual(refusalOf(plan, deliveredBy(evidence('p', 'FINAL', 1_499n))), {
    reason: 'EVIDENCE_MISMATCH',
    detail:
      'The transaction paid 1499 units of 0x0202020202020202020202020202020202020202 on chain 31337 to the recipient, 1500 units of 0x0202020202020202020202020202020202020202 on chain 31337 is due. Report the transaction that paid what is due.',
  });
});

test('a custodian’s reference is added once to the transaction of a delivery', () => {
  const plan = collecting(...chosen, deliveredBy(evidence('p', 'FINAL')));
  const named = changedBy(plan, deliveredBy(evidence('p', 'CONFIRMING'), 'R1'));
  const paid = collectStep(named)?.delivery;
  assert.deepEqual(
    [paid?.providerReference, paid?.evidence?.status, paid?.status],
    ['R1', 'FINAL', 'DELIVERED'],
  );
  assertKnown(named, deliveredBy(evidence('p', 'FINAL'), 'R2'));
});

test('a link that would end before it is made is refused', () => {
  const plan = collecting(...done);
  const atMs = plan.updatedAtMs + 1_000;
  const decision = decide(plan, linkMade('FIRST', 1, atMs), atMs);
  assert.equal(
    !decision.ok && 'detail' in decision.refusal && decision.refusal.detail,
    'The link would have ended already: give it a later end.',
  );
  assert.equal(link(changedBy(plan, linkMade('FIRST', 1, atMs + 1), atMs))?.expiresAtMs, atMs + 1);
});

test('a failed delivery has no sent amount and rests on no transaction', () => {
  const told = { ...delivery('SENT', 'R1'), amount: evidence('p', 'FINAL').amount } as PlanCommand;
  const plan = collecting(...chosen, told);
  assert.equal(collectStep(plan)?.delivery?.sentAmount, '1500');
  assert.equal(collectStep(changedBy(plan, delivery('FAILED', 'R1')))?.delivery?.sentAmount, undefined);
  const back = collecting(...chosen, deliveredBy(evidence('p', 'CONFIRMING')), lost(lastId, 'p'));
  assert.equal(evidenceOf(collectStep(back)!)?.status, 'LOST');
  assert.equal(evidenceOf(collectStep(changedBy(back, delivery('FAILED', 'R1')))!), undefined);
});

test('a transaction that paid enough when it was accepted stays enough when it is confirmed', () => {
  const confirming = deliveredBy(evidence('p', 'CONFIRMING'));
  const anew = [lost(STEP_IDS[1], 's'), executed(evidence('s', 'FINAL', 1_510n, 'y'), 1)];
  const plan = collecting(...chosen, confirming, ...anew);
  assert.equal(payoutOf(plan).due, '1510');
  assert.equal(planStatus(changedBy(plan, deliveredBy(evidence('p', 'FINAL')))), 'COMPLETED');
  assert.equal(refusalOf(plan, deliveredBy(evidence('p', 'FINAL', 1_505n, 'y'))).reason, 'EVIDENCE_MISMATCH');
});

test('a wish for a new link is noted once a day, on the newest link, and the integrator is told', () => {
  const expired = collecting(...sent, linkMailed(1), LINK_EXPIRED);
  const asked = changedBy(expired, linkRequested(1));
  assert.equal(link(asked)?.requestedAtMs, asked.updatedAtMs);
  assert.match(
    nextOf(asked, { nowMs: asked.updatedAtMs })?.detail ?? '',
    /the recipient asked for a new one: send another/,
  );
  assertKnown(asked, linkRequested(1));
  const nextDay = asked.updatedAtMs + 86_400_000;
  const early = decide(asked, linkRequested(1), nextDay - 1);
  assert.ok(early.ok && early.outcome === 'UNCHANGED');
  assert.equal(link(changedBy(asked, linkRequested(1), nextDay))?.requestedAtMs, nextDay);
  const reissued = changedBy(asked, linkMade('REISSUED', 2, 9e15), nextDay);
  assert.equal(link(reissued)?.requestedAtMs, undefined);
  // A recipient who has an old link may not have received the newer one.
  const again = changedBy(reissued, linkRequested(1));
  assert.match(
    nextOf(again, { nowMs: again.updatedAtMs })?.detail ?? '',
    /asked for a new link: send it with POST/,
  );
});

test('a link without more codes can be asked with, and one that leads nowhere any more cannot', () => {
  const live = collecting(...sent, linkMailed(1));
  for (const atMs of [live.updatedAtMs, LINK_ENDS_AT_MS]) {
    const asked = decide(live, linkRequested(1), atMs);
    assert.ok(asked.ok && asked.outcome === 'CHANGED');
  }
  const over = changedBy(live, closed());
  const expired = changedBy(changedBy(live, LINK_EXPIRED), closed());
  for (const plan of [
    over,
    expired,
    collecting(...chosen),
    collecting(...chosen, delivery('DELIVERED', 'R1')),
  ]) {
    assert.equal(canAskForLink(plan), false);
    assertKnown(plan, linkRequested(1));
  }
  assert.equal(refusalOf(live, linkRequested(2)).reason, 'STEP_NOT_READY');
});
