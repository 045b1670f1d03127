import type { TimeMs } from '@fairway/plan';

import { sql } from 'kysely';
import type { Environment } from '../database/schema.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import {
  type EntriesAsk,
  type EntryFacts,
  entryFacts,
  type PaidAccount,
  sumEntries,
  type SummedPart,
  type SumPart,
} from './accountEntries.ts';
import { bookMovements } from './bookMovements.ts';
import { hasPlansOf } from './corridorPlans.ts';
import { type EntriesOfPeriod, entriesOfPeriod } from './entriesOfPeriod.ts';
import { countMovements, type RowsAsk } from './countMovements.ts';
import {
  beginReport,
  type CreatedReport,
  createReport,
  endReport,
  type NewReport,
  type ReportEnd,
  type ReportParts,
} from './changeReport.ts';
import { keepReconciled, keptReconciled, type ReconciledPlace } from './keptReconciliation.ts';
import { reconciledMovements } from './reconciledMovements.ts';
import type { Reconciled, Report, TokenName } from './report.ts';
import { executionsOfPeriod, type ExecutionsOfPeriod } from './executionsOfPeriod.ts';
import {
  type PeriodMovement,
  type MovementsOfPeriod,
  movementsOfPeriod,
  type ReportPart,
} from './movementsOfPeriod.ts';
import { plansOfPeriod, type PlansOfPeriod } from './plansOfPeriod.ts';
import { isReport, loadReports } from './reportRows.ts';
import { nameTokens } from './tokenNames.ts';

/** Reports, newest first; `next` is the `after` of the next page, undefined at the end. */
export type ListedReports = {
  readonly reports: readonly Report[];
  readonly next: string | undefined;
};

/**
 * Operations on reports. A scope sees its own alone: an id of another scope is answered like an id that does not
 * exist.
 */
export type Reports = {
  /** Keeps a report that is to be made by its job. */
  create(scope: PlanScope, report: NewReport, context: CommandContext): Promise<CreatedReport>;
  /** A report as it is. */
  load(scope: PlanScope, reportId: string): Promise<{ readonly found: Report | undefined }>;
  /** Reports, newest first, in pages. */
  listReports(
    scope: PlanScope,
    page: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<ListedReports>;
  /** Notes that a report is begun, and answers how often it was; undefined when it is to be made no more. */
  begin(scope: PlanScope, reportId: string): Promise<{ readonly tries: number | undefined }>;
  /** Ends a report that is PENDING. */
  end(scope: PlanScope, reportId: string, end: ReportEnd, atMs: TimeMs): Promise<void>;
  /** Books a part of the movements of before a time, until that time is sealed. */
  bookMovements(scope: PlanScope, toMs: TimeMs, limit: number): Promise<{ readonly isSealed: boolean }>;
  /** How many rows a report would have if it were made now; `most` where it would have more. */
  countRows(scope: PlanScope, ask: RowsAsk, most: number): Promise<{ readonly count: number }>;
  /** Whether there is a plan of a corridor, which may not be configured any more. */
  hasPlansOf(scope: PlanScope, corridorId: string): ReturnType<typeof hasPlansOf>;
  /** A part of the movements of a sealed time. */
  movementsOfPeriod(scope: PlanScope, part: ReportPart): Promise<MovementsOfPeriod>;
  /** What reconciliation says of movements now, in their order. */
  reconciledMovements(
    scope: PlanScope,
    movements: readonly PeriodMovement[],
  ): ReturnType<typeof reconciledMovements>;
  /** Keeps what reconciliation said of a part of the rows of a report. */
  keepReconciled(
    scope: PlanScope,
    place: ReconciledPlace,
    reconciled: readonly (Reconciled | null)[],
  ): ReturnType<typeof keepReconciled>;
  /** What reconciliation said of a part of the rows of a report. */
  keptReconciled(scope: PlanScope, place: ReconciledPlace): ReturnType<typeof keptReconciled>;
  /** The facts of a statement of a corridor's account, if it were made now. */
  entryFacts(scope: PlanScope, ask: EntriesAsk): Promise<EntryFacts>;
  /** The sums of a part of the entries of an account in a sealed time. */
  sumEntries(scope: PlanScope, account: PaidAccount, part: SumPart): Promise<SummedPart>;
  /** A part of the entries of an account in a sealed time. */
  entriesOfPeriod(scope: PlanScope, account: PaidAccount, part: SumPart): Promise<EntriesOfPeriod>;
  /** A part of the executions of swaps of a sealed time. */
  executionsOfPeriod(scope: PlanScope, part: ReportPart): Promise<ExecutionsOfPeriod>;
  /** A part of the plans of which movements are in a sealed time. */
  plansOfPeriod(scope: PlanScope, part: ReportPart): Promise<PlansOfPeriod>;
  /** Keeps what tokens are called, and answers all that are known. */
  nameTokens(
    environment: Environment,
    tokens: readonly TokenName[],
  ): Promise<{ readonly tokens: readonly TokenName[] }>;
};

/** Binds the operations to a database. */
export function createReports(parts: ReportParts): Reports {
  const { database } = parts;
  return {
    create: (scope, report, context) => createReport(parts, scope, report, context),
    load: async (scope, reportId) => {
      const [found] = await loadReports(database, isReport(scope, reportId));
      return { found };
    },
    listReports: async ({ organisationId, environment }, { limit, after }) => {
      const behind = after === undefined ? sql`` : sql`and r.report_id < ${after}`;
      const found = await loadReports(
        database,
        sql`r.organisation_id = ${organisationId} and r.environment = ${environment} ${behind}
            order by r.report_id desc limit ${limit + 1}`,
      );
      const reports = found.slice(0, limit);
      return { reports, next: found.length > limit ? reports.at(-1)?.reportId : undefined };
    },
    begin: (scope, reportId) => beginReport(parts, scope, reportId),
    end: (scope, reportId, end, atMs) => endReport(parts, scope, reportId, end, atMs),
    bookMovements: (scope, toMs, limit) => bookMovements(database, scope, toMs, limit),
    countRows: (scope, ask, most) => countMovements(database, scope, ask, most),
    hasPlansOf: (scope, corridorId) => hasPlansOf(database, scope, corridorId),
    movementsOfPeriod: (scope, part) => movementsOfPeriod(database, scope, part),
    reconciledMovements: (scope, movements) => reconciledMovements(database, scope, movements),
    keepReconciled: (scope, place, reconciled) => keepReconciled(database, scope, place, reconciled),
    keptReconciled: (scope, place) => keptReconciled(database, scope, place),
    entryFacts: (scope, ask) => entryFacts(database, scope, ask),
    sumEntries: (scope, account, part) => sumEntries(database, scope, account, part),
    entriesOfPeriod: (scope, account, part) => entriesOfPeriod(database, scope, account, part),
    executionsOfPeriod: (scope, part) => executionsOfPeriod(database, scope, part),
    plansOfPeriod: (scope, part) => plansOfPeriod(database, scope, part),
    nameTokens: (environment, tokens) => nameTokens(database, environment, tokens),
  };
}
