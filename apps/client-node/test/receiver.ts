import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';

/** A webhook as it came. */
export type Got = { readonly headers: IncomingHttpHeaders; readonly text: string };

/** A receiver of webhooks on this machine, which takes everything. It ends with the tests of the file. */
export async function startReceiver(): Promise<{ readonly url: string; readonly got: readonly Got[] }> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      got.push({ headers: request.headers, text: body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, got };
}
