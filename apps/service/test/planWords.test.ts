// Sentences that move money name the chain, the symbol and the amount, also where rules refuse something.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Amount, PLAIN_WORDS } from '@fairway/plan';
import type { ChainService } from '../src/platform/chains/chainService.ts';
import { inWords, planWords } from '../src/parts/payments/planWords.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';

/** A chain that lists USDC at the same address as the other one. */
function chainNamed(name: string, nativeSymbol: string): ChainService {
  const tokens = new Map([[USDC, { symbol: 'USDC', decimals: 6 }]]);
  return { name, nativeSymbol, follower: { tokens } } as unknown as ChainService;
}
const chains = new Map([
  [8453, chainNamed('Base', 'ETH')],
  [137, chainNamed('Polygon', 'POL')],
]);

function told(amount: Amount, chainId: number, address: `0x${string}`): string {
  const plain = PLAIN_WORDS.amount(amount, { chainId, address });
  const detail = `Send ${plain} back.`;
  const problem = inWords(chains, { code: 'step-not-ready', detail, errors: [{ pointer: '', detail }] });
  assert.equal(problem.errors?.[0]?.detail, problem.detail);
  return problem.detail;
}

test('a refusal names symbol and chain, also of a token that two chains have at one address', () => {
  const units = '(1500000 units of 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48)';
  assert.equal(told('1500000' as Amount, 8453, USDC), `Send 1.5 USDC on Base ${units} back.`);
  assert.equal(told('1500000' as Amount, 137, USDC), `Send 1.5 USDC on Polygon ${units} back.`);
});

test('a refusal names the native currency of its chain', () => {
  const wei = '1000000000000000000' as Amount;
  assert.equal(told(wei, 137, NATIVE), `Send 1 POL on Polygon (${wei} wei) back.`);
  assert.equal(
    told(wei, 10, NATIVE),
    `Send ${wei} units of 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE on chain 10 back.`,
  );
});

test('a refusal writes currencies as people do, and in the minor units of requests', () => {
  const inCurrency = (amount: string, currency: string) =>
    planWords(chains).amount(amount as Amount, { currency });
  assert.equal(inCurrency('84001', 'PHP'), '840.01 PHP (84001 minor units)');
  assert.equal(inCurrency('1', 'EUR'), '0.01 EUR (1 minor unit)');
  assert.equal(inCurrency('1500', 'JPY'), '1500 JPY (1500 minor units)');
  assert.equal(inCurrency('12', 'BHD'), '0.012 BHD (12 minor units)');
});
