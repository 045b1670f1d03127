import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { OPERATION_IDS, operation } from '@fairway/wire';
import { readAnswer } from '../fuzz/connection.ts';
import {
  assertProblem,
  basic,
  type JsonBody,
  pointersOf,
  PUBLIC_URL,
  quoteUrl,
  startHarness,
  swapBody,
} from '../httpHarness.ts';

const harness = await startHarness();
await harness.server.listen({ port: 0, host: '127.0.0.1' });
after(() => harness.close());
const { port } = harness.server.server.address() as AddressInfo;

/** Sends raw bytes, and reads until the server closes the connection or the answer is complete. */
function exchange(bytes: string): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let received = '';
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no answer; received: ${received}`)));
    socket.on('error', (error) => (received === '' ? reject(error) : undefined));
    socket.on('close', () => resolve(parsedResponse(received)));
    socket.on('data', (chunk) => {
      received += chunk.toString();
      const response = parsedResponse(received);
      if (response.body.length >= Number(response.headers['content-length'] ?? Number.POSITIVE_INFINITY))
        socket.end();
    });
  });
}

function parsedResponse(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body };
}

const LOGIN = `Authorization: ${basic('full:secret')}\r\n`;
const START = `HTTP/1.1\r\nHost: localhost\r\n${LOGIN}`;

const PARSER: readonly (readonly [string, string, number, string])[] = [
  ['a text that is not HTTP', 'nonsense\r\n\r\n', 400, 'malformed-request'],
  ['an unknown method', `GTE / ${START}\r\n`, 400, 'malformed-request'],
  [
    'headers beyond the limit',
    `GET /livez ${START}X: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers-too-large',
  ],
  ['a URL beyond the limit', `GET /livez?${'x'.repeat(20_000)} ${START}\r\n`, 431, 'headers-too-large'],
  [
    'two content lengths',
    `POST /v1/swap ${START}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    400,
    'malformed-request',
  ],
  [
    'a content length with chunks',
    `POST /v1/swap ${START}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'malformed-request',
  ],
  ['a header with a bare line break', `GET /livez ${START}X: a\rb\r\n\r\n`, 400, 'malformed-request'],
  ['a request without Host', `GET /livez HTTP/1.1\r\n${LOGIN}\r\n`, 400, 'malformed-request'],
  ['a CONNECT request', 'CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, 'malformed-request'],
  ['a target that is no path', `GET * ${START}\r\n`, 400, 'malformed-request'],
  ['a malformed percent-encoding', `GET /%zz ${START}\r\n`, 400, 'malformed-request'],
  [
    'a repeated Content-Type',
    `POST /v1/swap ${START}Content-Type: application/json\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    415,
    'unsupported-media-type',
  ],
  ['a repeated Authorization', `GET /health ${START}${LOGIN}\r\n`, 401, 'unauthorized'],
  [
    'a declared length beyond the limit',
    `POST /v1/swap ${START}Content-Type: application/json\r\nContent-Length: 70000\r\n\r\n`,
    413,
    'body-too-large',
  ],
  [
    'chunks beyond the limit',
    `POST /v1/swap ${START}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n11170\r\n${'x'.repeat(70_000)}\r\n0\r\n\r\n`,
    413,
    'body-too-large',
  ],
  ['a PROPFIND request', `PROPFIND /v1/quote ${START}\r\n`, 405, 'method-not-allowed'],
  ['a QUERY request', `QUERY /v1/quote ${START}\r\n`, 405, 'method-not-allowed'],
];

for (const [name, bytes, status, code] of PARSER) {
  test(`${name} is answered with the Problem ${status} ${code}`, async () => {
    const response = await exchange(bytes);
    assert.equal(response.status, status, JSON.stringify(response));
    assert.equal(response.headers['content-type'], 'application/problem+json');
    const body = JSON.parse(response.body) as JsonBody;
    assertProblem(status, response.headers, body);
    assert.equal(body['code'], code);
  });
}

test('headers that arrive too slowly are answered 408, and silence before any is not', async () => {
  const unused = connect(port, '127.0.0.1');
  const closed = once(unused, 'close');
  let received = '';
  unused.on('data', (bytes) => (received += bytes.toString()));
  const response = await exchange('GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
  assert.equal(response.status, 408);
  assert.equal((JSON.parse(response.body) as JsonBody)['code'], 'request-timeout');
  // It was opened before the other one, so its time for headers is over, too.
  unused.write(`GET /livez ${START}Connection: close\r\n\r\n`);
  await closed;
  assert.match(received, /^HTTP\/1\.1 200 /);
});

test('a request that expects 100 Continue behind another does not disturb the answers', async () => {
  const both = `GET /livez ${START}\r\nGET /v1/nothing ${START}Expect: 100-continue\r\nConnection: close\r\n\r\n`;
  const socket = connect(port, '127.0.0.1', () => socket.write(both));
  const first = readAnswer(await buffer(socket), 'GET');
  assert.ok(typeof first !== 'string');
  const second = readAnswer(first.rest, 'GET');
  assert.ok(typeof second !== 'string');
  assert.deepEqual([first.status, second.status, second.rest.length], [200, 404, 0]);
  assertProblem(404, Object.fromEntries(second.headers), JSON.parse(String(second.body)) as JsonBody);
});

test('a page that is not available says when to try again', async () => {
  const { statusCode, headers } = await harness.server.inject({
    url: '/collect/open',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `token=${'A'.repeat(43)}`,
  });
  assert.deepEqual([statusCode, headers['retry-after']], [503, '2']);
});

test('an unknown value of the Expect header is ignored', async () => {
  const response = await exchange(`GET /livez ${START}Expect: tea\r\n\r\n`);
  assert.equal(response.status, 200);
});

test('a path with a wrong method is 405, and Allow lists the right methods', async () => {
  const operations = OPERATION_IDS.map(operation);
  for (const path of new Set(operations.map((each) => each.path))) {
    const isPath = (shape: string) => new RegExp(`^${shape.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
    const taken = operations.filter((each) => isPath(each.path)).map(({ method }) => method);
    const named = taken.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const allowed: readonly string[] = [...new Set(named)].sort();
    for (const other of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const) {
      if (allowed.includes(other)) continue;
      const reply = await harness.call({ url: `${path}?x=1`, method: other });
      assert.equal(reply.status, 405, `${other} ${path}`);
      assert.equal(reply.headers['allow'], allowed.join(', '));
    }
  }
});

