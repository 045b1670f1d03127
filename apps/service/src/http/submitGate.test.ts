import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { passed, startHarness, swapBody } from '../../test/httpHarness.ts';
import { createSubmitGate } from './submitGate.ts';

const harness = await startHarness({
  limits: { requestsPerSecond: 1e6, failedLoginsPerMinute: 1e6, concurrentSwaps: 3, concurrentSwapsEach: 2 },
});
after(() => harness.close());

const plan = (login: string) =>
  harness.call({ url: '/v1/swap', method: 'POST', body: swapBody(), login: `${login}:secret` });

test('a credential with too many open requests is refused, and others are still served', async () => {
  const opened = Promise.withResolvers<void>();
  harness.setSwapResult(async () => {
    await opened.promise;
    return passed(harness.orders.at(-1) ?? assert.fail());
  });
  const waiting = [plan('full'), plan('full')];
  while (harness.orders.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const turnedAway = await plan('full');
  assert.equal(turnedAway.status, 503);
  assert.equal(turnedAway.json['code'], 'overloaded');
  assert.match(String(turnedAway.json['detail']), /this credential/);
  const other = plan('second');
  while (harness.orders.length < 3) await new Promise((resolve) => setImmediate(resolve));
  const all = await plan('second');
  assert.equal(all.json['code'], 'overloaded');
  assert.doesNotMatch(String(all.json['detail']), /credential/);
  opened.resolve();
  const served = await Promise.all([...waiting, other]);
  assert.deepEqual(
    served.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await plan('full')).status, 200, 'a place is free again');
});

test('the gate frees the place of work that fails', async () => {
  const gate = createSubmitGate(1, 1);
  const done = { ok: true, body: 'done' } as const;
  for (let round = 0; round < 3; round += 1) {
    await assert.rejects(
      gate('a', () => Promise.reject(new Error('a bug'))),
      /a bug/,
    );
  }
  assert.deepEqual(await gate('a', async () => done), done);
  assert.deepEqual(await gate('b', async () => done), done);
});
