import type { Catalogue } from './catalogue.ts';
import { LANGUAGE } from './en/language.ts';
import { MAIL } from './en/mail.ts';
import { MONEY } from './en/money.ts';
import { PAGES } from './en/pages.ts';

/** English. */
export const EN: Catalogue = { locale: 'en', language: LANGUAGE, mail: MAIL, money: MONEY, pages: PAGES };
