import { unlessAway } from '@fairway/postgres';
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditPort } from '../../platform/audit/facts.ts';
import type { CollectParts } from './parts.ts';
import { FORMS, pageOver, SHOWN } from './flow.ts';
import { type FormHandler, type Page, unavailablePage, type Visit } from './linkFacts.ts';
import { type Form, keepPage, MOST_KEPT, openPage, pageStateOf } from './pageState.ts';
import { COLLECT_POLICY, colourStyle, readLink, shellPage } from './pages/index.ts';
import { tokenHash } from '../payments/index.ts';
import type { Catalogue } from '../../words/locales/catalogue.ts';
import { catalogueOf } from '../../words/locales/index.ts';
import {
  type AdmissionGate,
  type Door,
  entityTag,
  hasCurrent,
  pageHeaders,
  type ProblemFacts,
  type RateLimits,
  refusalOf,
  type Verdict,
} from '@fairway/api';

const OPEN_ACCESS = { config: { access: { kind: 'OPEN' } } } as const;
const script = readFileSync(new URL('./collect.js', import.meta.url), 'utf8');
/**
 * A recipient's form has a quarter of these fields. It has half of these bytes in a writing system whose letters take
 * nine bytes each.
 */
const MOST = { bytes: 16_384, fields: 60 } as const;
/** The browser keeps the page and the typed values. Both are sealed and written in base64. */
const RESTORE_BYTES = 2 * MOST_KEPT.characters + MOST.bytes;
/** The form that shows a page again when the browser has come back to it. */
const RESTORE = 'restore';

/** Answers a visit with what a handler makes of it, within the limits of forms. */
type Answer = (
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  handler: FormHandler,
) => Promise<FastifyReply>;

/** Registers the recipient's pages. GET and HEAD change nothing, because mail scanners open links. */
export function registerCollectPages(
  { server, limits, sendProblem, gate }: Door,
  parts: CollectParts,
  audit: AuditPort,
): void {
  // The paths of the forms answer GET, too, because a reload or the back button can lead there.
  for (const path of ['/collect', ...[...Object.keys(FORMS), RESTORE].map((name) => `/collect/${name}`)]) {
    server.get(path, OPEN_ACCESS, (request, reply) =>
      sendPage(reply, { status: 200, html: shellPage({ catalogue: catalogueFor(request) }) }),
    );
  }
  registerFiles(server);
  const answer = answering(parts, limits, audit, gate);
  for (const [name, { handler, shows }] of Object.entries(FORMS)) {
    server.post(`/collect/${name}`, { ...OPEN_ACCESS, bodyLimit: MOST.bytes }, (request, reply) => {
      const read = formOf(request);
      if ('problem' in read) return sendProblem(request, reply, read.problem);
      const { form } = read;
      const retryState = () => keepPage(parts, shows, form);
      return answer(request, reply, { form, catalogue: catalogueFor(request), retryState }, handler);
    });
  }
  server.post(`/collect/${RESTORE}`, { ...OPEN_ACCESS, bodyLimit: RESTORE_BYTES }, (request, reply) => {
    const read = formOf(request);
    if ('problem' in read) return sendProblem(request, reply, read.problem);
    const catalogue = catalogueFor(request);
    const kept = openPage(parts, read.form);
    if (kept === undefined) return sendPage(reply, pageOver(catalogue));
    const retryState = () => pageStateOf(parts, read.form.get('state') ?? '');
    return answer(request, reply, { form: kept.form, catalogue, retryState }, SHOWN[kept.step]);
  });
}

