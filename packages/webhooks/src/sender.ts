import { isIPv4 } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { mayConnectTo } from './address.ts';
import { type ClientCertificate, judgeClientCertificate } from './clientCertificate.ts';
import { type Answer, exchange, type ExchangeError } from './exchange.ts';
import { judgeWebhookHeaders } from './headers.ts';
import { fixedAddresses } from './host.ts';
import { resolveName } from './resolveName.ts';
import type { WebhookRule } from './rule.ts';
import { nextAttemptMs, readRetryAfterMs } from './schedule.ts';
import { readWebhookSecret, type WebhookKey } from './secret.ts';
import { signatureOf } from './signature.ts';
import { judgeWebhookUrl } from './url.ts';

/** The bounds of one attempt. */
export type SendLimits = {
  /** How long it may take in all, from the question for the host's addresses to the end of the answer. */
  readonly attemptMs: number;
  /** How long a name server may take to answer a question, which is asked twice. */
  readonly queryMs: number;
  /** How many bytes of the answer are read, give or take what comes at once. */
  readonly mostAnswerBytes: number;
  /** The least time of an attempt whose host has no address that may be connected to. */
  readonly leastRefusalMs: number;
};

const LIMITS: SendLimits = {
  attemptMs: 15_000,
  queryMs: 2000,
  mostAnswerBytes: 65_536,
  leastRefusalMs: 1000,
};
/** Counted for each family, so that a receiver with many addresses of one is still reached over the other. */
const MOST_ADDRESSES_OF_FAMILY = 2;

/** `version` of Fairway is in `user-agent`. Tests shorten the limits. `nameServers`: those of the system unless given. */
export type SenderOptions = {
  readonly version: string;
  readonly limits?: Partial<SendLimits>;
  readonly nameServers?: readonly string[];
};

/**
 * One attempt to deliver an event: where to, what, and signed with which secrets. `nowMs` is the time of the attempt.
 * `failedAttempts`: how many have failed before it.
 */
export type DeliveryOrder = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clientCertificate?: ClientCertificate;
  readonly eventId: string;
  readonly body: string;
  readonly secrets: readonly string[];
  readonly failedAttempts: number;
  readonly nowMs: number;
};

/**
 * Why a receiver gave no status.
 * - `URL_REFUSED`, `HEADERS_REFUSED`, `CLIENT_CERTIFICATE_REFUSED`: the rule does not allow it, or does not any more.
 * - `NO_PUBLIC_ADDRESS`: the host has no address, or one that may not be connected to. The two are not told apart, so that
 *   nobody learns which names exist inside of a network.
 * - `CONNECTION_FAILED`: no address of the host accepts a connection.
 * - `CERTIFICATE_NOT_TRUSTED`: the receiver's certificate is not valid for the host.
 * - `TLS_FAILED`: anything else before the connection is secure, or an alert, such as for want of a client certificate.
 * - `CONNECTION_LOST`: the connection ended before the head of an answer. Some receivers refuse client certificates so.
 * - `ANSWER_NOT_HTTP`: what came is not an answer of HTTP/1.1, or its head is too long.
 * - `TIMEOUT`: there was no answer in time.
 * - `SENDER_CLOSED`: the sender was closed meanwhile. It says nothing of the receiver, which may have the event.
 */
export type DeliveryError =
  | ExchangeError
  | 'URL_REFUSED'
  | 'HEADERS_REFUSED'
  | 'CLIENT_CERTIFICATE_REFUSED'
  | 'NO_PUBLIC_ADDRESS';

/**
 * How an attempt ended. A receiver that answers is judged by its status alone: 2xx DELIVERED, 410 GONE, else FAILED.
 * `waitMs`: until the next attempt; absent where there is none.
 */
export type Delivery = { readonly durationMs: number } & (
  | { readonly outcome: 'DELIVERED' | 'GONE'; readonly status: number }
  | { readonly outcome: 'FAILED'; readonly status: number; readonly waitMs?: number }
  | { readonly outcome: 'FAILED'; readonly error: DeliveryError; readonly waitMs?: number }
);

/** Sends webhooks until it is closed. */
export type WebhookSender = {
  /** Makes one attempt. Rejects only for a bug of the caller: no secret, what is none, or an id that is no event's. */
  send(order: DeliveryOrder): Promise<Delivery>;
  /** Ends the attempts that are under way with SENDER_CLOSED, also those of later calls. Resolves when all have ended. */
  close(): Promise<void>;
};

/**
 * Makes a sender of webhooks that connects to nothing that the rule does not allow. Every attempt judges the URL, resolves
 * its name and connects anew, and nothing is kept between attempts.
 *
 * @example
 * ```ts
 * import { createWebhookSecret, createWebhookSender } from '@fairway/webhooks';
 *
 * const sender = createWebhookSender({ httpToLoopback: false, allowPrivate: [] }, { version: '0.1.0' });
 * const delivery = await sender.send({
 *   url: 'https://example.com/webhooks',
 *   eventId: 'evt_1',
 *   body: '{}',
 *   secrets: [createWebhookSecret()],
 *   failedAttempts: 0,
 *   nowMs: Date.now(),
 * });
 * if (delivery.outcome === 'FAILED') console.log('error' in delivery ? delivery.error : delivery.status);
 * await sender.close();
 * ```
 */
