import { createHmac } from 'node:crypto';
import { deriveKey } from '@fairway/credentials';
import { createSealing, type Key } from '@fairway/keys';
import { eventOf, type NotificationParts, publishedEventsOfEndpoint } from '@fairway/notifications';
import {
  createEvents,
  createWebhooks,
  type OutboxTables,
  startPublishing,
  startSending,
} from '@fairway/outbox';
import { type Cidr, createWebhookSender } from '@fairway/webhooks';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import manifest from '../../../package.json' with { type: 'json' };
import { NODE_SCOPE } from '../../platform/database/published.ts';
import { NODE_CATALOGUE } from './catalogue.ts';

/** What notifications are started with. */
export type NotificationOptions = {
  readonly database: Kysely<OutboxTables>;
  readonly sealingKey: Key;
  /** What events name as the place where they happened. */
  readonly environment: 'sandbox' | 'production';
  /** Whether webhooks may go to this machine: beside a sandbox. */
  readonly isBesideSandbox: boolean;
  /** The networks that they may go to although they are not public. */
  readonly allowPrivate: readonly Cidr[];
  readonly log: Logger;
};

/** How long events are kept. */
const KEPT_MS = 30 * 86_400_000;

/** Starts to put events in their order and to send them to webhook endpoints. `parts`: what the API works with. */
export function startNotifications(options: NotificationOptions): {
  readonly parts: NotificationParts;
  close(): Promise<void>;
} {
  const { database, sealingKey, log, isBesideSandbox, allowPrivate } = options;
  const nowMs = Date.now;
  const { environment } = NODE_SCOPE;
  const rule = { httpToLoopback: isBesideSandbox, allowPrivate };
  const events = createEvents(database, () => new Date());
  const { fingerprint, comparable } = createFingerprints(sealingKey);
  const webhooks = createWebhooks({
    ...{ database, comparable, publishedEventsOfEndpoint },
    sealing: createSealing([sealingKey]),
    addNotice: async (_, { kind, endpointId, host }) =>
      log.warn({ kind, endpointId, host }, 'What became of a webhook endpoint'),
  });
  const sender = createWebhookSender(rule, { version: manifest.version });
  const publishing = startPublishing({ environment, events, keptMs: KEPT_MS, nowMs }, log);
  const sending = startSending(
    {
      ...{ environment, webhooks, sender, nowMs },
      bodyOf: (event) => JSON.stringify(eventOf(event, options.environment)),
      onAttempt: () => {},
    },
    log,
  );
  return {
    parts: {
      ...{ environment, events, log },
      webhooks: {
        ...{ webhooks, fingerprint, rule, nowMs, canSeal: true, catalogue: NODE_CATALOGUE },
        onChanged: ({ credentialId }, change, endpointId) =>
          log.info({ credentialId, change, endpointId }, 'A webhook endpoint was changed'),
      },
    },
    async close() {
      await Promise.all([publishing.close(), sending.close()]);
    },
  };
}

/**
 * Keyed hashes of requests. The sealing key makes their key, so that nobody tries out on a stolen database what they were
 * made of. Each begins with the id of that key: with another key they cannot be compared.
 */
function createFingerprints({ id, key }: Key) {
  const hashKey = deriveKey(key, 'fairway node request fingerprints v1');
  const mark = Buffer.from(id.slice(0, 8), 'hex');
  return {
    fingerprint: (purpose: string, organisationId: string, text: string) =>
      Buffer.concat([
        mark,
        createHmac('sha256', hashKey).update(`${purpose}\0${organisationId}\0${text}`).digest(),
      ]),
    comparable: (stored: Buffer) => (stored.subarray(0, mark.length).equals(mark) ? stored : undefined),
  };
}
