import { type Address, toAddress } from '@fairway/engine';
import type { Log } from '../rpc/blockLogs.ts';
import { wordsOf } from './eventLayout.ts';
import { type Factory, kindOf, POOL_KIND_ENTRIES } from './poolKinds.ts';
import type { TrackedPool } from './trackedPool.ts';

/** The topics a follower asks for: every event that changes what a pool would pay, and pool creations. */
export const FOLLOWED_TOPICS: readonly `0x${string}`[] = POOL_KIND_ENTRIES.flatMap(([, kind]) => [
  ...kind.events.keys(),
  kind.discovery.creationTopic,
]);

/**
 * The pool after one of its events; the same pool when the event changes nothing, as for look-alike events of
 * another layout.
 */
export function poolAfterLog(tracked: TrackedPool, log: Log): TrackedPool {
  const [topic] = log.topics;
  const event = topic === undefined ? undefined : kindOf(tracked.pool).events.get(topic);
  const words = event && wordsOf(log, event);
  return event === undefined || words === undefined ? tracked : event.after(tracked, words);
}

/** The pool that a configured factory announces with a log; undefined for any other log. */
export function createdPool(
  log: Log,
  factories: ReadonlyMap<Address, Factory>,
): { factory: Factory; pool: Address } | undefined {
  const factory = factories.get(toAddress(log.address));
  if (factory === undefined) return undefined;
  try {
    return { factory, pool: toAddress(kindOf(factory).discovery.createdPool(log)) };
  } catch {
    return undefined;
  }
}
