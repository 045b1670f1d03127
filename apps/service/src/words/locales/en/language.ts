import type { Language } from '../language.ts';

/** English. Dates are British: a month in words reads the same everywhere. */
export const LANGUAGE: Language = { name: 'English', formats: 'en-GB' };
