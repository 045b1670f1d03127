// Money that waits for a recipient, from the payment to its delivery, for each of the three kinds of destination and
// in each language. The test does only what an integrator, a recipient in a browser and a custodian can do.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import type { Page } from 'playwright-core';
import { getAddress } from 'viem';
import { CATALOGUES } from '../../src/words/locales/index.ts';
import {
  choose,
  enterCode,
  fillIn,
  GERMAN_ACCOUNT,
  type Given,
  type MailedPayment,
  openLink,
  press,
  startCollectTest,
} from '../collectHarness.ts';
import { freshAddress, stepOf } from '../paymentsHarness.ts';

const collect = await startCollectTest();
after(() => collect.close());

const EMONEY_WALLET: Given = {
  type: 'emoney',
  fields: { name: 'Jo Citizen', provider: 'Example Pay', idType: 'PHONE', idValue: '+491701234567' },
};

for (const { locale } of CATALOGUES) {
  test(`a wallet receives the money on the chain, to the smallest unit (${locale})`, async () => {
    const address = getAddress(freshAddress());
    const { token, onChain } = collect.payments;
    const plan = await journey(locale, { type: 'wallet', fields: { address } }, (page) =>
      assertShown(page, '.address', address),
    );
    const { custodianAction, collect: { delivery } = {} } = stepOf(plan, 'SEND_DIGITAL_COLLECT');
    assert.deepEqual([delivery?.status, delivery?.verification], ['DELIVERED', 'VERIFIED']);
    assert.equal(delivery?.evidence?.amount, custodianAction?.amount);
    assert.equal(String(await onChain.balanceOf(address, token('tEUR'))), custodianAction?.amount);
  });

  test(`a bank account is paid by its IBAN (${locale})`, async () => {
    const plan = await journey(locale, GERMAN_ACCOUNT, (page) =>
      assertShown(page, 'dl', 'DE89370400440532013000'),
    );
    const { delivery, destination } = stepOf(plan, 'SEND_DIGITAL_COLLECT').collect ?? {};
    assert.deepEqual([delivery?.status, delivery?.verification], ['DELIVERED', 'REPORTED']);
    assert.equal(destination?.type, 'bank');
    assert.ok(!JSON.stringify(plan).includes('370400440532'), 'the plan shows a masked account');
  });

  test(`an eMoney wallet is paid by its phone number (${locale})`, async () => {
    const plan = await journey(locale, EMONEY_WALLET, (page) => assertShown(page, 'dl', '+491701234567'));
    const { delivery, destination } = stepOf(plan, 'SEND_DIGITAL_COLLECT').collect ?? {};
    assert.deepEqual([delivery?.status, destination?.type], ['DELIVERED', 'emoney']);
    assert.ok(!JSON.stringify(plan).includes('1701234567'), 'the plan shows a masked number');
  });
}

/** Plays a whole payment; `check` gets the page that shows all details for review. */
async function journey(
  locale: string,
  given: Given,
  check: (page: Page) => Promise<void>,
): Promise<PaymentPlan> {
  const payment = await collect.mailed({ locale, message: 'Refund of invoice 7' });
  // The browser has another language than the payment: the payment's language counts.
  const browserLocale = locale === 'en' ? 'de-DE' : 'en-GB';
  await collect.withPage({ locale: browserLocale }, async (page) => {
    await fillInAll(page, payment, given, check);
    assert.equal(await page.getAttribute('html', 'lang'), locale);
    assert.equal((await collect.payments.get(payment.planId)).next?.why, 'PAYOUT_DUE');
    const plan = await collect.simulate(payment, 'payout.done');
    assert.equal(plan.status, 'COMPLETED', JSON.stringify(plan.next));
    await press(page, payment.texts.receipt.refresh);
    assert.equal(await page.locator('h1').textContent(), payment.texts.receipt.status.DELIVERED.title);
    await assertShown(page, 'main', locale === 'en' ? '925.5' : '925,5');
    await assertShown(page, 'main', payment.texts.receipt.occurredAt.DELIVERED);
    const { evidence } = (await collect.stateOf(payment)).delivery ?? {};
    if (given.type !== 'wallet') return;
    await assertShown(page, 'main', given.fields['address'] ?? '');
    await assertShown(page, 'main', evidence?.txHash ?? 'a transaction');
    await assertShown(page, 'main', getAddress(collect.payments.token('tEUR')));
  });
  return collect.payments.get(payment.planId);
}

async function fillInAll(
  page: Page,
  payment: MailedPayment,
  given: Given,
  check: (page: Page) => Promise<void>,
): Promise<void> {
  const { texts } = payment;
  await openLink(page, payment);
  assert.match((await page.textContent('blockquote')) ?? '', /Refund of invoice 7/);
  assert.equal((await collect.stateOf(payment)).link?.state, 'OPENED');
  await choose(page, texts, given);
  await fillIn(page, given);
  await press(page, texts.common.continue);
  assert.equal(await page.locator('h1').textContent(), texts.review.title);
  await check(page);
  if (given.type === 'wallet') await page.locator('#confirmed').check();
  await press(page, texts.review.button);
  assert.equal(
    (await collect.stateOf(payment)).destination,
    undefined,
    'a submission does not count before the code',
  );
  await enterCode(page, payment, await collect.codeOf(payment));
  assert.equal(await page.locator('h1').textContent(), texts.receipt.status.PENDING.title);
}

async function assertShown(page: Page, selector: string, text: string): Promise<void> {
  const shown = await page.locator(selector).first().textContent();
  assert.ok(shown?.replaceAll(/\s/g, '').includes(text.replaceAll(/\s/g, '')), `${shown} shows ${text}`);
}
