import { randomUUIDv7 } from 'node:crypto';
import type { PlanScope, Report, ReportAsk } from '@fairway/store';
import { REPORT_ID_PATTERN } from '@fairway/wire';
import {
  type Acting,
  done,
  invalidFields,
  type ListPart,
  type ListPartAsk,
  nearestName,
  type Outcome,
  type ProblemFacts,
  refuse,
  tryLater,
} from '@fairway/api';
import { SETTLE_MS } from './makeReport.ts';
import { mostRowsOf, tooManyRows } from './mostRows.ts';
import type { ReportParts } from './reportParts.ts';
import { judgeEntries, payoutStatementCorridor } from './payoutStatementHead.ts';

const REPORT_ID = new RegExp(REPORT_ID_PATTERN);

/** The problem of a report that does not exist or is not the caller's. Both get the same answer, which reveals nothing. */
const NO_SUCH_REPORT: ProblemFacts = {
  code: 'not-found',
  detail: 'There is no such report; GET /v1/reports lists those of your organisation.',
};

/** How many reports of an organisation may wait to be made. */
const MOST_PENDING = 20;
const TOO_MANY = tryLater(
  'rate-limited',
  `${MOST_PENDING} reports of this organisation are being made already; wait until one is COMPLETE.`,
  30,
);

/** Keeps a report that is to be made. */
export async function orderReport(
  parts: ReportParts,
  { scope, actor }: Acting,
  ask: ReportAsk,
): Promise<Outcome<Report>> {
  const { reports, nowMs } = parts;
  const unknown = await refuseCorridor(parts, scope, ask.filter);
  if (unknown !== undefined) return refuse(unknown);
  const problem =
    ask.format === 'camt.053'
      ? await refusePayoutStatement(reports, scope, ask)
      : await refuseRows(reports, scope, ask);
  if (problem !== undefined) return refuse(problem);
  const reportId = `rep_${randomUUIDv7().replaceAll('-', '')}`;
  const atMs = nowMs();
  const delayMs = Math.max(0, ask.toMs + SETTLE_MS - atMs);
  const order = { reportId, ask, delayMs, mostPending: MOST_PENDING };
  const created = await reports.create(scope, order, { actor, atMs });
  if (created.ok) return done(created.report);
  return refuse(TOO_MANY);
}

/**
 * The problem of a corridor that is not configured, and that no plan of the caller has. Its reports would be empty
 * for ever.
 */
async function refuseCorridor(
  { reports, corridors }: ReportParts,
  scope: PlanScope,
  { corridorId }: ReportAsk['filter'],
): Promise<ProblemFacts | undefined> {
  if (corridorId === undefined || corridors.find(corridorId) !== undefined) return undefined;
  const found = await reports.hasPlansOf(scope, corridorId);
  if (found.hasPlans) return undefined;
  const ids = corridors.list('ALL').map(({ corridor }) => corridor.id);
  const meant = nearestName(corridorId, ids);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  const detail = `Corridor ${JSON.stringify(corridorId)} is not offered here, and your organisation has no plan of it. GET /v1/markets/corridors lists the offered corridors, and the plans of GET /v1/payments name theirs.${hint}`;
  const suggestions = meant === undefined ? {} : { suggestions: [meant] };
  return invalidFields([{ pointer: '/filter/corridorId', detail, ...suggestions }]);
}

/** The problem of a report with more rows than its format holds. */
async function refuseRows(
  reports: ReportParts['reports'],
  scope: PlanScope,
  ask: ReportAsk,
): Promise<ProblemFacts | undefined> {
  const most = mostRowsOf(ask);
  if (most === undefined) return undefined;
  const counted = await reports.countRows(scope, ask, most + 1);
  return counted.count > most ? { code: 'too-many-rows', detail: tooManyRows(ask, most) } : undefined;
}

/** The problem of a statement of what a statement cannot hold. */
async function refusePayoutStatement(
  reports: ReportParts['reports'],
  scope: PlanScope,
  ask: ReportAsk,
): Promise<ProblemFacts | undefined> {
  const asked = payoutStatementCorridor(ask);
  if ('detail' in asked) return { code: 'format-not-supported', ...asked };
  const { fromMs, toMs } = ask;
  const facts = await reports.entryFacts(scope, { ...asked, fromMs, toMs });
  const judged = judgeEntries(asked.corridorId, facts);
  return 'detail' in judged ? { code: 'format-not-supported', ...judged } : undefined;
}

/** The report with an id. */
export async function findReport(
  { reports }: ReportParts,
  scope: PlanScope,
  reportId: string,
): Promise<Outcome<Report>> {
  if (!REPORT_ID.test(reportId)) return refuse(NO_SUCH_REPORT);
  const loaded = await reports.load(scope, reportId);
  return loaded.found === undefined ? refuse(NO_SUCH_REPORT) : done(loaded.found);
}

/** Reports of a scope, newest first. `after`: the id of one. */
export async function listReports(
  { reports }: ReportParts,
  scope: PlanScope,
  page: ListPartAsk,
): Promise<Outcome<ListPart<Report>>> {
  const listed = await reports.listReports(scope, page);
  return done({ items: listed.reports, next: listed.next });
}
