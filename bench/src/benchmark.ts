/** One line of a benchmark's table. */
export type Row = {
  readonly what: string;
  /** The figure with its unit. */
  readonly measured: string;
  /** How the figure was made, or what it is compared with. */
  readonly note?: string;
  readonly target?: { readonly text: string; readonly met: boolean };
};

/** Says how far a benchmark has come; shown only while it runs. */
export type Progress = (message: string) => void;

/** A measurement of one part of the product. It starts and ends everything that it needs. */
export type Benchmark = {
  readonly name: string;
  readonly title: string;
  run(progress: Progress): Promise<readonly Row[]>;
};

/** A target that a figure should not exceed, both in the unit given. */
export function atMost(figure: number, bound: number, unit: string): NonNullable<Row['target']> {
  return { text: `≤ ${bound}${unit === '×' ? '' : ' '}${unit}`, met: figure <= bound };
}
