import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOutcomeUnknown } from './unavailable.ts';
import { watchOutcomes } from './unknownOutcome.ts';

const failure = (message: string, code?: string) => Object.assign(new Error(message), { code });

test('a commit that was not refused has an unknown outcome, whatever the failure is called', () => {
  for (const cause of [failure('reset', 'ECONNRESET'), failure('bad record mac', 'ERR_SSL_ALERT')]) {
    const outcomes = watchOutcomes();
    outcomes.done('begin');
    const thrown = outcomes.failed('commit', cause);
    assert.equal(isOutcomeUnknown(thrown), true, cause.message);
    assert.equal(outcomes.failed('rollback', failure('gone', 'EPIPE')), thrown, 'the rollback hides nothing');
  }
});

test('a commit that the server refused, and a query of a transaction, were not carried out', () => {
  const outcomes = watchOutcomes();
  outcomes.done('begin');
  assert.equal(isOutcomeUnknown(outcomes.failed('commit', failure('deferred', '23505'))), false);
  assert.equal(isOutcomeUnknown(outcomes.failed('insert into a', failure('reset', 'ECONNRESET'))), false);
});

test('a query of its own that writes has an unknown outcome where the connection is lost', () => {
  const lost = failure('reset', 'ECONNRESET');
  assert.equal(isOutcomeUnknown(watchOutcomes().failed('insert into a', lost)), true);
  assert.equal(isOutcomeUnknown(watchOutcomes().failed('select 1', lost)), false);
  const bug = new TypeError('a value that cannot be sent');
  assert.equal(watchOutcomes().failed('insert into a', bug), bug);
});
