import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyFields, integerField, required } from './fields.ts';

const FIELD = integerField({ minimum: 1, maximum: 9 });

test('an integer that a body has as a text is asked for without its quotation marks', () => {
  const fields = bodyFields({ version: '2' }, ['version']);
  assert.equal(required(fields, 'version', FIELD), undefined);
  assert.deepEqual(fields.errors, [
    {
      pointer: '/version',
      detail:
        'version must be an integer from 1 to 9 in plain decimal digits, as a number without quotation marks; given "2".',
    },
  ]);
});
