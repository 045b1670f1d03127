import { http, RpcRequestError, TimeoutError } from 'viem';
import type { Endpoint } from './endpoint.ts';
import { RpcAnswerError, RpcUnreachableError } from './rpcErrors.ts';

/** A node over HTTP: requests only, one at a time each. */
export function httpEndpoint(url: string, timeoutMs: number): Endpoint {
  const transport = http(url, { retryCount: 0, timeout: timeoutMs })({});
  let closed = false;
  return {
    async request(call) {
      if (closed) throw new RpcUnreachableError('the connection is closed');
      try {
        // Typed for the methods that it knows; ours are checked where they are answered.
        return await transport.request(call as never);
      } catch (error) {
        throw (
          answerOf(error) ??
          new RpcUnreachableError(error instanceof TimeoutError ? 'timed out' : 'no connection')
        );
      }
    },
    close() {
      closed = true;
    },
  };
}

/** viem wraps a node's answer in typed errors; the answer itself is somewhere down the causes. */
function answerOf(error: unknown): RpcAnswerError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof RpcRequestError) return new RpcAnswerError(cause.code, cause.details, cause.data);
  }
  return undefined;
}
