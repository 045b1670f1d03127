// The OpenAPI document that the service serves describes the service that serves it: every path answers, and
// answers and refusals agree with the document's own schemas.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { collectToWallet } from './collectForms.ts';
import { postOf, startTestService, type TestService } from './harness.ts';
import { NATIVE_TOKEN } from './wallet.ts';

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
  responses: Record<string, { content: Record<string, { schema: Schema; examples?: object }> }>;
};
type Document = {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema>; examples: Record<string, { value: { status: number } }> };
};

let service: TestService;
let served: Document;
let ajv: Ajv2020;
let dai: string;

before(async () => {
  service = await startTestService();
  served = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;
  ajv = new Ajv2020({ allErrors: true, strict: false });
  ajvFormats.default(ajv);
  ajv.addFormat('uint64', { type: 'number', validate: (value: number) => value >= 0 && value <= 2 ** 64 });
  ajv.addSchema(served, 'openapi');
  const { tokens } = await service.ask<{ tokens: { symbol: string; address: string }[] }>('/v1/sandbox');
  dai = tokens.find(({ symbol }) => symbol === 'DAI')?.address ?? '';
});
after(() => service?.close());

/** Compiles the schema at a place in the document; its references point into the document. */
function checkOf(...place: string[]): ValidateFunction {
  const pointer = place
    .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map(encodeURIComponent);
  return ajv.compile({ $ref: `openapi#/${pointer.join('/')}` });
}

function responseCheck(method: string, path: string, status: number): ValidateFunction {
  const type = status === 200 ? 'application/json' : 'application/problem+json';
  return checkOf('paths', path, method, 'responses', String(status), 'content', type, 'schema');
}

const trade = () => ({
  chainId: service.chainId,
  tokenIn: NATIVE_TOKEN,
  tokenOut: dai,
  tradeType: 'EXACT_IN',
  amount: '1000000000000000000',
});

const queryOf = (values: Record<string, unknown>) =>
  new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));

let references = 0;
const payment = (changes: object = {}) => ({
  clientReference: `doc-${(references += 1)}`,
  corridorId: 'usdc-wallet',
  amountIn: '1000000',
  recipient: { type: 'wallet', chainId: service.chainId, address: `0x${'ab'.repeat(20)}` },
  options: { mode: 'STANDARD' },
  ...changes,
});
type Plan = { planId: string; steps: { stepId: string }[] };

/** A path below a new plan; `acts` happen to its steps first. */
async function ofPlan(path: string, ...acts: [step: number, report: object][]): Promise<string> {
  const { planId, steps } = await service.ask<Plan>('/v1/payments', payment());
  const stepPath = (step: number) => `/v1/payments/${planId}/steps/${steps[step]?.stepId}`;
  for (const [step, report] of acts) await service.ask(`${stepPath(step)}/reports`, report);
  return path.replace('PLAN', planId).replace(/STEP_(\d)/, (_, step) => steps[Number(step)]?.stepId ?? '');
}

/** A path below a new plan whose payout failed. */
async function ofFailed(path: string): Promise<string> {
  const { planId, steps } = await service.ask<Plan>('/v1/payments', payment());
  const ofStep = (step: number) => `payments/${planId}/steps/${steps[step]?.stepId}`;
  for (const [step, event] of ['deposit.exact', 'swap.done', 'payout.failed'].entries())
    await service.ask(`/v1/sandbox/${ofStep(step)}/simulate`, { event });
  return path.replace('PLAN', planId);
}

/** The token of the deposits of plans. */
async function refundable(): Promise<object> {
  const { funds } = await service.ask<{ funds: { asset: object }[] }>('/v1/payments', payment());
  return funds[0]?.asset ?? assert.fail();
}

/** A path below a new plan whose recipient was e-mailed a link, more than a minute ago. */
async function ofLinked(path: string, email = 'jo@example.com'): Promise<string> {
  const asked = payment({
    corridorId: 'usdc-eur-collect',
    recipient: { type: 'email', email },
    options: { mode: 'DIGITAL_COLLECT' },
  });
  const { planId, steps } = await service.ask<Plan>('/v1/payments', asked);
  for (const [step, event] of ['deposit.exact', 'swap.done'].entries())
    await service.ask(`/v1/sandbox/payments/${planId}/steps/${steps[step]?.stepId}/simulate`, { event });
  await service.ask('/v1/sandbox/clock', { advance: 'PT61S' });
  return path.replace('PLAN', planId);
}

/** A path below a new plan whose link was cancelled. */
async function ofCancelled(path: string): Promise<string> {
  const plan = await ofLinked('/v1/payments/PLAN');
  await service.ask(`${plan}/collect/cancel`, {});
  return path.replace('/v1/payments/PLAN', plan);
}

