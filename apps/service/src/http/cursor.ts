import { createHash } from 'node:crypto';
import type { FieldReader } from '../fields/fields.ts';

/** Ties a cursor to the question it belongs to: continuing another list with it would skip or repeat. */
export function sealOf(list: string, question: object): string {
  return createHash('sha256')
    .update(JSON.stringify([list, question]))
    .digest('base64url')
    .slice(0, 8);
}

/** The cursor that continues a list after a place in it. */
export function cursorOf(seal: string, place: string): string {
  return Buffer.from(`${seal}.${place}`).toString('base64url');
}

/** Reads a cursor as the place in the list that it continues after. */
export function cursorField(seal: string): FieldReader<string> {
  return {
    must: 'the nextCursor of the page before, with the same filters',
    read(given) {
      if (typeof given !== 'string' || !/^[A-Za-z0-9_-]{1,200}$/.test(given)) return { ok: false };
      const [of, place = ''] = Buffer.from(given, 'base64url').toString().split('.');
      return of === seal && /^[a-z0-9_]{1,64}$/.test(place) ? { ok: true, value: place } : { ok: false };
    },
  };
}
