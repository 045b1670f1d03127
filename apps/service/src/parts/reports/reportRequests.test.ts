import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyFields } from '@fairway/api';
import { readReportRequest } from './reportRequests.ts';

function errorOf(type: string, column: string) {
  const period = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' };
  const fields = bodyFields({ type, format: 'csv', ...period, columns: [column] }, [
    ...['type', 'format', 'from', 'to', 'timezone', 'columns', 'filter'],
  ]);
  readReportRequest(fields, Date.parse('2026-03-01T00:00:00Z'));
  return fields.errors[0];
}

test('a column that is misspelt, or of another report, is told as such', () => {
  assert.deepEqual(errorOf('movements', 'ammount')?.suggestions, ['amount']);
  const other = errorOf('plans', 'reconciliation');
  assert.equal(other?.pointer, '/columns/0');
  assert.match(other?.detail ?? '', /reconciliation is only of the report movements/);
});