/** A path below a new plan whose recipient has chosen a wallet. */
async function ofSubmitted(path: string): Promise<string> {
  const email = `jo-${(references += 1)}@example.com`;
  const filled = await ofLinked(path, email);
  await collectToWallet(service, email, `0x${'ab'.repeat(20)}`);
  return filled;
}
const BODYLESS = { method: 'POST' };
const DEPOSITED: [number, object] = [0, { outcome: 'DONE' }];
const FAILED: [number, object] = [1, { outcome: 'FAILED', failure: { code: 'OTHER' } }];
const STEPS_PATH = '/v1/payments/PLAN/steps';

type Request = [path: string, init?: RequestInit];

/** A request of each operation that is answered 200. */
const requests: Record<string, () => Request | Promise<Request>> = {
  'get /health': () => ['/health'],
  'get /livez': () => ['/livez'],
  'get /readyz': () => ['/readyz'],
  'get /v1/markets/chains': () => ['/v1/markets/chains'],
  'get /v1/markets/tokens': () => ['/v1/markets/tokens'],
  'get /v1/markets/corridors': () => ['/v1/markets/corridors'],
  'get /v1/markets/corridors/{corridorId}/requirements': () => [
    '/v1/markets/corridors/usdc-aud-bank/requirements?recipientType=bank',
  ],
  'get /v1/events': () => ['/v1/events?limit=5&type=payment_plan.*'],
  'get /v1/payments': () => ['/v1/payments?limit=5'],
  'post /v1/payments': () => ['/v1/payments', postOf(payment())],
  'get /v1/payments/{planId}': async () => [await ofPlan('/v1/payments/PLAN')],
  'get /v1/payments/{planId}/events': async () => [await ofPlan('/v1/payments/PLAN/events')],
  'get /v1/payments/{planId}/movements': async () => [await ofPlan('/v1/payments/PLAN/movements')],
  'post /v1/payments/{planId}/cancel': async () => [await ofPlan('/v1/payments/PLAN/cancel'), BODYLESS],
  'post /v1/payments/{planId}/close': async () => [
    await ofPlan('/v1/payments/PLAN/close'),
    postOf({ reason: 'ABANDONED', note: 'Nobody paid.', acknowledge: [], force: false }),
  ],
  'post /v1/payments/{planId}/refunds': async () => [
    await ofPlan('/v1/payments/PLAN/refunds', DEPOSITED),
    postOf({
      providerReference: `RF-${(references += 1)}`,
      amount: '12',
      asset: await refundable(),
      occurredAt: '2026-01-01T00:00:00Z',
    }),
  ],
  'post /v1/payments/{planId}/recipient': async () => [
    await ofFailed('/v1/payments/PLAN/recipient'),
    postOf({ recipient: { ...payment().recipient, address: `0x${'ac'.repeat(20)}` } }),
  ],
  'post /v1/payments/{planId}/recipient/reveal': async () => [
    await ofPlan('/v1/payments/PLAN/recipient/reveal'),
    BODYLESS,
  ],
  'post /v1/payments/{planId}/collect/resend': async () => [
    await ofLinked('/v1/payments/PLAN/collect/resend'),
    BODYLESS,
  ],
  'post /v1/payments/{planId}/collect/readdress': async () => [
    await ofLinked('/v1/payments/PLAN/collect/readdress'),
    postOf({ email: 'jo.right@example.com', name: 'Jo Right', locale: 'de' }),
  ],
  'post /v1/payments/{planId}/collect/reissue': async () => [
    await ofCancelled('/v1/payments/PLAN/collect/reissue'),
    BODYLESS,
  ],
  'post /v1/payments/{planId}/collect/cancel': async () => [
    await ofLinked('/v1/payments/PLAN/collect/cancel'),
    postOf({}),
  ],
  'post /v1/payments/{planId}/collect/deliveries': async () => [
    await ofSubmitted('/v1/payments/PLAN/collect/deliveries'),
    postOf({ status: 'SENT', providerReference: 'P-1', occurredAt: '2026-01-01T00:00:00Z', amount: '1' }),
  ],
  'post /v1/payments/{planId}/steps/{stepId}/refresh': async () => [
    await ofPlan(`${STEPS_PATH}/STEP_1/refresh`, DEPOSITED),
    BODYLESS,
  ],
  'post /v1/payments/{planId}/steps/{stepId}/reports': async () => [
    await ofPlan(`${STEPS_PATH}/STEP_0/reports`),
    postOf({ outcome: 'DONE', occurredAt: '2026-01-01T00:00:00Z', amount: '1000000' }),
  ],
  'post /v1/payments/{planId}/steps/{stepId}/retry': async () => [
    await ofPlan(`${STEPS_PATH}/STEP_1/retry`, DEPOSITED, FAILED),
    postOf({}),
  ],
  'post /v1/sandbox/payments/{planId}/steps/{stepId}/simulate': async () => [
    await ofPlan('/v1/sandbox/payments/PLAN/steps/STEP_0/simulate'),
    postOf({ event: 'deposit.exact' }),
  ],
  'get /v1/quote': () => [`/v1/quote?${queryOf(trade())}`],
  'post /v1/swap': () => ['/v1/swap', postOf({ ...trade(), sender: `0x${'ab'.repeat(20)}` })],
  'get /v1/sandbox/mailbox': async () => [await ofSubmitted('/v1/sandbox/mailbox')],
  'get /v1/sandbox': () => ['/v1/sandbox'],
  'post /v1/sandbox/clock': () => ['/v1/sandbox/clock', postOf({ advance: 'PT1S' })],
  'post /v1/sandbox/faucet': () => [
    '/v1/sandbox/faucet',
    postOf({ address: `0x${'ab'.repeat(20)}`, native: true, amount: '1' }),
  ],
};

