import type { Address, Amount, Path, Quote } from '@fairway/engine';
import type { Instruction, SwapOrder } from '../../types.ts';
import type { VerifyResult } from '../venue.ts';
import { CALLER, ROUTER_ITSELF, WHOLE_BALANCE } from './abi.ts';
import type { RouterDeployment } from './deployment.ts';
import { type Hop, readRouterCalls, type RouterCall, type SwapCall } from './read.ts';
import { routedKindOf, routedPoolAddress } from './routedKinds.ts';

/**
 * Reads a call of the router back from its bytes and compares it with its order: value, deadline, recipient and input.
 * Also the least that is paid out, the return of what is left, and every pool on the way. It does not use the code
 * that builds.
 */
export function checkCall(
  deployment: RouterDeployment,
  order: SwapOrder,
  instruction: Instruction,
): VerifyResult {
  const { subject } = order;
  if (subject.kind === 'WRAP') return verifyWrap(deployment, order, subject.amount, instruction.data);
  const { quote } = subject;
  const read = readRouterCalls(instruction.data);
  if (!read.ok) return read;
  if (read.deadlineSeconds !== order.deadlineSeconds) return mismatch('The deadline differs.');
  const firstPayment = read.calls.findIndex((call) => call.kind !== 'SWAP');
  const swapCount = firstPayment === -1 ? read.calls.length : firstPayment;
  const swaps = read.calls.filter((call) => call.kind === 'SWAP');
  if (swaps.length !== swapCount) return mismatch('A swap follows a payment.');
  const rest = read.calls.slice(swapCount);
  const leftovers = leftoversOf(order, quote, swaps);
  if (!isReturned(leftovers, rest.slice(0, leftovers.size)))
    return mismatch('What a swap leaves in the router is not returned.');
  const payments = rest.slice(leftovers.size);
  // Rounding of transfers may keep this much of the output back, so that the bounds must allow for it.
  const least = quote.amountOut - (subject.rounding?.amountOut ?? 0n);
  const terms = { deployment, order, quote, least, swaps, payments };
  return quote.tradeType === 'EXACT_IN'
    ? verifyExactIn(terms, instruction.value)
    : verifyExactOut(terms, instruction.value);
}

type Terms = {
  readonly deployment: RouterDeployment;
  readonly order: SwapOrder;
  readonly quote: Quote;
  /** The least output that arrives if the market does not move. */
  readonly least: bigint;
  readonly swaps: readonly SwapCall[];
  readonly payments: readonly RouterCall[];
};

/** Native currency among what is left in the router. */
const NATIVE = 'NATIVE';

/**
 * What the swaps could leave in the router of the payer's money. With an exact input, any pool but a V2 pair can run out
 * and take less than it is given. If the payer pays this pool's input, the router takes only that smaller amount from the
 * payer. Other tokens and native currency are in the router already, and the rest stays there. With an exact output, the
 * router gets as much native currency as the swap may take at most.
 */
function leftoversOf(
  { nativeIn }: SwapOrder,
  { tradeType }: Quote,
  swaps: readonly SwapCall[],
): ReadonlySet<Address | typeof NATIVE> {
  if (tradeType === 'EXACT_OUT') return new Set(nativeIn ? [NATIVE] : []);
  const left = new Set<Address | typeof NATIVE>();
  for (const { poolKind, exact, hops } of swaps) {
    if (poolKind === 'UNISWAP_V2') continue;
    for (const [index, { tokenIn }] of hops.entries()) {
      const isPaidByRouter = index > 0 || exact === WHOLE_BALANCE;
      if (isPaidByRouter) left.add(tokenIn);
      else if (nativeIn) left.add(NATIVE);
    }
  }
  return left;
}

/** Whether calls give all of it back, each token once, to the caller of the router, who is the payer. */
function isReturned(leftovers: ReadonlySet<Address | typeof NATIVE>, calls: readonly RouterCall[]): boolean {
  const returned = calls.map((call) => {
    if (call.kind === 'REFUND') return NATIVE;
    const pays = call.kind === 'SWEEP' && call.minimum === 0n && call.payee === undefined;
    return pays ? call.token : undefined;
  });
  return [...leftovers].every((asset) => returned.includes(asset));
}

function mismatch(text: string): { readonly ok: false; readonly mismatch: string } {
  return { ok: false, mismatch: text };
}

