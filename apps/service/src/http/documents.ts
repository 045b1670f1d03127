import { readFileSync } from 'node:fs';
import { isProblemCode, OPERATION_IDS, openApiDocument, openApiText, operation } from '@fairway/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpDeps } from './deps.ts';
import { samplesOf } from './examples.ts';
import { PAGE_POLICY } from '../text/html.ts';
import { landingPage } from './landingPage.ts';
import { entityTag, hasCurrent } from './entityTag.ts';
import type { SendProblem } from './problem.ts';
import { problemIndexPage, problemPage } from './problemPages.ts';
import { referencePage } from './reference.ts';

/** How long the reference is kept, in milliseconds. Its examples name tokens of the market, which may change. */
const REFERENCE_KEPT_MS = 10_000;

const OPEN = { config: { access: { kind: 'OPEN' } } } as const;
const tryIt = documentOf(readFileSync(new URL('./tryIt.js', import.meta.url), 'utf8'));

/** Registers the documents that need no credential: start page, reference, OpenAPI document and problem pages. */
export function registerDocuments(server: FastifyInstance, deps: HttpDeps, sendProblem: SendProblem): void {
  const ids = OPERATION_IDS.filter((id) => deps.sandbox !== undefined || operation(id).sandboxOnly !== true);
  let openApi: (Document & { readonly publicUrl: string }) | undefined;
  let reference: { readonly text: string; readonly atMs: number } | undefined;

  function openApiOf(publicUrl: string): Document {
    if (openApi?.publicUrl !== publicUrl)
      openApi = { publicUrl, ...documentOf(openApiText(openApiDocument(publicUrl, ids))) };
    return openApi;
  }

  // Kept, because anybody may ask for it and its examples are chosen among all tokens of a market.
  function referenceText(): string {
    const atMs = performance.now();
    if (reference === undefined || atMs - reference.atMs >= REFERENCE_KEPT_MS)
      reference = { text: referencePage(deps.publicUrl(), ids, samplesOf(deps)), atMs };
    return reference.text;
  }

  server.get('/', OPEN, (_request, reply) => sendPage(reply, landingPage(deps)));
  for (const path of ['/docs', '/docs/'])
    server.get(path, OPEN, (_request, reply) => sendPage(reply, referenceText()));
  server.get('/docs/tryIt.js', OPEN, (request, reply) =>
    sendCached(request, reply, 'text/javascript; charset=utf-8', tryIt),
  );
  server.get('/openapi.json', OPEN, (request, reply) =>
    sendCached(request, reply, 'application/json; charset=utf-8', openApiOf(deps.publicUrl())),
  );
  server.get('/problems', OPEN, (_request, reply) => sendPage(reply, problemIndexPage()));
  server.get<{ Params: { code: string } }>('/problems/:code', OPEN, (request, reply) => {
    const { code } = request.params;
    if (isProblemCode(code)) return sendPage(reply, problemPage(code, deps.publicUrl()));
    return sendProblem(request, reply, {
      code: 'not-found',
      detail: 'There is no such problem; /problems lists them all.',
    });
  });
}

function sendPage(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', PAGE_POLICY)
    .send(text);
}

/** The bytes of a document and its entity tag. Both are made once: the largest one has 760 kB, and anybody may ask for it. */
type Document = { readonly bytes: Buffer; readonly tag: string };

function documentOf(text: string): Document {
  return { bytes: Buffer.from(text), tag: entityTag(text) };
}

function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  { bytes, tag }: Document,
): FastifyReply {
  reply.header('etag', tag).header('cache-control', 'public, max-age=60').header('content-type', type);
  return hasCurrent(request, tag) ? reply.code(304).send() : reply.send(bytes);
}
