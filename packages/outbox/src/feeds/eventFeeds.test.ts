import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Events } from '../events/events.ts';
import { createEventFeeds } from './eventFeeds.ts';

const SCOPE = { organisationId: 'org_1', environment: 'sandbox' } as const;
const LOG = { error: () => {} };
const heardAt = (position: bigint) => {
  const place = { position, resend: position };
  return { ok: true, place, organisationIds: [SCOPE.organisationId] } as const;
};

test('a reader of a rare type hears how far was read while other events come', async () => {
  let position = 1n;
  const events: Pick<Events, 'list' | 'heard' | 'resends'> = {
    list: async () => ({ ok: true, events: [], next: { position, epoch: 0n } }),
    heard: async () => heardAt((position += 1n)),
    resends: () => assert.fail('it did not ask for resends'),
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

test('for a reader who does not take what it was sent, no resend is read', async () => {
  let [asked, heard] = [0, 0n];
  const place = { position: 0n, epoch: 0n };
  const resent = { eventId: 'evt_1', type: 't', subject: { type: 's', id: 'i' }, sequence: 1, atMs: 0 };
  const events: Pick<Events, 'list' | 'heard' | 'resends'> = {
    list: async () => ({ ok: true, events: [], next: place }),
    heard: async () => heardAt((heard += 1n)),
    resends: async () => {
      asked += 1;
      return { ok: true, events: [{ ...resent, data: {}, position: 0n }], next: BigInt(asked) };
    },
  };
  const feeds = createEventFeeds('sandbox', events, LOG);
  const ending = new AbortController();
  const parts = feeds.follow({ scope: SCOPE, after: place, resentAfter: 0n }, 60_000, ending.signal);
  const first = await parts.next();
  assert.ok(first.done !== true && first.value.resent.length === 1);
  while (heard < 3n) await sleep(20);
  assert.equal(asked, 1, 'others were asked for meanwhile');
  await parts.next();
  assert.equal(asked, 2);
  ending.abort();
  await parts.return();
});

test('resends of other organisations give a reader nothing to read', async () => {
  let [reads, heard] = [0, 0];
  const place = { position: 0n, epoch: 0n };
  const events: Pick<Events, 'list' | 'heard' | 'resends'> = {
    list: async () => {
      await sleep(1);
      reads += 1;
      return { ok: true, events: [], next: place };
    },
    heard: async () => ({
      ok: true,
      place: { position: 0n, resend: BigInt((heard += 1)) },
      organisationIds: [],
    }),
    // Numbers count the resends of all.
    resends: async () => ({ ok: true, events: [], next: BigInt(reads) }),
  };
  const feeds = createEventFeeds('sandbox', events, LOG);
  const ending = new AbortController();
  const parts = feeds.follow({ scope: SCOPE, after: place, resentAfter: 0n }, 60_000, ending.signal);
  const part = parts.next();
  while (heard < 3) await sleep(20);
  ending.abort();
  await part;
  assert.ok(reads <= 2, `it read ${reads} times`);
});
