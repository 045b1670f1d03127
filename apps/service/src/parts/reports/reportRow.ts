import type { Asset, MovementKind } from '@fairway/plan';
import type { ReportPlace, TokenName } from '@fairway/store';
import type { Cell } from './cells.ts';
import type { PayoutStatementEntry } from './payoutStatementEntry.ts';

/** A token of a chain. */
export type Token = Pick<TokenName, 'chainId' | 'address'>;

/**
 * What a row adds to the control totals, in smallest units: negative where it takes something back. `account`: of a line
 * of a journal, whose credits are negative.
 */
export type RowAmount = {
  readonly asset: Asset;
  readonly kind: MovementKind;
  readonly units: bigint;
  readonly account?: string | undefined;
};

/**
 * A row of a report: the cells of all its columns, what it adds to the control totals, and further tokens that it names. `entry`: what a
 * statement has in place of cells.
 */
export type ReportRow<Column extends string = string> = {
  readonly cells: Readonly<Record<Column, Cell>>;
  readonly amounts: readonly RowAmount[];
  readonly tokens: readonly Token[];
  readonly entry?: PayoutStatementEntry;
};

/** Reads the part of a report's rows behind a place; throws where the database is away. */
export type ReadRows = (after: ReportPlace | undefined) => Promise<{
  readonly rows: readonly ReportRow[];
  readonly next: ReportPlace | undefined;
}>;
