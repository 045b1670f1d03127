// The OpenAPI document that the service serves describes the service that serves it. Every path answers, and answers
// and refusals agree with the document's own schemas.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type Corridor } from '@fairway/wire';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { recipientFormats } from '../src/parts/payments/recipient/formats.ts';
import { type ContractRequests, contractRequests, type Plan, queryOf } from './contractRequests.ts';
import { assertDescribed } from './describedEvents.ts';
import { type DescribedAnswer, undeclaredHeaders, wholeAnswer } from './describedHeaders.ts';
import { postOf, type TestService } from './harness.ts';
import { startMakerService } from './makerService.ts';
import { formsIn } from './referenceForms.ts';

type Schema = {
  $ref?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  enum?: unknown[];
};
type Described = {
  operationId: string;
  security: object[];
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, Answer>;
};
type Answer = DescribedAnswer & { content?: Record<string, { schema: Schema; examples?: object }> };
type Document = {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Described>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Answer>;
    examples: Record<string, { value: { status: number } }>;
  };
};

let service: TestService;
let served: Document;
let ajv: Ajv2020;
let made: ContractRequests;

before(async () => {
  service = withDeclaredHeaders(await startMakerService());
  served = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;
  ajv = new Ajv2020({ allErrors: true, strict: false });
  ajvFormats.default(ajv);
  ajv.addFormat('uint64', { type: 'number', validate: (value: number) => value >= 0 && value <= 2 ** 64 });
  ajv.addSchema(served, 'openapi');
  made = await contractRequests(service);
});
after(() => service?.close());

/** The same service, where each header of each answer must be declared for its operation and status. */
function withDeclaredHeaders(bare: TestService): TestService {
  return {
    ...bare,
    async request(path, init) {
      const answer = await bare.request(path, init);
      const described = served?.paths[shapeOf(path)]?.[init?.method?.toLowerCase() ?? 'get'];
      const declared = described?.responses[String(answer.status)];
      if (declared !== undefined) {
        const undeclared = undeclaredHeaders(wholeAnswer(served, declared), answer.headers.keys());
        assert.deepEqual(undeclared, [], `${init?.method ?? 'GET'} ${path} ${answer.status}`);
      }
      return answer;
    },
  };
}

/** The path in the document that a path fits; one without parameters comes first. */
function shapeOf(path: string): string {
  const [bare = ''] = path.split('?');
  if (bare in served.paths) return bare;
  return Object.keys(served.paths).find((shape) => fits(bare, shape)) ?? bare;
}

const fits = (path: string, shape: string) =>
  new RegExp(`^${shape.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

/** The check of the schema at a place in the document, compiled once; its references point into the document. */
function checkOf(...place: string[]): ValidateFunction {
  const pointer = place
    .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map(encodeURIComponent);
  const key = `openapi#/${pointer.join('/')}`;
  return ajv.getSchema(key) ?? assert.fail(key);
}

function responseCheck(method: string, path: string, status: number): ValidateFunction {
  if (status >= 400) return checkOf('components', 'schemas', 'Problem');
  const success = ['responses', String(status), 'content', 'application/json', 'schema'];
  return checkOf('paths', path, method, ...success);
}

/** The status of a success. */
const successOf = (responses: object) => ['201', '202'].find((status) => status in responses) ?? '200';

/** Nothing waits for approval in a sandbox; cases/recipientApproval.test.ts has the successes, checked against their schema. */
const NOTHING_WAITS = [
  'post /v1/payments/{planId}/approve',
  'post /v1/recipients/{recipientId}/approve',
  'post /v1/recipients/{recipientId}/reject',
];

/** The operations whose answer has no end, or is a file; eventStream.test.ts and reports.test.ts read them. */
const STREAMS = ['get /v1/events/stream', 'get /v1/reports/{reportId}/download'];

const operations = () => Object.values(served.paths).flatMap((methods) => Object.values(methods));

