import assert from 'node:assert/strict';
import type { Instruction, Route } from '@fairway/wire';
import { getAddress, Interface, type Result, type TransactionDescription } from 'ethers';
import { NATIVE_TOKEN } from './wallet.ts';

/** The address that the router reads as its caller. */
export const CALLER = '0x0000000000000000000000000000000000000001';
const ROUTER_ITSELF = '0x0000000000000000000000000000000000000002';

/** From Uniswap's sources: IMulticallExtended, IV2SwapRouter, IV3SwapRouter, IPeripheryPaymentsWithFeeExtended. */
export const router = new Interface([
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256)',
  'function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params) payable returns (uint256)',
  'function exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params) payable returns (uint256)',
  'function exactOutput((bytes path, address recipient, uint256 amountOut, uint256 amountInMaximum) params) payable returns (uint256)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to) payable returns (uint256)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function unwrapWETH9(uint256 amountMinimum) payable',
  'function sweepToken(address token, uint256 amountMinimum, address recipient) payable',
  'function sweepToken(address token, uint256 amountMinimum) payable',
  'function refundETH() payable',
  'function wrapETH(uint256 value) payable',
  'function pull(address token, uint256 value) payable',
]);

/** The trade that the API was asked for, as far as its instruction shows it. */
type Order = {
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly tradeType: 'EXACT_IN' | 'EXACT_OUT';
};

/** What a swap's calldata does, independent of the calls it consists of. Addresses are EIP-55. */
export type Reading = {
  deadline: bigint;
  paysIn: bigint;
  paysOut: bigint;
  payee: string;
  /** For each path, its tokens in the direction of the trade, with V3 fees between them. */
  paths: (string | number)[][];
};

type SwapCall = { payee: string; exact: bigint; bound: bigint; hops: (string | number)[]; exactIn: boolean };

/** Reads a call of a contract; asserts that its bytes hold nothing else. */
export function parse(contract: Interface, data: string): TransactionDescription {
  const call = contract.parseTransaction({ data }) ?? assert.fail(`no function of this contract: ${data}`);
  assert.equal(
    contract.encodeFunctionData(call.fragment, call.args),
    data,
    'nothing hides behind the arguments',
  );
  return call;
}

/** Tokens and fees of a packed V3 path. */
function unpack(path: string): (string | number)[] {
  const hops: (string | number)[] = [getAddress(path.slice(0, 42))];
  for (let at = 42; at < path.length; at += 46) {
    hops.push(Number.parseInt(path.slice(at, at + 6), 16), getAddress(`0x${path.slice(at + 6, at + 46)}`));
  }
  return hops;
}

function swapCall({ name, args }: TransactionDescription): SwapCall | undefined {
  const params = args.at(0) as Result;
  switch (name) {
    case 'exactInputSingle':
    case 'exactOutputSingle': {
      const [tokenIn, tokenOut, fee, payee, exact, bound, priceLimit] = params;
      assert.equal(priceLimit, 0n, 'no partial fills');
      const hops = [tokenIn, Number(fee), tokenOut];
      return { payee, exact, bound, hops, exactIn: name === 'exactInputSingle' };
    }
    case 'exactInput':
    case 'exactOutput': {
      const [path, payee, exact, bound] = params;
      const hops = unpack(path);
      const exactIn = name === 'exactInput';
      return { payee, exact, bound, hops: exactIn ? hops : hops.toReversed(), exactIn };
    }
    case 'swapExactTokensForTokens':
    case 'swapTokensForExactTokens': {
      const [exact, bound, path, payee] = args;
      return { payee, exact, bound, hops: [...path], exactIn: name === 'swapExactTokensForTokens' };
    }
    default:
      return undefined;
  }
}

/**
 * Reads a router instruction. Asserts that the order needs each call in it, and that no single path of a split exact
 * input has a minimum of its own.
 */
