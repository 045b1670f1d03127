import { withPatience } from '@fairway/postgres';
import type { CredentialRecord, Credentials } from './credentials.ts';

/** What was last read of a user name; `record` is absent when there is no such credential. */
export type Known = { record: CredentialRecord | undefined; readAtMs: number };

/** Options of the cache. `patienceMs` bounds how long one caller waits for a read. */
export type CredentialCacheOptions = {
  read: Credentials['findCredential'];
  monotonicMs: () => number;
  patienceMs: number;
};

/** Reads credentials through to the database, at most one read a user name at a time. */
export type CredentialCache = {
  get: (username: string) => Known | undefined;
  /** The answer of a running read, else of a new one; `undefined`: the database did not answer. */
  join: (username: string) => Promise<Known | undefined>;
  /** The answer of a read that starts from now on; callers meanwhile share it. */
  refresh: (username: string) => Promise<Known | undefined>;
};

/** Credentials and unknown user names are remembered apart, so that a guesser displaces no credential. */
const CAPACITY = 10_000;
/** Reads on behalf of rejections that may run at once; the rest of a flood of guesses is turned away. */
const MOST_REFRESHES = 256;
/** After a failed read, the time in which no other is tried. */
const FAILURE_SPACING_MS = 250;

type Read = { sinceMs: number; answer: Promise<Known | undefined> };

/** Makes an empty cache. */
export function readThroughCache({ read, monotonicMs, patienceMs }: CredentialCacheOptions): CredentialCache {
  const memory = createMemory();
  const running = new Map<string, Read>();
  const queued = new Map<string, Read>();
  let failedAtMs = Number.NEGATIVE_INFINITY;

  const readOnce = async (username: string): Promise<Known | undefined> => {
    if (performance.now() - failedAtMs < FAILURE_SPACING_MS) return undefined;
    const readAtMs = monotonicMs();
    const found = await read(username);
    if (!found.ok) {
      failedAtMs = performance.now();
      return undefined;
    }
    const known = { record: found.record, readAtMs };
    memory.remember(username, known);
    return known;
  };

  const start = (username: string): Read => {
    const started = { sinceMs: performance.now(), answer: readOnce(username) };
    running.set(username, started);
    const forget = () => void running.delete(username);
    started.answer.then(forget, forget);
    return started;
  };

  const startAfter = (username: string, current: Read): Read => {
    const startNext = () => {
      queued.delete(username);
      return start(username).answer;
    };
    const next = { sinceMs: performance.now(), answer: current.answer.then(startNext, startNext) };
    queued.set(username, next);
    return next;
  };

  /** Patience counts from the read's start: a server that hangs delays few callers, not every one. */
  const patiently = ({ sinceMs, answer }: Read): Promise<Known | undefined> =>
    withPatience(answer, Math.max(0, patienceMs - (performance.now() - sinceMs)));

  return {
    get: memory.get,
    join: (username) => patiently(running.get(username) ?? start(username)),
    refresh: (username) => {
      const waiting = queued.get(username);
      if (waiting !== undefined) return patiently(waiting);
      if (running.size >= MOST_REFRESHES) return Promise.resolve(undefined);
      const current = running.get(username);
      return patiently(current === undefined ? start(username) : startAfter(username, current));
    },
  };
}

function createMemory() {
  const credentials = new Map<string, Known>();
  const unknown = new Map<string, Known>();
  return {
    get: (username: string): Known | undefined => credentials.get(username) ?? unknown.get(username),
    remember(username: string, known: Known) {
      const [into, other] = known.record === undefined ? [unknown, credentials] : [credentials, unknown];
      other.delete(username);
      // Deleting first moves it to the end: the first entry is then the one read longest ago.
      into.delete(username);
      into.set(username, known);
      const oldest = into.size > CAPACITY ? into.keys().next().value : undefined;
      if (oldest !== undefined) into.delete(oldest);
    },
  };
}
