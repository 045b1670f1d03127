import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  keccak256,
  maxUint256,
  parseAbi,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { publishedContract } from './artifacts.ts';
import { type SandboxChain, startSandboxChain } from './chain.ts';
import { processIdentity } from '@fairway/processes';
import { amountWorth, type TokenSymbol, tokenPlanOf } from './tokens.ts';

const ERC20 = parseAbi([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function approve(address spender, uint256 value)',
]);
const V3_POOL = parseAbi([
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 a, uint16 b, uint16 c, uint8 d, bool e)',
  'function liquidity() view returns (uint128)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
]);
const V2_PAIR = parseAbi(['function getReserves() view returns (uint112, uint112, uint32)']);
const FACTORIES = parseAbi([
  'function getPair(address, address) view returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
]);
const QUOTER = parseAbi([
  'struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(Params params) view returns (uint256 amountOut, uint160 a, uint32 b, uint256 c)',
]);

let chain: SandboxChain;
const quiet = { log: () => undefined };
const client = () => createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 20 });
const addressOf = (symbol: string): Address => {
  const token = chain.tokens.find((each) => each.symbol === symbol);
  assert.ok(token, symbol);
  return token.address;
};
const balance = (token: Address, holder: Address) =>
  client().readContract({ address: token, abi: ERC20, functionName: 'balanceOf', args: [holder] });
const latest = () => client().getBlock({ blockTag: 'latest' });

before(async () => {
  chain = await startSandboxChain(quiet);
});
after(() => chain.close());

test('The sandbox has all its tokens, and every account holds all of them', async () => {
  assert.ok(chain.tokens.length >= 7);
  assert.equal(chain.tokens[0]?.symbol, 'WETH');
  assert.deepEqual(new Set(chain.tokens.map(({ decimals }) => decimals)), new Set([18, 6, 8]));
  assert.ok(chain.accounts.length >= 10);
  for (const { address, symbol, decimals } of chain.tokens) {
    const at = { address, abi: ERC20 } as const;
    assert.equal(await client().readContract({ ...at, functionName: 'symbol' }), symbol);
    assert.equal(await client().readContract({ ...at, functionName: 'decimals' }), decimals);
    for (const account of chain.accounts) {
      assert.ok((await balance(address, account.address)) > 0n, `${symbol} of ${account.address}`);
    }
  }
  assert.equal(chain.accounts[0]?.address, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
  for (const { address, privateKey } of chain.accounts) {
    assert.equal(privateKeyToAccount(privateKey).address, address);
    assert.ok((await client().getBalance({ address })) >= 10n ** 22n);
  }
});

test('Every contract is at its address, and Multicall3 is at its canonical address', async () => {
  for (const [name, address] of Object.entries(chain.contracts)) {
    assert.ok(((await client().getCode({ address })) ?? '0x').length > 1_000, name);
  }
  assert.equal(chain.contracts.multicall3, '0xcA11bde05977b3631167028862bE2a173976CA11');
  // The hash that every Uniswap V3 integration contains: routers would not find pools with other code.
  assert.equal(
    keccak256(publishedContract('v3Pool').bytecode),
    '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
  );
});

test('The factories know every pool, and there are all four V3 fee tiers and V2', async () => {
  assert.ok(chain.pools.length >= 14);
  assert.deepEqual(
    [...new Set(chain.pools.filter(({ kind }) => kind === 'V3').map(({ fee }) => fee))].sort((a, b) => a - b),
    [100, 500, 3000, 10000],
  );
  for (const { address, kind, token0, token1, fee } of chain.pools) {
    assert.ok(BigInt(token0) < BigInt(token1));
    const { v2Factory, v3Factory } = chain.contracts;
    const found =
      kind === 'V2'
        ? await client().readContract({
            address: v2Factory,
            abi: FACTORIES,
            functionName: 'getPair',
            args: [token0, token1],
          })
        : await client().readContract({
            address: v3Factory,
            abi: FACTORIES,
            functionName: 'getPool',
            args: [token0, token1, fee],
          });
    assert.equal(found, address);
  }
});

test('Every V3 pool has at least ten positions, with a full-range one and one-sided ones', async () => {
  const { TICK_SPACINGS: tickSpacings } = await import('./liquidity.ts');
  for (const { address, fee } of chain.pools.filter(({ kind }) => kind === 'V3')) {
    const mints = await client().getContractEvents({
      address,
      abi: V3_POOL,
      eventName: 'Mint',
      fromBlock: 0n,
      strict: true,
    });
    assert.ok(mints.length >= 10 && mints.length <= 20, `${mints.length} positions`);
    const widest = Math.floor(887_272 / tickSpacings[fee as 100]) * tickSpacings[fee as 100];
    assert.ok(mints.some(({ args }) => args.tickLower === -widest && args.tickUpper === widest));
    assert.ok(mints.some(({ args }) => args.amount0 === 0n && args.amount1 > 0n));
    assert.ok(mints.some(({ args }) => args.amount1 === 0n && args.amount0 > 0n));
    assert.ok(new Set(mints.map(({ args }) => `${args.tickLower}/${args.tickUpper}`)).size >= 10);
  }
});

/** How far a pool's price is from the planned price, as a part of it. */
async function deviation(pool: SandboxChain['pools'][number]): Promise<number> {
  const symbolOf = (token: Address) =>
    chain.tokens.find(({ address }) => address === token)?.symbol as TokenSymbol;
  const worth0 = amountWorth(tokenPlanOf(symbolOf(pool.token0)), 1_000_000n);
  const worth1 = amountWorth(tokenPlanOf(symbolOf(pool.token1)), 1_000_000n);
  const planned = Number(worth1) / Number(worth0);
  if (pool.kind === 'V2') {
    const [reserve0, reserve1] = await client().readContract({
      address: pool.address,
      abi: V2_PAIR,
      functionName: 'getReserves',
    });
    return Number(reserve1) / Number(reserve0) / planned - 1;
  }
  const [sqrtPriceX96] = await client().readContract({
    address: pool.address,
    abi: V3_POOL,
    functionName: 'slot0',
  });
  return (Number(sqrtPriceX96) / 2 ** 96) ** 2 / planned - 1;
}

test('Prices agree within half of each fee, so that no circle of pools is profitable', async () => {
  for (const pool of chain.pools) {
    const off = Math.abs(await deviation(pool));
    assert.ok(off < pool.fee / 2_000_000, `${pool.kind} ${pool.address} is off by ${off}, fee ${pool.fee}`);
  }
});

test('One million dollars of a main pair, in either direction, moves a pool by less than 5 %', async () => {
  const pairs = [
    ['WETH', 'USDC'],
    ['WETH', 'USDT'],
    ['USDC', 'USDT'],
    ['WBTC', 'WETH'],
    ['USDC', 'DAI'],
    ['USDC', 'tAUD'],
    ['USDC', 'tEUR'],
  ] as const;
  for (const [a, b] of pairs) {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const amountIn = amountWorth(tokenPlanOf(from), 1_000_000n);
      const ideal = amountWorth(tokenPlanOf(to), 1_000_000n);
      let best = 0n;
      for (const { fee, token0, token1 } of chain.pools.filter(({ kind }) => kind === 'V3')) {
        const [tokenIn, tokenOut] = [addressOf(from), addressOf(to)];
        if (![token0, token1].includes(tokenIn) || ![token0, token1].includes(tokenOut)) continue;
        const [out] = await client().readContract({
          address: chain.contracts.quoterV2,
          abi: QUOTER,
          functionName: 'quoteExactInputSingle',
          args: [{ tokenIn, tokenOut, amountIn, fee, sqrtPriceLimitX96: 0n }],
        });
        if (out > best) best = out;
      }
      assert.ok(best * 100n > ideal * 95n, `${from} to ${to}: ${best} of ${ideal}`);
      assert.ok(best < ideal, `${from} to ${to} pays more than it is worth`);
    }
  }
});

