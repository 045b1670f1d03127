import { unlessAway } from '@fairway/postgres';
import { createTurns, type Environment, type Scope } from '@fairway/values';
import type { Events } from '../events/events.ts';
import type { EventAsk, EventPlace, KeptEvent } from '../events/listEvents.ts';
import type { Logger } from 'pino';
import { createEventReaders, rest } from './eventReaders.ts';

/** How many events are read for a reader at once, and how soon again while the database is away. */
const [PART, AWAY_MS] = [50, 1_000];
/** How many readers read at the same time, so that a crowd of them leaves the database to others. */
const READING_AT_ONCE = 2;

/** What a reader follows. `resentAfter`: behind which number also events that were asked for again; absent: without these. */
export type FeedAsk = Omit<EventAsk, 'limit'> & {
  readonly scope: Scope;
  readonly resentAfter?: bigint | undefined;
};

/** Some events, and the place behind them. `resent`: events that were asked for again, which have no place among the others. */
export type FeedPart = {
  readonly events: readonly KeptEvent[];
  readonly resent: readonly KeptEvent[];
  readonly place: Extract<EventPlace, { position: bigint }>;
};

/** Lets many readers follow the events of their organisations. */
export type EventFeeds = {
  /**
   * The events that follow a place, and then those to come, until `ended` or the end of the service. A part without events
   * says that there was none for `idleMs`, and how far was read. Ends by itself where what follows the place is no longer kept.
   */
  follow(ask: FeedAsk, idleMs: number, ended: AbortSignal): AsyncGenerator<FeedPart, void, undefined>;
  /** Ends all readers. */
  close(): void;
};

/**
 * Makes feeds of the published events. Only readers whose organisation has something new read. The service keeps
 * nothing for a reader but its place among the events and among those that were asked for again. A reader who stops
 * reading holds nothing, and can go on later.
 *
 * @example
 * ```ts
 * import { createEventFeeds, type Events } from '@fairway/outbox';
 *
 * declare const events: Events;
 * const feeds = createEventFeeds('production', events, console);
 * const scope = { organisationId: 'org_1', environment: 'production' } as const;
 * const ended = new AbortController().signal;
 * for await (const part of feeds.follow({ scope, after: 'NOW' }, 15_000, ended))
 *   for (const { eventId, type } of part.events) console.log(eventId, type);
 * ```
 */
export function createEventFeeds(
  environment: Environment,
  events: Pick<Events, 'list' | 'heard' | 'resends'>,
  log: Pick<Logger, 'error'>,
): EventFeeds {
  const closing = new AbortController();
  const turn = createTurns(READING_AT_ONCE);
  const readers = createEventReaders(environment, events, log);

  /** The events behind a place, and those that were asked for again behind a number. */
  async function read(scope: Scope, ask: Omit<FeedAsk, 'scope'>) {
    const { resentAfter, ...which } = ask;
    const listed = await events.list(scope, { ...which, limit: PART });
    if (!listed.ok || resentAfter === undefined) return { listed, resent: undefined };
    return { listed, resent: await events.resends(scope, { ...which, after: resentAfter, limit: PART }) };
  }

  /** Reads until nothing more follows; what a reader with these filters has not seen is never passed over. */
  async function* follow(
    { scope, ...ask }: FeedAsk,
    idleMs: number,
    ended: AbortSignal,
  ): AsyncGenerator<FeedPart, void, undefined> {
    const isOver = () => ended.aborted || closing.signal.aborted;
    const reader = readers.enter(scope.organisationId);
    const stop = () => reader.wake?.();
    ended.addEventListener('abort', stop);
    closing.signal.addEventListener('abort', stop);
    let { after, resentAfter } = ask;
    let sentMs = performance.now();
    try {
      while (!isOver()) {
        // Before reading, so that events published meanwhile are read next.
        reader.hasNew = false;
        const found = await turn(scope.organisationId, async () =>
          isOver() ? undefined : unlessAway(read(scope, { ...ask, after, resentAfter })),
        );
        if (found === 'AWAY') {
          await rest(reader, AWAY_MS);
          continue;
        }
        if (found === undefined || !found.listed.ok) return;
        const { listed, resent } = found;
        const isMoved = !isAt(after, listed.next) || (resent?.events.length ?? 0) > 0;
        after = listed.next;
        resentAfter = resent?.next;
        const again = resent?.events ?? [];
        if (listed.events.length + again.length > 0 || performance.now() - sentMs >= idleMs) {
          yield { events: listed.events, resent: again, place: after };
          sentMs = performance.now();
        }
        // A part ends at its limit, or after thousands of events of other types: more may follow.
        if (isMoved || reader.hasNew || isOver()) continue;
        await rest(reader, Math.max(0, idleMs - (performance.now() - sentMs)));
      }
    } finally {
      readers.leave(scope.organisationId, reader);
      ended.removeEventListener('abort', stop);
      closing.signal.removeEventListener('abort', stop);
    }
  }

  return { follow, close: () => closing.abort() };
}

function isAt(place: EventPlace | undefined, { position, epoch }: FeedPart['place']): boolean {
  return (
    typeof place === 'object' && 'position' in place && place.position === position && place.epoch === epoch
  );
}
