import type { Catalogue } from './catalogue.ts';
import { DE } from './de.ts';
import { EN } from './en.ts';

/** Every language of e-mails and pages. The first is for readers whose own language is missing. */
export const CATALOGUES: readonly [Catalogue, ...Catalogue[]] = [EN, DE];

/** The catalogue for a language tag, such as de-AT: that of the tag, or of its language (de), or else English. */
export function catalogueOf(locale: string): Catalogue {
  const tag = locale.toLowerCase();
  const language = tag.split('-')[0];
  const named = (name: string | undefined) => CATALOGUES.find((each) => each.locale.toLowerCase() === name);
  return named(tag) ?? named(language) ?? CATALOGUES[0];
}
