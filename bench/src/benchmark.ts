/** One line of a benchmark's table. */
export type Row = {
  readonly what: string;
  /** The figure with its unit. */
  readonly measured: string;
  /** What the figure is made of or compares to. */
  readonly note?: string;
  readonly target?: { readonly text: string; readonly met: boolean };
};

/** Says how far a benchmark has come; shown only while it runs. */
export type Progress = (message: string) => void;

/** A measurement of one part of the product, which starts and ends everything it needs. */
export type Benchmark = {
  readonly name: string;
  readonly title: string;
  run(progress: Progress): Promise<readonly Row[]>;
};

/** A target that a figure is not to exceed, both in the unit named. */
export function atMost(figure: number, bound: number, unit: string): NonNullable<Row['target']> {
  return { text: `≤ ${bound}${unit === '×' ? '' : ' '}${unit}`, met: figure <= bound };
}
