import type { PayeeCheck, RegisteredChange } from '@fairway/recipients';
import { CHECK_RESULTS, LIMITS } from '@fairway/wire';
import { defined } from '@fairway/values';
import {
  addError,
  complete,
  type FieldReader,
  type Fields,
  integerField,
  optional,
  required,
  referenceField,
  textField,
  timestampField,
  wordField,
} from '@fairway/api';
import { type GivenRecipient, metadataField, recipientField } from '../payments/index.ts';

/** A request to keep a recipient. The details are not checked yet. */
export type RecipientRequest = {
  readonly recipient: GivenRecipient;
  readonly clientReference?: string;
  readonly label?: string;
  readonly metadata: Readonly<Record<string, string>>;
};

/** A request to change a recipient. The details are not checked yet. */
export type RecipientEdit = Omit<Extract<RegisteredChange, { type: 'EDITED' }>, 'type' | 'details'> & {
  readonly recipient?: GivenRecipient;
};

/** Details to look at. */
export type ValidationRequest = { readonly recipient: GivenRecipient; readonly corridorId?: string };

const labelField = textField(LIMITS.labelLength);

/** Reads a request to keep a recipient; undefined when a field is wrong. */
export function readRecipientRequest(fields: Fields): RecipientRequest | undefined {
  const recipient = required(fields, 'recipient', recipientField);
  const clientReference = optional(fields, 'clientReference', referenceField(LIMITS.clientReferenceLength));
  const label = optional(fields, 'label', labelField);
  const metadata = optional(fields, 'metadata', metadataField) ?? {};
  const read = complete(fields, { recipient });
  return read && { ...read, metadata, ...defined({ clientReference, label }) };
}

/** Reads a request to change a recipient; undefined when a field is wrong. */
export function readRecipientEdit(fields: Fields): RecipientEdit | undefined {
  const recipient = optional(fields, 'recipient', recipientField);
  const label = optional(fields, 'label', orNull(labelField));
  const metadata = optional(fields, 'metadata', metadataField);
  return fields.errors.length > 0 ? undefined : defined({ recipient, label, metadata });
}

function orNull<T>(reader: FieldReader<T>): FieldReader<T | null> {
  return {
    must: `${reader.must}, or null`,
    read: (given, origin) => (given === null ? { ok: true, value: null } : reader.read(given, origin)),
  };
}

/** Reads details to look at; undefined when a field is wrong. */
export function readValidation(fields: Fields): ValidationRequest | undefined {
  const recipient = required(fields, 'recipient', recipientField);
  const corridorId = optional(fields, 'corridorId', textField(64));
  const read = complete(fields, { recipient });
  return read && { ...read, ...defined({ corridorId }) };
}

const versionField = integerField({ minimum: 1, maximum: LIMITS.recipientVersion });

/** Reads which version is decided about; undefined when a field is wrong. */
export function readJudgedVersion(fields: Fields): { readonly version: number } | undefined {
  return complete(fields, { version: required(fields, 'version', versionField) });
}

/** How much a clock that is not ours may be ahead. */
const TOLERANCE_MS = 60_000;

/** Reads a check of a payee; undefined when a field is wrong. */
export function readPayeeCheck(fields: Fields, nowMs: number): PayeeCheck | undefined {
  const provider = required(fields, 'provider', textField(LIMITS.checkProviderLength));
  const result = required(fields, 'result', wordField(CHECK_RESULTS));
  const checkedAtMs = required(fields, 'checkedAt', timestampField);
  const reference = required(fields, 'reference', referenceField(LIMITS.providerReferenceLength));
  if (checkedAtMs !== undefined && checkedAtMs > nowMs + TOLERANCE_MS)
    addError(fields, 'checkedAt', 'checkedAt must not be in the future.');
  return complete(fields, { provider, result, checkedAtMs, reference });
}
