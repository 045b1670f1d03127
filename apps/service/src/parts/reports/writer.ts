import type { TimeMs } from '@fairway/plan';
import type { Cell } from './cells.ts';

/** What a file has beside its rows: what it is called, its columns, and the end of its period. */
export type FileFrame = {
  readonly title: string;
  readonly columns: readonly string[];
  readonly toMs: TimeMs;
  /** Whether a CSV begins with a byte order mark. */
  readonly byteOrderMark?: boolean | undefined;
};

/** Rows under names of columns. */
export type Table = { readonly columns: readonly string[]; readonly rows: readonly Cell[][] };

/**
 * Writes one file: its begin, then some rows any number of times, then its end. Written bytes may come with a later
 * part. `totals`: what all rows add up to.
 */
export type Writer = {
  begin(): Buffer;
  rows(rows: readonly Cell[][]): Buffer;
  end(totals: Table): Buffer;
};
