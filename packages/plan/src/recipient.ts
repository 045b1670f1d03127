export {
  canonicalRecipient,
  type MaskedRecipient,
  maskRecipient,
  type Recipient,
  type RecipientType,
} from '@fairway/recipients';
