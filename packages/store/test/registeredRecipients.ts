import assert from 'node:assert/strict';
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { canonicalRecipient, maskRecipient, type Recipient, type RecipientId } from '@fairway/recipients';
import type { KeptRecipient, RegisteredCreation, Store } from '../src/index.ts';
import { MADE_AT_MS, RECIPIENT } from './plans.ts';
import type { TestStore } from './storeOfTest.ts';

/** Who made the registered recipients of tests, and when. */
export const SAVER = { actor: 'cred_saver', atMs: MADE_AT_MS };

/** Full details of a wallet. */
export function walletDetails(address: `0x${string}` = `0x${randomBytes(20).toString('hex')}`): Recipient {
  return { type: 'wallet', chainId: 31337, address };
}

type Place = Pick<TestStore, 'scope'> & { readonly store: Pick<Store, 'fingerprint'> };

/** Details with the fingerprint of a store. */
export function maskedBy({ store, scope }: Place, details: Recipient) {
  const fingerprint = store.fingerprint('recipient', scope.organisationId, canonicalRecipient(details));
  return maskRecipient(details, fingerprint.toString('base64url'));
}

/** What a registered recipient is made of. */
export function registeredCreation(
  place: Place,
  {
    details = RECIPIENT,
    clientReference,
    needsApproval = false,
  }: { details?: Recipient; clientReference?: string; needsApproval?: boolean } = {},
): RegisteredCreation {
  const { store, scope } = place;
  const recipientId = `rcp_${randomUUIDv7().replaceAll('-', '')}` as RecipientId;
  const recipient = maskedBy(place, details);
  const making = { recipientId, label: 'Rent', metadata: { order: '7' }, recipient };
  if (clientReference === undefined) return { making, details, needsApproval, bodyFingerprint: undefined };
  return {
    making: { ...making, clientReference },
    details,
    needsApproval,
    bodyFingerprint: store.fingerprint('request', scope.organisationId, clientReference),
  };
}

/** Keeps a new recipient. */
export async function save(
  bench: Pick<TestStore, 'store' | 'scope'>,
  given: Parameters<typeof registeredCreation>[1] = {},
): Promise<KeptRecipient> {
  const made = await bench.store.recipients.createRecipient(
    bench.scope,
    registeredCreation(bench, given),
    SAVER,
  );
  assert.ok(made.outcome === 'CREATED');
  return made.kept;
}
