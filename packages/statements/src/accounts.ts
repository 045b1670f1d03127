/** The shortest end of a number that says which account is meant, and the shortest part within a longer number. */
const [SHORTEST_END, SHORTEST_PART] = [4, 8];

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
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
    .replace(/^X{2,}/, '');
}

/**
 * Whether two numbers, in the form in which they are compared, are of one account; undefined where one says nothing.
 * Banks write the same account with and without its bank, as an IBAN or as a part of one, or its end alone.
 */
export function areSameAccount(one: string | undefined, other: string | undefined): boolean | undefined {
  if (one === undefined || other === undefined) return undefined;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length < SHORTEST_END) return short === '' || short !== long ? undefined : true;
  return long.endsWith(short) || (short.length >= SHORTEST_PART && long.includes(short));
}
