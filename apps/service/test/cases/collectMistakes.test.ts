// Mistakes of recipients: mistyped details and codes, links that were replaced, used, ended or cut in two, two tabs,
// and browsers without scripts. No input is lost, and every page says what to do.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { getAddress } from 'viem';
import { catalogueOf } from '../../src/words/locales/index.ts';
import {
  choose,
  enterCode,
  fillIn,
  GERMAN_ACCOUNT,
  openLink,
  press,
  startCollectTest,
  submit,
} from '../collectHarness.ts';
import { freshAddress } from '../paymentsHarness.ts';

const collect = await startCollectTest();
after(() => collect.close());

const PHONE = { viewport: { width: 360, height: 740 } };
const titleOf = (page: Page) => page.locator('h1').textContent();
// The browser sets the focus when it first draws the page, which may be after the content has loaded.
const summaryHasFocus = (page: Page) => page.locator('[role=alert]:focus').waitFor();
const focused = (page: Page, what: string) => page.evaluate<string>(`document.activeElement.${what}`);

/**
 * Asserts that the page has a summary with the focus that links to the field. The field must show its error and the
 * typed value.
 */
async function assertMistaken(page: Page, fieldId: string, value: string): Promise<void> {
  assert.match(await page.title(), /^(Error|Fehler): /);
  await summaryHasFocus(page);
  const field = page.locator(`#${fieldId}`);
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  const described = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
  assert.ok(described.includes(`${fieldId}-error`), described.join(' '));
  assert.ok(await page.locator(`#${fieldId}-error`).isVisible());
  assert.equal(await field.inputValue(), value);
  await page.locator(`[role=alert] a[href="#${fieldId}"]`).click();
  assert.equal(await focused(page, 'id'), fieldId);
}

test('missing choices and mistyped details are shown beside their fields, and no input is lost', async () => {
  const payment = await collect.mailed();
  const { texts } = payment;
  await collect.withPage(PHONE, async (page) => {
    await openLink(page, payment);
    await press(page, texts.common.continue);
    await summaryHasFocus(page);
    assert.equal(await page.getByRole('alert').getByRole('link').textContent(), texts.destination.noType);
    await page.locator('#type-bank').check();
    await press(page, texts.common.continue);
    await assertMistaken(page, 'country', '');
    assert.ok(await page.locator('#type-bank').isChecked());
    await choose(page, texts, GERMAN_ACCOUNT);
    const mistyped = 'DE89 3704 0044 0532 0130 01';
    await fillIn(page, {
      ...GERMAN_ACCOUNT,
      fields: { name: 'Jö <b>Citizen</b>', 'account.iban': mistyped },
    });
    await press(page, texts.common.continue);
    await assertMistaken(page, 'account-iban', mistyped);
    assert.equal(await page.locator('#name').inputValue(), 'Jö <b>Citizen</b>');
    await fillIn(page, GERMAN_ACCOUNT);
    await press(page, texts.common.continue);
    assert.equal(await titleOf(page), texts.review.title);
    await press(page, texts.review.change);
    assert.equal(
      await page.locator('#name').inputValue(),
      'Jo Citizen',
      'going back keeps the given details',
    );
  });
  assert.equal((await collect.stateOf(payment)).link?.state, 'OPENED');
});

