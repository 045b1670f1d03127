import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditPort } from '../audit/facts.ts';
import type { CollectParts } from '../collect/collectParts.ts';
import { confirm, details, type FormHandler, open, review, submit } from '../collect/flow.ts';
import { gone, type Page } from '../collect/linkFacts.ts';
import { COLLECT_POLICY, shellPage } from '../collect/pages/index.ts';
import { tokenHash } from '../collect/token.ts';
import type { Catalogue } from '../locales/catalogue.ts';
import { catalogueOf } from '../locales/index.ts';
import { refusalOf } from './auditing.ts';
import { entityTag, hasCurrent } from './entityTag.ts';
import type { Verdict } from './guessLimit.ts';
import type { SendProblem } from './problem.ts';
import type { RateLimits } from './rateLimit.ts';

const OPEN_ACCESS = { config: { access: { kind: 'OPEN' } } } as const;
const script = readFileSync(new URL('../collect/collect.js', import.meta.url), 'utf8');
const FORMS: Readonly<Record<string, FormHandler>> = { open, details, review, submit, confirm };

/** Registers the recipient's pages. GET and HEAD change nothing, because mail scanners open links. */
export function registerCollectPages(
  server: FastifyInstance,
  parts: CollectParts,
  limits: RateLimits,
  sendProblem: SendProblem,
  audit: AuditPort,
): void {
  function sendTooMany(
    request: FastifyRequest,
    reply: FastifyReply,
    waitSeconds: number,
    catalogue: Catalogue,
  ): FastifyReply {
    audit.record(refusalOf(request, 429));
    const { page } = gone('UNAVAILABLE', catalogue);
    return sendPage(reply, { ...page, status: 429, retryAfterSeconds: waitSeconds });
  }

  // The paths of the forms answer GET, too, because a reload or the back button can lead there.
  for (const path of ['/collect', ...Object.keys(FORMS).map((name) => `/collect/${name}`)]) {
    server.get(path, OPEN_ACCESS, (request, reply) =>
      sendPage(reply, { status: 200, html: shellPage({ catalogue: catalogueFor(request) }) }),
    );
  }
  server.get('/collect/collect.js', OPEN_ACCESS, (request, reply) => {
    const tag = entityTag(script);
    reply.header('etag', tag).header('cache-control', 'public, max-age=60');
    reply.header('content-type', 'text/javascript; charset=utf-8');
    return hasCurrent(request, tag) ? reply.code(304).send() : reply.send(script);
  });
  for (const [name, handler] of Object.entries(FORMS)) {
    server.post(`/collect/${name}`, OPEN_ACCESS, async (request, reply) => {
      const form = formOf(request);
      if (form === undefined) {
        const detail = 'Content-Type must be application/x-www-form-urlencoded, as the page sends it.';
        return sendProblem(request, reply, { code: 'unsupported-media-type', detail });
      }
      const catalogue = catalogueFor(request);
      const hash = tokenHash(form.get('token') ?? '').toString('base64url');
      const waitSeconds = limits.countForm(hash);
      if (waitSeconds > 0) return sendTooMany(request, reply, waitSeconds, catalogue);
      const guess = await limits.tokens.judge(request, {
        name: hash,
        secret: hash,
        check: () => handler(parts, form, catalogue),
        verdictOf,
      });
      return guess.ok
        ? sendPage(reply, guess.result)
        : sendTooMany(request, reply, guess.waitSeconds, catalogue);
    });
  }
}

/**
 * What a page says of the token it was asked with. 404 is the answer to a token that was never issued, and to it alone.
 */
function verdictOf({ status }: Page): Verdict {
  if (status === 404) return 'WRONG';
  return status === 503 ? 'NEITHER' : 'RIGHT';
}

function sendPage(reply: FastifyReply, { status, html, retryAfterSeconds }: Page): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', COLLECT_POLICY)
    .send(html);
}

function formOf({ headers, body }: FastifyRequest): URLSearchParams | undefined {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') return undefined;
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '');
}

/** The catalogue of the first language that the browser asks for and the service has; else English. */
function catalogueFor({ headers }: FastifyRequest): Catalogue {
  const tags = (headers['accept-language'] ?? '').slice(0, 200).split(',');
  const catalogues = tags.map((tag) => catalogueOf(tag.split(';')[0]?.trim() ?? ''));
  const english = catalogueOf('en');
  const first = tags[0]?.trim().toLowerCase() ?? '';
  if (first.startsWith('en')) return english;
  return catalogues.find(({ locale }) => locale !== english.locale) ?? english;
}
