import type { Catalogue } from './catalogue.ts';
import { LANGUAGE } from './de/language.ts';
import { MAIL } from './de/mail.ts';
import { MONEY } from './de/money.ts';
import { PAGES } from './de/pages.ts';

/** German. */
export const DE: Catalogue = { locale: 'de', language: LANGUAGE, mail: MAIL, money: MONEY, pages: PAGES };
