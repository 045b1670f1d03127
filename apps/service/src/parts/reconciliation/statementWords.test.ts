// The problem of a wrong request about statements: the field, and what to send.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyFields } from '@fairway/api';
import { readAllocations } from './entries.ts';
import { uploadedFile } from './uploadedFile.ts';

test('a form with a field of another name is told which, and what to send', async () => {
  const form = new FormData();
  form.set('statement', new Blob(['<Document/>']), 'november.xml');
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const contentType = request.headers.get('content-type') ?? '';
  const read = await uploadedFile({ bytes: Buffer.from(await request.arrayBuffer()), contentType });
  assert.ok(!read.ok && read.problem.code === 'validation-failed');
  const [error] = read.problem.errors ?? [];
  assert.equal(error?.pointer, '/statement');
  assert.match(error.detail, /"statement" is none of them\. Send the statement in the field file\./);
});

test('an allocation is told how ids and amounts of a currency are written', () => {
  const allocations = [{ movementId: 'mov_1', amount: '137.00' }];
  const fields = bodyFields({ allocations }, ['allocations']);
  assert.equal(readAllocations(fields), undefined);
  const [id, amount] = fields.errors;
  assert.match(id?.detail ?? '', /such as "mov_" and 40 hex digits/);
  assert.match(amount?.detail ?? '', /in minor units of the currency, such as "13700" for 137\.00/);
});
