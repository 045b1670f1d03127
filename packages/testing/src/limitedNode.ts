import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a node says that it was asked too often. */
export type LimitAnswer = {
  readonly status: number;
  /** Seconds in the header Retry-After. */
  readonly retryAfter?: number;
  /** A JSON-RPC error in the body; absent: a page without one. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

/** A node that passes on to another one, but bears only so many requests a second. HTTP only. */
export type LimitedNode = {
  readonly url: string;
  /** What it was asked so far, and how often it refused. */
  readonly counts: { requests: number; refused: number };
  /** Changes what it bears. */
  bears(perSecond: number): void;
  close(): Promise<void>;
};

/**
 * Starts a node that bears `perSecond` requests a second, by a bucket that holds as many, and answers the others with
 * `answer`. `onRequest` is called for each that it passes on.
 */
export async function startLimitedNode(
  honestUrl: string,
  perSecond: number,
  answer: LimitAnswer,
  onRequest: (counts: LimitedNode['counts']) => void = () => {},
): Promise<LimitedNode> {
  const counts = { requests: 0, refused: 0 };
  const bucket = { perSecond, tokens: perSecond, atMs: performance.now() };

  function isBorne(): boolean {
    const now = performance.now();
    bucket.tokens = Math.min(
      bucket.perSecond,
      bucket.tokens + (bucket.perSecond * (now - bucket.atMs)) / 1000,
    );
    bucket.atMs = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  async function respond(body: string, response: ServerResponse): Promise<void> {
    counts.requests++;
    if (!isBorne()) {
      counts.refused++;
      const { id } = JSON.parse(body) as { id: unknown };
      const isJson = answer.error !== undefined;
      const retry = answer.retryAfter === undefined ? {} : { 'retry-after': String(answer.retryAfter) };
      response.writeHead(answer.status, {
        'content-type': isJson ? 'application/json' : 'text/html',
        ...retry,
      });
      response.end(
        isJson ? JSON.stringify({ jsonrpc: '2.0', id, error: answer.error }) : '<p>Too Many Requests</p>',
      );
      return;
    }
    onRequest(counts);
    const honest = await fetch(honestUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    response.setHeader('content-type', 'application/json');
    response.end(await honest.text());
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      respond(Buffer.concat(chunks).toString(), response).catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    bears(newPerSecond) {
      bucket.perSecond = newPerSecond;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
