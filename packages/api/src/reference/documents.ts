import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { isProblemCode, openApiDocument, openApiText, type OperationId } from '@fairway/wire';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DescribedApi, readApi } from './describedApi.ts';
import { type Guide, GUIDE_POLICY } from '../guides/guidePage.ts';
import { REFERENCE_POLICY, referencePage } from './page.ts';
import { type Frame, PAGE_POLICY } from '../text/page.ts';
import { entityTag, hasCurrent } from '../answers/entityTag.ts';
import { pageHeaders } from '../answers/pageHeaders.ts';
import type { Door } from '../server/server.ts';
import type { Example } from './operationSection.ts';
import { problemIndexPage, problemPage } from './problemPages.ts';

/** How long reference and guides are kept, in milliseconds. Their examples name tokens of the market, which may change. */
const KEPT_MS = 10_000;

const OPEN = { config: { access: { kind: 'OPEN' } } } as const;
/** The scripts of reference and guides, by their paths. */
const SCRIPTS = ['reference/reference.js', 'reference/tryIt.js', 'guides/code.js'].map((file) => ({
  path: `/docs/${file.slice(file.indexOf('/') + 1)}`,
  script: documentOf(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')),
}));

/** What the documents show. `ids`: the operations that are served. */
export type DocumentsOptions = {
  publicUrl(): string;
  readonly ids: readonly OperationId[];
  /** The start page, as HTML. */
  startPage(): string;
  readonly guides: readonly Guide[];
  /** An example request of each operation, with values that can be sent now. */
  examples(): (id: OperationId) => Example;
};

/**
 * Registers the documents that need no credential: start page, guides, reference, OpenAPI document and problem pages.
 *
 * @example
 * ```ts
 * import { type Door, registerDocuments } from '@fairway/api';
 *
 * declare const door: Door;
 * declare const options: Parameters<typeof registerDocuments>[1];
 * registerDocuments(door, options);
 * ```
 */
export function registerDocuments({ server, sendProblem }: Door, options: DocumentsOptions): void {
  const { ids } = options;
  let openApi: (Document & { readonly publicUrl: string; readonly api: DescribedApi }) | undefined;

  function openApiOf(publicUrl: string) {
    if (openApi?.publicUrl !== publicUrl) {
      const text = openApiText(openApiDocument(publicUrl, ids));
      openApi = { publicUrl, api: readApi(text), ...documentOf(text) };
    }
    return openApi;
  }

  const reference = keptDocument(() => {
    const exampleOf = options.examples();
    const { api } = openApiOf(options.publicUrl());
    return referencePage(api, (id) => exampleOf(id as OperationId), options.guides);
  });

  server.get('/', OPEN, (_request, reply) => sendPage(reply, options.startPage()));
  for (const path of ['/docs', '/docs/'])
    server.get(path, OPEN, (request, reply) => {
      reply.headers(pageHeaders(REFERENCE_POLICY));
      return sendDocument(request, reply, 'text/html; charset=utf-8', reference());
    });
  for (const guide of options.guides) {
    const document = keptDocument(() => guide.page());
    server.get(`/docs/${guide.name}`, OPEN, (request, reply) => {
      reply.headers(pageHeaders(GUIDE_POLICY));
      return sendDocument(request, reply, 'text/html; charset=utf-8', document());
    });
  }
  for (const { path, script } of SCRIPTS)
    server.get(path, OPEN, (request, reply) =>
      sendDocument(request, reply, 'text/javascript; charset=utf-8', script),
    );
  server.get('/openapi.json', OPEN, (request, reply) =>
    sendDocument(request, reply, 'application/json; charset=utf-8', openApiOf(options.publicUrl())),
  );
  registerProblemPages({ server, sendProblem }, options);
}

/**
 * Registers the pages that explain problems: the types of problems are their addresses. `frame`: absent, that of the service.
 *
 * @example
 * ```ts
 * import { type Door, registerProblemPages } from '@fairway/api';
 *
 * declare const door: Door;
 * registerProblemPages(door, { publicUrl: () => 'https://fairway.example' });
 * ```
 */
export function registerProblemPages(
  { server, sendProblem }: Pick<Door, 'server' | 'sendProblem'>,
  options: Pick<DocumentsOptions, 'publicUrl'> & { readonly frame?: Frame },
): void {
  server.get('/problems', OPEN, (_request, reply) => sendPage(reply, problemIndexPage(options.frame)));
  server.get<{ Params: { code: string } }>('/problems/:code', OPEN, (request, reply) => {
    const { code } = request.params;
    if (isProblemCode(code)) return sendPage(reply, problemPage(code, options.publicUrl(), options.frame));
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

/** A document that is made again when it is asked for later. It is kept, because anybody may ask for it. */
function keptDocument(write: () => string): () => Document {
  let kept: (Document & { readonly atMs: number }) | undefined;
  return () => {
    const atMs = performance.now();
    if (kept === undefined || atMs - kept.atMs >= KEPT_MS) kept = { atMs, ...documentOf(write()) };
    return kept;
  };
}

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
