import { hash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { networkOf } from '../text/networkOf.ts';
import { createCheckPlaces } from './checkPlaces.ts';

/** What a check says of a secret. NEITHER: it could not be checked. */
export type Verdict = 'RIGHT' | 'WRONG' | 'NEITHER';

/**
 * The result of a check, or how long a caller must wait. TOO_MANY_WRONG: too many secrets from this address or for this
 * name were wrong. NO_PLACE: too many others are being checked.
 */
export type Guess<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly reason: 'TOO_MANY_WRONG' | 'NO_PLACE'; readonly waitSeconds: number };

/** A secret that a caller presents, its check, and what the result of the check says of it. */
export type Presented<Result> = {
  /** The name that the secret is for; undefined when none was given. */
  readonly name: string | undefined;
  /** The name and the secret together. Kept as a keyed hash alone. */
  readonly secret: string;
  check(): Promise<Result>;
  verdictOf(result: Result): Verdict;
};

/**
 * Limits wrong secrets by the address they come from and by the name they are for. A right secret is accepted from every
 * address and for every name: many callers share the address of a proxy, and anybody can send wrong secrets for a name.
 */
export type GuessLimit = {
  judge<Result>(request: FastifyRequest, presented: Presented<Result>): Promise<Guess<Result>>;
};

const WINDOW_MS = 60_000;
/** How many addresses, and how many names, have a counter. Beyond this the oldest counter is dropped. */
const COUNTERS_REMEMBERED = 50_000;
/** How many right secrets are remembered; then all are forgotten. */
const RIGHT_REMEMBERED = 10_000;
/**
 * How many secrets are checked at the same time that were not right before. A check can cost a query, and guesses must
 * not take the database from the other callers.
 */
const PLACES = { all: 16, ofOneNetwork: 4, waiting: 1_024, patienceMs: 2_000 };
/** The most checks of one address that run and wait: of an address with few wrong secrets, and of another one. */
const CHECKS_OF_ADDRESS = 256;
const CHECKS_OF_GUESSER = 4;
/** How long a caller waits who found no place for a check. */
const NO_PLACE_SECONDS = 1;

/**
 * Makes a limit of `mostPerMinute` wrong secrets a minute. It uses the counters of @fastify/rate-limit, which must be
 * registered before, and works once the server is ready.
 */
export function createGuessLimit(server: FastifyInstance, mostPerMinute: number): GuessLimit {
  const key = randomBytes(32).toString('base64url');
  // Every request with a credential comes here: this costs a third of an HMAC, and only this process knows the key.
  const digestOf = (text: string) => hash('sha256', key + text, 'base64url');
  const right = new Set<string>();
  const places = createCheckPlaces(PLACES);
  const ofAddress = createWrongCounter(server, mostPerMinute);
  const ofName = createWrongCounter(server, mostPerMinute);

  function keysOf(request: FastifyRequest, name: string | undefined): Keys {
    const byAddress = [ofAddress, networkOf(request.ip)] as const;
    return name === undefined ? [byAddress] : [byAddress, [ofName, digestOf(name)]];
  }

  /** Checks a secret and counts it when it is wrong. */
  async function checked<Result>(
    { check, verdictOf }: Presented<Result>,
    request: FastifyRequest,
    secret: string,
    keys: () => Keys,
  ): Promise<Guess<Result>> {
    const result = await check();
    const verdict = verdictOf(result);
    if (verdict === 'RIGHT') {
      if (right.size >= RIGHT_REMEMBERED) right.clear();
      right.add(secret);
    }
    if (verdict !== 'WRONG') return { ok: true, result };
    right.delete(secret);
    const waits = await Promise.all(keys().map(([counter, of]) => counter.count(request, of)));
    const waitSeconds = Math.max(...waits);
    return waitSeconds > 0 ? { ok: false, reason: 'TOO_MANY_WRONG', waitSeconds } : { ok: true, result };
  }

  return {
    async judge(request, presented) {
      const secret = digestOf(presented.secret);
      const keys = () => keysOf(request, presented.name);
      // A secret that was right goes on at once, from wherever: a flood of wrong ones delays nobody who has signed in.
      if (right.has(secret)) return checked(presented, request, secret, keys);
      const full = await Promise.all(keys().map(([counter, of]) => counter.isFull(request, of)));
      const isGuesser = full.includes(true);
      const most = isGuesser ? CHECKS_OF_GUESSER : CHECKS_OF_ADDRESS;
      const guess = await places.run(networkOf(request.ip), most, () =>
        checked(presented, request, secret, keys),
      );
      const reason = isGuesser ? 'TOO_MANY_WRONG' : 'NO_PLACE';
      return guess ?? { ok: false, reason, waitSeconds: NO_PLACE_SECONDS };
    },
  };
}

/** Counts wrong secrets of a minute by a key: an address or a name. */
type WrongCounter = {
  isFull(request: FastifyRequest, key: string): Promise<boolean>;
  /** Counts a wrong secret. Returns how many seconds to wait when it is one too many, else 0. */
  count(request: FastifyRequest, key: string): Promise<number>;
};

/** What a wrong secret is counted by. */
type Keys = readonly (readonly [WrongCounter, string])[];

function createWrongCounter(server: FastifyInstance, mostPerMinute: number): WrongCounter {
  let counter: ReturnType<FastifyInstance['createRateLimit']> | undefined;
  const keys = new WeakMap<FastifyRequest, string>();

  server.after(() => {
    // The plugin also reads `cache` from these options, although their type does not declare it.
    const options = {
      max: mostPerMinute,
      timeWindow: WINDOW_MS,
      cache: COUNTERS_REMEMBERED,
      keyGenerator: (request: FastifyRequest) => keys.get(request) ?? '',
    };
    counter = server.createRateLimit(options);
  });

  return {
    async isFull(request, key) {
      keys.set(request, key);
      const count = await counter?.(request, { increment: false });
      return count !== undefined && !count.isAllowed && count.remaining === 0 && count.ttl > 0;
    },
    async count(request, key) {
      keys.set(request, key);
      const count = await counter?.(request);
      const isExceeded = count !== undefined && !count.isAllowed && count.isExceeded;
      return isExceeded ? Math.max(1, count.ttlInSeconds) : 0;
    },
  };
}
