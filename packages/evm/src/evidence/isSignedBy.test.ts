import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '@fairway/engine';
import type { RpcCall } from '../rpc/endpoint.ts';
import { RpcAnswerError } from '../rpc/errors.ts';
import { isSignedBy } from './isSignedBy.ts';

const asked: RpcCall[] = [];
const isTaken = (answer: string | Error) =>
  isSignedBy(
    async (call) => {
      asked.push(call);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    `0x${'1'.repeat(64)}`,
    { account: `0x${'2'.repeat(40)}` as Address, text: 'mine', signature: '0x1234' },
  );

test('a contract wallet takes a signature with the one answer of EIP-1271, and with bounded gas', async () => {
  const word = `0x1626ba7e${'0'.repeat(56)}`;
  assert.equal(await isTaken(word), true);
  for (const other of [`0x${'f'.repeat(64)}`, '0x', `${word}00`]) assert.equal(await isTaken(other), false);
  for (const { params: [call] = [] } of asked)
    assert.ok(Number((call as { readonly gas: string }).gas) <= 5_000_000);
});

test('a contract that fails has not taken a signature, however nodes say that', async () => {
  const refusals = [
    [3, 'execution reverted', '0x'],
    [-32_000, 'invalid opcode: INVALID', undefined],
    [-32_003, 'EVM error InvalidFEOpcode', undefined],
    [-32_000, 'out of gas', undefined],
    [-32_003, 'EVM error OutOfGas', undefined],
  ] as const;
  for (const [code, message, data] of refusals)
    assert.equal(await isTaken(new RpcAnswerError(code, message, data)), false, message);
  for (const message of ['header not found', 'execution aborted (timeout = 5s)'])
    await assert.rejects(isTaken(new RpcAnswerError(-32_000, message, undefined)), RpcAnswerError);
});
