import createClient from 'openapi-fetch';
import type { Api, Sending } from './api.ts';
import { carryOut } from './retrying.ts';

/** Where the service is, and as whom it is asked. */
export type ConnectionOptions = {
  /** The address of the service, such as `https://fairway.example`. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** The longest that a call may take, with all its attempts and waits; 30 s where absent. */
  readonly budgetMs?: number;
  /** The longest that one attempt may take; 10 s where absent. */
  readonly attemptMs?: number;
  /** What sends requests, in place of the runtime's own `fetch`. */
  readonly fetch?: typeof fetch;
};

/** What every call takes as its last argument. */
export type CallOptions = {
  /** Ends the call: it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The longest that this call may take, with all its attempts and waits. */
  readonly budgetMs?: number | undefined;
};

/** A service that can be asked. Each resource is made of one. */
export type Connection = {
  /** Every operation of the API, by its method and path. Refusals are thrown. */
  readonly api: Api;
  /** How a call is sent. With a key the service carries it out once, so that it may be repeated. */
  sending(options?: CallOptions, key?: string): Sending;
  /** How a file or a stream is asked for, whose body is read as it comes. */
  opening(options?: CallOptions): Sending;
};

const BUDGET_MS = 30_000;
const ATTEMPT_MS = 10_000;

/**
 * Makes what resources send their requests with. Nothing is sent yet.
 *
 * @example
 * ```ts
 * import { createConnection } from '@fairway/sdk';
 *
 * const connection = createConnection({ url: 'http://127.0.0.1:8080', username: 'demo', password: 'secret' });
 * ```
 */
export function createConnection(options: ConnectionOptions): Connection {
  const { budgetMs = BUDGET_MS, attemptMs = ATTEMPT_MS } = options;
  const baseUrl = addressOf(options.url);
  const headers = { authorization: basic(options.username, options.password) };
  // Looked up with each request, so that what a page or a test puts in its place is used.
  const send: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init));
  const sendingOf = (call: CallOptions, isKeyed: boolean, isFile: boolean): Sending => ({
    fetch: (request) =>
      carryOut(request, {
        fetch: send,
        budgetMs: call.budgetMs ?? budgetMs,
        attemptMs,
        signal: call.signal,
        isKeyed,
        isFile,
      }),
  });
  return {
    // Its own types lose open words, and describe errors that are thrown here.
    api: createClient({ baseUrl, headers }) as unknown as Api,
    sending: (call = {}, key = '') => sendingOf(call, key !== '', false),
    opening: (call = {}) => sendingOf(call, false, true),
  };
}

/** The body of an answer: refusals were thrown before. */
export async function bodyOf<Body>(answer: Promise<{ data?: Body }>): Promise<Body> {
  const { data } = await answer;
  return data as Body;
}

function addressOf(url: string): string {
  const { protocol, username, search, hash } = new URL(url);
  if (!/^https?:$/.test(protocol) || username !== '' || search !== '' || hash !== '')
    throw new TypeError(
      'url must be an http or https address without credentials, such as https://fairway.example.',
    );
  return url.replace(/\/+$/, '');
}

/** Basic credentials (RFC 7617) in UTF-8. */
function basic(username: string, password: string): string {
  if (username.includes(':')) throw new TypeError('A username has no colon.');
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
