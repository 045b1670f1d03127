import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import { Interface } from 'ethers';
import fc from 'fast-check';
import { arbitraryRouteOrder, arbitraryWrapOrder, deployment } from '../../../test/arbitraryOrder.ts';
import type { Instruction, SwapOrder } from '../../types.ts';
import { buildSwap } from '../../swap/buildSwap.ts';
import { leastOutput } from './leastOutput.ts';

/** The router's functions, written without the builder's ABI: both have to agree with the router's source. */
const router = new Interface([
  'function multicall(uint256 deadline, bytes[] data)',
  'function exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96) p)',
  'function exactInput((bytes path,address recipient,uint256 amountIn,uint256 amountOutMinimum) p)',
  'function exactOutputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 amountOut,uint256 amountInMaximum,uint160 sqrtPriceLimitX96) p)',
  'function exactOutput((bytes path,address recipient,uint256 amountOut,uint256 amountInMaximum) p)',
  'function swapExactTokensForTokens(uint256 amountIn,uint256 amountOutMin,address[] path,address to)',
  'function swapTokensForExactTokens(uint256 amountOut,uint256 amountInMax,address[] path,address to)',
  'function sweepToken(address token,uint256 amountMinimum,address recipient)',
  'function sweepToken(address token,uint256 amountMinimum)',
  'function unwrapWETH9(uint256 amountMinimum,address recipient)',
  'function unwrapWETH9(uint256 amountMinimum)',
  'function refundETH()',
  'function wrapETH(uint256 value)',
  'function pull(address token,uint256 value)',
]);

const CALLER = '0x0000000000000000000000000000000000000001';
const ROUTER = '0x0000000000000000000000000000000000000002';

type Facts = {
  deadline: bigint;
  spent: bigint;
  earned: bigint;
  payees: Set<string>;
  /** The minima below which nothing that the router has collected is paid out. */
  collected: bigint[];
  names: string[];
  /** What goes back to whoever calls; an empty token is native currency. */
  returned: string[];
};

/** The meaning of calldata, decoded by another library. */
function factsOf(data: string): Facts {
  const outer = router.parseTransaction({ data });
  assert.equal(outer?.name, 'multicall');
  const facts: Facts = {
    deadline: outer.args[0] as bigint,
    spent: 0n,
    earned: 0n,
    payees: new Set(),
    collected: [],
    names: [],
    returned: [],
  };
  for (const inner of outer.args[1] as string[]) {
    const call = router.parseTransaction({ data: inner });
    assert.ok(call);
    facts.names.push(call.name);
    addCall(facts, call.name, call.args);
  }
  return facts;
}

function addCall(facts: Facts, name: string, args: ArrayLike<unknown> & { [key: string]: unknown }): void {
  const given = (args['p'] ?? args) as { [key: string]: unknown };
  const amount = (key: string) => given[key] as bigint;
  const payee = ((given['recipient'] ?? given['to'] ?? CALLER) as string).toLowerCase();
  switch (name) {
    case 'exactInputSingle':
    case 'exactInput':
    case 'swapExactTokensForTokens':
      facts.spent += amount('amountIn');
      facts.earned += (given['amountOutMinimum'] ?? given['amountOutMin']) as bigint;
      if (payee !== ROUTER) facts.payees.add(payee);
      break;
    case 'exactOutputSingle':
    case 'exactOutput':
    case 'swapTokensForExactTokens':
      facts.spent += (given['amountInMaximum'] ?? given['amountInMax']) as bigint;
      facts.earned += amount('amountOut');
      if (payee !== ROUTER) facts.payees.add(payee);
      break;
    case 'refundETH':
      facts.returned.push('');
      break;
    case 'sweepToken':
    case 'unwrapWETH9':
      if (amount('amountMinimum') === 0n) {
        assert.equal(payee, CALLER);
        facts.returned.push((given['token'] as string).toLowerCase());
        break;
      }
      facts.earned = amount('amountMinimum');
      facts.collected.push(facts.earned);
      facts.payees.add(payee);
      break;
    default:
      assert.ok(name === 'wrapETH' || name === 'pull', name);
      facts.spent += amount('value');
  }
}

