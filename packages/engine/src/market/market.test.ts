/// <reference types="node" />
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../test/marketArbitraries.ts';
import type { FeePips, Pool } from '../types.ts';
import { createMarket } from './market.ts';

function pair(id: number, token0: number, token1: number, reserve0 = 1n): Pool {
  return {
    kind: 'UNISWAP_V2',
    address: addressOf(id),
    source: 'v2',
    tokens: [addressOf(token0), addressOf(token1)],
    feePips: 3000 as FeePips,
    reserve0,
    reserve1: 1n,
  };
}

test('a market finds pools by address and by token, and returns what it replaces or removes', () => {
  const [first, second] = [pair(10, 1, 2), pair(11, 2, 3)];
  const market = createMarket([first, second]);
  assert.deepEqual([...market.poolsOf(addressOf(2))], [first, second]);
  const updated = pair(10, 1, 2, 7n);
  assert.equal(market.put(updated), first);
  assert.equal(market.get(first.address), updated);
  assert.equal(market.poolCount, 2);
  assert.equal(market.remove(second.address), second);
  assert.deepEqual([...market.poolsOf(addressOf(3))], []);
  assert.deepEqual([...market.tokens()], [addressOf(1), addressOf(2)]);
  assert.equal(market.remove(second.address), undefined);
});

test('the revision grows with every change of the market, and only then', () => {
  const market = createMarket([pair(10, 1, 2)]);
  const { revision } = market;
  market.remove(addressOf(99));
  assert.equal(market.revision, revision);
  market.put(pair(10, 1, 2, 2n));
  assert.ok(market.revision > revision);
  const afterPut = market.revision;
  market.remove(addressOf(10));
  assert.ok(market.revision > afterPut);
});
