import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { type Abi, concatHex, encodeFunctionData, encodePacked, type Hex, numberToHex, parseAbi } from 'viem';
import { readMulticall, type RouterCall } from './routerCalls.ts';

/** The router's functions as its sources declare them, encoded by another library. */
const abi = parseAbi([
  'function multicall(uint256 deadline, bytes[] data)',
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)',
  'function exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params)',
  'function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params)',
  'function exactOutput((bytes path, address recipient, uint256 amountOut, uint256 amountInMaximum) params)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to)',
  'function sweepToken(address token, uint256 amountMinimum, address recipient)',
  'function sweepToken(address token, uint256 amountMinimum)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient)',
  'function unwrapWETH9(uint256 amountMinimum)',
  'function refundETH()',
  'function wrapETH(uint256 value)',
  'function pull(address token, uint256 value)',
]);

/** The same, for functions that a text names. */
const anyAbi: Abi = abi;

const address = fc.bigInt({ min: 0n, max: 2n ** 160n - 1n }).map((value) => numberToHex(value, { size: 20 }));
const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const fee = fc.integer({ min: 0, max: 2 ** 24 - 1 });
type Encoded = readonly [data: Hex, meaning: RouterCall];

const packed = (tokens: readonly Hex[], pips: number) =>
  concatHex(
    tokens.map((token, index) => (index === 0 ? token : encodePacked(['uint24', 'address'], [pips, token]))),
  );

/** A swap by any of the six functions, and what it means. */
const swap: fc.Arbitrary<Encoded> = fc
  .record({
    tokens: fc.array(address, { minLength: 2, maxLength: 4 }),
    exact: amount,
    bound: amount,
    recipient: address,
    pips: fee,
    isExactIn: fc.boolean(),
    way: fc.constantFrom('SINGLE', 'PATH', 'PAIRS'),
  })
  .map(({ tokens, exact, bound, recipient, pips, isExactIn, way }) => {
    const [first = '0x', second = '0x'] = tokens;
    const [tokenIn, tokenOut] = [first, way === 'SINGLE' ? second : (tokens.at(-1) ?? '0x')];
    const tradeType = isExactIn ? 'EXACT_IN' : 'EXACT_OUT';
    const least = isExactIn ? bound : way === 'PAIRS' ? 0n : exact;
    const amounts = { exact, bound, least };
    const meaning = { kind: 'SWAP', tradeType, tokenIn, tokenOut, ...amounts, payee: recipient } as const;
    return [swapData({ tokens, exact, bound, recipient, pips, isExactIn, way, tokenIn, tokenOut }), meaning];
  });

type Given = {
  tokens: Hex[];
  exact: bigint;
  bound: bigint;
  recipient: Hex;
  pips: number;
  isExactIn: boolean;
  way: string;
  tokenIn: Hex;
  tokenOut: Hex;
};

function swapData({ tokens, exact, bound, recipient, pips, isExactIn, way, tokenIn, tokenOut }: Given): Hex {
  const to = { recipient };
  if (way === 'PAIRS') {
    const functionName = isExactIn ? 'swapExactTokensForTokens' : 'swapTokensForExactTokens';
    return encodeFunctionData({ abi, functionName, args: [exact, bound, tokens, recipient] });
  }
  if (way === 'PATH')
    return isExactIn
      ? encodeFunctionData({
          abi,
          functionName: 'exactInput',
          args: [{ path: packed(tokens, pips), ...to, amountIn: exact, amountOutMinimum: bound }],
        })
      : encodeFunctionData({
          abi,
          functionName: 'exactOutput',
          args: [
            { path: packed(tokens.toReversed(), pips), ...to, amountOut: exact, amountInMaximum: bound },
          ],
        });
  const pool = { tokenIn, tokenOut, fee: pips, ...to, sqrtPriceLimitX96: 0n };
  return isExactIn
    ? encodeFunctionData({
        abi,
        functionName: 'exactInputSingle',
        args: [{ ...pool, amountIn: exact, amountOutMinimum: bound }],
      })
    : encodeFunctionData({
        abi,
        functionName: 'exactOutputSingle',
        args: [{ ...pool, amountOut: exact, amountInMaximum: bound }],
      });
}

const payment: fc.Arbitrary<Encoded> = fc
  .tuple(address, amount, address, fc.nat(6))
  .map(([token, minimum, payee, way]) => {
    const encode = (functionName: string, args: readonly unknown[]) =>
      encodeFunctionData({ abi: anyAbi, functionName, args });
    const all: readonly Encoded[] = [
      [encode('sweepToken', [token, minimum, payee]), { kind: 'SWEEP', token, minimum, payee }],
      [encode('sweepToken', [token, minimum]), { kind: 'SWEEP', token, minimum }],
      [encode('unwrapWETH9', [minimum, payee]), { kind: 'UNWRAP', minimum, payee }],
      [encode('unwrapWETH9', [minimum]), { kind: 'UNWRAP', minimum }],
      [encode('refundETH', []), { kind: 'REFUND' }],
      [encode('wrapETH', [minimum]), { kind: 'WRAP', amount: minimum }],
      [encode('pull', [token, minimum]), { kind: 'PULL', token, amount: minimum }],
    ];
    return all[way] ?? assert.fail();
  });

const multicall = fc
  .tuple(amount, fc.array(fc.oneof(swap, payment), { maxLength: 5 }))
  .map(([deadlineSeconds, calls]) => ({
    data: encodeFunctionData({
      abi,
      functionName: 'multicall',
      args: [deadlineSeconds, calls.map(([data]) => data)],
    }),
    meaning: { deadlineSeconds, calls: calls.map(([, call]) => call) },
  }));

test('every call of the router is read as another library has encoded it', () => {
  fc.assert(
    fc.property(multicall, ({ data, meaning }) => {
      assert.deepEqual(readMulticall(data), meaning);
    }),
    { seed },
  );
});

test('calldata with one digit changed is refused, or means something else', () => {
  fc.assert(
    fc.property(multicall, fc.nat(), fc.integer({ min: 1, max: 15 }), ({ data, meaning }, place, by) => {
      const at = 2 + (place % (data.length - 2));
      const digit = ((Number.parseInt(data[at] ?? '0', 16) + by) % 16).toString(16);
      const read = readMulticall(`${data.slice(0, at)}${digit}${data.slice(at + 1)}`);
      // A fee of a pool and a token in the middle of a path mean nothing here: the minimum holds over any way.
      if (read !== undefined && JSON.stringify(read, inText) === JSON.stringify(meaning, inText))
        return isWay(data, at);
      return true;
    }),
    { seed },
  );
});

const inText = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

/** Whether a digit belongs to a call that names the way of a swap. */
function isWay(data: string, at: number): boolean {
  const before = data.slice(0, at);
  const places = ['04e45aaf', '5023b4df', 'b858183f', '09b81346', '472b43f3', '42712a67'];
  return places.some((selector) => before.includes(selector));
}

test('what is cut off or goes on after its end is refused', () => {
  fc.assert(
    fc.property(multicall, fc.nat(), ({ data }, cut) => {
      assert.equal(readMulticall(data.slice(0, 2 + (cut % (data.length - 2)))), undefined);
      assert.equal(readMulticall(`${data}00`), undefined);
      assert.equal(readMulticall(`${data}${'0'.repeat(64)}`), undefined);
    }),
    { seed },
  );
});
