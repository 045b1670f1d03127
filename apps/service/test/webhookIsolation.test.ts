// Two organisations on one service: to each of them, the webhook endpoints, deliveries and events of the other do not exist.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { OPERATIONS, operation, type OperationId } from '@fairway/wire';
import { type Caller, callerOf, comparable, fairway, makeLogin, type Reply } from './paymentCalls.ts';
import { endEverything, freshFolder, startProcess } from './processHarness.ts';
import { closeReceivers, startReceiver, until } from './webhookReceivers.ts';

type Ids = { readonly endpointId: string; readonly deliveryId: string; readonly eventId: string };
type Organisation = { readonly name: string; readonly ask: Caller; readonly ids: Ids };

const data = join(freshFolder(), 'data');
const organisations: Organisation[] = [];
let url = '';

before(async () => {
  const { ready } = await startProcess(['--port', '0', '--data', data], [...fairway, 'start']);
  ({ url } = ready);
  const receiver = await startReceiver();
  for (const name of ['Alder', 'Birch']) {
    const ask = callerOf(url, await makeLogin({ data }, name));
    const made = await ask('/v1/webhook_endpoints', {
      ...{ url: `${receiver.url}/${name}`, description: name, types: ['webhook_endpoint.*'] },
    });
    const { endpointId } = JSON.parse(made.text) as Ids;
    const tested = await ask(`/v1/webhook_endpoints/${endpointId}/test`, {});
    const ids = { ...(JSON.parse(tested.text) as Ids), endpointId };
    const isDelivered = async () =>
      (await ask(`/v1/webhook_endpoints/${endpointId}/deliveries`)).text.includes('"DELIVERED"');
    await until('the record of the event', isDelivered);
    organisations.push({ name, ask, ids });
  }
});
after(async () => {
  await closeReceivers();
  await endEverything();
});

const ofWebhooks = (Object.keys(OPERATIONS) as OperationId[]).filter(
  (id) => operation(id).tag === 'Webhooks',
);
const BODIES: Partial<Record<OperationId, object>> = {
  createWebhookEndpoint: { url: 'http://127.0.0.1:9999/' },
  changeWebhookEndpoint: { description: 'Taken' },
  recoverWebhookEndpoint: { since: '2026-01-01T00:00:00Z' },
};

function send(ask: Caller, id: OperationId, ids: Ids): Promise<Reply> {
  const { method, path, body } = operation(id);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof Ids) => ids[name]);
  return ask(filled, body === undefined ? undefined : (BODIES[id] ?? {}), method);
}

test('what is of others, what there is not, and malformed ids get the same answer', async () => {
  const absent = {
    endpointId: `whe_${'0'.repeat(32)}`,
    deliveryId: `whd_${'0'.repeat(32)}`,
    eventId: `evt_${'0'.repeat(32)}`,
  };
  const stateOf = async ({ ask, ids }: Organisation) =>
    (await ask(`/v1/webhook_endpoints/${ids.endpointId}`)).text +
    (await ask(`/v1/webhook_endpoints/${ids.endpointId}/deliveries`)).text;
  for (const [index, own] of organisations.entries()) {
    const other = organisations[1 - index] ?? assert.fail();
    const before = await stateOf(other);
    for (const id of ofWebhooks.filter((each) => operation(each).path.includes('{'))) {
      const expected = comparable(await send(own.ask, id, absent));
      assert.equal((expected as { status: number }).status, 404, id);
      const malformed = { endpointId: 'whe_', deliveryId: '%00', eventId: 'evt_' };
      for (const ids of [other.ids, malformed])
        assert.deepEqual(comparable(await send(own.ask, id, ids)), expected, id);
    }
    const resent = (endpointId: string) => own.ask(`/v1/events/${own.ids.eventId}/resend`, { endpointId });
    assert.deepEqual(
      comparable(await resent(other.ids.endpointId)),
      comparable(await resent(absent.endpointId)),
      'an own event to a foreign endpoint',
    );
    const mixed = { ...own.ids, deliveryId: other.ids.deliveryId };
    assert.equal((await send(own.ask, 'resendWebhookDelivery', mixed)).status, 404);
    assert.equal(await stateOf(other), before);
    assert.doesNotMatch((await own.ask('/v1/webhook_endpoints')).text, new RegExp(other.name));
  }
});
