// A stranger who has the link: what they enter, guess and use up neither takes the money nor leaves the recipient without a way.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { faultsOf, takePicture } from '@fairway/testing/pageChecks';
import type { Page } from 'playwright-core';
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
import { DESTINATIONS, postForm } from '../collectCalls.ts';
import { PHONE } from '../collectPages.ts';

const collect = await startCollectTest();
after(() => collect.close());

const TOUCH = { ...PHONE, hasTouch: true, isMobile: true };
const titleOf = (page: Page) => page.locator('h1').textContent();
const textOf = async (page: Page) => (await page.textContent('main'))?.replaceAll(/\s+/g, ' ') ?? '';

const eventsOf = async ({ planId }: MailedPayment, type: string) =>
  (await collect.payments.events(await collect.payments.get(planId))).filter((event) => event.type === type);

/** Posts a form like somebody who has only the link. */
async function stranger({ token }: MailedPayment, step: string, fields: Readonly<Record<string, string>>) {
  return postForm(collect.payments.service.url, step, { token, ...fields });
}

test('what a stranger with the link has entered is told as that, and the recipient starts anew', async () => {
  const payment = await collect.mailed();
  const { texts, email } = payment;
  await stranger(payment, 'submit', DESTINATIONS.otherIban);
  const [mail] = await collect.mailsTo(email, 2);
  assert.match(mail?.text ?? '', /What it confirms: Bank account ending in 2051\.[^]*did not enter these/);
  await collect.withPage(TOUCH, async (page) => {
    await openLink(page, payment);
    const told = await textOf(page);
    for (const text of [
      texts.code.keptTitle,
      texts.code.kept,
      'Bank account ending in 2051',
      texts.code.sentAt,
    ])
      assert.ok(told.includes(text), `${told} says ${text}`);
    assert.ok(
      !(await page.content()).includes('0000020205'),
      'a stranger with the link sees no details either',
    );
    await press(page, texts.code.chooseAgain);
    await choose(page, texts, GERMAN_ACCOUNT);
    await fillIn(page, GERMAN_ACCOUNT);
    await press(page, texts.common.continue);
    await collect.payments.advance('PT31S');
    await press(page, texts.review.button);
    // The stranger is faster: the newest code is for the stranger's account.
    const own = await collect.codeOf(payment, 3);
    await collect.payments.advance('PT31S');
    await stranger(payment, 'submit', DESTINATIONS.otherIban);
    const strange = await collect.codeOf(payment, 4);
    await enterCode(page, payment, strange);
    assert.ok((await textOf(page)).includes(texts.code.replacedHere));
    assert.equal(await page.locator('#code').count(), 0, 'no code is good for these details');
    await collect.payments.advance('PT31S');
    await press(page, texts.code.resend);
    await enterCode(page, payment, own);
    assert.equal(await titleOf(page), texts.code.title);
    await enterCode(page, payment, await collect.codeOf(payment, 5));
    assert.equal(await titleOf(page), texts.receipt.status.PENDING.title);
  });
  const { destination } = await collect.stateOf(payment);
  assert.equal(destination?.type === 'bank' && destination.account.accountNumberLast4, '3000');
});

/** An account with the same ending as GERMAN_ACCOUNT and DESTINATIONS.iban. */
const SAME_ENDING = { ...DESTINATIONS.iban, name: 'Mallory', 'account.iban': 'DE31100500007777773000' };
const submissionOf = ({ html }: { html: string }) => /name="submission" value="([^"]+)"/.exec(html)?.[1];
const proofOf = ({ html }: { html: string }) => /name="proof" value="([^"]+)"/.exec(html)?.[1];

