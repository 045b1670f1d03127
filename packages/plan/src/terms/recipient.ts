import type { MaskedRecipient, RegisteredVersion } from '@fairway/recipients';

export {
  canonicalRecipient,
  type MaskedRecipient,
  maskRecipient,
  type Recipient,
  type RecipientType,
} from '@fairway/recipients';

/** The recipient of a plan, masked. `registeredAs`: the version of a registered recipient that it was taken from. */
export type PlannedRecipient = MaskedRecipient & { readonly registeredAs?: RegisteredVersion };
