export { cutText } from './cutText.ts';
export { type Defined, defined } from './defined.ts';
export { durationText, readDuration } from './duration.ts';
export { exactAmount } from './exactAmount.ts';
export type { Environment, Scope } from './scope.ts';
export { createTurns } from './turns.ts';
