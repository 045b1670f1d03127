// Two organisations on one service: to each of them, the collect requests, webhook endpoints, deliveries and events of the other
// do not exist.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATIONS, operation, type OperationId } from '@fairway/wire';
import { type Caller, callerOf, comparable, makeLogin, payment, type Reply } from './paymentCalls.ts';
import { startFairway } from './commandHarness.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { closeReceivers, startReceiver, until } from './webhookReceivers.ts';

type Ids = { readonly endpointId: string; readonly deliveryId: string; readonly eventId: string };
type Organisation = {
  readonly name: string;
  readonly ask: Caller;
  readonly planId: string;
  readonly round: string;
  readonly email: string;
  readonly ids: Ids;
};

const data = join(freshFolder(), 'data');
const organisations: Organisation[] = [];

before(async () => {
  const { ready } = await startFairway(['--port', '0', '--data', data]);
  const receiver = await startReceiver();
  for (const name of ['Alder', 'Birch']) {
    const ask = callerOf(ready.url, await makeLogin({ data }, name));
    const ids = await deliveredTo(ask, `${receiver.url}/${name}`, name);
    organisations.push({ name, ask, ...(await asked(ask, `${name.toLowerCase()}@example.com`)), ids });
  }
});
after(async () => {
  await closeReceivers();
  await endEverything();
});

/** A recipient who was sent a link. */
async function asked(ask: Caller, email: string): Promise<Pick<Organisation, 'planId' | 'round' | 'email'>> {
  const { body } = await ask(
    '/v1/payments',
    payment('email', 'own', { recipient: { type: 'email', email } }),
  );
  for (const [index, event] of ['deposit.exact', 'swap.done'].entries()) {
    const path = `/v1/sandbox/payments/${body.planId}/steps/${body.steps[index]?.stepId}/simulate`;
    const played = await ask(path, { event });
    assert.equal(played.status, 200, played.text);
  }
  const round = `clr_${body.planId.slice('plan_'.length)}00000001`;
  // Nothing happens to the round by itself from then on.
  for (let tries = 0; tries < 400; tries += 1) {
    if ((await ask(`/v1/collect_requests/${round}`)).text.includes('"SENT"')) break;
    await sleep(25);
  }
  return { planId: body.planId, round, email };
}

/** An endpoint that was delivered an event. */
async function deliveredTo(ask: Caller, url: string, description: string): Promise<Ids> {
  const made = await ask('/v1/webhook_endpoints', { url, description, types: ['webhook_endpoint.*'] });
  const { endpointId } = JSON.parse(made.text) as Ids;
  const tested = await ask(`/v1/webhook_endpoints/${endpointId}/test`, {});
  const isDelivered = async () =>
    (await ask(`/v1/webhook_endpoints/${endpointId}/deliveries`)).text.includes('"DELIVERED"');
  await until('the record of the event', isDelivered);
  return { ...(JSON.parse(tested.text) as Ids), endpointId };
}

const ids = Object.keys(OPERATIONS) as OperationId[];
const ofRounds = ids.filter((id) => operation(id).path.startsWith('/v1/collect_requests/'));
const ofWebhooks = ids.filter((id) => operation(id).tag === 'Webhooks' && operation(id).path.includes('{'));
const BODIES: Partial<Record<OperationId, object>> = {
  changeWebhookEndpoint: { description: 'Taken' },
  recoverWebhookEndpoint: { since: '2026-01-01T00:00:00Z' },
};

/** Sends an operation with these parameters in its path. */
function send(ask: Caller, id: OperationId, params: Readonly<Record<string, string>>): Promise<Reply> {
  const { method, path, body } = operation(id);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  return ask(filled, body === undefined ? undefined : (BODIES[id] ?? {}), method);
}

test('rounds of others, absent ones and malformed ids get the same answer', async () => {
  const stateOf = async ({ ask, round }: Organisation) => (await ask(`/v1/collect_requests/${round}`)).text;
  for (const [index, own] of organisations.entries()) {
    const other = organisations[(index + 1) % organisations.length] ?? assert.fail();
    const before = await stateOf(other);
    for (const id of ofRounds) {
      const expected = comparable(await send(own.ask, id, { collectRequestId: `clr_${'0'.repeat(40)}` }));
      assert.equal((expected as { status: number }).status, 404, id);
      const none = own.round.replace(/1$/, '2');
      for (const name of [
        other.round,
        none,
        'clr_',
        '%00',
        own.round.toUpperCase(),
        `${own.round}0`,
        other.planId,
      ])
        assert.deepEqual(
          comparable(await send(own.ask, id, { collectRequestId: name })),
          expected,
          `${id} ${name}`,
        );
    }
    assert.equal(await stateOf(other), before);
    for (const query of [`planId=${other.planId}`, `email=${other.email}`]) {
      const listed = await own.ask(`/v1/collect_requests?${query}`);
      assert.deepEqual(JSON.parse(listed.text), { data: [] });
    }
    const listed = JSON.parse((await own.ask('/v1/collect_requests')).text) as {
      data: { collectRequestId: string }[];
    };
    assert.deepEqual(
      listed.data.map(({ collectRequestId }) => collectRequestId),
      [own.round],
    );
  }
});

test('endpoints, deliveries and events of others, absent and malformed ids get the same answer', async () => {
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
    for (const id of ofWebhooks) {
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
