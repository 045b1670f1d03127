// What the API quotes is what its own calldata does on the chain, to the wei: random swaps over single and
// several hops, V2, V3 and mixed routes, both trade types, native and token, from one wei to beyond the depth.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRandom } from '@fairway/testing';
import type { Quote, Sandbox, SwapPlan } from '@fairway/wire';
import { encodeFunctionData, encodePacked, parseAbi } from 'viem';
import { startTestService, type TestService } from './harness.ts';
import { nativeToken, type Wallet, walletOn } from './wallet.ts';

const swapsToExecute = 300;
const random = createRandom();
let service: TestService;
let wallet: Wallet;
let sandbox: Omit<Sandbox, 'routers'> & { routers: { swapRouter02: string; quoterV2: string } };

before(async () => {
  service = await startTestService();
  wallet = walletOn(service);
  sandbox = await service.ask('/v1/sandbox');
});
after(() => service?.close());

type Trade = {
  tokenIn: string;
  tokenOut: string;
  tradeType: 'EXACT_IN' | 'EXACT_OUT';
  amount: bigint;
  slippageBps: number;
  maxHops: number;
  excludeSources: string[];
};

function randomTrade(): Trade {
  const tokens = [...sandbox.tokens.map(({ address }) => address), nativeToken];
  const tokenIn = random.pick(tokens);
  const tokenOut = random.pick(tokens.filter((token) => token !== tokenIn));
  const tradeType = random.pick(['EXACT_IN', 'EXACT_OUT'] as const);
  const given = tradeType === 'EXACT_IN' ? tokenIn : tokenOut;
  const decimals = sandbox.tokens.find(({ address }) => address === given)?.decimals ?? 18;
  return {
    tokenIn,
    tokenOut,
    tradeType,
    amount: randomAmount(decimals),
    slippageBps: random.integer(0, 300),
    maxHops: random.integer(1, 3),
    excludeSources: random.pick([[], [], ['uniswap-v2'], ['uniswap-v3']]),
  };
}

/** Mostly what people trade; also dust, whales, and more than any pool holds. */
function randomAmount(decimals: number): bigint {
  const dice = random.integer(1, 100);
  const mantissa = BigInt(random.integer(1, 1_000_000));
  if (dice <= 15) return mantissa % 10n ** BigInt(random.integer(1, 5)) || 1n;
  if (dice <= 80) return (mantissa * 10n ** BigInt(decimals)) / 10n ** BigInt(random.integer(3, 7)) || 1n;
  if (dice <= 92) return (mantissa * 10n ** BigInt(decimals)) / 1000n;
  return mantissa * 10n ** BigInt(decimals + random.integer(1, 6));
}

const quoterAbi = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256)',
  'function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256)',
]);

/** What Uniswap's own QuoterV2 says to the same route; undefined where a V2 pair is in it. */
async function quoterAnswer(quote: Quote): Promise<bigint | undefined> {
  const { legs = [], paths = [] } = quote.route ?? {};
  const [path] = paths;
  if (path === undefined || paths.length > 1 || legs.some(({ kind }) => kind !== 'UNISWAP_V3'))
    return undefined;
  const fees = legs.map(({ feeBps }) => Math.round(feeBps * 100));
  const exactIn = quote.tradeType === 'EXACT_IN';
  const tokens = exactIn ? path.tokens : path.tokens.toReversed();
  const hops = exactIn ? fees : fees.toReversed();
  const types = tokens.flatMap((_, index) => (index === 0 ? ['address'] : ['uint24', 'address']));
  const values = tokens.flatMap((token, index) => (index === 0 ? [token] : [hops[index - 1], token]));
  const packed = encodePacked(types, values);
  const data = exactIn
    ? encodeFunctionData({
        abi: quoterAbi,
        functionName: 'quoteExactInput',
        args: [packed, BigInt(quote.amountIn)],
      })
    : encodeFunctionData({
        abi: quoterAbi,
        functionName: 'quoteExactOutput',
        args: [packed, BigInt(quote.amountOut)],
      });
  const answer = await service.rpc<string>('eth_call', [{ to: sandbox.routers.quoterV2, data }, 'latest']);
  return BigInt(answer.slice(0, 66));
}

const tally: Record<string, number> = {};
function count(what: string): void {
  tally[what] = (tally[what] ?? 0) + 1;
}

