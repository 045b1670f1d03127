import type { Address } from '@fairway/engine';
import { defined } from '@fairway/values';
import { NATIVE_ADDRESS, NATIVE_ADDRESSES, type PaymentPlan } from '@fairway/wire';
import { eip55 } from '@fairway/api';
import type { ChainService } from './chainService.ts';

/** Native currency has as many decimals on every chain. */
const NATIVE_DECIMALS = 18;

/** A token in the form of the API. */
export type TokenBody = PaymentPlan['money'][number]['asset'];

/** A chain that has been read: it knows what tokens are called. */
export type ReadChain = Pick<ChainService, 'chainId' | 'nativeSymbol' | 'follower'>;

/** The forms of listed tokens: a route names each several times, in every answer. */
const listed = new WeakMap<object, TokenBody>();

/** A token of a chain with its symbol and decimals, where the chain has been read. */
export function tokenBody(chainId: number, address: Address, chain: ReadChain | undefined): TokenBody {
  if (NATIVE_ADDRESSES.includes(address)) {
    const native = chain && { symbol: chain.nativeSymbol, decimals: NATIVE_DECIMALS };
    return { chainId, address: NATIVE_ADDRESS, ...native };
  }
  const known = chain?.follower.tokens.get(address);
  if (known === undefined) return { chainId, address: eip55(address) };
  const before = listed.get(known);
  if (before?.chainId === chainId) return before;
  const { symbol, decimals } = known;
  const body = { chainId, address: eip55(address), ...defined({ symbol, decimals }) };
  listed.set(known, body);
  return body;
}
