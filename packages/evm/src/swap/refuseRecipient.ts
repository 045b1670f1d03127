import { type Address, toAddress } from '@fairway/engine';
import type { SwapOrder } from '../types.ts';
import type { RouterDeployment } from './deployment.ts';

/** EIP-7528's name for native currency; nobody holds its key. */
const NATIVE_PLACEHOLDER = toAddress('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee');

/** The addresses below this are zero, the router's reserved recipients and precompiled contracts. */
const FIRST_UNRESERVED = 0x10000n;

/**
 * Why an order must not pay its recipient (or the sender, where it names no recipient): nobody controls the address,
 * the router reads it as another one, or anyone could take what it holds. Undefined where the order may pay it.
 */
export function refuseRecipient(
  { router, wrappedNative, multicall3 }: RouterDeployment & { readonly multicall3: Address },
  order: SwapOrder,
): string | undefined {
  const payee = order.recipient ?? order.sender;
  if (payee === undefined) return undefined;
  if (BigInt(payee) < FIRST_UNRESERVED) return `The address ${payee} is reserved.`;
  if (payee === NATIVE_PLACEHOLDER) return 'The address stands for native currency; nobody controls it.';
  if (payee === router) return 'The address is the router itself; anyone could take what it holds.';
  if (payee === multicall3) return 'The address is Multicall3; anyone could take what it holds.';
  if (payee === wrappedNative) return 'The address is a token contract; what it is paid is lost.';
  if (order.subject.kind === 'WRAP') return undefined;
  for (const { pool } of order.subject.quote.legs) {
    if (payee === pool.address) return 'The address is a pool of the route; what it is paid is lost.';
    if (payee === pool.token0 || payee === pool.token1)
      return 'The address is a token contract; what it is paid is lost.';
  }
  return undefined;
}
