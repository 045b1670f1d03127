import { type Address, type Leg, type Path, toAddress } from '@fairway/engine';
import type { Rounding, SwapLimit } from '@fairway/evm';
import { defined } from '@fairway/values';
import {
  type Fees,
  NATIVE_ADDRESS,
  type NativeEnd,
  type Quote,
  type Route,
  type RouteLeg,
  type RoutePath,
  type RouteRounding,
} from '@fairway/wire';
import { type AvoidedNow, NOTHING_AVOIDED } from '../../platform/chains/avoided.ts';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { type TokenBody, tokenBody } from '../../platform/chains/tokenBody.ts';
import { eip55, timestampOf } from '@fairway/api';
import type { PricedTrade } from './priceTrade.ts';
import type { Trade } from './trade.ts';

/** Gas of a WETH9 deposit into a new account. It costs more than a withdrawal, and so is used for both. */
const WRAP_GAS_UNITS = 46_000n;

/** A priced trade as a quote of the API. Answers contain it, and plans keep it, in this form. */
export function quoteBody(priced: PricedTrade, limit: SwapLimit): Quote {
  const { trade, derivedAtMs } = priced;
  return {
    asOf: { timestamp: timestampOf(derivedAtMs), blockNumber: Number(trade.block.head.number) },
    expiresAt: timestampOf(derivedAtMs + trade.chain.quoteLifetimeMs),
    chainId: trade.chain.chainId,
    tokenIn: givenText(trade.tokenIn),
    tokenOut: givenText(trade.tokenOut),
    assetIn: tradedBody(trade.tokenIn, trade),
    assetOut: tradedBody(trade.tokenOut, trade),
    tradeType: trade.tradeType,
    amountIn: String(priced.amountIn),
    amountOut: String(priced.amountOut),
    fees: feesBody(priced),
    route: routeBody(priced, limit),
  };
}

/** The address as the caller wrote it. A part of a URL is slower to write than the same text that is remembered. */
function givenText({ given, address }: Trade['tokenIn']): string {
  const known = eip55(address);
  return known === given ? known : given;
}

/** An end of a trade: native currency where the caller named it. */
function tradedBody({ native, address }: Trade['tokenIn'], { chain }: Trade): TokenBody {
  return native ? assetOf(chain, toAddress(NATIVE_ADDRESS)) : assetOf(chain, address);
}

function assetOf(chain: ChainService, address: Address): TokenBody {
  return tokenBody(chain.chainId, address, chain);
}

function feesBody({ trade, routed }: PricedTrade): Fees {
  const { head, gasTerms } = trade.block;
  const { priorityFeePerGas, hasDataFee = false } = gasTerms;
  const units = routed?.gas.units ?? WRAP_GAS_UNITS;
  const cost = routed?.gas.cost ?? units * (head.baseFeePerGas + (priorityFeePerGas ?? 0n));
  // A trade without a route wraps or unwraps, so its tokenOut has the value of native currency.
  const costInTokenOut = routed === undefined ? cost : routed.gas.costInTokenOut;
  return {
    protocol: (routed?.poolFees ?? []).map(({ pool, token, amount }) => ({
      pool: eip55(pool),
      asset: assetOf(trade.chain, token),
      amount: String(amount),
    })),
    gas: {
      units: String(units),
      baseFeePerGas: String(head.baseFeePerGas),
      ...(priorityFeePerGas === undefined ? {} : { priorityFeePerGas: String(priorityFeePerGas) }),
      ...(hasDataFee ? { notIncluded: ['L1_DATA_FEE' as const] } : {}),
      cost: String(cost),
      ...(costInTokenOut === undefined ? {} : { costInTokenOut: String(costInTokenOut) }),
    },
  };
}

function routeBody(priced: PricedTrade, limit: SwapLimit): Route {
  const { trade, routed, rounding, market, avoided } = priced;
  const legs = routed?.legs ?? [];
  const surplus = routed?.surplus ?? 0n;
  const optimality = routed?.optimality;
  return {
    ...defined({ native: nativeEnd(trade) }),
    sources: [...new Set(legs.map(({ pool }) => pool.source))],
    legs: legs.map((leg) => legBody(leg, trade.chain)),
    paths: (routed?.paths ?? []).map((path) => pathBody(path, trade.chain)),
    priceImpactBps: routed?.priceImpactBps ?? 0,
    limits: {
      ...('minAmountOut' in limit
        ? { minAmountOut: String(limit.minAmountOut) }
        : { maxAmountIn: String(limit.maxAmountIn) }),
      slippageBps: trade.slippageBps,
    },
    ...(surplus > 0n ? { surplus: String(surplus) } : {}),
    ...(rounding === undefined ? {} : { rounding: roundingBody(rounding, trade.chain) }),
    ...(optimality === undefined
      ? {}
      : { optimality: { gapBps: optimality.gapBps, upperBound: String(optimality.upperBound) } }),
    ...(avoided === NOTHING_AVOIDED ? {} : { avoided: avoidedBody(avoided, trade.chain) }),
    blockHash: trade.block.head.hash,
    trust: trade.chain.trust,
    market,
  };
}

/** The end of a trade that is native currency. Both are the same token otherwise, and one of them at most is. */
function nativeEnd({ tokenIn, tokenOut, chain }: Trade): NativeEnd | undefined {
  if (!tokenIn.native && !tokenOut.native) return undefined;
  const field = tokenIn.native ? 'tokenIn' : 'tokenOut';
  return { field, symbol: chain.nativeSymbol, wrapped: assetOf(chain, chain.wrappedNative) };
}

function roundingBody({ tokens, unitsPerTransfer, amountOut }: Rounding, chain: ChainService): RouteRounding {
  return {
    assets: tokens.map((token) => assetOf(chain, token)),
    unitsPerTransfer: String(unitsPerTransfer),
    amountOut: String(amountOut),
  };
}

function avoidedBody({ tokens, pools }: AvoidedNow, chain: ChainService): NonNullable<Route['avoided']> {
  return { assets: [...tokens].map((token) => assetOf(chain, token)), pools: [...pools].map(eip55) };
}

function legBody({ pool, tokenIn, tokenOut, amountIn, amountOut }: Leg, chain: ChainService): RouteLeg {
  return {
    pool: eip55(pool.address),
    kind: pool.kind,
    source: pool.source,
    feeBps: pool.feePips / 100,
    assetIn: assetOf(chain, tokenIn),
    assetOut: assetOf(chain, tokenOut),
    amountIn: String(amountIn),
    amountOut: String(amountOut),
  };
}

function pathBody({ legs, amountIn, amountOut }: Path, chain: ChainService): RoutePath {
  const [first] = legs;
  return {
    amountIn: String(amountIn),
    amountOut: String(amountOut),
    assets: [
      ...(first === undefined ? [] : [assetOf(chain, first.tokenIn)]),
      ...legs.map(({ tokenOut }) => assetOf(chain, tokenOut)),
    ],
    pools: legs.map(({ pool }) => eip55(pool.address)),
  };
}
