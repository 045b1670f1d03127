import type { Address } from '@fairway/engine';
import type { SwapOrder } from '../types.ts';
import { type UnusableAddress, unusableAddress } from '../unusableAddress.ts';
import type { RehearsalPlace } from './place.ts';

const REFUSALS: Readonly<Record<UnusableAddress, (payee: Address) => string>> = {
  NATIVE_CURRENCY: () => 'The address stands for native currency; nobody controls it.',
  RESERVED: (payee) => `The address ${payee} is reserved.`,
  BURN: (payee) => `The address ${payee} is for burning; nobody controls it.`,
  CONTRACT: (payee) => `The address ${payee} is a known contract; what it is paid is lost.`,
};

/**
 * Why an order must not pay its recipient (or the sender, when it names no recipient). Nobody controls the address,
 * the router reads it as another one, or anyone could take what it holds. Undefined where the order may pay it.
 */
export function refuseRecipient(
  { venue, wrappedNative, multicall3 }: RehearsalPlace,
  order: SwapOrder,
): string | undefined {
  const payee = order.recipient ?? order.sender;
  if (payee === undefined) return undefined;
  if (payee === venue.router) return 'The address is the router itself; anyone could take what it holds.';
  if (payee === multicall3) return 'The address is Multicall3; anyone could take what it holds.';
  if (payee === wrappedNative) return 'The address is a token contract; what it is paid is lost.';
  const kind = unusableAddress(payee);
  if (kind !== undefined) return REFUSALS[kind](payee);
  if (order.subject.kind === 'WRAP') return undefined;
  for (const { pool } of order.subject.quote.legs) {
    if (payee === pool.address) return 'The address is a pool of the route; what it is paid is lost.';
    if (pool.tokens.includes(payee)) return 'The address is a token contract; what it is paid is lost.';
  }
  return undefined;
}
