import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { REQUEST_ID_PATTERN } from '@fairway/wire';

const usable = new RegExp(REQUEST_ID_PATTERN);

/** The id of a request: the caller's own X-Request-Id where it is usable, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && usable.test(given) ? given : randomUUID();
}
