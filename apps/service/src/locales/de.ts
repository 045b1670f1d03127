import type { Catalogue } from './catalogue.ts';
import { language } from './de/language.ts';
import { mail } from './de/mail.ts';
import { pages } from './de/pages.ts';

/** German. */
export const de: Catalogue = { locale: 'de', language, mail, pages };
