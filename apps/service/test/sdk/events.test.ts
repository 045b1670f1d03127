// Lists of several pages, the stream of events through lost connections, and webhooks: as a receiver uses them.
import assert from 'node:assert/strict';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { createFairway, type FairwayEvent, verifyWebhook, WebhookError } from '@fairway/sdk';
import { type SdkTest, startSdkTest } from './clients.ts';

let sdk: SdkTest;
before(async () => {
  sdk = await startSdkTest();
});
after(() => sdk?.close());

/** Makes a recipient, which is an event. */
function makeRecipient(label: string) {
  const recipient = { type: 'email', email: `${label}@example.com` } as const;
  return sdk.fairway.recipients.create({ recipient, label, clientReference: label });
}

test('every page of a list is read, and a kept cursor goes on where it was', async () => {
  const { recipients } = sdk.fairway;
  const made: string[] = [];
  for (let index = 0; index < 7; index++) made.push((await makeRecipient(`list-${index}`)).recipientId);
  const query = { limit: 3, type: 'email' } as const;
  const read: string[] = [];
  for await (const { recipientId } of recipients.list(query)) read.push(recipientId);
  assert.deepEqual(read.toReversed(), made);
  const sizes: number[] = [];
  let cursor: string | undefined;
  for await (const page of recipients.list(query).pages()) {
    sizes.push(page.data.length);
    cursor ??= page.nextCursor;
  }
  assert.deepEqual(sizes, [3, 3, 1]);
  const rest: string[] = [];
  for await (const { recipientId } of recipients.list({ ...query, cursor: cursor ?? '' }))
    rest.push(recipientId);
  assert.deepEqual(rest, read.slice(3));
});

test('the list of events ends at the latest one, and goes on from its cursor', async () => {
  const { events } = sdk.fairway;
  await makeRecipient('event-list-1');
  await published('event-list-1');
  let after = '';
  for await (const page of events.list({ limit: 2 }).pages()) after = page.nextCursor ?? '';
  await makeRecipient('event-list-2');
  await published('event-list-2');
  const later: string[] = [];
  for await (const event of events.list({ after, limit: 2 })) later.push(labelOf(event));
  assert.deepEqual(later, ['event-list-2']);
});

/** Waits until a recipient's event can be read. */
async function published(label: string): Promise<void> {
  for (;;) {
    for await (const event of sdk.fairway.events.list({ type: 'recipient.*' }))
      if (labelOf(event) === label) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function labelOf(event: FairwayEvent): string {
  return event.type === 'recipient.created' ? (event.data.object.label ?? '') : event.type;
}

/** A way to the service that can be cut, also in the middle of an event. */
async function startCuttable(target: string): Promise<{ url: string; cut(): Promise<void>; server: Server }> {
  const open = new Set<Socket>();
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const passed = httpRequest(new URL(path ?? '/', target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Waits for a connection, and cuts it. */
    async cut() {
      while (open.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      for (const socket of open) socket.destroy();
    },
    server,
  };
}

test('a stream that is cut again and again gives each event once, in order', async () => {
  const way = await startCuttable(sdk.service.url);
  const [username = '', password = ''] = atob(sdk.service.authorization.replace('Basic ', '')).split(':');
  const { events } = createFairway({ url: way.url, username, password });
  let after = '';
  for await (const page of events.list().pages()) after = page.nextCursor ?? '';
  const labels = Array.from({ length: 12 }, (_, index) => `stream-${index}`);
  const seen: string[] = [];
  const cursors: (string | undefined)[] = [];
  const making = (async () => {
    for (const [index, label] of labels.entries()) {
      await makeRecipient(label);
      if (index % 3 === 1) await way.cut();
    }
  })();
  for await (const { event, cursor } of events.stream({ after, type: 'recipient.*' })) {
    if (!labelOf(event).startsWith('stream-')) continue;
    seen.push(labelOf(event));
    cursors.push(cursor);
    if (seen.length === labels.length) break;
  }
  await making;
  assert.deepEqual(seen, labels);
  assert.equal(new Set(cursors).size, labels.length);
  // A later run goes on after the place that was kept.
  const place = cursors[8] ?? '';
  const rest: string[] = [];
  for await (const { event } of events.stream({ after: place, type: 'recipient.*' })) {
    rest.push(labelOf(event));
    if (rest.length === 3) break;
  }
  assert.deepEqual(rest, labels.slice(9));
  way.server.closeAllConnections();
  way.server.close();
});

test('an abort ends a stream with its reason, and a place that is none is refused', async () => {
  const { events } = sdk.fairway;
  const stop = new AbortController();
  const stream = events.stream({ after: 'now', type: 'service.recovered' }, { signal: stop.signal });
  const next = stream.next();
  setTimeout(() => stop.abort(new Error('enough')), 200);
  await assert.rejects(next, /enough/);
  await assert.rejects(events.stream({ after: 'evt_none' }).next(), { name: 'ProblemError' });
});

test('a webhook of the service is verified, and a changed one is not', async () => {
  const { webhookEndpoints } = sdk.fairway;
  const received: { body: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  let answered: () => void = () => undefined;
  const came = new Promise<void>((resolve) => (answered = resolve));
  const server = createServer((request, response) => {
    void (async () => {
      received.push({ body: await text(request), headers: request.headers });
      response.writeHead(204).end();
      answered();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { endpointId, secret = '' } = await webhookEndpoints.create({
    url,
    types: ['webhook_endpoint.test'],
  });
  await webhookEndpoints.test(endpointId);
  await came;
  server.close();
  const [{ body, headers } = assert.fail('nothing came')] = received;
  const event = await verifyWebhook({ body, headers, secret });
  assert.equal(event.type, 'webhook_endpoint.test');
  assert.equal(
    (
      await verifyWebhook({
        body: Buffer.from(body),
        headers: new Headers(headers as Record<string, string>),
        secret,
      })
    ).id,
    event.id,
  );
  const changed = body.replace('webhook_endpoint.test', 'payment_plan.completed');
  await assert.rejects(
    verifyWebhook({ body: changed, headers, secret }),
    (error) => error instanceof WebhookError && error.reason === 'SIGNATURE_WRONG',
  );
  const kinds: string[] = [];
  for await (const delivery of webhookEndpoints.deliveries(endpointId)) kinds.push(delivery.status);
  assert.equal(kinds.length, 1);
});