/** The recipient that swap calls must have; the router reads a reserved address as its caller. */
function expectedPayee(order: SwapOrder): Address {
  return order.recipient ?? order.sender ?? CALLER;
}

/** The route's swaps grouped into paths: a call that spends the router's whole balance continues the path before it. */
function pathsOf(swaps: readonly SwapCall[]): readonly (readonly SwapCall[])[] {
  const paths: SwapCall[][] = [];
  for (const swap of swaps) {
    const open = paths.at(-1);
    if (swap.exact === WHOLE_BALANCE && open !== undefined) open.push(swap);
    else paths.push([swap]);
  }
  return paths;
}

function verifyExactIn(terms: Terms, value: bigint): VerifyResult {
  const { deployment, order, quote, swaps, payments } = terms;
  if (value !== (order.nativeIn ? quote.amountIn : 0n)) return mismatch('The value is not the input.');
  const paths = pathsOf(swaps);
  if (paths.length !== quote.paths.length) return mismatch('The number of paths differs.');
  const collected = order.nativeOut || paths.length > 1;
  let amountIn = 0n;
  for (const [index, calls] of paths.entries()) {
    const wrong = wrongExactInPath(terms, quote.paths[index], calls);
    if (wrong !== undefined) return mismatch(`Path ${index}: ${wrong}`);
    const last = calls.at(-1);
    const payee = collected ? ROUTER_ITSELF : expectedPayee(order);
    if (last?.recipient !== payee) return mismatch(`Path ${index}: the recipient differs.`);
    if (collected && last.bound !== 0n) return mismatch(`Path ${index}: a minimum of its own.`);
    amountIn += calls[0]?.exact ?? 0n;
  }
  if (amountIn !== quote.amountIn) return mismatch('The paths do not add up to the input.');
  const minimum = collected
    ? paidOutMinimum(deployment, order, quote, payments)
    : payments.length === 0
      ? paths[0]?.at(-1)?.bound
      : undefined;
  if (minimum === undefined) return mismatch('The payments differ.');
  if (!isTightMinimum(minimum, terms.least, order.slippageBps))
    return mismatch('The minimum output is not the order’s.');
  return { ok: true, limit: { minAmountOut: minimum as Amount } };
}

function wrongExactInPath(
  { deployment }: Terms,
  path: Path | undefined,
  calls: readonly SwapCall[],
): string | undefined {
  if (calls.some((call) => call.tradeType !== 'EXACT_IN')) return 'the trade type differs.';
  if (calls[0]?.exact !== path?.amountIn || path?.amountIn === 0n) return 'the input differs.';
  for (const call of calls.slice(0, -1)) {
    if (call.recipient !== ROUTER_ITSELF) return 'an intermediate amount leaves the router.';
    if (call.bound !== 0n) return 'an intermediate amount has a minimum.';
  }
  return wrongPools(deployment, path, calls);
}

/** The minimum that the payment at the end enforces; undefined if it is not the payment that the order needs. */
function paidOutMinimum(
  { wrappedNative }: RouterDeployment,
  order: SwapOrder,
  quote: Quote,
  payments: readonly RouterCall[],
): bigint | undefined {
  const [payment, extra] = payments;
  if (extra !== undefined) return undefined;
  if (payment?.kind !== (order.nativeOut ? 'UNWRAP' : 'SWEEP')) return undefined;
  // Payment calls take the address literally: a call without one pays the caller.
  if (payment.payee !== (order.recipient ?? order.sender)) return undefined;
  const token = payment.kind === 'SWEEP' ? payment.token : wrappedNative;
  return token === quote.tokenOut ? payment.minimum : undefined;
}

function isTightMinimum(minimum: bigint, amountOut: bigint, slippageBps: number): boolean {
  const exact = amountOut * BigInt(10_000 - slippageBps);
  return minimum * 10_000n >= exact && (minimum - 1n) * 10_000n < exact;
}

