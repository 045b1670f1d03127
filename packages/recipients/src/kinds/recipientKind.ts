import type { RecipientShape } from './schema.ts';

/** The parts of a canonical text. */
export type Members = readonly (string | number | null | Members)[];

/** Everything that is known of one type of recipient. */
export type RecipientKind<Facts, Recipient, Masked> = {
  /** The fields, in the order of a form. */
  readonly shape: (facts: Facts) => RecipientShape;
  /** The recipient in the one spelling that is kept. The recipient is valid. */
  readonly normal: (recipient: Recipient) => Recipient;
  /** Equal for every spelling of the same details. Fingerprints are made of it, so it must never change. */
  readonly canonical: (recipient: Recipient) => Members;
  /** The part that is shown outside the sealed record: enough to recognise a recipient, not enough to pay. */
  readonly mask: (recipient: Recipient, fingerprint: string) => Masked;
};
