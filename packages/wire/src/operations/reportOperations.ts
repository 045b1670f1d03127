import { type Operation, permission } from '../operation.ts';
import {
  Report,
  ReportFile,
  ReportList,
  ReportPath,
  ReportRequest,
  ReportRows,
  PayoutStatement,
  ReportsQuery,
  ReportWorkbook,
} from '../reports.ts';

/** Reports for finance people. */
export const REPORTS = {
  createReport: {
    method: 'POST',
    path: '/v1/reports',
    tag: 'Reports',
    summary: 'Make a report',
    description:
      'Begins a report on what was recorded in a period that is over. It is made in the background: read it until it is COMPLETE, or wait for the event report.completed. The same request for the same period gives the same file for ever, also after later corrections, which are rows of their own time. Only the columns reconciliation and statementEntry, if they are named, show the state when the report is made.',
    access: permission('reports:write'),
    body: ReportRequest,
    response: Report,
    success: 202,
    problems: [
      'validation-failed',
      'format-not-supported',
      'too-many-rows',
      'upstream-unavailable',
      'outcome-unknown',
    ],
  },
  listReports: {
    method: 'GET',
    path: '/v1/reports',
    tag: 'Reports',
    summary: 'List reports',
    description: "The organisation's reports, newest first.",
    access: permission('reports:read'),
    query: ReportsQuery,
    response: ReportList,
    problems: ['validation-failed', 'upstream-unavailable'],
  },
  getReport: {
    method: 'GET',
    path: '/v1/reports/{reportId}',
    tag: 'Reports',
    summary: 'Read a report',
    description: "One of the organisation's reports. Foreign and absent ones are answered alike.",
    access: permission('reports:read'),
    params: ReportPath,
    response: Report,
    problems: ['validation-failed', 'not-found', 'upstream-unavailable'],
  },
  downloadReport: {
    method: 'GET',
    path: '/v1/reports/{reportId}/download',
    tag: 'Reports',
    summary: 'Download a report',
    description:
      'Sends the file of a COMPLETE report. The headers have its length and its SHA-256 (Repr-Digest, RFC 9530). A file that ends early is not complete: ask again. An organisation may have 4 downloads with each process of the service.',
    access: permission('reports:read'),
    params: ReportPath,
    response: ReportFile,
    fileTypes: {
      'text/csv': ReportFile,
      'application/json': ReportRows,
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ReportWorkbook,
      'application/xml': PayoutStatement,
    },
    problems: ['validation-failed', 'not-found', 'report-not-ready', 'upstream-unavailable'],
  },
} as const satisfies Record<string, Operation>;
