// The examples do what they say, on a sandbox started the way their first lines say.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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

/** The payment that was made: how much was paid out, in units of 6 decimals, and its end-to-end id. */
let paidOut: { readonly units: bigint; readonly endToEndId: string } | undefined;

test('a payment: exactly the amount that the swap paid to the custodian is paid out', async () => {
  const { stdout } = await run(process.execPath, ['examples/payWithViem.ts', readyFile], { cwd: root });
  const [, units = '', endToEndId = ''] = /^paid out +(\d+), end-to-end id (\S+)$/m.exec(stdout) ?? [];
  paidOut = { units: BigInt(units), endToEndId };
  const [, swapped, paid] = /swapped +(\d+)[^]*paid out +(\d+)/.exec(stdout) ?? [];
  assert.ok(Number(swapped) > 0);
  assert.equal(paid, swapped);
  assert.match(stdout, /^ACTION_REQUIRED: PENDING, PENDING, PENDING; /m);
  assert.match(stdout, /^\w+: DONE, DONE, READY; /m);
  assert.match(stdout, /^COMPLETED: DONE, DONE, DONE$/m);
  assert.match(stdout, new RegExp(`out ${paid}, left 0$`, 'm'));
});

/** A time that a report tells of: from, to. */
let month: readonly string[] = [];

/** Runs the example, which writes its file into the test's folder. */
const monthEnd = (...args: readonly string[]) =>
  run(process.execPath, [join(root, 'examples/monthEnd.ts'), readyFile, ...args], { cwd: folder });

test('month-end: the file of the movements so far adds up to what the payment moved', async () => {
  // `to` is included in no period, and is not in the future.
  const now = new Date().toISOString();
  month = [`${now.slice(0, 10)}T00:00:00Z`, now];
  const { stdout } = await monthEnd(...month);
  const totals = new Map(
    [...stdout.matchAll(/^(\w+) +([\d.]+) (\w+) \(1 rows\)$/gm)].map(([, kind, amount, symbol]) => [
      kind,
      `${amount} ${symbol}`,
    ]),
  );
  assert.deepEqual(
    [...totals.keys()].sort(),
    ['DEDUCTION', 'DEPOSIT', 'PAYOUT', 'SWAP_IN', 'SWAP_OUT'],
    stdout,
  );
  assert.equal(totals.get('DEPOSIT'), '1000.000000 USDC');
  const unitsOf = (kind: string) => BigInt(String(totals.get(kind)).replaceAll(/\D/g, ''));
  assert.equal(unitsOf('PAYOUT') + unitsOf('DEDUCTION'), unitsOf('SWAP_OUT'));
  const [, file = ''] = /^(movements-\S+\.json): 5 rows/m.exec(stdout) ?? assert.fail(stdout);
  assert.equal(JSON.parse(readFileSync(join(folder, file), 'utf8')).length, 5);
});

/** A statement of one day: it opens with 5000.00 AUD, and each entry takes some cents away. */
function statementOf(
  day: string,
  entries: readonly { readonly cents: bigint; readonly refs: string }[],
): string {
  const money = (cents: bigint) =>
    `<Amt Ccy="AUD">${cents / 100n}.${String(cents % 100n).padStart(2, '0')}</Amt>`;
  const balance = (code: string, cents: bigint) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${money(cents)}<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`;
  const booked = entries.map(
    ({ cents, refs }) =>
      `<Ntry>${money(cents)}<CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt><NtryDtls><TxDtls><Refs>${refs}</Refs></TxDtls></NtryDtls></Ntry>`,
  );
  const closing = entries.reduce((left, { cents }) => left - cents, 500_000n);
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
<GrpHdr><MsgId>M-1</MsgId><CreDtTm>${day}T20:00:00Z</CreDtTm></GrpHdr>
<Stmt><Id>S-1</Id><Acct><Id><Othr><Id>062000-87654321</Id></Othr></Id><Ccy>AUD</Ccy></Acct>
${balance('OPBD', 500_000n)}${balance('CLBD', closing)}${booked.join('')}</Stmt></BkToCstmrStmt></Document>`;
}

/** Asks the service, as its ready file says. */
async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const { url, username, password } = JSON.parse(readFileSync(readyFile, 'utf8'));
  const authorization = `Basic ${btoa(`${username}:${password}`)}`;
  const response = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  assert.ok(response.ok, await response.clone().text());
  return (await response.json()) as Answer;
}

