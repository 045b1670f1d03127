import type { Address, Amount, Quote } from '@fairway/engine';
import { getAddress } from 'viem';
import { encodeFunctionData } from '../calls/callData.ts';
import { WRAPPED_NATIVE_ABI } from '../calls/contractAbis.ts';
import { orderLimit } from '../order/limits.ts';
import { withReference } from '../order/reference.ts';
import type { Instruction, SwapLimit, SwapOrder } from '../types.ts';
import type { VenueCall } from '../venues/venue.ts';
import type { SwapPlace } from './place.ts';

/** An unsigned swap and the bound it enforces, or the reason why the venue cannot express it. */
export type BuildResult =
  | { readonly ok: true; readonly instruction: Instruction; readonly limit: SwapLimit }
  | { readonly ok: false; readonly detail: string };

/**
 * Turns an order into one call of its venue's router. When the wallet that executes is also paid, it can be the
 * wrapped token's own `deposit` or `withdraw`. The order's reference follows the calldata.
 * @throws if the order contradicts itself (native currency on a side that is not the wrapped token).
 */
export function buildSwap(place: SwapPlace, order: SwapOrder): BuildResult {
  const built = buildCall(place, order);
  if (!built.ok) return built;
  const { instruction } = built;
  const data = withReference(instruction.data, order);
  return { ok: true, instruction: { ...instruction, data }, limit: orderLimit(order) };
}

function buildCall({ venue, wrappedNative }: SwapPlace, order: SwapOrder): VenueCall {
  const { subject } = order;
  if (subject.kind === 'ROUTE') {
    assertNativeSides(wrappedNative, order, subject.quote);
    return venue.build(order);
  }
  const paysExecutor = order.recipient === undefined || order.recipient === order.sender;
  return paysExecutor
    ? { ok: true, instruction: directWrap(wrappedNative, order, subject.amount) }
    : venue.build(order);
}

function assertNativeSides(wrappedNative: Address, order: SwapOrder, quote: Quote): void {
  if (order.nativeIn && quote.tokenIn !== wrappedNative)
    throw new Error(`An order paid with native currency must be quoted from ${wrappedNative}.`);
  if (order.nativeOut && quote.tokenOut !== wrappedNative)
    throw new Error(`An order that pays native currency must be quoted to ${wrappedNative}.`);
}

function directWrap(wrappedNative: Address, { nativeIn }: SwapOrder, amount: Amount): Instruction {
  const to = getAddress(wrappedNative);
  return nativeIn
    ? { to, data: encodeFunctionData({ abi: WRAPPED_NATIVE_ABI, functionName: 'deposit' }), value: amount }
    : {
        to,
        data: encodeFunctionData({ abi: WRAPPED_NATIVE_ABI, functionName: 'withdraw', args: [amount] }),
        value: 0n,
      };
}
