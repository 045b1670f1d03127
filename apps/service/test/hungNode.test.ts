// The sandbox's node hangs: callers that wait for it are answered, and the service still ends in good order.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { basic, postOf } from './harness.ts';
import { endEverything, freshFolder, startProcess, waitForEnd } from './processHarness.ts';

after(endEverything);

// A call gives up after 5 s. Three calls of each kind, one after the other, would take longer than this timeout.
test('clock and faucet answer 503, and SIGTERM ends everything with exit code 0', {
  timeout: 40_000,
}, async () => {
  const data = join(freshFolder(), 'data');
  const service = await startProcess(['--port', '0', '--data', data]);
  const { url, username, password } = service.ready;
  const authorization = basic(username, password);
  const ask = async (path: string, body: object) => {
    const init = postOf(body);
    const headers = { ...(init.headers as object), authorization };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    return { status: response.status, body: await response.json() };
  };
  const faucet = () =>
    ask('/v1/sandbox/faucet', { address: `0x${'ab'.repeat(20)}`, native: true, amount: '1' });
  const clock = () => ask('/v1/sandbox/clock', { advance: 'PT1S' });
  assert.equal((await faucet()).status, 200);
  const family = service.family();
  const node = family.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('bin/anvil')) ?? 0;
  process.kill(node, 'SIGSTOP');
  const answers = await Promise.all([faucet(), clock(), faucet(), clock(), faucet(), clock()]);
  for (const { status, body } of answers) {
    assert.equal(status, 503);
    assert.partialDeepStrictEqual(body, { code: 'upstream-unavailable' });
  }
  const underWay = faucet().catch(() => 'cut');
  // Gives the requests time to reach the node.
  await sleep(500);
  service.child.kill('SIGTERM');
  assert.deepEqual(await waitForEnd(family), []);
  assert.equal(await service.ended, 0, service.output());
  await underWay;
});
