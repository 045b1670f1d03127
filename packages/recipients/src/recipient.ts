import type { AccountField } from './kinds/accountKind.ts';
import { type Account, accountKindOf } from './accounts/byCountry.ts';
import type { Members } from './kinds/recipientKind.ts';
import type { RecipientSchema, RecipientShape } from './kinds/schema.ts';
import { BANK, type BankFacts, type BankRecipient, type MaskedBank } from './types/bank.ts';
import { EMAIL, type EmailFacts, type EmailRecipient, type MaskedEmail } from './types/email.ts';
import { EMONEY, type EmoneyFacts, type EmoneyRecipient, type MaskedEmoney } from './types/emoney.ts';
import { type MaskedWallet, WALLET, type WalletFacts, type WalletRecipient } from './types/wallet.ts';

/** What decides the shape of a recipient: its type, and what the corridor pays out and where. */
export type RecipientFacts = BankFacts | WalletFacts | EmoneyFacts | EmailFacts;

/** A recipient as the integrator sent it, validated and normalised. Personal data: it leaves memory sealed alone. */
export type Recipient = BankRecipient | WalletRecipient | EmoneyRecipient | EmailRecipient;

/**
 * A recipient as the rest of the system sees it: enough to recognise, not enough to pay. `fingerprint` is equal for
 * equal details within one organisation and says nothing without the key it was made with.
 */
export type MaskedRecipient = MaskedBank | MaskedWallet | MaskedEmoney | MaskedEmail;

/** The types of recipient that a payment can name. */
export type RecipientType = Recipient['type'];

type NamesOf<Members> = Members extends unknown ? keyof Members & string : never;

/** The name of a field of any bank account. */
export type AccountFieldName = NamesOf<Account>;

type WordsOf<Members> = Members extends unknown
  ? { [Name in keyof Members]-?: string extends Members[Name] ? never : Members[Name] }[keyof Members]
  : never;

/** A word that a recipient can choose in a field. */
export type RecipientWord = WordsOf<Account> | EmoneyRecipient['idType'];

/**
 * The schema of one kind of recipient. It validates requests, is sent to integrators, and draws the form. Its patterns
 * compile with the `u` and the `v` flag (HTML uses `v`) and need no backtracking.
 *
 * @example
 * ```ts
 * import { recipientSchema } from '@fairway/recipients';
 *
 * const schema = recipientSchema({ type: 'bank', country: 'DE', usesIban: true });
 * schema.required; // ['type', 'name', 'country', 'account']
 * ```
 */
export function recipientSchema(facts: RecipientFacts): RecipientSchema {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...shapeOf(facts) };
}

function shapeOf(facts: RecipientFacts): RecipientShape {
  switch (facts.type) {
    case 'bank':
      return BANK.shape(facts);
    case 'wallet':
      return WALLET.shape(facts);
    case 'emoney':
      return EMONEY.shape(facts);
    case 'email':
      return EMAIL.shape(facts);
  }
}

/**
 * A valid recipient in the one spelling that is kept.
 *
 * @example
 * ```ts
 * import { normalRecipient } from '@fairway/recipients';
 *
 * const given = { bsb: '062-000', accountNumber: '1234 5678' };
 * const kept = normalRecipient({ type: 'bank', name: 'Jane Doe', country: 'AU', account: given });
 * if (kept.type === 'bank') kept.account; // { bsb: '062000', accountNumber: '12345678' }
 * ```
 */
export function normalRecipient(recipient: Recipient): Recipient {
  switch (recipient.type) {
    case 'bank':
      return BANK.normal(recipient);
    case 'wallet':
      return WALLET.normal(recipient);
    case 'emoney':
      return EMONEY.normal(recipient);
    case 'email':
      return EMAIL.normal(recipient);
  }
}

/**
 * A text that is equal for equal details in different spellings. Spaces, hyphens and letter case make no difference
 * in account numbers. Spaces and hyphens make none in phone numbers. Letter case makes none in addresses, domains and
 * names. The part of an e-mail address before the @ and account ids keep their case, because it may matter to their
 * issuer. The text holds all the details, so it is as secret as they are.
 *
 * @example
 * ```ts
 * import { createHmac } from 'node:crypto';
 * import { canonicalRecipient } from '@fairway/recipients';
 *
 * declare const organisationKey: Uint8Array;
 * const text = canonicalRecipient({ type: 'email', email: 'jane@EXAMPLE.com' });
 * const fingerprint = createHmac('sha256', organisationKey).update(text).digest('base64url');
 * ```
 */
export function canonicalRecipient(recipient: Recipient): string {
  return JSON.stringify(canonicalMembers(recipient));
}

function canonicalMembers(recipient: Recipient): Members {
  switch (recipient.type) {
    case 'bank':
      return BANK.canonical(recipient);
    case 'wallet':
      return WALLET.canonical(recipient);
    case 'emoney':
      return EMONEY.canonical(recipient);
    case 'email':
      return EMAIL.canonical(recipient);
  }
}

/**
 * The part of a recipient that may be shown outside the sealed record. `fingerprint` is made of `canonicalRecipient`.
 *
 * @example
 * ```ts
 * import { maskRecipient } from '@fairway/recipients';
 *
 * const masked = maskRecipient({ type: 'email', email: 'jane@example.com', name: 'Jane Doe' }, 'f3a1');
 * masked.name; // 'J. D.'
 * ```
 */
export function maskRecipient(recipient: Recipient, fingerprint: string): MaskedRecipient {
  switch (recipient.type) {
    case 'bank':
      return BANK.mask(recipient, fingerprint);
    case 'wallet':
      return WALLET.mask(recipient, fingerprint);
    case 'emoney':
      return EMONEY.mask(recipient, fingerprint);
    case 'email':
      return EMAIL.mask(recipient, fingerprint);
  }
}

/**
 * The fields of the account that a schema asks for, by name; none where it asks for no bank account.
 *
 * @example
 * ```ts
 * import { accountFieldsOf, recipientSchema } from '@fairway/recipients';
 *
 * const schema = recipientSchema({ type: 'bank', country: 'MX', usesIban: false });
 * accountFieldsOf(schema)['clabe']?.isGrouped; // true
 * ```
 */
export function accountFieldsOf({ properties }: RecipientSchema): Readonly<Record<string, AccountField>> {
  const { country, account } = properties;
  if (country?.type !== 'string' || account?.type !== 'object') return {};
  return accountKindOf(String(country.const), account.properties).fields;
}
