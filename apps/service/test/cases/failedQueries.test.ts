// Each query of each request fails once. The answer is a 503 that says when to ask again. Sent again, the same request is
// carried out once.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { scale } from '@fairway/testing/properties';
import { OPERATION_IDS, operation, type PaymentPlan } from '@fairway/wire';
import { callerChanges, watched } from '../callerChanges.ts';
import { type ContractRequests, contractRequests } from '../contractRequests.ts';
import { basic } from '../harness.ts';
import { makeLogin } from '../paymentCalls.ts';
import { endEverything, freshFolder } from '../processHarness.ts';
import { type FailingQueries, type QueryFailure, startFailingQueries } from '../failingQueries.ts';
import {
  freshReference,
  type PaymentsTest,
  type PlanAnswer,
  requestOf,
  startPaymentsTest,
} from '../paymentsHarness.ts';

let payments: PaymentsTest;
let faults: FailingQueries;
let requests: ContractRequests['requests'];
/** The login of a credential that may do everything. */
let anything: string;
before(async () => {
  const data = join(freshFolder(), 'data');
  payments = await startPaymentsTest(undefined, ['--data', data]);
  const { username, password } = await makeLogin({ data }, 'Sandbox demo');
  anything = basic(username, password);
  ({ requests } = await contractRequests(payments.service));
  faults = startFailingQueries();
});
after(async () => {
  faults?.close();
  await payments?.close();
  await endEverything();
});

/** A request as it is sent. The demo credential may not approve, so that another one does. It is known before a query fails. */
async function sent([path, init = {}]: ContractRequest): Promise<ContractRequest> {
  if (!/\/(approve|reject)$/.test(path)) return [path, init];
  const headers = { authorization: anything, ...(init.headers as Record<string, string>) };
  await payments.service.request('/v1/payments?limit=1', { headers: { authorization: anything } });
  return [path, { ...init, headers }];
}

type ContractRequest = Awaited<ReturnType<ContractRequests['requests'][string]>>;

/** More queries than any request makes. */
const MOST_QUERIES = 120;

/** A request, and how often it was carried out; `count` is left out for one that changes nothing. */
type Asked = { readonly ask: () => Promise<Answer>; readonly count?: () => Promise<number> };
type Answer = Pick<PlanAnswer, 'status' | 'headers' | 'text'>;

/** Has each query fail, one after the other. `prepare` makes the request possible again after it was carried out. */
async function failEach(failure: QueryFailure, prepare: () => Promise<Asked>): Promise<void> {
  let asked = await prepare();
  for (let at = 1; at < MOST_QUERIES; at += 1) {
    const before = await asked.count?.();
    const { answer, text } = await faults.whileFailing(at, failure, asked.ask);
    const where = `query ${at} (${text}): ${answer.text}`;
    if (text === undefined) {
      assert.ok(answer.status < 300, where);
      return assert.ok(at > 1, 'the request makes a query');
    }
    if (answer.status >= 300) {
      assert.equal(answer.status, 503, where);
      const { code } = JSON.parse(answer.text) as { code: string };
      assert.ok(['upstream-unavailable', 'outcome-unknown'].includes(code), where);
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      if (code === 'upstream-unavailable') assert.equal(await asked.count?.(), before, where);
      const again = await asked.ask();
      // A request of which nobody knew whether it was carried out may meet what it has done.
      const isOver = code === 'outcome-unknown' && again.status === 409;
      assert.ok(again.status < 300 || isOver, `${where}, and then ${again.text}`);
    }
    if (before === undefined) continue;
    assert.equal(await asked.count?.(), before + 1, where);
    asked = await prepare();
  }
  assert.fail('a request makes queries without end');
}

async function call(method: string, path: string, body?: object): Promise<Answer> {
  const { url, authorization } = payments.service;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
}

async function lengthOf(path: string): Promise<number> {
  const { status, text } = await call('GET', path);
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { data: readonly unknown[] }).data.length;
}

/** What the caller did to a plan. */
async function eventCountOf(plan: Pick<PaymentPlan, 'planId'>): Promise<number> {
  const caller = payments.service.running.demo?.username;
  return (await payments.events(plan)).filter(({ actor }) => actor === caller).length;
}

