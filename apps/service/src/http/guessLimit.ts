import type { FastifyInstance, FastifyRequest } from 'fastify';
import { networkOf } from '../text/networkOf.ts';

/** What a check says of a secret. NEITHER: it could not be checked. */
export type Verdict = 'RIGHT' | 'WRONG' | 'NEITHER';

/** The result of a check, or how long a caller with a wrong secret must wait. */
export type Guess<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly waitSeconds: number };

/** A secret that a caller presents: its name, its check, and what the result of the check says of it. */
export type Presented<Result> = {
  /** A user name, or the hash of a token. It is remembered together with the caller's address. */
  readonly name: string;
  check(): Promise<Result>;
  verdictOf(result: Result): Verdict;
};

/**
 * Limits wrong secrets by the address they come from. Only wrong secrets count, and a right one is accepted from every
 * address: many callers share the address of a proxy, and one of them must not lock out the others.
 */
export type GuessLimit = {
  judge<Result>(request: FastifyRequest, presented: Presented<Result>): Promise<Guess<Result>>;
};

type Limiter = ReturnType<FastifyInstance['createRateLimit']>;

const WINDOW_MS = 60_000;
/** How many addresses have a counter. Beyond this the oldest counter is dropped. */
const ADDRESSES_REMEMBERED = 50_000;
/** How many pairs of address and name with a right secret are remembered; then all are forgotten. */
const RIGHT_REMEMBERED = 10_000;
/**
 * How many secrets from addresses with too many wrong ones are checked at the same time. A check can cost a query, and
 * guesses must not take the database from the other callers.
 */
const CHECKS_OF_GUESSERS = 4;
/** How long a caller waits who found no place for a check. */
const NO_PLACE_SECONDS = 1;

/**
 * Makes a limit of `mostPerMinute` wrong secrets a minute. It uses the counters of @fastify/rate-limit, which must be
 * registered before, and works once the server is ready.
 */
export function createGuessLimit(server: FastifyInstance, mostPerMinute: number): GuessLimit {
  const right = new Set<string>();
  let counter: Limiter | undefined;
  let checks = 0;

  server.after(() => {
    // The plugin also reads `cache` from these options, although their type does not declare it.
    const options = {
      max: mostPerMinute,
      timeWindow: WINDOW_MS,
      cache: ADDRESSES_REMEMBERED,
      // The plugin's default key throws when the socket is closed already.
      keyGenerator: ({ ip }: FastifyRequest) => networkOf(ip),
    };
    counter = server.createRateLimit(options);
  });

  async function isGuesser(request: FastifyRequest): Promise<boolean> {
    const count = await counter?.(request, { increment: false });
    return count !== undefined && !count.isAllowed && count.remaining === 0 && count.ttl > 0;
  }

  /** Counts a wrong secret. Returns how many seconds to wait when it is one too many, else 0. */
  async function countWrong(request: FastifyRequest): Promise<number> {
    const count = await counter?.(request);
    return count === undefined || count.isAllowed || !count.isExceeded ? 0 : Math.max(1, count.ttlInSeconds);
  }

  async function checked<Result>(
    request: FastifyRequest,
    { name, check, verdictOf }: Presented<Result>,
  ): Promise<Guess<Result>> {
    const result = await check();
    const verdict = verdictOf(result);
    if (verdict === 'RIGHT') {
      if (right.size >= RIGHT_REMEMBERED) right.clear();
      right.add(`${request.ip} ${name}`);
    }
    const waitSeconds = verdict === 'WRONG' ? await countWrong(request) : 0;
    return waitSeconds > 0 ? { ok: false, waitSeconds } : { ok: true, result };
  }

  return {
    async judge(request, presented) {
      if (right.has(`${request.ip} ${presented.name}`) || !(await isGuesser(request)))
        return checked(request, presented);
      if (checks >= CHECKS_OF_GUESSERS) return { ok: false, waitSeconds: NO_PLACE_SECONDS };
      checks += 1;
      try {
        return await checked(request, presented);
      } finally {
        checks -= 1;
      }
    },
  };
}
