// For every token without a link the service does the same work and gives the same answer. So neither the answer nor
// its time tells anything about tokens that exist.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogueOf } from '../../words/locales/index.ts';
import type { CollectParts } from './parts.ts';
import { lookUp, type Visit } from './linkFacts.ts';
import { newToken } from '../payments/links/token.ts';

/** Parts of a service that has no links, and the names of the database operations that were called. */
function partsWithoutLinks(): { readonly parts: CollectParts; readonly asked: string[] } {
  const asked: string[] = [];
  const counting = (name: string, answer: object) => () => {
    asked.push(name);
    return Promise.resolve(answer);
  };
  const parts = {
    store: {
      collect: { findLink: counting('findLink', { link: undefined }) },
      payments: { loadPlan: counting('loadPlan', { plan: undefined }) },
    },
    environment: 'sandbox',
    organisationOf: counting('organisationOf', {}),
    // The code under test reads only these members; the others would need a database.
  } as unknown as CollectParts;
  return { parts, asked };
}

function visitOf(token: string): Visit {
  return {
    form: new URLSearchParams({ token }),
    catalogue: catalogueOf('en'),
    retryState: () => ({ sealed: 's', key: 'k' }),
  };
}

const nowhere: Readonly<Record<string, string>> = {
  'never given out': newToken(),
  'with a letter too few': newToken().slice(1),
  'with a letter too many': `${newToken()}A`,
  'with spare bits set': `${'A'.repeat(42)}B`,
  'of other letters': `${newToken().slice(0, 42)}é`,
  'nothing at all': '',
  'a long text': 'A'.repeat(60_000),
};

for (const [what, token] of Object.entries(nowhere))
  test(`a token without a link is looked up once and answered 404: ${what}`, async () => {
    const { parts, asked } = partsWithoutLinks();
    const found = await lookUp(parts, visitOf(token));
    assert.deepEqual(asked, ['findLink']);
    const unknown = await lookUp(parts, visitOf(newToken()));
    assert.ok(found.outcome === 'GONE' && found.page.status === 404);
    assert.deepEqual(found, unknown);
  });
