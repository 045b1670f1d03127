// A swap leaves only when it moves what was quoted at the block of the quote, to the smallest unit.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Address, Amount, Quote, TradeType } from '@fairway/engine';
import { HOSTILITIES, makeHostile } from '@fairway/testing';
import { encodeFunctionData, erc20Abi } from 'viem';
import { freshAddress, quoteAlong, startSwapSandbox, type SwapSandbox } from '../../test/sandboxSwaps.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { RpcAnswerError } from '../rpc/errors.ts';
import type { Head, SwapOrder, SwapResult } from '../types.ts';
import { createSwapPlanner } from './planSwap.ts';

let sandbox: SwapSandbox;

before(async () => {
  sandbox = await startSwapSandbox();
});
after(() => sandbox.close());

const USD = 10n ** 6n;
const ETHER = 10n ** 18n;
const recipient = freshAddress('recipient of equal amounts');

function orderOf(quote: Quote, more: Partial<SwapOrder> = {}): SwapOrder {
  const base = { nativeIn: false, nativeOut: false, slippageBps: 50, deadlineSeconds: 2n ** 40n };
  return { ...base, subject: { kind: 'ROUTE', quote }, recipient, ...more };
}

async function plan(order: SwapOrder, block?: Head, request: RpcRequest = sandbox.request) {
  const options = { ...sandbox.deployment, request, allowUnsimulated: false, timeoutMs: 20_000 };
  return createSwapPlanner(options)(order, block ?? (await sandbox.head()));
}

function quoteOver(tradeType: TradeType, from: string, pools: readonly string[], amount: bigint) {
  return quoteAlong(sandbox, tradeType, sandbox.token(from), [{ pools, amount }]);
}

function refusalOf(result: SwapResult) {
  assert.ok(!result.ok, 'the swap was given out');
  return result.refusal;
}

function simulationOf(result: SwapResult) {
  assert.ok(result.ok && result.simulation.status === 'PASSED', JSON.stringify(result, jsonOf));
  return result.simulation;
}

function jsonOf(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** The quote of a market that has other pools than the chain. */
function scaled(quote: Quote, side: 'amountIn' | 'amountOut', change: (amount: bigint) => bigint): Quote {
  const [path] = quote.paths;
  assert.ok(path && quote.paths.length === 1);
  const amount = change(quote[side]) as Amount;
  return { ...quote, [side]: amount, paths: [{ ...path, [side]: amount }] };
}

/** Runs with changes to the chain that are undone afterwards. */
async function between<T>(change: () => Promise<unknown>, run: () => Promise<T>): Promise<T> {
  const snapshot = await sandbox.request({ method: 'evm_snapshot', params: [] });
  await change();
  try {
    return await run();
  } finally {
    await sandbox.request({ method: 'evm_revert', params: [snapshot] });
  }
}

function donate(symbol: string, to: Address, value: bigint) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, value] });
  const [from] = sandbox.accounts;
  assert.ok(from);
  return sandbox.execute(from, { to: sandbox.token(symbol), data, value: 0n });
}

for (const [name, side, change] of [
  ['half of what the chain pays', 'amountOut', (amount) => amount / 2n],
  ['one unit less than the chain pays', 'amountOut', (amount) => amount - 1n],
  ['one unit more than the chain pays', 'amountOut', (amount) => amount + 1n],
] as const satisfies readonly (readonly [string, string, (amount: bigint) => bigint])[])
  test(`a quote of ${name} is not given out, whatever its slippage`, async () => {
    for (const pools of [['V3 USDC/WETH 500'], ['V2 WETH/USDC']]) {
      const quote = await quoteOver('EXACT_IN', 'USDC', pools, 1000n * USD);
      const order = orderOf(scaled(quote, side, change), { slippageBps: 5000 });
      const refusal = refusalOf(await plan(order));
      assert.ok(refusal.reason === 'AMOUNTS_DIFFER', refusal.reason);
      assert.ok(refusal.detail.includes(`pay ${quote.amountOut} for`), refusal.detail);
      assert.deepEqual(refusal.pools, [quote.legs[0]?.pool]);
    }
  });

