// Events of a node and its webhooks, over HTTP, beside a whole service.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyWebhook } from '@fairway/sdk';
import type { NodeEvent, WebhookDelivery, WebhookEndpoint } from '@fairway/wire';
import { ask } from './asking.ts';
import { AMOUNT, give, pay, paymentOf } from './plans.ts';
import { createProcesses, type NodePlace, type ServicePlace } from './processes.ts';
import { startReceiver } from './receiver.ts';

const processes = await createProcesses();
let service: ServicePlace;
let node: NodePlace;

before(async () => {
  service = (await processes.service()).ready;
  node = service.clientNode;
  await give(service, node.relayers[0]?.address, 10n * AMOUNT);
});
after(processes.close);

async function until<Found>(find: () => Promise<Found | undefined> | Found | undefined): Promise<Found> {
  for (const untilMs = performance.now() + 20_000; performance.now() < untilMs; await sleep(50)) {
    const found = await find();
    if (found !== undefined) return found;
  }
  return assert.fail('It never came');
}

type Listed = { readonly data: readonly NodeEvent[]; readonly nextCursor: string; readonly code?: string };
const STATES = ['broadcast', 'mined', 'confirmed'].map((each) => `relay.transaction.${each}`);

test('what a payment does on the chain is listed, streamed and sent, signed with the secret', async () => {
  const receiver = await startReceiver();
  const body = { url: receiver.url, types: ['relay.transaction.*'], clientReference: 'erp' };
  const made = await ask<WebhookEndpoint>(node, '/relay/webhook_endpoints', { body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { endpointId, secret = '' } = made.body;
  assert.equal(made.headers.get('location'), `/relay/webhook_endpoints/${endpointId}`);
  const again = await ask<WebhookEndpoint>(node, '/relay/webhook_endpoints', { body });
  assert.deepEqual([again.body.endpointId, again.body.secret], [endpointId, undefined]);
  const ending = new AbortController();
  const authorization = `Basic ${btoa(`${node.username}:${node.password}`)}`;
  const stream = await fetch(`${node.url}/relay/events/stream?after=now&type=relay.transaction.*`, {
    headers: { authorization },
    signal: ending.signal,
  });
  assert.equal(stream.status, 200);

  const { body: paid } = await pay(node, paymentOf('sent', 'EVENTS-1', service.chainId));
  assert.equal(paid.execution.status, 'SUCCEEDED', JSON.stringify(paid));
  const subject = paid.receipts[0]?.relayTransactionId ?? assert.fail();
  const listed = await until(async () => {
    const found = await ask<Listed>(node, `/relay/events?subject=${subject}`);
    return found.body.data.length >= 3 ? found.body : undefined;
  });
  assert.deepEqual(
    listed.data.map(({ type }) => type),
    STATES,
  );
  const [, , confirmed] = listed.data;
  assert.partialDeepStrictEqual(confirmed, {
    ...{ environment: 'sandbox', sequence: 3, subject: { type: 'relay_transaction', id: subject } },
    data: { object: { status: 'CONFIRMED', planId: paid.planId, txHash: paid.receipts[0]?.txHash } },
  });
  assert.deepEqual((await ask<Listed>(node, `/relay/events?after=${listed.nextCursor}`)).body.data, []);

  await until(() => (receiver.got.length >= 3 ? receiver.got : undefined));
  for (const [index, { headers, text }] of receiver.got.entries()) {
    const event = await verifyWebhook({ body: text, headers, secret });
    assert.deepEqual(event, listed.data[index]);
    await assert.rejects(verifyWebhook({ body: `${text} `, headers, secret }));
  }
  let streamed = '';
  const decoder = new TextDecoder();
  for await (const part of stream.body ?? []) {
    streamed += decoder.decode(part);
    if (streamed.includes('relay.transaction.confirmed')) break;
  }
  ending.abort();
  assert.deepEqual(
    [...streamed.matchAll(/"type":"(relay\.transaction\.\w+)"/g)].map(([, type]) => type),
    STATES,
  );
  const deliveries = await until(async () => {
    const { body: page } = await ask<{ data: WebhookDelivery[] }>(
      node,
      `/relay/webhook_endpoints/${endpointId}/deliveries`,
    );
    return page.data.every(({ status }) => status === 'DELIVERED') ? page.data : undefined;
  });
  assert.equal(deliveries.length, 3);
  const count = receiver.got.length;
  const resent = await ask(node, `/relay/events/${confirmed?.id}/resend`, { body: {} });
  assert.equal(resent.status, 200);
  await until(() => (receiver.got.length > count ? true : undefined));
  assert.equal(receiver.got.at(-1)?.headers['webhook-id'], confirmed?.id);
});

test('events and endpoints of the service are beside those of the node', async () => {
  const own = await ask<{ data: WebhookEndpoint[] }>(node, '/v1/webhook_endpoints');
  assert.deepEqual(own.body.data, []);
  const { body } = await ask<Listed>(node, '/v1/events?type=payment_plan.created');
  assert.ok(body.data.length > 0);
  const wrong = await ask<Listed>(node, '/relay/events?type=payment_plan.created');
  assert.equal(wrong.status, 400);
  assert.match(JSON.stringify(wrong.body), /relay\.transaction\.confirmed/);
});

test('an endpoint inside the network is refused, and one that ends has no secrets any more', async () => {
  for (const url of ['http://example.com/', 'https://10.1.2.3/', 'https://169.254.169.254/']) {
    const { status } = await ask(node, '/relay/webhook_endpoints', { body: { url } });
    assert.equal(status, 400, url);
  }
  const { body } = await ask<{ data: WebhookEndpoint[] }>(node, '/relay/webhook_endpoints');
  for (const { endpointId } of body.data) {
    const path = `/relay/webhook_endpoints/${endpointId}`;
    assert.equal((await ask(node, path, { method: 'DELETE', body: {} })).status, 200);
    assert.equal((await ask(node, path)).status, 404);
  }
});
