// `fairway config sandbox`, as a user runs it. A sandbox tells its configuration. A second service with a database of
// its own starts with nothing else.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Corridor, PaymentPlan, Quote, Sandbox } from '@fairway/wire';
import { type Caller, callerOf, makeLogin } from './paymentCalls.ts';
import { requestOf } from './paymentsHarness.ts';
import { endEverything, freshFolder, untilReady } from './processHarness.ts';
import { runFairway, startFairway, type StartedService } from './commandHarness.ts';

const folder = freshFolder();
const readyFile = join(folder, 'ready.json');
const keyFile = join(folder, 'own.key');
const env = { FAIRWAY_SEALING_KEYS: `one:file:${keyFile}` };
let sandbox: StartedService;
let own: StartedService;
let askSandbox: Caller;
let askOwn: Caller;

const configure = (out: string, ...more: readonly string[]) =>
  runFairway(['config', 'sandbox', '--out', join(folder, out), ...more]);

before(async () => {
  sandbox = await startFairway(['--port', '0']);
  writeFileSync(readyFile, JSON.stringify(sandbox.ready));
  askSandbox = callerOf(sandbox.ready.url, sandbox.ready);
  const { code, output } = await configure('mine.json', '--port', '8099', '--ready-file', readyFile);
  assert.equal(code, 0, output);
  assert.match(output, /npx fairway start --config \S+mine\.json --port 8099 --data \.\/own/);
  // Both terminals need the key.
  assert.equal(output.match(/ FAIRWAY_SEALING_KEYS=one:file:own\.key\n/g)?.length, 2, output);
  writeFileSync(keyFile, `${'5a'.repeat(32)}\n`, { mode: 0o600 });
  const data = join(folder, 'own');
  const args = ['--port', '0', '--config', join(folder, 'mine.json'), '--data', data];
  own = await startFairway(args, env);
  await untilReady(own.ready.url);
  askOwn = callerOf(own.ready.url, await makeLogin({ data, env }, 'Acme'));
});
after(endEverything);

test('GET /v1/sandbox lists the contracts that the file names, and they are on the chain', async () => {
  const told = (await askSandbox('/v1/sandbox')).body as unknown as Sandbox;
  const { chains, mail, publicUrl } = JSON.parse(readFileSync(join(folder, 'mine.json'), 'utf8'));
  const [{ factories, routers, wrappedNative, multicall3 }] = chains;
  assert.deepEqual(factories, told.factories);
  assert.deepEqual([wrappedNative, multicall3], [told.wrappedNative, told.multicall3]);
  assert.deepEqual(routers, [
    { kind: 'SWAP_ROUTER_02', address: (told.routers as Record<string, string>)['swapRouter02'] },
  ]);
  assert.deepEqual([mail.smtpUrl, publicUrl], [told.smtpUrl, 'http://127.0.0.1:8099']);
  for (const address of [...told.factories.map((each) => each.address), wrappedNative, multicall3]) {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getCode',
      params: [address, 'latest'],
    });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(told.rpcUrl, { method: 'POST', headers, body });
    assert.match(((await answer.json()) as { result: string }).result, /^0x[0-9a-f]{100,}$/, address);
  }
});

test('the second service has the corridors of the sandbox, and quotes as it does', async () => {
  const lists = await Promise.all(
    [askSandbox, askOwn].map(async (ask) => {
      const { body } = await ask('/v1/markets/corridors?status=all');
      return (body as unknown as Corridor[]).map(
        ({ constraints: { requirementsUrl: _, ...rest }, ...each }) => ({
          ...each,
          ...rest,
        }),
      );
    }),
  );
  assert.equal(lists[0]?.length, 8);
  assert.deepEqual(lists[1], lists[0]);
  const [corridor = assert.fail()] = lists[0] ?? [];
  const query = new URLSearchParams({
    chainId: String(corridor.source.chainId),
    tokenIn: corridor.source.address,
    tokenOut: corridor.target.address ?? '',
    tradeType: 'EXACT_IN',
    amount: '1000000000',
  });
  const [theirs, ours] = await Promise.all(
    [askSandbox, askOwn].map(async (ask) => (await ask(`/v1/quote?${query}`)).body as unknown as Quote),
  );
  assert.match(ours?.amountOut ?? '', /^\d+$/);
  assert.deepEqual([ours?.amountOut, ours?.route], [theirs?.amountOut, theirs?.route]);
});

test('the second service makes plans, to a bank account and for a recipient who is e-mailed', async () => {
  const recipient = { type: 'email', email: 'jo@example.com', name: 'Jo Citizen' };
  for (const fields of [
    {},
    { corridorId: 'usdc-eur-collect', recipient, options: { mode: 'DIGITAL_COLLECT' } },
  ]) {
    const { status, text, body } = await askOwn('/v1/payments', requestOf(fields));
    assert.equal(status, 200, text);
    assert.equal((body as unknown as PaymentPlan).status, 'ACTION_REQUIRED');
  }
});

test('files that are there stay as they are, and no file is written where something is wrong', async () => {
  const before = readFileSync(join(folder, 'mine.json'), 'utf8');
  const again = await configure('mine.json', '--ready-file', readyFile);
  assert.equal(again.code, 1);
  assert.match(
    again.output,
    /mine\.tokens\.json cannot be written: it is there already\. Remove it, or name another/,
  );
  assert.equal(readFileSync(join(folder, 'mine.json'), 'utf8'), before);
  const nowhere = await configure('none/mine.json', '--ready-file', readyFile);
  assert.match(nowhere.output, /there is no folder \S+none\./);
  assert.equal((await configure('b.json', '--port', '0', '--ready-file', readyFile)).code, 2);
  const unknown = await runFairway(['config', 'production']);
  assert.deepEqual([unknown.code, /Use: fairway config sandbox/.test(unknown.output)], [2, true]);
  const login = { FAIRWAY_USERNAME: sandbox.ready.username, FAIRWAY_PASSWORD: sandbox.ready.password };
  const wrong = await runFairway(
    ['config', 'sandbox', '--out', join(folder, 'b.json'), '--service', own.ready.url],
    login,
  );
  assert.equal(wrong.code, 1);
  assert.match(wrong.output, /^The service refuses: /);
  assert.ok(!existsSync(join(folder, 'b.json')));
});
