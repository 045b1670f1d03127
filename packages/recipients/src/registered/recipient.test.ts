import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decideRegistered,
  type MaskedRecipient,
  newRegistered,
  type RecipientId,
  type RegisteredChange,
  recipientEventType,
  type RegisteredRecipient,
} from '../index.ts';

const AT_MS = Date.UTC(2026, 2, 1);
const ID = `rcp_${'0'.repeat(32)}` as RecipientId;
const masked = (fingerprint: string): MaskedRecipient => ({
  type: 'email',
  email: 'j***@example.com',
  fingerprint,
});
const made = newRegistered(
  { recipientId: ID, label: 'Rent', metadata: { a: '1', b: '2' }, recipient: masked('one') },
  { by: 'maker', needsApproval: false },
  AT_MS,
);
const CHECK = { provider: 'P', result: 'MATCH', checkedAtMs: AT_MS, reference: 'R' } as const;

function after(
  registered: RegisteredRecipient,
  change: RegisteredChange,
  atMs = AT_MS + 1,
): RegisteredRecipient {
  const decision = decideRegistered(registered, change, atMs);
  assert.ok(decision.ok && decision.outcome === 'CHANGED', JSON.stringify(decision));
  assert.equal(decision.registered.revision, registered.revision + 1);
  assert.equal(decision.registered.updatedAtMs, atMs);
  return decision.registered;
}

const outcomeOf = (registered: RegisteredRecipient, change: RegisteredChange) => {
  const decision = decideRegistered(registered, change, AT_MS + 2);
  return decision.ok ? decision.outcome : decision.reason;
};
const edit = (more: object): RegisteredChange => ({ type: 'EDITED', ...more });
const details = (recipient: MaskedRecipient, isSame = false) =>
  edit({ details: { recipient, isSame, by: 'maker', needsApproval: false, version: 2 } });

test('a new recipient is ACTIVE, at its first version and revision', () => {
  assert.deepEqual([made.status, made.version, made.revision, made.detailsAtMs], ['ACTIVE', 1, 1, AT_MS]);
  assert.equal(recipientEventType(undefined, 'EDITED'), 'recipient.created');
});

test('a label and metadata change without a new version, and the check of the details stays', () => {
  const checked = after(made, { type: 'VERIFIED', verification: CHECK });
  const labelled = after(checked, edit({ label: 'Office' }));
  assert.deepEqual([labelled.label, labelled.version, labelled.verification], ['Office', 1, CHECK]);
  assert.equal(after(labelled, edit({ label: null })).label, undefined);
  assert.deepEqual(after(labelled, edit({ metadata: {} })).metadata, {});
  assert.equal(recipientEventType(checked, 'EDITED'), 'recipient.updated');
});

test('new details are a new version, which nobody has checked', () => {
  const checked = after(made, { type: 'VERIFIED', verification: CHECK });
  const changed = after(checked, details(masked('two')), AT_MS + 9);
  assert.deepEqual(
    [changed.version, changed.detailsAtMs, changed.verification, changed.recipient.fingerprint],
    [2, AT_MS + 9, undefined, 'two'],
  );
  // A name in another letter case has the same fingerprint, and is another name for a bank all the same.
  assert.equal(after(made, details(masked('one'))).version, 2);
});

test('what makes no difference changes nothing, whatever order it is written in', () => {
  const same: RegisteredChange[] = [
    edit({}),
    edit({ label: 'Rent' }),
    edit({ metadata: { b: '2', a: '1' } }),
    details(masked('one'), true),
  ];
  for (const change of same) assert.equal(outcomeOf(made, change), 'UNCHANGED');
  const checked = after(made, { type: 'VERIFIED', verification: CHECK });
  const { provider, ...rest } = CHECK;
  assert.equal(outcomeOf(checked, { type: 'VERIFIED', verification: { ...rest, provider } }), 'UNCHANGED');
  const again = { ...CHECK, by: 'cred_other' };
  assert.equal(outcomeOf(checked, { type: 'VERIFIED', verification: again }), 'UNCHANGED');
  assert.equal(outcomeOf(after(made, edit({ label: null })), edit({ label: null })), 'UNCHANGED');
});

test('details of another type are refused', () => {
  const bank = { type: 'bank', name: 'J.', country: 'AU', account: { accountNumberLast4: '5678' } } as const;
  assert.equal(outcomeOf(made, details({ ...bank, fingerprint: 'b' })), 'OTHER_TYPE');
});

test('a deactivated recipient takes no change, and deactivating it again is no error', () => {
  const gone = after(made, { type: 'DEACTIVATED' });
  assert.equal(gone.status, 'DEACTIVATED');
  assert.equal(recipientEventType(made, 'DEACTIVATED'), 'recipient.deactivated');
  assert.equal(outcomeOf(gone, { type: 'DEACTIVATED' }), 'UNCHANGED');
  assert.equal(outcomeOf(gone, edit({ label: 'Rent' })), 'UNCHANGED');
  assert.equal(outcomeOf(gone, edit({ label: 'Other' })), 'NOT_ACTIVE');
  assert.equal(outcomeOf(gone, details(masked('two'))), 'NOT_ACTIVE');
  assert.equal(outcomeOf(gone, { type: 'VERIFIED', verification: CHECK }), 'NOT_ACTIVE');
});

test('only a deactivated recipient is erased, once, and nothing of it changes any more', () => {
  const erase = { type: 'ERASED', cause: 'REQUESTED' } as const;
  assert.equal(outcomeOf(made, erase), 'NOT_DEACTIVATED');
  const erased = after(after(made, { type: 'DEACTIVATED' }), erase);
  assert.equal(erased.status, 'ERASED');
  assert.equal(recipientEventType(made, 'ERASED'), 'recipient.erased');
  for (const again of [erase, { type: 'DEACTIVATED' } as const])
    assert.equal(outcomeOf(erased, again), 'UNCHANGED');
  assert.equal(outcomeOf(erased, edit({ label: 'Other' })), 'NOT_ACTIVE');
  assert.equal(outcomeOf(erased, details(masked('two'))), 'NOT_ACTIVE');
  assert.equal(outcomeOf(erased, { type: 'APPROVED', by: 'x', version: 1 }), 'NOT_WAITING');
});

test('an erasure that a restore has lost needs no deactivation, and ends a version that waits', () => {
  const waits = after(made, {
    ...{ type: 'EDITED' },
    details: { recipient: masked('two'), isSame: false, by: 'maker', needsApproval: true, version: 2 },
  });
  assert.ok(waits.standing !== undefined);
  const erased = after(waits, { type: 'ERASED', cause: 'LOST' });
  assert.deepEqual([erased.status, erased.standing], ['ERASED', undefined]);
});
