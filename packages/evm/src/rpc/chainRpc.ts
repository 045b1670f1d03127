import type { Endpoint, RpcRequest, SubscribeHeads } from './endpoint.ts';
import { httpEndpoint } from './httpEndpoint.ts';
import { openIpc } from './ipcChannel.ts';
import { RpcAnswerError, RpcUnreachableError } from './rpcErrors.ts';
import { socketEndpoint } from './socketEndpoint.ts';
import { openWebSocket } from './webSocketChannel.ts';

/** A chain's nodes: requests over all URLs in order of preference, heads over the first that pushes them. */
export type ChainRpc = {
  readonly request: RpcRequest;
  readonly subscribeHeads: SubscribeHeads;
  /** Ends all connections; requests under way are rejected. */
  close(): void;
};

/** Codes with which a node refuses what another node may answer: a limit, a method it lacks, an internal error. */
const REFUSAL_CODES = new Set([-32_005, -32_601, -32_603]);
/** How long a URL that answered in place of a preferred one is asked first. */
const PREFERENCE_MS = 30_000;

/**
 * Connects to a chain's nodes: `http(s)://`, `ws(s)://`, or the path of an IPC socket. Nothing is opened before
 * the first request, and a lost connection is opened again by the next one. `timeoutMs` bounds one answer of one
 * URL, opening the connection included.
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
  const endpoints = urls.map((url) => endpointOf(url, timeoutMs));
  let preferred = 0;
  let preferredSinceMs = 0;

  function firstToAsk(): number {
    if (preferred !== 0 && performance.now() - preferredSinceMs > PREFERENCE_MS) preferred = 0;
    return preferred;
  }

  function prefer(index: number): void {
    if (index === preferred) return;
    preferred = index;
    preferredSinceMs = performance.now();
  }

  return {
    async request(call) {
      const first = firstToAsk();
      let failure: Error = new RpcUnreachableError('no URL is configured');
      for (let tried = 0; tried < endpoints.length; tried++) {
        const index = (first + tried) % endpoints.length;
        try {
          const answer = await endpoints[index]?.request(call);
          prefer(index);
          return answer;
        } catch (error) {
          if (error instanceof RpcAnswerError && !REFUSAL_CODES.has(error.code)) throw error;
          if (!(failure instanceof RpcAnswerError)) failure = error as Error;
        }
      }
      throw failure;
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

function endpointOf(url: string, timeoutMs: number): Endpoint {
  if (/^https?:/.test(url)) return httpEndpoint(url, timeoutMs);
  return socketEndpoint(/^wss?:/.test(url) ? openWebSocket(url) : openIpc(url), timeoutMs);
}
