import type { Pool } from '@fairway/engine';
import { type AbiEvent, toEventSelector } from 'viem';
import type { Log } from '../rpc/blockLogs.ts';
import type { TrackedPool } from './trackedPool.ts';

/** The 32-byte words of an event: its topics and its data. Topic 0 is the selector of the event. */
export type EventWords = {
  topic(index: number): bigint;
  data(index: number): bigint;
};

/** The pool after an event. */
export type AfterEvent<P extends Pool> = (tracked: TrackedPool<P>, words: EventWords) => TrackedPool<P>;

/**
 * The layout of an event, and what the event does to a pool. Events are decoded without viem for speed, because a block
 * has hundreds.
 */
export type PoolEvent<P extends Pool> = {
  readonly topicCount: number;
  readonly wordCount: number;
  after(tracked: TrackedPool<P>, words: EventWords): TrackedPool<P>;
};

/** A kind's events by their first topic. */
export type PoolEvents<P extends Pool> = ReadonlyMap<`0x${string}`, PoolEvent<P>>;

/** Pairs each event of an ABI with what it does to a pool. */
export function poolEvents<P extends Pool, const Events extends readonly AbiEvent[]>(
  abi: Events,
  after: { readonly [Name in Events[number]['name']]: AfterEvent<P> },
): PoolEvents<P> {
  const byName: Readonly<Record<string, AfterEvent<P>>> = after;
  return new Map(
    abi.flatMap((event) => {
      const apply = byName[event.name];
      const topicCount = 1 + event.inputs.filter(({ indexed }) => indexed === true).length;
      const wordCount = 1 + event.inputs.length - topicCount;
      return apply === undefined
        ? []
        : [[toEventSelector(event), { topicCount, wordCount, after: apply }] as const];
    }),
  );
}

const HEX = /^0x[0-9a-f]+$/i;

/** The words of a log that has an event's layout; undefined for a look-alike event of another layout. */
export function wordsOf(
  { topics, data }: Log,
  { topicCount, wordCount }: { readonly topicCount: number; readonly wordCount: number },
): EventWords | undefined {
  if (topics.length !== topicCount || data.length < 2 + 64 * wordCount) return undefined;
  if (![data, ...topics].every((text) => HEX.test(text))) return undefined;
  return {
    topic: (index) => BigInt(topics[index] ?? 0),
    data: (index) => BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index)}`),
  };
}

/** A word as a signed number, such as a tick. */
export function signed(word: bigint): number {
  return Number(BigInt.asIntN(256, word));
}
