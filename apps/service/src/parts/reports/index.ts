export { makeReport } from './makeReport.ts';
export { registerReports } from './operations.ts';
export { isOwnAccount } from './payoutStatementFrame.ts';
export { publishedEventsOfReport } from './publishedEvents.ts';
export { type ReportParts, createReportParts } from './reportParts.ts';
