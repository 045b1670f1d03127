import type { Amount } from '@fairway/engine';
import { WRAPPED_NATIVE_ABI } from '../calls/contractAbis.ts';
import { decodeCanonical } from '../calls/decodeCanonical.ts';
import { withoutReference } from '../order/reference.ts';
import type { Instruction, SwapOrder } from '../types.ts';
import type { VerifyResult } from '../venues/venue.ts';
import type { SwapPlace } from './place.ts';

/**
 * Reads an instruction back from its bytes and compares it with its order: the reference at the end, the target, and
 * all of the call. It does not use the code that builds. A venue reads its router's own calls.
 */
export function verifySwap(place: SwapPlace, order: SwapOrder, instruction: Instruction): VerifyResult {
  const data = withoutReference(instruction.data, order);
  if (data === undefined) return mismatch('The reference differs.');
  return verifyCall(place, order, { ...instruction, data });
}

function verifyCall({ venue, wrappedNative }: SwapPlace, order: SwapOrder, call: Instruction): VerifyResult {
  const { subject } = order;
  const target = call.to.toLowerCase();
  if (subject.kind === 'ROUTE')
    return target === venue.router ? venue.check(order, call) : mismatch('The target is not the router.');
  if (order.nativeIn === order.nativeOut) return mismatch('One side of a 1:1 exchange is native currency.');
  if (call.value !== (order.nativeIn ? subject.amount : 0n)) return mismatch('The value is not the input.');
  if (target === venue.router) return venue.check(order, call);
  if (target !== wrappedNative) return mismatch('The target is neither the router nor the wrapped token.');
  const wrong = wrongDirectWrap(order, subject.amount, call.data);
  return wrong === undefined ? { ok: true, limit: { minAmountOut: subject.amount } } : mismatch(wrong);
}

function mismatch(text: string): VerifyResult {
  return { ok: false, mismatch: text };
}

function wrongDirectWrap(order: SwapOrder, amount: Amount, data: `0x${string}`): string | undefined {
  if (order.recipient !== undefined && order.recipient !== order.sender)
    return 'The wrapped token would pay whoever executes, not the recipient.';
  const call = decodeCanonical(WRAPPED_NATIVE_ABI, data);
  const right = order.nativeIn
    ? call?.functionName === 'deposit'
    : call?.functionName === 'withdraw' && call.args[0] === amount;
  return right ? undefined : 'The exchange differs.';
}
