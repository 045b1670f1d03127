// The e-mails to an organisation about its webhook endpoints: a real database, queue and mail server, and a clock that is
// moved.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { openStore, type Store } from '@fairway/store';
import { startTestDatabase } from '@fairway/testing';
import { pino } from 'pino';
import type { OrganisationConfig } from '../src/platform/config/organisations.ts';
import { publishedEventsOfEndpoint } from '@fairway/notifications';
import { createMailer } from '../src/platform/mail/mailer.ts';
import { createMetrics } from '../src/platform/metrics/metrics.ts';
import { createReportParts } from '../src/parts/reports/reportParts.ts';
import { createPaymentParts, startPaymentWork } from '../src/work/paymentWork.ts';
import { readMail, startSmtpServer } from './smtpHarness.ts';
import { until } from './webhookReceivers.ts';

const HOUR_MS = 3_600_000;
const SECRETS = ['whsec_planted', 'planted-header', 'planted-path'];
const ORGANISATIONS: readonly OrganisationConfig[] = [
  {
    organisation: 'Acme',
    shownName: 'Acme Research',
    webhookContact: { email: 'hooks@acme.example', locale: 'de' },
  },
  { organisation: 'Birch', shownName: 'Birch', webhookContact: { email: 'nobody@birch.example' } },
];
let nowMs = Date.UTC(2026, 10, 26, 8);
const refusals: Error[] = [];
const logged: string[] = [];
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let server: Awaited<ReturnType<typeof startSmtpServer>>;
let store: Store;
let work: ReturnType<typeof startPaymentWork>;

before(async () => {
  database = await startTestDatabase();
  server = await startSmtpServer({ onRcptTo: (_address, _session, done) => done(refusals.shift()) });
  const opened = await openStore({
    connection: database.connection,
    sealingKeys: [{ id: 'k1', key: randomBytes(32) }],
    now: () => new Date(nowMs),
    publishedEventsOfEndpoint,
  });
  assert.ok(opened.ok);
  ({ store } = opened);
  const log = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
  const metrics = createMetrics();
  const corridors = { corridors: [], rates: [], organisations: ORGANISATIONS, planLifeMs: 1 };
  const parts = createPaymentParts(corridors, {
    ...{ environment: 'sandbox', store, services: [], metrics, log },
    ...{ rateFor: () => undefined, publicUrl: () => 'https://pay.example.com', nowMs: () => nowMs },
  });
  const from = { name: 'Fairway', address: 'collect@pay.example.com' };
  const office = { mailer: createMailer({ smtpUrl: server.url, from }, pino({ level: 'silent' })), from };
  const reports = createReportParts(parts, store);
  const statements = { ...parts, statements: store.statements, canSeal: true };
  const ground = { store, corridors: [], metrics, reports, statements, eventsKeptMs: 1e9 };
  work = startPaymentWork(parts, office, ground, log);
});
afterEach(() => {
  server.mails.length = 0;
  refusals.length = 0;
});
after(async () => {
  await work?.close();
  await store?.close();
  await server?.close();
  await database?.close();
});

/** An endpoint of an organisation, and a way to conclude attempts at it. */
async function endpointOf(organisation: string) {
  const made = await store.createCredential({ organisation, environment: 'sandbox', permissions: [] });
  assert.ok(made.ok);
  const scope = { organisationId: made.organisationId, environment: 'sandbox' } as const;
  const endpointId = `whe_${randomBytes(16).toString('hex')}`;
  const url = `https://hooks.${organisation.toLowerCase()}.example:8443/planted-path`;
  const secrets = { secrets: [{ secret: 'whsec_planted' }], headers: { authorization: 'planted-header' } };
  const creation = { endpointId, url, types: ['*'], secrets, bodyFingerprint: undefined };
  assert.ok((await store.webhooks.createEndpoint(scope, creation, nowMs)).ok);
  const attempt = async (outcome: 'DELIVERED' | 'FAILED' | 'GONE') => {
    const made = { outcome, url, atMs: nowMs, status: 500, durationMs: 1 };
    const held = { scope, endpointId, eventId: 'evt_none', claim: 1 };
    await store.webhooks.concludeAttempt(held, made, nowMs);
  };
  return { scope, endpointId, attempt };
}