test('a mistyped wallet address is refused, and a right one must be confirmed by hand', async () => {
  const payment = await collect.mailed({ locale: 'de' });
  const { texts } = payment;
  const address = getAddress(freshAddress());
  const mistyped = address.replace(/[a-fA-F]/g, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  await collect.withPage(PHONE, async (page) => {
    await openLink(page, payment);
    await choose(page, texts, { type: 'wallet', fields: {} });
    await fillIn(page, { type: 'wallet', fields: { address: mistyped } });
    await press(page, texts.common.continue);
    await assertMistaken(page, 'address', mistyped);
    await page.locator('#address').fill(address);
    await press(page, texts.common.continue);
    await press(page, texts.review.button);
    assert.equal(await titleOf(page), texts.review.title);
    assert.equal(await page.getByRole('alert').getByRole('link').textContent(), texts.review.notConfirmed);
  });
  assert.equal(
    (await collect.mailsTo(payment.email, 1)).length,
    1,
    'no code is sent before the confirmation',
  );
});

test('wrong codes use up the attempts of a code, and a new code is sent only after a while', async () => {
  const payment = await collect.mailed();
  const { texts } = payment;
  await collect.withPage(PHONE, async (page) => {
    await submit(page, payment, GERMAN_ACCOUNT);
    const first = await collect.codeOf(payment);
    await enterCode(page, payment, '12 34');
    assert.equal(await titleOf(page), texts.code.title);
    await page.locator('#code-error').waitFor();
    const wrong = first === '000000' ? '000001' : '000000';
    await enterCode(page, payment, wrong);
    await summaryHasFocus(page);
    assert.match((await page.textContent('#code-error')) ?? '', new RegExp(texts.code.wrong));
    await press(page, texts.code.resend);
    assert.match((await page.getByRole('alert').textContent()) ?? '', /30|29|28|seconds/);
    for (let tries = 0; tries < 10 && (await page.locator('#code').count()) > 0; tries++)
      await enterCode(page, payment, wrong);
    assert.equal(await page.locator('#code').count(), 0, 'the page has no field after the last attempt');
    await collect.payments.advance('PT31S');
    await press(page, texts.code.resend);
    const second = await collect.codeOf(payment, 3);
    if (first !== second) await enterCode(page, payment, first);
    assert.equal(await titleOf(page), texts.code.title, 'the earlier code does not work any more');
    await enterCode(page, payment, second);
    assert.equal(await titleOf(page), texts.receipt.status.PENDING.title);
  });
});

test('a resent link replaces the earlier one, also while the earlier one is in use', async () => {
  const payment = await collect.mailed({ locale: 'de' });
  const { texts } = payment;
  await collect.withPage(PHONE, async (page) => {
    await openLink(page, payment);
    await collect.payments.advance('PT61S');
    await collect.linkAgain(payment);
    const link = await collect.linkOf(payment, 2);
    await choose(page, texts, { type: 'wallet', fields: {} });
    assert.equal(await titleOf(page), texts.gone.SUPERSEDED.title);
    await openLink(page, payment);
    assert.equal(await titleOf(page), texts.gone.SUPERSEDED.title);
    await openLink(page, { link });
    assert.match((await titleOf(page)) ?? '', / \d+,\d\d\sEUR/);
  });
});

test('an expired link says that it has expired, and a reissued link works', async () => {
  const payment = await collect.mailed({ expiresIn: 'PT1H' });
  const { texts } = payment;
  await collect.withPage(PHONE, async (page) => {
    await submit(page, payment, GERMAN_ACCOUNT);
    const code = await collect.codeOf(payment);
    await collect.payments.advance('PT1H1S');
    await enterCode(page, payment, code);
    assert.equal(await titleOf(page), texts.gone.EXPIRED.title);
    await openLink(page, payment);
    assert.equal(await titleOf(page), texts.gone.EXPIRED.title);
    await collect.linkAgain(payment);
    await openLink(page, { link: await collect.linkOf(payment, 3) });
    assert.match((await titleOf(page)) ?? '', / \d+\.\d\d\sEUR/);
  });
});

test('the link of a plan that was ended says that it is cancelled', async () => {
  const payment = await collect.mailed();
  await collect.withPage(PHONE, async (page) => {
    await openLink(page, payment);
    await collect.end(payment);
    await choose(page, payment.texts, { type: 'wallet', fields: {} });
    assert.equal(await titleOf(page), payment.texts.gone.CANCELLED.title);
  });
});

test('of two tabs one wins; the other tab and the link show its receipt from then on', async () => {
  const payment = await collect.mailed();
  const title = payment.texts.receipt.status.PENDING.title;
  await collect.withPage(PHONE, async (page) => {
    const other = await page.context().newPage();
    await openLink(other, payment);
    await submit(page, payment, GERMAN_ACCOUNT);
    await choose(other, payment.texts, GERMAN_ACCOUNT);
    await fillIn(other, GERMAN_ACCOUNT);
    await press(other, payment.texts.common.continue);
    // The second tab gives the same details, so the code of the first tab is the one to enter.
    await press(other, payment.texts.review.button);
    assert.equal(await titleOf(other), payment.texts.code.title);
    const code = await collect.codeOf(payment);
    await Promise.all([page.locator('#code').fill(code), other.locator('#code').fill(code)]);
    await Promise.all([press(page, payment.texts.code.button), press(other, payment.texts.code.button)]);
    assert.deepEqual([await titleOf(page), await titleOf(other)], [title, title]);
    await openLink(page, payment);
    assert.equal(await titleOf(page), title);
    assert.match((await page.textContent('main')) ?? '', /3000/);
  });
  const events = await collect.payments.events(await collect.payments.get(payment.planId));
  assert.equal(events.filter(({ type }) => type === 'COLLECT_SUBMITTED').length, 1);
});

test('without scripts the reader pastes the link or its last part, and all else is the same', async () => {
  const payment = await collect.mailed();
  const { texts, token, link } = payment;
  await collect.withPage({ ...PHONE, javaScriptEnabled: false, locale: 'de-DE' }, async (page) => {
    const german = catalogueOf('de').pages;
    await page.goto(link);
    assert.equal(await titleOf(page), german.shell.title);
    for (const [pasted, title] of [
      ['https://', german.shell.title],
      [link.slice(0, -3), german.gone.UNKNOWN.title],
    ] as const) {
      await page.goto(link.replace(/#.*/, ''));
      await page.locator('#link').fill(pasted);
      await press(page, german.shell.button);
      assert.equal(await titleOf(page), title, pasted);
    }
    await page.goto(link.replace(/#.*/, ''));
    await page.locator('#link').fill(` ${token} `);
    await press(page, german.shell.button);
    await choose(page, texts, GERMAN_ACCOUNT);
    await fillIn(page, GERMAN_ACCOUNT);
    await press(page, texts.common.continue);
    await press(page, texts.review.button);
    await enterCode(page, payment, await collect.codeOf(payment));
    assert.equal(await titleOf(page), texts.receipt.status.PENDING.title);
  });
});