type Plan = { planId: string; clientReference: string; steps: { stepId: string }[] };

/** A payment over a corridor of another currency, played by the sandbox. */
async function payInEuro(clientReference: string): Promise<void> {
  const account = { iban: 'DE89370400440532013000' };
  const { planId, steps } = await ask<Plan>('/v1/payments', {
    ...{ clientReference, corridorId: 'usdc-eur-iban', amountIn: '150000000' },
    recipient: { type: 'bank', name: 'Jo Citizen', country: 'DE', account },
    options: { mode: 'STANDARD', depositAddress: `0x${randomBytes(20).toString('hex')}` },
  });
  for (const [place, event] of ['deposit.exact', 'swap.done', 'payout.done'].entries())
    await ask(`/v1/sandbox/payments/${planId}/steps/${steps[place]?.stepId}/simulate`, { event });
}

/** Reports the payout of the example once more, as two cents less: the first one is taken back. */
async function correctPayout(): Promise<void> {
  const { data: plans } = await ask<{ data: Plan[] }>('/v1/payments');
  const plan = plans.find((each) => each.clientReference.startsWith('EXAMPLE-')) ?? assert.fail();
  const { data } = await ask<{
    data: Record<'kind' | 'movementId' | 'actual' | 'providerReference', string>[];
  }>(`/v1/payments/${plan.planId}/movements`);
  const payout = data.find(({ kind }) => kind === 'PAYOUT') ?? assert.fail();
  const { movementId: corrects, providerReference, actual } = payout;
  const told = { outcome: 'DONE', providerReference, corrects, amount: String(BigInt(actual) - 20_000n) };
  await ask(`/v1/payments/${plan.planId}/steps/${plan.steps[2]?.stepId}/reports`, told);
}

test('month-end: the statement of the bank is compared, and what it alone has is to be decided', async () => {
  const { units, endToEndId } = paidOut ?? assert.fail('the payment comes before');
  const day = month[0]?.slice(0, 10) ?? '';
  const payment = { cents: units / 10_000n, refs: `<EndToEndId>${endToEndId}</EndToEndId>` };
  const fee = { cents: 1_250n, refs: '<AcctSvcrRef>FEE-11</AcctSvcrRef>' };
  const file = join(folder, 'bank.xml');
  const compare = (...entries: readonly (typeof fee)[]) => {
    writeFileSync(file, statementOf(day, entries));
    return monthEnd(...month, file);
  };
  const { stdout } = await compare(payment);
  assert.match(
    stdout,
    new RegExp(
      `The bank and the ledger agree: 1\n  ${day}  -\\S+ AUD  ${endToEndId}\n    is PAYOUT of \\S+ AUD  EXAMPLE-0x\\w+  ${endToEndId}  mov_`,
    ),
  );
  assert.doesNotMatch(stdout, /Something is open/);
  await assert.rejects(compare(payment, fee), (failed: { code: number; stdout: string }) => {
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /bank\.xml: 2 entries, 0 of them ignored\n  account …4321: 5000\.00 AUD on /);
    assert.match(failed.stdout, /The bank and the ledger agree: 1\n/);
    assert.match(
      failed.stdout,
      new RegExp(`no payment is like it.*: 1\n  ${day}  -12\\.50 AUD  FEE-11  ent_\\w+, open 12\\.50 AUD\n`),
    );
    assert.match(failed.stdout, /is it for certain: 0\n[^]*Something is open/);
    return true;
  });

  const [from = '', to = ''] = month;
  writeFileSync(file, statementOf(day, [payment]));
  const about = (period: readonly string[], shape: RegExp) =>
    assert.rejects(monthEnd(...period, file), { code: 1, stdout: shape });
  const early = '2020-01-01T00:00:00+10:00';
  await about([early, to], new RegExp(`…4321 in AUD is of ${day} to ${day}, and .* 2020-01-01 to ${day}:`));
  await payInEuro('INV-EUR');
  const later = new Date(Date.now() + 1).toISOString();
  await about([from, later], /^Not compared, .*: 1\n {2}PAYOUT of \d+\.\d\d… tEUR {2}INV-EUR {2}mov_\w+$/m);
  await correctPayout();
  await about(
    month,
    /ledger agree: 0\n[^]*has taken it back: 1\n.* ent_\w+\n {4}was PAYOUT of \S+ AUD {2}EXAMPLE-/,
  );
});

