import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/**
 * A strong entity tag of a text.
 *
 * @example
 * ```ts
 * import { entityTag } from '@fairway/api';
 *
 * const tag = entityTag('[]');
 * ```
 */
export function entityTag(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/**
 * Whether the request's If-None-Match names the tag (RFC 9110, weak comparison).
 *
 * @example
 * ```ts
 * import { entityTag, hasCurrent } from '@fairway/api';
 * import type { FastifyRequest } from 'fastify';
 *
 * declare const request: FastifyRequest;
 * const isCurrent = hasCurrent(request, entityTag('[]'));
 * ```
 */
export function hasCurrent(request: FastifyRequest, tag: string): boolean {
  const given = request.headers['if-none-match'];
  if (given === undefined) return false;
  if (given.trim() === '*') return true;
  return given.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}

/**
 * The entity tag of a plan or a registered recipient: its revision.
 *
 * @example
 * ```ts
 * import { revisionTag } from '@fairway/api';
 *
 * revisionTag(3); // '"3"'
 * ```
 */
export function revisionTag(revision: number): string {
  return `"${revision}"`;
}

/**
 * The revisions that the request's If-Match names (RFC 9110, strong comparison); undefined without the header, and for
 * `*`, which everything meets. A tag that is no revision names none.
 */
export function expectedRevisions({ headers }: FastifyRequest): readonly number[] | undefined {
  const given = headers['if-match'];
  if (given === undefined || given.trim() === '*') return undefined;
  return given.split(',').flatMap((tag) => {
    const digits = /^"([1-9]\d{0,9})"$/.exec(tag.trim())?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
}
