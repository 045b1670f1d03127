import { WebhookError } from './errors/refusals.ts';
import type { FairwayEvent } from './stream/eventStream.ts';

export { WebhookError, type WebhookRefusal } from './errors/refusals.ts';
export type { FairwayEvent } from './stream/eventStream.ts';

/** A webhook as it came, and what it is checked with. */
export type ReceivedWebhook = {
  /** The body as it came, byte by byte. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The secret of the endpoint; several while it is changed. */
  readonly secret: string | readonly string[];
  /** How far its time may be away from now; 300 s where absent. */
  readonly toleranceSeconds?: number;
  /** The time now; the machine's where absent. */
  readonly now?: Date;
};

const TOLERANCE_SECONDS = 300;
const SECRET = /^whsec_([A-Za-z0-9+/]{32,}={0,2})$/;

/**
 * Checks a webhook by Standard Webhooks 1.0, and gives its event. An event can come twice: drop an `id` that was
 * handled.
 * @throws WebhookError for a webhook that is not to be believed. Answer it with 400.
 *
 * @example
 * ```ts
 * import { verifyWebhook } from '@fairway/sdk';
 *
 * async function receive(request: Request): Promise<Response> {
 *   const body = await request.text();
 *   const event = await verifyWebhook({ body, headers: request.headers, secret: 'whsec_…' });
 *   return new Response(event.type);
 * }
 * ```
 */
export async function verifyWebhook(webhook: ReceivedWebhook): Promise<FairwayEvent> {
  const { body, headers, secret, now = new Date() } = webhook;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  checkTime(timestamp, now, webhook.toleranceSeconds ?? TOLERANCE_SECONDS);
  const signed = joined(`${id}.${timestamp}.`, body);
  for (const text of [secret].flat()) {
    const key = await keyOf(text);
    for (const signature of signatures) {
      const bytes = signature.startsWith('v1,') ? bytesOf(signature.slice('v1,'.length)) : undefined;
      if (bytes !== undefined && (await crypto.subtle.verify('HMAC', key, bytes, signed)))
        return eventOf(body);
    }
  }
  throw new WebhookError('SIGNATURE_WRONG', 'No signature of the webhook is by this secret over this body.');
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string {
  const found = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = typeof found === 'object' ? found?.[0] : found;
  if (text === undefined || text === '')
    throw new WebhookError('HEADER_MISSING', `The header ${name} is missing.`);
  return text;
}

function isHeaders(headers: ReceivedWebhook['headers']): headers is Headers {
  return typeof headers.get === 'function';
}

function checkTime(timestamp: string, now: Date, toleranceSeconds: number): void {
  const ageSeconds = now.getTime() / 1000 - (/^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN);
  if (Number.isNaN(ageSeconds))
    throw new WebhookError('HEADER_MISSING', 'The header webhook-timestamp is no time.');
  if (ageSeconds > toleranceSeconds)
    throw new WebhookError('TIMESTAMP_TOO_OLD', `The webhook was signed ${Math.floor(ageSeconds)} s ago.`);
  if (ageSeconds < -toleranceSeconds)
    throw new WebhookError(
      'TIMESTAMP_TOO_NEW',
      `The webhook was signed ${Math.floor(-ageSeconds)} s from now.`,
    );
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(SECRET.exec(secret)?.[1] ?? '');
  if (bytes === undefined || bytes.length === 0)
    throw new WebhookError(
      'SECRET_MALFORMED',
      'A secret is whsec_ and base64, as the endpoint was given it.',
    );
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** The bytes of base64; undefined for what is none. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(begin: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const [head, rest] = [encoder.encode(begin), typeof body === 'string' ? encoder.encode(body) : body];
  const whole = new Uint8Array(head.length + rest.length);
  whole.set(head);
  whole.set(rest, head.length);
  return whole;
}

function eventOf(body: string | Uint8Array): FairwayEvent {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  try {
    return JSON.parse(text) as FairwayEvent;
  } catch {
    throw new WebhookError('BODY_MALFORMED', 'The body is signed, and is no JSON.');
  }
}