/** Quotes, plans and executes one trade, and compares every figure. False when the API refused it. */
async function tradeAndCompare(trade: Trade): Promise<boolean> {
  const { amount, maxHops, excludeSources, ...shared } = trade;
  const sender = random.pick(sandbox.accounts).address;
  const fresh = `0x${random.integer(0x10000, 0x7fffffff).toString(16).padStart(40, '0')}`;
  const recipient = random.pick([undefined, sender, fresh]);
  const body = {
    ...shared,
    amount: String(amount),
    maxHops,
    chainId: service.chainId,
    ...(excludeSources.length === 0 ? {} : { excludeSources }),
    sender,
    ...(recipient === undefined ? {} : { recipient }),
  };
  await service.caughtUp();
  const query = new URLSearchParams({
    ...shared,
    slippageBps: String(shared.slippageBps),
    amount: String(amount),
    maxHops: String(maxHops),
    chainId: String(service.chainId),
    ...(excludeSources.length === 0 ? {} : { excludeSources: excludeSources.join(',') }),
  });
  const quoted = await service.request(`/v1/quote?${query}`);
  const planned = await service.request('/v1/swap', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(planned.status, quoted.status, JSON.stringify([quoted.body, planned.body]));
  if (quoted.status !== 200) {
    assert.equal(quoted.status, 400, JSON.stringify(quoted.body));
    count((quoted.body as { code: string }).code);
    return false;
  }
  const plan = planned.body as SwapPlan;
  const quote = quoted.body as Quote;
  assert.deepEqual([plan.quote.amountIn, plan.quote.amountOut], [quote.amountIn, quote.amountOut]);
  const quoter = await quoterAnswer(quote);
  if (quoter !== undefined) {
    assert.equal(String(quoter), quote.tradeType === 'EXACT_IN' ? quote.amountOut : quote.amountIn);
    count('equal to QuoterV2');
  }
  if (plan.issues?.balance) {
    count('beyond the balance');
    return false;
  }
  await executeAndCompare(trade, plan, sender, recipient ?? sender);
  return true;
}

async function executeAndCompare(
  trade: Trade,
  plan: SwapPlan,
  sender: string,
  recipient: string,
): Promise<void> {
  const { tokenIn, tokenOut, tradeType } = trade;
  const { quote, instructions = [], simulation } = plan;
  const swap = instructions.at(-1);
  assert.ok(swap);
  const router = sandbox.routers.swapRouter02;
  const isErc20In = tokenIn !== nativeToken;
  const approved = instructions.length > 1;
  const [inBefore, outBefore, allowanceBefore] = await Promise.all([
    wallet.balanceOf(sender, tokenIn),
    wallet.balanceOf(recipient, tokenOut),
    isErc20In ? wallet.allowanceOf(sender, tokenIn, router) : 0n,
  ]);
  const gasCost = await wallet.execute(sender, instructions);
  const [inAfter, outAfter, allowanceAfter] = await Promise.all([
    wallet.balanceOf(sender, tokenIn),
    wallet.balanceOf(recipient, tokenOut),
    isErc20In ? wallet.allowanceOf(sender, tokenIn, router) : 0n,
  ]);
  const spent = inBefore - inAfter - (isErc20In ? 0n : gasCost);
  const received = outAfter - outBefore + (tokenOut === nativeToken && recipient === sender ? gasCost : 0n);
  const surplus = BigInt(quote.route?.surplus ?? 0);
  const executed = { amountIn: String(spent), amountOut: String(received) };
  assert.deepEqual(executed, {
    amountIn: quote.amountIn,
    amountOut: String(BigInt(quote.amountOut) + surplus),
  });
  assert.equal(simulation?.status, 'PASSED');
  assert.deepEqual({ amountIn: simulation.amountIn, amountOut: simulation.amountOut }, executed);
  const limits = quote.route?.limits;
  if (isErc20In && swap.to === router) {
    const granted = approved ? BigInt(limits?.maxAmountIn ?? quote.amountIn) : allowanceBefore;
    assert.equal(allowanceAfter, granted - spent);
    if (approved && tradeType === 'EXACT_IN') assert.equal(allowanceAfter, 0n);
    // What is left of one trade is not what the next one starts from.
    if (allowanceAfter > 0n && random.integer(0, 1) === 0) await wallet.approve(sender, tokenIn, router, 0n);
  }
  for (const token of [nativeToken, ...sandbox.tokens.map(({ address }) => address)]) {
    assert.equal(await wallet.balanceOf(router, token), 0n, 'the router keeps nothing');
  }
  countShape(trade, quote, surplus);
}

function countShape({ tokenIn, tokenOut, tradeType }: Trade, quote: Quote, surplus: bigint): void {
  const kinds = new Set(quote.route?.legs.map(({ kind }) => kind));
  count('executed');
  count(tradeType);
  count(`${quote.route?.legs.length} hops`);
  count([...kinds].sort().join('+') || 'plain wrap');
  if (tokenIn === nativeToken) count('native in');
  if (tokenOut === nativeToken) count('native out');
  if (surplus > 0n) count('surplus predicted');
}

test(`${swapsToExecute} random swaps pay what was quoted (FC_SEED=${random.seed})`, async () => {
  let executed = 0;
  for (let tried = 0; executed < swapsToExecute; tried++) {
    assert.ok(tried < 4 * swapsToExecute, `too many trades are refused: ${JSON.stringify(tally)}`);
    if (await tradeAndCompare(randomTrade())) executed++;
  }
  console.log(tally);
  const expected = [
    'UNISWAP_V2',
    'UNISWAP_V3',
    'UNISWAP_V2+UNISWAP_V3',
    'plain wrap',
    '1 hops',
    '2 hops',
    '3 hops',
  ];
  const also = ['native in', 'native out', 'EXACT_IN', 'EXACT_OUT', 'surplus predicted', 'equal to QuoterV2'];
  for (const shape of [...expected, ...also, 'insufficient-liquidity']) {
    assert.ok((tally[shape] ?? 0) > 0, `no trade of this shape was seen: ${shape}`);
  }
});
