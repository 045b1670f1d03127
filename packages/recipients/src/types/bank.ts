import { accountSchema, type AccountField } from '../kinds/accountKind.ts';
import {
  type Account,
  accountKind,
  accountKindOf,
  type InternationalAccount,
  type NationalAccounts,
} from '../accounts/byCountry.ts';
import { end, initials } from '../kinds/masking.ts';
import type { RecipientKind } from '../kinds/recipientKind.ts';
import { constant, group, nameOf } from '../kinds/schema.ts';
import { oneCase } from '../kinds/spelling.ts';

/** What decides the shape of a bank recipient. */
export type BankFacts = {
  readonly type: 'bank';
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
  readonly usesIban: boolean;
};

type BankIn<Country extends string, Members> = {
  readonly type: 'bank';
  readonly name: string;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: Country;
  readonly account: Members;
};

/** The holder of a bank account, whose members depend on the country. */
export type BankRecipient =
  | {
      [Country in keyof NationalAccounts]: BankIn<Country, NationalAccounts[Country]>;
    }[keyof NationalAccounts]
  | BankIn<string, InternationalAccount>;

/** The holder of a bank account as the rest of the system sees one. */
export type MaskedBank = {
  readonly type: 'bank';
  /** Initials with stops, such as "J. D."; a * where an initial would say the whole name. */
  readonly name: string;
  readonly country: string;
  readonly account: { readonly accountNumberLast4: string };
  readonly fingerprint: string;
};

/** A bank account and its holder. */
export const BANK: RecipientKind<BankFacts, BankRecipient, MaskedBank> = {
  shape: ({ country, usesIban }) =>
    group('Bank account', `the holder of a bank account in ${country}`, {
      type: constant('Type', 'bank', 'bank'),
      name: nameOf("the account holder's full name"),
      country: constant('Country', country, `${country}, the country this corridor pays to`),
      account: accountSchema(accountKind(country, usesIban)),
    }),

  normal: (recipient) => {
    const members = membersOf(recipient).map(([name, value, { normal }]) => [name, normal(value)]);
    // Only the spelling of its values changes, so the account stays of its kind.
    return { ...recipient, account: Object.fromEntries(members) as Account } as BankRecipient;
  },

  canonical: (recipient) => {
    const account = membersOf(recipient)
      .map(([name, value, { canonical }]) => [name, canonical(value)] as const)
      .sort(([left], [right]) => (left < right ? -1 : 1));
    return ['bank', oneCase(recipient.name), recipient.country.toUpperCase(), account];
  },

  mask: (recipient, fingerprint) => {
    const { type, name, country } = recipient;
    return {
      type,
      name: initials(name),
      country,
      account: { accountNumberLast4: end(accountNumberOf(recipient)) },
      fingerprint,
    };
  },
};

/**
 * The number of an account, without the bank that has it where that is a member of its own.
 *
 * @example
 * ```ts
 * import { accountNumberOf, type Recipient } from '@fairway/recipients';
 *
 * declare const recipient: Recipient;
 * const number = recipient.type === 'bank' ? accountNumberOf(recipient) : undefined; // '12345678'
 * ```
 */
export function accountNumberOf(recipient: BankRecipient): string {
  const { country, account } = recipient;
  const { endShown } = accountKindOf(country, account);
  const number = membersOf(recipient).find(([member]) => member === endShown)?.[1];
  if (number === undefined) throw new Error(`An account in ${country} has no ${endShown}.`);
  return number;
}

/** The names and values of an account in their order, each with its field. */
function membersOf({
  country,
  account,
}: BankRecipient): readonly (readonly [string, string, AccountField])[] {
  const { fields } = accountKindOf(country, account);
  return Object.entries(account).map(([name, value]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined)
      throw new Error(`An account in ${country} has a member that its kind does not have.`);
    return [name, value, field];
  });
}
