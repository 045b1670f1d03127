import { setTimeout as sleep } from 'node:timers/promises';
import { signatureOf, type WebhookKey } from '@fairway/webhooks';
import { version } from '../../platform/config/version.ts';
import { fetchFault } from './fetchFault.ts';

/** How long a receiver may take, as with a service that sends. */
const MOST_MS = 15_000;
/** How soon a receiver that does not answer is asked again. */
const AGAIN_MS = 2_000;

/** An event to be forwarded, as JSON. */
export type Forwarded = { readonly eventId: string; readonly body: string };

/** Where to forward. `onAway`: told once when the receiver does not answer. */
export type Receiver = {
  readonly url: string;
  readonly key: WebhookKey;
  readonly signal: AbortSignal;
  readonly onAway: (why: string) => void;
  readonly againMs?: number;
};

/**
 * Sends an event as a webhook, signed, and answers the status. While nobody listens at the address, it is tried again: a
 * receiver that is being worked on comes back. Undefined when the signal ends that.
 */
export async function forward(
  { eventId, body }: Forwarded,
  { url, key, signal, onAway, againMs = AGAIN_MS }: Receiver,
): Promise<number | undefined> {
  let isLogged = false;
  while (!signal.aborted) {
    try {
      return await send({ eventId, body }, url, key, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!isLogged) onAway(causeOf(error));
      isLogged = true;
      await sleep(againMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}

async function send(
  { eventId, body }: Forwarded,
  url: string,
  key: WebhookKey,
  signal: AbortSignal,
): Promise<number> {
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      'user-agent': `Fairway/${version}`,
      'webhook-id': eventId,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signatureOf({ eventId, timestampSeconds, body }, [key]),
    },
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]),
  });
  await response.body?.cancel();
  return response.status;
}

function causeOf(error: unknown): string {
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  return isLate ? `it takes longer than ${MOST_MS / 1000} s` : fetchFault(error);
}
