import rateLimitPlugin from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpDeps } from './deps.ts';
import { type ProblemAnswer, tryLater } from './problem.ts';

/** The limits of callers: requests per credential, failed logins per address. */
export type RateLimits = {
  /** Seconds for which logins from this address are refused; 0 when they are not. */
  loginsBlockedForSeconds(request: FastifyRequest): Promise<number>;
  /** Notes a failed login; answers like `loginsBlockedForSeconds`. */
  countFailedLogin(request: FastifyRequest): Promise<number>;
  /** Notes a request of a credential and puts the rate-limit headers on the reply; the problem when it is one too many. */
  countRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    credentialId: string,
  ): Promise<ProblemAnswer | undefined>;
};

type Limiter = ReturnType<FastifyInstance['createRateLimit']>;

/** Addresses and credentials whose counts are kept; the longest unseen are forgotten first. */
const KEYS_REMEMBERED = 50_000;

/** Registers @fastify/rate-limit and makes the limits from its counters; usable once the server is ready. */
export function createRateLimits(server: FastifyInstance, { limits }: HttpDeps): RateLimits {
  const credentialOf = new WeakMap<FastifyRequest, string>();
  let logins: Limiter | undefined;
  let requests: Limiter | undefined;

  server.register(rateLimitPlugin, { global: false });
  server.after(() => {
    // The plugin reads `cache` here too, though its type does not say so.
    const loginOptions = {
      max: limits.failedLoginsPerMinute,
      timeWindow: 60_000,
      cache: KEYS_REMEMBERED,
      // The plugin's own key fails on a socket that is already gone.
      keyGenerator: ({ ip }: FastifyRequest) => addressKey(ip),
    };
    const requestOptions = {
      max: limits.requestsPerSecond,
      timeWindow: 1_000,
      cache: KEYS_REMEMBERED,
      keyGenerator: (request: FastifyRequest) => credentialOf.get(request) ?? '',
    };
    logins = server.createRateLimit(loginOptions);
    requests = server.createRateLimit(requestOptions);
  });

  return {
    async loginsBlockedForSeconds(request) {
      const count = await logins?.(request, { increment: false });
      if (count === undefined || count.isAllowed) return 0;
      return count.remaining === 0 && count.ttl > 0 ? count.ttlInSeconds : 0;
    },
    async countFailedLogin(request) {
      const count = await logins?.(request);
      return count === undefined || count.isAllowed || !count.isExceeded
        ? 0
        : Math.max(1, count.ttlInSeconds);
    },
    async countRequest(request, reply, credentialId) {
      credentialOf.set(request, credentialId);
      const count = await requests?.(request);
      if (count === undefined || count.isAllowed) return undefined;
      reply.header('ratelimit-limit', count.max);
      reply.header('ratelimit-remaining', count.remaining);
      reply.header('ratelimit-reset', count.ttlInSeconds);
      if (!count.isExceeded) return undefined;
      const detail = `This credential may send ${count.max} requests a second; try again in ${count.ttlInSeconds} s.`;
      return tryLater('rate-limited', detail, count.ttlInSeconds);
    },
  };
}

/** IPv6 hosts own a whole /64: its addresses count as one. IPv4 written as IPv6 counts as IPv4. */
function addressKey(ip: string | undefined): string {
  if (ip === undefined) return 'unknown';
  return rateLimitPlugin.normalizeIP(ip, 64);
}
