import { type Connection, type ConnectionOptions, createConnection } from './connection/connection.ts';
import { createEvents, type Events } from './resources/events.ts';
import { createMarkets, type Markets } from './resources/markets.ts';
import { createPayments, type Payments } from './resources/payments.ts';
import { createQuotes, type Quotes } from './resources/quotes.ts';
import { createRecipients, type Recipients } from './resources/recipients.ts';
import { createReconciliation, type Reconciliation } from './resources/reconciliation.ts';
import { createReports, type Reports } from './resources/reports.ts';
import { createSwaps, type Swaps } from './resources/swaps.ts';
import { createWebhookEndpoints, type WebhookEndpoints } from './resources/webhookEndpoints.ts';

export {
  type CallOptions,
  type Connection,
  type ConnectionOptions,
  createConnection,
} from './connection/connection.ts';
export type { List, Page } from './connection/lists.ts';
export { type FairwayError, isFairwayError } from './errors/fairwayError.ts';
export {
  type FieldError,
  type Problem,
  type ProblemCode,
  ProblemError,
  UnknownProblemError,
} from './errors/problem.ts';
export {
  ExecutionError,
  UnsafeAnswerError,
  type UnsafeReason,
  WebhookError,
  type WebhookRefusal,
} from './errors/refusals.ts';
export { AnswerError, ConnectionError, TimeoutError } from './errors/transport.ts';
export { limitOf } from './execution/limits.ts';
export type { Limit } from './execution/order.ts';
export type { components, operations } from './generated/schema.ts';
export type { FairwayEvent, StreamedEvent } from './stream/eventStream.ts';
export { type ReceivedWebhook, verifyWebhook } from './webhooks.ts';

/** A service, with a member for each of its resources. */
export type Fairway = {
  readonly markets: Markets;
  readonly quotes: Quotes;
  readonly swaps: Swaps;
  readonly payments: Payments;
  readonly recipients: Recipients;
  readonly events: Events;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly reports: Reports;
  readonly reconciliation: Reconciliation;
  /** What the resources send their requests with. */
  readonly connection: Connection;
};

/**
 * Makes a client of a service. Nothing is sent yet.
 *
 * @example
 * ```ts
 * import { createFairway } from '@fairway/sdk';
 *
 * const fairway = createFairway({ url: 'http://127.0.0.1:8080', username: 'demo', password: 'secret' });
 * for await (const plan of fairway.payments.list({ status: 'ACTION_REQUIRED' })) console.log(plan.planId);
 * ```
 */
export function createFairway(options: ConnectionOptions): Fairway {
  const connection = createConnection(options);
  return {
    markets: createMarkets(connection),
    quotes: createQuotes(connection),
    swaps: createSwaps(connection),
    payments: createPayments(connection),
    recipients: createRecipients(connection),
    events: createEvents(connection),
    webhookEndpoints: createWebhookEndpoints(connection),
    reports: createReports(connection),
    reconciliation: createReconciliation(connection),
    connection,
  };
}
