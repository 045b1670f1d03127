import { ProblemError } from '../errors/problem.ts';
import { TimeoutError } from '../errors/transport.ts';
import { attempt, type Message, type Outcome } from './attempt.ts';
import { sleep, waitMs } from './waiting.ts';

/** How a call is carried out. */
export type Carriage = {
  readonly fetch: typeof fetch;
  /** The longest that the whole call may take, with all attempts and waits. */
  readonly budgetMs: number;
  /** The longest that one attempt may take. */
  readonly attemptMs: number;
  readonly signal: AbortSignal | undefined;
  /** Whether the service carries the request out once, however often it is sent. */
  readonly isKeyed: boolean;
  readonly isFile: boolean;
};

/** Methods that may be repeated whatever the body says (RFC 9110, 9.2.2). */
const IDEMPOTENT: readonly string[] = ['GET', 'HEAD', 'PUT', 'DELETE'];
/** After these statuses the same request may succeed. */
const PASSING: readonly number[] = [408, 429, 500, 502, 503, 504];

/**
 * Sends a request until it is answered, refused for good, or its time is over. Only a request that may be repeated is
 * sent again; after a 429 any request is, because it was not carried out.
 */
export async function carryOut(request: Request, carriage: Carriage): Promise<Response> {
  const { signal, budgetMs, attemptMs } = carriage;
  const isRepeatable = carriage.isKeyed || IDEMPOTENT.includes(request.method);
  const message = await messageOf(request);
  const begunMs = performance.now();
  for (let failures = 1; ; failures++) {
    const leftMs = budgetMs - (performance.now() - begunMs);
    const outcome = await attempt(message, { ...carriage, timeMs: Math.min(attemptMs, leftMs) });
    if (outcome.kind === 'ANSWERED') return outcome.response;
    const pauseMs = waitMs(failures, retryAfterOf(outcome));
    const isInTime = performance.now() - begunMs + pauseMs < budgetMs;
    if (isInTime && mayPass(outcome, isRepeatable)) await sleep(pauseMs, signal);
    else throw leftMs > attemptMs ? outcome.error : wholeTime(outcome, request, budgetMs);
  }
}

async function messageOf(request: Request): Promise<Message> {
  const { url, method, headers } = request;
  const body = request.body === null ? undefined : await request.arrayBuffer();
  return { url, method, headers, body };
}

function mayPass(outcome: Exclude<Outcome, { kind: 'ANSWERED' }>, isRepeatable: boolean): boolean {
  if (outcome.kind === 'UNANSWERED') return isRepeatable;
  const { error } = outcome;
  if (error.status === 429) return true;
  const isUnderWay = error instanceof ProblemError && error.code === 'request-in-progress';
  return isRepeatable && (isUnderWay || PASSING.includes(error.status));
}

function retryAfterOf(outcome: Outcome): number | undefined {
  return outcome.kind === 'REFUSED' ? outcome.retryAfterSeconds : undefined;
}

/** A last attempt that was cut short names the time of the whole call. */
function wholeTime({ error }: { error: Error }, { method, url }: Request, budgetMs: number): Error {
  return error instanceof TimeoutError
    ? new TimeoutError(`${method} ${new URL(url).pathname}`, budgetMs)
    : error;
}