/** Waits for a receipt. viem's own wait asks again only after a further block, which may never come in this chain. */
async function mined(hash: Hex): Promise<void> {
  while (
    (await client()
      .getTransactionReceipt({ hash })
      .catch(() => undefined)) === undefined
  )
    await sleep(20);
}

test('An allowance of USDT can change only through zero, and its approval returns nothing', async () => {
  const account = privateKeyToAccount(chain.accounts[1]?.privateKey ?? '0x');
  const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) });
  const approve = (value: bigint) =>
    wallet.writeContract({
      address: addressOf('USDT'),
      abi: ERC20,
      functionName: 'approve',
      args: [chain.contracts.swapRouter02, value],
      chain: null,
    });
  await mined(await approve(5n));
  await assert.rejects(approve(6n), /set the allowance to zero first/);
  await mined(await approve(0n));
  await mined(await approve(6n));
});

test('The chain is not ahead of the wall clock after its set-up', async () => {
  const { timestamp } = await client().getBlock({ blockNumber: 1n });
  assert.ok(Number(timestamp) * 1_000 <= Date.now());
});

test('The faucet serves concurrent requests, and each is mined when it resolves', async () => {
  const holder = '0x00000000000000000000000000000000000a11ce' as const;
  const usdc = addressOf('USDC');
  const results = await Promise.all([
    chain.faucet({ address: holder, token: usdc, amount: 5n }),
    chain.faucet({ address: holder, token: usdc, amount: 7n }),
    chain.faucet({ address: holder, token: addressOf('USDT'), amount: 3n }),
    chain.faucet({ address: holder, token: addressOf('WETH'), amount: 10n ** 30n }),
    chain.faucet({ address: holder, native: true, amount: 10n ** 60n }),
    chain.faucet({ address: holder, native: true, amount: 1n }),
  ]);
  assert.deepEqual(
    results.filter(({ ok }) => !ok),
    [],
  );
  assert.equal(await balance(usdc, holder), 12n);
  assert.equal(await balance(addressOf('USDT'), holder), 3n);
  assert.equal(await balance(addressOf('WETH'), holder), 10n ** 30n);
  assert.equal(await client().getBalance({ address: holder }), 10n ** 60n + 1n);
});

