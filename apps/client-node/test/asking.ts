import { Buffer } from 'node:buffer';
import type { ExecutionReading } from '@fairway/wire';
import type { Place } from './processes.ts';

/** An answer whose body was JSON. */
export type Reply<Body> = { readonly status: number; readonly headers: Headers; readonly body: Body };

/** Asks a server with its credential. */
export async function ask<Body>(
  { url, username, password }: Place,
  path: string,
  init: {
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    readonly method?: string;
  } = {},
): Promise<Reply<Body>> {
  const { body, headers, method = body === undefined ? 'GET' : 'POST' } = init;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? undefined : JSON.parse(text)) as Body,
  };
}

/** What execution of a swap answers, and what a refusal does. */
export type Executed = ExecutionReading & {
  readonly quote: { readonly amountOut: string };
  readonly code: string;
  readonly detail: string;
};

/** Has a node execute a swap, and waits for its end. */
export function execute(
  node: Place,
  key: string | undefined,
  body: object,
  wait = 30,
): Promise<Reply<Executed>> {
  const headers = { prefer: `wait=${wait}`, ...(key !== undefined && { 'idempotency-key': key }) };
  return ask<Executed>(node, '/v1/swap?executionMode=execute', { body, headers });
}
