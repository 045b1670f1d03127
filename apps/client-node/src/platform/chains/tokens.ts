import type { ChainRpc } from '@fairway/evm';
import { NATIVE } from '@fairway/sdk/checks';
import { exactAmount } from '@fairway/values';

/** How people write amounts of a token. */
export type TokenFacts = { readonly symbol: string; readonly decimals: number };

/** Reads how people write amounts of tokens, by address, where a token says it. */
export type Tokens = (addresses: readonly string[]) => Promise<ReadonlyMap<string, TokenFacts>>;

/** `decimals()` and `symbol()` */
const [DECIMALS, SYMBOL] = ['0x313ce567', '0x95d89b41'];
const NATIVE_FACTS: TokenFacts = { symbol: 'in native currency', decimals: 18 };
const MOST_DECIMALS = 77;

/** Makes the reader of a chain's tokens. They are for display alone, and are read once. */
export function createTokens(request: ChainRpc['request']): Tokens {
  const known = new Map<string, TokenFacts>([[NATIVE, NATIVE_FACTS]]);
  const read = async (address: string): Promise<void> => {
    const [decimals, symbol] = await Promise.all(
      [DECIMALS, SYMBOL].map(
        async (data) =>
          (await request({ method: 'eth_call', params: [{ to: address, data }, 'latest'] })) as string,
      ),
    );
    const facts = factsIn(decimals ?? '', symbol ?? '', address);
    if (facts !== undefined) known.set(address, facts);
  };
  return async (addresses) => {
    // An amount is shown in smallest units alone while this cannot be read.
    await Promise.allSettled(addresses.filter((each) => !known.has(each)).map(read));
    return new Map([...known].filter(([address]) => addresses.includes(address)));
  };
}

/** A token's own words are of strangers: anything but a short plain name is replaced by its address. */
function factsIn(decimals: string, symbol: string, address: string): TokenFacts | undefined {
  if (!/^0x[0-9a-f]{64}$/.test(decimals) || BigInt(decimals) > MOST_DECIMALS) return undefined;
  // A text has its length in front; some old tokens answer 32 bytes.
  const bytes = Buffer.from(symbol.slice(2), 'hex');
  const text = bytes
    .subarray(bytes.length > 32 ? 64 : 0)
    .toString('latin1')
    .replace(/\0[^]*$/, '');
  return { decimals: Number(BigInt(decimals)), symbol: /^[!-~]{1,16}$/.test(text) ? text : `of ${address}` };
}

/** An amount as people write it, with its smallest units; these alone where the token is not known. */
export function amountText(units: bigint, token: TokenFacts | undefined): string {
  return token === undefined
    ? `${units}`
    : `${exactAmount(units, token.decimals)} ${token.symbol} (${units})`;
}
