import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The service behind the mirror, and what signs the node in there. */
export type MirroredService = { readonly url: string; readonly authorization: string };

/** What the service is told of a request. */
const ASKED = [
  'accept',
  'accept-language',
  'content-type',
  'if-match',
  'if-none-match',
  'last-event-id',
  'prefer',
] as const;

/** What callers are told of an answer. The node has its own limits, request ids and headers for browsers. */
const TOLD = [
  'cache-control',
  'content-disposition',
  'content-type',
  'etag',
  'idempotent-replayed',
  'location',
  'repr-digest',
  'retry-after',
  'x-accel-buffering',
] as const;

/** What a service sends is no page of the node, whatever it says. */
const NO_PAGE = "default-src 'none'; frame-ancestors 'none'; sandbox";

const NOT_MODIFIED = 304;

/** How long the service may take until it begins to answer. */
const PATIENCE_MS = 30_000;

/**
 * Sends a request on to the service, and its answer back as it comes. `beside`: what a node knows itself, which a JSON
 * answer gets as further members. False: the service gave no answer, and nothing was sent back.
 */
export async function forward(
  { url, authorization }: MirroredService,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  beside?: object,
): Promise<boolean> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const patience = setTimeout(() => gone.abort(), PATIENCE_MS);
  const body = Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : undefined;
  try {
    const response = await fetch(`${url}${path}`, {
      method: request.method,
      headers: { ...askedHeaders(request), authorization },
      ...(body !== undefined && { body: new Uint8Array(body) }),
      signal: gone.signal,
      redirect: 'manual',
    });
    // No operation redirects: a service that does would lead callers away.
    if (response.status >= 300 && response.status < 400 && response.status !== NOT_MODIFIED) return false;
    const answer = request.method === 'HEAD' ? NO_BODY : await beginningOf(response);
    if (answer === undefined) return false;
    const joined = beside === undefined || response.status !== 200 ? undefined : join(answer.body, beside);
    reply.code(response.status).header('content-security-policy', NO_PAGE);
    for (const name of TOLD) {
      const value = response.headers.get(name);
      if (value !== null) reply.header(name, value);
    }
    reply.send(joined ?? answer.body);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(patience);
  }
}

function join(body: Readable | Buffer | undefined, beside: object): string | undefined {
  if (!Buffer.isBuffer(body)) return undefined;
  return JSON.stringify({ ...(JSON.parse(body.toString()) as object), ...beside });
}

/** The longest answer that is read as a whole. Files are longer, and go on as they come. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * An answer of which so much has come that it can be sent on. Undefined: it is no answer that anybody can read. So a service
 * that fails in the middle is not taken for a fault of the node.
 */
async function beginningOf(
  response: Response,
): Promise<{ readonly body: Readable | Buffer | undefined } | undefined> {
  const { body, headers } = response;
  const type = headers.get('content-type') ?? '';
  const isJson = /^application\/(problem\+)?json\b/.test(type) && !headers.has('content-disposition');
  if (response.status === NOT_MODIFIED || response.status === NO_CONTENT) return { body: undefined };
  if (isJson) {
    const bytes = body === null ? Buffer.alloc(0) : await wholeOf(body);
    return bytes !== undefined && isJsonText(bytes) ? { body: bytes } : undefined;
  }
  if (body === null) return { body: undefined };
  // A stream of events has its beginning with its first event, which may come late.
  if (type.startsWith('text/event-stream')) return { body: Readable.fromWeb(body as never) };
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  return { body: Readable.from(continued(first, chunks), { objectMode: false }) };
}

const NO_CONTENT = 204;
const NO_BODY = { body: undefined };

async function wholeOf(body: ReadableStream<Uint8Array>): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MOST_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function isJsonText(bytes: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

async function* continued(
  first: IteratorResult<Uint8Array, unknown>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
}

function askedHeaders({ headers, id }: FastifyRequest): Record<string, string> {
  const asked = ASKED.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(asked), 'accept-encoding': 'identity', 'x-request-id': id };
}
