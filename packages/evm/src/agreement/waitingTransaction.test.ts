// A transaction that waits to be mined: no node's word about its content is ever believed, but only what its hash proves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTransaction } from '../evidence/readTransaction.ts';
import { keccak256, parseTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { ChainRpc } from '../rpc/chainRpc.ts';
import { createAgreedRpc } from './agreedRpc.ts';

const word = (digits: string): `0x${string}` => `0x${digits.padStart(64, '0')}`;
const account = (digit: string): `0x${string}` => `0x${digit.repeat(40)}`;
const TX_HASH = word('ab');
const BLOCK = {
  ...{ number: '0x7', hash: word('7'), parentHash: word('6') },
  ...{ timestamp: '0x64', baseFeePerGas: '0x7' },
};
const PLACE = { blockHash: BLOCK.hash, blockNumber: BLOCK.number };
const TRUE = { from: account('1'), to: account('2'), input: '0x2222', nonce: '0x1', value: '0x0' };
const INVENTED = { ...TRUE, from: account('8'), to: account('9'), input: '0x9999', nonce: '0x9' };
const RECEIPT = { ...PLACE, transactionHash: TX_HASH, status: '0x1', logs: [] };

/** A node that answers nothing of the transaction but what it has waiting. */
function waitingAt(answer: object | null): ChainRpc {
  return {
    request: async ({ method }) => (method === 'eth_getTransactionByHash' ? answer : null),
    subscribeHeads: async () => ({ state: 'IMPOSSIBLE' }),
    close() {},
  };
}

/** A node that has the transaction mined, or waiting, and its receipt in either case. */
function nodeWith(posted: object, state: 'MINED' | 'WAITING'): ChainRpc {
  const place = state === 'MINED' ? PLACE : { blockHash: null, blockNumber: null };
  const answers: Readonly<Record<string, unknown>> = {
    eth_getTransactionByHash: { ...posted, ...place, hash: TX_HASH },
    eth_getTransactionReceipt: RECEIPT,
    eth_getBlockByNumber: BLOCK,
  };
  return {
    request: async ({ method }) => answers[method],
    subscribeHeads: async () => ({ state: 'IMPOSSIBLE' }),
    close() {},
  };
}

function requestOf(...nodes: readonly ChainRpc[]) {
  const named = nodes.map((rpc, index) => ({ name: `node-${index}`, rpc }));
  return createAgreedRpc({ nodes: named, agreement: 2, onEvent: () => {} }).request;
}

test('what one node invents of a waiting transaction is not joined to the agreed receipt', async () => {
  const liar = nodeWith(INVENTED, 'WAITING');
  const behind = nodeWith(TRUE, 'WAITING');
  const honest = nodeWith(TRUE, 'MINED');
  for (const nodes of [
    [liar, behind, honest],
    [behind, liar, honest],
    [liar, honest, behind],
  ])
    assert.deepEqual(await readTransaction(requestOf(...nodes), TX_HASH), { found: 'PENDING' });
});

test('a mined transaction has the content that enough nodes say, whatever the liar calls waiting', async () => {
  const { from, to, input } = TRUE;
  const request = requestOf(nodeWith(INVENTED, 'WAITING'), nodeWith(TRUE, 'MINED'), nodeWith(TRUE, 'MINED'));
  const reading = await readTransaction(request, TX_HASH);
  assert.partialDeepStrictEqual(reading, { found: 'MINED', sender: from, to, input, nonce: 1 });
});

test('of a waiting transaction, the nodes hand on nothing but that it waits', async () => {
  const request = requestOf(nodeWith(INVENTED, 'WAITING'), nodeWith(TRUE, 'WAITING'));
  assert.deepEqual(await request({ method: 'eth_getTransactionByHash', params: [TX_HASH] }), {
    hash: TX_HASH,
    blockHash: null,
  });
});

test('what the hash of a waiting transaction proves is read, whichever node has it', async () => {
  const account = privateKeyToAccount(word('5'));
  const gasPrice = 9n;
  const content = {
    to: TRUE.to,
    data: '0x2222',
    nonce: 1,
    value: 0n,
    gas: 21_000n,
    gasPrice,
    chainId: 1,
  } as const;
  const signed = { ...content, type: 'legacy' } as const;
  const raw = await account.signTransaction(signed);
  const { r, s, v } = parseTransaction(raw);
  const hash = keccak256(raw);
  const numbers = { gas: '0x5208', gasPrice: '0x9', chainId: '0x1', type: '0x0', v: `0x${v?.toString(16)}` };
  const told = { ...TRUE, ...numbers, r, s, hash, from: account.address, blockHash: null };
  const honest = waitingAt(told);
  const liar = waitingAt({ ...told, nonce: '0x9', from: account.address });
  const without = waitingAt(null);
  for (const nodes of [
    [liar, honest],
    [honest, liar],
    [without, honest],
    [honest, without],
  ]) {
    const { from: _from, ...posted } = {
      ...TRUE,
      sender: account.address.toLowerCase(),
      nonce: 1,
      value: 0n,
    };
    assert.deepEqual(await readTransaction(requestOf(...nodes), hash), { found: 'PENDING', posted });
  }
  assert.deepEqual(await readTransaction(requestOf(liar, without), hash), { found: 'PENDING' });
});
