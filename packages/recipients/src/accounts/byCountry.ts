import type { AccountField, AccountKind, AnyAccountKind } from '../kinds/accountKind.ts';
import { AU, type AuAccount } from './au.ts';
import { type BicAccount, bicAccount } from './bic.ts';
import { CA, type CaAccount } from './ca.ts';
import { GB, type GbAccount } from './gb.ts';
import { type IbanAccount, ibanAccount } from './iban.ts';
import { IN, type InAccount } from './in.ts';
import { MX, type MxAccount } from './mx.ts';
import { US, type UsAccount } from './us.ts';

/** The countries (ISO 3166-1 alpha-2) with a kind of account of their own. */
export type NationalAccounts = {
  readonly AU: AuAccount;
  readonly CA: CaAccount;
  readonly GB: GbAccount;
  readonly IN: InAccount;
  readonly MX: MxAccount;
  readonly US: UsAccount;
};

const NATIONAL: { readonly [Country in keyof NationalAccounts]: AccountKind<NationalAccounts[Country]> } = {
  AU,
  CA,
  GB,
  IN,
  MX,
  US,
};

/** An account in any other country. */
export type InternationalAccount = IbanAccount | BicAccount;

/** A bank account of any kind. */
export type Account = NationalAccounts[keyof NationalAccounts] | InternationalAccount;

const BY_COUNTRY: ReadonlyMap<string, AnyAccountKind> = new Map(Object.entries(NATIONAL));

/** The kind of account in a country (ISO 3166-1 alpha-2, upper case). */
export function accountKind(country: string, usesIban: boolean): AnyAccountKind {
  return BY_COUNTRY.get(country) ?? (usesIban ? ibanAccount(country) : bicAccount(country));
}

/** The kind of account that has the given members, which are those of an account or the properties of its schema. */
export function accountKindOf(country: string, members: object): AnyAccountKind {
  return accountKind(country, Object.hasOwn(members, 'iban'));
}

/** The fields of all kinds of account that belong to one country. */
export function nationalFields(): readonly AccountField[] {
  return [...BY_COUNTRY.values()].flatMap(({ fields }) => Object.values(fields));
}
