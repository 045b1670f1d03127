import { NATIVE } from '@fairway/sdk/checks';
import type { PolicyDocument } from '@fairway/policies';
import { exactAmount } from '@fairway/values';
import type { TokenFacts } from '../../platform/chains/tokens.ts';
import type { Relayers } from '../executions/index.ts';

type ChainEntry = PolicyDocument['chains'][number];
type Spend = NonNullable<ChainEntry['tokens'][number]['spend']>;
type Facts = ReadonlyMap<string, TokenFacts>;

/** An amount from here on is a way to say that there is no limit. */
const NO_LIMIT = 2n ** 255n;
const EACH = { ALL: 'all together', RELAYER: 'of each relayer', RECIPIENT: 'to each recipient' } as const;

/** The amounts of a policy as people write them: who gave whole tokens for smallest units sees it here. */
export async function policyInWords({ chains }: PolicyDocument, relayers: Relayers): Promise<string[]> {
  const said = await Promise.all(
    chains.map(async (chain) => {
      const relayer = [...relayers.values()].find(({ chainId }) => chainId === chain.chainId);
      const facts = await relayer?.tokens(chain.tokens.map(({ address }) => address));
      return wordsOf(chain, facts ?? new Map());
    }),
  );
  return said.flat();
}

function wordsOf({ chainId, tokens, keepWei, topUps = [] }: ChainEntry, facts: Facts): string[] {
  const on = `Chain ${chainId}: `;
  const coins = (wei: string) => exactAmount(BigInt(wei), NATIVE_DECIMALS);
  return [
    ...tokens.flatMap(({ address, spend }) =>
      spend === undefined
        ? []
        : [`${on}${nameOf(address, facts)}: ${spendWords(spend, facts.get(address))}.`],
    ),
    `${on}${coins(keepWei)} in native currency are kept.`,
    ...topUps.map(
      ({ from, to, belowWei, amountWei, window, mostCount }) =>
        `${on}below ${coins(belowWei)} in native currency, ${to} gets ${coins(amountWei)} from ${from}, at most ${mostCount} times within ${window}.`,
    ),
  ];
}

const NATIVE_DECIMALS = 18;

function nameOf(address: string, facts: Facts): string {
  if (address === NATIVE) return 'Native currency';
  const symbol = facts.get(address)?.symbol;
  return symbol === undefined ? address : `${symbol} (${address})`;
}

function spendWords({ most, limits = [] }: Spend, token: TokenFacts | undefined): string {
  const amount = (units: string) => {
    if (BigInt(units) >= NO_LIMIT) return 'any amount';
    const whole =
      token === undefined ? `${units} smallest units` : exactAmount(BigInt(units), token.decimals);
    return `at most ${whole}`;
  };
  return [
    `${amount(most)} in one execution`,
    ...limits.flatMap(({ each, window, most: within, mostCount }) => [
      ...(within === undefined ? [] : [`${amount(within)} within ${window} ${EACH[each]}`]),
      ...(mostCount === undefined ? [] : [`at most ${mostCount} times within ${window} ${EACH[each]}`]),
    ]),
  ].join(', ');
}
