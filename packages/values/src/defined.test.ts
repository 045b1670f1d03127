import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defined } from './defined.ts';

/** Compiles only when both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** An intersection written as one object type. */
type Flat<T> = { [Name in keyof T]: T[Name] };

test('members that are undefined are left out, and all others are kept', () => {
  const given = { absent: undefined, no: false, none: null, zero: 0, empty: '' };
  assert.deepEqual(Object.entries(defined(given)), [
    ['no', false],
    ['none', null],
    ['zero', 0],
    ['empty', ''],
  ]);
  assert.deepEqual(defined({}), {});
  assert.ok('absent' in given, 'the object that was given stays as it is');
});

test('members that can be undefined become optional, and the others stay required', () => {
  const kept = defined({ code: 'A', reference: undefined as string | undefined });
  const same: Same<Flat<typeof kept>, { code: string; reference?: string }> = true;
  assert.ok(same);
  const spread: { readonly code: string; readonly reference?: string } = { ...kept };
  assert.deepEqual(spread, { code: 'A' });

  const optional: { a?: number; readonly b: bigint } = { b: 1n };
  const copy = defined(optional);
  const sameAgain: Same<Flat<typeof copy>, { a?: number; readonly b: bigint }> = true;
  assert.ok(sameAgain);
});

test('a member that a type requires cannot come from one that can be undefined', () => {
  const kept = defined({ code: undefined as string | undefined });
  const isAssignable: typeof kept extends { code: string } ? true : false = false;
  assert.ok(!isAssignable);
});
