import { type ConnectionLimits, IDLE_MS } from './connections.ts';
import type { GateLimits } from './gate.ts';

/*
 * Limits of what callers may take from the service, and from each other. Every request passes, in this order:
 *
 * 1. `connections.ts`: one request of a connection at a time. Answers that nobody reads, bodies that were answered already, and idle
 *    connections are bounded.
 * 2. `entry.ts`: probes, and requests whose organisation sends too much, are answered before any work is done for them.
 * 3. `guessLimit.ts`: wrong passwords and links are limited by address and by name. Right ones are accepted from everywhere.
 *    Those that were not right lately pass a gate, in which networks take turns.
 * 4. `rates.ts`: requests of a second by organisation, and forms of a minute by link.
 * 5. `gate.ts`: which request runs next. Each organisation has a line of its own, and the one that has used the thread least is next
 *    (`lines.ts`, `thread.ts`). Beside others it has as many places as delay nobody (`besidePlaces.ts`).
 * 6. `slots.ts` and `longAnswers.ts`: files and streams, which go on for long, are counted, and end with their credential.
 *
 * What they promise, and what shows it:
 *
 * - An organisation at ten times its share delays others by at most 25 ms (`npm run bench -- fairness`).
 * - At many times the capacity 80 % of it is answered; the rest is 503 or 429 with Retry-After (`npm run bench -- overload`).
 * - Slow readers and slow senders delay nobody (`npm run bench -- slowClients`).
 * - A flood of wrong passwords locks nobody out (`guessLimit.test.ts`).
 *
 * A calm service pays for a map, two counters and two looks at the clock. All numbers are in this file.
 */

/**
 * Requests by what they need. Few lists are read at once, because they keep the database busy. All their rows can arrive
 * together, and then no other request gets a turn between them.
 */
export const GATE_LIMITS: GateLimits = {
  places: {
    LIST: { all: 4, alone: 2 },
    DATABASE: { all: 16, alone: 8 },
    CHAIN: { all: 64, alone: 16 },
  },
  waiting: 1_024,
  waitMs: 2_000,
};

/** Connections. A caller on a slow phone reads faster than 16 kB in ten seconds. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  unusedMs: IDLE_MS,
  unreadMs: 10_000,
  progressBytes: 16_384,
  mostUnread: 1_000,
  mostUnreadBytes: 64 * 1024 * 1024,
  mostPipelined: 1_000,
  mostConnections: 10_000,
};

/**
 * Checks of secrets that were not right before, which have a gate of their own, with networks in place of organisations. A check can
 * cost a query, and guesses must not take the database from the other callers.
 */
export const CHECK_LIMITS: GateLimits = {
  ...GATE_LIMITS,
  places: { ...GATE_LIMITS.places, DATABASE: { all: 16, alone: 4 } },
};
/** The most checks of one address with few wrong secrets that run and wait. */
export const CHECKS_OF_ADDRESS = 256;
/** The same of an address with many wrong ones. */
export const CHECKS_OF_GUESSER = 4;

/** The most forms with unknown tokens per minute from one address. */
export const UNKNOWN_TOKENS_PER_MINUTE = 120;
/** The most forms per minute with one token. One recipient who fills in a form sends far fewer. */
export const FORMS_PER_MINUTE = 120;

/** Files that arrive or are read at once. Each takes up to twice its size in memory. */
export const UPLOADS = { ofOne: 1, ofAll: 4 };
/** Streams of events. */
export const STREAMS = { ofOne: 100, ofAll: Number.POSITIVE_INFINITY };
/** Downloads of reports. */
export const DOWNLOADS = { ofOne: 4, ofAll: Number.POSITIVE_INFINITY };
