import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Abi, decodeFunctionData as viemDecode, encodeFunctionData as viemEncode } from 'viem';
import { decodeFunctionData, encodeFunctionData } from './callData.ts';
import { MULTICALL_ABI, ROUTER_ABI } from '../venues/swapRouter02/abi.ts';
import { TOKEN_ABI } from './contractAbis.ts';

const WALLET = '0x00000000000000000000000000000000000000AA';

/** Functions with and without arguments, and two of one name. */
const CALLS: readonly { abi: Abi; functionName: string; args?: readonly unknown[] }[] = [
  { abi: ROUTER_ABI, functionName: 'sweepToken', args: [WALLET, 1n] },
  { abi: ROUTER_ABI, functionName: 'sweepToken', args: [WALLET, 1n, WALLET] },
  { abi: ROUTER_ABI, functionName: 'refundETH' },
  { abi: TOKEN_ABI, functionName: 'balanceOf', args: [WALLET] },
  { abi: MULTICALL_ABI, functionName: 'multicall', args: [5n, ['0x12']] },
];

test('calls are encoded and decoded as viem does it, the first time and again', () => {
  for (const call of [...CALLS, ...CALLS]) {
    const data = encodeFunctionData(call);
    assert.equal(data, viemEncode(call));
    assert.deepEqual(decodeFunctionData({ abi: call.abi, data }), viemDecode({ abi: call.abi, data }));
  }
});

test('a function that an ABI does not have, and data that are none, throw as with viem', () => {
  const unknown = { abi: TOKEN_ABI as Abi, functionName: 'nothing' };
  assert.throws(() => encodeFunctionData(unknown), /nothing/);
  for (const data of ['0x', '0x12345678', '0x70a08231', '0x70a0823112'] as const)
    assert.throws(() => decodeFunctionData({ abi: TOKEN_ABI, data }));
});
