/** A token of the sandbox, before it is deployed. */
export type TokenPlan = {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /**
   * Its price in millionths of a US dollar per whole token. A pool's first price differs from it by no more than the pool's
   * fee.
   */
  readonly microDollars: bigint;
  readonly contract: 'WETH9' | 'SandboxToken' | 'ResetApprovalToken';
};

/** The sandbox's tokens, the wrapped native one first. USDT behaves like the real contract in its approvals. */
export const TOKEN_PLANS = [
  { symbol: 'WETH', name: 'Wrapped Ether', decimals: 18, microDollars: 3_000_000_000n, contract: 'WETH9' },
  {
    symbol: 'USDC',
    name: 'USD Coin (sandbox)',
    decimals: 6,
    microDollars: 1_000_000n,
    contract: 'SandboxToken',
  },
  {
    symbol: 'USDT',
    name: 'Tether USD (sandbox)',
    decimals: 6,
    microDollars: 1_000_000n,
    contract: 'ResetApprovalToken',
  },
  {
    symbol: 'DAI',
    name: 'Dai Stablecoin (sandbox)',
    decimals: 18,
    microDollars: 1_000_000n,
    contract: 'SandboxToken',
  },
  {
    symbol: 'WBTC',
    name: 'Wrapped BTC (sandbox)',
    decimals: 8,
    microDollars: 60_000_000_000n,
    contract: 'SandboxToken',
  },
  {
    symbol: 'tAUD',
    name: 'Test Australian Dollar',
    decimals: 6,
    microDollars: 650_000n,
    contract: 'SandboxToken',
  },
  { symbol: 'tEUR', name: 'Test Euro', decimals: 18, microDollars: 1_080_000n, contract: 'SandboxToken' },
  {
    symbol: 'LINK',
    name: 'ChainLink Token (sandbox)',
    decimals: 18,
    microDollars: 15_000_000n,
    contract: 'SandboxToken',
  },
  {
    symbol: 'UNI',
    name: 'Uniswap (sandbox)',
    decimals: 18,
    microDollars: 8_000_000n,
    contract: 'SandboxToken',
  },
] as const satisfies readonly TokenPlan[];

/** The symbols of the sandbox's tokens. */
export type TokenSymbol = (typeof TOKEN_PLANS)[number]['symbol'];

/** The plan of the token with this symbol. */
export function tokenPlanOf(symbol: TokenSymbol): TokenPlan {
  const plan = TOKEN_PLANS.find((each) => each.symbol === symbol);
  if (plan === undefined) throw new Error(`No sandbox token ${symbol}`);
  return plan;
}

/** The amount in smallest units that is worth `dollars` at the plan's price, rounded down. */
export function amountWorth(plan: TokenPlan, dollars: bigint): bigint {
  return (dollars * 1_000_000n * 10n ** BigInt(plan.decimals)) / plan.microDollars;
}
