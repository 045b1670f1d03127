import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { simpleParser } from 'mailparser';
import { formatAmount } from '../../words/locales/formats.ts';
import { CATALOGUES } from '../../words/locales/index.ts';
import type { Colour } from '../../words/text/colours.ts';
import { plainLine } from '@fairway/api';
import { type MailFacts, writeMail } from './writeMail.ts';

const SHARED = {
  organisationName: 'Acme Pty Ltd',
  name: 'Jane Doe',
  amount: '1,234.50',
  unit: 'EUR',
  publicUrl: 'https://pay.example.com',
} as const;
const CONVERTED = {
  ...SHARED,
  unit: 'USDC',
  conversion: { custodian: 'Harbour Payments Inc.', currency: 'PHP' },
} as const;
const ESTIMATED = {
  ...CONVERTED,
  conversion: {
    ...CONVERTED.conversion,
    estimate: {
      amount: '69,749.25\u00a0PHP',
      rate: '56.5\u00a0PHP',
      token: 'USDC',
      source: 'rates.example',
      asOfMs: Date.UTC(2026, 10, 22, 8, 0),
    },
  },
};
const SUPPORT = {
  email: 'help+pay@acme.example',
  phone: '+44 20 7946 0018',
  url: 'https://acme.example/help/',
};
const BRANDED = { ...SHARED, colour: '#ffcc00', support: SUPPORT } as const;
const expiresAtMs = Date.UTC(2026, 11, 5, 9, 7);
const TOKEN = 'Zm9yIHRoZSBmaXJzdCBsaW5rLCAzMiBieXRlcy4uLi4';
const link = {
  linkUrl: `https://pay.example.com/collect#${TOKEN}`,
  expiresAtMs,
  message: 'Invoice 17, thanks!',
};

const mails: readonly MailFacts[] = [
  { ...SHARED, ...link, kind: 'LINK_FIRST' },
  { ...SHARED, ...link, kind: 'LINK_REPLACED' },
  { ...SHARED, ...link, kind: 'LINK_REISSUED' },
  { ...SHARED, ...link, kind: 'LINK_REOPENED' },
  { ...SHARED, kind: 'CODE', code: '042917', expiresAtMs, destination: 'Bank account ending in 4321' },
  { ...SHARED, kind: 'REMINDER', expiresAtMs },
  { ...SHARED, kind: 'CONFIRMATION', destination: 'bank account ending 4321' },
  { ...SHARED, kind: 'DELIVERED', destination: 'bank account ending 4321' },
  { ...CONVERTED, ...link, kind: 'LINK_FIRST' },
  { ...ESTIMATED, ...link, kind: 'LINK_REOPENED' },
  { ...CONVERTED, kind: 'REMINDER', expiresAtMs },
  { ...ESTIMATED, kind: 'CODE', code: '042917', expiresAtMs, destination: 'GCash account ending 4567' },
  { ...ESTIMATED, kind: 'CONFIRMATION', destination: 'GCash account ending 4567' },
  { ...CONVERTED, kind: 'DELIVERED', destination: 'GCash account ending 4567' },
  { ...BRANDED, kind: 'REMINDER', expiresAtMs },
  { ...BRANDED, kind: 'DELIVERED', destination: 'bank account ending 4321' },
  { ...BRANDED, ...link, kind: 'LINK_REISSUED' },
];

/** Where the links of a contact lead. */
const ASKED = ['mailto:help%2Bpay@acme.example', 'tel:+442079460018', 'https://acme.example/help/'];

/** The file with the expected texts; `node --test --test-update-snapshots` writes it anew. */
const snapshot = (name: string) => join(import.meta.dirname, '../../../test/mails', name);
const AS_IS = { serializers: [String] };

