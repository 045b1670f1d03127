import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a node, and the node's answer. */
export type NodeCall = {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
};
export type NodeAnswer = { readonly result?: unknown; readonly error?: { code: number; message: string } };

/** Changes an answer of the node. */
export type Lie = (call: NodeCall, answer: NodeAnswer) => NodeAnswer | Promise<NodeAnswer>;

/** A node that passes on the answers of the node behind it, changed by its current lie. */
export type NodeProxy = {
  readonly url: string;
  lie: Lie;
  close(): Promise<void>;
};

/** Changes nothing. */
export const honest: Lie = (_, answer) => answer;

/** Starts a proxy before a node's HTTP address. It is honest at first. */
export async function startNodeProxy(nodeUrl: string): Promise<NodeProxy> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      pass(Buffer.concat(chunks).toString('utf8')).then(
        (text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
        () => response.destroy(),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy: NodeProxy = {
    url: `http://127.0.0.1:${port}`,
    lie: honest,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function pass(body: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    const answered = await fetch(nodeUrl, { method: 'POST', headers, body });
    const call = JSON.parse(body) as NodeCall;
    const answer = (await answered.json()) as NodeAnswer;
    const { result, error } = await proxy.lie(call, answer);
    return JSON.stringify({ jsonrpc: '2.0', id: call.id, ...(error === undefined ? { result } : { error }) });
  }

  return proxy;
}
