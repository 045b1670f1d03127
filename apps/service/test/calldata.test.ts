// Another library reads the instructions that the API returns. Every instruction of random swaps pays the request's
// recipient, takes and gives its amounts, keeps its slippage exactly, and ends with its deadline.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { defined } from '@fairway/values';
import { createRandom } from '@fairway/testing';
import { runs } from '@fairway/testing/properties';
import type { Instruction, Sandbox, SwapPlan } from '@fairway/wire';
import { getAddress, Interface } from 'ethers';
import { CALLER, parse, readSwap, routeHops, router } from './calldataReading.ts';
import { postOf, startTestService, type TestService } from './harness.ts';
import { NATIVE_TOKEN } from './wallet.ts';

const SWAPS_TO_DECODE = runs(12);

const wrapped = new Interface(['function deposit() payable', 'function withdraw(uint256 amount)']);
const erc20 = new Interface(['function approve(address spender, uint256 amount) returns (bool)']);

const random = createRandom();
let service: TestService;
let sandbox: Omit<Sandbox, 'routers'> & { routers: { swapRouter02: string } };
let weth: string;
let swapRouter: string;

before(async () => {
  service = await startTestService();
  sandbox = await service.ask('/v1/sandbox');
  weth = sandbox.tokens.find(({ symbol }) => symbol === 'WETH')?.address ?? '';
  swapRouter = sandbox.routers.swapRouter02;
});
after(() => service?.close());

type Order = {
  tokenIn: string;
  tokenOut: string;
  tradeType: 'EXACT_IN' | 'EXACT_OUT';
  amount: string;
  slippageBps: number;
  deadline: string;
  sender?: string;
  recipient?: string;
};

function randomOrder(): Order & { maxHops: number; maxSplits: number; excludeSources: string[] } {
  const tokens = [...sandbox.tokens.map(({ address }) => address), NATIVE_TOKEN];
  const isWrap = random.integer(1, 12) === 1;
  const tokenIn = random.pick(isWrap ? [weth, NATIVE_TOKEN] : tokens);
  const others = isWrap ? [weth, NATIVE_TOKEN] : tokens;
  const tokenOut = random.pick(others.filter((token) => token !== tokenIn));
  const tradeType = random.pick(['EXACT_IN', 'EXACT_OUT'] as const);
  const given = tradeType === 'EXACT_IN' ? tokenIn : tokenOut;
  const decimals = sandbox.tokens.find(({ address }) => address === given)?.decimals ?? 18;
  const sender = random.pick([undefined, random.pick(sandbox.accounts).address]);
  const fresh = getAddress(`0x${random.integer(0x10000, 0x7fffffff).toString(16).padStart(40, 'a')}`);
  const recipient = random.pick([undefined, fresh, fresh.toLowerCase(), sender]);
  const deadlineMs = Date.UTC(2100, 0, 1) + random.integer(0, 2 ** 31);
  return {
    tokenIn,
    tokenOut,
    tradeType,
    // Up to about ten whole tokens, with digits down to the smallest unit.
    amount: String((BigInt(random.integer(1e6, 1e9)) * 10n ** BigInt(decimals)) / 10n ** 8n + 1n),
    slippageBps: random.pick([0, 1, 30, 50, random.integer(0, 5000), 5000]),
    deadline: new Date(deadlineMs).toISOString(),
    maxHops: random.integer(1, 3),
    maxSplits: random.integer(1, 4),
    excludeSources: random.pick([[], [], ['uniswap-v2'], ['uniswap-v3']]),
    ...defined({ sender, recipient }),
  };
}

const tally: Record<string, number> = {};
function count(what: string): void {
  tally[what] = (tally[what] ?? 0) + 1;
}

/** The bound that follows from the requested slippage, exact to one unit. */
function expectedBounds(order: Order, { quote }: SwapPlan) {
  const [amountIn, amountOut] = [BigInt(quote.amountIn), BigInt(quote.amountOut)];
  // A 1:1 exchange has no price that could slip.
  const bps = quote.route?.legs.length === 0 ? 0n : BigInt(order.slippageBps);
  return order.tradeType === 'EXACT_IN'
    ? { paysIn: amountIn, paysOut: (amountOut * (10_000n - bps) + 9_999n) / 10_000n }
    : { paysIn: (amountIn * (10_000n + bps)) / 10_000n, paysOut: amountOut };
}