function answering(
  parts: CollectParts,
  limits: RateLimits,
  audit: AuditPort,
  gate: Pick<AdmissionGate, 'run'>,
): Answer {
  /** Works on a form in a turn of the organisation whose link it is, like the organisation's own requests. */
  async function inTurn(hash: Buffer, visit: Visit, work: () => Promise<Page>): Promise<Page> {
    const found = await parts.store.collect.findLink(parts.environment, hash);
    if (found.link === undefined) return work();
    const { organisationId } = found.link.scope;
    let page: Page | undefined;
    await gate.run({ organisationId, operation: 'collectForm' }, 'DATABASE', async () => {
      page = await work();
      return page.status === 200 ? 'page' : undefined;
    });
    return page ?? unavailablePage(visit.catalogue, visit.retryState());
  }

  /** Refuses a form of a link or an address that had too many. */
  function sendTooMany(
    request: FastifyRequest,
    reply: FastifyReply,
    waitSeconds: number,
    { catalogue }: Visit,
  ): FastifyReply {
    audit.record(refusalOf(request, 429));
    // The page has no state: a flood could cause much work if one was sealed for each refusal. The page says to open the
    // link again.
    const page = unavailablePage(catalogue);
    return sendPage(reply, { ...page, status: 429, retryAfterSeconds: waitSeconds });
  }

  return async (request, reply, visit, handler) => {
    const given = visit.form.get('token') ?? '';
    // One form accepts the token within other text. The token alone is hashed, so that it counts as the same link.
    const hash = tokenHash(readLink(given) ?? given);
    const name = hash.toString('base64url');
    const waitSeconds = limits.countForm(name);
    if (waitSeconds > 0) return sendTooMany(request, reply, waitSeconds, visit);
    const guess = await limits.tokens.judge(request, {
      name,
      secret: name,
      check: () =>
        orUnavailable(
          inTurn(hash, visit, () => handler(parts, visit)),
          visit,
        ),
      verdictOf,
    });
    if (guess.ok) return sendPage(reply, guess.result);
    if (guess.reason === 'TOO_MANY_WRONG') return sendTooMany(request, reply, guess.waitSeconds, visit);
    // Others are in the way, so that nothing is lost that was typed.
    const page = unavailablePage(visit.catalogue, visit.retryState());
    return sendPage(reply, { ...page, retryAfterSeconds: guess.waitSeconds });
  };
}

async function orUnavailable(work: Promise<Page>, { catalogue, retryState }: Visit): Promise<Page> {
  const page = await unlessAway(work);
  return page === 'AWAY' ? unavailablePage(catalogue, retryState()) : page;
}

/** Registers the script, and the styles with an organisation's colour: the same for everybody who asks with that colour. */
function registerFiles(server: FastifyInstance): void {
  const sendFile = (request: FastifyRequest, reply: FastifyReply, type: string, content: string) => {
    const tag = entityTag(content);
    reply.header('etag', tag).header('cache-control', 'public, max-age=60');
    reply.header('content-type', `${type}; charset=utf-8`);
    return hasCurrent(request, tag) ? reply.code(304).send() : reply.send(content);
  };
  server.get('/collect/collect.js', OPEN_ACCESS, (request, reply) =>
    sendFile(request, reply, 'text/javascript', script),
  );
  server.get<{ Params: { colour: string } }>(
    '/collect/colour/:colour(^[0-9a-f]{6}).css',
    OPEN_ACCESS,
    (request, reply) => sendFile(request, reply, 'text/css', colourStyle(`#${request.params.colour}`)),
  );
}

/**
 * The verdict on a token, read from the page that it was answered with. Only a token that was never issued is answered
 * 404.
 */
function verdictOf({ status }: Page): Verdict {
  if (status === 404) return 'WRONG';
  return status === 503 ? 'NEITHER' : 'RIGHT';
}

function sendPage(reply: FastifyReply, { status, html, retryAfterSeconds }: Page): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  return reply.code(status).headers(pageHeaders(COLLECT_POLICY)).send(html);
}

/** The posted form, or why it is not read. Its fields are counted before they are read. */
function formOf({ headers, body }: FastifyRequest): { readonly form: Form } | { problem: ProblemFacts } {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    const detail = 'Content-Type must be application/x-www-form-urlencoded, as the page sends it.';
    return { problem: { code: 'unsupported-media-type', detail } };
  }
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : '';
  if (text.split('&', MOST.fields + 1).length <= MOST.fields) return { form: new URLSearchParams(text) };
  return {
    problem: { code: 'malformed-request', detail: `A form has at most ${MOST.fields} fields.` },
  };
}

/** The catalogue of the first language that the browser asks for and the service has; else English. */
function catalogueFor({ headers }: FastifyRequest): Catalogue {
  const tags = (headers['accept-language'] ?? '').slice(0, 200).split(',');
  return catalogueOf(...tags.map((tag) => tag.split(';')[0]?.trim() ?? ''));
}
