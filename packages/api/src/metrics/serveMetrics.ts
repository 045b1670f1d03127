import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry of metrics, as prom-client has it. */
export type MetricsSource = { readonly contentType: string; metrics(): Promise<string> };

/**
 * Serves /metrics, to whoever reaches the port. Rejects with the error of the operating system where it cannot listen.
 *
 * @example
 * ```ts
 * import { type MetricsSource, serveMetrics } from '@fairway/api';
 *
 * declare const source: MetricsSource;
 * const { url, close } = await serveMetrics(source, '127.0.0.1', 0); // 'http://127.0.0.1:…/metrics'
 * await close();
 * ```
 */
export function serveMetrics(
  source: MetricsSource,
  host: string,
  port: number,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    source.metrics().then(
      (text) => response.writeHead(200, { 'content-type': source.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const { port: chosen } = server.address() as AddressInfo;
      resolve({
        url: `http://${host.includes(':') ? `[${host}]` : host}:${chosen}/metrics`,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}
