// Recipients on phones leave for their mail app, and the browser drops the page meanwhile. They go back, reload, and open
// the link again somewhere else. None of it loses them, sends anything twice, or leaves anything readable behind.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { faultsOf, takePicture } from '@fairway/testing/pageChecks';
import type { Page } from 'playwright-core';
import { getAddress } from 'viem';
import {
  choose,
  enterCode,
  fillIn,
  GERMAN_ACCOUNT,
  type MailedPayment,
  openLink,
  press,
  startCollectTest,
  submit,
} from '../collectHarness.ts';
import { postForm } from '../collectCalls.ts';
import { PHONE } from '../collectPages.ts';
import { freshAddress } from '../paymentsHarness.ts';
import { until } from '../webhookReceivers.ts';

const collect = await startCollectTest();
after(() => collect.close());

const TOUCH = { ...PHONE, hasTouch: true, isMobile: true };
const IBAN = 'DE89370400440532013000';
const titleOf = (page: Page) => page.locator('h1').textContent();
const textOf = async (page: Page) => (await page.textContent('main'))?.replaceAll(/\s+/g, ' ') ?? '';

/** Waits until the page with this heading is shown; the browser first shows the page that asks for the link. */
async function isShown(page: Page, title: string): Promise<void> {
  await page.locator('h1', { hasText: title }).waitFor();
}

/** Lets the browser drop the document, as phones do with tabs in the background, and come back to it. */
async function discard(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.goBack();
}

/** What a browser keeps of a page, in the clear and decoded. */
async function keptBy(page: Page): Promise<string> {
  const { cookies, origins } = await page.context().storageState({ indexedDB: true });
  const seen = await page.evaluate<[string, string, string, unknown]>(
    '[location.href, document.cookie, JSON.stringify([{ ...localStorage }, { ...sessionStorage }]), history.state]',
  );
  const [, cookie, stored, state] = seen;
  assert.deepEqual([cookies, origins, cookie, stored], [[], [], '', '[{},{}]']);
  const { page: sealed = '', typed = '' } = (state ?? {}) as { page?: string; typed?: string };
  assert.match(sealed, /^[\w-]{100,}$/, 'the state of the page');
  const bytes = Buffer.concat([Buffer.from(sealed, 'base64url'), Buffer.from(typed, 'base64')]);
  return [JSON.stringify(seen), bytes.toString('latin1'), bytes.toString('utf8')].join('\n');
}

async function assertNothingKept(page: Page, secrets: readonly string[]): Promise<void> {
  const kept = await keptBy(page);
  for (const secret of secrets)
    for (const text of [secret, secret.replaceAll(' ', ''), Buffer.from(secret).toString('base64url')])
      assert.ok(!kept.includes(text), `the browser keeps ${text}`);
}