for (const { locale, language } of CATALOGUES) {
  test(`every mail in ${locale} has its expected text`, (t) => {
    const written = mails.map((each) => {
      const amount = formatAmount(language, '1234.5', each.unit === 'EUR' ? 'EUR' : undefined);
      const { subject, text } = writeMail({ ...each, amount }, locale);
      return `##### ${each.kind}${each.conversion === undefined ? '' : ', converted'}${each.support === undefined ? '' : ', branded'}\nSubject: ${subject}\n\n${text}`;
    });
    t.assert.fileSnapshot(written.join('\n\n'), snapshot(`${locale}.txt`), AS_IS);
  });

  test(`the mails with a link and with a code in ${locale} have their expected HTML`, (t) => {
    const documents = mails
      .filter(
        ({ kind, conversion, support }) =>
          support !== undefined || (conversion === undefined && (kind === 'LINK_FIRST' || kind === 'CODE')),
      )
      .map((each) => writeMail(each, locale).html);
    t.assert.fileSnapshot(documents.join('\n'), snapshot(`${locale}.html.txt`), AS_IS);
  });

  for (const each of mails) {
    test(`${each.kind} of ${each.unit} in ${locale}: both parts say the same and load nothing`, async () => {
      const { subject, text, html } = writeMail(each, locale);
      const { text: readAsText = '' } = await simpleParser(
        `Content-Type: text/html; charset=utf-8\r\n\r\n${html}`,
      );
      const words = (part: string) => part.match(/[\p{L}\p{N}]+/gu) ?? [];
      const inHtml = new Set(words(readAsText));
      assert.deepEqual(
        words(text).filter((word) => !inHtml.has(word)),
        [],
      );
      assert.doesNotMatch(
        html,
        /<(img|script|link|iframe|object|video|audio|form|table|style)\b|url\(|@import/i,
      );
      const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1]);
      const asked = each.support !== undefined && !('linkUrl' in each) ? ASKED : [];
      assert.deepEqual([...new Set(addresses)], 'linkUrl' in each ? [each.linkUrl] : asked);
      assert.doesNotMatch(subject, /042917|1,234|Zm9y/);
    });
  }
}

test('a mail with a code holds one number of six digits, whatever else it tells', async () => {
  const wallet = `0x${'123456ab'.repeat(5)}`;
  const written = writeMail(
    {
      ...SHARED,
      organisationName: 'Club 654321',
      name: 'Client 222222',
      amount: '0.123456',
      ...{ kind: 'CODE', code: '042917', expiresAtMs, destination: `wallet ${wallet}, 333333` },
    },
    'en',
  );
  const { text: readAsText = '' } = await simpleParser(
    `Content-Type: text/html; charset=utf-8\r\n\r\n${written.html}`,
  );
  for (const part of [`${written.subject}\n${written.text}`, readAsText]) {
    assert.deepEqual(part.match(/\b\d{6}\b/g), ['042917']);
    assert.ok(part.includes(wallet) && part.includes('0.123\u202f456'));
  }
});

test('a button has the colour of the organisation, and a text that can be read on it', () => {
  const button = (colour: Colour) => {
    const { html } = writeMail({ ...SHARED, ...link, kind: 'LINK_FIRST', colour }, 'en');
    return /background:(#\w{6});color:(#\w{6})/.exec(html)?.slice(1);
  };
  assert.deepEqual(button('#ffcc00'), ['#ffcc00', '#000000']);
  assert.deepEqual(button('#0b4f8a'), ['#0b4f8a', '#ffffff']);
});

test('a mail without a name or a message has neither in it', () => {
  const { name: _, ...unnamed } = SHARED;
  const { text } = writeMail(
    { ...unnamed, kind: 'LINK_FIRST', linkUrl: link.linkUrl, expiresAtMs, message: ' \r\n ' },
    'en',
  );
  assert.match(text, /^Hello,\n\nAcme Pty Ltd is sending you 1,234\.50\u00a0EUR\.\n\nOpen the link/);
});

const lines: [name: string, given: string, shown: string][] = [
  ['line breaks become a space', 'Acme\r\nBcc: evil@example.net', 'Acme Bcc: evil@example.net'],
  ['separators of lines and paragraphs too', 'a\u2028b\u2029c\u0085d', 'a b cd'],
  ['controls vanish', 'a\0b\u0007c\u001b[31m', 'abc[31m'],
  ['what turns text vanishes', '\u202eevil\u2066x\u200f', 'evilx'],
  ['what hides in text vanishes', 'pay\u200bpal\u00ad\ufeff', 'paypal'],
  ['halves of characters vanish', 'a\ud800b', 'ab'],
  ['names of any script stay as they are', 'علی‌رضا 👩‍💻 Zoë 日本', 'علی‌رضا 👩‍💻 Zoë 日本'],
  ['what is too long ends in an ellipsis', '👩'.repeat(10_000), `${'👩'.repeat(29)}…`],
];
for (const [name, given, shown] of lines) {
  test(name, () => assert.equal(plainLine(given, 30), shown));
}
