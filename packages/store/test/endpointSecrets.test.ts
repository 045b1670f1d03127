// What of an endpoint is sealed: for whom it is meant, and for how long.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { EndpointEdit } from '@fairway/outbox';
import { newEndpoint } from './endpoints.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());

const HOLD = { holdMs: 30_000 };

test('headers and a client certificate are sent to the host alone that they were given for', async () => {
  const of = { headers: { authorization: 'x' }, clientCertificate: { cert: 'c', key: 'k' } };
  const secrets = { secrets: [{ secret: 'whsec_first' }], ...of };
  const { endpointId } = await newEndpoint(bench, { url: 'https://one.example/a', secrets });
  const { nowMs } = bench.clock;
  const edit = (more: EndpointEdit) =>
    bench.store.webhooks.changeEndpoint(bench.scope, endpointId, { type: 'EDITED', ...more }, nowMs);
  const now = async () => {
    const ask = { limit: 0, nowMs, ...HOLD };
    const claimed = await bench.store.webhooks.claimDeliveries(bench.scope, endpointId, ask);
    assert.ok(claimed.ok);
    const { headers, clientCertificate } = claimed.secrets;
    return [claimed.url, headers, clientCertificate];
  };
  assert.ok((await edit({ url: 'https://one.example/b?c' })).ok, 'the same host');
  assert.deepEqual(await now(), ['https://one.example/b?c', of.headers, of.clientCertificate]);
  const before = await now();
  for (const url of [
    'https://two.example/',
    'https://one.example:8443/b',
    'https://one.example.two.example/',
  ])
    for (const [more, members] of [
      [{}, ['headers', 'clientCertificate']],
      [{ headers: {} }, ['clientCertificate']],
      [{ clientCertificate: null }, ['headers']],
      [{ types: ['*'], clientCertificate: { cert: 'd', key: 'l' } }, ['headers']],
    ] as const) {
      assert.deepEqual(await edit({ url, ...more }), { ok: false, reason: 'NEEDED_AGAIN', members });
      assert.deepEqual(await now(), before, 'nothing is changed');
    }
  const given = { headers: { b: '1' }, clientCertificate: null };
  assert.ok((await edit({ url: 'https://two.example/', ...given })).ok);
  assert.deepEqual(await now(), ['https://two.example/', given.headers, undefined]);
  assert.ok((await edit({ url: 'https://three.example/', headers: {} })).ok);
  assert.ok((await edit({ url: 'https://four.example/' })).ok, 'there is nothing to give again');
});

test('a new secret ends former ones sooner where that is asked, and never later', async () => {
  const { endpointId } = await newEndpoint(bench);
  const { nowMs } = bench.clock;
  const rotate = (secret: string, untilMs: number) =>
    bench.store.webhooks.changeEndpoint(bench.scope, endpointId, { type: 'ROTATED', secret, untilMs }, nowMs);
  const kept = async () => {
    const ask = { limit: 0, nowMs, ...HOLD };
    const claimed = await bench.store.webhooks.claimDeliveries(bench.scope, endpointId, ask);
    assert.ok(claimed.ok);
    return claimed.secrets.secrets.map(({ secret, untilMs }) => [secret, untilMs && untilMs - nowMs]);
  };
  await rotate('whsec_second', nowMs + 10);
  await rotate('whsec_third', nowMs + 20);
  const lasting = [
    ['whsec_third', undefined],
    ['whsec_second', 20],
    ['whsec_first', 10],
  ];
  assert.deepEqual(await kept(), lasting);
  await rotate('whsec_fourth', nowMs);
  assert.deepEqual(await kept(), [['whsec_fourth', undefined]], 'such as when one is known to others');
});
