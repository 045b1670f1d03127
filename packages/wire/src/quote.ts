import { type Static, Type } from 'typebox';
import {
  AMOUNT_PATTERN,
  Amount,
  BlockHash,
  BlockNumber,
  ChainId,
  EvmAddress,
  MaxHops,
  MaxSplits,
  AppliedSlippageBps,
  SlippageBps,
  Timestamp,
  TokenIn,
  TokenOut,
  Trust,
  TradeType,
  wordOf,
} from './fields.ts';
import { MoneyToken } from './money.ts';

/** When and from which block an answer was derived. */
export const AsOf = Type.Object(
  {
    timestamp: Timestamp,
    blockNumber: Type.Optional(BlockNumber),
  },
  {
    description:
      "The service's time of the derived response, and the block everything in it was priced from.",
  },
);
export type AsOf = Static<typeof AsOf>;

/** The fees of the pools and of the chain. */
export const Fees = Type.Object(
  {
    protocol: Type.Array(
      Type.Object({
        pool: EvmAddress,
        asset: MoneyToken,
        amount: Amount,
      }),
      { description: 'What each pool keeps of the trade, in the token it takes it in.' },
    ),
    gas: Type.Object(
      {
        units: Type.String({ description: 'Estimated gas units.', examples: ['140000'] }),
        baseFeePerGas: Type.String({ description: 'Base fee of the block, in wei per unit of gas.' }),
        priorityFeePerGas: Type.Optional(
          Type.String({
            description:
              'What transactions of the latest blocks paid beyond the base fee, in wei per unit of gas: their median. Absent where the nodes of the chain do not tell; then it counts as 0.',
          }),
        ),
        cost: Type.String({ description: 'units times the sum of both fees, in wei.' }),
        notIncluded: Type.Optional(
          Type.Array(Type.Literal('L1_DATA_FEE'), {
            description:
              'What the chain charges beside cost. L1_DATA_FEE: the fee of a rollup for data on another chain. Absent where there is no such fee.',
          }),
        ),
        costInTokenOut: Type.Optional(
          Type.String({
            description:
              'The cost in the output token, at what the market pays for native currency; absent where it has no price.',
          }),
        ),
      },
      { description: 'Gas estimate of executing the swap.' },
    ),
  },
  { additionalProperties: true, description: 'Fee breakdown. Amounts are already contained in the quote.' },
);
export type Fees = Static<typeof Fees>;

/** One swap through one pool. */
export const RouteLeg = Type.Object(
  {
    pool: EvmAddress,
    kind: Type.String({ description: 'The kind of pool.', examples: ['UNISWAP_V3'] }),
    source: Type.String({
      description: 'The name of the factory it comes from; what excludeSources takes.',
      examples: ['uniswap-v3'],
    }),
    feeBps: Type.Number({ description: "The pool's fee in basis points.", examples: [5] }),
    assetIn: MoneyToken,
    assetOut: MoneyToken,
    amountIn: Amount,
    amountOut: Amount,
  },
  {
    description:
      'One swap through one pool, exact to the smallest unit. Native currency appears as its wrapped token.',
  },
);
export type RouteLeg = Static<typeof RouteLeg>;

/** Legs in a row from the input token to the output token. */
export const RoutePath = Type.Object({
  amountIn: Amount,
  amountOut: Amount,
  assets: Type.Array(MoneyToken, { description: 'Tokens in the order the path passes them.' }),
  pools: Type.Array(EvmAddress, { description: 'Pools in the order the path passes them.' }),
});
export type RoutePath = Static<typeof RoutePath>;

/** The bound that the swap instruction enforces on chain. */
export const RouteLimits = Type.Object(
  {
    minAmountOut: Type.Optional(Amount),
    maxAmountIn: Type.Optional(Amount),
    slippageBps: AppliedSlippageBps,
  },
  {
    description:
      'The bound that the swap instruction enforces on chain: minAmountOut for EXACT_IN, maxAmountIn for EXACT_OUT.',
  },
);

/** A proof of how near a quote is to the best possible one. */
export const Optimality = Type.Object(
  {
    gapBps: Type.Number({
      description:
        'How far the amount really returned (EXACT_OUT: paid) is from the bound, gross of gas, in basis points, rounded up to thousandths.',
      examples: [0.012],
    }),
    upperBound: Type.String({
      pattern: AMOUNT_PATTERN,
      description:
        'EXACT_IN: no route over the pools considered gives more of the output token. EXACT_OUT: none costs less of the input token. Gross of gas, in smallest units.',
    }),
  },
  { description: 'A certificate: how near the route is proven to be to the best possible one.' },
);
export type Optimality = Static<typeof Optimality>;

