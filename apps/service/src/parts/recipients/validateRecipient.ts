import { recipientTypesOf } from '@fairway/plan';
import { likenessWarnings, type MaskedRecipient, type RegisteredWarning } from '@fairway/recipients';
import type { PlanScope } from '@fairway/store';
import type { FieldError } from '@fairway/wire';
import { type PaymentParts, type RecipientReading, unknownCorridor } from '../payments/index.ts';
import { done, type Outcome, refuse } from '@fairway/api';
import { maskOf } from './keepRecipient.ts';
import type { ValidationRequest } from './registeredRequests.ts';

/** The judgement of details. `recipient`: as they would be kept, masked; undefined where there are errors. */
export type JudgedDetails = {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly RegisteredWarning[];
  readonly recipient: MaskedRecipient | undefined;
};

/** Looks at details. Nothing is kept. */
export async function validateRecipient(
  parts: PaymentParts,
  scope: PlanScope,
  request: ValidationRequest,
): Promise<Outcome<JudgedDetails>> {
  const read = readFor(parts, request);
  if (!read.ok) return read;
  if (!read.value.ok) return done({ errors: read.value.errors, warnings: [], recipient: undefined });
  const recipient = maskOf(parts, scope, read.value.recipient);
  const found = await parts.store.recipients.likenessOf(scope, {
    fingerprint: Buffer.from(recipient.fingerprint, 'base64url'),
    address: recipient.type === 'wallet' ? recipient.address : undefined,
  });
  return done({ errors: [], warnings: likenessWarnings(found.likeness), recipient });
}

/** Reads details for a corridor, or for any. */
function readFor(
  { corridors }: PaymentParts,
  { corridorId, recipient: { plain } }: ValidationRequest,
): Outcome<RecipientReading> {
  if (corridorId === undefined) return done(corridors.readKept(plain));
  const corridor = corridors.find(corridorId);
  if (corridor === undefined) return refuse(unknownCorridor(corridorId));
  const types = corridor.modes.flatMap((mode) => recipientTypesOf(corridor, mode));
  return done(corridors.readRecipient(corridor, types, plain));
}