test('the document is OpenAPI 3.1, has the version of the interface and lists what is served', () => {
  assert.match(served.openapi, /^3\.1\.\d+$/);
  assert.equal(served.info.version, '0.1.0');
  const listed = Object.entries(served.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  assert.deepEqual(listed.sort(), [...Object.keys(made.requests), ...STREAMS].sort());
});

test('every path answers, and the answer fits the schema in the document', async () => {
  for (const [name, request] of Object.entries(made.requests)) {
    const [method = '', path = ''] = name.split(' ');
    const { status, body } = await service.request(...(await request()));
    const { responses } = served.paths[path]?.[method] ?? assert.fail(name);
    const expected = NOTHING_WAITS.includes(name) ? '409' : successOf(responses);
    assert.equal(String(status), expected, `${name}: ${JSON.stringify(body)}`);
    const check = responseCheck(method, path, status);
    assert.ok(check(body), `${name}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(body)}`);
    assert.ok(!check(null), `the schema of ${name} says something`);
  }
});

test('a list that has not changed is answered 304, with the headers of the document', async () => {
  for (const path of ['/v1/markets/chains', '/v1/markets/tokens', '/v1/markets/corridors']) {
    const { headers } = await service.request(path);
    const asked = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    assert.equal((await service.request(path, asked)).status, 304);
    assert.ok(served.paths[path]?.['get']?.responses['304'] !== undefined);
  }
});

test('the headers of a stream and of a file are those of the document', async () => {
  const path = `/v1/reports/${await made.ofReport()}`;
  for (let status = ''; status !== 'COMPLETE'; )
    status = (await service.ask<{ status: string }>(path)).status;
  const asked = {
    '/v1/events/stream': '/v1/events/stream?after=now',
    '/v1/reports/{reportId}/download': `${path}/download`,
  };
  for (const [shape, at] of Object.entries(asked)) {
    const { status, headers } = await service.request(at, { method: 'HEAD' });
    assert.equal(status, 200);
    assert.ok(headers.has('x-accel-buffering'));
    const declared = served.paths[shape]?.['get']?.responses['200'] ?? assert.fail(shape);
    assert.deepEqual(undeclaredHeaders(declared, headers.keys()), [], shape);
  }
});

test('every event of these requests fits the schema that the document has for its type', async () => {
  const [path] = (await made.requests['get /v1/reports/{reportId}']?.()) ?? assert.fail();
  const newest = path.split('/').at(-1);
  const events: { subject: { id: string } }[] = [];
  for (let after = ''; events.at(-1)?.subject.id !== newest; ) {
    const { body } = await service.request(`/v1/events?limit=100${after}`);
    const { data, nextCursor } = body as { data: typeof events; nextCursor: string };
    events.push(...data);
    after = `&after=${nextCursor}`;
  }
  const subjects = new Set([...assertDescribed(events)].map((type) => type.split('.')[0]));
  const expected = [
    ...['collect_request', 'credential', 'payment_plan', 'recipient', 'report'],
    ...['statement', 'statement_entry', 'webhook_endpoint'],
  ];
  assert.deepEqual([...subjects].toSorted(), expected);
  const wrong = events.map((event) => ({ ...event, data: { object: { planId: 7 } } }));
  for (const each of wrong) assert.throws(() => assertDescribed([each]), /must/);
});

test('the schema of each recipient of each corridor passes strict Ajv with documented formats', async () => {
  const page = readFileSync(new URL('../../../docs/recipients.md', import.meta.url), 'utf8');
  const formats = [...page.matchAll(/^\| `([a-z-]+)` \| (?:an?|nine|18|one|`0x`) /gm)].map(
    ([, name = '']) => name,
  );
  assert.deepEqual(formats.toSorted(), Object.keys(recipientFormats).toSorted());
  const corridors = await service.ask<Corridor[]>('/v1/markets/corridors?status=all');
  const asks = corridors.flatMap(({ id, constraints }) =>
    constraints.recipientTypes.map((type) => `${id}/requirements?recipientType=${type}`),
  );
  const types = new Set(corridors.flatMap(({ constraints }) => constraints.recipientTypes));
  assert.deepEqual([...types].toSorted(), ['bank', 'email', 'emoney', 'wallet']);
  const isGiven = checkOf('components', 'schemas', 'GivenRecipient');
  for (const ask of asks) {
    const schema = await service.ask<{ examples: object[] }>(`/v1/markets/corridors/${ask}`);
    const strict = new Ajv2020({ strict: true, allErrors: true });
    for (const name of formats) strict.addFormat(name, recipientFormats[name] ?? assert.fail(name));
    const check = strict.compile(schema);
    for (const example of schema.examples) {
      assert.ok(check(example), `${ask}: ${strict.errorsText(check.errors)}`);
      assert.ok(isGiven(example), `${ask}: ${ajv.errorsText(isGiven.errors)}`);
    }
  }
});

test('every documented status but a success is a Problem, with examples of that status', () => {
  const isProblem = checkOf('components', 'schemas', 'Problem');
  for (const { operationId, responses, security } of operations()) {
    const statuses = Object.keys(responses);
    assert.ok(statuses.includes(successOf(responses)) && statuses.includes('400'), operationId);
    assert.equal(statuses.includes('401'), security.length > 0, operationId);
    assert.equal(statuses.includes('403'), security.length > 0, operationId);
    for (const [status, response] of Object.entries(responses)) {
      if (status === successOf(responses) || status === '304') continue;
      const { content = {} } = wholeAnswer(served, response);
      assert.deepEqual(Object.keys(content), ['application/problem+json']);
      const { schema, examples = {} } = content['application/problem+json'] ?? assert.fail();
      assert.deepEqual(schema, { $ref: '#/components/schemas/Problem' });
      assert.notEqual(Object.keys(examples).length, 0);
      for (const code of Object.keys(examples)) {
        const { value } = served.components.examples[code] ?? assert.fail(`no example ${code}`);
        assert.ok(isProblem(value), ajv.errorsText(isProblem.errors));
        assert.equal(String(value.status), status, code);
      }
    }
  }
});

test('required and optional, bounds, defaults and enums are those of the interface', () => {
  const required = (name: string) => served.components.schemas[name]?.required?.toSorted();
  assert.deepEqual(required('Chain'), ['chainId', 'name']);
  assert.deepEqual(required('Token'), ['address', 'chainId', 'decimals', 'symbol']);
  assert.deepEqual(required('Corridor'), ['constraints', 'id', 'source', 'target']);
  assert.deepEqual(required('AsOf'), ['timestamp']);
  const quote = ['amountIn', 'amountOut', 'asOf', 'chainId', 'expiresAt', 'tokenIn', 'tokenOut', 'tradeType'];
  assert.deepEqual(required('Quote'), quote);
  assert.deepEqual(required('Instruction'), ['chainId', 'constraints', 'data', 'kind', 'to', 'value']);
  assert.deepEqual(required('SwapPlan'), ['quote']);
  assert.deepEqual(required('Problem'), ['status', 'title', 'type']);
  const asked = ['amount', 'chainId', 'tokenIn', 'tokenOut', 'tradeType'];
  assert.deepEqual(required('SwapPlanRequest'), asked);
  const slippage = { minimum: 0, maximum: 5000, default: 50 };
  const { slippageBps, tradeType } = served.components.schemas['SwapPlanRequest']?.properties ?? {};
  // By its name: openapi-typescript makes members required that have a default beside them.
  assert.deepEqual(slippageBps, { $ref: '#/components/schemas/SlippageBps' });
  assert.partialDeepStrictEqual(served.components.schemas['SlippageBps'], slippage);
  assert.deepEqual(tradeType?.enum, ['EXACT_IN', 'EXACT_OUT']);
  const { parameters = [] } = served.paths['/v1/quote']?.['get'] ?? {};
  assert.deepEqual(
    parameters
      .filter((each) => each.required)
      .map(({ name }) => name)
      .sort(),
    asked,
  );
  const ofQuote = parameters.find(({ name }) => name === 'slippageBps');
  assert.deepEqual(ofQuote?.schema, slippageBps);
  assert.ok(parameters.every((each) => each.in === 'query'));
  const tokens = served.paths['/v1/markets/tokens']?.['get']?.parameters;
  assert.deepEqual(
    tokens?.filter((each) => each.in === 'query').map(({ name, required }) => [name, required]),
    [['chainId', false]],
  );
});

/** Sends bodies with one member changed: the service accepts exactly those that the document allows. */
async function assertAgreement(
  path: string,
  whole: () => object,
  variants: Record<string, readonly unknown[]>,
): Promise<{ taken: number; refused: number }> {
  const check = checkOf('paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema');
  const outcomes = { taken: 0, refused: 0 };
  for (const [name, values] of Object.entries(variants)) {
    for (const value of values) {
      const body = { ...whole(), [name]: value };
      // JSON drops values such as undefined, so the schema must see the body after JSON.
      const allowed = check(JSON.parse(JSON.stringify(body)));
      const { status, body: answer } = await service.request(path, postOf(body));
      const taken = status === 200 || status === 201 || status === 202;
      outcomes[taken ? 'taken' : 'refused']++;
      assert.equal(taken, allowed, `${name} ${JSON.stringify(value)}: ${JSON.stringify(answer)}`);
      const agrees = responseCheck('post', path, status);
      assert.ok(agrees(answer), ajv.errorsText(agrees.errors));
    }
  }
  return outcomes;
}

test('the service accepts exactly the swaps that the document allows', async () => {
  const { tokenOut: dai } = made.trade();
  const variants: Record<string, readonly unknown[]> = {
    chainId: [undefined, '31337', 1.5, -1, null],
    tokenIn: [undefined, dai.slice(0, -1), `${dai}0`, 5, dai.toLowerCase().replace('0x', '0X')],
    tradeType: [undefined, 'exact_in', 'EXACT_OUT'],
    amount: [undefined, '01', '1.0', '', '-5', 5, '9'.repeat(79), '7'],
    slippageBps: [undefined, -1, 0, 50, 5000, 5001, 50.5, '50', null],
    recipient: [undefined, 'x', `0x${'ab'.repeat(20)}`, null],
    sender: [undefined, 'x', `0x${'ab'.repeat(20)}`, null],
    deadline: [undefined, '2100-01-01T00:00:00Z', '2100-01-01', 'soon', 4102444800, null],
    maxHops: [undefined, 0, 1, 3, 4, '1'],
    maxSplits: [undefined, 0, 1, 16, 17, '1'],
    excludeSources: [undefined, [], ['uniswap-v2'], 'uniswap-v2', [''], [1], null],
    excludeTokens: [undefined, [], dai, [`${dai}0`], [''], [1], null],
    excludePools: [undefined, [], dai, [`${dai}0`], [''], [1], null],
    another: [undefined, 1],
  };
  const outcomes = await assertAgreement(
    '/v1/swap',
    () => ({ ...made.trade(), tradeType: 'EXACT_IN' }),
    variants,
  );
  assert.ok(outcomes.taken > 15 && outcomes.refused > 25, JSON.stringify(outcomes));
});

test('the service accepts exactly the payments that the document allows', async () => {
  const account = `0x${'ab'.repeat(20)}`;
  const standard = (changes: object) => ({ mode: 'STANDARD', ...changes });
  const lines = [
    '',
    ' ',
    '\u00a0\u2003',
    'a\nb',
    '\u0085',
    'x\u2028',
    ' x ',
    '\u202ex',
    '\u2764\ufe0f',
    '𝒳'.repeat(100),
  ];
  const variants: Record<string, readonly unknown[]> = {
    clientReference: [undefined, null, 5, ...lines, 'x'.repeat(128), '𝒳'.repeat(128), '𝒳'.repeat(129)],
    corridorId: [undefined, null, 5, []],
    amountIn: [undefined, '01', '1.0', '', '-5', 1_000_000, '9'.repeat(79), '2000000', null],
    recipient: [undefined, null, 'x', [], {}, { type: 'BANK' }, { type: 5 }],
    options: [
      ...[undefined, null, [], {}, { mode: 'x' }, standard({ slippage: 1 })],
      ...[0, 5000, 5001, '5', 1.5].map((slippageBps) => standard({ slippageBps })),
      ...[account, account.slice(1), 5].map((sender) => standard({ sender })),
      ...[`0x${'d1'.repeat(20)}`, 'x', null].map((depositAddress) => standard({ depositAddress })),
      ...['1', '01', 1].map((minAmountOut) => standard({ minAmountOut })),
    ],
    metadata: [
      ...[undefined, null, [], {}, { a: '' }, { a: 'x' }, { a: 1 }, { '': 'x' }, { 'a\nb': '\n' }],
      ...[
        { 'a\nb': 1 },
        { ['𝒳'.repeat(64)]: '𝒳'.repeat(256) },
        { ['𝒳'.repeat(65)]: 'x' },
        { a: 'x'.repeat(257) },
      ],
      ...[20, 21].map((size) => Object.fromEntries([...Array(size).keys()].map((key) => [`k${key}`, 'x']))),
    ],
    another: [undefined, 1],
  };
  const outcomes = await assertAgreement('/v1/payments', made.payment, variants);
  const collect = (given: unknown) => ({ mode: 'DIGITAL_COLLECT', collect: given });
  const byMail = () =>
    made.payment({ corridorId: 'usdc-eur-collect', recipient: { type: 'email', email: 'jo@example.com' } });
  const mails = await assertAgreement('/v1/payments', byMail, {
    options: [
      ...[undefined, {}, null, [], { a: 1 }].map(collect),
      ...['P14D', 5, null].map((expiresIn) => collect({ expiresIn })),
      ...[...lines, 'x'.repeat(500), 'x'.repeat(501)].map((message) => collect({ message })),
      ...[['wallet'], ['wallet', 'bank', 'emoney'], [], ['wallet', 'wallet'], ['mail'], 'wallet', null].map(
        (allowedDestinations) => collect({ allowedDestinations }),
      ),
    ],
  });
  assert.ok(outcomes.taken > 15 && outcomes.refused > 40, JSON.stringify(outcomes));
  assert.ok(mails.taken > 8 && mails.refused > 12, JSON.stringify(mails));
});

test('the service accepts exactly the recipients that the document allows', async () => {
  const lines = ['', ' ', 'a\nb', ' x ', '𝒳'.repeat(128), '𝒳'.repeat(129)];
  const outcomes = await assertAgreement('/v1/recipients', () => ({ recipient: made.bank() }), {
    clientReference: [undefined, null, 5, ...lines.map((line) => line && `${line}r`), ' '],
    label: [undefined, null, 5, ...lines],
    metadata: [undefined, null, [], {}, { a: 'x' }, { a: 1 }],
    recipient: [undefined, null, 'x', [], {}, { type: 'BANK' }, { type: 'saved' }],
    another: [undefined, 1],
  });
  assert.ok(outcomes.taken > 8 && outcomes.refused > 18, JSON.stringify(outcomes));
});

/** The methods of a path: those of each described path that it fits. */
function allowOf(path: string): string {
  const fitting = Object.entries(served.paths).filter(([shape]) => fits(path, shape));
  const names = fitting
    .flatMap(([, methods]) => Object.keys(methods))
    .flatMap((each) => (each === 'get' ? ['GET', 'HEAD'] : [each.toUpperCase()]));
  return [...new Set(names)].sort().join(', ');
}

test('answers to strangers, to other methods and to other bodies are as documented', async () => {
  const codeOf = async (path: string, init?: RequestInit) => {
    const { headers, body } = await service.request(path, init);
    return [(body as { code?: string }).code, headers.get('allow')];
  };
  for (const [path, methods] of Object.entries(served.paths)) {
    for (const [name, { responses, requestBody }] of Object.entries(methods)) {
      const method = name.toUpperCase();
      const stranger = await fetch(`${service.url}${path}`, { method });
      assert.equal(stranger.status === 401, responses['401'] !== undefined, path);
      assert.deepEqual(await codeOf(path, { method: 'OPTIONS' }), ['method-not-allowed', allowOf(path)]);
      assert.deepEqual(await codeOf(`${path}/`), ['not-found', null]);
      const isFile = requestBody !== undefined && !('application/json' in requestBody.content);
      const isText = isFile && 'text/plain' in requestBody.content;
      const wrong = {
        'text/plain': isText ? 'validation-failed' : 'unsupported-media-type',
        'application/json': isFile ? 'unsupported-media-type' : 'malformed-json',
      };
      for (const [type, code] of Object.entries(wrong)) {
        const sent = {
          method,
          headers: { 'content-type': type },
          ...(method === 'GET' ? {} : { body: '{' }),
        };
        if (requestBody !== undefined) assert.deepEqual(await codeOf(path, sent), [code, null], path);
      }
      const large = { ...postOf({}), method, body: ' '.repeat(70_000) };
      const tooLarge = isFile ? 'unsupported-media-type' : 'body-too-large';
      if (requestBody !== undefined) assert.deepEqual(await codeOf(path, large), [tooLarge, null]);
      const documented = ['413', '415'].filter((status) => status in responses);
      assert.equal(documented.length, requestBody === undefined ? 0 : 2, path);
    }
  }
});

/** A new plan whose swap is due. */
async function depositedPlan(): Promise<string> {
  const { planId, steps } = await service.ask<Plan>('/v1/payments', made.payment());
  await service.ask(`/v1/payments/${planId}/steps/${steps[0]?.stepId}/reports`, { outcome: 'DONE' });
  return planId;
}

/** The header of a caller who has seen a plan as it is now. */
async function seenAt(planId: string): Promise<Record<string, string>> {
  const { revision } = await service.ask<{ revision: number }>(`/v1/payments/${planId}`);
  return { 'if-match': `"${revision}"` };
}

test('the forms of the reference can be sent as they are, with a plan and a step of the caller', async () => {
  const forms = formsIn(await (await fetch(`${service.url}/docs`)).text());
  // The two files are sent on the command line.
  assert.equal(forms.length, Object.keys(made.requests).length - 2);
  // Later requests act on the plan of an earlier example, whose step may not be due.
  const early = [
    'step-not-ready',
    'evidence-mismatch',
    'approval-not-due',
    'match-mismatch',
    'recipient-not-erasable',
  ];
  let plan: Plan | undefined;
  for (const { method, path, inputs, body } of forms) {
    const isOfLink = /\/collect[/_]/.test(path);
    const isAgain = path.endsWith('/again');
    const planId = isOfLink
      ? await made.ofLinked('PLAN')
      : isAgain
        ? await depositedPlan()
        : (plan?.planId ?? '');
    const recipientId = path.includes('{recipientId}') ? (await made.ofRecipient('')).split('/').at(-1) : '';
    const tested = /\{(endpoint|delivery|event)Id\}/.test(path) ? await made.ofTested() : undefined;
    const reportId = path.includes('{reportId}') ? await made.ofReport() : '';
    const imported = /\{(statement|entry)Id\}/.test(path) ? await made.ofStatement() : undefined;
    const ids: Record<string, string> = {
      ...(tested && { ...tested, endpointId: tested.path.split('/').at(-1) ?? '' }),
      ...imported,
      name: 'bank',
      planId,
      collectRequestId: made.ofRound(planId).split('/').at(-1) ?? '',
      reportId,
      recipientId: recipientId ?? '',
      stepId: plan?.steps[0]?.stepId ?? '',
    };
    const filled = inputs
      .filter(({ place }) => place === 'path')
      .reduce((url, { name, value }) => url.replace(`{${name}}`, value || (ids[name] ?? '')), path);
    const query = queryOf(
      Object.fromEntries(
        inputs.filter(({ place }) => place === 'query').map(({ name, value }) => [name, value]),
      ),
    );
    const seen = inputs.some(({ place }) => place === 'header') ? await seenAt(planId) : {};
    const init = body === '' ? { method, headers: seen } : { ...postOf({}, seen), method, body };
    const { status, body: answer } = await service.request(`${filled}?${query}`, init);
    const isEarly = status === 409 && early.includes((answer as { code: string }).code);
    assert.ok([200, 201, 202].includes(status) || isEarly, `${method} ${path}: ${JSON.stringify(answer)}`);
    if (method === 'POST' && path === '/v1/payments') plan = answer as Plan;
  }
});
