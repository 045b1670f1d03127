import { toAddress } from '@fairway/engine';
import { type Amount, assetsOf, isNative, type Plan, PLAIN_WORDS, type Words } from '@fairway/plan';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { decimalOf } from '../../words/text/decimalOf.ts';
import { eip55, type ProblemFacts } from '@fairway/api';

/**
 * The words for amounts and addresses in the sentences of plans: "250 USDC on Base (250000000 units of 0xA0b8…)". Every
 * amount names its chain: a token has many. While a chain's tokens have not been read, the units alone are told.
 */
export function planWords(chains: ReadonlyMap<number, ChainService>): Words {
  return {
    amount(amount, asset) {
      if ('currency' in asset) return PLAIN_WORDS.amount(amount, asset);
      const units = `${amount} units of ${eip55(asset.address)}`;
      const chain = chains.get(asset.chainId);
      const place = chain?.name ?? `chain ${asset.chainId}`;
      if (isNative(asset))
        return chain === undefined
          ? `${units} on ${place}`
          : `${shortDecimal(amount, 18)} ${chain.nativeSymbol} on ${place} (${amount} wei)`;
      const token = chain?.follower.tokens.get(toAddress(asset.address));
      return token === undefined
        ? `${units} on ${place}`
        : `${shortDecimal(amount, token.decimals)} ${token.symbol} on ${place} (${units})`;
    },
    address: eip55,
  };
}

/** An amount of the payer's token, as rules write it. */
export function inSource(plan: Pick<Plan, 'corridor'>, amount: Amount): string {
  return PLAIN_WORDS.amount(amount, assetsOf(plan).source);
}

/** An amount of the payout token, as rules write it. */
export function inTarget(plan: Pick<Plan, 'corridor'>, amount: Amount): string {
  return PLAIN_WORDS.amount(amount, assetsOf(plan).target);
}

/** Amounts and addresses as rules write them, which know no tokens. */
const PLAIN_AMOUNT = /\b(\d+) units of (0x[0-9a-f]{40}) on chain (\d+)\b/g;
const PLAIN_ADDRESS = /\b0x[0-9a-f]{40}\b/g;

/** A problem of a plan, with its amounts and addresses written as everywhere else. */
export function inWords(chains: ReadonlyMap<number, ChainService>, problem: ProblemFacts): ProblemFacts {
  const words = planWords(chains);
  const written = (text: string) =>
    text
      .replaceAll(PLAIN_AMOUNT, (_, amount: Amount, address: `0x${string}`, chainId: string) =>
        words.amount(amount, { chainId: Number(chainId), address }),
      )
      .replaceAll(PLAIN_ADDRESS, (address) => words.address(address as `0x${string}`));
  return {
    ...problem,
    detail: written(problem.detail),
    ...(problem.errors === undefined
      ? {}
      : { errors: problem.errors.map((each) => ({ ...each, detail: written(each.detail) })) }),
  };
}

/** A decimal number without zeros at the end of its fraction. */
function shortDecimal(amount: Amount, decimals: number): string {
  const decimal = decimalOf(amount, decimals);
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}
