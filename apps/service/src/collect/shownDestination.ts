import type { MaskedRecipient } from '@fairway/plan';
import { filled } from '../locales/filled.ts';
import type { PageTexts } from '../locales/pageTexts.ts';
import { eip55 } from '../text/eip55.ts';

/** The first characters of an address that are shown, with 0x, and the last. */
const [FIRST, LAST] = [6, 4];

/**
 * A destination in a few words, masked: enough to recognise it, and nothing that a stranger with the link could use. It
 * has no word that somebody typed: the e-mail with the code would carry it to the recipient.
 */
export function shownDestination(
  { masked }: Pick<PageTexts, 'masked'>,
  destination: MaskedRecipient,
  chainName: string,
): string {
  switch (destination.type) {
    case 'bank':
      return filled(masked.bank, { ending: destination.account.accountNumberLast4 });
    case 'wallet': {
      const address = eip55(destination.address);
      const short = `${address.slice(0, FIRST)}…${address.slice(-LAST)}`;
      return filled(masked.wallet, { address: short, chain: chainName });
    }
    case 'emoney':
      return filled(masked.emoney, { ending: destination.idValueLast4 });
    case 'email':
      throw new Error('An e-mail address is no destination of money.');
  }
}
