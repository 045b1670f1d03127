import type { FastifyReply } from 'fastify';
import type { ProblemAnswer } from '../answers/answer.ts';
import { FORMS_PER_MINUTE, UNKNOWN_TOKENS_PER_MINUTE } from './limits.ts';
import { createGuessLimit, type GuessLimit } from './guessLimit.ts';
import { type ProblemFacts, tryLater } from '../answers/problemFacts.ts';
import { createWindowCounter } from './windowCounter.ts';

/** The limits of requests per organisation, of forms per link, and of wrong secrets per address. */
export type RateLimits = {
  /** Wrong passwords. */
  readonly logins: GuessLimit;
  /** Tokens of links that do not exist, in posted forms. */
  readonly tokens: GuessLimit;
  /**
   * Counts a form posted with the token of this hash. Returns how many seconds to wait when it is one too many, else 0.
   */
  countForm(tokenHash: string): number;
  /** Counts a request of an organisation and sets the rate-limit headers. Returns a problem when it is one too many. */
  countRequest(reply: FastifyReply, organisationId: string): ProblemFacts | undefined;
  /** Whether any organisation had a request too many in the last second. */
  isAnyExceeded(): boolean;
  /** The problem of an organisation whose requests of this second were too many already. Counts nothing. Always the same object. */
  rateExceeded(organisationId: string): ProblemAnswer | undefined;
};

/**
 * Makes the limits.
 *
 * @example
 * ```ts
 * import { createRateLimits } from '@fairway/api';
 *
 * const limits = createRateLimits({ requestsPerSecond: 100, failedLoginsPerMinute: 10 });
 * ```
 */
export function createRateLimits({
  requestsPerSecond,
  failedLoginsPerMinute,
}: {
  readonly requestsPerSecond: number;
  readonly failedLoginsPerMinute: number;
}): RateLimits {
  const requests = createWindowCounter(WINDOW_SECONDS);
  const forms = createWindowCounter(60);
  let exceededAtMs = Number.NEGATIVE_INFINITY;
  const exceeded: ProblemAnswer = {
    ...tooManyRequests(requestsPerSecond),
    headers: rateHeaders(requestsPerSecond, requestsPerSecond),
  };

  return {
    logins: createGuessLimit(failedLoginsPerMinute),
    tokens: createGuessLimit(UNKNOWN_TOKENS_PER_MINUTE),
    countForm(tokenHash) {
      const { used, restSeconds } = forms.count(tokenHash);
      return used > FORMS_PER_MINUTE ? restSeconds : 0;
    },
    countRequest(reply, organisationId) {
      const { used } = requests.count(organisationId);
      reply.headers(rateHeaders(requestsPerSecond, used));
      if (used <= requestsPerSecond) return undefined;
      exceededAtMs = performance.now();
      return tooManyRequests(requestsPerSecond);
    },
    isAnyExceeded: () => performance.now() - exceededAtMs < 1_000 * WINDOW_SECONDS,
    rateExceeded(organisationId) {
      return requests.used(organisationId) > requestsPerSecond ? exceeded : undefined;
    },
  };
}

function rateHeaders(perSecond: number, used: number): Readonly<Record<string, string>> {
  return {
    'ratelimit-limit': String(perSecond),
    'ratelimit-remaining': String(Math.max(0, perSecond - used)),
    'ratelimit-reset': String(WINDOW_SECONDS),
  };
}

function tooManyRequests(perSecond: number): ProblemFacts {
  const detail = `This organisation may send ${perSecond} requests a second; try again in ${WINDOW_SECONDS} s.`;
  return tryLater('rate-limited', detail, WINDOW_SECONDS);
}

/**
 * The length of a window in which requests are counted. It is also how long to wait: the rest of a window, rounded up
 * to whole seconds, is always one second.
 */
const WINDOW_SECONDS = 1;
