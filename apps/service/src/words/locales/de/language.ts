import type { Language } from '../language.ts';

/** German. */
export const LANGUAGE: Language = { name: 'Deutsch', formats: 'de-DE' };
