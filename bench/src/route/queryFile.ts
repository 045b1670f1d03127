import type { Address, Amount, TradeType } from '@fairway/engine';
import { InputError } from './inputError.ts';
import { isJsonObject, isTokenId, readJsonFile, shown, type TokenId } from './jsonFile.ts';

/** A query for the engine. */
export type CheckedQuery = {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly tradeType: TradeType;
  readonly amount: Amount;
};

const MAX_AMOUNT = 2n ** 256n - 1n;

/** Reads a query file. A fault of one query is reported in its place among the answers. @throws InputError */
export function readQueryFile(path: string): readonly unknown[] {
  const content = readJsonFile(path);
  if (!Array.isArray(content))
    throw new InputError(
      `${path} must hold an array of {in, out, tradeType, amount}, and holds ${shown(content)}.`,
    );
  return content as readonly unknown[];
}

/** A query in the engine's terms, or what is wrong with it. */
export function checkQuery(
  query: unknown,
  addresses: ReadonlyMap<TokenId, Address>,
): CheckedQuery | { readonly problem: string } {
  if (!isJsonObject(query)) return { problem: `A query must be an object, and is ${shown(query)}.` };
  const { tradeType, amount } = query;
  const tokenIn = isTokenId(query['in']) ? addresses.get(query['in']) : undefined;
  const tokenOut = isTokenId(query['out']) ? addresses.get(query['out']) : undefined;
  if (tokenIn === undefined) return { problem: unknownToken('in', query['in']) };
  if (tokenOut === undefined) return { problem: unknownToken('out', query['out']) };
  if (tokenIn === tokenOut) return { problem: `in and out are the same token, ${shown(query['in'])}.` };
  if (tradeType !== 'EXACT_IN' && tradeType !== 'EXACT_OUT')
    return { problem: `tradeType must be "EXACT_IN" or "EXACT_OUT", and is ${shown(tradeType)}.` };
  const units = typeof amount === 'string' && /^\d{1,78}$/.test(amount) ? BigInt(amount) : 0n;
  if (units <= 0n || units > MAX_AMOUNT)
    return {
      problem: `amount must be a decimal string above "0" and below 2^256, and is ${shown(amount)}.`,
    };
  return { tokenIn, tokenOut, tradeType, amount: units as Amount };
}

function unknownToken(field: 'in' | 'out', id: unknown): string {
  return `${field} must be the id of a token of the market, as it stands there, and is ${shown(id)}.`;
}
