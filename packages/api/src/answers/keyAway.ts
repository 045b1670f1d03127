import { type ProblemFacts, tryLater } from './problemFacts.ts';

/** The problem of details that are sealed with a key which this deployment does not have. */
export const KEY_AWAY: ProblemFacts = tryLater(
  'upstream-unavailable',
  'The details are sealed with a key that this deployment does not have; tell the operator.',
  60,
);
