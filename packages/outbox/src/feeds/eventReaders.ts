import { unlessAway } from '@fairway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@fairway/values';
import type { Events } from '../events/events.ts';
import type { HeardPlace } from '../events/heard.ts';
import type { Logger } from 'pino';

/** How often is looked for new events, also while the database is away. */
const [LOOK_MS, AWAY_MS] = [200, 1_000];

/** A reader. `hasNew`: events of its organisation were published, or asked for again, since it began to read. */
export type Reader = { hasNew: boolean; wake: (() => void) | undefined };

/** The readers of all organisations, who are told when there is something to read. */
export type EventReaders = {
  enter(organisationId: string): Reader;
  leave(organisationId: string, reader: Reader): void;
};

/** Makes the readers. One look for all of them tells whose events there are to read; it goes on while there are any readers. */
export function createEventReaders(
  environment: Environment,
  events: Pick<Events, 'heard'>,
  log: Pick<Logger, 'error'>,
): EventReaders {
  const readers = new Map<string, Set<Reader>>();
  let isLooking = false;

  function tell(organisationIds: Iterable<string>): void {
    for (const id of organisationIds)
      for (const reader of readers.get(id) ?? []) {
        reader.hasNew = true;
        reader.wake?.();
      }
  }

  async function look(): Promise<void> {
    let place: HeardPlace | undefined;
    while (readers.size > 0) {
      const heard = await unlessAway(events.heard(environment, place)).catch((error: unknown) => {
        log.error({ err: error }, 'New events cannot be looked for');
        return 'AWAY' as const;
      });
      if (heard !== 'AWAY') {
        ({ place } = heard);
        tell(heard.organisationIds ?? readers.keys());
      }
      await sleep(heard === 'AWAY' ? AWAY_MS : LOOK_MS);
    }
    isLooking = false;
  }

  return {
    enter(organisationId) {
      const reader: Reader = { hasNew: true, wake: undefined };
      readers.set(organisationId, (readers.get(organisationId) ?? new Set()).add(reader));
      if (!isLooking) {
        isLooking = true;
        void look();
      }
      return reader;
    },
    leave(organisationId, reader) {
      const those = readers.get(organisationId);
      those?.delete(reader);
      if (those?.size === 0) readers.delete(organisationId);
    },
  };
}

/** Waits until a reader is told of new events, at most for a time. */
export async function rest(reader: Reader, mostMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, mostMs);
  reader.wake = resolve;
  await promise;
  clearTimeout(timer);
  reader.wake = undefined;
}
