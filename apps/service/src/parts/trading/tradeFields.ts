import { LIMITS, NATIVE_ADDRESS } from '@fairway/wire';
import type { ChainService } from '../../platform/chains/chainService.ts';
import {
  addressField,
  amountField,
  bpsField,
  chainIdField,
  eip55,
  type FieldReader,
  type Fields,
  type GivenAddress,
  integerField,
  optional,
  poolsField,
  required,
  sourcesField,
  tokensField,
  tradeTypeField,
} from '@fairway/api';

const slippageField = bpsField(LIMITS.slippageBps);
const maxHopsField = integerField(LIMITS.maxHops);
const maxSplitsField = integerField(LIMITS.maxSplits);

/** How many tokens of one symbol are offered; beyond, the symbol says nothing. */
const MOST_NAMESAKES = 3;

/** A token of a chain. A symbol is refused with the addresses that have it: symbols are not unique. */
function tokenField(chain: ChainService | undefined): FieldReader<GivenAddress> {
  return {
    must: addressField.must,
    read(given, origin) {
      const reading = addressField.read(given, origin);
      if (reading.ok || chain === undefined || typeof given !== 'string') return reading;
      const named = addressesOf(given.toLowerCase(), chain);
      return named.length === 0 || named.length > MOST_NAMESAKES
        ? reading
        : { ok: false, must: `${addressField.must}, not a symbol`, suggestions: named };
    },
  };
}

function addressesOf(
  symbol: string,
  { nativeSymbol, follower: { tokens } }: ChainService,
): readonly string[] {
  const named = [...tokens.values()].filter((token) => token.symbol.toLowerCase() === symbol);
  const native = nativeSymbol.toLowerCase() === symbol ? [NATIVE_ADDRESS] : [];
  return [...native, ...named.map(({ address }) => eip55(address))];
}

/** The fields of a trade as read. The member of a wrong field is undefined, and `fields.errors` has the error. */
export type ReadTrade = ReturnType<typeof readTrade>;

/** Reads the fields of a trade. Whether the chain and its market can serve the trade is not checked. */
export function readTrade(fields: Fields, chains: ReadonlyMap<string, ChainService>) {
  const chainId = required(fields, 'chainId', chainIdField);
  const token = tokenField(chainId === undefined ? undefined : chains.get(chainId));
  return {
    chainId,
    tokenIn: required(fields, 'tokenIn', token),
    tokenOut: required(fields, 'tokenOut', token),
    tradeType: required(fields, 'tradeType', tradeTypeField),
    amount: required(fields, 'amount', amountField),
    slippageBps: optional(fields, 'slippageBps', slippageField) ?? LIMITS.slippageBps.default,
    excludeSources: optional(fields, 'excludeSources', sourcesField) ?? [],
    excludeTokens: optional(fields, 'excludeTokens', tokensField(token)) ?? [],
    excludePools: optional(fields, 'excludePools', poolsField) ?? [],
    maxHops: optional(fields, 'maxHops', maxHopsField) ?? LIMITS.maxHops.default,
    maxSplits: optional(fields, 'maxSplits', maxSplitsField) ?? LIMITS.maxSplits.default,
  };
}
