import type { Catalogue } from './catalogue.ts';
import { de } from './de.ts';
import { en } from './en.ts';

/** Every language that e-mails and pages are written in; the first is for those whose own is missing. */
export const catalogues: readonly [Catalogue, ...Catalogue[]] = [en, de];

/** The catalogue for a language tag: the tag's own, else its language's, else English. */
export function catalogueOf(locale: string): Catalogue {
  const tag = locale.toLowerCase();
  const language = tag.split('-')[0];
  const named = (name: string | undefined) => catalogues.find((each) => each.locale.toLowerCase() === name);
  return named(tag) ?? named(language) ?? catalogues[0];
}
