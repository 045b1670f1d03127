import assert from 'node:assert/strict';
import {
  collectStep,
  isLinkLive,
  nextLinkVersion,
  owedLink,
  type Plan,
  type PlanCommand,
  type SendDigitalCollectStep,
  swapStep,
  unitsOf,
  ZERO,
  evidenceWith,
  isLess,
  payoutOf,
  payableOf,
} from '../src/index.ts';
import { MOST_RESENDS, RESEND_AFTER_MS } from '../src/collect/rules.ts';
import { wasClosed } from '../src/payout/rules.ts';

/** Asserts what holds for the collect step of every plan that commands can make. */
export function assertCollect(plan: Plan): void {
  const step = collectStep(plan);
  if (step === undefined) return;
  assert.equal(step.readyAtMs !== undefined, step.status !== 'PENDING');
  const { link, status, failure, rounds } = step;
  if (status === 'PENDING') assert.equal(link, undefined, 'no link before the money is there');
  if (status === 'READY')
    assert.ok(link === undefined || isLinkLive(link) || wasClosed(plan), `READY with a ${link?.state} link`);
  if (status === 'FAILED') {
    assert.deepEqual([link?.state, failure?.code], ['EXPIRED', 'COLLECT_EXPIRED']);
  }
  if (link !== undefined) {
    assert.ok(link.madeAtMs < link.expiresAtMs, 'a link ends after it was made');
    assert.ok(link.resends >= 0 && link.resends <= MOST_RESENDS);
    assert.ok(link.state !== 'SENT' || link.mail !== 'QUEUED', 'SENT says that an e-mail left');
    assert.ok(link.state !== 'WAITING' || link.mail !== 'ACCEPTED', 'ACCEPTED is SENT');
    if (link.state === 'OPENED') assert.notEqual(link.openedAtMs, undefined);
  }
  const versions = [...rounds.map(({ version }) => version), ...(isLinkLive(link) ? [link!.version] : [])];
  const isRising = versions.every((version, index) => version > (versions[index - 1] ?? 0));
  assert.ok(isRising, `the versions ${versions.join(', ')} do not rise`);
  assert.ok(nextLinkVersion(step) > Math.max(0, ...versions, link?.version ?? 0));
  for (const round of rounds) {
    const isEmpty = round.delivery === undefined;
    assert.deepEqual([round.destination, round.submittedAtMs].includes(undefined), isEmpty);
    assert.ok(
      ['FAILED', 'RETURNED'].includes(round.delivery?.status ?? 'FAILED'),
      'what ended failed or came back',
    );
  }
  assert.deepEqual(owedLink(plan)?.version ?? nextLinkVersion(step), nextLinkVersion(step));
  assertDelivery(plan, step);
}

function assertDelivery(plan: Plan, step: SendDigitalCollectStep): void {
  const { delivery, destination, submittedAtMs, link, rounds } = step;
  const isChosen = step.status === 'DONE';
  assert.deepEqual(
    [destination, submittedAtMs, delivery].map((told) => told !== undefined),
    [isChosen, isChosen, isChosen],
    'DONE is an accepted submission, and nothing else is',
  );
  assert.equal(
    delivery?.status === 'RETURNED',
    plan.returns.length > (step.payout?.returns ?? 0),
    'what came back since it was tried again',
  );
  if (delivery === undefined) return;
  const { status, evidence, verification } = delivery;
  if (status === 'FAILED') {
    const { delivery: ended, destination: to, submittedAtMs: at } = rounds.at(-1)!;
    assert.deepEqual([to, at], [destination, submittedAtMs], 'the ended round is kept');
    assert.deepEqual(ended?.providerReference, delivery.providerReference);
    if (ended?.status === 'FAILED') assert.deepEqual(ended, delivery);
    assert.ok(link?.state !== 'CANCELLED' || wasClosed(plan));
  } else assert.equal(link?.state, 'SUBMITTED', 'who has chosen has no other link');
  const allowed = {
    FINAL: ['DELIVERED', 'RETURNED'],
    CONFIRMING: ['SENT', 'RETURNED'],
    LOST: ['SENT', 'FAILED', 'RETURNED'],
  };
  if (evidence !== undefined) assert.ok(allowed[evidence.status].includes(status), `${status} on evidence`);
  const paid = evidence && evidenceWith(plan, 'PAYOUT', evidence).amount;
  if (status === 'DELIVERED' && paid !== undefined) assert.ok(!isLess(payoutOf(plan).paidOut, paid));
  const { endToEndId: _id, ...told } = delivery;
  if (status === 'PENDING') assert.deepEqual(told, { status });
  else if (evidence?.status !== 'LOST') assert.notEqual(verification, undefined);
  const swap = swapStep(plan).evidence;
  const isOwed = status !== 'DELIVERED' && status !== 'RETURNED';
  const sent = evidence?.status === 'CONFIRMING' ? unitsOf(paid ?? ZERO) : 0n;
  const [left, there] = [unitsOf(payoutOf(plan).left), payableOf(plan) + sent];
  if (isOwed && swap?.status === 'FINAL' && plan.ended === undefined)
    assert.ok(left === there || (payableOf(plan) === 0n && left < there), 'what is due is there');
}

