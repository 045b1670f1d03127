import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { quoteUrl, startHarness } from '../httpHarness.ts';
import type { AuditFact } from '../../src/platform/audit/facts.ts';

const facts: AuditFact[] = [];
const harness = await startHarness({
  audit: { record: (fact) => facts.push(fact) },
  limits: { requestsPerSecond: 5, failedLoginsPerMinute: 100 },
});
after(() => harness.close());

/** The facts that a piece of work records. */
async function recorded(work: () => Promise<unknown>): Promise<readonly AuditFact[]> {
  facts.length = 0;
  await work();
  return facts.slice();
}

test('requests that are answered, and errors of the caller, are no facts but the sign-in', async () => {
  const fine = await recorded(async () => {
    assert.equal((await harness.call({ url: '/livez', login: null })).status, 200);
    assert.equal((await harness.call({ url: '/nothing', login: null })).status, 404);
    await harness.call({ url: quoteUrl({ amount: 'x' }), login: 'markets:secret' });
  });
  assert.deepEqual(
    fine.map((fact) => [fact.event, 'status' in fact ? fact.status : undefined]),
    [
      ['SIGN_IN_GRANTED', undefined],
      ['REQUEST_REFUSED', 403],
    ],
  );
});

test('refusals of an organisation with too many requests are recorded, whatever refuses them', async () => {
  const statuses: number[] = [];
  const flood = await recorded(async () => {
    for (let sent = 0; sent < 20; sent += 1) statuses.push((await harness.call({ url: '/health' })).status);
  });
  const refused = flood.filter(({ event }) => event === 'REQUEST_REFUSED');
  assert.ok(refused.length > 5);
  assert.equal(refused.length, statuses.filter((status) => status === 429).length);
});

test('a form with one token too many times is recorded without the token', async () => {
  const token = 'canary'.repeat(8);
  const post = () =>
    harness.server.inject({
      method: 'POST',
      url: '/collect/details',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `token=${token}`,
    });
  const flood = await recorded(async () => {
    for (let sent = 0; sent < 121; sent += 1) await post();
  });
  assert.deepEqual(flood, [
    { event: 'REQUEST_REFUSED', status: 429, route: 'POST /collect/details', address: '127.0.0.1' },
  ]);
});
