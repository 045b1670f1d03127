import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '@fairway/engine';
import { concat, type Hex, keccak256, numberToHex, pad } from 'viem';
import { numbered } from '../../test/arbitraryOrder.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { NodesDisagreeError, RpcAnswerError } from '../rpc/errors.ts';
import { createTokenSlots } from './tokenSlots.ts';

const blockHash = numberToHex(7, { size: 32 });
const token = numbered(0x31);
const storage = numbered(0x32);
const [owner, other, spender] = [numbered(0x41), numbered(0x42), numbered(0x43)];

type Override = Record<Address, { stateDiff: Record<Hex, Hex> }>;

/** A node whose token answers `scale` times the word at `key(owners)` and also reads another word. */
function nodeWith(
  key: (owners: readonly Hex[]) => Hex,
  scale = 1n,
): { request: RpcRequest; asked: string[] } {
  const asked: string[] = [];
  const request: RpcRequest = async ({ method, params = [] }) => {
    asked.push(method);
    const [{ data }, , overrides] = params as [{ data: Hex }, string, Override];
    const owners = (data.slice(10).match(/.{64}/g) ?? []).map((word): Hex => `0x${word}`);
    const noise = numberToHex(7n, { size: 32 });
    if (method === 'eth_createAccessList')
      return {
        accessList: [
          { address: token, storageKeys: [noise] },
          { address: storage, storageKeys: [key(owners)] },
        ],
      };
    const word = overrides[storage]?.stateDiff[key(owners)] ?? noise;
    return numberToHex(BigInt(word) * scale, { size: 32 });
  };
  return { request, asked };
}

function solidity(position: bigint): (owners: readonly Hex[]) => Hex {
  return (owners) =>
    owners.reduce<Hex>((at, word) => keccak256(concat([word, at])), numberToHex(position, { size: 32 }));
}

function vyper(position: bigint): (owners: readonly Hex[]) => Hex {
  return (owners) =>
    owners.reduce<Hex>((at, word) => keccak256(concat([at, word])), numberToHex(position, { size: 32 }));
}

for (const [language, layout] of Object.entries({ solidity, vyper }))
  test(`a ${language} mapping is learnt from one owner and computed for the next`, async () => {
    const { request, asked } = nodeWith(layout(51n));
    const slots = createTokenSlots(request);
    const words = [pad(owner), pad(other), pad(spender)] as const;
    assert.deepEqual(await slots.balance(blockHash, token, owner), {
      contract: storage,
      key: layout(51n)([words[0]]),
    });
    assert.deepEqual(await slots.allowance(blockHash, token, owner, spender), {
      contract: storage,
      key: layout(51n)([words[0], words[2]]),
    });
    const before = asked.length;
    assert.deepEqual(await slots.balance(blockHash, token, other), {
      contract: storage,
      key: layout(51n)([words[1]]),
    });
    assert.deepEqual(await slots.allowance(blockHash, token, other, spender), {
      contract: storage,
      key: layout(51n)([words[1], words[2]]),
    });
    assert.equal(asked.length, before);
    slots.forget(token);
    await slots.balance(blockHash, token, other);
    assert.ok(asked.length > before);
  });

test('a token with another layout is asked once for every owner', async () => {
  const { request, asked } = nodeWith((owners) => keccak256(concat(['0x1234', ...owners])));
  const slots = createTokenSlots(request);
  for (const holder of [owner, other])
    assert.deepEqual(await slots.balance(blockHash, token, holder), {
      contract: storage,
      key: keccak256(concat(['0x1234', pad(holder)])),
    });
  const before = asked.length;
  await slots.balance(blockHash, token, owner);
  await slots.balance(blockHash, token, other);
  assert.equal(asked.length, before);
});

test('a balance that is computed from a word has no slot to override', async () => {
  const slots = createTokenSlots(nodeWith(solidity(0n), 2n).request);
  assert.equal(await slots.balance(blockHash, token, owner), undefined);
});

test('nodes that contradict each other about a word are not a token without one', async () => {
  const { request } = nodeWith(solidity(2n));
  const failing =
    (error: Error): RpcRequest =>
    (call) =>
      call.method === 'eth_call' ? Promise.reject(error) : request(call);
  const disagreeing = createTokenSlots(failing(new NodesDisagreeError('eth_call', [])));
  await assert.rejects(disagreeing.balance(blockHash, token, owner), NodesDisagreeError);
  const reverting = createTokenSlots(failing(new RpcAnswerError(3, 'reverted', '0x')));
  assert.equal(await reverting.balance(blockHash, token, owner), undefined);
});

test('owners are remembered up to a number that holds for all tokens together', async () => {
  const scattered = keccak256('0x0b');
  const { request, asked } = nodeWith((owners) =>
    owners[0] === pad(owner) ? scattered : solidity(3n)(owners),
  );
  const slots = createTokenSlots(request);
  await slots.balance(blockHash, token, owner);
  for (let count = 1; count <= 20_000; count++)
    await slots.balance(blockHash, storage, numberToHex(count, { size: 20 }) as Address);
  const known = asked.length;
  await slots.balance(blockHash, token, owner);
  assert.ok(asked.length > known, 'the first owner is found again');
  await slots.balance(blockHash, storage, other);
  assert.equal(asked.filter((method) => method === 'eth_createAccessList').length, 3, 'layouts are kept');
});
