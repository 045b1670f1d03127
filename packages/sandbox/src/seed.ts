import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  maxUint256,
  numberToHex,
  parseAbi,
} from 'viem';
import { publishedContract } from './artifacts.ts';
import {
  addressOfToken,
  type Deployment,
  MULTICALL3_DEPLOYER,
  operator,
  type SandboxContracts,
  type SetupTransaction,
  v2PairAddress,
} from './deploy.ts';
import {
  type PoolPlan,
  type PricedPair,
  POOL_PLANS,
  positionPlans,
  pricedPair,
  sqrtPriceX96Of,
} from './liquidity.ts';
import type { Rpc } from './rpc.ts';
import { amountWorth, tokenPlanOf } from './tokens.ts';

/** A pool of the sandbox. Addresses are EIP-55; token0 sorts before token1; the fee is in millionths. */
export type SandboxPool = {
  readonly address: Address;
  readonly kind: 'V2' | 'V3';
  readonly token0: Address;
  readonly token1: Address;
  readonly fee: number;
};

/** The transactions that fund accounts and pools after a deployment, and the pools they create. */
export type Seeding = {
  readonly pools: readonly SandboxPool[];
  readonly transactions: readonly SetupTransaction[];
};

const SEED_ABI = parseAbi([
  'function mint(address to, uint256 value)',
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function deposit() payable',
]);
const V2_ABI = parseAbi(['function createPair(address a, address b)', 'function mint(address to)']);
const POSITION_MANAGER_ABI = parseAbi([
  'struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96)',
  'function mint(MintParams params)',
  'function multicall(bytes[] data)',
]);

const TREASURY_DOLLARS = 2_000_000_000n;
const ACCOUNT_DOLLARS = 10_000_000n;

function send(label: string, to: Address, data: Hex, gas: bigint, value?: bigint): SetupTransaction {
  return { label, from: operator, to, data, gas, ...(value === undefined ? {} : { value }) };
}

/** Gives the operator all tokens, lets the position manager spend them, and gives every account its share. */
function fundingTransactions(deployment: Deployment, accounts: readonly Address[]): SetupTransaction[] {
  return deployment.tokens.flatMap(({ address, symbol }) => {
    const plan = tokenPlanOf(symbol);
    const treasury = amountWorth(plan, TREASURY_DOLLARS);
    const fill =
      plan.contract === 'WETH9'
        ? send(
            'wrap',
            address,
            encodeFunctionData({ abi: SEED_ABI, functionName: 'deposit' }),
            100_000n,
            treasury,
          )
        : send(
            `mint ${symbol}`,
            address,
            encodeFunctionData({ abi: SEED_ABI, functionName: 'mint', args: [operator, treasury] }),
            150_000n,
          );
    const approval = encodeFunctionData({
      abi: SEED_ABI,
      functionName: 'approve',
      args: [deployment.contracts.positionManager, maxUint256],
    });
    const shares = accounts.map((account) => {
      const args = [account, amountWorth(plan, ACCOUNT_DOLLARS)] as const;
      return send(
        `give ${symbol}`,
        address,
        encodeFunctionData({ abi: SEED_ABI, functionName: 'transfer', args }),
        100_000n,
      );
    });
    return [fill, send(`approve ${symbol}`, address, approval, 100_000n), ...shares];
  });
}

type PoolSite = { readonly plan: PoolPlan; readonly index: number; readonly pair: PricedPair };

function v2Transactions(site: PoolSite, pool: SandboxPool, factory: Address): SetupTransaction[] {
  const { half0, half1 } = site.pair;
  const create = { abi: V2_ABI, functionName: 'createPair', args: [pool.token0, pool.token1] } as const;
  const fill = (amount: bigint) =>
    encodeFunctionData({ abi: SEED_ABI, functionName: 'transfer', args: [pool.address, amount] });
  const mint = encodeFunctionData({ abi: V2_ABI, functionName: 'mint', args: [operator] });
  return [
    send('create pair', factory, encodeFunctionData(create), 4_000_000n),
    send('fill pair', pool.token0, fill(half0), 150_000n),
    send('fill pair', pool.token1, fill(half1), 150_000n),
    send('mint pair', pool.address, mint, 400_000n),
  ];
}

function v3Transactions(site: PoolSite, pool: SandboxPool, positionManager: Address): SetupTransaction[] {
  const { token0, token1, fee } = pool;
  const create = encodeFunctionData({
    abi: POSITION_MANAGER_ABI,
    functionName: 'createAndInitializePoolIfNecessary',
    args: [token0, token1, fee, sqrtPriceX96Of(site.pair)],
  });
  const mints = positionPlans(site.plan, site.index, site.pair).map((position) =>
    encodeFunctionData({
      abi: POSITION_MANAGER_ABI,
      functionName: 'mint',
      args: [
        {
          token0,
          token1,
          fee,
          tickLower: position.tickLower,
          tickUpper: position.tickUpper,
          amount0Desired: position.amount0,
          amount1Desired: position.amount1,
          amount0Min: 0n,
          amount1Min: 0n,
          recipient: operator,
          deadline: maxUint256,
        },
      ],
    }),
  );
  const mintAll = encodeFunctionData({ abi: POSITION_MANAGER_ABI, functionName: 'multicall', args: [mints] });
  return [
    send('create pool', positionManager, create, 6_000_000n),
    send('mint positions', positionManager, mintAll, 700_000n * BigInt(mints.length)),
  ];
}

