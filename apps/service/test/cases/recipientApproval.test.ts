// Details of registered recipients are paid only after another credential has approved them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecipientVersion, RegisteredRecipient } from '@fairway/wire';
import { type ApprovalTest, type Login, startApprovalTest } from '../approvalHarness.ts';
import { freshReference } from '../paymentsHarness.ts';
import { assertRefused, auBank, recipientsOn } from '../recipientsHarness.ts';

let place: ApprovalTest;
let maker: Login;
let other: Login;
let free: Login;
before(async () => {
  place = await startApprovalTest();
  [maker, other, free] = await Promise.all([place.login('Acme'), place.login('Acme'), place.login('Birch')]);
});
after(() => place?.close());

const as = ({ authorization }: Login) => recipientsOn(place.running, authorization);
const judge = (
  who: Login,
  { recipientId }: RegisteredRecipient,
  verb: string,
  version: number,
  ifMatch?: string,
) => as(who).call('POST', `/v1/recipients/${recipientId}/${verb}`, { version }, ifMatch);
const approve = (who: Login, registered: RegisteredRecipient, version = registered.version) =>
  judge(who, registered, 'approve', version);
const reject = (who: Login, registered: RegisteredRecipient, version = registered.version) =>
  judge(who, registered, 'reject', version);
const keep = (who: Login, more: object = {}) => as(who).save({ recipient: auBank(), ...more });

function pay(who: Login, recipient: object, clientReference = freshReference()) {
  const collects = 'email' in recipient;
  return as(who).call('POST', '/v1/payments', {
    clientReference,
    corridorId: collects ? 'usdc-aud-collect' : 'usdc-aud-bank',
    amountIn: '20000000',
    recipient,
    options: { mode: collects ? 'DIGITAL_COLLECT' : 'STANDARD' },
  });
}
const named = ({ recipientId }: RegisteredRecipient) => ({ type: 'saved', recipientId });
const NOT_APPROVED = [400, 'recipient-not-approved'] as const;

test('details wait, and are paid once another credential has approved them', async () => {
  const registered = await keep(maker);
  assert.deepEqual([registered.status, registered.detailsBy], ['PENDING_APPROVAL', maker.username]);
  assert.deepEqual(
    registered.warnings.map(({ code }) => code),
    ['FIRST_PAYMENT'],
  );
  assertRefused(await pay(maker, named(registered)), NOT_APPROVED, ['/recipient/recipientId']);
  assertRefused(await approve(maker, registered), [403, 'own-approval']);
  assertRefused(await reject(maker, registered), [403, 'own-approval']);
  const { registered: approved, headers } = await approve(other, registered);
  assert.deepEqual([approved.status, approved.revision, headers.get('etag')], ['ACTIVE', 2, '"2"']);
  assert.deepEqual([approved.approval?.result, approved.approval?.by], ['APPROVED', other.username]);
  assert.deepEqual(
    (await approve(other, registered)).registered,
    approved,
    'a repeated request changes nothing',
  );
  assertRefused(await reject(other, registered), [409, 'approval-not-due']);
  assert.equal((await pay(maker, named(registered))).status, 200);
  const types = (await as(maker).events(registered, 2)).map(({ type }) => type);
  assert.deepEqual(types, ['recipient.created', 'recipient.approved']);
});

test('new details wait while no plan is made, and their rejection brings the former back', async () => {
  const first = await keep(maker);
  await approve(other, first);
  const second = (await as(other).patch(first, { recipient: auBank('Orla Finch') })).registered;
  assert.deepEqual(
    [second.status, second.version, second.approval, second.detailsBy],
    ['PENDING_APPROVAL', 2, undefined, other.username],
  );
  assertRefused(await pay(maker, named(first)), NOT_APPROVED, ['/recipient/recipientId']);
  assertRefused(await approve(maker, first), [409, 'approval-not-due']);
  const { registered: back } = await reject(maker, second);
  assert.deepEqual(
    [back.status, back.version, back.revision, back.recipient],
    ['ACTIVE', 1, 4, first.recipient],
  );
  assert.equal(back.approval?.by, other.username);
  assert.equal((await pay(maker, named(first))).status, 200);
  const third = (await as(maker).patch(first, { recipient: auBank() })).registered;
  assert.deepEqual(
    [third.version, third.status],
    [3, 'PENDING_APPROVAL'],
    'a number means one set of details',
  );
  assert.equal((await approve(other, third)).registered.version, 3);
  const { json } = await as(maker).versions(first);
  const versions = (json as { data: RecipientVersion[] }).data;
  assert.deepEqual(
    versions.map(({ version, createdBy, approval }) => [version, createdBy, approval?.result]),
    [
      [3, maker.username, 'APPROVED'],
      [2, other.username, 'REJECTED'],
      [1, maker.username, 'APPROVED'],
    ],
  );
  const types = (await as(maker).events(first, 6)).map(({ type }) => type.split('.')[1]);
  assert.deepEqual(types, ['created', 'approved', 'updated', 'rejected', 'updated', 'approved']);
});

