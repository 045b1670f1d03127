// What a field or a name is refused with says what to send instead.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountField, bodyFields, type FieldReader, type Fields, innerFields, required } from './fields.ts';
import { bpsField } from './bpsField.ts';

const detailsOf = ({ errors }: Fields) => errors.map(({ detail }) => detail);

/** Why a value of a field is refused, and what was probably meant. */
function refusalOf(given: string, field: FieldReader<unknown>) {
  const fields = bodyFields({ given }, ['given']);
  assert.equal(required(fields, 'given', field), undefined, given);
  return fields.errors[0] ?? assert.fail();
}

test('an amount with too many digits is told the most', () => {
  for (const given of ['9'.repeat(78), '1'.repeat(79), '1'.repeat(81), '1'.repeat(5000)])
    assert.match(
      refusalOf(given, amountField).detail,
      /^given must be at most 2\^256-1, which has 78 digits; /,
    );
  assert.match(refusalOf(`0${'1'.repeat(81)}`, amountField).detail, /without sign, point or leading zeros/);
});

test('a share in percent is refused with its basis points, however it is written', () => {
  for (const [given, ...meant] of [
    ['.5', '50'],
    ['0,5', '50'],
    ['0,5 %', '50'],
    ['1%', '100'],
    ['10 %', '1000'],
    ['50%', '50', '5000'],
    ['60%', '60'],
  ] as const)
    assert.deepEqual(refusalOf(given, bpsField({ minimum: 0, maximum: 5000 })).suggestions, meant, given);
  for (const given of ['.', '5 percent', '%', '1,2,3'])
    assert.equal(refusalOf(given, bpsField({ minimum: 0, maximum: 5000 })).suggestions, undefined, given);
});

test('an unknown name is refused with a name that was meant, or with all there are', () => {
  const options = { memo: 'x', size: '1' };
  const body = { slippageTolerance: '50', maxSlippageBps: '50', colour: 'x', options };
  const fields = bodyFields(body, ['amount', 'slippageBps', 'metadata', 'options']);
  innerFields(fields, 'options', ['mode', 'sender']);
  assert.deepEqual(detailsOf(fields), [
    'slippageTolerance is not a field of this request; did you mean slippageBps?',
    'maxSlippageBps is not a field of this request; did you mean slippageBps?',
    'colour is not a field of this request; the fields are amount, slippageBps, metadata and options.',
    'memo is not a field of this request; did you mean metadata, beside options?',
    'size is not a field of this request; the fields of options are mode and sender.',
  ]);
  assert.deepEqual(detailsOf(bodyFields({ force: 'true' }, [])), [
    'force is not a field of this request; it takes no fields.',
  ]);
});
