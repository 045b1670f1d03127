import { bicOfOtherCountry } from './accounts/bicCountry.ts';
import { isReadableLine } from './kinds/readableLine.ts';
import type { Recipient } from './recipient.ts';

/** What a field must be. `path` leads to the field from the recipient; `must` completes "must …". */
export type RecipientFault = { readonly path: readonly string[]; readonly must: string };

const UNREADABLE =
  'have characters that can be seen, and no invisible ones nor many combining marks in a row';

/**
 * What is wrong with a recipient that fits its schema, because a schema cannot say it in a pattern that HTML takes too.
 * The text never repeats what was given.
 *
 * @example
 * ```ts
 * import { recipientFaults } from '@fairway/recipients';
 *
 * const account = { iban: 'DE36000000000000000000', bic: 'XMPLFR22' };
 * const faults = recipientFaults({ type: 'bank', name: 'Jane Doe', country: 'DE', account });
 * faults[0]?.path; // ['account', 'bic']
 * ```
 */
export function recipientFaults(recipient: Recipient): readonly RecipientFault[] {
  const faults = [...unreadableOf(recipient), ...custodyFaults(recipient)];
  const account = recipient.type === 'bank' ? recipient.account : undefined;
  if (account === undefined || !('iban' in account) || account.bic === undefined) return faults;
  const countries = bicOfOtherCountry(account.iban, account.bic);
  if (countries === undefined) return faults;
  const must = `be the BIC of the bank that has the IBAN, with the country ${countries.join(', ')}`;
  return [...faults, { path: ['account', 'bic'], must }];
}

function unreadableOf(recipient: Recipient): readonly RecipientFault[] {
  return Object.entries(recipient)
    .filter(([, value]) => typeof value === 'string' && !isReadableLine(value))
    .map(([name]): RecipientFault => ({ path: [name], must: UNREADABLE }));
}

function custodyFaults(recipient: Recipient): readonly RecipientFault[] {
  if (recipient.type !== 'wallet' || recipient.custody?.vasp === undefined) return [];
  const { kind, vasp } = recipient.custody;
  const path = ['custody', 'vasp'];
  if (kind !== 'VASP') return [{ path, must: 'be left out where no provider holds the wallet' }];
  return isReadableLine(vasp) ? [] : [{ path, must: UNREADABLE }];
}
