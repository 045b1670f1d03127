import { Type } from 'typebox';
import { LIMITS } from './fields.ts';

/** Pairs of strings that the caller keeps with a plan or a recipient. */
export const Metadata = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  propertyNames: { minLength: 1, maxLength: LIMITS.metadata.nameLength },
  additionalProperties: { type: 'string', maxLength: LIMITS.metadata.valueLength },
  maxProperties: LIMITS.metadata.maximum,
  description: `Up to ${LIMITS.metadata.maximum} string pairs of the caller's own, kept as sent. Stored in clear: no personal data.`,
});
