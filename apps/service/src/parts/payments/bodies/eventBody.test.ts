import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedEvent } from '@fairway/plan';
import { eventBody } from './eventBody.ts';
import type { Chains } from './moneyBody.ts';

const LOWER = `0x${'ab'.repeat(20)}` as const;
const CHECKSUMMED = '0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB';
const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
/** A chain that has read one token. */
const CHAINS = new Map([
  [
    1,
    {
      chainId: 1,
      nativeSymbol: 'ETH',
      follower: { tokens: new Map([[LOWER, { symbol: 'ABC', decimals: 6 }]]) },
    },
  ],
]) as unknown as Chains;
const TX_HASH = `0x${'cd'.repeat(32)}` as const;

/** The members of an event in the form of the API. */
function dataOf(event: object): object {
  const recorded = { revision: 3, atMs: AT_MS, actor: 'cred_1', command: { type: 'ANY', ...event } };
  return eventBody(recorded as unknown as RecordedEvent, CHAINS).data;
}

test('events have EIP-55 addresses, assets in their shape and timestamps, at any depth', () => {
  const asset = { chainId: 1, address: LOWER };
  const shown = { chainId: 1, address: CHECKSUMMED, symbol: 'ABC', decimals: 6 };
  const transfer = { chainId: 1, txHash: TX_HASH, from: LOWER, to: LOWER, token: LOWER, blockTimeMs: AT_MS };
  const told = {
    chainId: 1,
    txHash: TX_HASH,
    from: CHECKSUMMED,
    to: CHECKSUMMED,
    asset: shown,
    blockTime: '2026-01-02T03:04:05.000Z',
  };
  assert.deepEqual(dataOf({ sender: LOWER, nonce: 4 }), { sender: CHECKSUMMED, nonce: 4 });
  assert.deepEqual(dataOf({ money: { amount: '5', asset }, transfer }), {
    money: { amount: '5', asset: shown },
    transfer: told,
  });
  assert.deepEqual(dataOf({ added: [transfer], evidence: { sender: LOWER, transfers: [transfer] } }), {
    added: [told],
    evidence: { sender: CHECKSUMMED, transfers: [told] },
  });
  assert.deepEqual(dataOf({ recipient: { type: 'wallet', address: LOWER } }), {
    recipient: { type: 'wallet', address: CHECKSUMMED },
  });
  assert.deepEqual(dataOf({ others: [{ position: 1, transfers: [transfer] }] }), {
    others: [{ position: 1, transfers: [told] }],
  });
});

test('what a caller wrote stays as it is, also where it looks like an address', () => {
  const data = { note: LOWER, providerReference: LOWER, failure: { code: 'X', message: LOWER } };
  assert.deepEqual(dataOf(data), data);
});

test('instructions and quotes are not part of an event, at any depth', () => {
  const forgotten = { instructions: [], quote: {}, minAmountOut: '9', notAfterMs: AT_MS };
  assert.deepEqual(dataOf({ instructions: [], quote: {}, forgotten }), {
    forgotten: { minAmountOut: '9', notAfter: '2026-01-02T03:04:05.000Z' },
  });
});
