import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf, type Plan } from '@fairway/plan';
import type { QueuedMail } from '@fairway/store';
import { catalogueOf } from '../../words/locales/index.ts';
import { conversionFor } from '../payments/bodies/conversion.ts';
import type { CollectParts } from './parts.ts';
import { letterOf } from './planLetter.ts';
import { factsFor, lookUp, type Visit } from './linkFacts.ts';
import { newToken } from '../payments/links/token.ts';

const TOKEN = `0x${'02'.repeat(20)}`;
const NOW_MS = Date.UTC(2026, 10, 21);
const EXPIRES_AT_MS = NOW_MS + 86_400_000;

const REMINDER: QueuedMail = {
  mailId: 'mail_1',
  scope: { organisationId: 'org_1', environment: 'sandbox' },
  planId: 'plan_1',
  order: { kind: 'REMINDER' },
  messageId: '1',
  version: 1,
  expiresAtMs: EXPIRES_AT_MS,
};

/**
 * The parts of a plan that letters and pages read. Its newest link has this version, and its e-mail was accepted.
 * `conversion`: how its token becomes euros.
 */
function planWithLink(version: number, conversion?: 'PEGGED'): Plan {
  const link = { version, state: 'SENT', mail: 'ACCEPTED', madeAtMs: NOW_MS, expiresAtMs: EXPIRES_AT_MS };
  const amount = amountOf(1_234_500_000n);
  return {
    planId: 'plan_1',
    amountIn: amount,
    returns: [],
    recipient: { type: 'email' },
    options: { notices: { reminderBeforeMs: 1 } },
    corridor: {
      source: { chainId: 31_337, token: TOKEN },
      target: { chainId: 31_337, token: TOKEN, currency: 'EUR', custodian: 'Harbour Bank', conversion },
      destinations: { wallet: true, bankCountries: ['DE'], emoney: true },
    },
    steps: [
      { stepId: 'step_1', type: 'AWAIT_DEPOSIT', status: 'DONE', expected: amount },
      { stepId: 'step_2', type: 'EXECUTE_SWAP', status: 'DONE', expected: amount, attempts: [] },
      { stepId: 'step_3', type: 'SEND_DIGITAL_COLLECT', status: 'READY', link, rounds: [] },
    ],
    // The code under test reads only these members.
  } as unknown as Plan;
}

/** Parts of a service with one plan. `decimals`: those of its token; undefined while tokens have not been read. */
function partsOf(plan: Plan, decimals: number | undefined): CollectParts {
  const tokens = new Map(decimals === undefined ? [] : [[TOKEN, { decimals, symbol: 'GBP' }]]);
  const link = { scope: REMINDER.scope, planId: plan.planId, version: 1, state: 'LIVE' };
  return {
    store: {
      payments: {
        loadPlan: () => Promise.resolve({ ok: true, plan }),
        readRecipient: () =>
          Promise.resolve({ ok: true, recipient: { type: 'email', email: 'jo@example.com', name: 'Jo' } }),
      },
      collect: { findLink: () => Promise.resolve({ ok: true, link }) },
    },
    chains: new Map([[31_337, { name: 'Sandbox', follower: { tokens } }]]),
    environment: 'sandbox',
    organisationOf: () => Promise.resolve({ name: 'Harbour Ltd' }),
    publicUrl: () => 'https://pay.example',
    rateFor: () => undefined,
    nowMs: () => NOW_MS,
    // The code under test reads only these members; the others would need a database and a chain.
  } as unknown as CollectParts;
}

function visitOf(locale: string): Visit {
  const form = new URLSearchParams({ token: newToken() });
  return { form, catalogue: catalogueOf(locale), retryState: () => ({ sealed: 's', key: 'k' }) };
}

test('a reminder goes to the recipient of its link and shows the amount in whole units', async () => {
  const letter = await letterOf(partsOf(planWithLink(1), 6), REMINDER);
  assert.equal(letter.to, 'jo@example.com');
  assert.match(letter.text, /1,234\.50/);
});

