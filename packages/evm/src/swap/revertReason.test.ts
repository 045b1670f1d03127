import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeErrorResult, parseAbi } from 'viem';
import { revertReason } from './revertReason.ts';

const ABI = parseAbi(['error Error(string)', 'error Panic(uint256)', 'error Paused(address)']);

function thrown(text: string): `0x${string}` {
  return encodeErrorResult({ abi: ABI, errorName: 'Error', args: [text] });
}

test('the reason of a revert is the text of the contract', () => {
  assert.equal(revertReason(thrown('Too little received')), 'Too little received');
  assert.equal(
    revertReason(encodeErrorResult({ abi: ABI, errorName: 'Panic', args: [0x11n] })),
    'panic 0x11',
  );
  const custom = encodeErrorResult({ abi: ABI, errorName: 'Paused', args: [`0x${'11'.repeat(20)}`] });
  assert.equal(revertReason(custom), `custom error ${custom.slice(0, 10)}`);
});

test('a revert without readable data has no reason', () => {
  for (const data of [undefined, null, '0x', 'nonsense', '0x1', thrown('')])
    assert.equal(revertReason(data), 'the call reverted without a reason');
  assert.equal(revertReason('0x08c379a0ff'), 'custom error 0x08c379a0');
});

test('a hostile reason is cut short and stripped of control characters', () => {
  assert.equal(revertReason(thrown(`a\r\nb\u202e${'x'.repeat(1000)}`)).length, 200);
  assert.match(revertReason(thrown('a\r\nb\u202ec')), /^abc$/);
});

test('a reason of megabytes is not decoded', () => {
  assert.match(revertReason(thrown('x'.repeat(5000))), /too long to be read$/);
  assert.match(revertReason(`0x${'f'.repeat(8_000_001)}`), /too long to be read$/);
});

test('a reason is never cut within a character', () => {
  const reason = revertReason(thrown(`${'x'.repeat(199)}${'😀'.repeat(9)}`));
  assert.equal(reason, `${'x'.repeat(199)}😀`);
});
