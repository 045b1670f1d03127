import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keccak256 } from 'viem';

/** A node of a chain behind a proxy that sees what is sent to it. */
export type SeenNode = {
  readonly url: string;
  /** Asks the chain by the same way. Throws its errors. */
  ask<Result>(method: string, params: readonly unknown[]): Promise<Result>;
  /** When the transaction with a hash first came by, in milliseconds of performance.now(). */
  sentAt(hash: string): number | undefined;
  /** How many calls came by. */
  count(): number;
  close(): Promise<void>;
};

type Call = { readonly method: string; readonly params: readonly unknown[] };

/** Starts the proxy in this process. */
export async function startSeenNode(rpcUrl: string): Promise<SeenNode> {
  const sentAtMs = new Map<string, number>();
  let count = 0;
  function see(body: string): void {
    const given = JSON.parse(body) as Call | Call[];
    for (const { method, params } of Array.isArray(given) ? given : [given]) {
      count += 1;
      if (method !== 'eth_sendRawTransaction') continue;
      const hash = keccak256(params[0] as `0x${string}`);
      if (!sentAtMs.has(hash)) sentAtMs.set(hash, performance.now());
    }
  }
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray()).toString();
      see(body);
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(rpcUrl, { method: 'POST', body, headers });
      response.writeHead(answer.status, headers).end(await answer.text());
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async ask<Result>(method: string, params: readonly unknown[]) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await fetch(url, { method: 'POST', body });
      const { result, error } = (await response.json()) as { result: Result; error?: { message: string } };
      if (error !== undefined) throw new Error(`${method}: ${error.message}`);
      return result;
    },
    sentAt: (hash) => sentAtMs.get(hash),
    count: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
