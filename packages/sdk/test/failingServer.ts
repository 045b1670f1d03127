import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a server answers one request. */
export type Fault =
  | {
      readonly kind: 'ANSWER';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Record<string, string>;
    }
  | { readonly kind: 'TEXT'; readonly status: number; readonly text: string }
  /** Answers without an end, until the caller goes away. */
  | { readonly kind: 'ENDLESS'; readonly status: number }
  | { readonly kind: 'CUT' }
  | { readonly kind: 'CUT_IN_BODY' }
  | { readonly kind: 'SLOW'; readonly waitMs: number };

/** A request as it came. */
export type Arrived = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly atMs: number;
};

/** A server that fails in named ways, in the order of its script; the last one goes on for ever. */
export type FailingServer = {
  readonly url: string;
  readonly arrived: Arrived[];
  /** The bytes of endless answers that went out; undefined while one still goes on. */
  sentBytes(): number | undefined;
  close(): Promise<void>;
};

const PIECE = Buffer.alloc(1024 * 1024, ' ');

/** Starts a server on a free port of the loopback. */
export async function startFailingServer(...script: readonly Fault[]): Promise<FailingServer> {
  const arrived: Arrived[] = [];
  const stop = new AbortController();
  let [endless, sentBytes] = [0, 0];
  function* pieces(): Generator<Buffer> {
    for (;;) {
      sentBytes += PIECE.length;
      yield PIECE;
    }
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    arrived.push({ method, path, headers, body: await text(request), atMs: performance.now() });
    const fault = script[arrived.length - 1] ?? script.at(-1) ?? { kind: 'CUT' };
    switch (fault.kind) {
      case 'CUT':
        return void request.socket.destroy();
      case 'CUT_IN_BODY':
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"amountOut": "1');
        await sleep(20);
        return void request.socket.destroy();
      case 'ENDLESS':
        response.writeHead(fault.status, { 'content-type': 'application/json' });
        endless += 1;
        await pipeline(pieces, response).catch(() => undefined);
        endless -= 1;
        return;
      case 'SLOW':
        await sleep(fault.waitMs, undefined, { signal: stop.signal }).catch(() => undefined);
        return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"slow": true}');
      case 'TEXT':
        return void response.writeHead(fault.status, { 'content-type': 'text/html' }).end(fault.text);
      case 'ANSWER': {
        const type = fault.status < 400 ? 'application/json' : 'application/problem+json';
        response.writeHead(fault.status, { 'content-type': type, ...fault.headers });
        return void response.end(JSON.stringify(fault.body ?? {}));
      }
    }
  }
  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    sentBytes: () => (endless === 0 ? sentBytes : undefined),
    close() {
      stop.abort();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The answer of a service that refuses. */
export function problem(
  status: number,
  code: string,
  more: object = {},
  headers: Record<string, string> = {},
): Fault {
  const body = { type: `http://127.0.0.1/problems/${code}`, title: `It is ${code}`, status, code, ...more };
  return { kind: 'ANSWER', status, body, headers };
}

/** The answer of a service that has carried a request out. */
export const DONE: Fault = { kind: 'ANSWER', status: 200, body: { planId: 'plan_1' } };
