import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mailbox, PaymentPlan, PaymentStep } from '@fairway/wire';
import type pino from 'pino';
import { launchBrowser } from '@fairway/testing/browser';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Catalogue } from '../src/words/locales/catalogue.ts';
import { catalogueOf } from '../src/words/locales/index.ts';
import { freshReference, type PaymentsTest, startPaymentsTest, stepOf } from './paymentsHarness.ts';

type Mail = Mailbox['data'][number];
type Collect = NonNullable<PaymentStep['collect']>;

/** A payment whose link is in the recipient's mailbox. */
export type MailedPayment = {
  readonly planId: string;
  /** The recipient's address, which no other payment uses. */
  readonly email: string;
  /** The link as the e-mail shows it. */
  readonly link: string;
  readonly token: string;
  /** Every text of the recipient's pages. */
  readonly texts: Catalogue['pages'];
};

/** What an integrator requests of the collection. */
export type CollectOptions = {
  readonly locale?: string;
  readonly message?: string;
  readonly expiresIn?: string;
};

/** A whole sandbox with a browser. */
export type CollectTest = {
  readonly payments: PaymentsTest;
  /** Plans a payment and plays payer and wallet until the link is in the mailbox. */
  mailed(options?: CollectOptions): Promise<MailedPayment>;
  /** E-mails to an address, newest first, once there are this many. */
  mailsTo(email: string, count: number): Promise<readonly Mail[]>;
  /** The code of the newest e-mail; waits until the recipient has `count` e-mails. */
  codeOf(payment: MailedPayment, count?: number): Promise<string>;
  /** The link of the newest e-mail; waits until the recipient has `count` e-mails. */
  linkOf(payment: MailedPayment, count: number): Promise<string>;
  /** Sends the recipient another link as the integrator; a 200. */
  linkAgain(payment: MailedPayment): Promise<PaymentPlan>;
  /** Ends the plan as the integrator; a 200. */
  end(payment: MailedPayment, request?: object): Promise<PaymentPlan>;
  /** Plays an event of the step that collects; a 200. */
  simulate(payment: MailedPayment, event: string): Promise<PaymentPlan>;
  /** The state of the collection. */
  stateOf(payment: MailedPayment): Promise<Collect>;
  /** Runs with a page whose console must stay empty: a browser reports a breach of the content policy there. */
  withPage(options: BrowserContextOptions, run: (page: Page) => Promise<void>): Promise<void>;
  close(): Promise<void>;
};

