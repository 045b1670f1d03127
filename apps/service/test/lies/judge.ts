import { type Address, toAddress } from '@fairway/engine';
import { createChainRpc, type MarketAtBlock, readMarketAt } from '@fairway/evm';
import type { TestChain } from '@fairway/testing';
import type { Quote } from '@fairway/wire';
import type { ChainService } from '../../src/platform/chains/chainService.ts';
import { toFactory } from '../../src/platform/config/factories.ts';
import type { Fields } from '@fairway/api';
import { createAvoided } from '../../src/platform/chains/avoided.ts';
import { limitOf, priceTrade } from '../../src/parts/trading/priceTrade.ts';
import { quoteBody } from '../../src/parts/trading/quoteBody.ts';
import { chainsByDigits, completeTrade, resolveTrade } from '../../src/parts/trading/trade.ts';
import { readTrade } from '../../src/parts/trading/tradeFields.ts';

/** A trade as a caller asks for it. */
export type AskedTrade = Readonly<Record<string, string>>;

/** Compares quotes with what the honest chain says. */
export type Judge = {
  /** What is false in a quote; undefined when it is what the honest chain gives at its block. */
  faultOf(trade: AskedTrade, quote: Quote): Promise<string | undefined>;
  close(): void;
};

/** Blocks whose market is kept: answers of the same moment are of few blocks. */
const KEPT_MARKETS = 16;

/** Makes the judge of an honest chain. It reads the whole market at the quote's block from the node itself. */
export function createJudge(chain: TestChain, honestUrl: string): Judge {
  const rpc = createChainRpc([honestUrl], 20_000);
  const { contracts, chainId } = chain;
  const source = {
    request: rpc.request,
    chainId,
    multicall3: toAddress(contracts.multicall3),
    spender: toAddress(contracts.swapRouter02),
    factories: [
      toFactory({ kind: 'UNISWAP_V2', name: 'uniswap-v2', address: contracts.v2Factory }),
      toFactory({ kind: 'UNISWAP_V3', name: 'uniswap-v3', address: contracts.v3Factory }),
    ],
    tokens: chain.tokens.map(({ address }) => toAddress(address)),
  };
  const markets = new Map<string, Promise<MarketAtBlock | string>>();

  async function read(blockHash: string): Promise<MarketAtBlock | string> {
    const reading = await readMarketAt(source, blockHash, () => {});
    return reading.ok ? reading : `the block is not of the chain: ${JSON.stringify(reading.refusal, plain)}`;
  }

  function marketAt(blockHash: string): Promise<MarketAtBlock | string> {
    const market = markets.get(blockHash) ?? read(blockHash);
    markets.set(blockHash, market);
    const [oldest] = markets.keys();
    if (markets.size > KEPT_MARKETS && oldest !== undefined) markets.delete(oldest);
    return market;
  }

  return {
    async faultOf(trade, quote) {
      const read = await marketAt(quote.route?.blockHash ?? '');
      if (typeof read === 'string') return read;
      const market = { ...read, gasTerms: gasTermsOf(quote) };
      const expected = quoteOf(trade, market, toAddress(contracts.weth9), chainId);
      if (typeof expected === 'string') return expected;
      const [is, shouldBe] = [withoutTimes(quote), withoutTimes(expected)];
      const wrong = differences(is, shouldBe);
      return wrong.length === 0 ? undefined : `the quote is false: ${wrong.join(', ')}`;
    },
    close: () => rpc.close(),
  };
}

/**
 * The fee is taken from the service's quote: priority fees do not belong to a block, and another test checks that nodes
 * agree on them.
 */
function gasTermsOf({ fees }: Quote): MarketAtBlock['gasTerms'] {
  const { priorityFeePerGas: fee, notIncluded = [] } = fees?.gas ?? {};
  return {
    ...(fee === undefined ? {} : { priorityFeePerGas: BigInt(fee) }),
    hasDataFee: notIncluded.includes('L1_DATA_FEE'),
  };
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** The quote that a service would answer whose market is this one; or why it would refuse. */
function quoteOf(
  trade: AskedTrade,
  market: MarketAtBlock,
  wrappedNative: Address,
  chainId: number,
): Quote | string {
  const fields: Fields = { origin: 'QUERY', values: new Map(Object.entries(trade)), errors: [] };
  const chains = chainsByDigits([serviceOf(market, wrappedNative, chainId)]);
  const ask = completeTrade(fields, readTrade(fields, chains), chains);
  if (ask === undefined) return `the trade cannot be read: ${JSON.stringify(fields.errors)}`;
  const resolved = resolveTrade(ask);
  if (!resolved.ok) return resolved.problem.detail;
  const priced = priceTrade(resolved.value, 0);
  if (!priced.ok) return `the chain refuses this trade: ${priced.problem.detail}`;
  return quoteBody(priced.value, limitOf(priced.value));
}

function serviceOf(
  { head, gasTerms, market, tokens, behaviours }: MarketAtBlock,
  wrappedNative: Address,
  chainId: number,
): ChainService {
  const status = {
    head,
    nodeBlockNumber: head.number,
    lagBlocks: 0n,
    contactAgeMs: 0,
    poolCount: market.poolCount,
    leftOut: [],
  };
  const unused = () => Promise.reject(new Error('The judge only prices.'));
  return {
    chainId,
    name: 'Judge',
    nativeSymbol: 'ETH',
    wrappedNative,
    quoteLifetimeMs: 0,
    maxPriceImpactBps: 10_000,
    trust: { agreed: 1, of: 1 },
    otherContracts: [],
    router: wrappedNative,
    routerKind: 'SWAP_ROUTER_02',
    readCallTargets: unused,
    newestHead: unused,
    follower: {
      market,
      tokens,
      behaviours,
      pool: market.get,
      examine: unused,
      head: () => head,
      gasTerms: () => gasTerms,
      reread: unused,
      status: () => ({ ...status, freshness: { fresh: true } }),
      close: unused,
    },
    planSwap: unused,
    readRoute: async () => undefined,
    findFaults: async () => undefined,
    avoided: createAvoided(() => 0),
    onReroute: () => {},
    onMarketMismatch: () => {},
    request: unused,
  };
}

/** The members in which two JSON values differ, with both values. */
function differences(is: unknown, shouldBe: unknown, path = ''): string[] {
  if (typeof is !== 'object' || typeof shouldBe !== 'object' || is === null || shouldBe === null)
    return is === shouldBe ? [] : [`${path} is ${String(is)}, not ${String(shouldBe)}`];
  const [ours, theirs] = [is, shouldBe] as readonly Readonly<Record<string, unknown>>[];
  const names = new Set([...Object.keys(is), ...Object.keys(shouldBe)]);
  return [...names].flatMap((name) => differences(ours?.[name], theirs?.[name], `${path}/${name}`));
}

/** A quote without what depends on the service that answers and not on the chain. */
function withoutTimes({ asOf, expiresAt: _, route, ...rest }: Quote): object {
  const { trust: _trust, ...told } = route ?? {};
  return JSON.parse(JSON.stringify({ ...rest, route: told, blockNumber: asOf.blockNumber })) as object;
}