/** How far the amounts of a route may be off because its tokens round transfers. */
export const RouteRounding = Type.Object(
  {
    assets: Type.Array(MoneyToken, { description: 'The tokens that round.' }),
    unitsPerTransfer: Type.String({
      pattern: AMOUNT_PATTERN,
      description: 'The most smallest units of such a token by which one transfer falls short.',
    }),
    amountOut: Type.String({
      pattern: AMOUNT_PATTERN,
      description: 'The most smallest units of tokenOut that may be missing from amountOut at the end.',
    }),
  },
  {
    description:
      'Present when a token of the route is accounted in shares (stETH and its like): then its transfers fall short by units. limits.minAmountOut allows for it, and the simulation moves the quoted amounts within it.',
  },
);
export type RouteRounding = Static<typeof RouteRounding>;
/** What a route keeps away from for now. */
export const Avoided = Type.Object(
  {
    assets: Type.Array(MoneyToken, { description: 'Tokens that did not move as they were asked to.' }),
    pools: Type.Array(EvmAddress, { description: 'Pools that a token of theirs refused.' }),
  },
  {
    description:
      'What this route keeps away from besides what the request excludes: tokens and pools over which swaps failed a short while ago. They are tried again after some time. The same request with their addresses in excludeTokens and excludePools is answered alike. Absent where nothing is kept away from.',
  },
);

/** Which end of a trade is native currency. */
export const NativeEnd = Type.Object(
  {
    field: wordOf(['tokenIn', 'tokenOut'], { description: 'The end that is native currency.' }),
    symbol: Type.String({ description: 'What the currency is called.', examples: ['ETH'] }),
    wrapped: { ...MoneyToken, description: 'The wrapped token, which the pools trade in its place.' },
  },
  {
    description:
      "Present where an end of the trade is the chain's native currency. Two addresses mean it: 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE and the zero address.",
  },
);
export type NativeEnd = Static<typeof NativeEnd>;

/** How a trade travels. */
export const Route = Type.Object(
  {
    native: Type.Optional(NativeEnd),
    sources: Type.Array(Type.String(), { description: 'Sources used; empty for a plain wrap or unwrap.' }),
    legs: Type.Array(RouteLeg, { description: 'Every swap through a pool; amounts add up exactly.' }),
    paths: Type.Array(RoutePath, { description: 'The paths the trade is split over.' }),
    priceImpactBps: Type.Integer({
      description:
        'How far the executed price lies below what small trades get before the swap, fees aside, rounded up.',
    }),
    limits: RouteLimits,
    surplus: Type.Optional(
      Type.String({
        pattern: AMOUNT_PATTERN,
        description: 'EXACT_OUT only: what the pools will pay beyond the amount asked, when they will.',
      }),
    ),
    rounding: Type.Optional(RouteRounding),
    optimality: Type.Optional(Optimality),
    avoided: Type.Optional(Avoided),
    blockHash: BlockHash,
    trust: Trust,
    market: Type.Object(
      { pools: Type.Integer(), tokens: Type.Integer() },
      { description: 'How many pools and tokens were considered.' },
    ),
  },
  { additionalProperties: true, description: 'How the trade travels through the markets.' },
);
export type Route = Static<typeof Route>;

/** A derived quote. Nothing is stored: each request derives a new one. */
export const Quote = Type.Object(
  {
    asOf: AsOf,
    expiresAt: Timestamp,
    chainId: ChainId,
    tokenIn: EvmAddress,
    tokenOut: EvmAddress,
    assetIn: Type.Optional({ ...MoneyToken, description: 'What tokenIn is.' }),
    assetOut: Type.Optional({ ...MoneyToken, description: 'What tokenOut is.' }),
    tradeType: TradeType,
    amountIn: Amount,
    amountOut: Amount,
    fees: Type.Optional(Fees),
    route: Type.Optional(Route),
  },
  {
    description:
      'A quote derived from live chain state. Until expiresAt it is valid for planning. tokenIn and tokenOut are echoed as sent. amountIn and amountOut are exact; if route.rounding is present, they are exact within it.',
  },
);
export type Quote = Static<typeof Quote>;

/** Query of a quote. The types are those of values already read from the query string. */
export const QuoteQuery = Type.Object(
  {
    chainId: ChainId,
    tokenIn: TokenIn,
    tokenOut: TokenOut,
    tradeType: TradeType,
    amount: Amount,
    slippageBps: Type.Optional(SlippageBps),
    excludeSources: Type.Optional(
      Type.String({
        description: 'Sources that may not be used, separated by commas.',
        examples: ['uniswap-v2'],
      }),
    ),
    excludeTokens: Type.Optional(
      Type.String({
        description:
          'Tokens that no path may pass on its way, separated by commas; each once, at most 32. tokenIn and tokenOut cannot be among them.',
        examples: ['0x514910771AF9Ca656af840dff83E8264EcF986CA'],
      }),
    ),
    excludePools: Type.Optional(
      Type.String({
        description: 'Pools that may not be used, separated by commas; each once, at most 32.',
        examples: ['0x0d4a11d5EEaaC28EC3F61d100daF4d40471f1852'],
      }),
    ),
    maxHops: Type.Optional(MaxHops),
    maxSplits: Type.Optional(MaxSplits),
  },
  { additionalProperties: false },
);
