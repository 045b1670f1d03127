import type { Language } from '../language.ts';

/** German. */
export const language: Language = { name: 'Deutsch', formats: 'de-DE' };
