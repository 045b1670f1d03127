// A service whose answers cannot be read: the node says that it is the service, and never that it failed itself.
import assert from 'node:assert/strict';
import { request, type ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import type { Problem, Sandbox } from '@fairway/wire';
import { ask, execute } from './asking.ts';
import { startLyingService } from './lyingService.ts';
import { createProcesses, type NodePlace, type ServicePlace } from './processes.ts';

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const processes = await createProcesses();
after(async () => {
  liar?.close();
  await processes.close();
});

let liar: Awaited<ReturnType<typeof startLyingService>> | undefined;
let service: ServicePlace;
let node: NodePlace;
let usdc: string;

before(async () => {
  service = (await processes.service()).ready;
  liar = await startLyingService(service.url);
  node = (await processes.node({ ...service, url: liar.url }, 'puzzled')).ready;
  const { tokens } = (await ask<Sandbox>(service, '/v1/sandbox')).body;
  usdc = tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? assert.fail();
});

type Babble = (response: ServerResponse) => unknown;
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const says =
  (text: string, status = 200, headers: object = JSON_TYPE): Babble =>
  (response) =>
    response.writeHead(status, { ...headers }).end(text);
const cutAt =
  (text: string): Babble =>
  (response) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' });
    response.flushHeaders();
    response.write(text);
    setTimeout(() => response.destroy(), 50);
  };

/** Nobody can read these. */
const UNREADABLE: readonly (readonly [string, Babble])[] = [
  ['no JSON', says('<html>')],
  ['half of an object', says('{"quote": {')],
  ['nothing', says('')],
  [
    'bytes that are no text',
    (response) => response.writeHead(200, JSON_TYPE).end(Buffer.from([0x22, 0xff, 0x22])),
  ],
  ['an end before its beginning', cutAt('')],
  ['an end in its middle', cutAt('{"quote"')],
  ['what is not packed as it says', says('{}', 200, { ...JSON_TYPE, 'content-encoding': 'gzip' })],
  ['a connection that ends', (response) => response.destroy()],
  ['another place', says('', 302, { location: 'https://thief.example/' })],
  ['a status that there is not', says('{}', 799)],
];
/** These are JSON, and not what was asked for. */
const WRONG: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a list', []],
  ['a text', 'quote'],
  ['an empty object', {}],
  ['a plan of other types', { quote: 1, instructions: 'x', planId: 7 }],
  ['a plan whose calls are none', { quote: { route: 7 }, instructions: [null, 7, {}] }],
  [
    'a call of other types',
    { quote: {}, instructions: [{ kind: 'EVM_CALL', chainId: 31_337, to: 'x', data: 'y', value: '-1' }] },
  ],
  ['ids that no database keeps', { planId: 'plan_\0', quote: { '\0': '\0' }, instructions: [] }],
  ['half a character', { planId: '\ud800', quote: {}, instructions: [] }],
  ['an id without an end', { planId: 'x'.repeat(1_000_000), quote: {}, instructions: [] }],
];

const sale = () => ({
  chainId: service.chainId,
  ...{ tokenIn: NATIVE, tokenOut: usdc, tradeType: 'EXACT_IN', amount: '1000', minAmountOut: '1' },
});
let references = 0;
const payment = () => ({
  ...{ clientReference: `BABBLE-${(references += 1)}`, corridorId: 'usdc-aud-bank', amountIn: '1000000000' },
  options: { mode: 'STANDARD', minAmountOut: '1' },
});
const PAY = '/v1/payments?executionMode=execute';

/** Every way in which the node asks the service. */
const ways = (key: string): Readonly<Record<string, () => Promise<{ status: number; body: Problem }>>> => ({
  quote: () => ask(node, '/v1/quote?chainId=31337'),
  plan: () => ask(node, '/v1/swap', { body: sale() }),
  swap: () => execute(node, key, sale()) as never,
  payment: () => ask(node, PAY, { body: payment() }),
});

