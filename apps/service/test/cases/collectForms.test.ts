// The recipient's page withstands stolen links, guessed codes and repeated clicks: exactly one submission counts, the
// one that the recipient confirmed.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import {
  type CollectTest,
  codeIn,
  collectOf,
  DESTINATIONS,
  freshEmail,
  otherCode,
  startCollectTest,
  tokenIn,
} from '../collectCalls.ts';
import { freshAddress } from '../paymentsHarness.ts';

const collect = await startCollectTest();
after(() => collect.close());

const { iban, otherIban } = DESTINATIONS;

type Visit = { readonly plan: PaymentPlan; readonly email: string; readonly token: string };

async function invited(): Promise<Visit> {
  const email = freshEmail();
  const plan = await collect.swapped(collect.requestFields({ email }));
  const [mail = assert.fail()] = await collect.mailsTo(email, 1);
  return { plan, email, token: tokenIn(mail) };
}

const post: CollectTest['post'] = (...form) => collect.post(...form);

/**
 * Submits and returns the code of the mail that follows: the nth mail to the address, counting the mails with links.
 */
async function submitted({ token, email }: Visit, nth: number, destination: object = iban): Promise<string> {
  const page = await post('submit', { token, ...destination });
  assert.equal(page.status, 200, page.title);
  const [mail = assert.fail()] = await collect.mailsTo(email, nth);
  return codeIn(mail);
}

const eventsOf = async (plan: PaymentPlan, type: string) =>
  (await collect.client.events(plan)).filter((event) => event.type === type);

test('the deposit address of a payment cannot be chosen as the wallet that is paid', async () => {
  const [email, address] = [freshEmail(), freshAddress()];
  const options = { mode: 'DIGITAL_COLLECT', depositAddress: address };
  await collect.swapped({ ...collect.requestFields({ email }), options });
  const [mail = assert.fail()] = await collect.mailsTo(email, 1);
  const page = await post('submit', { token: tokenIn(mail), type: 'wallet', address, confirmed: 'yes' });
  assert.equal(page.status, 400);
  assert.equal((await collect.mailsTo(email, 1)).length, 1, 'no code is sent');
});

test('of fifty confirmations at once one counts, and every answer shows the receipt', async () => {
  const visit = await invited();
  const { token, plan } = visit;
  const code = await submitted(visit, 2);
  const pages = await Promise.all(
    Array.from({ length: 50 }, () => post('confirm', { token, ...iban, code })),
  );
  assert.deepEqual([...new Set(pages.map(({ status }) => status))], [200]);
  assert.deepEqual(new Set(pages.map(({ title }) => title)).size, 1);
  assert.equal((await eventsOf(plan, 'COLLECT_SUBMITTED')).length, 1);
  const after = collectOf(await collect.client.get(plan.planId));
  assert.deepEqual([after.link?.state, after.delivery?.status], ['SUBMITTED', 'PENDING']);
});

test('a code is wrong for another submission, also when that is the newest', async () => {
  const visit = await invited();
  const { token, plan } = visit;
  const first = await submitted(visit, 2);
  await collect.advance('PT31S');
  const second = await submitted(visit, 3, otherIban);
  const wrong = [
    await post('confirm', { token, ...iban, code: second }),
    await post('confirm', { token, ...iban, code: first }),
    await post('confirm', { token, ...otherIban, code: first }),
  ];
  assert.deepEqual(
    wrong.map(({ status }) => status),
    first === second ? [400, 400, 200] : [400, 400, 400],
  );
  assert.equal((await eventsOf(plan, 'COLLECT_SUBMITTED')).length, 0);
  const right = await Promise.all([
    post('confirm', { token, ...iban, code: second }),
    post('confirm', { token, ...otherIban, code: second }),
  ]);
  assert.equal(right[1].status, 200, right[1].title);
  const { recipient } = (await collect.client.ask(`/v1/payments/${plan.planId}/recipient/reveal`, {}))
    .json as { recipient: { account: { iban: string } } };
  assert.equal(recipient.account.iban, otherIban['account.iban']);
});

