import { unlessAway } from '@fairway/postgres';
import { withPatience } from '@fairway/processes';
import type { CredentialRecord, Credentials } from './credentials.ts';

/** The last read of a user name; `record` is undefined when there is no such credential. */
export type Known = { username: string; record: CredentialRecord | undefined; readAtMs: number };

/** Options of the cache. `patienceMs` bounds how long one caller waits for a read. */
export type CredentialCacheOptions = {
  read: Credentials['findCredential'];
  monotonicMs: () => number;
  patienceMs: number;
};

/** Remembers credentials and reads them from the database, with one read at a time for each user name. */
export type CredentialCache = {
  get: (username: string) => Known | undefined;
  /** The answer of a running read, or of a new read; `undefined` when the database did not answer. */
  join: (username: string) => Promise<Known | undefined>;
  /** The answer of a read that starts after this call; callers share such a read. */
  refresh: (username: string) => Promise<Known | undefined>;
};

/** How many credentials and, apart from them, how many unknown user names are kept: guesses displace no credential. */
const CAPACITY = 10_000;
/** How many reads may run at once when a password is wrong; further guesses get no answer from the database. */
const MOST_REFRESHES = 256;
/** How long after a failed read no other read is tried. */
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
    const found = await unlessAway(read(username));
    if (found === 'AWAY') {
      failedAtMs = performance.now();
      return undefined;
    }
    const known = { username, record: found.record, readAtMs };
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

  /** The patience counts from the start of the read, so that a server that hangs delays few callers. */
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
    get(username: string): Known | undefined {
      // Both are asked, so that the time reveals nothing.
      const [credential, nobody] = [credentials.get(username), unknown.get(username)];
      return credential ?? nobody;
    },
    remember(username: string, known: Known) {
      const [into, other] = known.record === undefined ? [unknown, credentials] : [credentials, unknown];
      other.delete(username);
      // Deleting it first moves the entry to the end, so that the first entry is the oldest read.
      into.delete(username);
      into.set(username, known);
      const oldest = into.size > CAPACITY ? into.keys().next().value : undefined;
      if (oldest !== undefined) into.delete(oldest);
    },
  };
}
