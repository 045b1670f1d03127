import type { FastifyRequest } from 'fastify';
import { networkOf } from '../text/networkOf.ts';
import { createDigest } from './digest.ts';
import { createAdmissionGate } from './gate.ts';
import { CHECK_LIMITS, CHECKS_OF_ADDRESS, CHECKS_OF_GUESSER } from './limits.ts';
import { createWindowCounter, type WindowCounter } from './windowCounter.ts';

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
 * address and for every name. Many callers share the address of a proxy, and anybody can send wrong secrets for a name.
 */
export type GuessLimit = {
  judge<Result>(request: FastifyRequest, presented: Presented<Result>): Promise<Guess<Result>>;
};

const WINDOW_SECONDS = 60;
/** How many right secrets are remembered; then all are forgotten. */
const RIGHT_REMEMBERED = 10_000;
/** How long a caller waits who found no place for a check. */
const NO_PLACE_SECONDS = 1;

/** Makes a limit of `mostPerMinute` wrong secrets a minute. */
export function createGuessLimit(mostPerMinute: number): GuessLimit {
  const digestOf = createDigest();
  const right = new Set<string>();
  const gate = createAdmissionGate(CHECK_LIMITS);
  const ofAddress = createWindowCounter(WINDOW_SECONDS);
  const ofName = createWindowCounter(WINDOW_SECONDS);

  function keysOf(request: FastifyRequest, name: string | undefined): Keys {
    const byAddress = [ofAddress, networkOf(request.ip)] as const;
    return name === undefined ? [byAddress] : [byAddress, [ofName, digestOf(name)]];
  }

  /** Checks a secret and counts it when it is wrong. */
  async function checked<Result>(
    { check, verdictOf }: Presented<Result>,
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
    const waits = keys().map(([counter, of]) => {
      const { used, restSeconds } = counter.count(of);
      return used > mostPerMinute ? restSeconds : 0;
    });
    const waitSeconds = Math.max(...waits);
    return waitSeconds > 0 ? { ok: false, reason: 'TOO_MANY_WRONG', waitSeconds } : { ok: true, result };
  }

  return {
    async judge<Result>(request: FastifyRequest, presented: Presented<Result>): Promise<Guess<Result>> {
      const secret = digestOf(presented.secret);
      const keys = () => keysOf(request, presented.name);
      // A secret that was right goes on at once, from any address: a flood of wrong ones delays nobody who has signed
      // in.
      if (right.has(secret)) return checked(presented, secret, keys);
      const isGuesser = keys().some(([counter, of]) => counter.used(of) >= mostPerMinute);
      const asker = { organisationId: networkOf(request.ip), operation: 'checkSecret' } as const;
      let guess: Guess<Result> | undefined;
      await gate.run(
        asker,
        'DATABASE',
        async () => {
          guess = await checked(presented, secret, keys);
          return 'checked';
        },
        isGuesser ? CHECKS_OF_GUESSER : CHECKS_OF_ADDRESS,
      );
      const reason = isGuesser ? 'TOO_MANY_WRONG' : 'NO_PLACE';
      return guess ?? { ok: false, reason, waitSeconds: NO_PLACE_SECONDS };
    },
  };
}

/** The counters of a wrong secret, for addresses or for names, each with its key. */
type Keys = readonly (readonly [WindowCounter, string])[];
