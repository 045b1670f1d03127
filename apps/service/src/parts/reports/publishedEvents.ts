import type { Report, PublishedEventsOfReport } from '@fairway/store';
import { reportBody } from './reportBody.ts';

const TYPES: Readonly<Record<Report['status'], string>> = {
  PENDING: 'report.updated',
  COMPLETE: 'report.completed',
  FAILED: 'report.failed',
};

/** The published events of a report. They show it as the API does. */
export const publishedEventsOfReport: PublishedEventsOfReport = (report) => [
  {
    type: TYPES[report.status],
    subject: { type: 'report', id: report.reportId },
    data: { data: { object: reportBody(report) } },
  },
];
