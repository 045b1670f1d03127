import rateLimitPlugin from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpDeps } from './deps.ts';
import { type ProblemFacts, tryLater } from '../problems/problem.ts';

/** The limits of callers: requests per credential, failed logins per address. */
export type RateLimits = {
  /** Seconds for which logins from this address are refused; 0 when they are not. */
  loginsBlockedForSeconds(request: FastifyRequest): Promise<number>;
  /** Notes a failed login; answers like `loginsBlockedForSeconds`. */
  countFailedLogin(request: FastifyRequest): Promise<number>;
  /** Notes a form that a recipient's page posted; seconds for which more from the address are refused, or 0. */
  countForm(request: FastifyRequest): Promise<number>;
  /** Notes a request of a credential and puts the rate-limit headers on the reply; the problem when it is one too many. */
  countRequest(reply: FastifyReply, credentialId: string): ProblemFacts | undefined;
};

type Limiter = ReturnType<FastifyInstance['createRateLimit']>;

/** Forms of an address: many people may share one, and nobody fills in that many. */
const FORMS_PER_MINUTE = 120;
/** Addresses and credentials whose counts are kept; the longest unseen are forgotten first. */
const KEYS_REMEMBERED = 50_000;

/** Makes the limits, that of logins from @fastify/rate-limit's counters; usable once the server is ready. */
export function createRateLimits(server: FastifyInstance, { limits }: HttpDeps): RateLimits {
  const countedNow = createRequestCounter();
  let logins: Limiter | undefined;
  let forms: Limiter | undefined;

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
    logins = server.createRateLimit(loginOptions);
    forms = server.createRateLimit({ ...loginOptions, max: FORMS_PER_MINUTE });
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
    async countForm(request) {
      const count = await forms?.(request);
      return count === undefined || count.isAllowed || !count.isExceeded
        ? 0
        : Math.max(1, count.ttlInSeconds);
    },
    countRequest(reply, credentialId) {
      const { requestsPerSecond } = limits;
      const used = countedNow(credentialId);
      reply.header('ratelimit-limit', requestsPerSecond);
      reply.header('ratelimit-remaining', Math.max(0, requestsPerSecond - used));
      reply.header('ratelimit-reset', WINDOW_SECONDS);
      if (used <= requestsPerSecond) return undefined;
      const detail = `This credential may send ${requestsPerSecond} requests a second; try again in ${WINDOW_SECONDS} s.`;
      return tryLater('rate-limited', detail, WINDOW_SECONDS);
    },
  };
}

/** In whole seconds, a window's length is also what is left of it. */
const WINDOW_SECONDS = 1;

/** Counts requests by credential in windows of a second, each from the first request after the one before. */
function createRequestCounter(): (credentialId: string) => number {
  const windows = new Map<string, { readonly startMs: number; used: number }>();
  return (credentialId) => {
    const nowMs = performance.now();
    const open = windows.get(credentialId);
    if (open !== undefined && nowMs - open.startMs < 1000 * WINDOW_SECONDS) return (open.used += 1);
    // Deleting first moves it to the end: the first is then the one that began longest ago.
    windows.delete(credentialId);
    windows.set(credentialId, { startMs: nowMs, used: 1 });
    const oldest = windows.size > KEYS_REMEMBERED ? windows.keys().next().value : undefined;
    if (oldest !== undefined) windows.delete(oldest);
    return 1;
  };
}

/** IPv6 hosts own a whole /64: its addresses count as one. IPv4 written as IPv6 counts as IPv4. */
function addressKey(ip: string | undefined): string {
  if (ip === undefined) return 'unknown';
  return rateLimitPlugin.normalizeIP(ip, 64);
}