test('an e-mail has the colour of its organisation, and says where to ask it', async () => {
  const organisation = {
    name: 'Harbour Ltd',
    colour: '#e8833a',
    support: { email: 'help@harbour.example' },
  } as const;
  const parts = { ...partsOf(planWithLink(1), 6), organisationOf: () => Promise.resolve(organisation) };
  const { html, text } = await letterOf(parts, REMINDER);
  assert.match(html, /border-bottom:3px solid #e8833a">Harbour Ltd</);
  assert.match(text, /How to reach Harbour Ltd:\nhelp@harbour\.example/);
});

test('a notice of a link that was replaced is not sent', async () => {
  // The newer link may belong to another person.
  await assert.rejects(letterOf(partsOf(planWithLink(2), 6), REMINDER), /no longer so/);
});

test('while the decimals of a token are unknown, e-mails wait and the page answers 503', async () => {
  const parts = partsOf(planWithLink(1), undefined);
  await assert.rejects(letterOf(parts, REMINDER), /decimals/);
  const found = await lookUp(parts, visitOf('en'));
  assert.deepEqual([found.outcome, found.outcome === 'GONE' && found.page.status], ['GONE', 503]);
  const known = await lookUp(partsOf(planWithLink(1, 'PEGGED'), 6), visitOf('en'));
  assert.ok(known.outcome === 'LIVE');
  assert.equal(known.link.facts.amount.text, '1,234.50 EUR');
});

test('a token that is not pegged is shown as itself, whatever its symbol, with who converts it', async () => {
  // The symbol of this token is a currency's, and its decimals are not.
  const plan = planWithLink(1);
  const expected = amountOf(1_000_001n);
  const steps = plan.steps.map((step) => ({ ...step, expected })) as unknown as Plan['steps'];
  const parts = partsOf({ ...plan, steps }, 6);
  const letter = await letterOf(parts, REMINDER);
  assert.match(letter.text, /is sending you 1\.000001\u00a0GBP\./);
  assert.match(letter.text, /another currency: Euro \(EUR\)\. Harbour Bank converts the 1\.000001\u00a0GBP/);
  const found = await lookUp(parts, visitOf('de'));
  assert.ok(found.outcome === 'LIVE');
  const { amount, conversion } = found.link.facts;
  assert.deepEqual(
    [amount.text, conversion],
    ['1,000001 GBP', { custodian: 'Harbour Bank', currency: 'EUR' }],
  );
});

test('a pegged token is shown in its currency, and as itself to wallets', async () => {
  const parts = partsOf(planWithLink(1, 'PEGGED'), 6);
  const { text } = await letterOf(parts, REMINDER);
  assert.match(text, /is sending you 1,234\.50\u00a0EUR\./);
  assert.doesNotMatch(text, /convert|Harbour Bank/);
  const found = await lookUp(parts, visitOf('en'));
  assert.ok(found.outcome === 'LIVE');
  assert.equal(factsFor(found.link, 'bank').amount.text, '1,234.50 EUR');
  assert.equal(factsFor(found.link, 'wallet').amount.text, '1,234.50 GBP');
});

test('the e-mail with a code names the amount as the page does: a wallet is paid the token', async () => {
  const parts = partsOf(planWithLink(1, 'PEGGED'), 6);
  const amountIn = async (paidTo: 'wallet' | 'bank') => {
    const choice = { destination: 'Account ending in 4321', paidTo };
    const order = { kind: 'CODE', to: 'jo@example.com', locale: 'en', code: '123456', ...choice } as const;
    const { text } = await letterOf(parts, { ...REMINDER, order });
    return /for the (.+?) that/.exec(text)?.[1];
  };
  assert.equal(await amountIn('wallet'), '1,234.50\u00a0GBP');
  assert.equal(await amountIn('bank'), '1,234.50\u00a0EUR');
});

test('nobody converts the money of a wallet, or where wallets alone can be chosen', () => {
  const plan = planWithLink(1);
  const options = { ...plan.options, collect: { allowedDestinations: ['wallet'] } };
  assert.equal(conversionFor(plan, 'wallet'), undefined);
  assert.equal(conversionFor({ ...plan, options }), undefined);
  assert.equal(conversionFor(plan, 'emoney')?.custodian, 'Harbour Bank');
});
