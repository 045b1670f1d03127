import assert from 'node:assert/strict';
import type { KeptRecipient } from '../src/index.ts';
import { contextAt } from './collecting.ts';
import { deposit, evidence, hashOf, MADE_AT_MS, newPlan, RECIPIENT, stepId, swap } from './plans.ts';
import { save, registeredCreation, SAVER } from './registeredRecipients.ts';
import type { TestStore } from './storeOfTest.ts';

const BY = contextAt(MADE_AT_MS);
const ADDRESS = `0x${'0a'.repeat(20)}` as const;

/** Calls every operation on registered recipients, and what is told and listed of them. */
export async function useRecipients(bench: TestStore): Promise<void> {
  const { recipients, payments } = bench.store;
  const { scope } = bench;
  const { registered } = await save(bench, { clientReference: 'used' });
  const { recipientId, version, recipient } = registered;
  await recipients.createRecipient(scope, registeredCreation(bench, { clientReference: 'used' }), SAVER);
  await recipients.findRecipientByReference(scope, 'used');
  await recipients.loadRecipient(scope, recipientId);
  const filter = { status: 'ACTIVE', type: 'bank', country: 'AU', clientReference: 'used', q: 'u' } as const;
  await recipients.listRecipients(scope, filter, { limit: 1, after: 'rcp_z' });
  const details = { recipient, full: { ...RECIPIENT, name: 'Other' }, needsApproval: true };
  const verification = { provider: 'P', result: 'MATCH', checkedAtMs: 1, reference: 'R' } as const;
  const registeredAs = { recipientId, version };
  await bench.create(newPlan({ recipient: { ...recipient, registeredAs } }));
  const failing = await bench.create();
  await bench.change(failing, deposit(failing, hashOf('in of the saved')));
  await bench.change(failing, swap(failing, evidence(hashOf('out of the saved'), 10n ** 77n)));
  const id = stepId(failing, 'CUSTODIAN_PAYOUT');
  await bench.change(failing, { type: 'PAYOUT_FAILED', stepId: id, failure: { code: 'ACCOUNT_CLOSED' } });
  const told = { type: 'RECIPIENT_REPLACED', stepId: id, recipient: { ...recipient, registeredAs } } as const;
  const replaced = await payments.replaceRecipient(
    scope,
    failing.planId,
    { ...told, endToEndId: 'FW-3' },
    RECIPIENT,
    BY,
  );
  assert.ok(replaced.ok && replaced.outcome === 'CHANGED');
  await payments.listPlans(scope, { recipientId, status: 'ACTION_REQUIRED' }, { limit: 1 });
  const other = { ...SAVER, actor: 'cred_other' };
  for (const change of [{ type: 'EDITED', details } as const, { type: 'VERIFIED', verification } as const])
    assert.ok((await recipients.changeRecipient(scope, recipientId, change, SAVER)).ok);
  const approval = { type: 'APPROVED', version: 2 } as const;
  assert.ok((await recipients.changeRecipient(scope, recipientId, approval, other)).ok);
  await recipients.listVersions(scope, recipientId, { limit: 1, before: 9 });
  assert.ok((await recipients.revealRegistered(scope, recipientId, SAVER)).ok);
  assert.ok((await recipients.readRegistered(scope, recipientId)).ok);
  const order = { cause: 'LOST', keepOutside: async () => undefined } as const;
  assert.ok((await recipients.eraseRecipient(scope, recipientId, order, SAVER.atMs)).ok);
  await recipients.eraseRecipient(
    scope,
    (await waitingRecipient(bench)).recipientId,
    { ...order, cause: 'REQUESTED' },
    SAVER.atMs,
  );
  await bench.store.operator.erasedRecipients({ limit: 1 });
  await bench.store.operator.republishRecipients({ sinceMs: MADE_AT_MS, limit: 1 });
  await bench.store.operator.republishEndpoints({ sinceMs: MADE_AT_MS, limit: 1 });
  const fingerprint = Buffer.from(recipient.fingerprint, 'base64url');
  await recipients.likenessOf(scope, { fingerprint, address: ADDRESS });
}

/** A deactivated recipient with a payment that came back. */
async function waitingRecipient(bench: TestStore): Promise<Pick<KeptRecipient['registered'], 'recipientId'>> {
  const { registered } = await save(bench);
  const { recipientId, version, recipient } = registered;
  const plan = await bench.create(
    newPlan({ recipient: { ...recipient, registeredAs: { recipientId, version } } }),
  );
  await bench.change(plan, deposit(plan, hashOf('in of the returned')));
  await bench.change(plan, swap(plan, evidence(hashOf('out of the returned'), 10n ** 77n)));
  const told = { stepId: stepId(plan, 'CUSTODIAN_PAYOUT'), providerReference: `of ${plan.planId}` } as const;
  await bench.change(plan, { type: 'PAYOUT_DONE', verification: 'REPORTED', ...told });
  await bench.change(plan, { type: 'PAYOUT_RETURNED', ...told });
  const { recipients } = bench.store;
  assert.ok((await recipients.changeRecipient(bench.scope, recipientId, { type: 'DEACTIVATED' }, SAVER)).ok);
  return registered;
}
