// The examples do what they say, on a sandbox started the way their first lines say.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'fairway-examples-'));
const readyFile = join(folder, 'ready.json');
const service = spawn(
  process.execPath,
  ['apps/service/src/main.ts', 'start', '--port', '0', '--ready-file', readyFile, '--log-level', 'warn'],
  { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
);
const ended = new Promise((resolve) => service.once('exit', resolve));

before(async () => {
  while (!existsSync(readyFile)) {
    assert.equal(service.exitCode, null, 'the service ended before it was ready');
    await sleep(50);
  }
});

after(async () => {
  service.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true });
});

test('the answer in the README is the answer of a fresh sandbox', async () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, query = ''] = /\/v1\/quote\?([^']+)'/.exec(readme) ?? [];
  const shown = JSON.parse(/```json\n([^`]+)```/.exec(readme)?.[1] ?? '{}');
  const { url, username, password } = JSON.parse(readFileSync(readyFile, 'utf8'));
  const authorization = `Basic ${btoa(`${username}:${password}`)}`;
  const response = await fetch(`${url}/v1/quote?${query}`, { headers: { authorization } });
  const { asOf: _, expiresAt: __, ...given } = (await response.json()) as Record<string, unknown>;
  const { asOf: ___, expiresAt: ____, ...expected } = shown;
  assert.partialDeepStrictEqual(given, expected);
});

test('with viem: selling exactly one ETH pays exactly the quoted amount', async () => {
  const { stdout } = await run(process.execPath, ['examples/swapWithViem.ts', readyFile], { cwd: root });
  const [, quoted, received] = /quoted +(\d+)[^]*received +(\d+)/.exec(stdout) ?? [];
  assert.ok(Number(quoted) > 0);
  assert.equal(received, quoted);
});

test('with ethers: an approval and a swap buy exactly 1,000 USDC for the quoted input', async () => {
  const { stdout } = await run(process.execPath, ['examples/swapWithEthers.ts', readyFile], { cwd: root });
  const [, quoted, spent, transactions] = /quoted +(\d+)[^]*spent +(\d+), in (\d)/.exec(stdout) ?? [];
  assert.equal(spent, quoted);
  assert.equal(transactions, '2');
});

test('a payment: exactly the amount that the swap paid to the custodian is paid out', async () => {
  const { stdout } = await run(process.execPath, ['examples/payWithViem.ts', readyFile], { cwd: root });
  const [, swapped, paid] = /swapped +(\d+)[^]*paid out +(\d+)/.exec(stdout) ?? [];
  assert.ok(Number(swapped) > 0);
  assert.equal(paid, swapped);
  assert.match(stdout, /^ACTION_REQUIRED: DONE, READY, PENDING; The transaction \w+ was submitted/m);
  assert.match(stdout, /^COMPLETED: DONE, DONE, DONE$/m);
  assert.match(stdout, new RegExp(`paid out ${paid}, left 0$`, 'm'));
});

test('month-end: the file of the movements so far adds up to what the payment moved', async () => {
  // `to` is included in no period, and is not in the future.
  const [from, to] = ['2020-01-01T00:00:00Z', new Date().toISOString()];
  const args = [join(root, 'examples/monthEnd.ts'), readyFile, from, to];
  const { stdout } = await run(process.execPath, args, { cwd: folder });
  const totals = new Map(
    [...stdout.matchAll(/^(\w+) +([\d.]+) (\w+) \(1 rows\)$/gm)].map(([, kind, amount, symbol]) => [
      kind,
      `${amount} ${symbol}`,
    ]),
  );
  assert.deepEqual([...totals.keys()].sort(), ['DEPOSIT', 'PAYOUT', 'SWAP_IN', 'SWAP_OUT'], stdout);
  assert.equal(totals.get('DEPOSIT'), '1000.000000 USDC');
  assert.equal(totals.get('PAYOUT'), totals.get('SWAP_OUT'));
  const [, file = ''] = /^(movements-\S+\.json): 4 rows/m.exec(stdout) ?? assert.fail(stdout);
  assert.equal(JSON.parse(readFileSync(join(folder, file), 'utf8')).length, 4);
});

test('a receiver of webhooks takes each event once, and nothing that is not signed', async () => {
  const { url, username, password } = JSON.parse(readFileSync(readyFile, 'utf8'));
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const env = { ...process.env, PORT: '0', WEBHOOK_SECRET: secret };
  const receiver = spawn(process.execPath, ['examples/receiveWebhooks.ts'], { cwd: root, env });
  try {
    let printed = '';
    receiver.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    const until = async (shape: RegExp) => {
      for (let tries = 0; tries < 600 && !shape.test(printed); tries += 1) await sleep(50);
      return shape.exec(printed)?.[0] ?? assert.fail(printed);
    };
    const place = await until(/http:\S+(?=\n)/);
    const send = (id: string, sequence: number, key: string) => {
      const body = JSON.stringify({ type: 't', subject: { id: 's' }, sequence, data: { object: {} } });
      const at = new Date();
      const signature = new Webhook(key).sign(id, at, body);
      const seconds = String(Math.floor(at.getTime() / 1000));
      const headers = { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature };
      return fetch(place, { method: 'POST', body, headers });
    };
    assert.deepEqual([(await send('a', 2, secret)).status, (await send('b', 1, secret)).status], [204, 204]);
    assert.equal((await send('c', 3, `whsec_${randomBytes(32).toString('base64')}`)).status, 400);
    assert.match(printed, /^t s 2\ndropped s 1\n$/m);
    const authorization = `Basic ${btoa(`${username}:${password}`)}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const made = await fetch(`${url}/v1/webhook_endpoints`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify({ url: place }),
    });
    const { endpointId } = (await made.json()) as { endpointId: string };
    await fetch(`${url}/v1/webhook_endpoints/${endpointId}/test`, { method: 'POST', headers, body: '{}' });
    // What the service signs with is another secret than that of the receiver here, which takes none of it.
    let attempts: { status: number }[] = [];
    for (let tries = 0; tries < 200 && attempts.length === 0; tries += 1) {
      await sleep(50);
      const listed = await fetch(`${url}/v1/webhook_endpoints/${endpointId}/deliveries`, { headers });
      ({ attempts } = ((await listed.json()) as { data: { attempts: typeof attempts }[] }).data[0] ?? {
        attempts,
      });
    }
    assert.equal(attempts[0]?.status, 400);
  } finally {
    receiver.kill();
  }
});

test('with curl: the script shows chains, tokens and a quote', async () => {
  const { url, username, password } = JSON.parse(readFileSync(readyFile, 'utf8'));
  const { stdout } = await run('sh', ['examples/quote.sh', url, username, password], { cwd: root });
  assert.match(stdout, /"tradeType":"EXACT_IN","amountIn":"1000000000000000000","amountOut":"\d+"/);
});

test('the example of a proxy fits the example configuration and the port of the service', () => {
  const caddy = readFileSync(join(root, 'examples/deploy/Caddyfile'), 'utf8');
  const [, name] = /^(\S+) \{$/m.exec(caddy) ?? [];
  const [, host, port] = /reverse_proxy (\S+):(\d+)/.exec(caddy) ?? [];
  const config = JSON.parse(readFileSync(join(root, 'examples/config/fairway.json'), 'utf8'));
  assert.equal(`https://${name}`, config.publicUrl);
  assert.ok(config.trustedProxies.includes(host), `${host} is a trusted proxy`);
  const deployment = readFileSync(join(root, 'examples/deploy/README.md'), 'utf8');
  assert.match(deployment, new RegExp(`fairway start .*--port ${port}\\b`));
});
