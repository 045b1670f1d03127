// A node whose Multicall3 lets one read take the gas of those behind it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toAddress } from '@fairway/engine';
import { decodeFunctionData, encodeFunctionResult, multicall3Abi } from 'viem';
import type { RpcRequest } from './endpoint.ts';
import { createBatchRead } from './multicall.ts';
import { RpcAnswerError } from './errors.ts';

const [MULTICALL3, BURNER] = [toAddress(`0x${'ca'.repeat(20)}`), toAddress(`0x${'bb'.repeat(20)}`)];

test('a read that failed behind another one is read again before it counts as failed', async () => {
  const request: RpcRequest = async ({ params = [] }) => {
    const [{ data }, , overrides] = params as [{ data: `0x${string}` }, unknown, unknown];
    if (overrides !== undefined) throw new RpcAnswerError(-32602, 'too many arguments', undefined);
    let isBurnt = false;
    const result = decodeFunctionData({ abi: multicall3Abi, data }).args?.[0] as readonly {
      target: string;
    }[];
    const answers = result.map(({ target }) => {
      isBurnt ||= target.toLowerCase() === BURNER;
      return { success: !isBurnt, returnData: isBurnt ? '0x' : '0x01' } as const;
    });
    return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: answers });
  };
  const targets = Array.from({ length: 20 }, (_, index) =>
    index === 7 ? BURNER : toAddress(`0x${(index + 1).toString(16).padStart(40, '0')}`),
  );
  const read = createBatchRead(request, MULTICALL3, `0x${'00'.repeat(32)}`);
  const answers = await read(targets.map((target) => ({ target, callData: '0x95d89b41' })));
  assert.deepEqual(
    answers,
    targets.map((target) => (target === BURNER ? undefined : '0x01')),
  );
});