test('details that look the same as those before are confirmed by no page reached by the link', async () => {
  const payment = await collect.mailed();
  const { texts, token, planId } = payment;
  await collect.withPage(TOUCH, (page) => submit(page, payment, GERMAN_ACCOUNT));
  await collect.withPage(TOUCH, async (page) => {
    await openLink(page, payment);
    const seen = await stranger(payment, 'open', {});
    await collect.payments.advance('PT31S');
    const theirs = await stranger(payment, 'submit', SAME_ENDING);
    assert.ok(theirs.html.includes('Bank account ending in 3000'), 'both look the same');
    const strange = await collect.codeOf(payment, 3);
    await page.locator('#own').check();
    await enterCode(page, payment, strange);
    const anew = texts.destination.anewTitle;
    assert.ok((await textOf(page)).includes(anew));
    assert.equal(await page.locator('#code, input[name=submission]').count(), 0);
    await takePicture(page, 'en-destination-anew-360');
    assert.deepEqual(await faultsOf(page), []);
    // The page still asks for the details again when the link is opened with either id, or after the first details are
    // submitted again.
    const ids = [submissionOf(seen), submissionOf(await stranger(payment, 'open', {})), 'x'];
    for (const submission of ids) {
      const fields = { submission: submission ?? '', own: 'yes', code: strange };
      const answer = await stranger(payment, 'confirm', fields);
      assert.deepEqual([answer.status, answer.html.includes(anew)], [409, true]);
    }
    await collect.payments.advance('PT31S');
    assert.ok((await stranger(payment, 'resend', { submission: ids[0] ?? '' })).html.includes(anew));
    await stranger(payment, 'submit', DESTINATIONS.iban);
    await collect.codeOf(payment, 4);
    await openLink(page, payment);
    assert.ok((await textOf(page)).includes(anew));
  });
  assert.equal((await eventsOf(payment, 'COLLECT_SUBMITTED')).length, 0);
  // A recipient who enters the details once more can go on as before.
  await collect.payments.advance('PT31S');
  await stranger(payment, 'submit', DESTINATIONS.iban);
  const code = await collect.codeOf(payment, 5);
  assert.equal((await stranger(payment, 'confirm', { ...DESTINATIONS.iban, code })).status, 200);
  const revealed = await collect.payments.ask(`/v1/payments/${planId}/recipient/reveal`, {});
  assert.ok(revealed.text.includes(DESTINATIONS.iban['account.iban']) && !revealed.text.includes(token));
});

test('whoever has the link alone cannot find out by guessing what was entered', async () => {
  const payment = await collect.mailed();
  const { texts } = payment;
  const page = await stranger(payment, 'submit', DESTINATIONS.iban);
  const known = submissionOf(await stranger(payment, 'open', {})) ?? assert.fail('no id');
  /** An answer without what differs between any two, and without the details that were guessed. */
  const answerTo = async (step: string, guess: Readonly<Record<string, string>>) => {
    const { status, html } = await stranger(payment, step, guess);
    const bare = html
      .replaceAll(/content="[\w-]{80,}"|data-key="[^"]*"|name="proof" value="[\w-]+"/g, '')
      .replaceAll(/value="(?:DE[0-9]+|Mallory|Jo Citizen)"/g, '')
      .replaceAll(/\d+ seconds?/g, '');
    return JSON.stringify([status, bare]);
  };
  const right = DESTINATIONS.iban;
  const steps: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['confirm', { code: '' }],
    ['confirm', { code: '12345' }],
    ['confirm', { code: '', proof: known }],
    ['submit', {}],
    ['submit', { resend: 'yes' }],
  ];
  for (const [step, more] of steps) {
    const answers = [
      await answerTo(step, { ...right, ...more }),
      await answerTo(step, { ...SAME_ENDING, ...more }),
    ];
    assert.equal(answers[0], answers[1], `${step} ${JSON.stringify(more)}`);
  }
  const code = await collect.codeOf(payment);
  const wrong = code === '000000' ? '000001' : '000000';
  // A guess with a code is an attempt.
  const counted = await stranger(payment, 'confirm', { ...SAME_ENDING, code: wrong });
  assert.ok(counted.html.includes('Attempts left: 4') && !counted.html.includes(texts.code.replacedHere));
  // The page that was submitted is told that it was replaced.
  await collect.payments.advance('PT31S');
  await stranger(payment, 'submit', SAME_ENDING);
  const proof = proofOf(page) ?? assert.fail('no proof');
  const told = await stranger(payment, 'confirm', { ...right, proof, code: '' });
  assert.ok(told.html.includes(texts.code.replacedHere));
});

