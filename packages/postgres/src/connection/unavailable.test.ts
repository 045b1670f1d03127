import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailableError, isUnavailable, thrownOf } from './unavailable.ts';

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

test('a server that refuses the login and a server that is away are distinguished', () => {
  const refusalOf = (cause: Error) => {
    const thrown = thrownOf(cause);
    return thrown instanceof DatabaseUnavailableError && thrown.isRefused;
  };
  assert.equal(refusalOf(failure('password authentication failed', '28P01')), true);
  assert.equal(refusalOf(failure('no pg_hba.conf entry', '28000')), true);
  assert.equal(refusalOf(failure('database "x" does not exist', '3D000')), true);
  assert.equal(refusalOf(failure('SASL: SCRAM-SERVER-FIRST-MESSAGE: no password')), true);
  assert.equal(refusalOf(failure('starting up', '57P03')), false);
  assert.equal(refusalOf(failure('refused', 'ECONNREFUSED')), false);
});

test('an unavailable database is one error with its cause, and a bug stays what it is', () => {
  const cause = failure('shut down', '57P01');
  const thrown = thrownOf(cause);
  assert.ok(thrown instanceof DatabaseUnavailableError);
  assert.equal(thrown.message, '57P01: shut down');
  assert.equal(thrown.cause, cause);
  assert.equal(thrownOf(thrown), thrown);
  const bug = failure('duplicate', '23505');
  assert.equal(thrownOf(bug), bug);
});
