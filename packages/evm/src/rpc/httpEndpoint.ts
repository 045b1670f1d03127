import { http, RpcRequestError, TimeoutError } from 'viem';
import type { Endpoint } from './endpoint.ts';
import { RpcAnswerError, RpcUnreachableError } from './rpcErrors.ts';

/** A node over HTTP: one HTTP request for each call, and no pushed heads. */
export function httpEndpoint(url: string, timeoutMs: number): Endpoint {
  // A redirect would have the service ask an address that nobody configured, perhaps one of an inner network.
  const redirect = 'error';
  // viem's own timeout ends with the head of an answer: a node that sends no end would be waited for without end.
  const fetchFn: typeof fetch = (input, init) =>
    fetch(input, { ...init, redirect, signal: AbortSignal.timeout(timeoutMs) });
  const transport = http(url, { retryCount: 0, timeout: timeoutMs, fetchFn })({});
  let closed = false;
  return {
    async request(call) {
      if (closed) throw new RpcUnreachableError('the connection is closed');
      try {
        // viem's types allow only the methods that viem knows; the callers check the answers to ours.
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

/** The node's own error: viem wraps it in other errors, as their cause. */
function answerOf(error: unknown): RpcAnswerError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof RpcRequestError) return new RpcAnswerError(cause.code, cause.details, cause.data);
  }
  return undefined;
}
