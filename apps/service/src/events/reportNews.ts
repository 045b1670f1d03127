import type { Report, ReportNewsOf } from '@fairway/store';
import { reportBody } from '../http/reportBody.ts';

const TYPES: Readonly<Record<Report['status'], string>> = {
  PENDING: 'report.updated',
  COMPLETE: 'report.completed',
  FAILED: 'report.failed',
};

/** What others are told of a report: as the API shows it. */
export const reportNews: ReportNewsOf = (report) => [
  {
    type: TYPES[report.status],
    subject: { type: 'report', id: report.reportId },
    data: { data: { object: reportBody(report) } },
  },
];
