import type { EndpointMailTexts } from '../../words/locales/mailTexts.ts';
import { filled } from '../../words/locales/filled.ts';
import { formatMoment } from '../../words/locales/formats.ts';
import { catalogueOf } from '../../words/locales/index.ts';
import { plainLine } from '@fairway/api';
import { type LetterBlock, letterHtml, letterText } from './letter.ts';
import type { WrittenMail } from './writeMail.ts';

/** What an e-mail about a webhook endpoint states. `host`: of its URL, with the port; the URL itself may hold a secret. */
export type EndpointMailFacts = {
  readonly kind: keyof Omit<EndpointMailTexts, 'footer'>;
  readonly organisationName: string;
  readonly environment: string;
  readonly endpointId: string;
  readonly host: string;
  readonly atMs: number;
  /** Since when no attempt has succeeded, of one that fails. */
  readonly sinceMs?: number;
  readonly publicUrl: string;
};

const MOST_CHARACTERS = { organisation: 100, host: 260 } as const;

/** Writes what an organisation is told of a webhook endpoint of its own. */
export function writeEndpointMail(
  { kind, sinceMs, ...facts }: EndpointMailFacts,
  locale: string,
): WrittenMail {
  const { language, locale: tag, mail } = catalogueOf(locale);
  const { subject, opening, next } = mail.endpoint[kind];
  const values = {
    organisation: plainLine(facts.organisationName, MOST_CHARACTERS.organisation),
    environment: facts.environment,
    endpoint: facts.endpointId,
    host: plainLine(facts.host, MOST_CHARACTERS.host),
    at: formatMoment(language, facts.atMs),
    ...(sinceMs === undefined ? {} : { since: formatMoment(language, sinceMs) }),
    site: new URL(facts.publicUrl).host,
  };
  const blocks: readonly LetterBlock[] = [
    ...[mail.greeting, opening, next].map((text) => ({ kind: 'PARAGRAPH', text }) as const),
    { kind: 'FOOTER', text: mail.endpoint.footer },
  ];
  const fill = (text: string) => filled(text, values);
  const title = fill(subject);
  return {
    subject: title,
    text: letterText(blocks, fill),
    html: letterHtml({ language: tag, title, blocks }, fill),
  };
}
