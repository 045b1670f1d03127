export type { MaskedRecipient, Recipient, RecipientType } from './recipient.ts';
