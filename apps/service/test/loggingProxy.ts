import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as ask,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that passed the proxy, with its answer. */
export type Passed = {
  /** The line that a proxy would log: method and whole address. */
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly status: number;
  readonly answerHeaders: IncomingHttpHeaders;
  readonly answer: string;
};

/** A proxy for all requests of a browser, on this machine only, which records them. */
export type LoggingProxy = {
  readonly url: string;
  readonly passed: Passed[];
  close(): Promise<void>;
};

/**
 * Starts the proxy. It changes nothing. Requests to an origin other than `allowedOrigin` are recorded and answered
 * with 502.
 */
export async function startLoggingProxy(allowedOrigin: string): Promise<LoggingProxy> {
  const passed: Passed[] = [];
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = await textOf(request);
    const seen = { line: `${method} ${url}`, headers, body };
    if (!url.startsWith(`${allowedOrigin}/`)) {
      passed.push({ ...seen, status: 502, answerHeaders: {}, answer: '' });
      response.writeHead(502).end();
      return;
    }
    const onward = ask(url, { method, headers });
    onward.end(body);
    const [incoming] = (await once(onward, 'response')) as [IncomingMessage];
    const answer = await textOf(incoming);
    const status = incoming.statusCode ?? 0;
    passed.push({ ...seen, status, answerHeaders: incoming.headers, answer });
    response.writeHead(status, incoming.headers).end(answer);
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  // A tunnel would hide its requests, so it is recorded and refused.
  server.on('connect', ({ url = '', headers }, socket) => {
    passed.push({ line: `CONNECT ${url}`, headers, body: '', status: 502, answerHeaders: {}, answer: '' });
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(chunks: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += String(chunk);
  return text;
}
