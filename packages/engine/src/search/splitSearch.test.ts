import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../test/marketArbitraries.ts';
import { createMarket } from '../market/market.ts';
import type { FeePips, Pool } from '../types.ts';
import { candidateGraphs } from './candidateGraph.ts';
import { searchShort } from './splitSearch.ts';

type Reserves = readonly [first: number, second: number, reserve0: bigint, reserve1: bigint];

function poolsOf(all: readonly Reserves[]): Pool[] {
  return all.map(([first, second, reserve0, reserve1], index) => {
    const tokens = [addressOf(first), addressOf(second)] as const;
    const identity = { address: addressOf(0x1000 + index), source: 'v2', feePips: 3000 as FeePips };
    return { ...identity, kind: 'UNISWAP_V2', tokens, reserve0, reserve1 };
  });
}

/** How far the found split's output lies below the bound, relative. */
function gap(pools: readonly Reserves[], amount: number): number {
  const graphs = candidateGraphs(createMarket(poolsOf(pools)), {
    tokenIn: addressOf(1),
    tokenOut: addressOf(2),
    tradeType: 'EXACT_IN',
    maxHops: 8,
    excludeSources: new Set(),
  });
  const search = graphs && searchShort(graphs, amount, { maxHops: 8, maxSplits: 64, gasUnitCost: 0 });
  const out = search?.splits[0]?.paths.reduce((sum, path) => sum + path.amountOut, 0) ?? 0;
  return 1 - out / (search?.bound.value ?? 0);
}

test('a deep pool that starts to trade within a step does not stall the search', () => {
  const pools: Reserves[] = [
    [1, 2, 1125899906842624n, 1125899906842625n],
    [3, 4, 28290387985192n, 44808526517621210n],
    [4, 5, 9287646698657633422832n, 586210699802128032n],
    [1, 4, 282847245245310n, 4481749854515335n],
    [2, 3, 720431688080825875n, 7207202215614230n],
    [1, 5, 597307299250816388524010n, 597367424814710710828n],
  ];
  assert.ok(gap(pools, 37917749693211) < 1e-9);
});

test('a very deep pool just inside its fee band does not make the search crawl', () => {
  const pools: Reserves[] = [
    [1, 2, 1125899906842624n, 1125899906842625n],
    [2, 6, 717921628489331n, 1765722816981645n],
    [5, 6, 22703817883743n, 55834248086350954n],
    [1, 2, 1125899906842624n, 1125899906842625n],
    [1, 6, 2871686513957321n, 7062891267926578n],
    [2, 3, 11257000000000000n, 112590000000000n],
    [3, 5, 29871344915409737873585n, 2986239188316737939923n],
  ];
  assert.ok(gap(pools, 39929161283633) < 1e-9);
});
