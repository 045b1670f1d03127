import type { Catalogue } from '../catalogue.ts';
import { LANGUAGE } from './language.ts';
import { MAIL } from './mail.ts';
import { MONEY } from './money.ts';
import { PAGES } from './pages.ts';

/** Spanish. */
export const ES: Catalogue = { locale: 'es', language: LANGUAGE, mail: MAIL, money: MONEY, pages: PAGES };
