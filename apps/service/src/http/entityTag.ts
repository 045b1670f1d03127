import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** A strong entity tag of a text. */
export function entityTag(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/** Whether the request's If-None-Match names the tag (RFC 9110, weak comparison). */
export function hasCurrent(request: FastifyRequest, tag: string): boolean {
  const given = request.headers['if-none-match'];
  if (given === undefined) return false;
  if (given.trim() === '*') return true;
  return given.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}