test('after five wrong codes the right one no longer works, and a new code is needed', async () => {
  const visit = await invited();
  const { token, plan } = visit;
  const code = await submitted(visit, 2);
  for (let tries = 0; tries < 5; tries++)
    assert.equal((await post('confirm', { token, ...iban, code: otherCode(code) })).status, 400);
  assert.equal((await post('confirm', { token, ...iban, code })).status, 400);
  for (const malformed of ['', '12345', '1234567', 'abcdef', '١٢٣٤٥٦', `${code}\0`])
    assert.equal((await post('confirm', { token, ...iban, code: malformed })).status, 400, malformed);
  await collect.advance('PT31S');
  const again = await submitted(visit, 3);
  const spaced = `${again.slice(0, 3)} ${again.slice(3)}`;
  assert.equal((await post('confirm', { token, ...iban, code: spaced })).status, 200);
  assert.equal((await eventsOf(plan, 'COLLECT_SUBMITTED')).length, 1);
});

test('a code is valid for ten minutes', async () => {
  const visit = await invited();
  const { token } = visit;
  const early = await submitted(visit, 2);
  await collect.advance('PT10M1S');
  const late = await post('confirm', { token, ...iban, code: early });
  assert.equal(late.status, 400);
  const code = await submitted(visit, 3);
  await collect.advance('PT9M30S');
  assert.equal((await post('confirm', { token, ...iban, code })).status, 200);
});

test('codes are sent thirty seconds apart, at most five for a link; each replaces the last', async () => {
  const visit = await invited();
  const { token } = visit;
  const codes = [await submitted(visit, 2)];
  await collect.advance('PT20S');
  const early = await post('submit', { token, ...iban, resend: 'yes' });
  assert.equal(early.status, 429);
  const waits = Number(new Map(early.headers).get('retry-after'));
  assert.ok(waits >= 1 && waits <= 30, `Retry-After is ${waits}`);
  assert.equal((await post('submit', { token, ...otherIban })).status, 429);
  for (let nth = 3; nth <= 6; nth++) {
    await collect.advance('PT31S');
    codes.push(await submitted(visit, nth));
  }
  await collect.advance('PT1H');
  assert.equal((await post('submit', { token, ...iban, resend: 'yes' })).status, 409);
  assert.equal((await post('submit', { token, ...otherIban })).status, 409);
  assert.equal((await collect.mailsTo(visit.email, 6)).length, 6);
});

test('answers do not show whether a token exists, except to those who have it', async () => {
  const { token } = await invited();
  const flipped = `${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`;
  const tokens = [
    randomBytes(32).toString('base64url'),
    randomBytes(32).toString('base64url'),
    flipped,
    // The last of 43 letters has two unused bits, so this is another spelling of the same bytes.
    respelt(token),
    createHash('sha256').update(token).digest('base64url'),
    token.slice(1),
    `${token}A`,
    token.toLowerCase() === token ? token.toUpperCase() : token.toLowerCase(),
    'x',
    'A'.repeat(256),
    'plan_1',
  ];
  for (const step of ['open', 'choose', 'details', 'review', 'submit', 'resend', 'confirm', 'ask']) {
    const answers = new Set<string>();
    for (const each of tokens) {
      const fields = { token: each, ...iban, code: '123456' };
      answers.add(JSON.stringify(await answerTo(step, fields)));
    }
    assert.equal(answers.size, 1, `${step}: ${[...answers].map((each) => each.slice(0, 14)).join()}`);
    assert.ok([...answers][0]?.startsWith('{"status":404'), step);
  }
  for (const step of ['choose', 'details', 'review', 'submit', 'resend', 'confirm', 'ask'])
    for (const none of ['', '\0', 'é', '<b>', `${token}\r\n`, ` ${token}`, 'A'.repeat(5000)])
      assert.equal((await post(step, { token: none, ...iban })).status, 404, `${step} ${none}`);
});

function respelt(token: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = letters.indexOf(token.at(-1) ?? '');
  return `${token.slice(0, -1)}${letters[last ^ 1]}`;
}

