import { credentialNews } from './credentialNews.ts';
import { endpointNews } from './endpointNews.ts';
import { recipientNews } from './recipientNews.ts';
import { reportNews } from './reportNews.ts';
import { statementNews } from './statementNews.ts';

/** The published events of everything but plans. The service and the commands publish the same. */
export const NEWS = {
  savedNewsOf: recipientNews,
  endpointNewsOf: endpointNews,
  reportNewsOf: reportNews,
  statementNewsOf: statementNews,
  credentialNewsOf: credentialNews,
} as const;
