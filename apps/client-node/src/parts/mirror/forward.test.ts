import assert from 'node:assert/strict';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import fastify from 'fastify';
import { forward } from './forward.ts';

let says: { status: number; headers: OutgoingHttpHeaders } = { status: 200, headers: {} };
const service = createServer((_, response) => response.writeHead(says.status, says.headers).end('<p>'));
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
const node = fastify();
node.get('/*', async (request, reply) => {
  if (!(await forward({ url, authorization: '' }, request, reply, request.url))) await reply.code(503).send();
  return reply;
});
after(async () => {
  await node.close();
  service.closeAllConnections();
  service.close();
});

test('a service that leads callers away is not followed and not repeated', async () => {
  says = { status: 302, headers: { location: 'https://thief.example/' } };
  const { statusCode, headers } = await node.inject('/v1/quote');
  assert.deepEqual([statusCode, headers['location']], [503, undefined]);
});

test('what a service makes is answered with its place, and a page of it runs nothing', async () => {
  says = { status: 201, headers: { location: '/v1/reports/rep_1', 'content-type': 'text/html' } };
  const { statusCode, headers } = await node.inject('/v1/reports');
  assert.deepEqual([statusCode, headers['location']], [201, '/v1/reports/rep_1']);
  assert.match(String(headers['content-security-policy']), /default-src 'none'.*sandbox/);
});