test('a 404 repeats the whole path of an id, and says where it cuts a longer one', async () => {
  const path = `/v1/reconciliation/statements/stm_${'7'.repeat(32)}/entries/ent_${'9'.repeat(32)}/again`;
  const detailOf = async (url: string) => String((await harness.call({ url })).json['detail']);
  assert.equal(await detailOf(path), `There is no GET ${path}; /docs lists every path.`);
  assert.equal(
    await detailOf(`/v1/${'a.'.repeat(150)}`),
    `There is no GET /v1/${'a.'.repeat(98)}…; /docs lists every path.`,
  );
});

test('405 and 404 are answered without a check of the body', async () => {
  const headers = { 'content-type': 'text/plain' };
  assert.equal((await harness.call({ url: '/v1/quote', method: 'POST', headers, body: 'x' })).status, 405);
  assert.equal((await harness.call({ url: '/v1/nothing', method: 'POST', headers, body: 'x' })).status, 404);
});

const MEDIA: readonly (readonly [string | undefined, number])[] = [
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['application/json;charset="UTF-8"', 200],
  ['Application/JSON', 200],
  [undefined, 415],
  ['text/plain', 415],
  ['application/json; charset=latin1', 415],
  ['application/jsonx', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
  ['application/problem+json', 415],
  ['json', 415],
  ['', 415],
];

for (const [type, status] of MEDIA) {
  test(`a body of type ${type} is ${status}`, async () => {
    const response = await harness.server.inject({
      url: '/v1/swap',
      method: 'POST',
      headers: {
        authorization: basic('full:secret'),
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      payload: Buffer.from(JSON.stringify(swapBody())),
    });
    assert.equal(response.statusCode, status);
    if (status === 415)
      assertProblem(415, response.headers as Record<string, string>, response.json<JsonBody>());
  });
}

test('a compressed body is 415; a missing body and a name that is there twice are malformed-json', async () => {
  const headers = { 'content-encoding': 'gzip' };
  assert.equal((await harness.call({ url: '/v1/swap', method: 'POST', headers, body: '{}' })).status, 415);
  const missing = await harness.call({ url: '/v1/swap', method: 'POST' });
  assert.equal(missing.json['code'], 'malformed-json');
  const doubled = await harness.call({ url: '/v1/swap', method: 'POST', body: '{"x":[{"a":1,"a":2}]}' });
  assert.equal(doubled.json['code'], 'malformed-json');
  assert.deepEqual(pointersOf(doubled), ['/x/0/a']);
});

test('a body of 65,536 bytes is read, and a body of one byte more is 413', async () => {
  const padded = (bytes: number) => JSON.stringify(swapBody()).padEnd(bytes, ' ');
  assert.equal((await harness.call({ url: '/v1/swap', method: 'POST', body: padded(65_536) })).status, 200);
  const reply = await harness.call({ url: '/v1/swap', method: 'POST', body: padded(65_537) });
  assert.equal(reply.status, 413);
});

/** Sends eight megabytes ten times, in a process of its own: here both sides would take turns, and the answer never be late. */
const SENDER = `
const [url, authorization] = process.argv.slice(1);
const headers = { authorization, 'content-type': 'application/json' };
for (let tries = 0; tries < 10; tries += 1) {
  const sent = fetch(url, { method: 'POST', headers, body: Buffer.alloc(8_000_000, ' ') });
  console.log(await sent.then(async (answer) => (await answer.json()).code, (error) => error.cause?.code));
}`;

test('a caller that goes on sending a body that is too large reads why', async () => {
  const url = `http://127.0.0.1:${port}/v1/swap`;
  const args = ['--input-type=module', '-e', SENDER, url, basic('full:secret')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.deepEqual(
    stdout.trim().split('\n'),
    Array.from({ length: 10 }, () => 'body-too-large'),
  );
});

test("a caller's request id is answered when it has the right form, else it is replaced", async () => {
  const idOf = async (given: string) =>
    (await harness.call({ url: '/livez', headers: { 'x-request-id': given } })).headers['x-request-id'];
  for (const usable of ['a', 'A-1_b.c', 'x'.repeat(128)]) assert.equal(await idOf(usable), usable);
  for (const unusable of ['x'.repeat(129), 'a b', '<script>', 'ä', 'a\tb', '']) {
    assert.notEqual(await idOf(unusable), unusable);
  }
});

test('the types of problems start with the public URL', async () => {
  const reply = await harness.call({ url: quoteUrl({ amount: '0' }) });
  assert.equal(reply.json['type'], `${PUBLIC_URL}/problems/validation-failed`);
});

test('JSON answers have no-store and no Content-Security-Policy', async () => {
  const reply = await harness.call({ url: quoteUrl() });
  assert.equal(reply.headers['cache-control'], 'no-store');
  assert.equal(reply.headers['content-security-policy'], undefined);
});

test('a change that the page of another site asks for is refused; reading and programs go on', async () => {
  const again = { url: '/v1/payments/plan_x/again', method: 'POST' as const, body: {} };
  const from = (site: string) => ({ 'sec-fetch-site': site });
  const by = (origin: string) => ({ origin });
  const others = [from('cross-site'), from('same-site'), by('http://192.0.2.2'), by('null')];
  for (const headers of others) {
    const refused = await harness.call({ ...again, headers });
    assert.deepEqual([refused.status, refused.json['code']], [403, 'forbidden'], JSON.stringify(headers));
  }
  for (const headers of [from('same-origin'), from('none'), by(PUBLIC_URL), {}])
    assert.equal((await harness.call({ ...again, headers })).status, 404);
  assert.equal((await harness.call({ url: quoteUrl(), headers: from('cross-site') })).status, 200);
});

test('browsers are told to come back over TLS where the public URL is https', async () => {
  const reply = await harness.call({ url: '/livez' });
  const expected = PUBLIC_URL.startsWith('https:') ? 'max-age=31536000' : undefined;
  assert.equal(reply.headers['strict-transport-security'], expected);
});

test('unknown query parameters are refused on every operation with a credential', async () => {
  for (const id of OPERATION_IDS) {
    const { path, method, access, upload } = operation(id);
    if (access.kind === 'OPEN') continue;
    const [type = ''] = Object.keys(upload ?? {});
    const sent = upload === undefined ? { body: {} } : { body: '<a/>', headers: { 'content-type': type } };
    const reply = await harness.call({
      url: `${path}?bogus=1`,
      method,
      ...(method === 'GET' ? {} : sent),
    });
    assert.equal(reply.status, 400, id);
    assert.ok(reply.text.includes('/query/bogus'), id);
  }
});
