// A listed token can do what it likes when it is read. It is left out or shown, and every other token is read as it
// is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, type FeePips, toAddress } from '@fairway/engine';
import { HOSTILE_LISTINGS, putHostileListing } from '@fairway/testing';
import { readMarket } from '../src/market/reading.ts';
import { readTokens } from '../src/market/tokenReader.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { latestHead } from '../src/rpc/head.ts';
import { createBatchRead } from '../src/rpc/multicall.ts';
import { RpcAnswerError } from '../src/rpc/errors.ts';
import { useTestChain } from './chainOfTest.ts';

const started = useTestChain();

const addressOf = (number: number): Address =>
  toAddress(`0x${(0xbad0000 + number).toString(16).padStart(40, '0')}`);

/** What is shown of each hostile token; undefined where it is left out. */
const SHOWN: Readonly<Record<(typeof HOSTILE_LISTINGS)[number], string | undefined>> = {
  'symbol() is invalid': undefined,
  'everything is invalid': undefined,
  'name() never ends': undefined,
  'symbol() is as long as gas allows': undefined,
  'symbol() reverts with as much as gas allows': undefined,
  'symbol() and name() are bytes32': 'MKR, Maker',
  'symbol() is in no encoding': '\ufffdA\ufffd\ufffd, Hostile',
  'symbol() is empty': '0x000000, Hostile',
  'everything reverts': undefined,
  'decimals() are 300': undefined,
  'symbol() is longer than its answer': '0x000000, Hostile',
  'name() ends within a surrogate pair': `HOST, ${'a'.repeat(63)}😀`,
};

/** Puts every hostile token onto the chain, between tokens that answer, and gives all addresses. */
async function listed(): Promise<Address[]> {
  const { chain } = started;
  const good = chain.tokens.map(({ address }) => toAddress(address));
  const hostile = HOSTILE_LISTINGS.map((_, index) => addressOf(index));
  for (const [index, hostility] of HOSTILE_LISTINGS.entries())
    await putHostileListing(chain.rpc, addressOf(index), hostility);
  return [...hostile.slice(0, 6), ...good, ...hostile.slice(6), addressOf(99)];
}

async function readAll(request: RpcRequest, addresses: readonly Address[]) {
  const { hash } = await latestHead(started.rpc.request);
  return readTokens(createBatchRead(request, toAddress(started.chain.contracts.multicall3), hash), addresses);
}

function assertIsolated({ tokens, leftOut }: Awaited<ReturnType<typeof readTokens>>): void {
  const shown = new Map(tokens.map(({ address, symbol, name }) => [address, `${symbol}, ${name}`]));
  for (const [index, hostility] of HOSTILE_LISTINGS.entries()) {
    assert.equal(shown.get(addressOf(index)), SHOWN[hostility], hostility);
    const reason = leftOut.find(({ address }) => address === addressOf(index))?.reason;
    assert.equal(reason === undefined, SHOWN[hostility] !== undefined, hostility);
  }
  for (const { name, symbol } of tokens) assert.ok(name.isWellFormed() && symbol.isWellFormed());
  for (const { address, symbol, name } of started.chain.tokens)
    assert.equal(shown.get(toAddress(address)), `${symbol}, ${name}`);
  assert.match(leftOut.find(({ address }) => address === addressOf(99))?.reason ?? '', /there is no token/);
}

test('hostile tokens are left out with a reason, in one request', async () => {
  const addresses = await listed();
  let requests = 0;
  const read = await readAll((call) => {
    requests += 1;
    return started.rpc.request(call);
  }, addresses);
  assertIsolated(read);
  assert.equal(requests, 1);
});

test('a node without state overrides is asked in halves, with the same result', async () => {
  const addresses = await listed();
  let requests = 0;
  const refusing: RpcRequest = async (call) => {
    requests += 1;
    if (call.params?.length === 3) throw new RpcAnswerError(-32602, 'too many arguments', undefined);
    return started.rpc.request(call);
  };
  const read = await readAll(refusing, addresses);
  assertIsolated(read);
  assert.deepEqual(read, await readAll(started.rpc.request, addresses));
  const [reads, failing] = [3 * addresses.length, 13];
  const most = 1 + 2 * (1 + failing * 2 * Math.ceil(Math.log2(reads)));
  assert.ok(requests <= most, `${requests} requests for ${reads} reads, ${failing} of which fail`);
});

test('without overrides, too, a read fails for its own contract alone', async () => {
  await listed();
  const { hash } = await latestHead(started.rpc.request);
  const refusing: RpcRequest = async (call) => {
    if (call.params?.length === 3) throw new RpcAnswerError(-32602, 'too many arguments', undefined);
    return started.rpc.request(call);
  };
  const read = createBatchRead(refusing, toAddress(started.chain.contracts.multicall3), hash);
  for (const count of [10, 20, 40, 80, 160, 320]) {
    const targets = Array.from({ length: count }, () => toAddress(started.chain.tokens[0]?.address ?? ''));
    const [burnt, ...answers] = await read(
      [addressOf(0), ...targets].map((target) => ({ target, callData: '0x95d89b41' })),
    );
    assert.equal(burnt, undefined);
    assert.equal(new Set(answers).size, 1);
    assert.ok(answers[0]);
  }
});

test('reads that all take their gas are asked in as many requests as that needs, each once', async () => {
  await listed();
  const { hash } = await latestHead(started.rpc.request);
  const sizes: number[] = [];
  const request: RpcRequest = (call) => {
    const [{ data }] = call.params as [{ data: string }];
    sizes.push(Number.parseInt(data.slice(74, 138), 16));
    return started.rpc.request(call);
  };
  const read = createBatchRead(request, toAddress(started.chain.contracts.multicall3), hash);
  const answers = await read(
    Array.from({ length: 120 }, () => ({ target: addressOf(1), callData: '0x95d89b41' as const })),
  );
  assert.deepEqual(
    answers,
    answers.map(() => undefined),
  );
  assert.deepEqual(sizes, [120, 71, 22]);
});

test('a node that has dropped the block is an error, not a market without tokens', async () => {
  const addresses = await listed();
  let requests = 0;
  const gone: RpcRequest = async () => {
    requests += 1;
    throw new RpcAnswerError(-32000, 'header not found', undefined);
  };
  await assert.rejects(readAll(gone, addresses), /header not found/);
  assert.equal(requests, 3);
});

test('a market with hostile tokens has every pool of the others', async () => {
  const { chain, rpc } = started;
  const addresses = await listed();
  const { v2Factory, v3Factory, multicall3 } = chain.contracts;
  const feeTiers = [100, 500, 3000, 10_000] as FeePips[];
  const { pools, leftOut } = await readMarket(
    {
      request: rpc.request,
      multicall3: toAddress(multicall3),
      tokens: addresses,
      factories: [
        { kind: 'UNISWAP_V2', name: 'v2', address: toAddress(v2Factory), feePips: 3000 as FeePips },
        { kind: 'UNISWAP_V3', name: 'v3', address: toAddress(v3Factory), feeTiers },
      ],
    },
    await latestHead(rpc.request),
  );
  assert.equal(pools.length, chain.pools.length);
  assert.equal(leftOut.length, Object.values(SHOWN).filter((shown) => shown === undefined).length + 1);
});