test('where tokens round transfers, a swap may differ by the rounding, and by no unit more', async () => {
  const quote = await quoteOver('EXACT_IN', 'USDC', ['V2 WETH/USDC'], 1000n * USD);
  const rounding = { tokens: [], unitsPerTransfer: 2n, amountIn: 0n, amountOut: 3n };
  for (const [by, leaves] of [
    [-4n, false],
    [-3n, true],
    [3n, true],
    [4n, false],
  ] as const) {
    const changed = scaled(quote, 'amountOut', (amount) => amount + by);
    const subject = { kind: 'ROUTE', quote: changed, rounding } as const;
    const result = await plan(orderOf(changed, { subject, slippageBps: 0 }));
    assert.equal(result.ok, leaves, `${by}`);
    if (result.ok) assert.deepEqual(result.limit, { minAmountOut: changed.amountOut - 3n });
    else assert.equal(refusalOf(result).reason, by > 0n ? 'SIMULATION_FAILED' : 'AMOUNTS_DIFFER');
  }
});

test('what the sender holds and has approved is not overridden, and nothing else is asked for', async () => {
  const quote = await quoteOver('EXACT_IN', 'USDC', ['V2 WETH/USDC'], 1000n * USD);
  const [sender] = sandbox.accounts;
  assert.ok(sender);
  const { router } = sandbox.deployment;
  const approve = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [router, quote.amountIn],
  });
  await between(
    () => sandbox.execute(sender, { to: sandbox.token('USDC'), data: approve, value: 0n }),
    async () => {
      const overridden: string[] = [];
      const asked: string[] = [];
      const watching: RpcRequest = (call) => {
        asked.push(call.method);
        const [options] = (call.params ?? []) as [{ blockStateCalls: { stateOverrides: object }[] }];
        if (call.method === 'eth_simulateV1')
          overridden.push(...Object.keys(options.blockStateCalls[0]?.stateOverrides ?? {}));
        return sandbox.request(call);
      };
      simulationOf(await plan(orderOf(quote, { sender }), undefined, watching));
      assert.deepEqual(overridden, [sender], 'only native currency for gas is given');
      assert.deepEqual(asked, ['eth_call', 'eth_simulateV1']);
    },
  );
});

test('an exact output must take the input quoted and pay the surplus quoted', async () => {
  const dear = await quoteOver('EXACT_OUT', 'USDC', ['V3 USDC/WETH 500'], ETHER);
  for (const by of [-1n, 1n]) {
    const order = orderOf(scaled(dear, 'amountIn', (amount) => amount + by));
    assert.equal(refusalOf(await plan(order)).reason, 'AMOUNTS_DIFFER');
  }
  const pools = ['V2 WETH/USDC', 'V2 WETH/DAI'];
  const paying = await quoteOver('EXACT_OUT', 'USDC', pools, 123_456_789n * 10n ** 12n);
  assert.ok(paying.surplus > 0n);
  simulationOf(await plan(orderOf(paying)));
  const surplus = (paying.surplus - 1n) as Amount;
  assert.equal(refusalOf(await plan(orderOf({ ...paying, surplus }))).reason, 'AMOUNTS_DIFFER');
});

test('a swap is refused for what it moves only when it moves the same a second time', async () => {
  const quote = await quoteOver('EXACT_IN', 'USDC', ['V3 USDC/WETH 500'], 1000n * USD);
  const block = await sandbox.head();
  /** A node that runs the first simulations as if the pool had one wei less to pay, or as if the deadline were over. */
  const wrongAtFirst = (times: number, isReverted: boolean): RpcRequest => {
    let left = times;
    return async (call) => {
      const answer = await sandbox.request(call);
      if (call.method !== 'eth_simulateV1' || left-- <= 0) return answer;
      const [simulated] = answer as readonly {
        readonly calls: readonly { readonly returnData: `0x${string}` }[];
      }[];
      const calls = (simulated?.calls ?? []).map((each, index, { length }) => {
        if (isReverted) return index === length - 4 ? { ...each, status: '0x0', returnData: '0x' } : each;
        if (index !== length - 2) return each;
        return { ...each, returnData: `0x${(BigInt(each.returnData) - 1n).toString(16).padStart(64, '0')}` };
      });
      return [{ ...simulated, calls }];
    };
  };
  for (const isReverted of [true, false]) {
    assert.ok((await plan(orderOf(quote), block, wrongAtFirst(1, isReverted))).ok);
    const { reason } = refusalOf(await plan(orderOf(quote), block, wrongAtFirst(2, isReverted)));
    assert.equal(reason, isReverted ? 'SIMULATION_FAILED' : 'AMOUNTS_DIFFER');
  }
  const first = wrongAtFirst(1, false);
  let simulations = 0;
  const thenSilent: RpcRequest = (call) =>
    call.method === 'eth_simulateV1' && ++simulations > 1 ? new Promise(() => {}) : first(call);
  const options = { ...sandbox.deployment, request: thenSilent, allowUnsimulated: true, timeoutMs: 500 };
  const kept = await createSwapPlanner(options)(orderOf(quote), block);
  assert.equal(refusalOf(kept).reason, 'AMOUNTS_DIFFER', 'silence does not take back what a run said');
});

