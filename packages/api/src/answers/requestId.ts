import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { REQUEST_ID_PATTERN } from '@fairway/wire';

const USABLE = new RegExp(REQUEST_ID_PATTERN);

/** The id of a request: the X-Request-Id of the caller when it has the right form, else a new id. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && USABLE.test(given) ? given : randomUUID();
}
