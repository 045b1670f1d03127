import type { Address } from '@fairway/engine';
import { NATIVE_ADDRESS } from '@fairway/wire';
import {
  addError,
  addressField,
  eip55,
  type FieldReader,
  type Fields,
  type GivenAddress,
  integerField,
  optional,
  required,
} from '@fairway/api';
import { type ReadChain, type TokenBody, tokenBody } from './tokenBody.ts';

/** How many tokens of one symbol are offered; beyond, the symbol says nothing. */
const MOST_NAMESAKES = 3;

/** A token of a chain. A symbol is refused with the addresses that have it: symbols are not unique. */
export function tokenField(chain: ReadChain | undefined): FieldReader<GivenAddress> {
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

function addressesOf(symbol: string, { nativeSymbol, follower: { tokens } }: ReadChain): readonly string[] {
  const named = [...tokens.values()].filter((token) => token.symbol.toLowerCase() === symbol);
  const native = nativeSymbol.toLowerCase() === symbol ? [NATIVE_ADDRESS] : [];
  return [...native, ...named.map(({ address }) => eip55(address))];
}

/** The fields of a token as answers show it. */
export const TOKEN_FIELDS = ['chainId', 'address', 'symbol', 'decimals'] as const;

/** The token that a request names. */
export type GivenToken = { readonly chainId: number; readonly address: Address };

const chainIdField = integerField({ minimum: 1, maximum: 999_999_999_999_999 });
const symbolField: FieldReader<string> = {
  must: 'a text',
  read: (given) => (typeof given === 'string' ? { ok: true, value: given } : { ok: false }),
};
const decimalsField = integerField({ minimum: 0, maximum: 255 });

/**
 * Reads a token in the form of answers; the errors are added to the fields. Its symbol and its decimals may be left out. One that is
 * not the token's is refused: the amount beside it may be counted in it.
 */
export function readToken(fields: Fields, chains: ReadonlyMap<number, ReadChain>): GivenToken | undefined {
  const chainId = required(fields, 'chainId', chainIdField);
  const chain = chainId === undefined ? undefined : chains.get(chainId);
  const address = required(fields, 'address', tokenField(chain))?.address;
  const symbol = optional(fields, 'symbol', symbolField);
  const decimals = optional(fields, 'decimals', decimalsField);
  if (chainId === undefined || address === undefined) return undefined;
  const known = tokenBody(chainId, address, chain);
  refuseOther(fields, { symbol, decimals }, known);
  return { chainId, address };
}

function refuseOther(
  fields: Fields,
  given: { readonly [Name in 'symbol' | 'decimals']: TokenBody[Name] | undefined },
  known: TokenBody,
): void {
  for (const name of ['symbol', 'decimals'] as const)
    if (given[name] !== undefined && known[name] !== undefined && given[name] !== known[name])
      addError(
        fields,
        name,
        `${name} must be ${JSON.stringify(known[name])}, as ${known.address} has it, or be left out; given ${JSON.stringify(given[name])}.`,
      );
}
