import { LIMITS } from '@fairway/wire';
import {
  addressField,
  amountField,
  chainIdField,
  type Fields,
  integerField,
  optional,
  required,
  tradeTypeField,
} from '../fields/fields.ts';
import { poolsField, sourcesField, tokensField } from '../fields/listFields.ts';

const slippageField = integerField(LIMITS.slippageBps);
const maxHopsField = integerField(LIMITS.maxHops);
const maxSplitsField = integerField(LIMITS.maxSplits);

/** The fields of a trade as read. The member of a wrong field is undefined, and `fields.errors` has the error. */
export type ReadTrade = ReturnType<typeof readTrade>;

/** Reads the fields of a trade. Whether the chain and its market can serve the trade is not checked. */
export function readTrade(fields: Fields) {
  return {
    chainId: required(fields, 'chainId', chainIdField),
    tokenIn: required(fields, 'tokenIn', addressField),
    tokenOut: required(fields, 'tokenOut', addressField),
    tradeType: required(fields, 'tradeType', tradeTypeField),
    amount: required(fields, 'amount', amountField),
    slippageBps: optional(fields, 'slippageBps', slippageField) ?? LIMITS.slippageBps.default,
    excludeSources: optional(fields, 'excludeSources', sourcesField) ?? [],
    excludeTokens: optional(fields, 'excludeTokens', tokensField) ?? [],
    excludePools: optional(fields, 'excludePools', poolsField) ?? [],
    maxHops: optional(fields, 'maxHops', maxHopsField) ?? LIMITS.maxHops.default,
    maxSplits: optional(fields, 'maxSplits', maxSplitsField) ?? LIMITS.maxSplits.default,
  };
}