test('a recipient whose only details are rejected takes new ones, which wait again', async () => {
  const registered = await keep(maker);
  const { registered: rejected } = await reject(other, registered);
  assert.deepEqual([rejected.status, rejected.warnings], ['REJECTED', []]);
  assert.deepEqual(
    (await reject(other, registered)).registered,
    rejected,
    'a repeated request changes nothing',
  );
  assertRefused(await pay(maker, named(registered)), NOT_APPROVED, ['/recipient/recipientId']);
  assertRefused(await approve(other, registered), [409, 'approval-not-due']);
  const corrected = (await as(maker).patch(registered, { recipient: auBank() })).registered;
  assert.deepEqual([corrected.status, corrected.version], ['PENDING_APPROVAL', 2]);
  assert.match(
    (await approve(other, registered)).problem.detail,
    /^You named version 1; version 2 waits for approval\. Look at it, and send its number\.$/,
  );
  assert.equal((await approve(other, corrected)).registered.status, 'ACTIVE');
  assert.equal((await as(maker).remove(corrected)).registered.status, 'DEACTIVATED');
  assertRefused(await approve(maker, corrected), [409, 'approval-not-due']);
});

test('plans with own details are refused, but for e-mailed recipients and other organisations', async () => {
  assertRefused(await pay(maker, auBank()), NOT_APPROVED, ['/recipient']);
  assert.equal((await pay(maker, { type: 'email', email: 'orla@example.com' })).status, 200);
  const byMail = await as(maker).save({ recipient: { type: 'email', email: 'orla@example.com' } });
  assert.equal(byMail.status, 'ACTIVE');
  assert.equal((await pay(free, auBank())).status, 200);
  assert.equal((await keep(free)).status, 'ACTIVE');
});

test('another account of a plan is a registered and approved one', async () => {
  const registered = await keep(maker);
  await approve(other, registered);
  const { planId } = (await pay(maker, named(registered))).json as { planId: string };
  const replace = (recipient: object) =>
    as(maker).call('POST', `/v1/payments/${planId}/again`, { recipient });
  assertRefused(await replace(auBank()), NOT_APPROVED, ['/recipient']);
  const waiting = await keep(maker);
  assertRefused(await replace(named(waiting)), NOT_APPROVED, ['/recipient/recipientId']);
  await approve(other, waiting);
  // The details are approved now. The plan refuses another account, because no payment has failed.
  assertRefused(await replace(named(waiting)), [409, 'step-not-ready']);
});

test('a request that was acknowledged is answered, whatever became of its recipient', async () => {
  const clientReference = freshReference();
  const registered = await keep(maker, { clientReference });
  await approve(other, registered);
  const reference = freshReference();
  const { json: plan } = await pay(maker, named(registered), reference);
  await as(maker).patch(registered, { recipient: auBank() });
  assertRefused(await pay(maker, named(registered)), NOT_APPROVED, ['/recipient/recipientId']);
  const again = await pay(maker, named(registered), reference);
  assert.equal(again.status, 200);
  assert.equal((again.json as { planId: string }).planId, (plan as { planId: string }).planId);
});

test('the maker stays the maker with another password, and when it is revoked', async () => {
  const leaving = await place.login('Acme');
  const [one, two] = [await keep(leaving), await keep(leaving)];
  const rotated = await place.rotate(leaving.username);
  assertRefused(await approve(rotated, one), [403, 'own-approval']);
  await place.revoke(leaving.username);
  assert.equal((await approve(other, one)).registered.status, 'ACTIVE');
  assert.equal((await reject(other, two)).registered.status, 'REJECTED');
  const reader = await place.login('Acme', 'recipients:read,recipients:write');
  assertRefused(await approve(reader, await keep(maker)), [403, 'forbidden']);
});

test('who approves and who changes details at the same time: never are unseen details paid', async () => {
  for (let round = 0; round < 20; round++) {
    const registered = await keep(maker);
    // Two connections: the request of either may come first.
    const [changed, approved] = await Promise.all([
      as(maker).patch(registered, { recipient: auBank('Mallory Finch') }),
      approve(other, registered),
    ]);
    assert.equal(changed.status, 200);
    if (approved.status !== 200) assertRefused(approved, [409, 'approval-not-due']);
    const now = await as(maker).get(registered);
    assert.deepEqual([now.status, now.version], ['PENDING_APPROVAL', 2]);
    assertRefused(await pay(maker, named(registered)), NOT_APPROVED, ['/recipient/recipientId']);
    const [own, anothers] = await Promise.all([approve(maker, now), approve(other, now)]);
    assert.equal(own.status, anothers.status === 200 && own.problem.code === 'approval-not-due' ? 409 : 403);
    assert.deepEqual([anothers.status, anothers.registered.approval?.by], [200, other.username]);
  }
});

test('what waits goes on waiting when the setting ends, and what is paid goes on when it begins', async () => {
  const waiting = await keep(maker);
  await place.restart(undefined);
  assertRefused(await pay(maker, named(waiting)), NOT_APPROVED, ['/recipient/recipientId']);
  assertRefused(await approve(maker, waiting), [403, 'own-approval']);
  assert.equal((await approve(other, waiting)).registered.status, 'ACTIVE');
  const unseen = await keep(maker);
  assert.equal(unseen.status, 'ACTIVE');
  const reference = freshReference();
  const details = auBank();
  assert.equal((await pay(maker, details, reference)).status, 200);
  await place.restart('REQUIRED');
  assert.equal((await pay(maker, named(unseen))).status, 200);
  assert.equal((await pay(maker, details, reference)).status, 200, 'a repeated request');
  assertRefused(await pay(maker, details), NOT_APPROVED, ['/recipient']);
  const labelled = (await as(maker).patch(unseen, { label: 'Office' })).registered;
  assert.equal(labelled.status, 'ACTIVE');
  assert.equal(
    (await as(maker).patch(unseen, { recipient: auBank() })).registered.status,
    'PENDING_APPROVAL',
  );
});
