import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf, type Corridor } from '@fairway/plan';
import type { Corridors } from '../corridors/corridors.ts';
import { judgeRequest } from './judgeRequest.ts';
import type { PaymentRequest } from '../paymentRequest.ts';

/** From 1 to 10,000,000 of a token with 6 decimals. */
const CORRIDOR = {
  id: 'wide',
  status: 'ACTIVE',
  modes: ['STANDARD'],
  recipientTypes: ['bank'],
  minAmountIn: amountOf(10n ** 6n),
  maxAmountIn: amountOf(10n ** 13n),
} as unknown as Corridor;
const corridors = {
  find: () => CORRIDOR,
  list: () => [{ corridor: CORRIDOR, sourceToken: { symbol: 'USDC', decimals: 6 } }],
} as unknown as Corridors;

function suggested(amountIn: bigint): readonly string[] | undefined {
  const request = {
    corridorId: CORRIDOR.id,
    amountIn: amountOf(amountIn),
    mode: 'STANDARD',
    recipient: { type: 'bank' },
  } as unknown as PaymentRequest;
  const judged = judgeRequest(request, corridors);
  assert.ok(!judged.ok && judged.problem.code === 'amount-out-of-range');
  return judged.problem.errors?.[0]?.suggestions;
}

test('an amount far outside the limits gets the one that was probably meant, within them', () => {
  assert.deepEqual(suggested(10n ** 21n), ['1000000000']);
  assert.deepEqual(suggested(2_000n), ['2000000000']);
});

test('an amount near a limit is what was meant, and so is one that fits in no reading', () => {
  for (const amountIn of [999_999n, 500_000n, 10n ** 13n + 1n, 10n ** 26n])
    assert.equal(suggested(amountIn), undefined, String(amountIn));
});
