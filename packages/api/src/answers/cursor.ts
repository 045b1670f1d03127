import { createHash } from 'node:crypto';
import type { FieldReader } from '../fields/fields.ts';

/**
 * A short hash of a list and its filters. A cursor contains it, so that the cursor is refused for another list, where
 * it would skip or repeat items.
 *
 * @example
 * ```ts
 * import { sealOf } from '@fairway/api';
 *
 * const seal = sealOf('plans', { status: 'ENDED' });
 * ```
 */
export function sealOf(list: string, question: object): string {
  return createHash('sha256')
    .update(JSON.stringify([list, question]))
    .digest('base64url')
    .slice(0, 8);
}

/**
 * The cursor that continues a list after a place.
 *
 * @example
 * ```ts
 * import { cursorOf, sealOf } from '@fairway/api';
 *
 * const cursor = cursorOf(sealOf('plans', {}), 'plan_1');
 * ```
 */
export function cursorOf(seal: string, place: string): string {
  return Buffer.from(`${seal}.${place}`).toString('base64url');
}

/**
 * Reads the place from a cursor. Refuses a cursor of another list or of other filters.
 *
 * @example
 * ```ts
 * import { cursorField, sealOf } from '@fairway/api';
 *
 * const field = cursorField(sealOf('plans', {}));
 * ```
 */
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
