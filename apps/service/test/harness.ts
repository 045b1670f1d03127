import { setTimeout as sleep } from 'node:timers/promises';
import { type AskNode, nodeAt } from '@fairway/testing';
import pino from 'pino';
import { type Config, readConfig } from '../src/platform/config/config.ts';
import { type RunningService, run } from '../src/run.ts';

/** A path whose answer is plans, with everything that answers can show beside them. Other paths stay as they are. */
export function whole(path: string): string {
  if (!ANSWERS_PLANS.test(path) || path.includes('expand=')) return path;
  return `${path}${path.includes('?') ? '&' : '?'}expand=executions,rounds,custody`;
}

const ANSWERS_PLANS =
  /^\/v1(\/sandbox)?\/payments(\/plan_[^/?]+(\/(again|end|refunds|approve|steps\/[^/?]+\/(reports|simulate)))?)?(\?.*)?$/;

/** An answer whose body was JSON, or undefined for an empty one. */
type Answer = { status: number; headers: Headers; body: unknown };

/** A whole service of the test's own: real chain, real database, real HTTP. */
export type TestService = {
  readonly url: string;
  readonly chainId: number;
  readonly running: RunningService;
  /** The Authorization header of the demo credential. */
  readonly authorization: string;
  /** Sends a request with the demo credential and returns the body of the answer, with any status. */
  ask<Body>(path: string, body?: unknown): Promise<Body>;
  /** Sends a request with the demo credential and returns status, headers and body. */
  request(path: string, init?: RequestInit): Promise<Answer>;
  /** Like `request`, but after a 429 it waits as long as Retry-After says and sends the request again. */
  requestWithinLimit(path: string, init?: RequestInit): Promise<Answer>;
  /** Asks the sandbox chain's node. */
  readonly rpc: AskNode;
  /** Resolves when the market stands at the node's latest block. */
  recordAtHead(): Promise<void>;
  close(): Promise<void>;
};

/** How often a request is sent before its 429 is the answer. */
const MOST_ATTEMPTS = 5;

/**
 * Starts the built-in sandbox in this process, on a free port, with these arguments and these changes of the
 * configuration.
 */
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

  async function request(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { authorization, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${url}${whole(path)}`, { ...init, headers });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  // Requests that are answered at once can reach the sandbox's limit of 1,000 a second on a fast machine.
  async function requestWithinLimit(path: string, init?: RequestInit): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await request(path, init);
      if (answer.status !== 429 || attempt === MOST_ATTEMPTS) return answer;
      await sleep(1000 * Number(answer.headers.get('retry-after')));
    }
  }

  const rpc = nodeAt(demo.rpcUrl);

  return {
    url,
    chainId: demo.chainId,
    running,
    authorization,
    request,
    rpc,
    requestWithinLimit,
    async ask<Body>(path: string, body?: unknown): Promise<Body> {
      const init = body === undefined ? {} : postOf(body);
      return (await request(path, init)).body as Body;
    },
    async recordAtHead() {
      for (;;) {
        const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
        const { body } = await requestWithinLimit('/health');
        const { chains } = body as { chains: { status: string; head?: { hash: string } }[] };
        if (chains[0]?.status === 'OK' && chains[0].head?.hash === hash) return;
        await sleep(2);
      }
    },
    close: running.close,
  };
}

/** A POST of a JSON body, with more headers. */
export function postOf(body: unknown, more: Readonly<Record<string, string>> = {}): RequestInit {
  const headers = { 'content-type': 'application/json', ...more };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}

/** The value of a Basic Authorization header. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
