import type { Amount } from './amount.ts';
import { minorDecimalsOf } from './currencies.ts';
import type { Asset } from './money.ts';
import type { Address } from './scalars.ts';

/** How sentences write amounts and addresses. A caller who knows symbols and decimals gives words of its own. */
export type Words = {
  /** Such as "250 USDC on Base (250000000 units of 0xA0b8…)" or "840.00 PHP (84000 minor units)". */
  amount(amount: Amount, asset: Asset): string;
  address(address: Address): string;
};

/** Words that need no knowledge of tokens: smallest units and addresses in lower case. */
export const PLAIN_WORDS: Words = {
  amount: (amount, asset) =>
    'currency' in asset
      ? currencyText(amount, asset.currency)
      : `${amount} units of ${asset.address} on chain ${asset.chainId}`,
  address: (address) => address,
};

/** An amount of a currency as people write it, and in minor units, as requests do. */
function currencyText(amount: Amount, currency: string): string {
  const decimals = minorDecimalsOf(currency);
  const units = `${amount} minor ${amount === '1' ? 'unit' : 'units'}`;
  if (decimals === undefined) return `${units} of ${currency}`;
  const digits = amount.padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = decimals === 0 ? '' : `.${digits.slice(point)}`;
  return `${digits.slice(0, point)}${fraction} ${currency} (${units})`;
}