/** An answer as a stranger sees it, without the parts that differ between any two answers. */
async function answerTo(step: string, fields: Readonly<Record<string, string>>) {
  const { status, headers, html } = await post(step, fields);
  return { status, headers: headers.filter(([name]) => !/^(x-request-id|date)$/.test(name)), html };
}

test('forms with unknown tokens are limited by address, and lock out nobody behind that address', async () => {
  const { token } = await invited();
  const from = '192.0.2.7';
  const guess = () => post('details', { token: randomBytes(32).toString('base64url') }, from);
  const statuses: number[] = [];
  for (let forms = 0; forms < 122; forms++) statuses.push((await guess()).status);
  assert.deepEqual([statuses.indexOf(429), statuses.at(-1)], [120, 429]);
  assert.equal((await post('open', { token }, from)).status, 200);
  assert.equal((await guess()).status, 429);
  assert.equal((await post('details', { token: randomBytes(32).toString('base64url') })).status, 404);
});

test('forms with one token are limited over all addresses, without effect on other tokens', async () => {
  const [one, other] = [await invited(), await invited()];
  const statuses: number[] = [];
  for (let forms = 0; forms < 122; forms++)
    statuses.push((await post('details', { token: one.token })).status);
  assert.deepEqual([statuses.indexOf(429), statuses.at(-1)], [120, 429]);
  assert.equal((await post('open', { token: `the link #${one.token} again` })).status, 429);
  assert.equal((await post('open', { token: other.token })).status, 200);
});

test('GET and HEAD change nothing, and no page has a token in a URL', async () => {
  const { token, plan } = await invited();
  await collect.client.until(plan, 'it was mailed', (now) => collectOf(now).link?.state === 'SENT');
  const before = await collect.client.textOf(plan.planId);
  for (const method of ['GET', 'HEAD'])
    for (const path of ['', `?token=${token}`, '/open', `/open?token=${token}`, `/submit?token=${token}`])
      await fetch(`${collect.service.url}/collect${path}`, { method });
  assert.equal(await collect.client.textOf(plan.planId), before);
  const page = await post('open', { token });
  assert.equal(page.status, 200);
  assert.ok(!new RegExp(`(?:href|action|src)="[^"]*${token}`).test(page.html));
});

test('no code and no token is in the log or in an answer of the API', async () => {
  const visit = await invited();
  const { plan, token } = visit;
  const code = await submitted(visit, 2);
  await post('confirm', { token, ...iban, code: otherCode(code) });
  await post('confirm', { token, ...iban, code });
  const shown = [
    await collect.client.textOf(plan.planId),
    JSON.stringify(await collect.client.events(plan)),
    collect.logged(),
  ];
  for (const text of shown) {
    assert.ok(!text.includes(token));
    assert.ok(!new RegExp(`(?<![0-9a-zA-Z.])${code}(?![0-9a-zA-Z])`).test(text), 'the code');
    assert.ok(!text.includes(visit.email));
    assert.ok(!text.includes(iban['account.iban']));
  }
});

test('hostile input in a form is shown as text, refused or harmless', async () => {
  const { token } = await invited();
  const hostile = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)",
    'a\r\nBcc: eve@example.com',
    'a\u2028b\u2029c',
    '\u202eevil',
    'a\0b',
    '{organisation}',
    '\ud800',
    'x'.repeat(10_000),
    '__proto__',
  ];
  for (const text of hostile)
    for (const step of ['details', 'review'])
      for (const fields of [
        { ...iban, name: text },
        { ...iban, 'account.iban': text },
        { ...iban, country: text },
        { type: text },
      ]) {
        const page = await post(step, { token, ...fields });
        assert.ok([200, 400].includes(page.status), `${step} ${text.slice(0, 40)}: ${page.status}`);
        const [leak] = /<script>|<img|onfocus='/i.exec(page.html) ?? [];
        assert.equal(leak, undefined, `${step} ${text.slice(0, 40)}`);
        // Characters that reverse text may stand in their field for correction, but not on a page to confirm.
        const turned = step === 'review' && page.status === 200 && /[\0\u202e]/.test(page.html);
        assert.ok(!turned, JSON.stringify(fields));
      }
});
