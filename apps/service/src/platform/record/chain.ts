import { setTimeout as sleep } from 'node:timers/promises';
import { BlockGoneError } from '@fairway/evm';
import type { ChainKey, Lease, SeenHead, TakenLease } from '@fairway/store';
import { createReminder, type Reminder } from '../time/reminder.ts';
import { untilAborted } from '../time/untilAborted.ts';
import { beginReading, learnWatched, type Reading, type ReadingParts, toleratedBlocks } from './reading.ts';
import { matchOlder, matchRecent, readAgain, readOn, readSinceRestore, type StepOutcome } from './readOn.ts';
import { readUnread } from './readUnread.ts';
import { serveRequests } from './serveRequests.ts';

/** A chain's record, as this process keeps it. */
export type ChainRecord = {
  /** What this process has read; undefined while another process reads the chain, or none. */
  status(): RecordStatus | undefined;
  /** Stops reading, and gives the lease back. */
  close(): Promise<void>;
};

/** How far the record is. */
export type RecordStatus = { readonly readNumber: number; readonly lagBlocks: number };

/** What the record of a chain is kept with. */
export type RecordParts = ReadingParts & {
  readonly key: ChainKey;
  /** A random name of this process, never used before. */
  readonly holder: string;
  /** Logs what keeps the record from being kept. */
  warn(error: unknown): void;
};

/** How often the lease is tried for, and renewed. */
const LEASE_MS = 1_000;
/** How often the leader looks for a new head. */
const TICK_MS = 200;
/** How often the leader looks for transactions that are to be read. */
const UNREAD_TICK_MS = 50;

/**
 * Keeps the record of a chain. Only the process that holds the lease reads the chain and writes. The others wait to
 * take the lease over, which takes up to four seconds after the holder is gone.
 */
export function startChainRecord(parts: RecordParts): ChainRecord {
  const closing = new AbortController();
  const reminder = createReminder(() => performance.now());
  let reading: Reading | undefined;

  async function leadOnce({ lease, record }: TakenLease): Promise<void> {
    const leading = new AbortController();
    const signal = AbortSignal.any([closing.signal, leading.signal]);
    let settling: Promise<void> | undefined;
    const renewal = renewUntil(parts, lease, signal, reminder, () => reading)
      .catch(parts.warn)
      .then(() => leading.abort());
    try {
      reading = await untilAborted(signal, beginReading(parts, lease, record));
      settling = followUnread(parts, reading, signal).then(() => leading.abort());
      await readUntil(parts, reading, signal, reminder);
    } finally {
      leading.abort();
      await Promise.all([renewal, settling]);
      reading = undefined;
      await parts.store.releaseLease(lease);
    }
  }

  async function work(): Promise<void> {
    const { signal } = closing;
    while (!signal.aborted) {
      try {
        const { taken } = await parts.store.takeLease(parts.key, parts.holder);
        if (taken !== undefined) await leadOnce(taken);
      } catch (error) {
        if (!signal.aborted && reminder.isDue(String(error))) parts.warn(error);
      }
      await pause(LEASE_MS, signal);
    }
  }

  const working = work();
  return {
    status: () =>
      reading?.tip && {
        readNumber: reading.tip.number,
        lagBlocks: Math.max(0, reading.targetNumber - reading.tip.number),
      },
    async close() {
      closing.abort();
      await working;
    },
  };
}

/** Renews a lease each second, tells the head that was seen, and learns whether plans ask for transactions. Resolves once it is lost, or cannot be renewed, or the signal aborts. */
async function renewUntil(
  { store, warn }: RecordParts,
  lease: Lease,
  signal: AbortSignal,
  reminder: Reminder,
  now: () => Reading | undefined,
): Promise<void> {
  while (!signal.aborted) {
    await pause(LEASE_MS, signal);
    if (signal.aborted) return;
    const reading = now();
    try {
      const renewed = await store.renewLease(lease, reading && seenHead(reading));
      if (renewed.isAsked && reading !== undefined) reading.isAsked = true;
      if (!renewed.held) return;
    } catch (error) {
      if (reminder.isDue(String(error))) warn(error);
      return;
    }
  }
}

function seenHead(reading: Reading): SeenHead {
  const { targetNumber, tip } = reading;
  return { targetNumber, toleratedBlocks: toleratedBlocks(reading, tip?.timeMs ?? 0) };
}

/** Reads unread transactions as they come. Resolves once another process has the lease, or the signal aborts. */
async function followUnread({ warn }: RecordParts, reading: Reading, signal: AbortSignal): Promise<void> {
  const reminder = createReminder(() => performance.now());
  while (!signal.aborted) {
    try {
      const turn = reading.mayHaveUnread ? await untilAborted(signal, readUnread(reading)) : 'NONE';
      if (turn === 'LEASE_LOST') return;
      if (turn === 'READ') continue;
      reminder.forget();
    } catch (error) {
      reading.mayHaveUnread = true;
      if (!signal.aborted && reminder.isDue(String(error))) warn(error);
    }
    await pause(UNREAD_TICK_MS, signal);
  }
}

/** Follows the chain. Resolves once another process has the lease, or the signal aborts. */
async function readUntil(
  { chain, warn }: RecordParts,
  reading: Reading,
  signal: AbortSignal,
  reminder: Reminder,
): Promise<void> {
  let seenHash: string | undefined;
  while (!signal.aborted) {
    try {
      const head = await untilAborted(signal, chain.newestHead());
      const hash = head?.hash.toLowerCase();
      if (head !== undefined && hash !== seenHash) {
        // Known before it is read: where that fails, the record is not at the head.
        reading.targetNumber = Math.max(reading.targetNumber, Number(head.number));
        // A node that hangs holds up neither the end of the service nor another reading: what is written late by this
        // one is refused.
        const outcome = await untilAborted(signal, step(reading, head));
        if (outcome === 'LEASE_LOST') return;
        if (outcome === 'MORE') continue;
        seenHash = hash;
      } else if (reading.isAsked && (await untilAborted(signal, serveRequests(reading))) === 'LEASE_LOST')
        return;
      reminder.forget();
    } catch (error) {
      // A reorganisation was under way: the next head shows its outcome.
      const isPassing = error instanceof BlockGoneError || signal.aborted;
      if (!isPassing && reminder.isDue(String(error))) warn(error);
    }
    await pause(TICK_MS, signal);
  }
}

async function step(reading: Reading, head: Parameters<typeof readOn>[1]): Promise<StepOutcome> {
  await learnWatched(reading);
  const works = [
    () => matchRecent(reading),
    () => readOn(reading, head),
    () => readSinceRestore(reading),
    () => matchOlder(reading),
    () => serveRequests(reading),
    () => readAgain(reading),
  ];
  for (const work of works) {
    const outcome = await work();
    if (outcome !== 'DONE') return outcome;
  }
  return 'DONE';
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
