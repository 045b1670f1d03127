import {
  type Problem,
  type ProblemError,
  problemError,
  type UnknownProblemError,
} from '../errors/problem.ts';
import { AnswerError, ConnectionError, TimeoutError } from '../errors/transport.ts';
import { readText } from './reading.ts';
import { retryAfterSecondsOf } from './retryAfter.ts';
import { reasonOf } from './waiting.ts';

/** A request that can be sent several times. */
export type Message = {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: ArrayBuffer | undefined;
};

/** How one attempt ended. */
export type Outcome =
  | { readonly kind: 'ANSWERED'; readonly response: Response }
  | {
      readonly kind: 'REFUSED';
      readonly error: ProblemError | UnknownProblemError | AnswerError;
      readonly retryAfterSeconds?: number;
    }
  | { readonly kind: 'UNANSWERED'; readonly error: ConnectionError | TimeoutError };

/** How an attempt is made. */
export type AttemptOptions = {
  readonly fetch: typeof fetch;
  readonly timeMs: number;
  readonly signal: AbortSignal | undefined;
  /** Whether the body is taken as it comes, and not awaited. */
  readonly isFile: boolean;
};

/**
 * Sends a request once, and reads the whole answer: a connection can also be cut in the middle of a body.
 * @throws the reason of the signal, when that is aborted.
 */
export async function attempt(message: Message, options: AttemptOptions): Promise<Outcome> {
  const { signal, timeMs } = options;
  if (hasEnded(signal)) throw reasonOf(signal);
  const place = `${message.method} ${new URL(message.url).pathname}`;
  const stop = new AbortController();
  const onAbort = () => stop.abort(reasonOf(signal));
  const timer = setTimeout(() => stop.abort(new TimeoutError(place, timeMs)), timeMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  let isOpen = false;
  try {
    const { url, method, headers, body = null } = message;
    const { fetch } = options;
    const response = await fetch(url, { method, headers, body, signal: stop.signal, redirect: 'error' });
    isOpen = options.isFile && response.ok;
    return isOpen ? { kind: 'ANSWERED', response } : await outcomeOf(place, response);
  } catch (cause) {
    if (hasEnded(signal)) throw reasonOf(signal);
    const error = stop.signal.aborted
      ? (stop.signal.reason as TimeoutError)
      : new ConnectionError(place, cause);
    return { kind: 'UNANSWERED', error };
  } finally {
    clearTimeout(timer);
    // The signal ends a file that is still coming.
    if (!isOpen) signal?.removeEventListener('abort', onAbort);
  }
}

function hasEnded(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

async function outcomeOf(place: string, response: Response): Promise<Outcome> {
  const { status, headers } = response;
  const { text, isTooLong } = await readText(response);
  if (isTooLong) return { kind: 'REFUSED', error: new AnswerError(place, status, text, isTooLong) };
  const value = jsonOf(text);
  if (response.ok) {
    if (value === undefined) return { kind: 'REFUSED', error: new AnswerError(place, status, text) };
    return { kind: 'ANSWERED', response: new Response(text, { status, headers: plain(headers) }) };
  }
  const retryAfterSeconds = retryAfterSecondsOf(headers, Date.now());
  const facts = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  const error = isProblem(value)
    ? problemError(value, { status, ...facts })
    : new AnswerError(place, status, text);
  return { kind: 'REFUSED', error, ...facts };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'type' in value && 'title' in value;
}

/** The headers of a text that is unpacked already. */
function plain(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) kept.delete(name);
  return kept;
}
