/** How the properties of one run are tried: which random values, and how many. */
export type PropertySettings = {
  /** Chooses the random values. */
  readonly seed: number;
  /** Whether `FC_SEED` gave the seed, so that an earlier run is repeated. */
  readonly isSeedGiven: boolean;
  /** How many times the everyday number of runs. */
  readonly scale: number;
  /** The most runs of a property; undefined where nothing bounds them. */
  readonly mostRuns: number | undefined;
};

/** Seeds are signed 32-bit numbers, as fast-check prints them. */
const LEAST_SEED = -(2 ** 31);
const MOST_SEED = 2 ** 31 - 1;

/**
 * Reads `FC_SEED`, `FC_SCALE` and `FC_RUNS`. Without a seed, `nowMs` chooses one.
 * @throws for a value that is not such a number. Properties that run zero times, or NaN times, pass with any fault.
 */
export function readPropertySettings(
  environment: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): PropertySettings {
  const read = (name: string, least: number, most: number): number | undefined => {
    const text = environment[name];
    if (text === undefined) return undefined;
    const number = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new Error(`${name} must be a whole number from ${least} to ${most}, and is "${text}"`);
  };
  const given = read('FC_SEED', LEAST_SEED, MOST_SEED);
  return {
    seed: given ?? nowMs % 2 ** 31,
    isSeedGiven: given !== undefined,
    scale: read('FC_SCALE', 1, 1_000_000) ?? 1,
    mostRuns: read('FC_RUNS', 1, 1_000_000_000),
  };
}