test('where a stranger has used up all codes, the recipient asks for a new link', async () => {
  const payment = await collect.mailed();
  const { texts } = payment;
  for (let nth = 2; nth <= 6; nth += 1) {
    await stranger(payment, 'submit', DESTINATIONS.otherIban);
    await collect.codeOf(payment, nth);
    const early = nth === 2 ? await stranger(payment, 'ask', {}) : undefined;
    if (early !== undefined) assert.equal(early.title, texts.code.title, 'it has more codes');
    await collect.payments.advance('PT31S');
  }
  await collect.withPage(TOUCH, async (page) => {
    await openLink(page, payment);
    const told = await textOf(page);
    const notMine = texts.code.notMineSpent.replace('{organisation}', 'Sandbox demo');
    assert.ok(told.includes(notMine) && told.includes('2051'), told);
    assert.deepEqual(await faultsOf(page), []);
    await collect.payments.advance('PT10M1S');
    await openLink(page, payment);
    assert.equal(await titleOf(page), texts.gone.SPENT.title);
    assert.ok(!(await page.content()).includes('2051'), "a stranger's account is not shown for longer");
    await takePicture(page, 'en-gone-spent-360');
    assert.deepEqual(await faultsOf(page), []);
    const refused = await stranger(payment, 'submit', DESTINATIONS.iban);
    assert.deepEqual([refused.status, refused.html.includes('/collect/ask')], [409, true]);
    await press(page, texts.gone.ask);
    await page.getByRole('status').waitFor();
  });
  await stranger(payment, 'ask', {});
  assert.equal((await eventsOf(payment, 'LINK_REQUESTED')).length, 1);
  assert.match(
    (await collect.payments.get(payment.planId)).next?.detail ?? '',
    /asked for a new link: send it with POST …\/again/,
  );
});

test('a link whose payment was readdressed asks for nothing, and tells of no newer e-mail', async () => {
  const payment = await collect.mailed();
  const { texts, planId } = payment;
  await collect.payments.advance('PT1M1S');
  await collect.linkAgain(payment);
  const resent = await stranger(payment, 'open', {});
  assert.deepEqual([resent.title, resent.html.includes('/collect/ask')], [texts.gone.SUPERSEDED.title, true]);
  await collect.payments.advance('PT1M1S');
  const recipient = { type: 'email', email: `right.${payment.email}` };
  const moved = await collect.payments.again(payment, { recipient });
  assert.equal(moved.status, 200, moved.text);
  const { revision } = await collect.payments.get(planId);
  for (const step of ['open', 'ask', 'open']) {
    const { title, html } = await stranger(payment, step, {});
    assert.equal(title, texts.gone.READDRESSED.title);
    assert.ok(!html.includes('/collect/ask') && !html.includes('sent to you'));
  }
  assert.equal((await eventsOf(payment, 'LINK_REQUESTED')).length, 0);
  assert.ok((await collect.payments.get(planId)).revision >= revision);
});

test('an eMoney wallet is shown without words that somebody typed', async () => {
  const shown = [
    ['EMAIL', 'jo.citizen@example.com', 'eMoney wallet of j***@example.com'],
    ['PHONE', '+491701234567', 'eMoney wallet ending in 4567'],
    ['ACCOUNT_ID', 'acct-t.co', 'eMoney wallet ending in co'],
    ['ACCOUNT_ID', 'pay NOW!', 'eMoney wallet'],
  ] as const;
  const payment = await collect.mailed();
  let nth = 1;
  for (const [idType, value, text] of shown) {
    const fields = { type: 'emoney', currency: 'EUR', name: 'Jo', provider: 'Example Pay', idType };
    const given: Record<string, string> = { ...fields, [`idValue.${idType}`]: value };
    const { html } = await stranger(payment, 'submit', given);
    assert.ok(html.includes(`<dd>${text}</dd>`), `${value}: ${/<dd>eMoney[^<]*/.exec(html)?.[0]}`);
    nth += 1;
    const [mail = assert.fail()] = await collect.mailsTo(payment.email, nth);
    assert.ok(mail.text.includes(`What it confirms: ${text}.`), mail.text);
    await collect.payments.advance('PT31S');
  }
});
