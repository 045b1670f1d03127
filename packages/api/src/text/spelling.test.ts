import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meantName } from './spelling.ts';

const FIELDS = ['clientReference', 'amountIn', 'slippageBps', 'minAmountOut', 'outcome', 'metadata'];

test('a name is meant that was misspelt, shortened, or is called otherwise elsewhere', () => {
  for (const [given, meant] of [
    ['slipageBps', 'slippageBps'],
    ['slippage', 'slippageBps'],
    ['reference', 'clientReference'],
    ['status', 'outcome'],
    ['memo', 'metadata'],
  ] as const)
    assert.equal(meantName(given, FIELDS), meant, given);
});

test('nothing is meant by a name that fits none, or two', () => {
  assert.equal(meantName('slip', FIELDS), undefined);
  assert.equal(meantName('constructor', FIELDS), undefined);
  assert.equal(meantName('memo', ['outcome']), undefined);
  assert.equal(meantName('reference', ['clientReference', 'providerReference']), undefined);
});
