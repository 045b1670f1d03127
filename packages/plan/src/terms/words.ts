import type { Amount } from './amount.ts';
import type { Asset } from './money.ts';
import type { Address } from './scalars.ts';

/** How sentences write amounts and addresses. A caller who knows symbols and decimals gives words of its own. */
export type Words = {
  /** Such as "250 USDC on Base (250000000 units of 0xA0b8…)". */
  amount(amount: Amount, asset: Asset): string;
  address(address: Address): string;
};

/** Words that need no knowledge of tokens: smallest units and addresses in lower case. */
export const PLAIN_WORDS: Words = {
  amount: (amount, asset) =>
    'currency' in asset
      ? `${amount} minor units of ${asset.currency}`
      : `${amount} units of ${asset.address}`,
  address: (address) => address,
};
