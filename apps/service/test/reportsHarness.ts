import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, Report, ReportList } from '@fairway/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { parse } from 'csv-parse/sync';
import { type PaymentsTest, type ProblemBody } from './paymentsHarness.ts';

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajvFormats.default(ajv);
ajv.addFormat('uint64', true);
const checks = {
  PROBLEM: ajv.compile(Problem as object),
  LIST: ajv.compile(ReportList as object),
  REPORT: ajv.compile(Report as object),
};

/** An answer about reports, checked against its schema. */
export type ReportAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly report: Report;
  readonly list: ReportList;
  readonly problem: ProblemBody;
};

/** A row of a file by its columns, as texts. */
export type FileRow = Readonly<Record<string, string>>;

/** Reads a CSV file with a library that the service does not use. */
export function csvRows(text: string): readonly FileRow[] {
  return parse<FileRow>(text, { columns: true, record_delimiter: '\r\n' });
}

/** The API of reports with the demo credential, or another login. */
export function reportsOn({ service }: Pick<PaymentsTest, 'service'>, authorization = service.authorization) {
  async function call(path: string, body?: unknown): Promise<ReportAnswer> {
    const response = await fetch(`${service.url}/v1/reports${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const json = (await response.json()) as never;
    const { status, headers } = response;
    const kind = status >= 300 ? 'PROBLEM' : /^($|\?)/.test(path) && body === undefined ? 'LIST' : 'REPORT';
    assert.ok(checks[kind](json), `${path}: ${ajv.errorsText(checks[kind].errors)} ${JSON.stringify(json)}`);
    return { status, headers, report: json, list: json, problem: json };
  }

  /** POST /v1/reports; asserts a 202. */
  async function order(fields: object): Promise<Report> {
    const { status, report, problem, headers } = await call('', {
      type: 'movements',
      format: 'csv',
      ...fields,
    });
    assert.equal(status, 202, JSON.stringify(problem));
    assert.equal(headers.get('location'), `/v1/reports/${report.reportId}`);
    return report;
  }

  /** A report once it is made. */
  async function made({ reportId }: Report): Promise<Report> {
    for (const untilMs = performance.now() + 30_000; performance.now() < untilMs; await sleep(50)) {
      const { report } = await call(`/${reportId}`);
      if (report.status !== 'PENDING') return report;
    }
    return assert.fail(`${reportId} was not made`);
  }

  /** The file of a report, which is what the report says of it. */
  async function bytesOf({ reportId, bytes, sha256 }: Report): Promise<Buffer> {
    const response = await fetch(`${service.url}/v1/reports/${reportId}/download`, {
      headers: { authorization },
    });
    assert.equal(response.status, 200);
    const file = Buffer.from(await response.arrayBuffer());
    const digest = createHash('sha256').update(file);
    assert.deepEqual([file.length, digest.copy().digest('hex')], [bytes, sha256]);
    assert.equal(response.headers.get('content-length'), String(bytes));
    assert.equal(response.headers.get('repr-digest'), `sha-256=:${digest.digest('base64')}:`);
    return file;
  }

  async function complete(fields: object): Promise<{ readonly report: Report; readonly bytes: Buffer }> {
    const report = await made(await order(fields));
    assert.equal(report.status, 'COMPLETE', JSON.stringify(report));
    return { report, bytes: await bytesOf(report) };
  }

  return {
    call,
    order,
    made,
    fileOf: async (report: Report) => (await bytesOf(report)).toString(),
    /** A report with the bytes of its file. */
    complete,
    /** A report with its file as a text. */
    async report(fields: object): Promise<{ readonly report: Report; readonly file: string }> {
      const { report, bytes } = await complete(fields);
      return { report, file: bytes.toString() };
    },
  };
}
