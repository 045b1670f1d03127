import { credentialNews } from './credentialNews.ts';
import { endpointNews } from './endpointNews.ts';
import { recipientNews } from './recipientNews.ts';
import { reportNews } from './reportNews.ts';
import { statementNews } from './statementNews.ts';

/** What others are told of all but plans, by the service and by commands alike. */
export const NEWS = {
  savedNewsOf: recipientNews,
  endpointNewsOf: endpointNews,
  reportNewsOf: reportNews,
  statementNewsOf: statementNews,
  credentialNewsOf: credentialNews,
} as const;
