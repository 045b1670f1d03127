import { basicAuthorization, parseUrlLogin } from '@fairway/evm';
import type { Rate } from '@fairway/plan';
import { type FoundRate, rateAt } from './rateAt.ts';

/** Why no rate was read. */
export type RateFailure =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'REDIRECTED'
  | 'STATUS'
  | 'TOO_LARGE'
  | Extract<FoundRate, { ok: false }>['failure'];

/**
 * A rate that a source told. `ageMs`: how long ago, as caches on the way say. `detail`: what is known of a failure; it
 * repeats nothing of the URL and nothing that the source said.
 */
export type RateReading =
  | { readonly ok: true; readonly rate: Rate; readonly ageMs: number }
  | { readonly ok: false; readonly failure: RateFailure; readonly detail: string };

/** Where a rate is: a URL, which may hold a credential, and a JSON pointer. */
export type RatePlace = { readonly url: string; readonly pointer: string };

/** The longest document that is read. */
const MOST_BYTES = 64 * 1024;

/** Reads a rate once. Follows no redirect, because it could lead to a place that the operator did not name. */
export async function readRate(
  { url, pointer }: RatePlace,
  timeoutMs: number,
  close: AbortSignal,
): Promise<RateReading> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const signal = AbortSignal.any([timeout, close]);
    // fetch takes no URL with a login.
    const { url: bare = '', login } = parseUrlLogin(url) ?? {};
    const response = await fetch(bare, {
      headers: {
        accept: 'application/json',
        'user-agent': 'fairway',
        ...(login && { authorization: basicAuthorization(login) }),
      },
      redirect: 'manual',
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      return refusal(response.status);
    }
    const document = await textOf(response);
    if (document === undefined)
      return failed('TOO_LARGE', `its answer has more than ${MOST_BYTES / 1024} KiB`);
    const found = rateAt(document, pointer);
    if (!found.ok) return failed(found.failure, DETAILS[found.failure]);
    return { ok: true, rate: found.rate, ageMs: ageOf(response) };
  } catch (error) {
    return timeout.aborted
      ? failed('TIMEOUT', `it does not answer within ${timeoutMs / 1000} s`)
      : failed('UNREACHABLE', `it cannot be reached (${codeOf(error)})`);
  }
}

const DETAILS = {
  NOT_JSON: 'its answer is no JSON',
  NO_VALUE: 'its answer has nothing at the pointer',
  NOT_A_RATE:
    'what is at the pointer is no positive decimal number of at most 18 digits on each side of its point',
} as const;

function failed(failure: RateFailure, detail: string): RateReading {
  return { ok: false, failure, detail };
}

function refusal(status: number): RateReading {
  return status >= 300 && status < 400
    ? failed('REDIRECTED', `it redirects elsewhere (${status}), which is not followed`)
    : failed('STATUS', `it answers with the status ${status}`);
}

/** The text of an answer; undefined when it is too long. The rest of a long one is not read. */
async function textOf({ body }: Response): Promise<string | undefined> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** How long a cache has kept an answer, by its header Age. */
function ageOf({ headers }: Response): number {
  const age = headers.get('age') ?? '';
  return /^[0-9]{1,9}$/.test(age) ? 1000 * Number(age) : 0;
}

/** The code of a connection's error, such as ECONNREFUSED. Its text could repeat the URL. */
function codeOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'connection failed';
}
