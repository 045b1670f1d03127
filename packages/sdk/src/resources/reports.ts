import { bodyOf, type CallOptions, type Connection } from '../connection/connection.ts';
import { from, type List, listOf } from '../connection/lists.ts';
import type { QueryOf } from '../connection/parameters.ts';
import { sleep } from '../connection/waiting.ts';
import type { components } from '../generated/schema.ts';

/** A file for accounting, made in the background. */
export type Report = components['schemas']['Report'];
/** A report to make. */
export type ReportRequest = components['schemas']['ReportRequest'];

/** How a report is waited for. */
export type WaitOptions = CallOptions & {
  /** How long to wait between two readings; 1 s where absent. */
  readonly everyMs?: number | undefined;
};

/** Files for accounting. */
export type Reports = {
  create(request: ReportRequest, options?: CallOptions): Promise<Report>;
  get(reportId: string, options?: CallOptions): Promise<Report>;
  /** The report once it is `COMPLETE` or has `FAILED`. */
  wait(reportId: string, options?: WaitOptions): Promise<Report>;
  list(query?: QueryOf<'listReports'>, options?: CallOptions): List<Report>;
  /** The bytes of the file, as they come: compare them with `sha256` of the report. */
  download(reportId: string, options?: CallOptions): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
};

const WAIT_MS = 1_000;

/** The reports of a service. */
export function createReports({ api, sending, opening }: Connection): Reports {
  const get = (reportId: string, options?: CallOptions) =>
    bodyOf(api.GET('/v1/reports/{reportId}', { params: { path: { reportId } }, ...sending(options) }));
  return {
    create: (body, options) => bodyOf(api.POST('/v1/reports', { body, ...sending(options) })),
    get,
    async wait(reportId, options = {}) {
      for (;;) {
        const report = await get(reportId, options);
        if (report.status !== 'PENDING') return report;
        await sleep(options.everyMs ?? WAIT_MS, options.signal);
      }
    },
    list: (query = {}, options) =>
      listOf((cursor) =>
        bodyOf(api.GET('/v1/reports', { params: { query: from(query, cursor) }, ...sending(options) })),
      ),
    async download(reportId, options) {
      const params = { path: { reportId } };
      const sent = { params, parseAs: 'stream', ...opening(options) } as const;
      const file: unknown = await bodyOf(api.GET('/v1/reports/{reportId}/download', sent));
      return file as ReadableStream<Uint8Array<ArrayBuffer>>;
    },
  };
}
