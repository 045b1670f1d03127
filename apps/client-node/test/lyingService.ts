import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A service between a node and the real one, which can answer with another swap than it was asked for. */
export async function startLyingService(serviceUrl: string) {
  let lie = (text: string) => text;
  const server = createServer((request, response) => {
    void (async () => {
      const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
      const body = await buffer(request);
      const answer = await fetch(`${serviceUrl}${request.url ?? ''}`, {
        method: request.method ?? 'GET',
        headers: { authorization, 'content-type': type },
        ...(body.length > 0 && { body }),
      });
      const text = await answer.text();
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(request.url?.startsWith('/v1/swap') ? lie(text) : text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What becomes of the answers to swaps from now on. */
    tell(next: (text: string) => string): void {
      lie = next;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
