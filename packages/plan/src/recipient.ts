import type { MaskedRecipient, SavedVersion } from '@fairway/recipients';

export {
  canonicalRecipient,
  type MaskedRecipient,
  maskRecipient,
  type Recipient,
  type RecipientType,
} from '@fairway/recipients';

/** The recipient of a plan, masked. `savedAs`: the version of a saved recipient that it was taken from. */
export type PlannedRecipient = MaskedRecipient & { readonly savedAs?: SavedVersion };