const valuesOf = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('main input:not([type=hidden]), main select')]
      .map((field) => field.name + '=' + (field.type === 'radio' || field.type === 'checkbox' ? field.checked : field.value))`,
  );

const eventsOf = async ({ planId }: MailedPayment, type: string) =>
  (await collect.payments.events(await collect.payments.get(planId))).filter((event) => event.type === type);

test('a page that is dropped, reloaded, left and come back to is shown as it was, at every step', async () => {
  const payment = await collect.mailed();
  const { texts, token, email } = payment;
  const secrets = [token, IBAN, 'DE89 3704 0044 0532 0130 00', 'Jo Citizen', email, '3000'];
  await collect.withPage(TOUCH, async (page) => {
    const titles: string[] = [];
    /**
     * Asserts that the page of a step is shown again after it was dropped, reloaded, or left for the step before it.
     */
    const outlives = async () => {
      const title = (await titleOf(page)) ?? '';
      const values = await valuesOf(page);
      const isSame = async (what: string) => {
        await isShown(page, title);
        assert.deepEqual(await valuesOf(page), values, `${title}, ${what}`);
        await assertNothingKept(page, secrets);
      };
      await assertNothingKept(page, secrets);
      await discard(page);
      await isSame('dropped');
      await page.reload();
      await isSame('reloaded');
      const before = titles.at(-1);
      if (before !== undefined) {
        await page.goBack();
        await isShown(page, before);
        await page.goForward();
        await isSame('come back to');
      }
      titles.push(title);
    };
    await openLink(page, payment);
    await outlives();
    await choose(page, texts, GERMAN_ACCOUNT);
    await outlives();
    await fillIn(page, { ...GERMAN_ACCOUNT, fields: { ...GERMAN_ACCOUNT.fields, 'account.iban': 'DE89' } });
    await press(page, texts.common.continue);
    await outlives();
    assert.ok((await valuesOf(page)).includes('account.iban=DE89'), 'what was mistyped is still there');
    await fillIn(page, GERMAN_ACCOUNT);
    await press(page, texts.common.continue);
    await outlives();
    await press(page, texts.review.button);
    const code = await collect.codeOf(payment);
    // From now on another code could be sent.
    await collect.payments.advance('PT31S');
    await outlives();
    await enterCode(page, payment, code === '000000' ? '000001' : '000000');
    assert.match(await textOf(page), /Attempts left: 4/, 'no attempt was used up by coming back');
    await discard(page);
    await isShown(page, texts.code.title);
    assert.equal((await collect.mailsTo(email, 2)).length, 2, 'no other code was sent');
    assert.equal((await eventsOf(payment, 'LINK_OPENED')).length, 1);
    await enterCode(page, payment, code);
    // Every step before it shows the receipt from now on.
    titles.fill(texts.receipt.status.PENDING.title);
    await outlives();
    const noted = await collect.payments.textOf(payment.planId);
    await collect.simulate(payment, 'payout.done');
    await page.reload();
    await isShown(page, texts.receipt.status.DELIVERED.title);
    assert.notEqual(await collect.payments.textOf(payment.planId), noted);
    assert.equal((await eventsOf(payment, 'COLLECT_SUBMITTED')).length, 1);
  });
});

test('what was typed and not sent is there again after the page was dropped', async () => {
  const payment = await collect.mailed();
  const { texts, token } = payment;
  await collect.withPage(TOUCH, async (page) => {
    await openLink(page, payment);
    await page.locator('#type-bank').check();
    await page.locator('#country').selectOption('DE');
    await discard(page);
    await isShown(page, 'is sending you');
    assert.ok(await page.locator('#type-bank').isChecked());
    await press(page, texts.common.continue);
    await fillIn(page, GERMAN_ACCOUNT);
    const typed = await valuesOf(page);
    await page.locator('h1').click();
    const hasTyped = () => page.evaluate<boolean>('history.state.typed !== undefined');
    await until('what is typed in the history', hasTyped);
    await assertNothingKept(page, [token, IBAN, 'DE89', 'Jo Citizen', 'account']);
    for (const what of ['dropped', 'and dropped again']) {
      await discard(page);
      await isShown(page, 'Your bank account');
      assert.deepEqual(await valuesOf(page), typed, what);
    }
    // Phones reload while the keyboard is still there.
    await page.locator('#name').press('End');
    await page.locator('#name').pressSequentially(' Lee');
    await page.reload();
    await isShown(page, 'Your bank account');
    assert.equal(await page.locator('#name').inputValue(), 'Jo Citizen Lee');
    // Enter sends the form before the browser has told that a field has changed.
    await page.locator('#name').fill('Jo Q. Citizen');
    await page.locator('#name').press('Enter');
    await isShown(page, texts.review.title);
    await page.goBack();
    await isShown(page, 'Your bank account');
    assert.equal(await page.locator('#name').inputValue(), 'Jo Q. Citizen');
  });
});

test('who goes back and sends the same details again is asked for the code that was sent', async () => {
  const payment = await collect.mailed();
  const { texts } = payment;
  await collect.withPage(TOUCH, async (page) => {
    await submit(page, payment, GERMAN_ACCOUNT);
    const code = await collect.codeOf(payment);
    await page.goBack();
    await isShown(page, texts.review.title);
    await page.goBack();
    await isShown(page, 'Your bank account');
    assert.ok((await valuesOf(page)).includes('name=Jo Citizen'));
    await press(page, texts.common.continue);
    await press(page, texts.review.button);
    assert.equal(await titleOf(page), texts.code.title);
    await enterCode(page, payment, code);
    assert.equal(await titleOf(page), texts.receipt.status.PENDING.title);
    assert.equal((await collect.mailsTo(payment.email, 2)).length, 2);
  });
});

test('the link opened again in the browser of a mail app goes on at the code, without details', async () => {
  const payment = await collect.mailed();
  const { texts, email } = payment;
  const address = getAddress(freshAddress());
  const short = `${address.slice(0, 6)}…${address.slice(-4)}`;
  await collect.withPage(TOUCH, (page) => submit(page, payment, { type: 'wallet', fields: { address } }));
  const [mail = assert.fail()] = await collect.mailsTo(email, 2);
  assert.ok(mail.text.includes(`What it confirms: Wallet ${short} on `), mail.text);
  assert.ok(!mail.text.includes(address.slice(2)) && !mail.html.includes(address.slice(2)));
  const code = await collect.codeOf(payment);
  await collect.withPage(TOUCH, async (page) => {
    await openLink(page, payment);
    assert.equal(await titleOf(page), texts.code.title);
    const html = await page.content();
    assert.ok(html.includes(short) && !html.toLowerCase().includes(address.slice(2, 12).toLowerCase()));
    await assertNothingKept(page, [payment.token, address, address.slice(2), short, email]);
    await takePicture(page, 'en-code-kept-360');
    assert.deepEqual(await faultsOf(page), []);
    await enterCode(page, payment, code);
    assert.match(
      await textOf(page),
      new RegExp(texts.code.notOwn),
      'first it must be said whose details it is',
    );
    assert.equal(await page.locator('#code').inputValue(), code, 'what was typed is still there');
    await discard(page);
    await isShown(page, texts.code.title);
    assert.equal(await page.locator('#code').inputValue(), '', 'no state has a code');
    await page.locator('#code').fill(code);
    await press(page, texts.code.button);
    await page.locator('#own').check();
    await press(page, texts.code.button);
    assert.equal(await titleOf(page), texts.receipt.status.PENDING.title);
  });
  const { destination } = await collect.stateOf(payment);
  assert.equal(destination?.type === 'wallet' && destination.address, address);
});

/** Posts a form like somebody who has only the link. */
async function stranger({ token }: MailedPayment, step: string, fields: Readonly<Record<string, string>>) {
  return postForm(collect.payments.service.url, step, { token, ...fields });
}

test('a code that is spent has no field any more, and the page says when another can be had', async () => {
  const payment = await collect.mailed();
  const { texts } = payment;
  await collect.withPage(TOUCH, async (page) => {
    await submit(page, payment, GERMAN_ACCOUNT);
    const code = await collect.codeOf(payment);
    const wrong = code === '000000' ? '000001' : '000000';
    for (let tries = 0; tries < 5; tries += 1) await enterCode(page, payment, wrong);
    const isSpent = async (hint: RegExp) => {
      assert.equal(await page.locator('#code').count(), 0);
      assert.match(await textOf(page), hint);
    };
    await isSpent(/wrong too many times[^]*You need a new code\. You can ask for it in \d+ seconds?\./);
    await press(page, texts.code.resend);
    await isSpent(/A code has just been sent/);
    await discard(page);
    await isShown(page, texts.code.spentTitle);
    await collect.payments.advance('PT31S');
    await page.reload();
    await isShown(page, texts.code.spentTitle);
    await isSpent(/You need a new code\. We can send it now/);
    await press(page, texts.code.resend);
    await collect.codeOf(payment, 3);
    assert.equal(await page.locator('#code').count(), 1);
    await collect.payments.advance('PT10M1S');
    await page.reload();
    await isShown(page, texts.code.spentTitle);
    await isSpent(/This code has run out/);
    await openLink(page, payment);
    await isSpent(/This code has run out/);
    await press(page, texts.code.resend);
    await page.locator('#own').check();
    await enterCode(page, payment, await collect.codeOf(payment, 4));
    assert.equal(await titleOf(page), texts.receipt.status.PENDING.title);
  });
});

test('a page is shown again for an hour; then the link from the e-mail leads on', async () => {
  const payment = await collect.mailed();
  const { texts } = payment;
  await collect.withPage(TOUCH, async (page) => {
    await openLink(page, payment);
    await choose(page, texts, GERMAN_ACCOUNT);
    const state = await page.evaluate<string>('history.state.page');
    await collect.payments.advance('PT59M');
    await page.reload();
    await isShown(page, 'Your bank account');
    await collect.payments.advance('PT61M');
    await page.reload();
    await isShown(page, texts.shell.title);
    assert.ok((await textOf(page)).includes(texts.shell.pageOver));
    assert.deepEqual(await faultsOf(page), []);
    await page.reload();
    assert.equal(await titleOf(page), texts.shell.title);
    assert.ok(!(await textOf(page)).includes(texts.shell.pageOver), 'nothing is posted twice');
    for (const none of [state, `${state.slice(0, -4)}AAAA`, '', 'x', payment.token]) {
      const answer = await postForm(collect.payments.service.url, 'restore', { state: none });
      assert.deepEqual([answer.status, answer.title], [410, texts.shell.title], none.slice(0, 8));
    }
    await openLink(page, payment);
    assert.equal(await page.locator('#type-bank').count(), 1);
  });
});

test('a recipient of a link that has ended asks for a new one, which the integrator is told once', async () => {
  const payment = await collect.mailed({ expiresIn: 'PT1H' });
  const { texts, planId, email } = payment;
  const refused = await stranger(payment, 'ask', {});
  assert.match(refused.title, /is sending you/, 'a link that can be used leads on');
  await collect.payments.advance('PT1H1S');
  await collect.withPage(TOUCH, async (page) => {
    await openLink(page, payment);
    assert.equal(await titleOf(page), texts.gone.EXPIRED.title);
    await takePicture(page, 'en-gone-expired-ask-360');
    assert.deepEqual(await faultsOf(page), []);
    await press(page, texts.gone.ask);
    await page.getByRole('status').waitFor();
    assert.match(await textOf(page), /We have told .* that you need a new link, on /);
    assert.equal(await page.getByRole('button', { name: texts.gone.ask }).count(), 0);
    await discard(page);
    await isShown(page, texts.gone.EXPIRED.title);
    assert.match(await textOf(page), /We have told/);
  });
  await Promise.all(Array.from({ length: 10 }, () => stranger(payment, 'ask', {})));
  assert.equal((await eventsOf(payment, 'LINK_REQUESTED')).length, 1);
  assert.equal((await collect.mailsTo(email, 1)).length, 1, 'nobody is e-mailed');
  const plan = await collect.payments.get(planId);
  assert.match(plan.next?.detail ?? '', /the recipient asked for a new one: send another with POST …\/again/);
  assert.ok((await collect.stateOf(payment)).link?.requestedAt);
  const { data } = await collect.payments.service.ask<{ data: { subject: { id: string }; type: string }[] }>(
    '/v1/events?type=collect_request.link_requested',
  );
  const round = `clr_${planId.slice(5)}00000001`;
  assert.equal(data.filter(({ subject }) => subject.id === round).length, 1);
  await collect.payments.advance('PT24H');
  await stranger(payment, 'ask', {});
  assert.equal((await eventsOf(payment, 'LINK_REQUESTED')).length, 2);
  await collect.linkAgain(payment);
  await stranger(payment, 'ask', {});
  assert.match(
    (await collect.payments.get(planId)).next?.detail ?? '',
    /asked for a new link: send it with POST …\/again/,
  );
});

test('links that lead nowhere any more cannot be asked for, and tell strangers nothing', async () => {
  const payment = await collect.mailed({ expiresIn: 'PT1H' });
  const { texts } = payment;
  await collect.payments.advance('PT1H1S');
  const expired = await stranger(payment, 'open', {});
  assert.ok(expired.html.includes(texts.gone.ask), expired.title);
  await collect.end(payment, { reason: 'SETTLED_ELSEWHERE' });
  const over = await stranger(payment, 'open', {});
  assert.ok(!over.html.includes('/collect/ask'), 'the plan is over');
  const revision = (await collect.payments.get(payment.planId)).revision;
  await stranger(payment, 'ask', {});
  assert.equal((await collect.payments.get(payment.planId)).revision, revision);
});

test('in a second round the page says that it is one, and why the first choice could not be paid', async () => {
  const payment = await collect.mailed();
  const { texts, email } = payment;
  await collect.withPage(TOUCH, async (page) => {
    await submit(page, payment, GERMAN_ACCOUNT);
    await enterCode(page, payment, await collect.codeOf(payment));
    await collect.simulate(payment, 'payout.failed');
    await openLink(page, { link: await collect.linkOf({ ...payment, email }, 3) });
    const told = await textOf(page);
    assert.ok(told.includes('Bank account ending in 3000'), told);
    assert.ok(told.includes(texts.failures.ACCOUNT_NOT_FOUND), told);
    await takePicture(page, 'en-destination-again-360');
    assert.deepEqual(await faultsOf(page), []);
  });
});
