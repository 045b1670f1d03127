import { parseArgs } from 'node:util';
import { wholeNumber } from '../wholeNumber.ts';

/** What a run of the fuzzer is asked to do. */
export type FuzzOptions = {
  readonly seed: number;
  readonly requests: number;
  readonly sequences: number;
  readonly rounds: number;
  /** The case to run again instead. */
  readonly again: string | undefined;
  /** Whether the nightly million is run, which must be long enough to judge the heap. */
  readonly isWhole: boolean;
};

/** Reads the arguments of the program. @throws where nothing would be tried. */
export function readFuzzOptions(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: 'string' },
      sequences: { type: 'string' },
      rounds: { type: 'string', default: '50' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      again: { type: 'string' },
    },
  });
  const requests = wholeNumber('requests', values.requests ?? '980000', 0);
  const sequences = wholeNumber('sequences', values.sequences ?? '20000', 0);
  if (requests + sequences === 0) throw new Error('--requests and --sequences are both 0');
  return {
    seed: wholeNumber('seed', values.seed, 0),
    requests,
    sequences,
    rounds: wholeNumber('rounds', values.rounds, 1),
    again: values.again,
    isWhole: values.requests === undefined && values.sequences === undefined,
  };
}
