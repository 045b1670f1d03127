import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from '../text/html.ts';
import { readApi } from './describedApi.ts';
import { fieldList, prose } from './fieldList.ts';

const api = readApi(
  JSON.stringify({
    ...{ tags: [], paths: {}, webhooks: {} },
    components: {
      schemas: {
        Limit: { type: 'integer', minimum: 1, maximum: 9, default: 2, description: 'How many.' },
        Bank: {
          type: 'object',
          properties: { type: { enum: ['bank'] }, iban: { type: 'string' } },
          required: ['type', 'iban'],
        },
        Order: {
          type: 'object',
          properties: {
            limit: { $ref: '#/components/schemas/Limit' },
            kept: { anyOf: [{ $ref: '#/components/schemas/Bank' }, { type: 'null' }] },
            banks: { type: 'array', items: { $ref: '#/components/schemas/Bank' } },
            pays: {
              oneOf: [
                {
                  properties: { type: { const: 'wallet' }, address: { type: 'string' } },
                  required: ['address'],
                },
                { properties: { type: { const: 'email' }, email: { type: 'string' } }, required: [] },
              ],
            },
          },
          required: ['limit'],
        },
      },
    },
  }),
);

/** The names of fields with their types, as they are read. */
const shown = [...fieldList(api.components.schemas['Order'] ?? {}).html.matchAll(/<dt>(.*?)<\/dt>/g)].map(
  ([, inner = '']) => inner.replaceAll(/<[^>]+>/g, ''),
);

test('fields show their types: objects by name, plain values written out, variants one by one', () => {
  assert.deepEqual(shown, [
    'limit integer, 1 to 9, default 2',
    'kept Bank or null optional',
    'banks list of Bank optional',
    'pays object optional',
    'pays.type wallet',
    'pays.address string',
    'pays.type email',
    'pays.email string optional',
  ]);
});

test('what is between backticks is code, and everything is escaped', () => {
  assert.equal(prose('Ask `a<b` & wait').html, html`Ask <code>${'a<b'}</code> ${'&'} wait`.html);
});
