import type { Buffer } from 'node:buffer';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What is lost of a request: it never arrives, or its answer does not. */
export type Loss = 'REQUEST' | 'ANSWER';

/** A service between a node and the real one, which can answer with something else than it was asked for. */
export async function startLyingService(serviceUrl: string, about = '/v1/swap') {
  let lie = (text: string) => text;
  let lossOf: (path: string, body: Buffer) => Loss | undefined = () => undefined;
  let instead: ((response: ServerResponse) => unknown) | undefined;
  let isRefused: (path: string, body: Buffer) => boolean = () => false;
  const server = createServer((request, response) => {
    void (async () => {
      const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
      const { url = '' } = request;
      if (instead !== undefined && url.startsWith('/v1/')) return instead(response);
      const body = await buffer(request);
      const loss = lossOf(url, body);
      if (loss === 'REQUEST') return request.destroy();
      if (isRefused(url, body)) {
        response.writeHead(409, { 'content-type': 'application/problem+json' });
        const problem = { type: 'about:blank', title: 'Refused', status: 409, code: 'step-not-ready' };
        return response.end(JSON.stringify(problem));
      }
      const answer = await fetch(`${serviceUrl}${url}`, {
        method: request.method ?? 'GET',
        headers: { authorization, 'content-type': type },
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      });
      const text = await answer.text();
      if (loss === 'ANSWER') return request.destroy();
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      return response.end(url.startsWith(about) ? lie(text) : text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What becomes of the answers from now on. */
    tell(next: (text: string) => string): void {
      lie = next;
    },
    /** What is answered from now on, to everything, in place of what the service says; undefined: that. */
    babble(next: ((response: ServerResponse) => unknown) | undefined): void {
      instead = next;
    },
    /** Which requests are lost from now on. */
    lose(next: (path: string, body: Buffer) => Loss | undefined): void {
      lossOf = next;
    },
    /** Which requests are answered with a 409 from now on. */
    refuse(next: (path: string, body: Buffer) => boolean): void {
      isRefused = next;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
