import { unlessAway } from '@fairway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '@fairway/values';
import type { ClaimedDelivery, DueEndpoint } from '../endpoints/claim.ts';
import type { ConcludedAttempt, HeldDelivery } from '../endpoints/conclude.ts';
import type { EndpointSecrets } from '../endpoints/endpoint.ts';
import type { Webhooks } from '../endpoints/webhooks.ts';
import type { KeptEvent } from '../events/listEvents.ts';
import type { Delivery, WebhookSender } from '@fairway/webhooks';
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
    secrets: secretsAt(secrets, atMs),
    failedAttempts: tries,
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
  await conclude(webhooks, held, concludedOf(made, { url, atMs, endedMs: nowMs() }), nowMs, signal);
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

/** The secrets that an attempt is signed with: the present one, and those that it replaces, while they last. */
function secretsAt({ secrets }: EndpointSecrets, atMs: number): readonly string[] {
  return secrets.filter(({ untilMs }) => untilMs === undefined || untilMs > atMs).map(({ secret }) => secret);
}

function concludedOf(
  made: Delivery,
  { url, atMs, endedMs }: { readonly url: string; readonly atMs: number; readonly endedMs: number },
): ConcludedAttempt {
  const { outcome, durationMs } = made;
  const answered = 'status' in made ? { status: made.status } : { error: made.error };
  const waitMs = 'waitMs' in made ? made.waitMs : undefined;
  const dueMs = waitMs === undefined ? undefined : endedMs + waitMs;
  return { outcome, url, atMs, durationMs, ...answered, ...defined({ dueMs }) };
}
