// A service with a certificate speaks HTTPS to its callers, and warnings at its start say where TLS is missing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { after, before, test } from 'node:test';
import { makeCertificate } from '@fairway/testing/certificate';
import pino from 'pino';
import { startTestService, type TestService } from './harness.ts';

const { cert, key } = makeCertificate();
const logged: string[] = [];
let service: TestService;
before(async () => {
  const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) });
  const publicUrl = 'https://pay.example.com';
  service = await startTestService([], { tls: { cert, key }, publicUrl }, log);
});
after(() => service?.close());

/** Sends a GET over TLS and trusts the service's certificate alone. */
function get(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    request(`${service.url}${path}`, { ca: cert, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    })
      .once('error', reject)
      .end();
  });
}

test('the service answers over TLS with its certificate', async () => {
  assert.match(service.url, /^https:\/\/127\.0\.0\.1:\d+$/);
  const health = await get('/health', { authorization: service.authorization });
  assert.deepEqual([health.status, JSON.parse(health.text).environment], [200, 'sandbox']);
  assert.equal((await get('/health')).status, 401);
});

test('malformed requests over TLS get a Problem, as they do without TLS', async () => {
  const socket = connectTls({ host: '127.0.0.1', port: Number(new URL(service.url).port), ca: cert });
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.write('nonsense\r\n\r\n');
  await new Promise((resolve) => socket.once('close', resolve));
  assert.match(text, /^HTTP\/1\.1 400 [^]*"code":"malformed-request"/);
});

test('ciphers without forward secrecy get no answer, and browsers are told to keep to TLS', async () => {
  const port = Number(new URL(service.url).port);
  for (const ciphers of ['AES128-SHA', 'AES128-GCM-SHA256', 'ECDHE-RSA-AES128-SHA']) {
    const weak = { maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` } as const;
    const socket = connectTls({ host: '127.0.0.1', port, ca: cert, ...weak });
    const ended = new Promise((resolve, reject) =>
      socket.once('secureConnect', resolve).once('error', reject),
    );
    await assert.rejects(ended, { code: 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE' });
  }
  const strong = { maxVersion: 'TLSv1.2', rejectUnauthorized: false } as const;
  const socket = connectTls({ host: '127.0.0.1', port, ...strong });
  await once(socket, 'secureConnect');
  assert.match(socket.getCipher().name, /^ECDHE-/);
  socket.destroy();
  const { headers } = await get('/livez');
  assert.equal(headers['strict-transport-security'], 'max-age=31536000');
});

test('TLS 1.1 gets no answer', async () => {
  const port = Number(new URL(service.url).port);
  // The caller takes every cipher, so that it is the service that refuses the version.
  const ancient = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const;
  const old = connectTls({ host: '127.0.0.1', port, ca: cert, ...ancient });
  const refused = new Promise((resolve, reject) => old.once('secureConnect', resolve).once('error', reject));
  await assert.rejects(refused, { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
  assert.equal((await get('/livez')).status, 200);
});

test('a request of http to the port of https is answered with the URL to use, and logged once', async () => {
  const port = Number(new URL(service.url).port);
  logged.splice(0);
  for (const first of ['GET /livez HTTP/1.1\r\nHost: x\r\n\r\n', 'G']) {
    const plain = connect(port, '127.0.0.1');
    let text = '';
    plain.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    plain.write(first);
    await new Promise((resolve) => plain.once('close', resolve));
    assert.match(
      text,
      /^HTTP\/1\.1 400 [^]*This port speaks https, [^]* Send it to https:\/\/pay\.example\.com"/,
    );
  }
  assert.equal((await get('/livez')).status, 200);
  assert.equal(logged.splice(0).filter((line) => /speaks http to this port/.test(line)).length, 1);
});

test('a request of https to a port of http is logged once, with what to change', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const plain = await startTestService([], {}, log);
  try {
    const port = Number(new URL(plain.url).port);
    for (const _ of [1, 2]) {
      const socket = connectTls({ host: '127.0.0.1', port, ca: cert });
      await assert.rejects(once(socket, 'secureConnect'), { code: /SSL/ });
    }
    const told = lines.filter((line) => /speaks https to this port, which speaks http/.test(line));
    assert.equal(told.length, 1, lines.join());
  } finally {
    await plain.close();
  }
});

test('a public URL of https without a proxy or a certificate is a warning at the start', async () => {
  assert.deepEqual(logged, [], 'no warning where the service has a certificate');
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const plain = await startTestService([], { publicUrl: 'https://pay.example.com' }, log);
  await plain.close();
  assert.equal(lines.filter((line) => line.includes('trustedProxies names no proxy')).length, 1);
});
