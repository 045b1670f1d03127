import type { Asset, MovementKind, TimeMs } from '@fairway/plan';

/** The kinds of reports. */
export type ReportType = 'movements' | 'execution-quality' | 'plans' | 'journal';
/** The formats of their files. */
export type ReportFormat = 'csv' | 'json' | 'xlsx' | 'camt.053';

/** What a report is asked for. Times in milliseconds since 1970: `fromMs` is included, `toMs` is not. */
export type ReportAsk = {
  readonly type: ReportType;
  readonly format: ReportFormat;
  readonly fromMs: TimeMs;
  readonly toMs: TimeMs;
  /** The IANA time zone whose days are the value dates. */
  readonly timezone: string;
  /** The columns of the file, in their order. */
  readonly columns: readonly string[];
  readonly filter: ReportFilter;
  /** The calendar month of `timezone` that was asked for, such as 2026-10. */
  readonly period?: string;
  /** The accounts of a journal, by their roles. */
  readonly accounts?: Readonly<Record<string, string>>;
  /** Whether a CSV begins with a byte order mark. */
  readonly byteOrderMark?: boolean;
};

/** Which movements a report has; an absent member does not restrict. */
export type ReportFilter = { readonly corridorId?: string; readonly kind?: MovementKind };

/** What a token is called on its chain. `address` in lower case. */
export type TokenName = {
  readonly chainId: number;
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
};

/**
 * The sum of the movements of a kind and an asset: what was taken back counts as negative. `amount`: in smallest units, perhaps with
 * a minus.
 */
export type ControlTotal = {
  readonly asset: Asset;
  readonly kind: MovementKind;
  readonly rows: number;
  readonly amount: string;
};

/**
 * What a statement that Fairway writes (a report in camt.053) says before its entries. Amounts in minor units of `currency`, as texts; `opening` may have a minus. `credits` and
 * `debits`: how many entries bring and take money, and how much together.
 */
export type PayoutStatementHead = {
  readonly custodian: string;
  readonly currency: string;
  readonly opening: string;
  readonly credits: { readonly entryCount: number; readonly minor: string };
  readonly debits: { readonly entryCount: number; readonly minor: string };
};

/**
 * What the file of a report is. `tokens`: what tokens were called when it was made, so that it stays the same file. `statement`: of
 * camt.053 alone. `reconciled`: of one that shows what reconciliation said.
 */
export type ReportResult = {
  readonly rows: number;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly controlTotals: readonly ControlTotal[];
  readonly tokens: readonly TokenName[];
  readonly statement?: PayoutStatementHead;
  readonly reconciled?: KeptReconciliation;
  /** The columns of metadata that no row has anything in. */
  readonly emptyColumns?: readonly string[];
};

/**
 * Where the result of reconciliation for the rows of a file is kept, as it was when the file was made. It may differ
 * by now. `making`: how often the report had been begun then. `partRows`: of how many rows it is kept together.
 */
export type KeptReconciliation = { readonly making: number; readonly partRows: number };

/**
 * What reconciliation says of a payout or a return. OPEN: no entry of a statement has it. TENTATIVE: entries may be it. PARTLY_MATCHED,
 * MATCHED: entries have a part of it, or all. TAKEN_BACK: entries have it, and the ledger has taken it back. `entryIds`: those
 * entries, at most 20.
 */
export type Reconciled = {
  readonly state: 'OPEN' | 'TENTATIVE' | 'PARTLY_MATCHED' | 'MATCHED' | 'TAKEN_BACK';
  readonly entryIds: readonly string[];
};

/**
 * Why there is no file. GAVE_UP: it was begun too often without coming to an end. TOO_MANY_ROWS: more came between its request and its
 * making than its format holds. FORMAT_NOT_SUPPORTED: its format cannot hold something that came meanwhile.
 */
export type ReportFailure = {
  readonly code: 'GAVE_UP' | 'TOO_MANY_ROWS' | 'FORMAT_NOT_SUPPORTED';
  readonly detail: string;
};

/** A report. The file is not kept: its bytes are written anew, from records that never change, whenever it is read. */
export type Report = ReportAsk & {
  readonly reportId: string;
  readonly madeBy: string;
  readonly createdAtMs: TimeMs;
  readonly updatedAtMs: TimeMs;
} & (
    | { readonly status: 'PENDING' }
    | { readonly status: 'COMPLETE'; readonly result: ReportResult }
    | { readonly status: 'FAILED'; readonly failure: ReportFailure }
  );

/** The place of a row in the order of reports: since when reports have it, its plan, and the number of its movement. */
export type ReportPlace = { readonly bookedAtMs: TimeMs; readonly planId: string; readonly seq: number };