export function readSwap(order: Order, { data, value }: Instruction): Reading {
  const outer = parse(router, data);
  assert.equal(outer.name, 'multicall');
  const [deadline, inner] = outer.args as unknown as [bigint, string[]];
  const calls = inner.map((call) => parse(router, call));
  const swaps = calls.flatMap((call) => swapCall(call) ?? []);
  const payments = calls.slice(swaps.length).map(({ name, args }) => [name, ...args]);
  assert.deepEqual(calls.slice(0, swaps.length).map(swapCall), swaps, 'payments come after swaps');
  const exactIn = order.tradeType === 'EXACT_IN';
  assert.ok(swaps.every((swap) => swap.exactIn === exactIn));
  const paths: SwapCall[][] = [];
  for (const swap of swaps) {
    // An input of 0 means the router's balance: the output of the call before.
    if (exactIn && swap.exact === 0n) paths.at(-1)?.push(swap);
    else paths.push([swap]);
  }
  for (const path of paths) {
    for (const swap of path.slice(0, -1)) assert.deepEqual([swap.payee, swap.bound], [ROUTER_ITSELF, 0n]);
  }
  const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  const ends = paths.flatMap((path) => path.at(-1) ?? []);
  const exact = sum(paths.map(([first]) => first?.exact ?? 0n));
  const payees = new Set(ends.map(({ payee }) => payee));
  assert.equal(payees.size, 1);
  const [direct = ''] = payees;
  const bound = sum(ends.map((end) => end.bound));
  const returned = returnsOf(order, paths.map(joined));
  assert.deepEqual(
    payments.splice(0, returned.length),
    returned,
    'what pools may leave goes back, and nothing else',
  );
  const paid = settle(order, payments, direct, exactIn ? undefined : exact);
  if (swaps.some(isUnchecked)) assert.notEqual(paid.minimum, undefined, 'a minimum for what nothing checks');
  if (exactIn && paths.length > 1) assert.notEqual(paid.minimum, undefined, 'one minimum for all paths');
  if (exactIn && paid.minimum !== undefined) assert.equal(bound, 0n, 'there is no other minimum');
  const paysOut = exactIn ? (paid.minimum ?? bound) : exact;
  const paysIn = exactIn ? exact : bound;
  assert.equal(value, String(order.tokenIn === NATIVE_TOKEN ? paysIn : 0n));
  return { deadline, paysIn, paysOut, payee: paid.payee, paths: paths.map(joined) };
}

/** Whether the router lets the swap pay less than its exact output: V2 pairs, which calls name without fees. */
function isUnchecked({ exactIn, hops }: SwapCall): boolean {
  return !exactIn && !hops.some((hop) => typeof hop === 'number');
}

/**
 * The calls that give back to the caller what the router may keep. With an exact input that is the part of a token that
 * the router pays and a V3 pool does not take. With an exact output in native currency it is always the unused rest of
 * the maximum.
 */
function returnsOf({ tokenIn, tradeType }: Order, paths: Reading['paths']): unknown[][] {
  const exactIn = tradeType === 'EXACT_IN';
  const isV3At = (path: Reading['paths'][number], at: number) => typeof path[at + 1] === 'number';
  const between = paths.flatMap((path) =>
    path.filter((hop, at) => at > 0 && typeof hop === 'string' && isV3At(path, at)),
  );
  const mayLeaveNative = !exactIn || paths.some((path) => isV3At(path, 0));
  return [
    ...(exactIn ? [...new Set(between)].map((token) => ['sweepToken', token, 0n]) : []),
    ...(tokenIn === NATIVE_TOKEN && mayLeaveNative ? [['refundETH']] : []),
  ];
}

/** The account that holds the output after the payments, and the minimum that the payments enforce together. */
function settle(order: Order, payments: unknown[][], direct: string, exactOut: bigint | undefined) {
  const [payment, ...others] = payments;
  assert.deepEqual(others, []);
  if (payment === undefined) {
    assert.notEqual(direct, ROUTER_ITSELF, 'nothing stays behind');
    return { payee: direct, minimum: undefined };
  }
  assert.equal(direct, ROUTER_ITSELF);
  const [name, ...args] = payment;
  const isNative = order.tokenOut === NATIVE_TOKEN;
  assert.equal(name, isNative ? 'unwrapWETH9' : 'sweepToken');
  if (!isNative) assert.equal(args.shift(), order.tokenOut);
  const [minimum, payee = CALLER] = args as [bigint, string?];
  if (exactOut !== undefined) assert.equal(minimum, exactOut);
  return { payee, minimum };
}

function joined(path: SwapCall[]): (string | number)[] {
  return path.flatMap(({ hops }, index) => (index === 0 ? hops : hops.slice(1)));
}

/** A route's paths in the form of a reading. */
export function routeHops({ legs, paths }: Route): Reading['paths'] {
  const legOf = new Map(legs.map((leg) => [leg.pool, leg]));
  return paths.map(({ assets, pools }) =>
    pools.flatMap((pool, index) => {
      const leg = legOf.get(pool) ?? assert.fail('a path passes a pool that has no leg');
      const fee = leg.kind === 'UNISWAP_V3' ? [Math.round(leg.feeBps * 100)] : [];
      return [...(index === 0 ? [assets[0]?.address ?? ''] : []), ...fee, assets[index + 1]?.address ?? ''];
    }),
  );
}