type PoolFactory = {
  /** Where the factory will put the pool. `token0` sorts before `token1`. */
  address(contracts: SandboxContracts, token0: Address, token1: Address, fee: number): Address;
  /** What creates the pool and fills it. */
  transactions(site: PoolSite, pool: SandboxPool, contracts: SandboxContracts): SetupTransaction[];
};

/** How pools of each kind are made. */
function poolFactories(): Readonly<Record<PoolPlan['kind'], PoolFactory>> {
  const pairHash = keccak256(publishedContract('v2Pair').bytecode);
  const poolHash = keccak256(publishedContract('v3Pool').bytecode);
  return {
    V2: {
      address: ({ v2Factory }, token0, token1) => v2PairAddress(v2Factory, token0, token1, pairHash),
      transactions: (site, pool, { v2Factory }) => v2Transactions(site, pool, v2Factory),
    },
    V3: {
      address: ({ v3Factory }, token0, token1, fee) =>
        v3PoolAddress(v3Factory, token0, token1, fee, poolHash),
      transactions: (site, pool, { positionManager }) => v3Transactions(site, pool, positionManager),
    },
  };
}

/** Plans every account's funds and every pool's liquidity. Sends nothing. */
export function planSeeding(deployment: Deployment, accounts: readonly Address[]): Seeding {
  const { contracts, tokens } = deployment;
  const factories = poolFactories();
  const pools: SandboxPool[] = [];
  const transactions = fundingTransactions(deployment, accounts);
  for (const [index, plan] of POOL_PLANS.entries()) {
    const pair = pricedPair(plan, index, (symbol) => addressOfToken(tokens, symbol));
    const token0 = addressOfToken(tokens, pair.symbol0);
    const token1 = addressOfToken(tokens, pair.symbol1);
    const { kind, fee } = plan;
    const address = factories[kind].address(contracts, token0, token1, fee);
    const pool: SandboxPool = { address, kind, token0, token1, fee };
    pools.push(pool);
    const site = { plan, index, pair };
    transactions.push(...factories[kind].transactions(site, pool, contracts));
  }
  return { pools, transactions };
}

function v3PoolAddress(factory: Address, token0: Address, token1: Address, fee: number, hash: Hex): Address {
  const parameters = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const;
  const salt = keccak256(encodeAbiParameters(parameters, [token0, token1, fee]));
  return getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecodeHash: hash });
}

type Receipt = { readonly transactionHash: Hex; readonly status: Hex };

const SETUP_GAS_LIMIT = 2_000_000_000n;
const ORDINARY_GAS_LIMIT = 30_000_000n;
const SETUP_FEE_PER_GAS = 2_000_000_000n;

/**
 * Sends all transactions in one request and mines them in one block, in order for each sender. The chain must be fresh.
 * @throws naming the transactions that failed.
 */
export async function sendSetup(rpc: Rpc, transactions: readonly SetupTransaction[]): Promise<void> {
  const wealth = numberToHex(10n ** 26n);
  await rpc.batch([
    ...[operator, MULTICALL3_DEPLOYER].flatMap((sender) => [
      { method: 'anvil_impersonateAccount', params: [sender] },
      { method: 'anvil_setBalance', params: [sender, wealth] },
    ]),
    { method: 'evm_setAutomine', params: [false] },
    { method: 'evm_setBlockGasLimit', params: [numberToHex(SETUP_GAS_LIMIT)] },
  ]);
  const nonces = new Map<Address, number>();
  const calls = transactions.map(({ from, to, data, gas, value }) => {
    const nonce = nonces.get(from) ?? 0;
    nonces.set(from, nonce + 1);
    const fields = {
      from,
      ...(to === undefined ? {} : { to }),
      data,
      gas: numberToHex(gas),
      value: numberToHex(value ?? 0n),
      nonce: numberToHex(nonce),
      maxFeePerGas: numberToHex(SETUP_FEE_PER_GAS),
      maxPriorityFeePerGas: '0x0',
    };
    return { method: 'eth_sendTransaction', params: [fields] };
  });
  const hashes = await rpc.batch<Hex>(calls);
  await rpc.request('evm_mine');
  const receipts = await rpc.request<Receipt[]>('eth_getBlockReceipts', ['latest']);
  const succeeded = new Set(receipts.filter(({ status }) => status === '0x1').map((r) => r.transactionHash));
  const failed = transactions.filter((_, index) => !succeeded.has(hashes[index] ?? '0x'));
  if (failed.length > 0) {
    throw new Error(`The sandbox could not be set up: ${failed.map(({ label }) => label).join(', ')} failed`);
  }
  await rpc.batch([
    { method: 'evm_setBlockGasLimit', params: [numberToHex(ORDINARY_GAS_LIMIT)] },
    { method: 'evm_setAutomine', params: [true] },
    { method: 'anvil_stopImpersonatingAccount', params: [MULTICALL3_DEPLOYER] },
  ]);
}
