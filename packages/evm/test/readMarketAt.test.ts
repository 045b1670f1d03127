// A market is read at exactly one block, whatever blocks came after it. When that is impossible, the reason is given.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FeePips, toAddress } from '@fairway/engine';
import { createRandom, createTraffic, startTestChain, type TestChain } from '@fairway/testing';
import { type BlockReading, readMarketAt } from '../src/market/readMarketAt.ts';
import { createChainRpc } from '../src/rpc/chainRpc.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { latestHead } from '../src/rpc/head.ts';
import { RpcAnswerError, RpcUnreachableError } from '../src/rpc/errors.ts';
import type { Head } from '../src/types.ts';

let chain: TestChain;
let request: RpcRequest;
let past: Head;

before(async () => {
  chain = await startTestChain();
  request = createChainRpc([chain.rpcUrl], 5000).request;
  past = await latestHead(request);
  const traffic = await createTraffic(chain, createRandom(11));
  for (let trade = 0; trade < 20; trade++) await traffic.trade();
});
after(() => chain?.close());

/** Reads at a block, asking through `asked`. */
async function readAt(blockHash: string | undefined, asked: RpcRequest = request): Promise<BlockReading> {
  const { v2Factory, v3Factory, multicall3, swapRouter02 } = chain.contracts;
  const feeTiers = [100, 500, 3000, 10_000] as FeePips[];
  const source = {
    request: asked,
    chainId: chain.chainId,
    multicall3: toAddress(multicall3),
    spender: toAddress(swapRouter02),
    tokens: chain.tokens.map(({ address }) => toAddress(address)),
    factories: [
      { kind: 'UNISWAP_V2', name: 'v2', address: toAddress(v2Factory), feePips: 3000 as FeePips },
      { kind: 'UNISWAP_V3', name: 'v3', address: toAddress(v3Factory), feeTiers },
    ] as const,
  };
  return readMarketAt(source, blockHash, () => {});
}

async function poolsAt(blockHash: string | undefined): Promise<string[]> {
  const reading = await readAt(blockHash);
  assert.ok(reading.ok);
  const text = (pool: unknown): string =>
    JSON.stringify(pool, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  return [...reading.market.pools()].map(text).sort();
}

test('a past block is read by its hash, and the latest block without a hash', async () => {
  const [then, now] = [await poolsAt(past.hash), await poolsAt(undefined)];
  assert.equal(then.length, chain.pools.length);
  assert.notDeepEqual(then, now);
  const head = await latestHead(request);
  assert.deepEqual(await poolsAt(head.hash), now);
  await chain.rpc('anvil_mine', ['0x1']);
  assert.deepEqual(await poolsAt(past.hash), then);
});

test('every read names the block by its hash and requires the block to be canonical', async () => {
  const blocks: unknown[] = [];
  const recording: RpcRequest = (call) => {
    if (call.method === 'eth_call' || call.method === 'eth_getCode') blocks.push(call.params?.[1]);
    return request(call);
  };
  assert.ok((await readAt(past.hash, recording)).ok);
  assert.ok(blocks.length > chain.pools.length / 2);
  for (const block of blocks) assert.deepEqual(block, { blockHash: past.hash, requireCanonical: true });
});

/** Asks the node, but answers as `answer` does where that gives something. */
function differing(answer: (method: string, params: readonly unknown[]) => unknown): RpcRequest {
  return async (call) => answer(call.method, call.params ?? []) ?? request(call);
}

const isPinned = (block: unknown): boolean => typeof block === 'object' && block !== null;
const missing = new RpcAnswerError(-32000, 'missing trie node 1a2b', undefined);

const refusals: [name: string, read: () => Promise<BlockReading>, expected: object][] = [
  ['a hash that no block has', () => readAt(`0x${'ab'.repeat(32)}`), { reason: 'BLOCK_UNKNOWN' }],
  [
    'a node of another chain',
    () =>
      readAt(
        undefined,
        differing((method) => (method === 'eth_chainId' ? '0x1' : undefined)),
      ),
    { reason: 'OTHER_CHAIN', chainId: 1n },
  ],
  [
    'a block that has been replaced',
    () =>
      readAt(
        past.hash,
        differing((method, [number]) =>
          method === 'eth_getBlockByNumber' && number === `0x${past.number.toString(16)}`
            ? chain.rpc('eth_getBlockByNumber', ['latest', false])
            : undefined,
        ),
      ),
    { reason: 'BLOCK_NOT_CANONICAL', blockNumber: 2n },
  ],
  [
    'a node that has dropped the state',
    () =>
      readAt(
        past.hash,
        differing((method, [, block]) => {
          if (method === 'eth_getCode' && isPinned(block)) throw missing;
          return undefined;
        }),
      ),
    { reason: 'STATE_UNAVAILABLE', blockNumber: 2n, detail: 'missing trie node 1a2b' },
  ],
  [
    'a node that refuses every call',
    () =>
      readAt(
        past.hash,
        differing((method) => {
          if (method === 'eth_getCode') throw new RpcAnswerError(-32_601, 'no such method', undefined);
          return undefined;
        }),
      ),
    { reason: 'NODE_REFUSES', detail: 'no such method' },
  ],
  [
    'a node that goes away midway',
    () =>
      readAt(
        past.hash,
        differing((method) => {
          if (method === 'eth_call') throw new RpcUnreachableError('timeout');
          return undefined;
        }),
      ),
    {
      reason: 'NODE_UNREACHABLE',
      detail:
        'The node gives no answer (timeout). Check that it runs, and that this machine reaches it under its configured URL.',
    },
  ],
  [
    'answers that make no sense',
    () =>
      readAt(
        past.hash,
        differing((method) => (method === 'eth_call' ? '0x1234' : undefined)),
      ),
    { reason: 'NODE_REFUSES' },
  ],
];

for (const [name, read, expected] of refusals) {
  test(`the market is refused without an error: ${name}`, async () => {
    const reading = await read();
    assert.ok(!reading.ok);
    assert.partialDeepStrictEqual(reading.refusal, expected);
  });
}

test('a block from before Multicall3 cannot be read', async () => {
  const { hash } = await chain.rpc<{ hash: string }>('eth_getBlockByNumber', ['0x0', false]);
  const reading = await readAt(hash);
  assert.deepEqual(reading, { ok: false, refusal: { reason: 'NO_MULTICALL', blockNumber: 0n } });
});