function verifyExactOut(terms: Terms, value: bigint): VerifyResult {
  const { order, quote, swaps, payments } = terms;
  if (swaps.length !== quote.paths.length) return mismatch('The number of paths differs.');
  // The router lets V2 pairs pay less than an exact output. Only a minimum behind the swaps refuses that.
  const collected = order.nativeOut || swaps.some((call) => call.poolKind === 'UNISWAP_V2');
  const payee = collected ? ROUTER_ITSELF : expectedPayee(order);
  let amountOut = 0n;
  let maxAmountIn = 0n;
  for (const [index, call] of swaps.entries()) {
    const wrong = wrongExactOutPath(terms.deployment, quote.paths[index], call, payee);
    if (wrong !== undefined) return mismatch(`Path ${index}: ${wrong}`);
    amountOut += call.exact;
    maxAmountIn += call.bound;
  }
  if (amountOut !== quote.amountOut) return mismatch('The paths do not add up to the output.');
  if (!isTightMaximum(maxAmountIn, quote.amountIn, order.slippageBps))
    return mismatch('The maximum input is not the order’s.');
  if (value !== (order.nativeIn ? maxAmountIn : 0n)) return mismatch('The value is not the maximum input.');
  const paidOut = collected
    ? paidOutMinimum(terms.deployment, order, quote, payments) === terms.least
    : payments.length === 0;
  if (!paidOut) return mismatch('The payments differ.');
  return { ok: true, limit: { maxAmountIn: maxAmountIn as Amount } };
}

function wrongExactOutPath(
  deployment: RouterDeployment,
  path: Path | undefined,
  call: SwapCall,
  payee: Address,
): string | undefined {
  if (path === undefined) return 'it is not in the route.';
  if (call.tradeType !== 'EXACT_OUT') return 'the trade type differs.';
  if (call.recipient !== payee) return 'the recipient differs.';
  if (call.exact <= 0n || call.exact > path.amountOut) return 'the output differs.';
  if (call.bound < path.amountIn) return 'the maximum input is below the input.';
  return wrongPools(deployment, path, [call]);
}

function isTightMaximum(maximum: bigint, amountIn: bigint, slippageBps: number): boolean {
  const exact = amountIn * BigInt(10_000 + slippageBps);
  return maximum * 10_000n <= exact && (maximum + 1n) * 10_000n > exact;
}

function wrongPools(
  deployment: RouterDeployment,
  path: Path | undefined,
  calls: readonly SwapCall[],
): string | undefined {
  const hops = calls.flatMap((call) => call.hops.map((hop) => ({ ...hop, poolKind: call.poolKind })));
  if (path === undefined || hops.length !== path.legs.length) return 'the number of pools differs.';
  for (const [index, leg] of path.legs.entries()) {
    const hop: (Hop & { poolKind: string }) | undefined = hops[index];
    const routed = routedKindOf(leg.pool);
    if (routed === undefined || hop?.poolKind !== leg.pool.kind) return `pool ${index} differs.`;
    if (hop.feePips !== routed.namedFee(leg.pool)) return `pool ${index} differs.`;
    if (hop.tokenIn !== leg.tokenIn || hop.tokenOut !== leg.tokenOut) return `token ${index} differs.`;
    if (routedPoolAddress(deployment, leg.pool) !== leg.pool.address)
      return `the router trades another pool than ${index}.`;
  }
  return undefined;
}

function verifyWrap(
  deployment: RouterDeployment,
  order: SwapOrder,
  amount: Amount,
  data: `0x${string}`,
): VerifyResult {
  const wrong = wrongRouterWrap(deployment, order, amount, data);
  return wrong === undefined ? { ok: true, limit: { minAmountOut: amount } } : mismatch(wrong);
}

function wrongRouterWrap(
  { wrappedNative }: RouterDeployment,
  order: SwapOrder,
  amount: Amount,
  data: `0x${string}`,
): string | undefined {
  const read = readRouterCalls(data);
  if (!read.ok) return read.mismatch;
  if (read.deadlineSeconds !== order.deadlineSeconds) return 'The deadline differs.';
  const [taken, paid, extra] = read.calls;
  if (extra !== undefined) return 'There are more calls than an exchange needs.';
  const payee = order.recipient ?? order.sender;
  if (order.nativeIn) {
    if (taken?.kind !== 'WRAP' || taken.amount !== amount) return 'The input differs.';
    if (paid?.kind !== 'SWEEP' || paid.token !== wrappedNative) return 'The payment differs.';
    return paid.minimum === amount && paid.payee === payee ? undefined : 'The payment differs.';
  }
  if (taken?.kind !== 'PULL' || taken.token !== wrappedNative || taken.amount !== amount)
    return 'The input differs.';
  if (paid?.kind !== 'UNWRAP') return 'The payment differs.';
  return paid.minimum === amount && paid.payee === payee ? undefined : 'The payment differs.';
}
