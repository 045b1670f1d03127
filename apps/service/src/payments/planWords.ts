import { toAddress } from '@fairway/engine';
import { type Amount, isNative, type Words } from '@fairway/plan';
import type { ChainService } from '../chains/chainService.ts';
import { decimalOf } from '../text/decimalOf.ts';
import { eip55 } from '../text/eip55.ts';

/**
 * The words for amounts and addresses in the sentences of plans: "250 USDC (250000000 units of 0xA0b8…)". While a
 * chain's tokens have not been read, the units alone are told.
 */
export function planWords(chains: ReadonlyMap<number, ChainService>): Words {
  return {
    amount(amount, asset) {
      if ('currency' in asset) return `${amount} minor units of ${asset.currency}`;
      const units = `${amount} units of ${eip55(asset.address)}`;
      const chain = chains.get(asset.chainId);
      if (isNative(asset))
        return chain === undefined
          ? units
          : `${shortDecimal(amount, 18)} ${chain.nativeSymbol} (${amount} wei)`;
      const token = chain?.follower.tokens.get(toAddress(asset.address));
      return token === undefined
        ? units
        : `${shortDecimal(amount, token.decimals)} ${token.symbol} (${units})`;
    },
    address: eip55,
  };
}

/** A decimal number without zeros at the end of its fraction. */
function shortDecimal(amount: Amount, decimals: number): string {
  const decimal = decimalOf(amount, decimals);
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}
