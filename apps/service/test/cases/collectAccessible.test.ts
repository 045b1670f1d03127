// Every page that a recipient can reach, on a phone and on a desktop. Axe finds no fault, and no page is wider than the
// screen. Pictures of all pages are saved in /screenshots, which is not in git.
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
  type Given,
  openLink,
  press,
  startCollectTest,
} from '../collectHarness.ts';

const collect = await startCollectTest();
after(() => collect.close());

const WIDTHS = [360, 1280];
const address = getAddress(`0x${'5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'.toLowerCase()}`);
const EMPTY_EMONEY: Given = { type: 'emoney', fields: {} };

/** Returns the faults of a page in both widths. */
async function look(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    faults.push(...(await faultsOf(page)).map((fault) => `${name} at ${width}: ${fault}`));
    await takePicture(page, `${name}-${width}`);
  }
  return faults;
}

test('pages from the link to the receipt: English, a bank account, with mistakes', async () => {
  const payment = await collect.mailed({ message: 'Refund of invoice 7. Thank you!' });
  const { texts } = payment;
  await collect.withPage({}, async (page) => {
    const faults: string[] = [];
    const see = async (name: string) => faults.push(...(await look(page, `en-${name}`)));
    await page.goto(payment.link.replace(/#.*/, ''));
    await see('01-paste-the-link');
    await press(page, texts.shell.button);
    await see('02-no-link');
    await openLink(page, payment);
    await see('03-destination');
    await press(page, texts.common.continue);
    await see('04-no-destination');
    await page.locator('#type-bank').check();
    await press(page, texts.common.continue);
    await see('05-no-country');
    await choose(page, texts, GERMAN_ACCOUNT);
    await see('06-bank');
    await fillIn(page, { ...GERMAN_ACCOUNT, fields: { 'account.iban': 'DE89 3704 0044 0532 0130 01' } });
    await press(page, texts.common.continue);
    await see('07-bank-mistyped');
    await fillIn(page, GERMAN_ACCOUNT);
    await press(page, texts.common.continue);
    await see('08-review');
    await press(page, texts.review.button);
    await see('09-code');
    await press(page, texts.code.resend);
    await see('10-code-too-soon');
    await enterCode(page, payment, '12');
    await see('11-code-malformed');
    const code = await collect.codeOf(payment);
    const wrong = code === '000000' ? '000001' : '000000';
    await enterCode(page, payment, wrong);
    await see('12-code-wrong');
    while ((await page.locator('#code').count()) > 0) await enterCode(page, payment, wrong);
    await see('13-code-spent');
    await collect.payments.advance('PT31S');
    await press(page, texts.code.resend);
    await see('14-code-resent');
    await enterCode(page, payment, await collect.codeOf(payment, 3));
    await see('15-receipt');
    await collect.simulate(payment, 'payout.done');
    await press(page, texts.receipt.refresh);
    assert.equal(await page.getByRole('button').count(), 0, 'nothing is left to do');
    await see('16-receipt-delivered');
    await collect.simulate(payment, 'payout.returned');
    await openLink(page, payment);
    await see('17-receipt-returned');
    assert.deepEqual(faults, []);
  });
});

test('pages from the link to the receipt: German, a failed payment, wallet and eMoney', async () => {
  const payment = await collect.mailed({ locale: 'de' });
  const { texts } = payment;
  await collect.withPage({ colorScheme: 'dark' }, async (page) => {
    const faults: string[] = [];
    const see = async (name: string) => faults.push(...(await look(page, `de-${name}`)));
    await openLink(page, payment);
    await see('03-destination');
    await choose(page, texts, EMPTY_EMONEY);
    await press(page, texts.common.continue);
    await see('07-emoney-empty');
    await press(page, texts.details.changeChoice);
    await choose(page, texts, { type: 'wallet', fields: {} });
    await see('06-wallet');
    await fillIn(page, { type: 'wallet', fields: { address: `${address}0` } });
    await press(page, texts.common.continue);
    await see('07-wallet-mistyped');
    await page.locator('#address').fill(address);
    await press(page, texts.common.continue);
    await press(page, texts.review.button);
    await see('08-review-not-confirmed');
    await page.locator('#confirmed').check();
    await press(page, texts.review.button);
    const code = await collect.codeOf(payment);
    await collect.payments.advance('PT10M1S');
    await enterCode(page, payment, code);
    await see('13-code-expired');
    await press(page, texts.code.resend);
    await enterCode(page, payment, await collect.codeOf(payment, 3));
    await see('15-receipt');
    await collect.simulate(payment, 'payout.failed');
    await press(page, texts.receipt.refresh);
    await see('17-receipt-failed');
    assert.deepEqual(faults, []);
  });
});

test('pages of links that cannot be used', async () => {
  const [replaced, cancelled, expired] = await Promise.all([
    collect.mailed(),
    collect.mailed({ locale: 'de' }),
    collect.mailed({ expiresIn: 'PT1H' }),
  ]);
  await collect.withPage({}, async (page) => {
    const faults: string[] = [];
    const see = async (link: string, name: string) => {
      await openLink(page, { link });
      faults.push(...(await look(page, `gone-${name}`)));
    };
    await see(replaced.link.replace(/.{5}$/, 'AAAAA'), 'unknown');
    await collect.end(cancelled);
    await see(cancelled.link, 'cancelled');
    await collect.payments.advance('PT61S');
    await collect.linkAgain(replaced);
    await see(replaced.link, 'replaced');
    await collect.payments.advance('PT1H');
    await see(expired.link, 'expired');
    assert.deepEqual(faults, []);
  });
});