const LINK_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  WAITING: ['LINK_MADE'],
  SENT: ['LINK_MAILED'],
  OPENED: ['LINK_OPENED'],
  SUBMITTED: ['COLLECT_SUBMITTED'],
  EXPIRED: ['TIME_PASSED'],
  CANCELLED: ['PLAN_ENDED'],
};

const DELIVERY_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  PENDING: ['COLLECT_SUBMITTED', 'PAYOUT_REPORTED', 'DELIVERY_REPORTED'],
  SENT: ['DELIVERY_REPORTED', 'EVIDENCE_LOST'],
  DELIVERED: ['DELIVERY_REPORTED', 'PAYOUT_REPORTED'],
  FAILED: ['DELIVERY_REPORTED', 'LINK_MADE'],
  RETURNED: ['DELIVERY_REPORTED'],
};

/** Asserts what holds for every change of a collect step. */
export function assertCollectChange(before: Plan, command: PlanCommand, atMs: number, after: Plan): void {
  const [was, is] = [collectStep(before), collectStep(after)];
  if (was === undefined || is === undefined) return;
  assert.deepEqual(is.rounds.slice(0, was.rounds.length), was.rounds, 'rounds are kept');
  assert.ok(nextLinkVersion(is) >= nextLinkVersion(was), 'no version is used twice');
  if (command.type === 'LINK_MADE') assertMade(was, command, atMs, is);
  else if (is.link !== undefined) {
    assert.equal(is.link.version, was.link?.version, `${command.type} made a link`);
    assert.equal(is.link.expiresAtMs, was.link?.expiresAtMs, `${command.type} moved the end of a link`);
  }
  if (is.link?.requestedAtMs !== undefined && is.link.requestedAtMs !== was.link?.requestedAtMs) {
    assert.equal(command.type, 'LINK_REQUESTED', `${command.type} asked for a link`);
    assert.ok(before.ended === undefined && is.link.state !== 'SUBMITTED', 'another link may help');
  }
  if (was.link !== undefined && is.link === undefined) {
    assert.equal(is.status, 'PENDING');
    assert.equal(is.rounds.at(-1)?.version, was.link.version, 'the version of a link that is gone is kept');
  }
  if (is.link !== undefined && is.link.state !== was.link?.state)
    assert.ok(
      LINK_COMMANDS[is.link.state]?.includes(command.type),
      `${command.type} made a link ${is.link.state}`,
    );
  if (is.delivery?.status !== was.delivery?.status && is.delivery !== undefined) {
    const { status } = is.delivery;
    assert.ok(DELIVERY_COMMANDS[status]?.includes(command.type), `${command.type} made a delivery ${status}`);
    const isUndone = was.delivery?.status === 'DELIVERED' && status !== 'RETURNED';
    const isCorrected = command.type === 'PAYOUT_REPORTED' && command.corrects !== undefined;
    if (isUndone && !isCorrected)
      assert.equal(command.type, 'EVIDENCE_LOST', 'what was delivered is undone by the chain, or corrected');
    if (was.delivery?.status === 'RETURNED') assert.equal(command.type, 'LINK_MADE', 'asked again');
    const isPartPaid = was.delivery?.status === 'PENDING' && payoutOf(after).paidOut !== '0';
    if (status === 'RETURNED') assert.ok(was.delivery?.status === 'DELIVERED' || isPartPaid, 'it was paid');
    if (was.delivery?.status === 'FAILED') assert.equal(status, 'PENDING', 'a new choice comes first');
  }
  if (command.type === 'COLLECT_SUBMITTED') {
    assert.ok(isLinkLive(was.link) && atMs < was.link!.expiresAtMs, 'a link that is over was used');
    assert.deepEqual([is.destination, is.submittedAtMs], [command.destination, atMs]);
    assert.equal(command.version, was.link!.version, 'only the newest link is used');
  } else if (is.status === 'DONE') assert.deepEqual(is.destination, was.destination);
  if (was.status === 'DONE') assert.equal(is.status, 'DONE', 'a submission stays recorded');
}

function assertMade(
  was: SendDigitalCollectStep,
  { version, reason, expiresAtMs }: Extract<PlanCommand, { type: 'LINK_MADE' }>,
  atMs: number,
  is: SendDigitalCollectStep,
): void {
  assert.equal(version, nextLinkVersion(was));
  assert.ok(is.link !== undefined);
  const { madeAtMs, ...made } = is.link;
  assert.equal(madeAtMs, atMs);
  const isOwed =
    was.status === 'READY'
      ? was.link === undefined
      : was.delivery?.status === 'FAILED' && was.link?.state === 'SUBMITTED';
  const isAgain = reason === 'RESENT' || (reason === 'READDRESSED' && !isOwed);
  if (isAgain) {
    assert.ok(isLinkLive(was.link) && atMs < was.link!.expiresAtMs);
    assert.ok(atMs >= was.link!.madeAtMs + RESEND_AFTER_MS, 'two e-mails at once');
  }
  assert.deepEqual(made, {
    version,
    state: 'WAITING',
    mail: 'QUEUED',
    expiresAtMs: isAgain ? was.link!.expiresAtMs : expiresAtMs,
    resends: isAgain ? was.link!.resends + 1 : 0,
  });
  assert.equal(is.status, was.status === 'DONE' ? 'DONE' : 'READY');
}
