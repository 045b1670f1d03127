import { type MaskedRecipient, maskRecipient, type Recipient } from '@fairway/plan';
import { filled } from '../../words/locales/filled.ts';
import type { PageTexts } from '../../words/locales/pageTexts.ts';
import { eip55 } from '@fairway/api';

/** The first characters of an address that are shown, with 0x, and the last. */
const [FIRST, LAST] = [6, 4];
/** The last characters that are shown of an account id, which may be short. */
const LAST_OF_ID = 2;

type Masks = Pick<PageTexts, 'masked'>;

/**
 * A destination in a few words, masked: enough to recognise it, and nothing that a stranger with the link could use. It
 * has no word that somebody typed: the e-mail with the code would carry it to the recipient.
 */
export function shownDestination({ masked }: Masks, destination: MaskedRecipient, chainName: string): string {
  switch (destination.type) {
    case 'bank':
      return filled(masked.bank, { ending: destination.account.accountNumberLast4 });
    case 'wallet': {
      const address = eip55(destination.address);
      const short = `${address.slice(0, FIRST)}…${address.slice(-LAST)}`;
      return filled(masked.wallet, { address: short, chain: chainName });
    }
    case 'emoney':
      return shownEmoney({ masked }, destination.idType, destination.idValueLast4);
    case 'email':
      throw new Error('An e-mail address is no destination of money.');
  }
}

/** A destination as somebody has just entered it. An e-mail address is shown by its first letter and its domain. */
export function shownDetails(
  pages: Masks,
  details: Recipient,
  masked: MaskedRecipient,
  chainName: string,
): string {
  if (details.type !== 'emoney' || details.idType !== 'EMAIL')
    return shownDestination(pages, masked, chainName);
  const address = maskRecipient({ type: 'email', email: details.idValue }, '');
  return address.type === 'email'
    ? filled(pages.masked.emoneyEmail, { email: address.email })
    : pages.masked.emoneyOther;
}

/** An eMoney wallet by the end of what the provider knows it by, unless that end could be a word. */
function shownEmoney({ masked }: Masks, idType: 'PHONE' | 'EMAIL' | 'ACCOUNT_ID', last: string): string {
  if (idType === 'PHONE') return filled(masked.emoney, { ending: last });
  const ending = last.slice(-LAST_OF_ID);
  const isShown = idType === 'ACCOUNT_ID' && /^[0-9A-Za-z]{2}$/.test(ending);
  return isShown ? filled(masked.emoney, { ending }) : masked.emoneyOther;
}
