import { createHmac } from 'node:crypto';
import type { WebhookKey } from './secret.ts';

/** An id in it must not have the dot that parts the signed text, nor anything that a header cannot hold. */
const EVENT_ID = /^[A-Za-z0-9_-]{1,100}$/;

/** What a signature covers: the event's id, the attempt's time in seconds since 1970, and the body as it is sent. */
export type SignedContent = {
  readonly eventId: string;
  readonly timestampSeconds: number;
  readonly body: string;
};

/**
 * The value of `webhook-signature` by Standard Webhooks 1.0: one signature for each key, parted by spaces. So a
 * receiver can go over from one secret to the next. Throws where it is called without a key or with what is no
 * event's id.
 *
 * @example
 * ```ts
 * import { createWebhookSecret, readWebhookSecret, signatureOf } from '@fairway/webhooks';
 *
 * const read = readWebhookSecret(createWebhookSecret());
 * const content = { eventId: 'evt_1', timestampSeconds: 1_800_000_000, body: '{}' };
 * const signature = signatureOf(content, read.ok ? [read.key] : []); // 'v1,...'
 * ```
 */
export function signatureOf(
  { eventId, timestampSeconds, body }: SignedContent,
  keys: readonly WebhookKey[],
): string {
  if (keys.length === 0) throw new RangeError('a webhook is signed with at least one key');
  if (!EVENT_ID.test(eventId)) throw new RangeError('the id of an event has letters, digits, _ and - alone');
  const signed = `${eventId}.${timestampSeconds}.${body}`;
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' ');
}
