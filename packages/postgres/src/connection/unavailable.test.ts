import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt, isUnavailable } from './unavailable.ts';

const failure = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

test('an unavailable database and a bug are distinguished', () => {
  for (const code of [
    'ECONNREFUSED',
    'ENOENT',
    '40P01',
    '57P01',
    '57P03',
    '08006',
    '53300',
    '57014',
    '25006',
    '28P01',
  ]) {
    assert.equal(isUnavailable(failure('down', code)), true, code);
  }
  for (const message of ['Connection terminated unexpectedly', 'timeout exceeded when trying to connect']) {
    assert.equal(isUnavailable(failure(message)), true, message);
  }
  for (const code of ['23505', '42P01', '42601', '22P02', '42501', '40001', 'ERR_INVALID_ARG_TYPE']) {
    assert.equal(isUnavailable(failure('wrong', code)), false, code);
  }
  const refused = failure('refused', 'ECONNREFUSED');
  assert.equal(isUnavailable(new AggregateError([refused, refused])), true);
  assert.equal(isUnavailable(new AggregateError([refused, new TypeError('bug')])), false);
  assert.equal(isUnavailable(new AggregateError([])), false);
  assert.equal(isUnavailable('57P01'), false);
});

test('a server that refuses the login and a server that is away are distinguished', async () => {
  const refusalOf = async (cause: Error) => {
    const outcome = await attempt(() => Promise.reject(cause));
    return 'isRefused' in outcome;
  };
  assert.equal(await refusalOf(failure('password authentication failed', '28P01')), true);
  assert.equal(await refusalOf(failure('no pg_hba.conf entry', '28000')), true);
  assert.equal(await refusalOf(failure('database "x" does not exist', '3D000')), true);
  assert.equal(await refusalOf(failure('SASL: SCRAM-SERVER-FIRST-MESSAGE: no password')), true);
  assert.equal(await refusalOf(failure('starting up', '57P03')), false);
  assert.equal(await refusalOf(failure('refused', 'ECONNREFUSED')), false);
});

test('an unavailable database is an outcome with its cause, and a bug is thrown', async () => {
  const fail = (cause: Error) => attempt(() => Promise.reject(cause));
  assert.deepEqual(await fail(failure('shut down', '57P01')), {
    ok: false,
    reason: 'DATABASE_UNAVAILABLE',
    detail: '57P01: shut down',
  });
  await assert.rejects(fail(failure('duplicate', '23505')), /duplicate/);
  assert.equal(await attempt(() => Promise.resolve(3)), 3);
});
