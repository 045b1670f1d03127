import { unlessAway } from '@fairway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@fairway/values';
import type { DueEndpoint } from '../endpoints/claim.ts';
import type { Logger } from 'pino';
import { type AttemptParts, type Attempts, createAttempts } from './attempts.ts';

/** How often due deliveries are looked for, at least and at most, and how soon again while the database is away. */
const [LOOK_MS, SOONEST_MS, AWAY_MS] = [200, 20, 1_000];
/** How often endpoints that have failed for long are looked for. */
const FAILING_LOOK_MS = 1_000;
/** How many endpoints are served by the database at the same time. */
const CLAIMS_AT_ONCE = 4;
/** For how long an endpoint is left alone whose secrets no key opens. */
const SEALED_MS = 30_000;
/** Longer than the 15 s of an attempt. */
const HOLD_MS = 30_000;

/** What sending needs. `holdMs`: for how long others leave a delivery alone; 30 s unless a test shortens attempts. */
type Sending = AttemptParts & { readonly environment: Environment; readonly holdMs?: number };

/**
 * Sends what is due to webhook endpoints, until `close`. Every process does it. A process holds the deliveries that it attempts;
 * when it leaves some behind, others take them over after 30 s. A fault here stops nothing else.
 *
 * @example
 * ```ts
 * import { startSending, type Webhooks } from '@fairway/outbox';
 * import { createWebhookSender } from '@fairway/webhooks';
 *
 * declare const webhooks: Webhooks;
 * const sender = createWebhookSender({ httpToLoopback: false, allowPrivate: [] }, { version: '0.1.0' });
 * const sending = startSending(
 *   {
 *     environment: 'production',
 *     webhooks,
 *     sender,
 *     bodyOf: ({ eventId, type, data }) => JSON.stringify({ id: eventId, type, ...data }),
 *     onAttempt: (outcome) => console.log(outcome),
 *     nowMs: Date.now,
 *   },
 *   console,
 * );
 * await sending.close();
 * ```
 */
export function startSending(
  parts: Sending,
  log: Pick<Logger, 'error' | 'warn'>,
): { close(): Promise<void> } {
  const { environment, webhooks, nowMs } = parts;
  const closing = new AbortController();
  const { signal } = closing;
  let wake = () => {};
  const attempts = createAttempts(parts, log, () => wake());
  const serve = createServing(parts, attempts, log);

  async function look(): Promise<void> {
    const { due } = await webhooks.dueEndpoints(environment, nowMs());
    const rest = inTurn(due, attempts);
    const serveNext = async (): Promise<void> => {
      for (let next = rest.shift(); next !== undefined && !signal.aborted; next = rest.shift())
        await serve(next);
    };
    await Promise.all(Array.from({ length: CLAIMS_AT_ONCE }, serveNext));
  }

  async function repeat(part: () => Promise<void>, pause: () => Promise<unknown>): Promise<void> {
    let isLogged = false;
    while (!signal.aborted) {
      const ended = await unlessAway(part()).catch((error: unknown) => {
        if (!isLogged) log.error({ err: error }, 'It cannot be looked for what is due to webhook endpoints');
        isLogged = true;
        return 'AWAY' as const;
      });
      if (ended !== 'AWAY') isLogged = false;
      await (ended !== 'AWAY' ? pause() : sleep(AWAY_MS, undefined, { signal }).catch(() => undefined));
    }
  }

  /** Waits until there may be more to do. */
  async function rest(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    const timer = setTimeout(resolve, LOOK_MS);
    await sleep(SOONEST_MS);
    if (!signal.aborted) await promise;
    clearTimeout(timer);
  }

  const looking = repeat(look, rest);
  const telling = repeat(
    () => webhooks.publishFailing(environment, nowMs()),
    () => sleep(FAILING_LOOK_MS, undefined, { signal }).catch(() => undefined),
  );
  return {
    async close() {
      closing.abort();
      wake();
      await Promise.all([looking, telling]);
      await attempts.close();
    },
  };
}

/**
 * Endpoints in their order: first by fewest attempts under way, then by fewest of their organisation, then by chance.
 */
function inTurn(due: readonly DueEndpoint[], { of, ofOrganisation }: Attempts): DueEndpoint[] {
  return due
    .map((endpoint) => ({
      endpoint,
      own: of(endpoint),
      all: ofOrganisation(endpoint),
      chance: Math.random(),
    }))
    .sort((a, b) => a.own - b.own || a.all - b.all || a.chance - b.chance)
    .map(({ endpoint }) => endpoint);
}

/** Makes the serving of an endpoint: it takes what this process may attempt, and begins that. */
function createServing(
  { webhooks, nowMs, holdMs = HOLD_MS }: Sending,
  attempts: Attempts,
  log: Pick<Logger, 'warn'>,
): (endpoint: DueEndpoint) => Promise<void> {
  const leftAlone = new Map<string, number>();
  return async (endpoint) => {
    const { scope, endpointId } = endpoint;
    const limit = attempts.more(endpoint);
    if (limit === 0 || (leftAlone.get(endpointId) ?? 0) > performance.now()) return;
    leftAlone.delete(endpointId);
    const claimed = await webhooks.claimDeliveries(scope, endpointId, { limit, nowMs: nowMs(), holdMs });
    if (claimed.ok) {
      const { deliveries, url, secrets } = claimed;
      for (const delivery of deliveries) attempts.begin({ endpoint, url, secrets, delivery });
    } else {
      leftAlone.set(endpointId, performance.now() + SEALED_MS);
      log.warn({ endpointId }, 'Nothing is sent to a webhook endpoint: no sealing key opens its secrets');
    }
  };
}
