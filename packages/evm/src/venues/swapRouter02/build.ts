import {
  type Address,
  type Amount,
  exactOutput,
  type Leg,
  leftoverTokens,
  mayLeaveNative,
  mayPayMore,
  type Path,
  type Pool,
  type Quote,
} from '@fairway/engine';
import { getAddress, maxUint256 } from 'viem';
import { encodeFunctionData } from '../../calls/callData.ts';
import { leastQuoted, orderLimit, orderMaxInput, shareMaxAmountIn } from '../../order/limits.ts';
import type { Instruction, SwapLimit, SwapOrder, SwapSubject } from '../../types.ts';
import type { VenueCall } from '../venue.ts';
import { CALLER, MULTICALL_ABI, ROUTER_ABI, ROUTER_ITSELF, WHOLE_BALANCE } from './abi.ts';
import { isCollectedForMinimum } from './collecting.ts';
import type { RouterDeployment } from './deployment.ts';
import type { Call, RoutedKind, Segment } from './routedKind.ts';
import { routedKindOf, routedPoolAddress } from './routedKinds.ts';

/** Turns an order into one call: SwapRouter02's `multicall` with the order's deadline. */
export function buildCall(deployment: RouterDeployment, order: SwapOrder): VenueCall {
  const { subject } = order;
  if (subject.kind === 'WRAP') return { ok: true, instruction: buildWrap(deployment, order, subject.amount) };
  const { quote } = subject;
  const detail = whyNotExecutable(deployment, quote);
  if (detail !== undefined) return { ok: false, detail };
  const swaps = quote.tradeType === 'EXACT_IN' ? exactInCalls(order, quote) : exactOutCalls(order, quote);
  const calls = [...swaps, ...returnCalls(order, quote), ...paymentCalls(order, subject)];
  const value = order.nativeIn ? orderMaxInput(order) : 0n;
  return { ok: true, instruction: routerInstruction(deployment, order.deadlineSeconds, calls, value) };
}

function routerInstruction(
  { router }: RouterDeployment,
  deadlineSeconds: bigint,
  calls: readonly Call[],
  value: bigint,
): Instruction {
  const data = encodeFunctionData({
    abi: MULTICALL_ABI,
    functionName: 'multicall',
    args: [deadlineSeconds, calls],
  });
  return { to: getAddress(router), data, value };
}

function whyNotExecutable(deployment: RouterDeployment, quote: Quote): string | undefined {
  for (const path of quote.paths) {
    // The router would read 0 as its whole balance.
    if (path.amountIn <= 0n || path.amountOut <= 0n) return 'A path of the route carries no amount.';
    const visited = [quote.tokenIn, ...path.legs.map((leg) => leg.tokenOut)];
    if (new Set(visited).size !== visited.length) return 'A path of the route passes through a token twice.';
    if (quote.tradeType === 'EXACT_OUT' && segmentsOf(path).length > 1)
      return 'A path with an exact output mixes pool versions; the router has no call for that.';
    for (const { pool } of path.legs)
      if (routedPoolAddress(deployment, pool) !== pool.address)
        return `The router does not trade pool ${pool.address} of source ${pool.source}.`;
  }
  return undefined;
}

/** The path's legs, those in a row of the same pool version together: one router call can swap them. */
function segmentsOf(path: Path): readonly Segment[] {
  const segments: [Leg, ...Leg[]][] = [];
  for (const leg of path.legs) {
    const open = segments.at(-1);
    if (open?.[0].pool.kind === leg.pool.kind) open.push(leg);
    else segments.push([leg]);
  }
  return segments;
}

function onlySegment(path: Path): Segment {
  const [segment, other] = segmentsOf(path);
  if (segment === undefined || other !== undefined)
    throw new Error('A path with an exact output needs legs, all of one pool version.');
  return segment;
}

function routedOf([{ pool }]: Segment): RoutedKind<Pool> {
  const routed = routedKindOf(pool);
  if (routed === undefined) throw new Error(`The router trades no pools of kind ${pool.kind}.`);
  return routed;
}

/** The recipient of a swap call that pays the order's recipient directly. */
function directPayee(order: SwapOrder): Address {
  return order.recipient ?? order.sender ?? CALLER;
}

/**
 * Whether the swaps pay the router, which pays out under one minimum. A single path of an exact input to an ERC-20
 * pays the recipient itself. An exact output does so where the router checks each path.
 */
function isCollected({ nativeOut }: SwapOrder, quote: Quote): boolean {
  if (nativeOut) return true;
  return quote.tradeType === 'EXACT_IN' ? quote.paths.length > 1 : isCollectedForMinimum(quote);
}

function exactInCalls(order: SwapOrder, quote: Quote): Call[] {
  const minAmountOut = minimumOf(orderLimit(order));
  const direct = !isCollected(order, quote);
  return quote.paths.flatMap((path) => {
    const segments = segmentsOf(path);
    return segments.map((segment, index) => {
      const last = index === segments.length - 1;
      return routedOf(segment).exactInput(segment, {
        amountIn: index === 0 ? path.amountIn : WHOLE_BALANCE,
        minAmountOut: last && direct ? minAmountOut : 0n,
        recipient: last && direct ? directPayee(order) : ROUTER_ITSELF,
      });
    });
  });
}

/**
 * The calls that give back to the payer what the swaps leave in the router. The executor is the payer, and these
 * calls pay the executor. Anybody could take it otherwise.
 */
