import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressEnds, type Likeness, newRegistered, type RecipientId, registeredWarnings } from '../index.ts';

const HOUR_MS = 3_600_000;
const AT_MS = Date.UTC(2026, 2, 1);
const idOf = (digit: string) => `rcp_${digit.repeat(32)}` as RecipientId;
const RECIPIENT = { type: 'email', email: 'j***@example.com', fingerprint: 'f' } as const;
const SET = { by: 'cred_1', needsApproval: false };
const made = newRegistered({ recipientId: idOf('0'), metadata: {}, recipient: RECIPIENT }, SET, AT_MS);
const standing = (more: object, likeness: Likeness = {}, isPaid = false) => ({
  registered: { ...made, ...more },
  likeness,
  isPaid,
});
const codes = (more: object, likeness: Likeness = {}, isPaid = false, nowMs = AT_MS + HOUR_MS) =>
  registeredWarnings(standing(more, likeness, isPaid), nowMs).map(({ code }) => code);

test('a recipient is a first payment until one is completed, whatever plans were made', () => {
  assert.deepEqual(codes({}), ['FIRST_PAYMENT']);
  assert.deepEqual(codes({ lastUsedAtMs: AT_MS }), ['FIRST_PAYMENT']);
  assert.deepEqual(codes({}, {}, true), []);
});

test('changed details are a first payment again, and new for 72 hours', () => {
  const changed = { version: 2, detailsAtMs: AT_MS };
  assert.deepEqual(codes(changed, {}, false, AT_MS + 72 * HOUR_MS - 1), [
    'DETAILS_CHANGED_RECENTLY',
    'FIRST_PAYMENT',
  ]);
  assert.deepEqual(codes(changed, {}, false, AT_MS + 72 * HOUR_MS), ['FIRST_PAYMENT']);
  assert.deepEqual(codes(changed, {}, true, AT_MS + 72 * HOUR_MS), []);
});

test('a warning names what was compared, and a plan in its sentence', () => {
  const likeness: Likeness = {
    lookalike: { recipientId: idOf('1') },
    duplicate: { recipientId: idOf('2'), status: 'DEACTIVATED' },
  };
  const [lookalike, duplicate] = registeredWarnings(standing({}, likeness, true), AT_MS);
  assert.deepEqual([lookalike?.code, lookalike?.recipientId], ['LOOKALIKE_ADDRESS', idOf('1')]);
  assert.deepEqual([duplicate?.code, duplicate?.recipientId], ['DUPLICATE_DETAILS', idOf('2')]);
  assert.match(duplicate?.detail ?? '', /which is DEACTIVATED, has the same details/);
  const [ofPlan] = registeredWarnings(standing({}, { lookalike: { planId: 'plan_1' } }, true), AT_MS);
  assert.equal(ofPlan?.recipientId, undefined);
  assert.match(ofPlan?.detail ?? '', /of the plan plan_1/);
});

test('no payment, no warnings: but a recipient that waits has them for who approves it', () => {
  assert.deepEqual(codes({ status: 'PENDING_APPROVAL' }), ['FIRST_PAYMENT']);
  assert.deepEqual(codes({ status: 'REJECTED' }), []);
  assert.deepEqual(codes({ status: 'DEACTIVATED' }, { lookalike: { planId: 'plan_1' } }), []);
});

test('the ends of an address are its first four and last four digits', () => {
  assert.deepEqual(addressEnds('0x12ab00000000000000000000000000000000cd34'), {
    head: '0x12ab',
    tail: 'cd34',
  });
});
