import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import {
  isProblemCode,
  OPERATION_IDS,
  openApiDocument,
  openApiText,
  type OperationId,
  operation,
} from '@fairway/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpDeps } from './deps.ts';
import { exampleOf, samplesOf } from './examples.ts';
import { type DescribedApi, readApi } from '../reference/describedApi.ts';
import { REFERENCE_POLICY, referencePage } from '../reference/referencePage.ts';
import { PAGE_POLICY } from '../text/page.ts';
import { landingPage } from './landingPage.ts';
import { entityTag, hasCurrent } from './entityTag.ts';
import { pageHeaders } from './pageHeaders.ts';
import type { SendProblem } from './problem.ts';
import { problemIndexPage, problemPage } from './problemPages.ts';

/** How long the reference is kept, in milliseconds. Its examples name tokens of the market, which may change. */
const REFERENCE_KEPT_MS = 10_000;

const OPEN = { config: { access: { kind: 'OPEN' } } } as const;
/** The scripts of the reference, by their paths. */
const SCRIPTS = ['reference.js', 'tryIt.js'].map((name) => ({
  path: `/docs/${name}`,
  script: documentOf(readFileSync(new URL(`../reference/${name}`, import.meta.url), 'utf8')),
}));

/** Registers the documents that need no credential: start page, reference, OpenAPI document and problem pages. */
export function registerDocuments(server: FastifyInstance, deps: HttpDeps, sendProblem: SendProblem): void {
  const ids = OPERATION_IDS.filter((id) => deps.sandbox !== undefined || operation(id).sandboxOnly !== true);
  let openApi: (Document & { readonly publicUrl: string; readonly api: DescribedApi }) | undefined;
  let reference: (Document & { readonly atMs: number }) | undefined;

  function openApiOf(publicUrl: string) {
    if (openApi?.publicUrl !== publicUrl) {
      const text = openApiText(openApiDocument(publicUrl, ids));
      openApi = { publicUrl, api: readApi(text), ...documentOf(text) };
    }
    return openApi;
  }

  // Kept, because anybody may ask for it and its examples are chosen among all tokens of a market.
  function referenceDocument(): Document {
    const atMs = performance.now();
    if (reference === undefined || atMs - reference.atMs >= REFERENCE_KEPT_MS) {
      const publicUrl = deps.publicUrl();
      const samples = samplesOf(deps);
      const text = referencePage(openApiOf(publicUrl).api, (id) =>
        exampleOf(id as OperationId, publicUrl, samples),
      );
      reference = { atMs, ...documentOf(text) };
    }
    return reference;
  }

  server.get('/', OPEN, (_request, reply) => sendPage(reply, landingPage(deps)));
  for (const path of ['/docs', '/docs/'])
    server.get(path, OPEN, (request, reply) => {
      reply.headers(pageHeaders(REFERENCE_POLICY));
      return sendDocument(request, reply, 'text/html; charset=utf-8', referenceDocument());
    });
  for (const { path, script } of SCRIPTS)
    server.get(path, OPEN, (request, reply) =>
      sendDocument(request, reply, 'text/javascript; charset=utf-8', script),
    );
  server.get('/openapi.json', OPEN, (request, reply) =>
    sendDocument(request, reply, 'application/json; charset=utf-8', openApiOf(deps.publicUrl())),
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
  return reply.headers(pageHeaders(PAGE_POLICY)).send(text);
}

/**
 * A document as it is and as gzip makes it, with an entity tag for each. They are made once: the largest have
 * hundreds of kilobytes, and anybody may ask for them.
 */
type Document = { readonly plain: Encoded; readonly gzip: Encoded };
type Encoded = { readonly bytes: Buffer; readonly tag: string };

function documentOf(text: string): Document {
  const bytes = Buffer.from(text);
  return {
    plain: { bytes, tag: entityTag(text) },
    gzip: { bytes: gzipSync(bytes), tag: entityTag(`gzip ${text}`) },
  };
}

function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  document: Document,
): FastifyReply {
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(
    request.headers['accept-encoding'] ?? '',
  );
  const { bytes, tag } = takesGzip ? document.gzip : document.plain;
  reply.header('etag', tag).header('cache-control', 'public, max-age=60').header('content-type', type);
  reply.header('vary', 'accept-encoding');
  if (hasCurrent(request, tag)) return reply.code(304).send();
  return (takesGzip ? reply.header('content-encoding', 'gzip') : reply).send(bytes);
}
