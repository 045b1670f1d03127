// Receivers over TLS: whose certificate is trusted, and how the sender proves who it is.
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import { after, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { makeCertificate, type TestCertificate } from '@fairway/testing/certificate';
import { createWebhookSender, type DeliveryOrder } from '../src/index.ts';
import {
  closeServers,
  listening,
  orderTo,
  startNameServer,
  startReceiver,
  trustedCertificate,
} from './receivers.ts';
import { opening } from './rules.ts';

const names = await startNameServer(() => ['127.0.0.1']);
const sender = createWebhookSender(opening('127.0.0.0/8'), { version: '1', nameServers: names.nameServers });
after(async () => {
  await sender.close();
  await closeServers();
});

const trusted = trustedCertificate('receiver.test', '127.0.0.1');

/** How an attempt at a receiver with a certificate ends: its status, or its error. */
async function ended(certificate: TestCertificate, host: string): Promise<unknown> {
  const receiver = await startReceiver((_request, response) => response.end(), { certificate });
  const delivery = await sender.send(orderTo(`https://${host}:${receiver.port}/`));
  return 'status' in delivery ? delivery.status : delivery.error;
}

test('a receiver with a trusted certificate of its name, or of its address, gets the event', async () => {
  assert.equal(await ended(trusted, 'receiver.test'), 200);
  assert.equal(await ended(trusted, '127.0.0.1'), 200);
});

test('a certificate of nobody, of another host, or that has ended is not trusted', async () => {
  assert.equal(await ended(makeCertificate(), '127.0.0.1'), 'CERTIFICATE_NOT_TRUSTED');
  assert.equal(await ended(trusted, 'other.test'), 'CERTIFICATE_NOT_TRUSTED');
  assert.equal(await ended(trusted, '127.0.0.2'), 'CONNECTION_FAILED');
  const past = makeCertificate({ endMs: Date.now() - 1000 });
  assert.equal(await ended(past, '127.0.0.1'), 'CERTIFICATE_NOT_TRUSTED');
});

test('the environment cannot make the sender trust every certificate', async () => {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  try {
    assert.equal(await ended(makeCertificate(), '127.0.0.1'), 'CERTIFICATE_NOT_TRUSTED');
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  }
});

test('a receiver sees the name it is called by, in TLS and in the host header', async () => {
  const seen: unknown[] = [];
  const receiver = await startReceiver(
    (request, response) => {
      seen.push((request.socket as TLSSocket & { servername: unknown }).servername, request.headers.host);
      response.end();
    },
    { certificate: trusted },
  );
  await sender.send(orderTo(`https://RECEIVER.test:${receiver.port}/`));
  await sender.send(orderTo(`https://127.0.0.1:${receiver.port}/`));
  assert.deepEqual(seen, [
    'receiver.test',
    `receiver.test:${receiver.port}`,
    false,
    `127.0.0.1:${receiver.port}`,
  ]);
});

test('a receiver that asks for a client certificate gets the one of the order, and no other', async () => {
  const [client, stranger] = [makeCertificate({ hosts: ['client.test'] }), makeCertificate()];
  let count = 0;
  const server = createServer(
    { ...trusted, ca: client.cert, requestCert: true, rejectUnauthorized: true },
    (_request, response) => {
      count += 1;
      response.end();
    },
  );
  const receiver = await listening(server, '127.0.0.1', 0);
  const sent = async (more: Partial<DeliveryOrder>): Promise<unknown> => {
    const { durationMs: _, ...rest } = await sender.send(
      orderTo(`https://127.0.0.1:${receiver.port}/`, more),
    );
    return rest;
  };
  const clientCertificate = { cert: client.cert, key: client.key };
  assert.deepEqual(await sent({ clientCertificate }), { outcome: 'DELIVERED', status: 200 });
  // Whether the alert or the end of the connection is seen first is the receiver's doing.
  const refusals = ['TLS_FAILED', 'CONNECTION_LOST'];
  const { cert, key } = stranger;
  for (const more of [{}, { clientCertificate: { cert, key } }]) {
    const { outcome, error } = (await sent(more)) as { outcome: string; error: string };
    assert.ok(outcome === 'FAILED' && refusals.includes(error), error);
  }
  assert.equal(count, 1);
});

test('TLS before 1.2 is not spoken', async () => {
  const ancient = {
    ...trusted,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'ALL:@SECLEVEL=0',
  } as const;
  const receiver = await listening(createServer(ancient), '127.0.0.1', 0);
  const delivery = await sender.send(orderTo(`https://127.0.0.1:${receiver.port}/`));
  assert.equal('error' in delivery && delivery.error, 'TLS_FAILED');
});