/**
 * The tokens that V3 pools could leave in the router, worked out from the quote: every token that it pays one of them
 * itself.
 */
function leftBehind({ subject, nativeIn }: SwapOrder): string[] {
  assert.ok(subject.kind === 'ROUTE');
  const { tradeType, paths } = subject.quote;
  if (tradeType === 'EXACT_OUT') return nativeIn ? [''] : [];
  const left = new Set<string>();
  for (const { legs } of paths)
    for (const [index, { pool, tokenIn }] of legs.entries()) {
      if (pool.kind === 'UNISWAP_V2' || (index === 0 && !nativeIn)) continue;
      left.add(index === 0 ? '' : tokenIn);
    }
  return [...left];
}

function built(order: SwapOrder): Instruction {
  const result = buildSwap(deployment, order);
  assert.ok(result.ok, result.ok ? '' : result.detail);
  return result.instruction;
}

test('an independent decoder finds every built route equal to its request', () => {
  fc.assert(
    fc.property(arbitraryRouteOrder, (order) => {
      const { quote } = order.subject;
      const { to, data, value } = built(order);
      const facts = factsOf(data);
      const bps = BigInt(order.slippageBps);
      const most = (quote.amountIn * (10_000n + bps)) / 10_000n;
      const least = (quote.amountOut * (10_000n - bps) + 9_999n) / 10_000n;
      const exactIn = quote.tradeType === 'EXACT_IN';
      assert.equal(to.toLowerCase(), deployment.router);
      assert.equal(facts.deadline, order.deadlineSeconds);
      assert.deepEqual([...facts.payees], [order.recipient ?? order.sender ?? CALLER]);
      assert.equal(facts.spent, exactIn ? quote.amountIn : most);
      assert.equal(facts.earned, exactIn ? least : quote.amountOut);
      assert.equal(value, order.nativeIn ? facts.spent : 0n);
      assert.deepEqual(facts.returned.toSorted(), leftBehind(order).toSorted());
      // Alone the router's own functions for V3 refuse to pay less than an exact output.
      const isChecked = !order.nativeOut && !facts.names.includes('swapTokensForExactTokens');
      assert.deepEqual(leastOutput(data), exactIn ? least : isChecked ? undefined : quote.amountOut);
      if (!exactIn) assert.deepEqual(facts.collected, isChecked ? [] : [quote.amountOut]);
      assert.equal(facts.names.includes('unwrapWETH9'), order.nativeOut);
    }),
    { seed, numRuns: 300 },
  );
});

test('an independent decoder finds every built 1:1 exchange equal to its request', () => {
  const wrapped = new Interface(['function deposit()', 'function withdraw(uint256 amount)']);
  fc.assert(
    fc.property(arbitraryWrapOrder, (order) => {
      assert.ok(order.subject.kind === 'WRAP');
      const { amount } = order.subject;
      const { to, data, value } = built(order);
      assert.equal(value, order.nativeIn ? amount : 0n);
      if (order.recipient === undefined || order.recipient === order.sender) {
        assert.equal(to.toLowerCase(), deployment.wrappedNative);
        const call = wrapped.parseTransaction({ data });
        assert.equal(call?.name, order.nativeIn ? 'deposit' : 'withdraw');
        if (!order.nativeIn) assert.equal(call?.args[0], amount);
        return;
      }
      const facts = factsOf(data);
      assert.equal(to.toLowerCase(), deployment.router);
      assert.equal(facts.deadline, order.deadlineSeconds);
      assert.deepEqual([...facts.payees], [order.recipient]);
      assert.deepEqual([facts.spent, facts.earned], [amount, amount]);
    }),
    { seed },
  );
});