/** The operation whose answer has no end; eventStream.test.ts reads it. */
const STREAM = 'get /v1/events/stream';

const operations = () => Object.values(served.paths).flatMap((methods) => Object.values(methods));

test('the document is OpenAPI 3.1, has the version of the interface and lists what is served', () => {
  assert.match(served.openapi, /^3\.1\.\d+$/);
  assert.equal(served.info.version, '0.1.0');
  const listed = Object.entries(served.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  assert.deepEqual(listed.sort(), [...Object.keys(requests), STREAM].sort());
});

test('every path answers, and the answer fits the schema in the document', async () => {
  for (const [name, request] of Object.entries(requests)) {
    const [method = '', path = ''] = name.split(' ');
    const { status, body } = await service.request(...(await request()));
    assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`);
    const check = responseCheck(method, path, status);
    assert.ok(check(body), `${name}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(body)}`);
    assert.ok(!check(null), `the schema of ${name} says something`);
  }
});

test('every documented status but 200 is a Problem, and its examples are Problems of that status', () => {
  const isProblem = checkOf('components', 'schemas', 'Problem');
  for (const { operationId, responses, security } of operations()) {
    const statuses = Object.keys(responses);
    assert.ok(statuses.includes('200') && statuses.includes('400'), operationId);
    assert.equal(statuses.includes('401'), security.length > 0, operationId);
    assert.equal(statuses.includes('403'), security.length > 0, operationId);
    for (const [status, { content }] of Object.entries(responses)) {
      if (status === '200') continue;
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
  assert.partialDeepStrictEqual(slippageBps, slippage);
  assert.deepEqual(tradeType?.enum, ['EXACT_IN', 'EXACT_OUT']);
  const { parameters = [] } = served.paths['/v1/quote']?.['get'] ?? {};
  assert.deepEqual(
    parameters
      .filter((each) => each.required)
      .map(({ name }) => name)
      .sort(),
    asked,
  );
  assert.partialDeepStrictEqual(parameters.find(({ name }) => name === 'slippageBps')?.schema, slippage);
  assert.ok(parameters.every((each) => each.in === 'query'));
  const tokens = served.paths['/v1/markets/tokens']?.['get']?.parameters;
  assert.deepEqual(
    tokens?.map(({ name, required }) => [name, required]),
    [['chainId', false]],
  );
});

/**
 * Sends bodies with one member changed, and asserts that the service accepts exactly those that the document allows.
 */
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
      const taken = status === 200;
      outcomes[taken ? 'taken' : 'refused']++;
      assert.equal(taken, allowed, `${name} ${JSON.stringify(value)}: ${JSON.stringify(answer)}`);
      const agrees = responseCheck('post', path, status);
      assert.ok(agrees(answer), ajv.errorsText(agrees.errors));
    }
  }
  return outcomes;
}

test('the service accepts exactly the swaps that the document allows', async () => {
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
    another: [undefined, 1],
  };
  const outcomes = await assertAgreement('/v1/swap', () => ({ ...trade(), tradeType: 'EXACT_IN' }), variants);
  assert.ok(outcomes.taken > 15 && outcomes.refused > 25, JSON.stringify(outcomes));
});

test('the service accepts exactly the payments that the document allows', async () => {
  const account = `0x${'ab'.repeat(20)}`;
  const standard = (changes: object) => ({ mode: 'STANDARD', ...changes });
  const lines = ['', ' ', '\u00a0\u2003', 'a\nb', '\u0085', 'x\u2028', ' x ', '\u202ex', '𝒳'.repeat(100)];
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
  const outcomes = await assertAgreement('/v1/payments', payment, variants);
  const collect = (given: unknown) => ({ mode: 'DIGITAL_COLLECT', collect: given });
  const byMail = () =>
    payment({ corridorId: 'usdc-eur-collect', recipient: { type: 'email', email: 'jo@example.com' } });
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
      const allow = Object.keys(methods)
        .flatMap((each) => (each === 'get' ? ['GET', 'HEAD'] : [each.toUpperCase()]))
        .sort()
        .join(', ');
      assert.deepEqual(await codeOf(path, { method: 'DELETE' }), ['method-not-allowed', allow]);
      assert.deepEqual(await codeOf(`${path}/`), ['not-found', null]);
      const wrong = { 'text/plain': 'unsupported-media-type', 'application/json': 'malformed-json' };
      for (const [type, code] of Object.entries(wrong)) {
        const sent = {
          method,
          headers: { 'content-type': type },
          ...(method === 'GET' ? {} : { body: '{' }),
        };
        if (requestBody !== undefined) assert.deepEqual(await codeOf(path, sent), [code, null], path);
      }
      const large = { ...postOf({}), body: ' '.repeat(70_000) };
      if (requestBody !== undefined) assert.deepEqual(await codeOf(path, large), ['body-too-large', null]);
      const documented = ['413', '415'].filter((status) => status in responses);
      assert.equal(documented.length, requestBody === undefined ? 0 : 2, path);
    }
  }
});

/** A refresh is for the swap step; every other form acts on the deposit step. */
const stepOf = (plan: Plan | undefined, path: string) =>
  plan?.steps[path.endsWith('/refresh') ? 1 : 0]?.stepId ?? '';

/** The forms of the reference, as a browser reads them. */
function formsIn(html: string) {
  const text = (given = '') =>
    given.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
  return [...html.matchAll(/<form data-method="(\w+)" data-path="([^"]+)">(.*?)<\/form>/gs)].map(
    ([, method = '', path = '', inside = '']) => ({
      method,
      path,
      inputs: [...inside.matchAll(/<input name="(\w+)" value="([^"]*)"[^>]*>/g)].map(
        ([whole, name = '', value]) => ({
          name,
          value: text(value),
          inPath: whole.includes('data-in="path"'),
        }),
      ),
      body: text(/<textarea[^>]*>(.*?)<\/textarea>/s.exec(inside)?.[1]),
    }),
  );
}

test('the forms of the reference can be sent as they are, with a plan and a step of the caller', async () => {
  const forms = formsIn(await (await fetch(`${service.url}/docs`)).text());
  assert.equal(forms.length, Object.keys(requests).length);
  // Later requests act on the plan of an earlier example, whose step may not be due.
  const early = ['step-not-ready', 'not-cancelable', 'evidence-mismatch'];
  let plan: Plan | undefined;
  for (const { method, path, inputs, body } of forms) {
    const planId = path.includes('/collect/') ? await ofLinked('PLAN') : (plan?.planId ?? '');
    const ids: Record<string, string> = { planId, stepId: stepOf(plan, path) };
    const filled = inputs
      .filter(({ inPath }) => inPath)
      .reduce((url, { name, value }) => url.replace(`{${name}}`, value || (ids[name] ?? '')), path);
    const query = queryOf(
      Object.fromEntries(inputs.filter(({ inPath }) => !inPath).map(({ name, value }) => [name, value])),
    );
    const init = body === '' ? { method } : { ...postOf({}), body };
    const { status, body: answer } = await service.request(`${filled}?${query}`, init);
    const isEarly = status === 409 && early.includes((answer as { code: string }).code);
    assert.ok(status === 200 || isEarly, `${method} ${path}: ${JSON.stringify(answer)}`);
    if (method === 'POST' && path === '/v1/payments') plan = answer as Plan;
  }
});

test('the reference, the start page and a page for every problem are served as HTML', async () => {
  const codes = Object.keys(served.components.examples);
  assert.ok(codes.length > 15);
  for (const path of ['/', '/docs', '/problems', ...codes.map((code) => `/problems/${code}`)]) {
    const response = await fetch(`${service.url}${path}`);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    const html = await response.text();
    assert.match(html, /^<!doctype html>/i);
    assert.ok(!path.startsWith('/problems/') || html.includes(path.slice('/problems/'.length)), path);
  }
});