export function createWebhookSender(rule: WebhookRule, options: SenderOptions): WebhookSender {
  const limits = { ...LIMITS, ...options.limits };
  const underWay = new Map<AbortController, Promise<Delivery>>();
  let isClosed = false;

  async function attempt(order: DeliveryOrder, controller: AbortController): Promise<Delivery> {
    const startedMs = performance.now();
    const timer = setTimeout(() => abort(controller, 'TIMEOUT'), limits.attemptMs);
    try {
      const answer = await answerTo(order, { ...options, rule, limits, signal: controller.signal });
      return deliveryOf(answer, order, Math.round(performance.now() - startedMs));
    } finally {
      clearTimeout(timer);
      underWay.delete(controller);
    }
  }

  return {
    send: (order) => {
      const controller = new AbortController();
      if (isClosed) abort(controller, 'SENDER_CLOSED');
      const delivery = attempt(order, controller);
      underWay.set(controller, delivery);
      return delivery;
    },
    close: async () => {
      isClosed = true;
      const deliveries = [...underWay.values()];
      for (const controller of underWay.keys()) abort(controller, 'SENDER_CLOSED');
      await Promise.allSettled(deliveries);
    },
  };
}

/** What an attempt is bound by. The reason of the signal is the attempt's error. */
type Bounds = SenderOptions & {
  readonly rule: WebhookRule;
  readonly limits: SendLimits;
  readonly signal: AbortSignal;
};

function abort(controller: AbortController, error: ExchangeError): void {
  controller.abort(error);
}

async function answerTo(
  order: DeliveryOrder,
  bounds: Bounds,
): Promise<Answer | { readonly error: DeliveryError }> {
  const { eventId, body, secrets, nowMs, clientCertificate } = order;
  const timestampSeconds = Math.floor(nowMs / 1000);
  const signature = signatureOf({ eventId, timestampSeconds, body }, secrets.map(keyOf));

  const judged = judgeWebhookUrl(order.url, bounds.rule);
  if (!judged.ok) {
    return { error: judged.reason === 'ADDRESS_NOT_PUBLIC' ? 'NO_PUBLIC_ADDRESS' : 'URL_REFUSED' };
  }
  const own = judgeWebhookHeaders(order.headers ?? {});
  if (!own.ok) return { error: 'HEADERS_REFUSED' };
  if (clientCertificate !== undefined && !judgeClientCertificate(clientCertificate).ok) {
    return { error: 'CLIENT_CERTIFICATE_REFUSED' };
  }

  const url = new URL(judged.url);
  const addresses = await addressesOf(url, bounds);
  if (bounds.signal.aborted) return { error: bounds.signal.reason as ExchangeError };
  if (addresses === undefined) return { error: 'NO_PUBLIC_ADDRESS' };

  return exchange({
    url,
    addresses,
    headers: {
      ...own.headers,
      'content-type': 'application/json',
      'user-agent': `Fairway/${bounds.version}`,
      'webhook-id': eventId,
      'webhook-timestamp': `${timestampSeconds}`,
      'webhook-signature': signature,
    },
    clientCertificate,
    body: Buffer.from(body),
    mostAnswerBytes: bounds.limits.mostAnswerBytes,
    signal: bounds.signal,
  });
}

/**
 * The addresses to connect to; undefined where a host has none, or even one that may not be connected to. That answer
 * takes the same time in both cases, as only name servers inside of a network know its names at once.
 */
async function addressesOf(
  url: URL,
  { rule, limits, nameServers, signal }: Bounds,
): Promise<readonly string[] | undefined> {
  const fixed = fixedAddresses(url.hostname);
  // These were judged with the URL.
  if (fixed !== undefined) return fixed;
  const startedMs = performance.now();
  const resolved = await resolveName(url.hostname, { nameServers, queryMs: limits.queryMs, signal });
  if (resolved.length > 0 && resolved.every((address) => mayConnectTo(address, rule))) {
    return [true, false].flatMap((isWanted) =>
      resolved.filter((address) => isIPv4(address) === isWanted).slice(0, MOST_ADDRESSES_OF_FAMILY),
    );
  }
  const restMs = limits.leastRefusalMs - (performance.now() - startedMs);
  // Rejects when the signal aborts, which the caller looks at.
  await wait(Math.max(restMs, 0), undefined, { signal }).catch(() => undefined);
  return undefined;
}

function keyOf(secret: string): WebhookKey {
  const read = readWebhookSecret(secret);
  if (!read.ok) throw new Error('A secret that was kept must be one.');
  return read.key;
}

function deliveryOf(
  answer: Answer | { readonly error: DeliveryError },
  { nowMs, failedAttempts }: DeliveryOrder,
  durationMs: number,
): Delivery {
  const failed = (retryAfterMs?: number) => {
    const waitMs = nextAttemptMs(failedAttempts + 1, Math.random(), retryAfterMs);
    return { outcome: 'FAILED', durationMs, ...(waitMs === undefined ? {} : { waitMs }) } as const;
  };
  if ('error' in answer) return { ...failed(), error: answer.error };
  const { status, retryAfter } = answer;
  if (status >= 200 && status <= 299) return { outcome: 'DELIVERED', status, durationMs };
  if (status === 410) return { outcome: 'GONE', status, durationMs };
  const asks = (status === 429 || status === 503) && retryAfter !== undefined;
  return { ...failed(asks ? readRetryAfterMs(retryAfter, nowMs + durationMs) : undefined), status };
}
