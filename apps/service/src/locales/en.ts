import type { Catalogue } from './catalogue.ts';
import { language } from './en/language.ts';
import { mail } from './en/mail.ts';
import { pages } from './en/pages.ts';

/** English. */
export const en: Catalogue = { locale: 'en', language, mail, pages };
