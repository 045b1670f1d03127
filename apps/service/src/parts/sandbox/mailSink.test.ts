import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pino from 'pino';
import { startWire } from '../../../test/smtpHarness.ts';
import { PAGE_POLICY } from '@fairway/api';
import { createMailer, type Mailer, type OutgoingMail } from '../../platform/mail/mailer.ts';
import { MAILBOX_POLICY, mailboxPage } from './mailboxPage.ts';
import { type MailSink, startMailSink, type SunkMail } from './mailSink.ts';
import { writeMail } from '../../platform/mail/writeMail.ts';

const FROM = { name: 'Fairway sandbox', address: 'sandbox@fairway.example' };
const LINK_URL = 'http://127.0.0.1:8080/collect#Zm9yIHRoZSBmaXJzdCBsaW5r-_';
const written = writeMail(
  {
    kind: 'LINK_FIRST',
    organisationName: 'Müller & Söhne',
    amount: '1.234,50',
    unit: 'EUR',
    publicUrl: 'http://127.0.0.1:8080',
    linkUrl: LINK_URL,
    expiresAtMs: Date.UTC(2026, 11, 5),
  },
  'de',
);

async function sunk(t: TestContext, through = (mailer: Mailer, _sink: MailSink) => mailer) {
  const sink = await startMailSink(() => Date.UTC(2026, 10, 21));
  t.after(() => sink.close());
  const mailer = through(createMailer({ smtpUrl: sink.url, from: FROM }, pino({ level: 'silent' })), sink);
  const send = (mail: Partial<OutgoingMail> = {}) =>
    mailer.send({
      organisationId: 'org_1',
      to: 'jane@example.org',
      from: FROM,
      ...written,
      messageId: '1',
      ...mail,
    });
  return { sink, send };
}

test('an e-mail of the sandbox is in the mailbox, with its links', async (t) => {
  const { sink, send } = await sunk(t);
  assert.equal(await send(), 'ACCEPTED');
  assert.deepEqual(sink.messages(), [
    {
      id: '1',
      to: 'jane@example.org',
      ...written,
      links: [LINK_URL],
      at: '2026-11-21T00:00:00.000Z',
    },
  ]);
});

test('the mailbox knows whose an e-mail is, where this process sent it', async (t) => {
  const { sink, send } = await sunk(t, (mailer, { attributing }) => attributing(mailer));
  await send({ messageId: 'a', organisationId: 'org_1' });
  await send({ messageId: 'b', organisationId: 'org_2' });
  await createMailer({ smtpUrl: sink.url, from: FROM }, pino({ level: 'silent' })).send({
    ...{ organisationId: 'org_1', to: 'jane@example.org', from: FROM, ...written, messageId: 'c' },
  });
  assert.deepEqual(
    sink.messages().map(({ organisationId }) => organisationId),
    [undefined, 'org_2', 'org_1'],
  );
});

test('the mailbox has the newest e-mail first', async (t) => {
  const { sink, send } = await sunk(t);
  for (const subject of ['first', 'second', 'third']) await send({ subject });
  assert.deepEqual(
    sink.messages().map(({ id, subject }) => [id, subject]),
    [
      ['3', 'third'],
      ['2', 'second'],
      ['1', 'first'],
    ],
  );
});

test('the mailbox keeps the last 500 e-mails', async (t) => {
  const { sink, send } = await sunk(t);
  // Sent 50 at a time, because the server waits a moment before it greets each connection.
  for (let round = 0; round < 11; round += 1)
    await Promise.all(Array.from({ length: 50 }, () => send({ html: '', text: 'x' })));
  const ids = sink.messages().map(({ id }) => id);
  assert.deepEqual([ids.length, ids[0], ids.at(-1)], [500, '550', '51']);
});

test('an incomplete e-mail is not in the mailbox, and the next e-mail is accepted', async (t) => {
  const { sink, send } = await sunk(t);
  const wire = await startWire(Number(new URL(sink.url).port), (said) => said.includes('Subject:'));
  t.after(() => wire.close());
  const outcome = await createMailer({ smtpUrl: wire.url, from: FROM }, pino({ level: 'silent' })).send({
    organisationId: 'org_1',
    to: 'jane@example.org',
    from: FROM,
    subject: 'broken',
    text: 'x'.repeat(500_000),
    html: '',
    messageId: '2',
  });
  assert.notEqual(outcome, 'ACCEPTED');
  assert.equal(await send(), 'ACCEPTED');
  assert.deepEqual(
    sink.messages().map(({ subject }) => subject),
    [written.subject],
  );
});

const EVIL: SunkMail = {
  id: '1',
  to: '<script>alert(1)</script>@example.org',
  subject: '<img src=x onerror=alert(1)>',
  text: '</pre><script>alert(1)</script>',
  html: '<p title="a">"quoted" & <script>alert(1)</script></p>',
  links: ['https://example.org/"><script>alert(1)</script>'],
  at: '2026-11-21T00:00:00.000Z',
};

test('the mailbox page shows e-mails as text, and their HTML in a frame without permissions', () => {
  const shown = mailboxPage([EVIL], '1');
  assert.doesNotMatch(shown, /<script|<img|onerror=(?!alert\(1\)&gt;)/);
  assert.match(
    shown,
    /<iframe sandbox title="The mail as HTML" srcdoc="&lt;p title=&quot;a&quot;&gt;&quot;quoted&quot; &amp; &lt;script&gt;/,
  );
  const list = mailboxPage([EVIL]);
  assert.match(list, /<a href="\?mail=1">&lt;img src=x onerror=alert\(1\)&gt;<\/a>/);
  assert.doesNotMatch(list, /<script|<img|<iframe/);
});

test('the mailbox page says when there are no e-mails, and when an e-mail is not found', () => {
  assert.match(mailboxPage([]), /None yet/);
  assert.match(mailboxPage([EVIL], '2'), /This mail is not here/);
  assert.doesNotMatch(mailboxPage([EVIL], '1'), /This mail is not here/);
});

test('the mailbox page may run no scripts, load nothing and post no forms', () => {
  assert.doesNotMatch(MAILBOX_POLICY, /script-src|connect-src|font-src|https?:|\*/);
  for (const rule of ["default-src 'none'", "form-action 'none'", "frame-ancestors 'none'"]) {
    assert.ok(MAILBOX_POLICY.includes(rule));
    assert.ok(PAGE_POLICY.includes(rule));
  }
});
