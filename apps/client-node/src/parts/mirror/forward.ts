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
    const joined = beside === undefined || response.status !== 200 ? undefined : await join(response, beside);
    reply.code(response.status).header('content-security-policy', NO_PAGE);
    for (const name of TOLD) {
      const value = response.headers.get(name);
      if (value !== null) reply.header(name, value);
    }
    reply.send(joined ?? (response.body === null ? undefined : Readable.fromWeb(response.body as never)));
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(patience);
  }
}

async function join(response: Response, beside: object): Promise<string> {
  return JSON.stringify({ ...((await response.json()) as object), ...beside });
}

function askedHeaders({ headers, id }: FastifyRequest): Record<string, string> {
  const asked = ASKED.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(asked), 'accept-encoding': 'identity', 'x-request-id': id };
}
