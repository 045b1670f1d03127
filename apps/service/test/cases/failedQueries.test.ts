// Each query of each request fails once. The answer is a 503 that says when to ask again. Sent again, the same request is
// carried out once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { scale } from '@fairway/testing/properties';
import { collectRequestIdOf, type PlanId } from '@fairway/plan';
import type { PaymentPlan } from '@fairway/wire';
import { callerChanges, watched } from '../callerChanges.ts';
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
before(async () => {
  payments = await startPaymentsTest();
  faults = startFailingQueries();
});
after(async () => {
  faults?.close();
  await payments?.close();
});

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
async function deedsOf(plan: PaymentPlan): Promise<number> {
  const caller = payments.service.running.demo?.username;
  return (await payments.events(plan)).filter(({ actor }) => actor === caller).length;
}

const EMAIL = { type: 'email', email: 'jo@example.com', name: 'Jo Citizen' };
/** Requests that make one thing under a reference. */
const CREATIONS: Readonly<Record<string, (clientReference: string) => object>> = {
  '/v1/payments': (clientReference) => requestOf({ ...watched(), clientReference }),
  '/v1/recipients': (clientReference) => ({ clientReference, recipient: EMAIL }),
};

/** By night all; by day a change of each kind of writing fails in one way. */
const isNight = scale > 1;
const BY_DAY = ['a report of a payout', 'a reveal of the recipient', 'a refund'];

for (const failure of ['NOT_SENT', 'LOST'] as const) {
  const changes = callerChanges(() => payments).filter(
    ({ what }) => isNight || (failure === 'NOT_SENT' && BY_DAY.includes(what)),
  );
  for (const { what, prepare, ask } of changes)
    test(`${what}: each query fails (${failure})`, () =>
      failEach(failure, async () => {
        const plan = await prepare();
        return { ask: () => ask(plan), count: () => deedsOf(plan) };
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

test('a link asked for by its collect request: each query fails', () => {
  const change = callerChanges(() => payments).find(({ what }) => what === 'another link');
  return failEach('NOT_SENT', async () => {
    const plan = (await change?.prepare()) ?? assert.fail();
    const path = `/v1/collect_requests/${collectRequestIdOf(plan.planId as PlanId, 1)}/reissue`;
    return { ask: () => call('POST', path, {}), count: () => deedsOf(plan) };
  });
});

const READS = [
  ...['/v1/payments', '/v1/recipients', '/v1/webhook_endpoints', '/v1/reports', '/v1/events'],
  ...['/v1/collect_requests', '/v1/reconciliation/statements', '/v1/reconciliation/maps'],
];
for (const path of READS)
  test(`GET ${path}: each query fails`, () =>
    failEach('NOT_SENT', async () => ({ ask: () => call('GET', path) })));
