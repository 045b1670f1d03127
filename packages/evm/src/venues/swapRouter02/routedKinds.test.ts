import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Pool, toAddress } from '@fairway/engine';
import { routedKindOf, routedPoolAddress } from './routedKinds.ts';

const [a, b, c] = ['0a', '0b', '0c'].map((byte) => toAddress(`0x${byte.repeat(20)}`));
const router = toAddress(`0x${'01'.repeat(20)}`);

test('pools that differ in a factory, kind, token or fee are never taken for each other', () => {
  const made = new Set<string>();
  for (const v3Factory of [a, b])
    for (const v2Factory of [a, c])
      for (const kind of ['UNISWAP_V2', 'UNISWAP_V3'])
        for (const tokens of [
          [a, b],
          [a, c],
          [b, c],
        ])
          for (const feePips of [500, 3000]) {
            const deployment = { router, wrappedNative: a, v2Factory, v3Factory } as Parameters<
              typeof routedPoolAddress
            >[0];
            const pool = { kind, tokens, feePips } as unknown as Pool;
            const derived = routedKindOf(pool)?.poolAddress(deployment, pool);
            assert.equal(routedPoolAddress(deployment, pool), derived);
            assert.equal(routedPoolAddress(deployment, pool), derived, 'asked again');
            made.add(String(derived));
          }
  // Three pairs for each V2 factory, three pairs at two fees for each V3 factory.
  assert.equal(made.size, 2 * 3 + 2 * 3 * 2);
});