test('what one node says that a failed reading of holdings returned is not used', async () => {
  const quote = await quoteOver('EXACT_IN', 'USDC', ['V3 USDC/WETH 500'], 1000n * USD);
  for (const fromEnd of [8, 1]) {
    const failing: RpcRequest = async (call) => {
      const answer = await sandbox.request(call);
      if (call.method !== 'eth_simulateV1') return answer;
      const [simulated] = answer as readonly { readonly calls: readonly object[] }[];
      const calls = simulated?.calls.map((each, at, { length }) =>
        at === length - fromEnd ? { ...each, status: '0x0' } : each,
      );
      return [{ ...simulated, calls }];
    };
    const refused = await plan(orderOf(quote), undefined, failing);
    assert.equal(refusalOf(refused).reason, 'SIMULATION_UNAVAILABLE');
  }
});

test('a swap is simulated at the block of its quote, not at the latest', async () => {
  const quote = await quoteOver('EXACT_IN', 'USDC', ['V3 USDC/WETH 500'], 1000n * USD);
  const block = await sandbox.head();
  const sender = sandbox.accounts[1] ?? recipient;
  const bought = await plan(orderOf(quote, { sender }), block);
  assert.ok(bought.ok);
  for (const instruction of bought.instructions) await sandbox.execute(sender, instruction);
  const simulation = simulationOf(await plan(orderOf(quote), block));
  assert.equal(simulation.blockNumber, block.number);
  assert.equal(simulation.amountOut, quote.amountOut);
  const refusal = refusalOf(await plan(orderOf(quote), await sandbox.head()));
  assert.equal(refusal.reason, 'AMOUNTS_DIFFER');
});

test('a deadline is judged by the time of the block after the quote', async () => {
  const quote = await quoteOver('EXACT_IN', 'USDC', ['V3 USDC/WETH 500'], 1000n * USD);
  const { timestampSeconds } = await sandbox.head();
  simulationOf(await plan(orderOf(quote, { deadlineSeconds: timestampSeconds + 1n })));
  const late = refusalOf(await plan(orderOf(quote, { deadlineSeconds: timestampSeconds })));
  assert.partialDeepStrictEqual(late, {
    reason: 'SIMULATION_FAILED',
    revertReason: 'Transaction too old',
  });
});

test('a quote whose block was reorganised away is refused as such', async () => {
  await sandbox.request({ method: 'anvil_mine', params: ['0x1'] });
  const quote = await quoteOver('EXACT_IN', 'USDC', ['V3 USDC/WETH 500'], 1000n * USD);
  const block = await sandbox.head();
  const coinbase = `0x${'0'.repeat(38)}77`;
  await sandbox.request({ method: 'anvil_setCoinbase', params: [coinbase] });
  await sandbox.request({ method: 'anvil_reorg', params: [1, []] });
  assert.notEqual((await sandbox.head()).hash, block.hash);
  const refusal = refusalOf(await plan(orderOf(quote), block));
  assert.deepEqual(refusal, { reason: 'BLOCK_GONE', blockNumber: block.number });
});

test('more than was quoted is given out where a V2 pair held it before, and named', async () => {
  const quote = await quoteOver('EXACT_IN', 'USDC', ['V2 WETH/USDC', 'V3 WBTC/WETH 500'], 1000n * USD);
  const pair = quote.legs[0]?.pool.address ?? recipient;
  const give = () => donate('USDC', pair, 77n * USD);
  await between(give, async () => {
    const { priorHoldings, amountIn, amountOut } = simulationOf(await plan(orderOf(quote)));
    assert.deepEqual(priorHoldings, [{ holder: pair, token: sandbox.token('USDC'), amount: 77n * USD }]);
    assert.equal(amountIn, quote.amountIn);
    assert.ok(amountOut > quote.amountOut);
  });
  assert.deepEqual(simulationOf(await plan(orderOf(quote))).priorHoldings, []);
});

