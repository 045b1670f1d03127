import type { RecipientShape } from './schema.ts';

/** What a canonical text is made of. */
export type Members = readonly (string | number | null | Members)[];

/** Everything there is to know of one type of recipient. */
export type RecipientKind<Facts, Recipient, Masked> = {
  /** The fields, in the order of a form. */
  readonly shape: (facts: Facts) => RecipientShape;
  /** The one spelling that is kept of a valid recipient. */
  readonly normal: (recipient: Recipient) => Recipient;
  /** Equal for every spelling of the same details. Fingerprints are made of it: it never changes. */
  readonly canonical: (recipient: Recipient) => Members;
  /** What is shown of a recipient outside the sealed record: enough to recognise, not enough to pay. */
  readonly mask: (recipient: Recipient, fingerprint: string) => Masked;
};
