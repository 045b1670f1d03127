import { readCalldata, type Words } from './calldata.ts';

/** A swap of Uniswap's SwapRouter02: what it takes, and what it gives at least, and to whom. */
export type SwapCall = {
  readonly kind: 'SWAP';
  readonly tradeType: 'EXACT_IN' | 'EXACT_OUT';
  readonly tokenIn: string;
  readonly tokenOut: string;
  /** The exact side; for EXACT_IN zero means all that the router holds. */
  readonly exact: bigint;
  /** The least output, or the most input. */
  readonly bound: bigint;
  /** What it pays the payee at least, as the router itself makes sure. */
  readonly least: bigint;
  readonly payee: string;
};

/** One call inside of the router's multicall. An absent payee is whoever calls the router. */
export type RouterCall =
  | SwapCall
  | { readonly kind: 'SWEEP'; readonly token: string; readonly minimum: bigint; readonly payee?: string }
  | { readonly kind: 'UNWRAP'; readonly minimum: bigint; readonly payee?: string }
  | { readonly kind: 'REFUND' }
  | { readonly kind: 'WRAP'; readonly amount: bigint }
  | { readonly kind: 'PULL'; readonly token: string; readonly amount: bigint };

/** The recipient that the router reads as whoever calls it. */
export const CALLER = '0x0000000000000000000000000000000000000001';
/** The recipient that the router reads as itself. */
export const ROUTER_ITSELF = '0x0000000000000000000000000000000000000002';

/** `multicall(uint256 deadline, bytes[] data)` */
const MULTICALL = '5ae401dc';

/** The deadline and the calls of the router's multicall; undefined for anything else, dirt included. */
export function readMulticall(data: string): { deadlineSeconds: bigint; calls: RouterCall[] } | undefined {
  const read = readCalldata(data);
  if (read?.selector !== MULTICALL) return undefined;
  const { words } = read;
  const count = Number(words.uint(2));
  if (words.uint(1) !== 64n || count > words.length) return undefined;
  const calls: RouterCall[] = [];
  let at = count;
  for (let index = 0; index < count; index++) {
    const inner = words.bytes(3 + at);
    if (words.uint(3 + index) !== BigInt(at * 32) || inner === undefined) return undefined;
    const call = readCall(`0x${inner}`);
    if (call === undefined) return undefined;
    calls.push(call);
    at += words.span(3 + at);
  }
  return words.length === 3 + at ? { deadlineSeconds: words.uint(0), calls } : undefined;
}

/** How calls of the router are read, by their selectors; the signatures are those of its sources. */
const READERS: Readonly<Record<string, (words: Words) => RouterCall | undefined>> = {
  // exactInputSingle((tokenIn, tokenOut, fee, recipient, amountIn, amountOutMinimum, sqrtPriceLimitX96))
  '04e45aaf': (words) => single(words, 'EXACT_IN'),
  // exactOutputSingle((tokenIn, tokenOut, fee, recipient, amountOut, amountInMaximum, sqrtPriceLimitX96))
  '5023b4df': (words) => single(words, 'EXACT_OUT'),
  // exactInput((path, recipient, amountIn, amountOutMinimum))
  b858183f: (words) => along(words, 'EXACT_IN'),
  // exactOutput((path, recipient, amountOut, amountInMaximum)), whose path begins with the output
  '09b81346': (words) => along(words, 'EXACT_OUT'),
  // swapExactTokensForTokens(amountIn, amountOutMin, path, to)
  '472b43f3': (words) => pairs(words, 'EXACT_IN'),
  // swapTokensForExactTokens(amountOut, amountInMax, path, to)
  '42712a67': (words) => pairs(words, 'EXACT_OUT'),
  // sweepToken(token, amountMinimum, recipient)
  df2ab5bb: (words) => sweep(words, 3, words.address(2)),
  // sweepToken(token, amountMinimum)
  e90a182f: (words) => sweep(words, 2, undefined),
  // unwrapWETH9(amountMinimum, recipient)
  '49404b7c'(words) {
    const payee = words.address(1);
    if (words.length !== 2 || payee === undefined) return undefined;
    return { kind: 'UNWRAP', minimum: words.uint(0), payee };
  },
  // unwrapWETH9(amountMinimum)
  '49616997': (words) => (words.length === 1 ? { kind: 'UNWRAP', minimum: words.uint(0) } : undefined),
  // refundETH()
  '12210e8a': (words) => (words.length === 0 ? { kind: 'REFUND' } : undefined),
  // wrapETH(value)
  '1c58db4f': (words) => (words.length === 1 ? { kind: 'WRAP', amount: words.uint(0) } : undefined),
  // pull(token, value)
  f2d5d56b(words) {
    const token = words.address(0);
    return words.length === 2 && token !== undefined
      ? { kind: 'PULL', token, amount: words.uint(1) }
      : undefined;
  },
};

function readCall(data: string): RouterCall | undefined {
  const read = readCalldata(data);
  return read === undefined ? undefined : READERS[read.selector]?.(read.words);
}

type TradeType = SwapCall['tradeType'];

function swap(
  tradeType: TradeType,
  [tokenIn, tokenOut, payee]: readonly (string | undefined)[],
  [exact = 0n, bound = 0n]: readonly bigint[],
): SwapCall | undefined {
  if (tokenIn === undefined || tokenOut === undefined || payee === undefined) return undefined;
  const least = tradeType === 'EXACT_IN' ? bound : exact;
  return { kind: 'SWAP', tradeType, tokenIn, tokenOut, exact, bound, least, payee };
}

function single(words: Words, tradeType: TradeType): SwapCall | undefined {
  // With a price limit the swap could be filled in part.
  if (words.length !== 7 || words.uint(6) !== 0n) return undefined;
  const parties = [words.address(0), words.address(1), words.address(3)];
  return swap(tradeType, parties, [words.uint(4), words.uint(5)]);
}

/** A packed path: 20 bytes of token, then 3 of fee and 20 of token for each pool. */
const PATH = /^([0-9a-f]{40})(?:[0-9a-f]{46})*[0-9a-f]{6}([0-9a-f]{40})$/;

function along(words: Words, tradeType: TradeType): SwapCall | undefined {
  if (words.uint(0) !== 32n || words.uint(1) !== 128n) return undefined;
  const [, first, last] = PATH.exec(words.bytes(5) ?? '') ?? [];
  if (first === undefined || words.length !== 5 + words.span(5)) return undefined;
  const ends = tradeType === 'EXACT_IN' ? [first, last] : [last, first];
  const [tokenIn, tokenOut] = ends.map((token) => `0x${token}`);
  return swap(tradeType, [tokenIn, tokenOut, words.address(2)], [words.uint(3), words.uint(4)]);
}

function pairs(words: Words, tradeType: TradeType): SwapCall | undefined {
  const count = Number(words.uint(4));
  if (words.uint(2) !== 128n || count < 2 || words.length !== 5 + count) return undefined;
  const parties = [words.address(5), words.address(4 + count), words.address(3)];
  const read = swap(tradeType, parties, [words.uint(0), words.uint(1)]);
  // The router computes the input of an exact output, and nothing else: where a token takes a fee, pairs pay less.
  return read && tradeType === 'EXACT_OUT' ? { ...read, least: 0n } : read;
}

function sweep(words: Words, length: number, payee: string | undefined): RouterCall | undefined {
  const token = words.address(0);
  if (words.length !== length || token === undefined || (length === 3 && payee === undefined))
    return undefined;
  const swept = { kind: 'SWEEP', token, minimum: words.uint(1) } as const;
  return payee === undefined ? swept : { ...swept, payee };
}
