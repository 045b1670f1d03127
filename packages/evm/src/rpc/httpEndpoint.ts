import { ResponseBodyTooLargeError, TimeoutError } from 'viem';
import { getHttpRpcClient } from 'viem/utils';
import type { Endpoint } from './endpoint.ts';
import { LONGEST_ANSWER_BYTES } from './longestAnswer.ts';
import { askedPauseMs } from './refusal.ts';
import { urlAndHeaders } from './urlLogin.ts';
import { AnswerTooLongError, RpcAnswerError, RpcBusyError, RpcUnreachableError } from './errors.ts';

/** What a server answers that would answer later: too many requests, and (often for the same reason) unavailable. */
const BUSY_STATUSES = new Set([429, 503]);

/** What a server answers to a wrong login or key. */
const REFUSED_STATUSES = new Set([401, 403]);

type RpcAnswer = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
};

/** A node over HTTP: one HTTP request for each call, and no pushed heads. */
export function httpEndpoint(url: string, timeoutMs: number): Endpoint {
  // A redirect would have the service ask an address that nobody configured, perhaps one of an inner network.
  const redirect = 'error';
  // viem's own timeout ends with the head of an answer: a node that sends no end would be waited for without end.
  const fetchFn: typeof fetch = (input, init) =>
    fetch(input, { ...init, redirect, signal: AbortSignal.timeout(timeoutMs) });
  const maxResponseBodySize = LONGEST_ANSWER_BYTES;
  // viem would send the login in Latin-1, and could not send other characters.
  const { url: bare, headers: login } = urlAndHeaders(url);
  const fetchOptions = { headers: login };
  const client = getHttpRpcClient(bare, { timeout: timeoutMs, fetchFn, fetchOptions, maxResponseBodySize });
  let closed = false;
  return {
    async request({ method, params }) {
      if (closed) throw new RpcUnreachableError('the connection is closed');
      let head: { readonly status: number; readonly retryAfter: string | null } | undefined;
      try {
        const answer: RpcAnswer = await client.request({
          body: { method, params },
          onResponse({ status, headers }) {
            head = { status, retryAfter: headers.get('retry-after') };
          },
        });
        const { error, result } = answer;
        if (error !== undefined) throw new RpcAnswerError(error.code, error.message, error.data);
        return result;
      } catch (error) {
        if (head !== undefined && BUSY_STATUSES.has(head.status)) {
          const said = error instanceof RpcAnswerError ? error : { message: '', data: undefined };
          throw new RpcBusyError(`HTTP ${head.status}`, askedPauseMs(said, head.retryAfter, Date.now()));
        }
        if (error instanceof RpcAnswerError) throw error;
        if (causeAmong(error, ResponseBodyTooLargeError)) throw new AnswerTooLongError();
        throw new RpcUnreachableError(whyUnreachable(error, head?.status ?? 0));
      }
    },
    close() {
      closed = true;
    },
  };
}

function whyUnreachable(error: unknown, status: number): string {
  if (error instanceof TimeoutError) return 'timed out';
  if (REFUSED_STATUSES.has(status))
    return `HTTP ${status}: it does not accept the login or the key of its URL`;
  return status >= 400 ? `HTTP ${status}` : 'no connection';
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
