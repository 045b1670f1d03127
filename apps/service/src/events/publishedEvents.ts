import { publishedEventsOfCredential } from './publishedEventsOfCredential.ts';
import { publishedEventsOfEndpoint } from './publishedEventsOfEndpoint.ts';
import { publishedEventsOfRecipient } from './publishedEventsOfRecipient.ts';
import { publishedEventsOfReport } from './publishedEventsOfReport.ts';
import { publishedEventsOfStatement } from './publishedEventsOfStatement.ts';

/** The published events of everything but plans. The service and the commands publish the same. */
export const PUBLISHED_EVENTS = {
  publishedEventsOfRecipient,
  publishedEventsOfEndpoint,
  publishedEventsOfReport,
  publishedEventsOfStatement,
  publishedEventsOfCredential,
} as const;
