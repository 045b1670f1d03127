// Estimates of payouts that a custodian converts. They are made with the operator's rate source, a real HTTP server
// that goes away and comes back. Plans, pages and e-mails show them.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestChain, startTestDatabase, type TestChain } from '@fairway/testing';
import pino from 'pino';
import { readConfig } from '../../src/platform/config/config.ts';
import { type RunningService, run } from '../../src/run.ts';
import { freshEmail, postForm, tokenIn } from '../collectCalls.ts';
import { writeConfig } from '../configHarness.ts';
import { basic } from '../harness.ts';
import { keyWallet } from '../keyWallet.ts';
import { type PaymentsClient, paymentsClient, stepOf, FILIPINO, type WholePlan } from '../paymentsHarness.ts';
import { endEverything, freshFolder, untilReady } from '../processHarness.ts';
import { readMail, startSmtpServer } from '../smtpHarness.ts';
import { runFairway } from '../commandHarness.ts';

const AMOUNT_IN = 250_000_000n;
const MAX_AGE_SECONDS = 3;
const CREATE = ['credentials', 'create'];

/** What the rate source answers; undefined: a status of 503. */
let told: string | undefined = '{"rates":{"PHP":56.50}}';
/** The corridor of each request to the source. Each corridor is read by itself, one time after the other. */
const readings: string[] = [];
const source = createServer(({ url = '' }, response) => {
  readings.push(url.slice(url.indexOf('of=') + 3));
  if (told === undefined) response.writeHead(503).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(told);
});

let chain: TestChain;
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let smtp: Awaited<ReturnType<typeof startSmtpServer>>;
let origin: string;
let service: RunningService;
let client: PaymentsClient;
const logged: string[] = [];

