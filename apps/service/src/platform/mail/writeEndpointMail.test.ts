import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { simpleParser } from 'mailparser';
import { CATALOGUES } from '../../words/locales/index.ts';
import { type EndpointMailFacts, writeEndpointMail } from './writeEndpointMail.ts';

const SHARED = {
  organisationName: 'Acme Research',
  environment: 'production',
  endpointId: 'whe_01934c0ffee',
  host: 'hooks.example.com:8443',
  atMs: Date.UTC(2026, 10, 26, 9, 7),
  publicUrl: 'https://pay.example.com',
} as const;
const MAILS: readonly EndpointMailFacts[] = [
  { ...SHARED, kind: 'failing', sinceMs: Date.UTC(2026, 10, 26, 8, 7) },
  { ...SHARED, kind: 'recovered' },
  { ...SHARED, kind: 'gone' },
  { ...SHARED, kind: 'disabled' },
];

for (const { locale } of CATALOGUES)
  test(`e-mails about webhook endpoints in ${locale} have their expected text, in both parts`, async (t) => {
    const written = MAILS.map((facts) => writeEndpointMail(facts, locale));
    const texts = written.map(({ subject, text }) => `Subject: ${subject}\n\n${text}`);
    const file = join(import.meta.dirname, '../../../test/mails', `endpoint.${locale}.txt`);
    t.assert.fileSnapshot(texts.join('\n\n'), file, { serializers: [String] });
    const words = (part: string) => part.match(/[\p{L}\p{N}]+/gu) ?? [];
    for (const { text, html } of written) {
      const { text: asText = '' } = await simpleParser(
        `Content-Type: text/html; charset=utf-8\r\n\r\n${html}`,
      );
      assert.deepEqual(new Set(words(asText)), new Set([...words(text)]));
      assert.doesNotMatch(html, /(?:href|src)=/);
    }
  });
