import { http, ResponseBodyTooLargeError, RpcRequestError, TimeoutError } from 'viem';
import type { Endpoint } from './endpoint.ts';
import { LONGEST_ANSWER_BYTES } from './longestAnswer.ts';
import { urlAndHeaders } from './urlLogin.ts';
import { AnswerTooLongError, RpcAnswerError, RpcUnreachableError } from './rpcErrors.ts';

/** A node over HTTP: one HTTP request for each call, and no pushed heads. */
export function httpEndpoint(url: string, timeoutMs: number): Endpoint {
  // A redirect would have the service ask an address that nobody configured, perhaps one of an inner network.
  const redirect = 'error';
  // viem's own timeout ends with the head of an answer: a node that sends no end would be waited for without end.
  const fetchFn: typeof fetch = (input, init) =>
    fetch(input, { ...init, redirect, signal: AbortSignal.timeout(timeoutMs) });
  const maxResponseBodySize = LONGEST_ANSWER_BYTES;
  // viem would send the login in Latin-1, and none that has other characters.
  const { url: bare, headers } = urlAndHeaders(url);
  const fetchOptions = { headers };
  const options = { retryCount: 0, timeout: timeoutMs, fetchFn, fetchOptions, maxResponseBodySize };
  const transport = http(bare, options)({});
  let closed = false;
  return {
    async request(call) {
      if (closed) throw new RpcUnreachableError('the connection is closed');
      try {
        // viem's types allow only the methods that viem knows; the callers check the answers to ours.
        return await transport.request(call as never);
      } catch (error) {
        const answer = causeAmong(error, RpcRequestError);
        if (answer) throw new RpcAnswerError(answer.code, answer.details, answer.data);
        if (causeAmong(error, ResponseBodyTooLargeError)) throw new AnswerTooLongError();
        throw new RpcUnreachableError(error instanceof TimeoutError ? 'timed out' : 'no connection');
      }
    },
    close() {
      closed = true;
    },
  };
}

/** The error of a kind that an error is or was caused by: viem wraps errors in others. */
function causeAmong<T extends Error>(
  error: unknown,
  kind: abstract new (...args: never) => T,
): T | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof kind) return cause;
  return undefined;
}