test('more than was quoted is given out where the router held it before, and named', async () => {
  const { router } = sandbox.deployment;
  const paths = [
    { pools: ['V3 USDC/WETH 500'], amount: 500n * USD },
    { pools: ['V3 USDC/WETH 3000'], amount: 100n * USD },
  ];
  const swept = await quoteAlong(sandbox, 'EXACT_IN', sandbox.token('USDC'), paths);
  await between(
    () => donate('WETH', router, 5n),
    async () => {
      const { priorHoldings, amountOut } = simulationOf(await plan(orderOf(swept)));
      assert.deepEqual(priorHoldings, [{ holder: router, token: sandbox.token('WETH'), amount: 5n }]);
      assert.equal(amountOut, swept.amountOut + 5n);
    },
  );
  const bought = await quoteOver('EXACT_OUT', 'WETH', ['V3 USDC/WETH 500'], 1000n * USD);
  const [from = recipient] = sandbox.accounts;
  await between(
    // A contract's code would refuse the payment, so the balance is set.
    () => sandbox.request({ method: 'anvil_setBalance', params: [router, '0x9'] }),
    async () => {
      const order = orderOf(bought, { nativeIn: true, sender: from });
      const { priorHoldings, amountIn } = simulationOf(await plan(order));
      assert.deepEqual(priorHoldings, [{ holder: router, token: undefined, amount: 9n }]);
      assert.equal(amountIn, bought.amountIn - 9n);
    },
  );
});

test('one unit held before does not excuse a quote of half of what the chain pays', async () => {
  const quote = await quoteOver('EXACT_IN', 'USDC', ['V2 WETH/USDC'], 1000n * USD);
  const pair = quote.legs[0]?.pool.address ?? recipient;
  const half = scaled(quote, 'amountOut', (amount) => amount / 2n);
  for (const holder of [pair, sandbox.deployment.router])
    await between(
      () => donate('USDC', holder, 1n),
      async () => {
        assert.equal(refusalOf(await plan(orderOf(half))).reason, 'AMOUNTS_DIFFER');
      },
    );
});

/** The side of a trade on which such a token moves what is requested, or so little less that no unit is missing. */
const HARMLESS_WHERE: Partial<Record<(typeof HOSTILITIES)[number], 'BOUGHT' | 'SOLD'>> = {
  'keeps a part of what contracts get': 'BOUGHT',
  'keeps a part of what is pulled': 'BOUGHT',
  'keeps a part of what contracts pay': 'SOLD',
  'keeps one unit of each transfer': 'SOLD',
};

const withoutSimulation: RpcRequest = (call) =>
  call.method === 'eth_simulateV1'
    ? Promise.reject(new RpcAnswerError(-32_601, 'Method not found', undefined))
    : sandbox.request(call);

for (const hostility of HOSTILITIES)
  test(`a token that ${hostility} is neither bought nor sold`, async () => {
    const link = sandbox.token('LINK');
    const quotes = [
      await quoteOver('EXACT_IN', 'LINK', ['V2 LINK/WETH'], 10n * ETHER),
      await quoteOver('EXACT_IN', 'WETH', ['V2 LINK/WETH'], ETHER),
      await quoteOver('EXACT_OUT', 'WETH', ['V2 LINK/WETH'], 10n * ETHER),
      await quoteOver('EXACT_IN', 'USDC', ['V3 USDC/WETH 500', 'V2 LINK/WETH'], 1000n * USD),
    ];
    const rpc = <Result>(method: string, params: readonly unknown[] = []) =>
      sandbox.request({ method, params }) as Promise<Result>;
    const undo = await makeHostile(rpc, link, hostility);
    try {
      let measured = 0;
      for (const quote of quotes) {
        const order = orderOf(quote);
        const blind = refusalOf(await plan(order, undefined, withoutSimulation)).reason;
        assert.ok(['SIMULATION_UNAVAILABLE', 'SIMULATION_FAILED'].includes(blind), blind);
        const side = quote.tokenOut === link ? 'BOUGHT' : 'SOLD';
        if (HARMLESS_WHERE[hostility] === side) continue;
        const { reason } = refusalOf(await plan(order));
        assert.ok(['AMOUNTS_DIFFER', 'SIMULATION_FAILED'].includes(reason), reason);
        measured += 1;
      }
      assert.ok(measured > 0);
    } finally {
      await undo();
    }
  });
