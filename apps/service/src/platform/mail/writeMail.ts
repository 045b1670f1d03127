import type { SupportContact } from '../config/organisations.ts';
import { defined } from '@fairway/values';
import { filled } from '../../words/locales/filled.ts';
import type { Catalogue } from '../../words/locales/catalogue.ts';
import { currencyName, formatMoment } from '../../words/locales/formats.ts';
import { catalogueOf } from '../../words/locales/index.ts';
import type { MailOpening, MailTexts } from '../../words/locales/mailTexts.ts';
import type { ShownConversion } from '../../words/locales/moneyTexts.ts';
import { type LetterBlock, letterHtml, letterText } from './letter.ts';
import type { Colour } from '../../words/text/colours.ts';
import { contactWays } from '../../words/text/contactWays.ts';
import { plainLine } from '@fairway/api';

/** The facts that every mail states. */
export type SharedFacts = {
  readonly organisationName: string;
  /** The recipient's name. */
  readonly name?: string;
  /** Formatted for the locale, without its unit. */
  readonly amount: string;
  /** The currency or the token that the amount counts. */
  readonly unit: string;
  /** Who converts the amount for accounts; absent where nobody does. */
  readonly conversion?: ShownConversion;
  readonly publicUrl: string;
  /** The organisation's colour. */
  readonly colour?: Colour;
  /** Where the organisation can be asked. */
  readonly support?: SupportContact;
};

/** A link: the first, one that was sent again, one that replaces an ended link, or one after a failed delivery. */
type LinkFacts = {
  readonly kind: 'LINK_FIRST' | 'LINK_REPLACED' | 'LINK_REISSUED' | 'LINK_REOPENED';
  readonly linkUrl: string;
  readonly expiresAtMs: number;
  /** The organisation's message to the recipient. */
  readonly message?: string;
};

/** The code that confirms a submission. `destination`: what it confirms, masked. */
type CodeFacts = {
  readonly kind: 'CODE';
  readonly code: string;
  readonly expiresAtMs: number;
  readonly destination: string;
};

/** Mails that organisations turn on. A reminder has no link, because links are not kept. */
type NoticeFacts =
  | { readonly kind: 'REMINDER'; readonly expiresAtMs: number }
  /** `destination`: the masked destination, in words. */
  | { readonly kind: 'CONFIRMATION' | 'DELIVERED'; readonly destination: string };

/** Everything that a mail is written from. */
export type MailFacts = SharedFacts & (LinkFacts | CodeFacts | NoticeFacts);

/** A mail's subject, and its body as text and as HTML. */
export type WrittenMail = { readonly subject: string; readonly text: string; readonly html: string };

const MOST_CHARACTERS = { name: 140, organisation: 100, message: 500, short: 64, destination: 140 } as const;

/** Writes a mail in the recipient's language, or in English. */
export function writeMail(facts: MailFacts, locale: string): WrittenMail {
  const catalogue = catalogueOf(locale);
  const { mail: texts } = catalogue;
  const amount = plainLine(facts.amount, MOST_CHARACTERS.short);
  const all = {
    organisation: plainLine(facts.organisationName, MOST_CHARACTERS.organisation),
    name: plainLine(facts.name ?? '', MOST_CHARACTERS.name),
    amount: `${amount}\u00a0${plainLine(facts.unit, MOST_CHARACTERS.short)}`,
    ...conversionValues(facts, catalogue),
    site: new URL(facts.publicUrl).host,
    ...('expiresAtMs' in facts ? { expires: formatMoment(catalogue.language, facts.expiresAtMs) } : {}),
    ...('destination' in facts
      ? { destination: plainLine(facts.destination, MOST_CHARACTERS.destination) }
      : {}),
  };
  const values = facts.kind === 'CODE' ? withoutCodes(all) : all;
  const { subject, opening, rest } = partsOf(facts, texts);
  const blocks: readonly LetterBlock[] = [
    { kind: 'PARAGRAPH', text: values.name === '' ? texts.greeting : texts.greetingByName },
    { kind: 'PARAGRAPH', text: opening },
    ...conversionSentences(facts, catalogue).map((text) => ({ kind: 'PARAGRAPH', text }) as const),
    ...rest,
    { kind: 'FOOTER', text: texts.footer },
  ];
  const fill = (text: string) => filled(text, values);
  const title = fill(subject);
  const brand = { name: values.organisation, ...defined({ colour: facts.colour }) };
  return {
    subject: title,
    text: letterText(blocks, fill),
    html: letterHtml({ language: catalogue.locale, title, blocks, brand }, fill),
  };
}

