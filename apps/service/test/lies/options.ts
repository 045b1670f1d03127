import { parseArgs } from 'node:util';
import { LIE_NAMES } from '@fairway/testing';
import { wholeNumber } from '../wholeNumber.ts';

/** What a run of lies is asked to do. */
export type LiesOptions = {
  readonly seed: number;
  /** How many requests all services get together, and how many of them are swaps. */
  readonly requests: number;
  readonly swaps: number;
  /** How long each lie lasts, at least. */
  readonly lieMs: number;
  /** The lies that are told. */
  readonly names: readonly string[];
};

/** Reads the arguments of the program. @throws where nothing would be tried. */
export function readLiesOptions(args: readonly string[]): LiesOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: 'string', default: '10000' },
      swaps: { type: 'string', default: '1000' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      only: { type: 'string', default: '' },
      'lie-ms': { type: 'string', default: '15000' },
    },
  });
  const names = LIE_NAMES.filter((name) => name.includes(values.only));
  if (names.length === 0) throw new Error(`--only ${values.only}: no lie has this in its name`);
  return {
    seed: wholeNumber('seed', values.seed, 0),
    requests: wholeNumber('requests', values.requests, 1),
    swaps: wholeNumber('swaps', values.swaps, 1),
    lieMs: wholeNumber('lie-ms', values['lie-ms'], 0),
    names,
  };
}
