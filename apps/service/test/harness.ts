import { setTimeout as sleep } from 'node:timers/promises';
import { type AskNode, nodeAt } from '@fairway/testing';
import pino from 'pino';
import { type Config, readConfig } from '../src/config/config.ts';
import { type RunningService, run } from '../src/run.ts';

/** A whole service of the test's own: real chain, real database, real HTTP. */
export type TestService = {
  readonly url: string;
  readonly chainId: number;
  readonly running: RunningService;
  /** The Authorization header of the demo credential. */
  readonly authorization: string;
  /** A request as the demo credential; the body of the answer, whatever its status. */
  ask<Answer>(path: string, body?: unknown): Promise<Answer>;
  /** The same with status and headers. */
  request(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; body: unknown }>;
  /** Asks the sandbox chain's node. */
  readonly rpc: AskNode;
  /** Resolves when the market stands at the node's latest block. */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
};

/** Starts the built-in sandbox in this process, on a free port, with what the arguments say, and with these changes. */
export async function startTestService(
  args: readonly string[] = [],
  changes: Partial<Config> = {},
  log = pino({ level: 'error' }),
): Promise<TestService> {
  const config = { ...readConfig(['--port', '0', '--log-level', 'error', ...args], {}), ...changes };
  const running = await run(config, log, new AbortController().signal);
  const { url, demo } = running;
  if (demo === undefined) throw new Error('The service runs without its sandbox');
  const authorization = basic(demo.username, demo.password);

  async function request(path: string, init: RequestInit = {}) {
    const headers = { authorization, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  const rpc = nodeAt(demo.rpcUrl);

  return {
    url,
    chainId: demo.chainId,
    running,
    authorization,
    request,
    rpc,
    async ask<Answer>(path: string, body?: unknown): Promise<Answer> {
      const init = body === undefined ? {} : postOf(body);
      return (await request(path, init)).body as Answer;
    },
    async caughtUp() {
      for (;;) {
        const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
        const { body } = await request('/health');
        const { chains } = body as { chains: { status: string; head?: { hash: string } }[] };
        if (chains[0]?.status === 'OK' && chains[0].head?.hash === hash) return;
        await sleep(2);
      }
    },
    close: running.close,
  };
}

/** A POST of a JSON body. */
export function postOf(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The value of a Basic Authorization header. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