before(async () => {
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
  [chain, database, smtp] = await Promise.all([startTestChain(), startTestDatabase(), startSmtpServer()]);
  const { host, user, database: name } = database.connection;
  const env = {
    DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}`,
    FAIRWAY_SEALING_KEYS: `first:${'07'.repeat(32)}`,
    RATES: `${origin.replace('//', '//user:canary-password@')}/latest?key=canary-key&of=paid`,
    COLLECT_RATES: `${origin}/latest?key=canary-key&of=collect`,
  };
  const parsed = readConfig(['--port', '0', '--config', configFile()], env);
  const log = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
  service = await run(parsed, log, new AbortController().signal);
  await untilReady(service.url);
  const named = ['--environment', 'production', '--json', '--organisation', 'Acme'];
  const { printed } = await runFairway([...CREATE, ...named], env);
  const { username, password } = JSON.parse(printed) as { username: string; password: string };
  client = paymentsClient(service.url, basic(username, password));
});
after(async () => {
  await service?.close();
  await endEverything();
  source.closeAllConnections();
  source.close();
  await smtp?.close();
  await chain?.close();
  await database?.close();
});

const tokenOf = (symbol: string) => chain.tokens.find((token) => token.symbol === symbol)?.address ?? '';

function configFile(): string {
  const rate = (url: string) => ({ url, pointer: '/rates/PHP', maxAgeSeconds: MAX_AGE_SECONDS });
  const corridor = (id: string, target: Readonly<Record<string, string>>, more: object) => ({
    id,
    source: { chainId: chain.chainId, token: tokenOf('USDC') },
    target: {
      currency: 'PHP',
      token: tokenOf('USDC'),
      custodian: 'Harbour Payments',
      settlementAddress: `0x${'5e'.repeat(20)}`,
      rate: rate(target['type'] === 'EMAIL' ? 'env:COLLECT_RATES' : 'env:RATES'),
      ...target,
    },
    minConfirmations: 1,
    settlementTime: { min: 'PT1M', max: 'P1D' },
    ...more,
  });
  const members = {
    publicUrl: 'https://pay.example.com',
    trustedProxies: ['127.0.0.1'],
    mail: { smtpUrl: smtp.url, from: 'Fairway <collect@pay.example.com>' },
    payments: {
      corridors: [
        corridor('usdc-php-emoney', { type: 'EMONEY' }, { modes: ['STANDARD'] }),
        corridor(
          'usdc-php-collect',
          { type: 'EMAIL' },
          { modes: ['DIGITAL_COLLECT'], destinations: { wallet: true, emoney: true } },
        ),
      ],
    },
  };
  return writeConfig(chain, freshFolder(), { staleAfterSeconds: 60 }, members);
}

const estimateOf = ({ steps }: WholePlan) => steps.at(-1)?.custodianAction?.target?.amountEstimate;

/** Waits until a plan has an estimate, or has none. */
async function planWith(planId: string, isEstimated: boolean): Promise<WholePlan> {
  for (let tries = 0; tries < 2_000; tries++) {
    const plan = await client.get(planId);
    if ((estimateOf(plan) !== undefined) === isEstimated) return plan;
    await sleep(25);
  }
  return assert.fail(`The plan has ${isEstimated ? 'no' : 'still an'} estimate after ten seconds`);
}

/** Waits until the corridor with links has the rate that the source tells now: one reading is over when the next begins. */
async function collectReadAnew(): Promise<void> {
  const from = readings.length;
  const isAnew = () => readings.slice(from).filter((of) => of === 'collect').length >= 2;
  for (let tries = 0; tries < 2_000 && !isAnew(); tries++) await sleep(25);
  assert.ok(isAnew(), 'the rate was not read again');
}

const made = () =>
  client.plan({ corridorId: 'usdc-php-emoney', amountIn: String(AMOUNT_IN), recipient: FILIPINO });

/** A plan whose deposit and transfer to the custodian are done. */
async function executed(plan: WholePlan): Promise<WholePlan> {
  const wallet = keyWallet(chain.rpcUrl, chain.rpc);
  await chain.rpc('anvil_setBalance', [wallet.address, '0x8ac7230489e80000']);
  const [address, token] = [wallet.address as `0x${string}`, tokenOf('USDC') as `0x${string}`];
  assert.ok((await chain.faucet({ address, token, amount: AMOUNT_IN })).ok);
  const { body: due } = await client.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE' });
  const { hash: txHash } = await wallet.execute(stepOf(due, 'EXECUTE_SWAP').instructions ?? []);
  const { status, text, body } = await client.report(due, 'EXECUTE_SWAP', { outcome: 'DONE', txHash });
  assert.equal(status, 200, text);
  return body;
}

async function mailsTo(email: string, atLeast: number): Promise<readonly string[]> {
  for (let tries = 0; tries < 2_000; tries++) {
    const all = await Promise.all(smtp.mails.map(readMail));
    const mails = all.filter(({ to }) => to !== undefined && !Array.isArray(to) && to.text === email);
    if (mails.length >= atLeast) return mails.map(({ text = '' }) => text.replaceAll(/\s+/g, ' '));
    await sleep(25);
  }
  return assert.fail(`There are not ${atLeast} mails to ${email}`);
}

test('a plan says what its payout may come to, at which rate, as of when and by whom', async () => {
  const beforeMs = Date.now();
  const plan = await planWith((await made()).planId, true);
  const { asOf, ...estimate } = estimateOf(plan) ?? { asOf: '' };
  assert.deepEqual(estimate, {
    amount: '1412500',
    asset: { currency: 'PHP' },
    rate: '56.50',
    source: origin,
  });
  assert.ok(Math.abs(Date.parse(asOf) - beforeMs) < 60_000, asOf);
  const due = await planWith((await executed(plan)).planId, true);
  const { target } = stepOf(due, 'CUSTODIAN_PAYOUT').custodianAction ?? {};
  assert.deepEqual(target, { currency: 'PHP', conversion: 'CUSTODIAN', amountEstimate: estimateOf(due) });
  const paid = await client.report(due, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', providerReference: 'R-1' });
  assert.equal(estimateOf(paid.body), undefined);
});

test('a payment far from the estimate completes nothing until the rate of the custodian is told', async () => {
  const due = await planWith((await executed(await made())).planId, true);
  const report = (providerReference: string, more: object) =>
    client.report(due, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', providerReference, ...more });
  const cent = { paid: { amount: '1', asset: { currency: 'PHP' } } };
  const { body: told } = await report('R-far', cent);
  // A block may have come that is not read yet.
  const asked = await client.until(told, 'the record is read', ({ next }) => next?.why !== 'CATCHING_UP');
  assert.deepEqual(
    [asked.status, asked.next?.why, asked.next?.pay?.amount],
    ['ACTION_REQUIRED', 'PAYMENT_UNCLEAR', undefined],
  );
  assert.match(asked.next?.detail ?? '', /R-far contradicts itself: 0\.01 PHP \(1 minor unit\) .*1412500/);
  const repeated = await report('R-far', cent);
  assert.deepEqual([repeated.status, repeated.body.revision], [200, asked.revision]);
  assert.equal((await report('R-other', {})).status, 409);
  const { body: done } = await report('R-far', { ...cent, rate: '0.00004' });
  assert.equal(done.status, 'COMPLETED');
});

test('while the source is away its last rate counts, then there is none until it is back', async () => {
  const { planId } = await made();
  await planWith(planId, true);
  told = undefined;
  const amountEstimate = estimateOf(await planWith(planId, true));
  const gone = await planWith(planId, false);
  const lastedMs = Date.now() - Date.parse(amountEstimate?.asOf ?? '');
  assert.ok(lastedMs >= 1000 * MAX_AGE_SECONDS, `${lastedMs} ms`);
  const { target } = stepOf(gone, 'CUSTODIAN_PAYOUT').custodianAction ?? {};
  assert.deepEqual(target, { currency: 'PHP', conversion: 'CUSTODIAN' });
  told = '{"rates":{"PHP":"57.123456789012345678"}}';
  const back = await planWith(planId, true);
  assert.deepEqual([estimateOf(back)?.rate, estimateOf(back)?.amount], ['57.123456789012345678', '1428086']);
  const lines = logged.filter((line) => line.includes('"part":"rates"'));
  assert.ok(lines.some((line) => /"corridor":"usdc-php-emoney".*"failure":"STATUS"/.test(line)));
  assert.ok(lines.some((line) => /read again/.test(line)));
  const metrics = await (await fetch(service.metricsUrl ?? '')).text();
  assert.match(metrics, /fairway_rate_failures_total\{corridor="usdc-php-emoney",failure="STATUS"\} [1-9]/);
  assert.match(metrics, /fairway_rate_age_seconds\{corridor="usdc-php-emoney"\} \d/);
});

for (const [locale, amount, mark] of [
  ['en', '14,125.00 PHP', 'An estimate: about '],
  ['de', '14.125,00 PHP', 'Geschätzt: etwa '],
  ['es', '14.125,00 PHP', 'Estimación: unos '],
] as const)
  test(`recipients read the estimate, marked as one, on the page and in the e-mail (${locale})`, async () => {
    told = '{"rates":{"PHP":56.5}}';
    const email = freshEmail();
    const plan = await client.plan({
      corridorId: 'usdc-php-collect',
      amountIn: String(AMOUNT_IN),
      recipient: { type: 'email', email, name: 'Jo Citizen', locale },
      options: { mode: 'DIGITAL_COLLECT' },
    });
    await collectReadAnew();
    await executed(plan);
    const [mail = ''] = await mailsTo(email, 1);
    const host = new URL(origin).host;
    assert.ok(mail.includes(`${mark}${amount}`) && mail.includes(host), mail);
    const token = tokenIn({ text: mail });
    const bodyOf = async (step: string, fields: Readonly<Record<string, string>> = {}) => {
      const { html, status } = await postForm(service.url, step, { token, ...fields });
      assert.equal(status, 200, html);
      return html.slice(html.indexOf('<body>')).replaceAll('\u00a0', ' ');
    };
    for (const page of [await bodyOf('open'), await bodyOf('review', FILIPINO)])
      assert.ok(page.includes(`${mark}${amount}`) && page.includes(host), page);
    const wallet = await bodyOf('review', { type: 'wallet', address: `0x${'fa'.repeat(20)}` });
    assert.doesNotMatch(wallet, /PHP|127\.0\.0\.1/);
  });

test('the URL of the source is in no answer, no metric and no line of the log', async () => {
  const { text } = await client.ask('/v1/markets/corridors');
  assert.doesNotMatch(text, /"rate"/);
  const metrics = await (await fetch(service.metricsUrl ?? '')).text();
  for (const shown of [text, metrics, logged.join('')]) assert.doesNotMatch(shown, /canary|\/latest/);
});
