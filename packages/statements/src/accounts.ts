/** How much of a number is compared: an IBAN has at most 34 characters. */
const COMPARED_LENGTH = 34;
/** What stands before a number where a bank shows its code of six digits, alone or within an IBAN. */
const SHOWN_CODE = /^(?:[A-Z]{2}\d{2}[A-Z]{4})?(\d{6})0*$/;
/** How much of its end says which account is meant. Answers show as much of an account. */
const END_LENGTH = 4;

/**
 * A number of an account in the form in which it is compared: letters and digits, without the signs that hide its
 * beginning.
 *
 * @example
 * ```ts
 * import { accountForm } from '@fairway/statements';
 *
 * accountForm('DE89 3704 0044 0532 0130 00'); // 'DE89370400440532013000'
 * accountForm('XXXXXX4321'); // '4321'
 * ```
 */
export function accountForm(account: string): string {
  return account
    .slice(-2 * COMPARED_LENGTH)
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
    .replace(/^.*X{2,}/, '')
    .slice(-COMPARED_LENGTH);
}

/**
 * Whether an account that a bank shows is the one that was to be paid, both in the form in which they are compared.
 * Undefined where one says nothing. Banks write the same account with its bank in front, as a part of an IBAN, or only
 * its end. A shorter number is compared by its end alone: else trying ends one by one would find out the whole.
 * `bankCode`: of the account that was to be paid, such as its BSB. The same number at another bank is another account.
 */
export function isAccount(
  shown: string | undefined,
  paid: string | undefined,
  bankCode = '',
): boolean | undefined {
  if (shown === undefined || paid === undefined || paid === '') return undefined;
  if (shown.length < paid.length)
    return shown.length < END_LENGTH ? undefined : shown.slice(-END_LENGTH) === paid.slice(-END_LENGTH);
  if (!shown.endsWith(paid)) return false;
  const code = SHOWN_CODE.exec(shown.slice(0, shown.length - paid.length))?.[1];
  return bankCode === '' || code === undefined || /^0+$/.test(code) || code === bankCode;
}
