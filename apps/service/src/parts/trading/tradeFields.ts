import { LIMITS } from '@fairway/wire';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { tokenField } from '../../platform/chains/givenToken.ts';
import {
  amountField,
  bpsField,
  chainIdField,
  type Fields,
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