/** Waits until jobs of e-mails are done, and answers what came. */
async function mails(count: number) {
  await until(`${count} e-mails`, async () => {
    await store.jobs.hasten();
    return server.mails.length >= count;
  });
  await until('the end of the jobs', async () => {
    const counted = await store.operator.figures('sandbox');
    await store.jobs.hasten();
    return counted.figures.jobsDue === 0;
  });
  return Promise.all(server.mails.map(readMail));
}

test('failing, recovered and disabled are e-mailed once each, in the language of the contact', async () => {
  const { attempt, endpointId } = await endpointOf('Acme');
  for (let count = 0; count < 5; count += 1) await attempt('FAILED');
  nowMs += HOUR_MS;
  await Promise.all([1, 2, 3].map(() => store.webhooks.publishFailing('sandbox', nowMs)));
  for (let count = 0; count < 5; count += 1) await attempt('FAILED');
  const [failing] = await mails(1);
  nowMs += HOUR_MS;
  await attempt('DELIVERED');
  await attempt('DELIVERED');
  const [, recovered] = await mails(2);
  await attempt('FAILED');
  nowMs += 5 * 24 * HOUR_MS;
  await attempt('FAILED');
  await attempt('FAILED');
  const all = await mails(3);
  assert.deepEqual(
    all.map(({ subject }) => subject),
    [
      'Ein Webhook-Endpunkt von Acme Research ist gestört',
      'Ein Webhook-Endpunkt von Acme Research arbeitet wieder',
      'Ein Webhook-Endpunkt von Acme Research ist abgeschaltet',
    ],
  );
  assert.match(failing?.text ?? '', /Seit dem 26\. November 2026 um 08:00 UTC/);
  assert.match(recovered?.text ?? '', /am 26\. November 2026 um 10:00 UTC/);
  for (const mail of all) {
    assert.deepEqual([mail.to].flat()[0]?.text, 'hooks@acme.example');
    assert.ok(mail.text?.includes(endpointId) && mail.text.includes('hooks.acme.example:8443'));
    for (const secret of SECRETS) assert.equal(JSON.stringify(mail).includes(secret), false, secret);
  }
});

test('410 is e-mailed; what its owner does is not, and nobody is told without an address', async () => {
  const [acme, birch, cedar] = await Promise.all(['Acme', 'Birch', 'Cedar'].map(endpointOf));
  assert.ok(acme && birch && cedar);
  await cedar.attempt('GONE');
  const { scope, endpointId } = birch;
  for (const type of ['DELETED', 'ENABLED'] as const)
    await store.webhooks.changeEndpoint(scope, endpointId, { type }, nowMs);
  await acme.attempt('GONE');
  const came = await mails(1);
  assert.equal(came.length, 1);
  assert.match(came[0]?.text ?? '', /hat am .* mit 410 geantwortet/);
});

test('a mail server that is away gets the e-mail later, and one that refuses it is asked once', async () => {
  const refusal = (responseCode: number) =>
    Object.assign(new Error('hooks@acme.example is unknown here'), { responseCode });
  const { attempt } = await endpointOf('Acme');
  refusals.push(refusal(451), refusal(451));
  await attempt('GONE');
  assert.equal((await mails(1)).length, 1);
  server.mails.length = 0;
  refusals.push(refusal(550));
  await (await endpointOf('Birch')).attempt('GONE');
  await until('the refusal', () => logged.some((line) => line.includes('"code":"550"')));
  assert.equal((await mails(0)).length, 0);
  const words = logged.join('');
  assert.match(words, /the e-mail about a webhook endpoint was not sent: 451/);
  for (const secret of [...SECRETS, 'hooks@acme.example', 'nobody@birch.example'])
    assert.equal(words.includes(secret), false, secret);
});
