// The followed market equals the chain after any mix of trading, reorgs, rollbacks and reverts. Every block the
// follower ever stood at was canonical at that time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FeePips, toAddress } from '@fairway/engine';
import {
  type CanonicalBlocks,
  createRandom,
  createTraffic,
  keepCanonicalBlocks,
  startTestChain,
  type TestChain,
  type Traffic,
} from '@fairway/testing';
import { scale } from '@fairway/testing/properties';
import type { FollowerEvent } from '../src/follower/options.ts';
import { startFollower } from '../src/follower/follower.ts';
import { readMarket } from '../src/market/reading.ts';
import { isTradable } from '../src/pools/poolKinds.ts';
import { type ChainRpc, createChainRpc } from '../src/rpc/chainRpc.ts';
import { headByHash, latestHead } from '../src/rpc/head.ts';
import type { Follower } from '../src/types.ts';

const OPERATIONS = 150 * scale;
const random = createRandom();
const events: FollowerEvent[] = [];
let chain: TestChain;
let rpc: ChainRpc;
let follower: Follower;
let traffic: Traffic;
let canonical: CanonicalBlocks;

before(async () => {
  chain = await startTestChain();
  rpc = createChainRpc([chain.ipcPath ?? chain.wsUrl], 5000);
  traffic = await createTraffic(chain, random);
  // This many blocks keep reorgs from removing the approvals, which trading needs.
  await chain.rpc('anvil_mine', ['0x40']);
  canonical = await keepCanonicalBlocks(chain);
  await canonical.note();
  follower = startFollower({
    ...marketSource(),
    rpc,
    chainId: chain.chainId,
    pollIntervalMs: 50,
    staleAfterMs: 5000,
    auditIntervalMs: 100,
    nowMs: chain.nowMs,
    monotonicMs: () => performance.now(),
    onEvent: (event) => events.push(event),
  });
});

after(async () => {
  await follower?.close();
  canonical?.stop();
  rpc?.close();
  await chain?.close();
});

function marketSource() {
  return {
    request: rpc.request,
    multicall3: toAddress(chain.contracts.multicall3),
    spender: toAddress(chain.contracts.swapRouter02),
    tokens: chain.tokens.map(({ address }) => toAddress(address)),
    factories: [
      {
        kind: 'UNISWAP_V2' as const,
        name: 'uniswap-v2',
        address: toAddress(chain.contracts.v2Factory),
        feePips: 3000 as FeePips,
      },
      {
        kind: 'UNISWAP_V3' as const,
        name: 'uniswap-v3',
        address: toAddress(chain.contracts.v3Factory),
        feeTiers: [100, 500, 3000, 10_000] as FeePips[],
      },
    ],
  };
}

let snapshot: { id: string; blockHash: string } | undefined;

/** Returns to the kept snapshot, or takes one. A snapshot whose block a reorg has removed cannot be used. */
async function revertOrSnapshot(): Promise<void> {
  const kept = snapshot;
  snapshot = undefined;
  if (kept !== undefined && (await headByHash(rpc.request, kept.blockHash)) !== undefined) {
    const before = await latestHead(rpc.request);
    await chain.rpc('evm_revert', [kept.id]);
    // Empty blocks can be those of before. A chain that ends among them looks like a node that is behind, so it goes on.
    const removed = before.number - (await latestHead(rpc.request)).number;
    await chain.rpc('anvil_mine', [`0x${(removed + 2n).toString(16)}`]);
    return;
  }
  const { hash } = await latestHead(rpc.request);
  snapshot = { id: await chain.rpc<string>('evm_snapshot'), blockHash: hash };
}

async function disturb(): Promise<void> {
  const depth = random.integer(1, 40);
  switch (random.integer(1, 4)) {
    case 1:
      await chain.rpc('anvil_reorg', [depth, []]);
      return;
    case 2:
      await chain.rpc('anvil_rollback', [depth]);
      // The chain must stay longer than the deepest rollback.
      await chain.rpc('anvil_mine', [`0x${(depth + 1).toString(16)}`]);
      return;
    case 3:
      await chain.rpc('anvil_mine', [`0x${random.integer(1, 5).toString(16)}`]);
      return;
    default:
      await revertOrSnapshot();
  }
}

async function marketAtHead(): Promise<void> {
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 5) {
    const latest = await latestHead(rpc.request);
    if (follower.head()?.hash === latest.hash && follower.status().freshness.fresh) return;
    await sleep(5);
  }
  assert.fail(`The follower did not reach the chain's head (FC_SEED=${random.seed})`);
}

async function assertEqualsChain(): Promise<void> {
  const head = follower.head();
  assert.ok(head);
  const { pools } = await readMarket(marketSource(), head);
  const chainPools = pools.map(({ pool }) => pool).filter(isTradable);
  const byAddress = (a: { address: string }, b: { address: string }) => (a.address < b.address ? -1 : 1);
  assert.deepEqual([...follower.market.pools()].sort(byAddress), chainPools.sort(byAddress));
}

test(`after ${OPERATIONS} random operations the market equals the chain (FC_SEED=${random.seed})`, async () => {
  let succeeded = 0;
  for (let operation = 1; operation <= OPERATIONS; operation++) {
    if (random.integer(1, 8) === 1) await disturb();
    else if (await traffic.trade()) succeeded++;
    await canonical.note();
    if (random.integer(1, 4) > 1) continue;
    await marketAtHead();
    if (random.integer(1, 3) === 1) await assertEqualsChain();
  }
  await marketAtHead();
  await assertEqualsChain();
  const reorgs = events.flatMap((event) =>
    event.type === 'HEAD' && event.reorgDepth > 0 ? [event.reorgDepth] : [],
  );
  console.log(`${succeeded} transactions, reorgs of depth ${reorgs.sort((a, b) => a - b).join(' ')}`);
  assert.ok(succeeded > OPERATIONS / 2, `only ${succeeded} operations traded`);
  assert.ok(reorgs.length > 0 && Math.max(...reorgs) >= 20, 'no deep reorg happened');
  assert.deepEqual(
    events.filter(({ type }) => type === 'AUDIT_MISMATCH'),
    [],
  );
});

test('every block that the follower was at was canonical', async () => {
  await canonical.note();
  // Pushed heads may still arrive.
  await sleep(500);
  const heads = events.flatMap((event) => ('head' in event ? [event.head.hash] : []));
  assert.ok(heads.length > 100);
  assert.deepEqual(
    heads.filter((hash) => canonical.numberOf(hash) === undefined),
    [],
  );
});
