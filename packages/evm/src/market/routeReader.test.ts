import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FeePips, type Pool, toAddress, type V2Pool } from '@fairway/engine';
import { encodeAbiParameters, encodeFunctionResult, multicall3Abi } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { NodesDisagreeError, RpcAnswerError } from '../rpc/errors.ts';
import { createRouteReader, type KeptRoute } from './routeReader.ts';

const address = (digits: string) => toAddress(`0x${digits.repeat(20)}`);
const word = (digit: string) => `0x${digit.repeat(64)}` as const;
const [IN, MIDDLE, OUT, FIRST, SECOND] = ['01', '02', '03', '0a', '0b'].map(address) as [
  V2Pool['address'],
  V2Pool['address'],
  V2Pool['address'],
  V2Pool['address'],
  V2Pool['address'],
];

/** A pair as it is followed now: its reserves are not those that are read. */
function pairOf(pair: V2Pool['address'], token0: V2Pool['address'], token1: V2Pool['address']): Pool {
  const identity = { kind: 'UNISWAP_V2', address: pair, source: 'v2', tokens: [token0, token1] } as const;
  return { ...identity, feePips: 3000 as FeePips, reserve0: 1n, reserve1: 1n };
}
const POOLS = new Map([
  [FIRST, pairOf(FIRST, IN, MIDDLE)],
  [SECOND, pairOf(SECOND, MIDDLE, OUT)],
]);
/** The second path starts from what the first leaves. */
const ROUTE: KeptRoute = {
  tokenIn: IN,
  tokenOut: OUT,
  paths: [
    { pools: [FIRST, SECOND], amountIn: 10_000n },
    { pools: [FIRST, SECOND], amountIn: 5_000n },
  ],
};
const EXECUTED_IN = word('b');

/** A node with reserves at the parent of one block, and how often it was asked. */
function node(answers: Readonly<Record<string, () => unknown>> = {}) {
  const asked: string[] = [];
  const reserves = [
    { success: true, returnData: reservesOf(1_000_000n, 2_000_000n) },
    { success: true, returnData: reservesOf(3_000_000n, 1_500_000n) },
  ];
  const request: RpcRequest = async ({ method, params = [] }) => {
    asked.push(method);
    const told = answers[method];
    if (told !== undefined) return told();
    if (method === 'eth_getBlockByHash') return params[0] === EXECUTED_IN ? HEADER : null;
    assert.deepEqual(params[1], { blockHash: HEADER.parentHash });
    return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: reserves });
  };
  return { request, asked };
}

const HEADER = {
  ...{ number: '0x2', hash: EXECUTED_IN, parentHash: word('a'), timestamp: '0x1', baseFeePerGas: '0x1' },
};

function reservesOf(reserve0: bigint, reserve1: bigint): `0x${string}` {
  const types = [{ type: 'uint112' }, { type: 'uint112' }, { type: 'uint32' }] as const;
  return encodeAbiParameters(types, [reserve0, reserve1, 7]);
}

const readerOf = (request: RpcRequest, pools: ReadonlyMap<string, Pool> = POOLS) =>
  createRouteReader({ request, multicall3: address('0c'), pool: (each) => pools.get(each), timeoutMs: 50 });

test('a route brings what its paths bring one after the other at the block before', async () => {
  const { request, asked } = node();
  const pay = (amount: bigint, [given, taken]: readonly [bigint, bigint]) =>
    (amount * 997n * taken) / (given * 1000n + amount * 997n);
  const middle = [pay(10_000n, [1_000_000n, 2_000_000n])];
  middle.push(pay(5_000n, [1_010_000n, 2_000_000n - (middle[0] ?? 0n)]));
  const [first = 0n, second = 0n] = middle;
  const brought = pay(first, [3_000_000n, 1_500_000n]);
  const rest = pay(second, [3_000_000n + first, 1_500_000n - brought]);
  assert.equal(await readerOf(request)(EXECUTED_IN, ROUTE), brought + rest);
  assert.deepEqual(asked, ['eth_getBlockByHash', 'eth_call'], 'two calls for any number of pairs');
});

test('a route that cannot be told is unknown, whatever the node does', async () => {
  const fail = (error: Error) => () => {
    throw error;
  };
  const answers: readonly Readonly<Record<string, () => unknown>>[] = [
    { eth_getBlockByHash: () => null },
    { eth_getBlockByHash: () => 'nonsense' },
    { eth_call: fail(new RpcAnswerError(-32_000, 'missing trie node', undefined)) },
    { eth_call: fail(new NodesDisagreeError('eth_call', [])) },
    { eth_call: () => '0x' },
    { eth_call: () => '0x1234' },
    { eth_call: () => new Promise(() => undefined) },
    { eth_getBlockByHash: () => new Promise(() => undefined) },
  ];
  for (const each of answers) assert.equal(await readerOf(node(each).request)(EXECUTED_IN, ROUTE), undefined);
  const { request, asked } = node();
  const none = new Map([[FIRST, POOLS.get(FIRST) ?? assert.fail()]]);
  assert.equal(await readerOf(request, none)(EXECUTED_IN, ROUTE), undefined);
  assert.deepEqual(asked, [], 'of a pool that is not followed nobody is asked');
  for (const odd of [{ tokenOut: MIDDLE }, { tokenIn: OUT }, { paths: [] }])
    assert.equal(await readerOf(request)(EXECUTED_IN, { ...ROUTE, ...odd }), undefined);
});
