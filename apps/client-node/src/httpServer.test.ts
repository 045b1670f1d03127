import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { PERMISSIONS } from '@fairway/wire';
import pino from 'pino';
import { NODE_CATALOGUE } from './parts/notifications/catalogue.ts';
import { createHttpServer, type HttpDeps } from './httpServer.ts';

const ID = `cred_${'1'.repeat(32)}`;

test('a reveal and a change through the node leave a line with the caller, and no bodies', async (t) => {
  const service = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"name":"Jo Citizen"}');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  t.after(() => service.close());
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  // What these requests do not reach is absent.
  const parts = { relayers: new Map() } as unknown;
  const caller = {
    outcome: 'AUTHENTICATED' as const,
    credentialId: ID,
    organisationId: 'org_1',
    environment: 'sandbox' as const,
    permissions: PERMISSIONS,
    stillHolds: () => true,
  };
  const server = createHttpServer({
    environment: 'sandbox',
    publicUrl: () => 'http://127.0.0.1',
    log,
    authenticate: async () => caller,
    service: {
      url: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
      authorization: 'Basic eDp5',
    },
    executions: parts as HttpDeps['executions'],
    payments: parts as HttpDeps['payments'],
    policy: parts as HttpDeps['policy'],
    nativeSymbols: async () => undefined,
    notifications: {
      environment: 'sandbox',
      log,
      events: {},
      webhooks: { catalogue: NODE_CATALOGUE },
    } as unknown as HttpDeps['notifications'],
  });
  t.after(() => server.close());
  const ask = (method: 'GET' | 'POST', url: string) =>
    server.inject({
      ...{ method, url, ...(method === 'POST' && { body: { note: 'Jo Citizen' } }) },
      headers: { host: '127.0.0.1', authorization: 'Basic eDp5', 'content-type': 'application/json' },
    });
  const revealed = await ask('POST', '/v1/payments/plan_1/recipient/reveal');
  assert.equal(revealed.statusCode, 200, revealed.body);
  await ask('GET', '/v1/markets/chains');
  await ask('POST', '/relay/relayers/none/pause');
  const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    said.map(({ credentialId, operation, status }) => [credentialId, operation, status]),
    [
      [ID, 'POST /v1/payments/:planId/recipient/reveal', 200],
      [ID, 'POST /relay/relayers/:relayerId/pause', 403],
    ],
  );
  assert.equal(said[0]?.['requestId'], revealed.headers['x-request-id']);
  assert.doesNotMatch(lines.join(''), /Citizen/);
});
