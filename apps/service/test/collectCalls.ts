import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentPlan } from '@fairway/wire';
import { pino } from 'pino';
import { startTestService, type TestService } from './harness.ts';
import { type PaymentsClient, paymentsClient, requestOf, stepOf, type WholePlan } from './paymentsHarness.ts';

/** The answer to a form of the recipient's page. */
export type Page = {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly html: string;
  readonly title: string;
};
/** A mail as the sandbox shows it. */
export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly links: readonly string[];
};

/** A whole sandbox, and the actions of recipient and integrator. */
export type CollectTest = {
  readonly service: TestService;
  readonly client: PaymentsClient;
  /** Everything that the service logged. */
  logged(): string;
  /** A plan whose swap is done, so that its link is due. */
  swapped(fields?: object): Promise<WholePlan>;
  /** Plays a plan's deposit and swap. */
  swapDone(plan: PaymentPlan): Promise<WholePlan>;
  /** Fields of a request for a plan that collects. */
  readonly requestFields: (recipient?: object, collect?: object) => object;
  /** Posts a form of the recipient's page. */
  post(step: string, fields: Readonly<Record<string, string>>, from?: string): Promise<Page>;
  /** Reports how far the payment to the chosen destination is. */
  deliver(plan: PaymentPlan, report: object): ReturnType<PaymentsClient['ask']>;
  /** Sends the recipient of a plan another link, with an e-mail address of their own where one is given. */
  linkAgain(plan: Pick<PaymentPlan, 'planId'>, recipient?: object): ReturnType<PaymentsClient['ask']>;
  /** Waits until the sandbox's own server has this many mails to an address; newest first. */
  mailsTo(address: string, atLeast: number): Promise<readonly Mail[]>;
  advance(duration: string): Promise<void>;
  close(): Promise<void>;
};

/** Starts the sandbox. It sends its e-mails to the server at `smtpUrl`, or to its own server. */
export async function startCollectTest(smtpUrl?: string): Promise<CollectTest> {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const limits = { requestsPerSecond: 1_000_000, failedLoginsPerMinute: 1_000_000 };
  const from = { name: 'Fairway', address: 'collect@fairway.example' };
  const mail = smtpUrl === undefined ? {} : { mail: { smtpUrl, from } };
  const service = await startTestService([], { limits, trustedProxies: ['127.0.0.1'], ...mail }, log);
  const client = paymentsClient(service.url, service.authorization);

  async function mailsTo(address: string, atLeast: number): Promise<readonly Mail[]> {
    for (let tries = 0; tries < 400; tries++) {
      const { data } = await service.ask<{ data: Mail[] }>('/v1/sandbox/mailbox');
      const mails = data.filter(({ to }) => to === address);
      if (mails.length >= atLeast) return mails;
      await sleep(25);
    }
    return assert.fail(`There are not ${atLeast} mails to ${address}`);
  }

  return {
    service,
    client,
    logged: () => lines.join(''),
    requestFields,
    post: (...form) => postForm(service.url, ...form),
    mailsTo,
    swapDone: (plan) => swapDone(client, plan),
    swapped: async (fields = requestFields()) => swapDone(client, await client.plan(fields)),
    deliver: (plan, report) => client.report(plan, 'SEND_DIGITAL_COLLECT', { ...report }),
    linkAgain: (plan, recipient) =>
      client.again(plan, recipient === undefined ? {} : { recipient: { type: 'email', ...recipient } }),
    async advance(advance) {
      const { status, text } = await client.ask('/v1/sandbox/clock', { advance });
      assert.equal(status, 200, text);
    },
    close: service.close,
  };
}

/** An e-mail address that no other test uses. */
export function freshEmail(): string {
  return `${requestOf()['clientReference']}@example.com`.toLowerCase();
}

function requestFields(recipient: object = {}, collect: object = {}): object {
  return {
    corridorId: 'usdc-eur-collect',
    recipient: { type: 'email', email: freshEmail(), name: 'Jo Citizen', ...recipient },
    options: { mode: 'DIGITAL_COLLECT', collect: { locale: 'en', ...collect } },
  };
}

async function swapDone({ ask }: PaymentsClient, plan: PaymentPlan): Promise<WholePlan> {
  let last = plan;
  for (const [index, event] of ['deposit.exact', 'swap.done'].entries()) {
    const path = `/v1/sandbox/payments/${plan.planId}/steps/${plan.steps[index]?.stepId}/simulate`;
    const { status, text, body } = await ask(path, { event });
    assert.equal(status, 200, text);
    last = body;
  }
  return last as WholePlan;
}

let visitors = 0;

/**
 * Posts a form of the recipient's page. Every form comes from another address where the service trusts this machine
 * as a proxy, because the forms of one address are limited.
 */
export async function postForm(
  url: string,
  step: string,
  fields: Readonly<Record<string, string>>,
  from = `10.${(++visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`,
): Promise<Page> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': from };
  const response = await fetch(`${url}/collect/${step}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(fields),
  });
  const html = await response.text();
  return {
    status: response.status,
    headers: [...response.headers],
    html,
    title: /<h1[^>]*>([^]*?)<\/h1>/.exec(html)?.[1] ?? '',
  };
}

/** The state of a plan's link and delivery. */
export function collectOf(plan: PaymentPlan) {
  const { collect } = stepOf(plan, 'SEND_DIGITAL_COLLECT');
  assert.ok(collect);
  return collect;
}

/** The token of the link in a mail. */
export function tokenIn({ text }: Pick<Mail, 'text'>): string {
  const [, token] = /\/collect#([\w-]{43})/.exec(text) ?? [];
  assert.ok(token, text);
  return token;
}

/** The code in a mail, whose amount may have six decimals. */
export function codeIn({ text }: Pick<Mail, 'text'>): string {
  const [code] = /(?<![\d.,])\d{6}(?![\d.,]*\d)/.exec(text) ?? [];
  assert.ok(code, text);
  return code;
}

/** Another code than this one. */
export function otherCode(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}

/** Form fields of destinations that the sandbox's corridor accepts. */
export const DESTINATIONS = {
  iban: { type: 'bank', country: 'DE', name: 'Jo Citizen', 'account.iban': 'DE89370400440532013000' },
  otherIban: { type: 'bank', country: 'DE', name: 'Jo Citizen', 'account.iban': 'DE02120300000000202051' },
} as const;