function checkRouted(order: Order, plan: SwapPlan, swap: Instruction): void {
  const route = plan.quote.route ?? assert.fail();
  const reading = readSwap(order, swap);
  assert.equal(swap.to, swapRouter);
  assert.equal(reading.deadline, BigInt(Math.floor(Date.parse(order.deadline) / 1000)));
  assert.equal(getAddress(reading.payee), getAddress(order.recipient ?? order.sender ?? CALLER));
  const exact = order.tradeType === 'EXACT_IN' ? reading.paysIn : reading.paysOut;
  assert.equal(exact, BigInt(order.amount));
  const bounds = expectedBounds(order, plan);
  assert.deepEqual({ paysIn: reading.paysIn, paysOut: reading.paysOut }, bounds);
  const { minAmountOut = reading.paysOut, maxAmountIn = reading.paysIn } = route.limits;
  assert.deepEqual(bounds, { paysIn: BigInt(maxAmountIn), paysOut: BigInt(minAmountOut) });
  assert.deepEqual(reading.paths, routeHops(route));
  const tokenOf = (token: string) => (token === NATIVE_TOKEN ? weth : token);
  for (const path of reading.paths) {
    assert.deepEqual([path[0], path.at(-1)], [tokenOf(order.tokenIn), tokenOf(order.tokenOut)]);
  }
  count(
    `${order.tradeType} ${reading.paths.map((path) => path.filter((hop) => typeof hop === 'string').length - 1)}`,
  );
}

function checkWrap(order: Order, swap: Instruction): void {
  const payee = order.recipient ?? order.sender;
  const amount = BigInt(order.amount);
  const wraps = order.tokenIn === NATIVE_TOKEN;
  assert.equal(swap.value, wraps ? order.amount : '0');
  count('wrap');
  if (order.recipient === undefined || order.recipient === order.sender) {
    assert.equal(swap.to, weth);
    const { name, args } = parse(wrapped, swap.data);
    assert.deepEqual([name, ...args], wraps ? ['deposit'] : ['withdraw', amount]);
    return;
  }
  assert.equal(swap.to, swapRouter);
  const [deadline, inner] = parse(router, swap.data).args as unknown as [bigint, string[]];
  assert.equal(deadline, BigInt(Math.floor(Date.parse(order.deadline) / 1000)));
  const calls = inner.map((call) => parse(router, call)).map(({ name, args }) => [name, ...args]);
  const to = getAddress(payee ?? CALLER);
  const expected = wraps
    ? [
        ['wrapETH', amount],
        ['sweepToken', weth, amount, to],
      ]
    : [
        ['pull', weth, amount],
        ['unwrapWETH9', amount, to],
      ];
  assert.deepEqual(calls, expected);
}

function checkApprovals(order: Order, plan: SwapPlan, approvals: Instruction[]): void {
  const swap = plan.instructions?.at(-1);
  const needed = order.sender !== undefined && order.tokenIn !== NATIVE_TOKEN && swap?.to === swapRouter;
  assert.equal(approvals.length > 0, needed);
  for (const [index, { to, data, value }] of approvals.entries()) {
    const amount = index === approvals.length - 1 ? expectedBounds(order, plan).paysIn : 0n;
    assert.deepEqual([to, value, [...parse(erc20, data).args]], [order.tokenIn, '0', [swapRouter, amount]]);
    count('approval');
  }
}

function check(order: Order, plan: SwapPlan): void {
  const { instructions = [], quote } = plan;
  const swap = instructions.at(-1) ?? assert.fail('no instruction');
  for (const { kind, chainId, constraints } of instructions) {
    assert.deepEqual([kind, chainId], ['EVM_CALL', service.chainId]);
    const notAfterMs = Math.floor(Date.parse(order.deadline) / 1000) * 1000;
    assert.equal(Date.parse(constraints.notAfter ?? ''), notAfterMs);
  }
  assert.equal(swap.constraints.maxSlippageBps, order.slippageBps);
  if (quote.route?.legs.length === 0) checkWrap(order, swap);
  else checkRouted(order, plan, swap);
  checkApprovals(order, plan, instructions.slice(0, -1));
  if (order.tokenIn === NATIVE_TOKEN) count('native in');
  if (order.tokenOut === NATIVE_TOKEN) count('native out');
}

test(`${SWAPS_TO_DECODE} random swaps decode to exactly what was asked (FC_SEED=${random.seed})`, async () => {
  let decoded = 0;
  for (let tries = 0; decoded < SWAPS_TO_DECODE; tries++) {
    assert.ok(tries < 10 * SWAPS_TO_DECODE, 'too many orders are refused');
    const order = randomOrder();
    const { status, body } = await service.request(
      '/v1/swap',
      postOf({ ...order, chainId: service.chainId }),
    );
    assert.ok(status === 200 || status === 400, JSON.stringify(body));
    if (status === 400) {
      assert.match(
        (body as { code: string }).code,
        /^(no-route|insufficient-liquidity|price-impact-too-high)$/,
      );
      continue;
    }
    try {
      check(order, body as SwapPlan);
    } catch (error) {
      throw new Error(`${JSON.stringify(order)} was answered ${JSON.stringify(body)}`, { cause: error });
    }
    decoded++;
  }
  console.log(tally);
  const shapes = [
    'EXACT_IN 1',
    'EXACT_IN 2',
    'EXACT_OUT 1',
    'EXACT_OUT 2',
    'approval',
    'native in',
    'native out',
    'wrap',
  ];
  for (const shape of shapes) assert.ok((tally[shape] ?? 0) > 0, `no swap of this shape: ${shape}`);
});
