// Recipients and integrators of a plan whose custodian converts the token are told amounts of the token and who
// converts it. They are never told an amount in the currency. A recipient was told "250 PHP" for 250 USDC.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Corridor } from '@fairway/wire';
import { CATALOGUES } from '../../src/words/locales/index.ts';
import { codeIn, freshEmail, startCollectTest, tokenIn } from '../collectCalls.ts';
import { stepOf } from '../paymentsHarness.ts';

const collect = await startCollectTest();
after(() => collect.close());

/** An amount in the currency, before or after its code. */
const PESOS = /\d\s*(PHP|₱|Philippin|peso)|(PHP|₱)\s*\d/i;
const EMONEY_WALLET = {
  type: 'emoney',
  name: 'Jo Citizen',
  provider: 'Example Pay',
  idType: 'PHONE',
  idValue: '+639171234567',
} as const;
const EMONEY_RECIPIENT = { ...EMONEY_WALLET, provider: 'GCash', currency: 'PHP' };

test('corridors say how their token becomes their currency, and only USDC to PHP is converted', async () => {
  const corridors = await collect.service.ask<Corridor[]>('/v1/markets/corridors');
  const converted = corridors.filter(({ target }) => target.conversion !== 'PEGGED');
  assert.deepEqual(
    converted.map(({ id, target }) => [id, target.conversion]),
    [
      ['usdc-php-emoney', 'CUSTODIAN'],
      ['usdc-php-collect', 'CUSTODIAN'],
    ],
  );
});

test('a plan that a custodian converts says so, and names amounts of the token alone', async () => {
  const { client, swapDone } = collect;
  const fields = { corridorId: 'usdc-php-emoney', amountIn: '250000000', recipient: EMONEY_RECIPIENT };
  const plan = await swapDone(await client.plan(fields));
  const { custodianAction } = stepOf(plan, 'CUSTODIAN_PAYOUT');
  assert.deepEqual(custodianAction?.target, { currency: 'PHP', conversion: 'CUSTODIAN' });
  assert.match(
    plan.next?.detail ?? '',
    /^Have the custodian \(Sandbox custodian\) pay the recipient from 250 USDC on Fairway sandbox \(250000000 units of 0x\w{40}\), which the custodian converts to PHP, as pay says, and report the custodian's reference, and in paid the amount in PHP that the recipient got: /,
  );
  assert.doesNotMatch(JSON.stringify(plan), PESOS);
});

test('nothing is said of a conversion where the token is pegged', async () => {
  const { client, swapDone } = collect;
  const pegged = await swapDone(await client.plan());
  assert.equal(stepOf(pegged, 'CUSTODIAN_PAYOUT').custodianAction?.target?.conversion, 'PEGGED');
  assert.doesNotMatch(pegged.next?.detail ?? '', /convert/);
});

for (const { locale } of CATALOGUES)
  test(`pages and e-mails show the token and who converts it (${locale})`, async () => {
    const { pages, mails } = await collected(locale, EMONEY_WALLET);
    for (const shown of [...pages, ...mails]) assert.doesNotMatch(shown, PESOS);
    const amount = locale === 'en' ? '250.00 USDC' : '250,00 USDC';
    for (const shown of [...pages, ...mails]) assert.ok(shown.includes(amount), shown);
    const [first = '', details = '', review = '', code = '', receipt = '', paid = ''] = pages;
    for (const page of [first, review, receipt, paid]) assert.match(page, /Sandbox custodian/);
    for (const page of [details, code]) assert.doesNotMatch(page, /Sandbox custodian/);
    assert.match(mails[0] ?? '', /Sandbox custodian/);
  });

test('who chooses a wallet is told of no conversion: the wallet receives the token', async () => {
  const address = `0x${'fa'.repeat(20)}`;
  const { pages } = await collected('en', { type: 'wallet', address, confirmed: 'yes' });
  const [first = '', ...after] = pages;
  assert.match(first, /You get 250\.00 USDC at your own address/);
  for (const page of after) assert.doesNotMatch(page, /convert|PHP/);
  assert.match(after[1] ?? '', /<dt>You receive<\/dt><dd>250\.00 USDC<\/dd>/);
});

/** Plays a recipient to the end: the body of every page in order, and every e-mail, oldest first. */
async function collected(locale: string, destination: Readonly<Record<string, string>>) {
  const email = freshEmail();
  const fields = collect.requestFields({ email }, { locale });
  const plan = await collect.swapped({ ...fields, corridorId: 'usdc-php-collect' });
  const [mail = assert.fail()] = await collect.mailsTo(email, 1);
  const token = tokenIn(mail);
  const pages: string[] = [];
  const visit = async (step: string, given: Readonly<Record<string, string>> = {}) => {
    const { html, status } = await collect.post(step, { token, ...given });
    assert.equal(status, 200, html);
    pages.push(html.slice(html.indexOf('<body>')).replaceAll('\u00a0', ' '));
  };
  await visit('open');
  await visit('details', destination);
  await visit('review', destination);
  await visit('submit', destination);
  const [codeMail = assert.fail()] = await collect.mailsTo(email, 2);
  await visit('confirm', { ...destination, code: codeIn(codeMail) });
  const path = `/v1/sandbox/payments/${plan.planId}/steps/${stepOf(plan, 'SEND_DIGITAL_COLLECT').stepId}/simulate`;
  const { status, text } = await collect.client.ask(path, { event: 'payout.done' });
  assert.equal(status, 200, text);
  await visit('open');
  return { pages, mails: [mail, codeMail].map((each) => each.text.replaceAll('\u00a0', ' ')) };
}
