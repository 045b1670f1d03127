import type { Endpoint, RpcCall, RpcRequest, SubscribeHeads } from './endpoint.ts';
import { httpEndpoint } from './httpEndpoint.ts';
import { openIpc } from './ipcChannel.ts';
import { type PacedEndpoint, pacedEndpoint } from './pacedEndpoint.ts';
import { refusalOf } from './refusal.ts';
import { RpcAnswerError, RpcBusyError, RpcUnreachableError } from './errors.ts';
import { socketEndpoint } from './socketEndpoint.ts';
import { openWebSocket } from './webSocketChannel.ts';

/** A chain's nodes: requests over all URLs in order of preference, heads over the first that pushes them. */
export type ChainRpc = {
  readonly request: RpcRequest;
  readonly subscribeHeads: SubscribeHeads;
  /** Ends all connections; requests under way are rejected. */
  close(): void;
};

/** A URL that gave no answer is asked last for so long. */
const FAULT_MS = 30_000;
/** How long a request in the background waits where every URL limits how often it is asked; others wait as long as for an answer. */
const BACKGROUND_PATIENCE_MS = 60_000;

/**
 * Connects to a chain's nodes: `http(s)://`, `ws(s)://`, or the path of an IPC socket. Nothing is opened before
 * the first request, and a lost connection is opened again by the next one. `timeoutMs` bounds one answer of one
 * URL, opening the connection included. A request that one URL does not answer goes to the next URL. A URL that
 * limits requests gets as many as it allows.
 *
 * @example
 * ```ts
 * import { createChainRpc } from '@fairway/evm';
 *
 * const rpc = createChainRpc(['/run/geth.ipc', 'https://node.example'], 5000);
 * const chainId = await rpc.request({ method: 'eth_chainId' }); // such as '0x1'
 * rpc.close();
 * ```
 */
export function createChainRpc(urls: readonly string[], timeoutMs: number): ChainRpc {
  const endpoints = urls.map((url) => pacedEndpoint(endpointOf(url, timeoutMs)));
  const faultAtMs = new Map<PacedEndpoint, number>();

  /** Chooses the URL to ask: one without a recent fault, then one without a wait, then in order of preference. */
  function firstOf(left: readonly PacedEndpoint[], call: RpcCall): PacedEndpoint | undefined {
    const now = performance.now();
    const costs = left.map((endpoint) => ({
      endpoint,
      isFaulty: now - (faultAtMs.get(endpoint) ?? Number.NEGATIVE_INFINITY) < FAULT_MS,
      waitMs: endpoint.waitMs(call),
    }));
    costs.sort((a, b) => Number(a.isFaulty) - Number(b.isFaulty) || a.waitMs - b.waitMs);
    return costs[0]?.endpoint;
  }

  return {
    async request(call) {
      const untilMs = performance.now() + (call.isBackground === true ? BACKGROUND_PATIENCE_MS : timeoutMs);
      let failure: Error | undefined = endpoints.map((each) => each.lacks(call)).find(Boolean);
      let left = endpoints.filter((endpoint) => endpoint.lacks(call) === undefined);
      for (let asked = firstOf(left, call); asked !== undefined; asked = firstOf(left, call)) {
        try {
          const answer = await asked.request(call, untilMs);
          faultAtMs.delete(asked);
          return answer;
        } catch (error) {
          if (error instanceof RpcAnswerError && refusalOf(error, call) === 'FINAL') throw error;
          failure = graver(failure, error as Error);
          const isBusy = error instanceof RpcBusyError;
          if (!(isBusy || error instanceof RpcAnswerError)) faultAtMs.set(asked, performance.now());
          const isOver = performance.now() + asked.waitMs(call) >= untilMs;
          if (!isBusy || isOver) left = left.filter((endpoint) => endpoint !== asked);
        }
      }
      throw failure ?? new RpcUnreachableError('no URL is configured');
    },
    async subscribeHeads(onHead, onEnd) {
      const pushing = endpoints.flatMap(({ subscribeHeads }) => subscribeHeads ?? []);
      for (const subscribe of pushing) {
        const subscription = await subscribe(onHead, onEnd);
        if (subscription.state === 'SUBSCRIBED') return subscription;
      }
      return { state: pushing.length === 0 ? 'IMPOSSIBLE' : 'UNAVAILABLE' };
    },
    close() {
      for (const endpoint of endpoints) endpoint.close();
    },
  };
}

/**
 * Chooses from two failures the one that says more: an answer, then a limit, then none. When both say the same, it
 * chooses the first.
 */
function graver(one: Error | undefined, other: Error): Error {
  const weight = (error: Error) =>
    error instanceof RpcAnswerError ? 2 : Number(error instanceof RpcBusyError);
  return one === undefined || weight(other) > weight(one) ? other : one;
}

function endpointOf(url: string, timeoutMs: number): Endpoint {
  if (/^https?:/.test(url)) return httpEndpoint(url, timeoutMs);
  return socketEndpoint(/^wss?:/.test(url) ? openWebSocket(url) : openIpc(url), timeoutMs);
}
