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

/** A token of a chain with its symbol and decimals, where the chain has been read. */
export function tokenBody(chainId: number, address: Address, chain: ReadChain | undefined): TokenBody {
  const isNative = NATIVE_ADDRESSES.includes(address);
  const native = chain && { symbol: chain.nativeSymbol, decimals: NATIVE_DECIMALS };
  const known = isNative ? native : chain?.follower.tokens.get(address);
  return {
    chainId,
    address: isNative ? NATIVE_ADDRESS : eip55(address),
    ...defined({ symbol: known?.symbol, decimals: known?.decimals }),
  };
}