/** Starts the sandbox and a browser; `log` is where the service writes to. */
export async function startCollectTest(log?: pino.Logger): Promise<CollectTest> {
  const [service, started] = await Promise.allSettled([startPaymentsTest(log), launchBrowser()]);
  if (service.status === 'rejected' || started.status === 'rejected') {
    if (service.status === 'fulfilled') await service.value.close();
    if (started.status === 'fulfilled') await started.value.close();
    throw service.status === 'rejected' ? service.reason : (started as PromiseRejectedResult).reason;
  }
  const [payments, browser] = [service.value, started.value];
  const mailbox = mailboxOf(payments);

  async function posted(path: string, body: object): Promise<PaymentPlan> {
    const answer = await payments.ask(path, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  const simulated = (plan: { planId: string }, { stepId }: PaymentStep, event: string) =>
    posted(`/v1/sandbox/payments/${plan.planId}/steps/${stepId}/simulate`, { event });
  const stepNow = async ({ planId }: MailedPayment) =>
    stepOf(await payments.get(planId), 'SEND_DIGITAL_COLLECT');

  return {
    payments,
    ...mailbox,
    async stateOf(payment) {
      const { collect } = await stepNow(payment);
      assert.ok(collect);
      return collect;
    },
    async mailed({ locale = 'en', ...options } = {}) {
      const email = `jo.${randomBytes(6).toString('hex')}@example.com`;
      const made = await payments.plan({
        clientReference: freshReference(),
        corridorId: 'usdc-eur-collect',
        amountIn: '1000000000',
        recipient: { type: 'email', email, name: 'Jo Citizen' },
        options: { mode: 'DIGITAL_COLLECT', collect: { locale, ...options } },
      });
      await simulated(made, stepOf(made, 'AWAIT_DEPOSIT'), 'deposit.exact');
      await simulated(made, stepOf(made, 'EXECUTE_SWAP'), 'swap.done');
      const link = linkIn((await mailbox.mailsTo(email, 1))[0]);
      const token = new URL(link).hash.slice(1);
      return { planId: made.planId, email, link, token, texts: catalogueOf(locale).pages };
    },
    linkAgain: ({ planId }) => posted(`/v1/payments/${planId}/again`, {}),
    async end(payment, request = { reason: 'OTHER' }) {
      const { status, text, body } = await payments.end(payment, request);
      assert.equal(status, 200, text);
      return body;
    },
    simulate: async (payment, event) => simulated(payment, await stepNow(payment), event),
    withPage: (options, run) => withPage(browser, options, run),
    async close() {
      await Promise.all([browser.close(), payments.close()]);
    },
  };
}

/** The e-mails that a sandbox would have sent. */
export function mailboxOf({ service }: PaymentsTest): Pick<CollectTest, 'mailsTo' | 'codeOf' | 'linkOf'> {
  async function mailsTo(email: string, count: number): Promise<readonly Mail[]> {
    for (let tries = 0; tries < 200; tries++) {
      const { data } = await service.ask<Mailbox>('/v1/sandbox/mailbox');
      const found = data.filter(({ to }) => to === email);
      if (found.length >= count) return found;
      await sleep(50);
    }
    throw new Error(`The mailbox has fewer than ${count} e-mails to ${email}`);
  }
  return {
    mailsTo,
    async codeOf({ email }, count = 2) {
      const [newest] = await mailsTo(email, count);
      const code = /(?<![\d.,])\d{6}(?![\d.,]*\d)/.exec(newest?.text ?? '')?.[0];
      assert.ok(code, `The newest e-mail holds no code: ${newest?.text}`);
      return code;
    },
    linkOf: async ({ email }, count) => linkIn((await mailsTo(email, count))[0]),
  };
}

function linkIn(mail: Mail | undefined): string {
  const link = mail?.links.find((each) => each.includes('/collect#'));
  assert.ok(link, `The e-mail holds no link: ${mail?.text}`);
  return link;
}

async function withPage(
  browser: Browser,
  options: BrowserContextOptions,
  run: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  context.on('console', (message) => {
    // The browser reports answers of 4xx, which are ordinary pages here.
    if (!/status of 4\d\d/.test(message.text())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  try {
    await run(await context.newPage());
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

/** Opens the link as a click in an e-mail does. */
export async function openLink(page: Page, { link }: Pick<MailedPayment, 'link'>): Promise<void> {
  await page.goto('about:blank');
  await page.goto(link);
  await page.waitForURL('**/collect/open');
}

/** Presses the button of this name and waits for the next page. */
export async function press(page: Page, name: string): Promise<void> {
  await Promise.all([
    page.waitForEvent('domcontentloaded'),
    page.getByRole('button', { name, exact: true }).click(),
  ]);
}

/** What a recipient gives, by the names of the fields. */
export type Given = {
  readonly type: 'wallet' | 'bank' | 'emoney';
  readonly country?: string;
  readonly fields: Readonly<Record<string, string>>;
};

/** A German account with a valid check digit. */
export const GERMAN_ACCOUNT: Given = {
  type: 'bank',
  country: 'DE',
  fields: { name: 'Jo Citizen', 'account.iban': 'DE89 3704 0044 0532 0130 00' },
};

/** Goes from the first page to the form of a destination. */
export async function choose(page: Page, texts: Catalogue['pages'], { type, country }: Given): Promise<void> {
  await page.locator(`#type-${type}`).check();
  if (country !== undefined) await page.locator('#country').selectOption(country);
  await press(page, texts.common.continue);
}

/** The boxes of a field. A field whose kind another one decides has a box for each kind, of which one is seen. */
function boxOf(name: string): string {
  return ['input', 'textarea'].map((tag) => `${tag}[name="${name}"], ${tag}[name^="${name}."]`).join(', ');
}

/** Fills in the form of a destination. */
export async function fillIn(page: Page, { fields }: Given): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    const radio = page.locator(`input[type=radio][name="${name}"][value="${value}"]`);
    const select = page.locator(`select[name="${name}"]`);
    if ((await radio.count()) > 0) await radio.check();
    else if ((await select.count()) > 0) await select.selectOption(value);
    else await page.locator(boxOf(name)).and(page.locator(':visible')).fill(value);
  }
}

/** Goes from the link to the page that asks for the code. */
export async function submit(page: Page, payment: MailedPayment, given: Given): Promise<void> {
  const { texts } = payment;
  await openLink(page, payment);
  await choose(page, texts, given);
  await fillIn(page, given);
  await press(page, texts.common.continue);
  if (given.type === 'wallet') await page.locator('#confirmed').check();
  await press(page, texts.review.button);
}

/** Enters a code. */
export async function enterCode(page: Page, { texts }: MailedPayment, code: string): Promise<void> {
  await page.locator('#code').fill(code);
  await press(page, texts.code.button);
}