test('month-end: a file of payments that lost one on its way is not compared', async () => {
  const { url, ...credential } = JSON.parse(readFileSync(readyFile, 'utf8'));
  let downloads = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', headers } = request;
    const { authorization = '', 'content-type': type = '' } = headers;
    const body = method === 'POST' ? Buffer.concat(await Array.fromAsync(request)) : null;
    const sent = { method, headers: { authorization, 'content-type': type }, body };
    const given = await fetch(`${url}${request.url}`, sent);
    let text = await given.text();
    if (/download/.test(request.url ?? '') && (downloads += 1) === 2)
      text = text.replace(/^\{.*"PAYOUT".*\n/m, '');
    response.writeHead(given.status, { 'content-type': 'application/json' }).end(text);
  };
  const proxy = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => proxy.once('listening', resolve));
    const { port } = proxy.address() as AddressInfo;
    const ready = join(folder, 'proxy.json');
    writeFileSync(ready, JSON.stringify({ url: `http://127.0.0.1:${port}`, ...credential }));
    const told = run(
      process.execPath,
      [join(root, 'examples/monthEnd.ts'), ready, ...month, join(folder, 'bank.xml')],
      { cwd: folder },
    );
    await assert.rejects(told, {
      code: 2,
      stderr: 'The file of payments has 4 rows, and the report 5: ask again\n',
    });
    assert.equal(downloads, 2);
  } finally {
    proxy.close();
    proxy.closeAllConnections();
  }
});

test('month-end: what cannot be done is told in a sentence, without a stack', async () => {
  const told = (args: readonly string[], stderr: RegExp) =>
    assert.rejects(monthEnd(...args), { code: 2, stderr });
  const csv = join(folder, 'bank.csv');
  writeFileSync(csv, 'Booked,Amount\n');
  await told([...month, csv], /^\S+bank\.csv is no XML: this example takes camt\.053\..*\n$/);
  await told([...month, join(folder, 'absent.xml')], /^ENOENT: no such file .*absent\.xml'\n$/);
  await told(['October'], /^The service refused \/v1\/reports: .*\n  \/from: .*\n$/);
});

test('a receiver of webhooks takes each event once, not what is unsigned, and again what failed', async () => {
  const { url, username, password } = JSON.parse(readFileSync(readyFile, 'utf8'));
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const env = { ...process.env, PORT: '0', WEBHOOK_SECRET: secret };
  // The work of the example is to print a line. For event 4 it fails once.
  const failingOnce = `const log = console.log; let failures = 1;
    console.log = (line) => { if (line === 't s 4' && failures-- > 0) throw new Error('the work failed'); log(line); };`;
  const preload = `data:text/javascript,${encodeURIComponent(failingOnce)}`;
  const args = ['--import', preload, 'examples/receiveWebhooks.ts'];
  const wrong = spawnSync(process.execPath, ['examples/receiveWebhooks.ts'], {
    ...{ cwd: root, encoding: 'utf8' },
    env: { ...env, WEBHOOK_SECRET: `${secret},` },
  });
  assert.deepEqual([wrong.status, wrong.stderr.slice(0, 24)], [1, 'WEBHOOK_SECRET must be t']);
  const receiver = spawn(process.execPath, args, { cwd: root, env });
  try {
    let printed = '';
    for (const stream of [receiver.stdout, receiver.stderr])
      stream.on('data', (bytes: Buffer) => (printed += bytes.toString()));
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
    await until(/^t s 2\ndropped s 1\nrefused: No signature of the webhook is by this secret/m);
    assert.deepEqual([(await send('d', 4, secret)).status, (await send('d', 4, secret)).status], [500, 204]);
    await until(/^Error: the work failed\n[^]*^t s 4$/m);
    const authorization = `Basic ${btoa(`${username}:${password}`)}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const made = await fetch(`${url}/v1/webhook_endpoints`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify({ url: place }),
    });
    const { endpointId } = (await made.json()) as { endpointId: string };
    await fetch(`${url}/v1/webhook_endpoints/${endpointId}/test`, { method: 'POST', headers, body: '{}' });
    // The service signs with another secret than that of the receiver here, so the receiver takes nothing.
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
