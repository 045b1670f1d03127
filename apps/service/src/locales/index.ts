import type { Catalogue } from './catalogue.ts';
import { DE } from './de.ts';
import { EN } from './en.ts';

/** Every language that e-mails and pages are written in; the first is for those whose own is missing. */
export const CATALOGUES: readonly [Catalogue, ...Catalogue[]] = [EN, DE];

/** The catalogue for a language tag: the tag's own, else its language's, else English. */
export function catalogueOf(locale: string): Catalogue {
  const tag = locale.toLowerCase();
  const language = tag.split('-')[0];
  const named = (name: string | undefined) => CATALOGUES.find((each) => each.locale.toLowerCase() === name);
  return named(tag) ?? named(language) ?? CATALOGUES[0];
}
