import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Events } from '@fairway/store';
import { createEventFeeds } from './eventFeeds.ts';
import { createTurns } from './turns.ts';

const SCOPE = { organisationId: 'org_1', environment: 'sandbox' } as const;
const LOG = { error: () => {} };

test('a reader of a rare type hears how far was read while other events come', async () => {
  let position = 1n;
  const events: Pick<Events, 'list' | 'heard'> = {
    list: async () => ({ ok: true, events: [], next: { position, epoch: 0n } }),
    heard: async () => ({ ok: true, position: (position += 1n), organisationIds: [SCOPE.organisationId] }),
  };
  const feeds = createEventFeeds('sandbox', events, LOG);
  const ending = new AbortController();
  const places: bigint[] = [];
  for await (const part of feeds.follow({ scope: SCOPE, after: 'NOW' }, 300, ending.signal)) {
    assert.deepEqual(part.events, []);
    if (places.push(part.place.position) === 3) ending.abort();
  }
  assert.ok((places[2] ?? 0n) > (places[0] ?? 0n), 'the place moves on');
});

test('work of many does not wait for all the work of one', async () => {
  const turns = createTurns(1);
  const done: string[] = [];
  const work = (whose: string) => turns(whose, async () => void (await sleep(1), done.push(whose)));
  await Promise.all([...Array.from({ length: 10 }, () => work('busy')), work('other'), work('third')]);
  assert.ok(done.indexOf('other') <= 3 && done.indexOf('third') <= 4, done.join());
  assert.equal(done.length, 12);
});
