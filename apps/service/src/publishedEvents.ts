import { publishedEventsOfEndpoint } from '@fairway/notifications';
import { publishedEventsOfCredential } from './parts/credentials/index.ts';
import { publishedEventsOfRecipient } from './parts/recipients/index.ts';
import { publishedEventsOfReport } from './parts/reports/index.ts';
import { publishedEventsOfStatement } from './parts/reconciliation/index.ts';

/** The published events of everything but plans. The service and the commands publish the same. */
export const PUBLISHED_EVENTS = {
  publishedEventsOfRecipient,
  publishedEventsOfEndpoint,
  publishedEventsOfReport,
  publishedEventsOfStatement,
  publishedEventsOfCredential,
} as const;
