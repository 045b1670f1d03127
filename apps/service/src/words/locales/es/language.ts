import type { Language } from '../language.ts';

/** Spanish. */
export const LANGUAGE: Language = { name: 'Español', formats: 'es-ES' };
