import { randomUUIDv7 } from 'node:crypto';
import { canonicalRecipient, maskRecipient, type Recipient } from '@fairway/plan';
import { defined } from '@fairway/values';
import type { RecipientId } from '@fairway/recipients';
import type { KeptRecipient, PlanScope, ReferredRecipient } from '@fairway/store';
import { contextOf, needsApproval, type PaymentParts } from '../payments/index.ts';
import { type Acting, done, invalidFields, type Outcome, referenceReused, refuse } from '@fairway/api';
import type { RecipientRequest } from './registeredRequests.ts';

/** The recipient of a request. `isReplayed`: an earlier request with the same reference made it. */
export type Kept = { readonly kept: KeptRecipient; readonly isReplayed: boolean };

/**
 * Keeps a recipient, one for each reference. The reference is looked up first: a request that was acknowledged is answered with its
 * recipient, whatever today's rules or corridors say of it.
 */
export async function keepRecipient(
  parts: PaymentParts,
  acting: Acting,
  request: RecipientRequest,
): Promise<Outcome<Kept>> {
  const { scope } = acting;
  const { clientReference, label, metadata } = request;
  if (clientReference !== undefined) {
    const before = await parts.store.recipients.findRecipientByReference(scope, clientReference);
    if (before.found !== undefined) return replayed(parts, scope, request, before.found);
  }
  const read = parts.corridors.readKept(request.recipient.plain);
  if (!read.ok) return refuse({ ...invalidFields(read.errors), code: 'recipient-invalid' });
  const rules = await parts.organisationOf(scope.organisationId);
  const recipientId = `rcp_${randomUUIDv7().replaceAll('-', '')}` as RecipientId;
  const recipient = maskOf(parts, scope, read.recipient);
  const created = await parts.store.recipients.createRecipient(
    scope,
    {
      making: { recipientId, recipient, metadata, ...defined({ clientReference, label }) },
      details: read.recipient,
      needsApproval: needsApproval(rules, read.recipient.type),
      bodyFingerprint:
        clientReference === undefined ? undefined : fingerprintOf(parts, scope, request, read.recipient),
    },
    contextOf(parts, acting),
  );
  if (created.outcome === 'EXISTS') return replayed(parts, scope, request, created);
  return done({ kept: created.kept, isReplayed: false });
}

/** Details as they are shown, with the fingerprint of the organisation. */
export function maskOf({ store }: PaymentParts, { organisationId }: PlanScope, recipient: Recipient) {
  const fingerprint = store.fingerprint('recipient', organisationId, canonicalRecipient(recipient));
  return maskRecipient(recipient, fingerprint.toString('base64url'));
}

/** Equal for requests with the same meaning. Key order, spelling and metadata make no difference, as with payments. */
function fingerprintOf(
  { store }: PaymentParts,
  { organisationId }: PlanScope,
  { clientReference, label }: RecipientRequest,
  recipient: Recipient,
): Buffer {
  const text = JSON.stringify(['recipient', clientReference, label ?? null, canonicalRecipient(recipient)]);
  return store.fingerprint('request', organisationId, text);
}

/** The recipient that was made earlier with the reference, if by the same request. */
async function replayed(
  parts: PaymentParts,
  scope: PlanScope,
  request: RecipientRequest,
  { kept, bodyFingerprint }: ReferredRecipient,
): Promise<Outcome<Kept>> {
  const first = await firstOf(parts, scope, kept);
  if (!first.ok) return first;
  const recipient = parts.corridors.readEarlierKept(first.value, request.recipient.plain);
  const isSame =
    recipient !== undefined &&
    bodyFingerprint?.equals(fingerprintOf(parts, scope, request, recipient)) === true;
  if (isSame) return done({ kept, isReplayed: true });
  const name = JSON.stringify(request.clientReference);
  const { recipientId } = kept.registered;
  const detail =
    bodyFingerprint === undefined
      ? `clientReference ${name} made the recipient ${recipientId}, and whether by this request cannot be told any more; ` +
        'read the recipient before you send this one under a reference of its own.'
      : `clientReference ${name} made the recipient ${recipientId}, with other details or another label; send this one under a reference of its own, or change that one with PATCH.`;
  return referenceReused(detail);
}

/** The mask of the details that the recipient was made with. */
async function firstOf(
  { store }: PaymentParts,
  scope: PlanScope,
  { registered }: KeptRecipient,
): Promise<Outcome<KeptRecipient['registered']['recipient']>> {
  if (registered.version === 1) return done(registered.recipient);
  const listed = await store.recipients.listVersions(scope, registered.recipientId, { limit: 1, before: 2 });
  const [first] = listed.found?.versions ?? [];
  if (first === undefined) throw new Error('A registered recipient must have a first version.');
  return done(first.recipient);
}
