import { Readable } from 'node:stream';
import type { Report } from '@fairway/store';
import { LIMITS } from '@fairway/wire';
import type { Logger } from 'pino';
import { createTurns } from '@fairway/values';
import {
  actingOf,
  type Call,
  createSlots,
  cursorField,
  DOWNLOADS,
  type Fields,
  holdSlot,
  integerField,
  type ListPartAsk,
  optional,
  pageAnswer,
  refuse,
  type Door,
  type Registrar,
  sealOf,
  tryLater,
} from '@fairway/api';
import { type CompleteReport, downloadReport, findComplete } from './downloadReport.ts';
import { findReport, listReports, orderReport } from './orderReport.ts';
import { fileName } from './fileName.ts';
import type { ReportParts } from './reportParts.ts';
import { readReportRequest } from './reportRequests.ts';
import { reportBody } from './reportBody.ts';

/** How many parts of files are read at once. */
const READING_AT_ONCE = 2;
/** How much of a file is written before it is read. */
const AHEAD_BYTES = 65_536;

const TOO_MANY = tryLater(
  'rate-limited',
  `This organisation has ${DOWNLOADS.ofOne} downloads under way; wait until one has ended.`,
  5,
);

const SEAL = sealOf('reports', {});

/** Registers the operations on reports. */
export function registerReports({ registrar }: Door, parts: ReportParts, log: Pick<Logger, 'error'>): void {
  registrar.submit('createReport', {
    input: (fields) => readReportRequest(fields, parts.nowMs()),
    async answer(request, call) {
      const ordered = await orderReport(parts, actingOf(call), request);
      if (!ordered.ok) return ordered;
      const headers = { location: `/v1/reports/${ordered.value.reportId}` };
      return { ok: true, body: reportBody(ordered.value), headers };
    },
  });
  registrar.page('listReports', {
    input: readReportList,
    answer: (page, call) =>
      pageAnswer<Report>(page, {
        seal: SEAL,
        read: (ask) => listReports(parts, actingOf(call).scope, ask),
        bodyOf: reportBody,
        placeOf: ({ reportId }) => reportId,
      }),
  });
  registrar.find('getReport', {
    async answer(_, call) {
      const found = await findReport(parts, actingOf(call).scope, reportIdOf(call));
      return found.ok ? { ok: true, body: reportBody(found.value) } : found;
    },
  });
  registerDownload(registrar, parts, log);
}

function registerDownload(registrar: Registrar, parts: ReportParts, log: Pick<Logger, 'error'>): void {
  const downloads = createSlots(DOWNLOADS);
  const turn = createTurns(READING_AT_ONCE);
  registrar.stream('downloadReport', {
    input: () => true,
    async answer(_, call, { ended }) {
      const { scope } = actingOf(call);
      const found = await findComplete(parts, scope, reportIdOf(call));
      if (!found.ok) return found;
      const name = await parts.organisationName(scope.organisationId);
      if (!holdSlot(downloads, scope.organisationId, ended)) return refuse(TOO_MANY);
      const file = downloadReport(parts, scope, found.value, (read) => async (after) => {
        ended.throwIfAborted();
        return turn(scope.organisationId, () => read(after));
      });
      const stream = Readable.from(file, { objectMode: false, highWaterMark: AHEAD_BYTES });
      stream.on('error', (error) => {
        if (!ended.aborted) log.error({ err: error }, 'A download of a report ended early');
      });
      return { ok: true, stream, ...fileHead(found.value, fileName(found.value, name ?? '')) };
    },
  });
}

const MEDIA_TYPES: Readonly<Record<Report['format'], string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'camt.053': 'application/xml',
};

function fileHead({ format, result: { bytes, sha256 } }: CompleteReport, name: string) {
  return {
    contentType: MEDIA_TYPES[format],
    headers: {
      'content-length': String(bytes),
      'content-disposition': `attachment; filename="${name}"`,
      'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
      'x-accel-buffering': 'no',
    },
  };
}

function reportIdOf({ params }: Call): string {
  return params['reportId'] ?? '';
}

function readReportList(fields: Fields): ListPartAsk {
  const limit = optional(fields, 'limit', integerField(LIMITS.pageSize)) ?? LIMITS.pageSize.default;
  return { limit, after: optional(fields, 'cursor', cursorField(SEAL)) };
}
