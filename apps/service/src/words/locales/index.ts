import type { Catalogue } from './catalogue.ts';
import { DE } from './de/index.ts';
import { EN } from './en/index.ts';
import { ES } from './es/index.ts';

/** Every language of e-mails and pages. The first is for readers whose own language is missing. */
export const CATALOGUES: readonly [Catalogue, ...Catalogue[]] = [EN, DE, ES];

/**
 * The catalogue for a language tag, such as de-AT: that of the tag, or of its language (de). From several tags the
 * first one counts that has a catalogue; without one it is English.
 */
export function catalogueOf(...locales: readonly string[]): Catalogue {
  const tags = locales.map((locale) => locale.toLowerCase());
  const names = tags.flatMap((tag) => [tag, tag.split('-')[0]]);
  const found = names.map((name) => CATALOGUES.find(({ locale }) => locale.toLowerCase() === name));
  return found.find((each) => each !== undefined) ?? CATALOGUES[0];
}
