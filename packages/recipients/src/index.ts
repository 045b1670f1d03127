export type { AccountField } from './kinds/accountKind.ts';
export type { FormatCheck } from './kinds/formatCheck.ts';
export {
  type AccountFieldName,
  accountFieldsOf,
  canonicalRecipient,
  type MaskedRecipient,
  maskRecipient,
  normalRecipient,
  type Recipient,
  type RecipientFacts,
  recipientSchema,
  type RecipientType,
  type RecipientWord,
} from './recipient.ts';
export { type RecipientFault, recipientFaults } from './recipientFaults.ts';
export { createRecipientFormats } from './recipientFormats.ts';
export type { RecipientField, RecipientGroup, RecipientSchema } from './kinds/schema.ts';
export {
  type Approval,
  decideRegistered,
  newRegistered,
  type PayeeCheck,
  type RecipientId,
  type RegisteredChange,
  type RegisteredDecision,
  type RegisteredMaking,
  type RecipientEventType,
  recipientEventType,
  type RegisteredRecipient,
  type RegisteredStatus,
  type RegisteredVersion,
  type VersionDetails,
} from './registered/recipient.ts';
export {
  type AddressEnds,
  addressEnds,
  type Likeness,
  likenessWarnings,
  type RegisteredWarning,
  type RegisteredStanding,
  registeredWarnings,
} from './registered/warnings.ts';
export { end, initials } from './kinds/masking.ts';
export { withoutSeparators } from './kinds/spelling.ts';
export { accountNumberOf } from './types/bank.ts';
export { isEmailAddress } from './types/email.ts';
export { EVM_ADDRESS_PATTERN } from './types/wallet.ts';
