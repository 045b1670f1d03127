import type { TimeMs } from '@fairway/plan';
import type { Cell } from './cells.ts';

/** What a file has beside its rows: what it is called, its columns, and the end of its period. */
export type FileFrame = {
  readonly title: string;
  readonly columns: readonly string[];
  readonly toMs: TimeMs;
};

/**
 * Writes one file: its begin, then some rows any number of times, then its end. Written bytes may come with a later
 * part.
 */
export type Writer = {
  begin(): Buffer;
  rows(rows: readonly Cell[][]): Buffer;
  end(): Buffer;
};