test('A request that the faucet cannot serve gives a result with the reason, not an error', async () => {
  const address = '0x00000000000000000000000000000000000000b0' as const;
  const usdc = addressOf('USDC');
  const overflow = await chain.faucet({ address, token: usdc, amount: maxUint256 });
  assert.ok(!overflow.ok && overflow.reason === 'REFUSED');
  assert.match(overflow.detail, /overflow/);
  const wrapped = await chain.faucet({ address, token: addressOf('WETH'), amount: maxUint256 });
  assert.ok(!wrapped.ok && wrapped.reason === 'REFUSED');
  assert.ok((await chain.faucet({ address, native: true, amount: maxUint256 })).ok);
  const native = await chain.faucet({ address, native: true, amount: 1n });
  assert.ok(!native.ok && native.reason === 'REFUSED');
  const unknown = await chain.faucet({ address, token: address, amount: 1n });
  assert.ok(!unknown.ok && unknown.reason === 'UNKNOWN_TOKEN');
  const nothing = await chain.faucet({ address, token: usdc, amount: 0n });
  assert.ok(!nothing.ok && nothing.reason === 'REFUSED');
  assert.equal(await balance(usdc, address), 0n);
});

test('The faucet mines its transactions itself while automatic mining is off', async () => {
  const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
  await node.setAutomine(false);
  const address = '0x00000000000000000000000000000000000000b1' as const;
  const given = await chain.faucet({ address, native: true, amount: 9n });
  await node.setAutomine(true);
  assert.ok(given.ok);
  assert.equal(await client().getBalance({ address }), 9n);
});

test('Advancing the clock also advances the chain, and two concurrent advances add up', async () => {
  const start = chain.nowMs();
  await Promise.all([chain.advanceClock(3_600), chain.advanceClock(60)]);
  assert.ok(chain.nowMs() >= start + 3_660_000);
  assert.ok(Number((await latest()).timestamp) * 1_000 >= start + 3_660_000);
  await createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).mine({ blocks: 1 });
  const drift = Number((await latest()).timestamp) * 1_000 - chain.nowMs();
  assert.ok(Math.abs(drift) < 3_000, `drift ${drift} ms`);
  await assert.rejects(chain.advanceClock(-1), RangeError);
  await assert.rejects(chain.advanceClock(Number.NaN), RangeError);
});

test('The clock follows a chain that is ahead, and a reverted chain returns to the clock', async () => {
  const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
  const snapshot = await node.snapshot();
  await node.increaseTime({ seconds: 500 });
  await node.mine({ blocks: 1 });
  const ahead = Number((await latest()).timestamp) * 1_000;
  await until(() => chain.nowMs() >= ahead);
  await node.revert({ id: snapshot });
  await until(async () => {
    await node.mine({ blocks: 1 });
    return Math.abs(Number((await latest()).timestamp) * 1_000 - chain.nowMs()) < 3_000;
  });
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, 'it did not come true within 30 s');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('Two chains have the same addresses, run side by side, and leave nothing when closed', async () => {
  const second = await startSandboxChain(quiet);
  try {
    assert.deepEqual(second.contracts, chain.contracts);
    assert.deepEqual(second.tokens, chain.tokens);
    assert.deepEqual(second.pools, chain.pools);
    assert.deepEqual(second.accounts, chain.accounts);
    assert.notEqual(second.rpcUrl, chain.rpcUrl);
    assert.ok(second.ipcPath !== undefined && existsSync(second.ipcPath));
  } finally {
    await second.close();
  }
  assert.ok(second.ipcPath !== undefined && !existsSync(dirname(second.ipcPath)));
  await assert.rejects(fetch(second.rpcUrl));
});

test('A node that dies is restarted on its port', async () => {
  const mortal = await startSandboxChain(quiet);
  try {
    await endNodeAt(mortal);
    const address = '0x00000000000000000000000000000000000000b2' as const;
    await until(async () => (await mortal.faucet({ address, native: true, amount: 1n })).ok);
  } finally {
    await mortal.close();
  }
});

/** Kills the node of a chain as a crash would. */
async function endNodeAt(target: SandboxChain): Promise<void> {
  const { execFileSync } = await import('node:child_process');
  const pid = Number(execFileSync('pgrep', ['-f', target.ipcPath ?? 'none'], { encoding: 'utf8' }).trim());
  assert.ok(processIdentity(pid));
  process.kill(pid, 'SIGKILL');
}
