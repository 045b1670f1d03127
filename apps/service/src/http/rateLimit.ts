import rateLimitPlugin from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpDeps } from './deps.ts';
import { type ProblemFacts, tryLater } from '../problems/problem.ts';

/** The limits of requests per credential, and of failed logins and posted forms per address. */
export type RateLimits = {
  /** How many seconds logins from the request's address are still refused; 0 when they are not refused. */
  loginsBlockedForSeconds(request: FastifyRequest): Promise<number>;
  /** Counts a failed login. Returns how many seconds to wait when it is one too many, else 0. */
  countFailedLogin(request: FastifyRequest): Promise<number>;
  /** Counts a form that a collect page posted. Returns how many seconds to wait when it is one too many, else 0. */
  countForm(request: FastifyRequest): Promise<number>;
  /** Counts a request of a credential and sets the rate-limit headers. Returns a problem when it is one too many. */
  countRequest(reply: FastifyReply, credentialId: string): ProblemFacts | undefined;
};

type Limiter = ReturnType<FastifyInstance['createRateLimit']>;

/** The most forms per minute from one address. Even many people who share an address do not send as many. */
const FORMS_PER_MINUTE = 120;
/** How many addresses, and how many credentials, have a counter. Beyond this the oldest counter is dropped. */
const KEYS_REMEMBERED = 50_000;

/** Makes the limits. Logins and forms use the counters of @fastify/rate-limit, which work once the server is ready. */
export function createRateLimits(server: FastifyInstance, { limits }: HttpDeps): RateLimits {
  const countedNow = createRequestCounter();
  let logins: Limiter | undefined;
  let forms: Limiter | undefined;

  server.register(rateLimitPlugin, { global: false });
  server.after(() => {
    // The plugin also reads `cache` from these options, although their type does not declare it.
    const loginOptions = {
      max: limits.failedLoginsPerMinute,
      timeWindow: 60_000,
      cache: KEYS_REMEMBERED,
      // The plugin's default key throws when the socket is closed already.
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

/**
 * The length of a window in which requests are counted. It is also how long to wait: the rest of a window, rounded up
 * to whole seconds, is always one second.
 */
const WINDOW_SECONDS = 1;

/**
 * Counts the requests of each credential in windows of a second. A window starts with the first request after the end
 * of the window before.
 */
function createRequestCounter(): (credentialId: string) => number {
  const windows = new Map<string, { readonly startMs: number; used: number }>();
  return (credentialId) => {
    const nowMs = performance.now();
    const open = windows.get(credentialId);
    if (open !== undefined && nowMs - open.startMs < 1000 * WINDOW_SECONDS) return (open.used += 1);
    // Deleted first, so that the entry moves to the end of the map and the first entry has the oldest window.
    windows.delete(credentialId);
    windows.set(credentialId, { startMs: nowMs, used: 1 });
    const oldest = windows.size > KEYS_REMEMBERED ? windows.keys().next().value : undefined;
    if (oldest !== undefined) windows.delete(oldest);
    return 1;
  };
}

/**
 * The key of an address. All addresses of an IPv6 /64 network have one key, because one host can own the network. An
 * IPv4-mapped IPv6 address has the key of its IPv4 address.
 */
function addressKey(ip: string | undefined): string {
  if (ip === undefined) return 'unknown';
  return rateLimitPlugin.normalizeIP(ip, 64);
}
