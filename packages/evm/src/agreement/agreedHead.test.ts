// One lying node of three does not choose the head, however slow one of the honest nodes is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHeadSearch } from './agreedHead.ts';
import type { AskedNode } from './askingOrder.ts';

const word = (height: number) => `0x${height.toString(16).padStart(64, '0')}`;

function headerOf(height: number) {
  const number = `0x${height.toString(16)}`;
  return {
    number,
    hash: word(height),
    parentHash: word(height - 1),
    timestamp: number,
    baseFeePerGas: '0x7',
  };
}

type Chain = { top: number };

/** A node that has every block up to the chain's top and answers after `delayMs`. `names` is its latest block. */
function nodeOf(name: string, chain: Chain, { delayMs = 0, names = () => chain.top } = {}): AskedNode {
  return {
    name,
    async request({ params: [block] = [] }) {
      await sleep(delayMs);
      const height = block === 'latest' ? names() : Number(block);
      return height > chain.top ? null : headerOf(height);
    },
  };
}

function searchOf(...nodes: readonly AskedNode[]): () => Promise<number> {
  const search = createHeadSearch(nodes, 2);
  return async () => Number(((await search()) as { readonly number: string }).number);
}

test('a node that names an old block does not choose it, however slow another one is', async () => {
  const found = [100, 300, 1000].map((delayMs) => {
    const chain = { top: 1000 };
    const liar = nodeOf('liar', chain, { names: () => 900 });
    return searchOf(liar, nodeOf('quick', chain), nodeOf('slow', chain, { delayMs }))();
  });
  assert.deepEqual(await Promise.all(found), [1000, 1000, 1000]);
});

test('a node that stands still, or trails, does not hold the head back', async () => {
  const searches = [undefined, 1, 6].map(async (lag) => {
    const chain = { top: 1000 };
    const names = () => (lag === undefined ? 1000 : chain.top - lag);
    const liar = nodeOf('liar', chain, { names });
    const search = searchOf(liar, nodeOf('quick', chain), nodeOf('slow', chain, { delayMs: 300 }));
    assert.equal(await search(), 1000);
    for (; chain.top < 1004; chain.top++) {
      const found = await search();
      assert.ok(found >= chain.top - 1, `${found} of ${chain.top}, lag ${lag}`);
    }
  });
  await Promise.all(searches);
});

test('a slow node is waited for once, and then only where what the others hold is old', async () => {
  const chain = { top: 1000 };
  let isBehind = false;
  const names = () => (isBehind ? chain.top - 1 : chain.top);
  const nodes = [nodeOf('a', chain), nodeOf('b', chain, { names }), nodeOf('slow', chain, { delayMs: 1200 })];
  const search = searchOf(...nodes);
  assert.equal(await search(), 1000);
  for (isBehind of [false, true, false]) {
    chain.top++;
    const startMs = performance.now();
    assert.equal(await search(), names());
    assert.ok(performance.now() - startMs < 900, 'it took as long as the slow node');
  }
});

test('a node that failed from the start and then falls silent holds up no search', async () => {
  const chain = { top: 1000 };
  let isAway = true;
  const dead: AskedNode = {
    name: 'dead',
    request: () => (isAway ? Promise.reject(new Error('away')) : new Promise(() => {})),
  };
  const search = searchOf(nodeOf('a', chain), nodeOf('b', chain), dead);
  assert.equal(await search(), 1000);
  isAway = false;
  const startMs = performance.now();
  chain.top++;
  assert.equal(await search(), 1001);
  assert.ok(performance.now() - startMs < 1000, 'it waited for the dead node');
});