/** The SDK asks again and again while an answer does not come, so that one of these cases is enough for it. */
const MIRRORED_ONLY = new Set([
  ...[
    'an end before its beginning',
    'an end in its middle',
    'what is not packed as it says',
    'another place',
  ],
]);

for (const [name, babble] of UNREADABLE)
  test(`the service answers with ${name}`, async () => {
    liar?.babble(babble);
    const { quote, plan, ...executed } = ways(name);
    const asked = { quote, plan, ...(MIRRORED_ONLY.has(name) ? {} : executed) };
    await Promise.all(
      Object.entries(asked).map(async ([way, ask]) => {
        const { status, body } = (await ask?.()) ?? assert.fail();
        assert.ok([502, 503].includes(status), `${way}: ${status} ${JSON.stringify(body)}`);
        assert.ok(
          ['upstream-unavailable', 'unsafe-answer'].includes(body.code ?? ''),
          `${way}: ${body.code}`,
        );
      }),
    );
  });

for (const [name, answer] of WRONG)
  test(`the service answers with ${name}`, async () => {
    liar?.babble(says(JSON.stringify(answer) ?? ''));
    const { swap, payment: pay } = ways(name);
    for (const asked of [swap, pay]) {
      const { status, body } = (await asked?.()) ?? assert.fail();
      assert.ok([502, 503].includes(status), `${status} ${JSON.stringify(body).slice(0, 300)}`);
    }
  });

test('a problem that is none is passed on as a problem, and never as the failure of the node', async () => {
  for (const [text, status] of [
    ['null', 400],
    ['[]', 409],
    ['{"status": "x", "code": 7}', 422],
    ['no JSON', 422],
  ] as const) {
    liar?.babble(says(text, status, { 'content-type': 'application/problem+json' }));
    for (const [way, asked] of Object.entries(ways(`${status}`))) {
      const answer = await asked();
      assert.ok(
        answer.status === status || [502, 503].includes(answer.status),
        `${way} ${text}: ${answer.status}`,
      );
    }
  }
});

test('a plan that is of another payment already is not executed for a second one', async () => {
  liar?.babble(undefined);
  const recipient = {
    ...{ type: 'bank', name: 'Jo Citizen', country: 'AU' },
    account: { bsb: '062-000', accountNumber: '12345678' },
  };
  const planned = await ask<{ planId: string }>(node, PAY, { body: { ...payment(), recipient } });
  assert.ok(planned.status < 300, JSON.stringify(planned.body));
  liar?.babble(says(JSON.stringify(planned.body), 201));
  const second = await ask<Problem>(node, PAY, { body: { ...payment(), recipient } });
  assert.deepEqual([second.status, second.body.code], [502, 'unsafe-answer'], JSON.stringify(second.body));
  liar?.babble(undefined);
});

test('two keys for one request are refused, and none of them is used', async () => {
  const authorization = `Basic ${Buffer.from(`${node.username}:${node.password}`).toString('base64')}`;
  const headers = [
    ...['authorization', authorization, 'content-type', 'application/json'],
    ...['idempotency-key', 'one', 'Idempotency-Key', 'two', 'host', new URL(node.url).host],
  ];
  const body = JSON.stringify(sale());
  const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const asked = request(
      `${node.url}/v1/swap?executionMode=execute`,
      { method: 'POST', headers },
      (response) => {
        void response.toArray().then((parts: Buffer[]) => {
          resolve({ status: response.statusCode, text: Buffer.concat(parts).toString() });
        }, reject);
      },
    );
    asked.once('error', reject);
    asked.end(body);
  });
  assert.equal(answer.status, 400);
  assert.equal((JSON.parse(answer.text) as Problem).code, 'idempotency-key-required');
  for (const key of ['one', 'two', 'one,%20two'])
    assert.equal((await ask(node, `/relay/executions?key=${key}`)).status, 404);
});

test('a path that the node does not have is named, and no page that it does not have', async () => {
  const { status, body } = await ask<Problem>(node, '/relay/nothing');
  assert.deepEqual([status, body.detail], [404, 'There is no GET /relay/nothing.']);
});
