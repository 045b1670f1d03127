import { unlessAway } from '@fairway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '@fairway/values';
import type { ClaimedDelivery, DueEndpoint } from '../endpoints/claim.ts';
import type { ConcludedAttempt, HeldDelivery } from '../endpoints/conclude.ts';
import type { EndpointSecrets } from '../endpoints/endpoint.ts';
import type { Webhooks } from '../endpoints/webhooks.ts';
import type { KeptEvent } from '../events/listEvents.ts';
import { type Delivery, nextAttemptMs, readWebhookSecret, type WebhookSender } from '@fairway/webhooks';
import type { Logger } from 'pino';
import { type Allowances, createAllowances } from './allowances.ts';

/** How often an attempt is tried to be recorded while the database is away, and how soon. Then it is made again. */
const [MOST_RECORDINGS, AWAY_MS] = [20, 1_000];

/** What attempts need. `bodyOf`: an event as it is sent. */
export type AttemptParts = {
  readonly webhooks: Webhooks;
  readonly sender: WebhookSender;
  bodyOf(event: KeptEvent): string;
  /** Counts an attempt by how it ended. */
  onAttempt(outcome: ConcludedAttempt['outcome']): void;
  nowMs(): number;
};

/** A delivery that this process holds, and where to send it. */
export type HeldAttempt = {
  readonly endpoint: DueEndpoint;
  readonly url: string;
  readonly secrets: EndpointSecrets;
  readonly delivery: ClaimedDelivery;
};

/** The attempts of a process. */
export type Attempts = Omit<Allowances, 'begin'> & {
  /** Begins an attempt, and records how it ends. */
  begin(held: HeldAttempt): void;
  /** Ends all that are under way; what they held is given back. */
  close(): Promise<void>;
};

/** Makes the attempts. `onEnded` is called whenever one has ended. */
export function createAttempts(
  parts: AttemptParts,
  log: Pick<Logger, 'error'>,
  onEnded: () => void,
): Attempts {
  const { begin, ...allowances } = createAllowances();
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  return {
    ...allowances,
    begin(held) {
      const { endpointId } = held.endpoint;
      const ended = begin(held.endpoint);
      const attempt = deliver(parts, held, closing.signal)
        .catch((error: unknown) => log.error({ err: error, endpointId }, 'A webhook cannot be sent'))
        .finally(() => {
          ended();
          underWay.delete(attempt);
          onEnded();
        });
      underWay.add(attempt);
    },
    async close() {
      closing.abort();
      await parts.sender.close();
      await Promise.all(underWay);
    },
  };
}

async function deliver(
  { webhooks, sender, bodyOf, onAttempt, nowMs }: AttemptParts,
  { endpoint: { scope, endpointId }, url, secrets, delivery }: HeldAttempt,
  signal: AbortSignal,
): Promise<void> {
  const { event, tries, claim } = delivery;
  const held = { scope, endpointId, eventId: event.eventId, claim };
  const atMs = nowMs();
  const made = await sender.send({
    url,
    headers: secrets.headers,
    ...defined({ clientCertificate: secrets.clientCertificate }),
    eventId: event.eventId,
    body: bodyOf(event),
    keys: keysOf(secrets, atMs),
    // Receivers compare with their own clock, which no sandbox moves.
    nowMs: Date.now(),
  });
  // This outcome says nothing about the receiver.
  if ('error' in made && made.error === 'SENDER_CLOSED') {
    // While the database is away, others take it over when its time is over.
    await unlessAway(webhooks.releaseDelivery(held));
    return;
  }
  onAttempt(made.outcome);
  await conclude(webhooks, held, concludedOf(made, { url, atMs, endedMs: nowMs(), tries }), nowMs, signal);
}

async function conclude(
  webhooks: Webhooks,
  held: HeldDelivery,
  made: ConcludedAttempt,
  ...[nowMs, signal]: [() => number, AbortSignal]
): Promise<void> {
  for (let times = 0; times < MOST_RECORDINGS; times += 1) {
    const recorded = await unlessAway(webhooks.concludeAttempt(held, made, nowMs()));
    if (recorded !== 'AWAY' || signal.aborted) return;
    await sleep(AWAY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** The keys that an attempt is signed with: of the present secret, and of those that it replaces, while they last. */
function keysOf({ secrets }: EndpointSecrets, atMs: number) {
  return secrets
    .filter(({ untilMs }) => untilMs === undefined || untilMs > atMs)
    .map(({ secret }) => {
      const read = readWebhookSecret(secret);
      if (!read.ok) throw new Error('A secret that was kept must be one.');
      return read.key;
    });
}

function concludedOf(
  made: Delivery,
  {
    url,
    atMs,
    endedMs,
    tries,
  }: { readonly url: string; readonly atMs: number; readonly endedMs: number; readonly tries: number },
): ConcludedAttempt {
  const { outcome, durationMs } = made;
  const answered = 'status' in made ? { status: made.status } : { error: made.error };
  if (outcome !== 'FAILED') return { outcome, url, atMs, durationMs, ...answered };
  const retryAfterMs = 'retryAfterMs' in made ? made.retryAfterMs : undefined;
  const waitMs = nextAttemptMs(tries + 1, Math.random(), retryAfterMs);
  return {
    ...{ outcome, url, atMs, durationMs, ...answered },
    ...defined({ dueMs: waitMs === undefined ? undefined : endedMs + waitMs }),
  };
}
