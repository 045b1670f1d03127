import assert from 'node:assert/strict';
import { test } from 'node:test';
import { corridor, newPlan, planMaking, planRequest } from '../../test/plans.ts';
import { amountOf } from './amount.ts';
import {
  type Corridor,
  type CorridorAsk,
  dustBelow,
  recipientTypesOf,
  refuseByCorridor,
} from './corridor.ts';
import { createPlan } from '../plan/createPlan.ts';

const ask: CorridorAsk = { mode: 'STANDARD', recipientType: 'bank', amountIn: amountOf(1_000n) };

function refusal(changes: Partial<CorridorAsk>, of: Partial<Corridor> = {}) {
  return refuseByCorridor({ ...corridor, ...of }, { ...ask, ...changes });
}

test('a corridor takes a request that fits it', () => {
  assert.equal(refusal({}), undefined);
  assert.equal(refusal({ recipientType: 'wallet' }), undefined);
  assert.equal(refusal({ mode: 'DIGITAL_COLLECT', recipientType: 'email' }), undefined);
});

test('a suspended corridor refuses every request as suspended, whatever else is wrong with it', () => {
  const suspended = { reason: 'CORRIDOR_SUSPENDED' };
  assert.deepEqual(refusal({}, { status: 'SUSPENDED' }), suspended);
  const wrong = { recipientType: 'emoney', amountIn: amountOf(1n) } as const;
  assert.deepEqual(refusal(wrong, { status: 'SUSPENDED', modes: [] }), suspended);
});

test('a corridor refuses a mode that is not one of its modes', () => {
  const asked = { mode: 'DIGITAL_COLLECT', recipientType: 'email' } as const;
  assert.deepEqual(refusal(asked, { modes: ['STANDARD'] }), {
    reason: 'MODE_NOT_SUPPORTED',
    modes: ['STANDARD'],
  });
});

test('DIGITAL_COLLECT takes e-mail recipients alone, and STANDARD takes all other kinds', () => {
  const open: Corridor = { ...corridor, recipientTypes: ['bank', 'email', 'wallet'] };
  assert.deepEqual(recipientTypesOf(open, 'STANDARD'), ['bank', 'wallet']);
  assert.deepEqual(recipientTypesOf(open, 'DIGITAL_COLLECT'), ['email']);
  assert.deepEqual(recipientTypesOf(corridor, 'DIGITAL_COLLECT'), ['email']);
  const notTaken = (recipientTypes: readonly string[]) => ({
    reason: 'RECIPIENT_TYPE_NOT_SUPPORTED',
    recipientTypes,
  });
  assert.deepEqual(refusal({ recipientType: 'email' }, open), notTaken(['bank', 'wallet']));
  assert.deepEqual(refusal({ recipientType: 'emoney' }), notTaken(['bank', 'wallet']));
  for (const recipientType of ['bank', 'wallet', 'emoney'] as const)
    assert.deepEqual(refusal({ mode: 'DIGITAL_COLLECT', recipientType }), notTaken(['email']));
});

test('a corridor takes amounts from its minimum to its maximum, both included', () => {
  const outOfRange = { reason: 'AMOUNT_OUT_OF_RANGE', minAmountIn: '10', maxAmountIn: '1000000' };
  const told = [0n, 9n, 10n, 1_000_000n, 1_000_001n, 2n ** 256n - 1n].map((units) =>
    refusal({ amountIn: amountOf(units) }),
  );
  assert.deepEqual(told, [outOfRange, outOfRange, undefined, undefined, outOfRange, outOfRange]);
});

test('a plan is not made where the corridor refuses', () => {
  const created = createPlan({ ...corridor, status: 'SUSPENDED' }, planRequest(), planMaking());
  assert.deepEqual(created, { ok: false, refusal: { reason: 'CORRIDOR_SUSPENDED' } });
  const small = createPlan(corridor, planRequest({ amountIn: amountOf(9n) }), planMaking());
  assert.equal(!small.ok && small.refusal.reason, 'AMOUNT_OUT_OF_RANGE');
});

test('less than a thousandth of what a plan takes is dust', () => {
  const dustOf = (amount: bigint) => dustBelow(newPlan({ amountIn: amountOf(amount) }));
  assert.deepEqual([1_000n, 999n, 123_456n].map(dustOf), ['1', '0', '123']);
});
