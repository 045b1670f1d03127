import { type Address, toAddress } from '@fairway/engine';
import type { Hex } from 'viem';
import { kindOf } from '../pools/poolKinds.ts';
import { decodeAggregate, encodeAggregate, type Read } from '../rpc/multicallCoding.ts';
import type { PriorHolding, SwapOrder } from '../types.ts';
import { encodeFunctionData } from '../calls/callData.ts';
import type { RehearsalPlace } from './place.ts';
import { MULTICALL3_ABI, TOKEN_ABI } from '../calls/contractAbis.ts';

/**
 * What the router and the pools of a route hold before a swap and would hand out with it. Quotes count neither: the
 * router keeps nothing of its own, and a pool trades with what it has recorded.
 */
export type PriorHoldings = {
  /** One call of Multicall3 that reads it all. */
  readonly readCall: Hex;
  /** What there is, from the answer to `readCall`; undefined where one of the reads failed. @throws where it is no such answer. */
  read(answer: Hex): readonly PriorHolding[] | undefined;
  /** What the router holds more of after a swap, from the answers before and after; undefined and throws as `read` does. */
  leftInRouter(before: Hex, after: Hex): readonly PriorHolding[] | undefined;
  /** The calls that take all of it away before a swap, as anybody can. */
  readonly clearCalls: readonly ClearCall[];
};

/** A call from an account that has nothing to do with the swap. */
export type ClearCall = { readonly from: Address; readonly to: Address; readonly data: Hex };

/** Takes what is cleared: an address without code whose key nobody has. */
const COLLECTOR = toAddress('0xc011ec70e0000000000000000000000000005afe');

/** One holder of one token, the reads that show what it holds, and the amount in their answers. */
type Place = {
  readonly holder: Address;
  readonly token: Address | undefined;
  readonly reads: readonly Read[];
  /** Undefined where a read failed, which does not mean that there is nothing. */
  amountOf(answers: readonly (Hex | undefined)[]): bigint | undefined;
};

/** Where an order's swap could meet tokens that were there before. */
export function priorHoldingsOf(where: RehearsalPlace, order: SwapOrder): PriorHoldings {
  const { venue, multicall3 } = where;
  const { router } = venue;
  const tokens = tokensAlong(where, order);
  const pools = poolPlaces(order);
  const places = [
    routerPlace(where, undefined),
    ...tokens.map((token) => routerPlace(where, token)),
    ...pools.map(({ place }) => place),
  ];
  const reads = places.flatMap((place) => place.reads);
  const skims = pools.map(({ clear }) => clear);
  const amountsOf = (answer: Hex): PriorHolding[] | undefined => {
    const answers = decodeAggregate(answer, reads.length);
    let next = 0;
    const held: PriorHolding[] = [];
    for (const { holder, token, reads: own, amountOf } of places) {
      const amount = amountOf(answers.slice(next, (next += own.length)));
      if (amount === undefined) return undefined;
      held.push({ holder, token, amount });
    }
    return held;
  };
  return {
    readCall: encodeAggregate(reads),
    read: (answer) => amountsOf(answer)?.filter(({ amount }) => amount > 0n),
    leftInRouter(before, after) {
      const [held, left] = [amountsOf(before), amountsOf(after)];
      if (held === undefined || left === undefined) return undefined;
      return left.flatMap((place, index) => {
        const amount = place.amount - (held[index]?.amount ?? 0n);
        return place.holder === router && amount > 0n ? [{ ...place, amount }] : [];
      });
    },
    clearCalls: [
      { from: COLLECTOR, to: router, data: venue.emptyCall(tokens, COLLECTOR) },
      ...(skims.length === 0 ? [] : [{ from: COLLECTOR, to: multicall3, data: encodeAggregate(skims) }]),
    ],
  };
}

function tokensAlong({ wrappedNative }: RehearsalPlace, { subject }: SwapOrder): readonly Address[] {
  if (subject.kind === 'WRAP') return [wrappedNative];
  return [...new Set(subject.quote.legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))];
}

/** The router pays with native currency of its own where it owes wrapped tokens, and refunds what it has of it. */
function routerPlace({ venue, multicall3 }: RehearsalPlace, token: Address | undefined): Place {
  const { router } = venue;
  const callData =
    token === undefined
      ? encodeFunctionData({ abi: MULTICALL3_ABI, functionName: 'getEthBalance', args: [router] })
      : balanceOf(router);
  return {
    holder: router,
    token,
    reads: [{ target: token ?? multicall3, callData }],
    amountOf: ([balance]) => wordOf(balance),
  };
}

function poolPlaces({ subject }: SwapOrder): { readonly place: Place; readonly clear: Read }[] {
  if (subject.kind === 'WRAP') return [];
  const places = new Map<string, { readonly place: Place; readonly clear: Read }>();
  for (const { pool, tokenIn } of subject.quote.legs) {
    const { excess } = kindOf(pool);
    if (excess === undefined) continue;
    const { address: target } = pool;
    const place: Place = {
      holder: target,
      token: tokenIn,
      reads: [
        { target: tokenIn, callData: balanceOf(target) },
        { target, callData: excess.recordCall },
      ],
      amountOf([balance, record]) {
        const [held, recorded] = [wordOf(balance), record && excess.recorded(pool, tokenIn, record)];
        return held === undefined || recorded === undefined ? undefined : held - recorded;
      },
    };
    places.set(`${target} ${tokenIn}`, { place, clear: { target, callData: excess.clearCall(COLLECTOR) } });
  }
  return [...places.values()];
}

function balanceOf(owner: Address): Hex {
  return encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [owner] });
}

function wordOf(answer: Hex | undefined): bigint | undefined {
  return answer?.length === 66 ? BigInt(answer) : undefined;
}