const EMAIL = { type: 'email', email: 'jo@example.com', name: 'Jo Citizen' };
/** Requests that make one thing under a reference. */
const CREATIONS: Readonly<Record<string, (clientReference: string) => object>> = {
  '/v1/payments': (clientReference) => requestOf({ ...watched(), clientReference }),
  '/v1/recipients': (clientReference) => ({ clientReference, recipient: EMAIL }),
};

/** By day the requests of all operations fail, each prepared once; by night changes are sent again after each failure. */
const isNight = scale > 1;

for (const failure of ['NOT_SENT', 'LOST'] as const) {
  for (const { what, prepare, ask } of isNight ? callerChanges(() => payments) : [])
    test(`${what}: each query fails (${failure})`, () =>
      failEach(failure, async () => {
        const plan = await prepare();
        return { ask: () => ask(plan), count: () => eventCountOf(plan) };
      }));

  for (const [path, bodyOf] of Object.entries(CREATIONS))
    test(`POST ${path}: each query fails (${failure})`, () =>
      failEach(failure, async () => {
        const reference = freshReference();
        const body = bodyOf(reference);
        const count = () => lengthOf(`${path}?clientReference=${reference}`);
        return { ask: () => call('POST', path, body), count };
      }));
}

/** What a request can change, as it is now; undefined where nothing shows it. */
async function stateBehind(path: string): Promise<unknown> {
  const [, hex] = /(?:plan|clr)_([0-9a-f]{32})/.exec(path) ?? [];
  if (hex !== undefined) return eventCountOf({ planId: `plan_${hex}` });
  const [thing] =
    /^\/v1\/(recipients\/rec|webhook_endpoints\/|reconciliation\/(entries|maps)\/)\w+/.exec(path) ?? [];
  const isList = /^\/v1\/(reports|webhook_endpoints|recipients|reconciliation\/statements)$/.test(path);
  if (thing === undefined && !isList) return undefined;
  const { status, body } = await payments.service.request(thing ?? path);
  // Deliveries that go on meanwhile change when an endpoint began to fail.
  return status === 200 ? { ...(body as object), failingSince: undefined } : status;
}

/**
 * Has each query of a request fail, and then has it carried out. While the answer says that it was not carried out, it was
 * not. `prepare` makes another one where it may have been.
 */
async function failUntilDone(prepare: ContractRequests['requests'][string]): Promise<void> {
  let asked = await prepare();
  for (let at = 1; at < MOST_QUERIES; at += 1) {
    const [path] = asked;
    const before = await stateBehind(path);
    const request = await sent(asked);
    const { answer, text } = await faults.whileFailing(at, 'NOT_SENT', () =>
      payments.service.request(...request),
    );
    const where = `query ${at} (${text}): ${answer.status} ${JSON.stringify(answer.body)}`;
    const { code } = answer.body as { readonly code?: string };
    // Nothing waits for approval in a sandbox.
    const isDone = answer.status < 300 || code === 'approval-not-due';
    if (text === undefined) return assert.ok(isDone, where);
    if (code === 'upstream-unavailable') assert.deepEqual(await stateBehind(path), before, where);
    else {
      assert.ok(isDone || code === 'outcome-unknown', where);
      asked = await prepare();
    }
    if (isDone) continue;
    assert.equal(answer.status, 503, where);
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  }
  assert.fail('a request makes queries without end');
}

const WRITES = OPERATION_IDS.map(operation).filter(({ method }) => method !== 'GET');
for (const { method, path } of WRITES)
  test(`${method} ${path}: each query fails`, async () => {
    const name = `${method.toLowerCase()} ${path}`;
    const request = requests[name] ?? assert.fail(`${name} has no request in contractRequests.ts`);
    await failUntilDone(request);
  });

const READS = [
  ...['/v1/payments', '/v1/recipients', '/v1/webhook_endpoints', '/v1/reports', '/v1/events'],
  ...['/v1/collect_requests', '/v1/reconciliation/statements', '/v1/reconciliation/maps'],
];
for (const path of READS)
  test(`GET ${path}: each query fails`, () =>
    failEach('NOT_SENT', async () => ({ ask: () => call('GET', path) })));