/**
 * Texts in which each number of six digits has a space in its middle. People and programs that look for the code then
 * find one such number.
 */
function withoutCodes<Values extends Readonly<Record<string, string>>>(values: Values): Values {
  const entries = Object.entries(values).map(([name, text]) => [
    name,
    text.replaceAll(/(?<!\w)(\d{3})(\d{3})(?!\w)/g, '$1\u202f$2'),
  ]);
  return Object.fromEntries(entries) as Values;
}

/** What the sentences about the conversion are filled with. */
function conversionValues({ conversion }: MailFacts, { language }: Catalogue): Record<string, string> {
  if (conversion === undefined) return {};
  const { custodian, currency, estimate } = conversion;
  const short = (text: string) => plainLine(text, MOST_CHARACTERS.short);
  return {
    custodian: plainLine(custodian, MOST_CHARACTERS.organisation),
    currency: currencyName(language, short(currency)),
    ...(estimate && {
      estimate: short(estimate.amount),
      rate: short(estimate.rate),
      token: short(estimate.token),
      source: plainLine(estimate.source, MOST_CHARACTERS.organisation),
      asOf: formatMoment(language, estimate.asOfMs),
    }),
  };
}

/** Who converts the money, and what it may come to; nothing where nobody does. A code is about no destination. */
function conversionSentences({ kind, conversion }: MailFacts, { money }: Catalogue): readonly string[] {
  if (conversion === undefined || kind === 'CODE') return [];
  if (kind === 'DELIVERED') return [money.conversion.done];
  const sentence = kind === 'CONFIRMATION' ? money.conversion.chosen : money.conversion.offered;
  return conversion.estimate === undefined ? [sentence] : [sentence, money.estimate];
}

function partsOf(
  facts: MailFacts,
  texts: MailTexts,
): MailOpening & { readonly rest: readonly LetterBlock[] } {
  const paragraphs = (...lines: readonly string[]) =>
    lines.map((text): LetterBlock => ({ kind: 'PARAGRAPH', text }));
  switch (facts.kind) {
    case 'LINK_FIRST':
      return { ...texts.linkFirst, rest: linkBlocks(facts, texts) };
    case 'LINK_REPLACED':
      return { ...texts.linkReplaced, rest: linkBlocks(facts, texts) };
    case 'LINK_REISSUED':
      return { ...texts.linkReissued, rest: linkBlocks(facts, texts) };
    case 'LINK_REOPENED':
      return { ...texts.linkReopened, rest: linkBlocks(facts, texts) };
    case 'CODE': {
      const { confirms, until, secret, unexpected } = texts.code;
      const after = paragraphs(confirms, until, secret, texts.neverAsked, unexpected);
      return { ...texts.code, rest: [{ kind: 'CODE', code: facts.code }, ...after] };
    }
    case 'REMINDER':
      return {
        ...texts.reminder,
        rest: [
          ...paragraphs(texts.reminder.steps),
          ...contactBlocks(facts, texts),
          ...paragraphs(texts.neverAsked, texts.link.unexpected),
        ],
      };
    case 'CONFIRMATION': {
      const { next, unexpected } = texts.confirmation;
      return { ...texts.confirmation, rest: paragraphs(next, unexpected, texts.neverAsked) };
    }
    case 'DELIVERED': {
      const { next, unexpected } = texts.delivered;
      const rest = [
        ...paragraphs(next, unexpected),
        ...contactBlocks(facts, texts),
        ...paragraphs(texts.neverAsked),
      ];
      return { ...texts.delivered, rest };
    }
  }
}

/** Where a recipient can ask. Links and codes are without it: they say to ask in a way that is known already. */
function contactBlocks({ support }: SharedFacts, { contact }: MailTexts): readonly LetterBlock[] {
  const ways = contactWays(support ?? {});
  return ways.length === 0 ? [] : [{ kind: 'CONTACT', title: contact, ways }];
}

function linkBlocks(
  { linkUrl, message }: LinkFacts,
  { link, neverAsked }: MailTexts,
): readonly LetterBlock[] {
  const quoted = plainLine(message ?? '', MOST_CHARACTERS.message);
  return [
    ...(quoted === '' ? [] : [{ kind: 'QUOTE', title: link.message, quoted } as const]),
    { kind: 'PARAGRAPH', text: link.steps },
    { kind: 'LINK', url: linkUrl, button: link.button, copy: link.copy },
    { kind: 'PARAGRAPH', text: link.until },
    { kind: 'PARAGRAPH', text: link.site },
    { kind: 'PARAGRAPH', text: neverAsked },
    { kind: 'PARAGRAPH', text: link.unexpected },
  ];
}