function returnCalls({ nativeIn }: SwapOrder, quote: Quote): Call[] {
  const calls = [...leftoverTokens(quote)].map((token) =>
    encodeFunctionData({ abi: ROUTER_ABI, functionName: 'sweepToken', args: [token, 0n] }),
  );
  if (nativeIn && mayLeaveNative(quote))
    calls.push(encodeFunctionData({ abi: ROUTER_ABI, functionName: 'refundETH' }));
  return calls;
}

/** What pays out the output that the router has collected. */
function paymentCalls(order: SwapOrder, subject: Extract<SwapSubject, { kind: 'ROUTE' }>): Call[] {
  const { quote } = subject;
  if (!isCollected(order, quote)) return [];
  const minimum = quote.tradeType === 'EXACT_IN' ? minimumOf(orderLimit(order)) : leastQuoted(subject);
  return [order.nativeOut ? unwrapCall(order, minimum) : sweepCall(order, quote.tokenOut, minimum)];
}

function minimumOf(limit: SwapLimit): Amount {
  if ('minAmountOut' in limit) return limit.minAmountOut;
  throw new Error('An exact input is bounded by a minimum output.');
}

function exactOutCalls(order: SwapOrder, quote: Quote): Call[] {
  const shares = shareMaxAmountIn(
    orderMaxInput(order),
    quote.paths.map((path) => path.amountIn),
  );
  const asked = askedOutputs(quote);
  const recipient = isCollected(order, quote) ? ROUTER_ITSELF : directPayee(order);
  return quote.paths.map((path, index) => {
    const segment = onlySegment(path);
    return routedOf(segment).exactOutput(segment, {
      amountOut: asked[index] ?? 0n,
      maxAmountIn: shares[index] ?? 0n,
      recipient,
    });
  });
}

/**
 * The output that each path of an exact output is asked for. It is the quoted output, for V2 paths less a share of
 * the quote's surplus. So the calls together ask for exactly the quoted output. A V2 path pays according to its
 * input. So it is never asked for so little that its input and its payment would differ from the quote.
 */
function askedOutputs(quote: Quote): readonly bigint[] {
  let surplus = quote.paths.reduce((sum, path) => sum + path.amountOut, 0n) - quote.amountOut;
  return quote.paths.map((path) => {
    const [leg] = path.legs;
    if (surplus === 0n || leg === undefined || !mayPayMore(leg.pool)) return path.amountOut;
    const given = min(surplus, path.amountOut - leastAsked(path));
    surplus -= given;
    return path.amountOut - given;
  });
}

/** The smallest output for which a path still takes its quoted input; more output never takes less input. */
function leastAsked(path: Path): bigint {
  let [tooLittle, enough] = [0n, path.amountOut as bigint];
  while (enough - tooLittle > 1n) {
    const asked = (tooLittle + enough) / 2n;
    if (inputFor(path, asked) < path.amountIn) tooLittle = asked;
    else enough = asked;
  }
  return enough;
}

/**
 * The input that a path takes for an output, as the router computes it; the greatest number where its pools cannot
 * pay that.
 */
function inputFor(path: Path, amountOut: bigint): bigint {
  let amount = amountOut;
  for (const leg of path.legs.toReversed()) {
    const needed = exactOutput(leg, amount);
    if (needed === undefined) return maxUint256;
    amount = needed;
  }
  return amount;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function buildWrap(deployment: RouterDeployment, order: SwapOrder, amount: Amount): Instruction {
  const { wrappedNative } = deployment;
  if (order.nativeIn) {
    const wrap = encodeFunctionData({ abi: ROUTER_ABI, functionName: 'wrapETH', args: [amount] });
    const calls = [wrap, sweepCall(order, wrappedNative, amount)];
    return routerInstruction(deployment, order.deadlineSeconds, calls, amount);
  }
  const pull = encodeFunctionData({
    abi: ROUTER_ABI,
    functionName: 'pull',
    args: [wrappedNative, amount],
  });
  return routerInstruction(deployment, order.deadlineSeconds, [pull, unwrapCall(order, amount)], 0n);
}

/** Unlike swap functions, payment functions take addresses literally: an overload without one pays the caller. */
function sweepCall(order: SwapOrder, token: Address, minimum: bigint): Call {
  const payee = order.recipient ?? order.sender;
  return encodeFunctionData({
    abi: ROUTER_ABI,
    functionName: 'sweepToken',
    args: payee === undefined ? [token, minimum] : [token, minimum, payee],
  });
}

function unwrapCall(order: SwapOrder, minimum: bigint): Call {
  const payee = order.recipient ?? order.sender;
  return encodeFunctionData({
    abi: ROUTER_ABI,
    functionName: 'unwrapWETH9',
    args: payee === undefined ? [minimum] : [minimum, payee],
  });
}

/** The call by which anybody takes native currency for itself, and tokens for an address, from the router. */
export function emptyCall(tokens: readonly Address[], to: Address): Call {
  const calls = [
    encodeFunctionData({ abi: ROUTER_ABI, functionName: 'refundETH' }),
    ...tokens.map((token) =>
      encodeFunctionData({ abi: ROUTER_ABI, functionName: 'sweepToken', args: [token, 0n, to] }),
    ),
  ];
  return encodeFunctionData({ abi: MULTICALL_ABI, functionName: 'multicall', args: [maxUint256, calls] });
}
