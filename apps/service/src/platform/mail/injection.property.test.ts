import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pino from 'pino';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { commandsOf, headersOf, readMail, startSmtpServer, startWire } from '../../../test/smtpHarness.ts';
import { CATALOGUES } from '../../words/locales/index.ts';
import { createMailer } from './mailer.ts';
import { type MailFacts, writeMail } from './writeMail.ts';

const server = await startSmtpServer();
const wire = await startWire(server.port);
after(() => Promise.all([wire.close(), server.close()]));

/** What attackers write into names, messages and organisations. */
const hostile = fc.constantFrom(
  '\r\nBcc: evil@example.net',
  '\nBcc: evil@example.net\n\n',
  '\r\n.\r\nRCPT TO:<evil@example.net>\r\n',
  '\r\n\r\n<script>alert(1)</script>',
  '\u2028Cc: evil@example.net',
  '\u2029To: evil@example.net',
  '\u202egnp.exe\u202c',
  '\u2066\u200f\u061c',
  '\0',
  '\u0085X-Evil: 1',
  '<img src="https://evil.example/x.png" onerror=alert(1)>',
  '"></p><a href="javascript:alert(1)">',
  "' onmouseover='alert(1)",
  '{linkUrl} {amount} {evil} $& $1',
  '=?UTF-8?Q?=0D=0ABcc:_evil@example.net?=',
  ', evil@example.net',
  '<evil@example.net>',
  'group: evil@example.net;',
  `${'A'.repeat(10_000)}\r\nBcc: evil@example.net`,
  '\ud800',
);
const outside = fc
  .array(fc.oneof(hostile, fc.string({ unit: 'grapheme', maxLength: 20 })), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''));

const address = fc.oneof(
  fc.constant('jane.doe@example.org'),
  fc.constantFrom(
    "o'brien+a=b/c@example.org",
    '-jane@example.org',
    'a{b}|c@example.org',
    'j%x!y@example.org',
  ),
  fc.tuple(hostile, outside).map(([first, rest]) => `jane@example.org${first}${rest}`),
  outside,
);

const facts: fc.Arbitrary<MailFacts> = fc
  .record({ organisationName: outside, name: outside, unit: outside, text: outside })
  .chain(({ text, ...shared }) => {
    const estimate = { amount: text, rate: text, token: text, source: text, asOfMs: 1e12 };
    const conversion = { custodian: text, currency: shared.unit, estimate };
    const all = { ...shared, amount: '1.00', publicUrl: 'https://pay.example.com' };
    const link = { linkUrl: 'https://pay.example.com/collect#T0ken', expiresAtMs: 1e12, message: text };
    return fc.constantFrom<MailFacts>(
      { ...all, ...link, kind: 'LINK_FIRST' },
      { ...all, ...link, kind: 'LINK_REOPENED' },
      { ...all, kind: 'CODE', code: '042917', expiresAtMs: 1e12, destination: text },
      { ...all, kind: 'CONFIRMATION', destination: text },
      { ...all, ...link, conversion, kind: 'LINK_FIRST' },
    );
  });

/** The tags and attributes of a mail: those that the writer puts there, and no others. */
const TAG =
  /^<(!doctype html|\/?(html|head|body|div|p|a|blockquote|title)|meta|br)( (lang|style|charset|name|content|href)="[^"]*")*>$/;
const HEADERS =
  /^(Auto-Submitted|X-Auto-Response-Suppress|From|To|Subject|Message-ID|Date|MIME-Version|Content-Type): /;

test('no name, message or address adds a recipient, a header or markup to a mail', async () => {
  await fc.assert(
    fc.asyncProperty(
      facts,
      outside,
      address,
      fc.constantFrom(...CATALOGUES.map(({ locale }) => locale)),
      async (given, sender, to, locale) => {
        wire.conversations.length = 0;
        server.mails.length = 0;
        const written = writeMail(given, locale);
        assert.doesNotMatch(written.subject, /T0ken|042917/);
        assert.doesNotMatch(
          written.subject + written.text.replaceAll('\n', ''),
          /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u,
        );

        const from = { name: sender, address: 'payments@example.com' };
        const mailer = createMailer({ smtpUrl: wire.url, from }, pino({ level: 'silent' }));
        const outcome = await mailer.send({
          ...{ ...written, to, from },
          ...{ organisationId: 'org_1', messageId: 'one' },
        });

        const conversation = wire.conversations.join('');
        const commands = commandsOf(conversation).filter((line) => !/^(EHLO|QUIT)/.test(line));
        if (outcome !== 'ACCEPTED') {
          assert.equal(outcome.rejected, 'PERMANENT');
          assert.deepEqual(commands, []);
          assert.equal(server.mails.length, 0);
          return;
        }
        assert.deepEqual(
          commands.map((line) => line.split(' SIZE')[0]),
          ['MAIL FROM:<payments@example.com>', `RCPT TO:<${to}>`, 'DATA'],
        );
        assert.equal(server.mails.length, 1);
        const [raw = Buffer.alloc(0)] = server.mails;
        const headers = headersOf(raw);
        assert.equal(headers.length, 9);
        for (const line of headers) assert.match(line, HEADERS);
        const read = await readMail(raw);
        const toHeader = Array.isArray(read.to) ? read.to : [read.to];
        assert.deepEqual(
          toHeader.flatMap((each) => each?.value.map((value) => value.address)),
          [to],
        );
        assert.deepEqual([read.cc, read.bcc, read.attachments.length], [undefined, undefined, 0]);
        assert.equal(read.from?.value.length, 1);
        assert.equal(read.from?.value[0]?.address, 'payments@example.com');
        for (const [tag] of String(read.html).matchAll(/<[^>]*>?/g)) assert.match(tag, TAG);
        assert.equal(read.text, written.text);
      },
    ),
    { seed, numRuns: 100 },
  );
});
