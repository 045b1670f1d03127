import { isOutcomeUnknown, isUnavailable } from './connection/unavailable.ts';

/**
 * Writes, and does so once more where it is unknown whether the first try was carried out. The second finds what the first
 * has written, or writes it. Where it cannot be made either, the outcome stays unknown.
 *
 * @example
 * ```ts
 * import { surely } from '@fairway/postgres';
 * import { type Kysely, sql } from 'kysely';
 *
 * declare const database: Kysely<unknown>;
 * await surely(() => sql`insert into names values ('a') on conflict do nothing`.execute(database));
 * ```
 */
export async function surely<Written>(
  write: () => Promise<Written>,
  again: () => Promise<Written> = write,
): Promise<Written> {
  try {
    return await write();
  } catch (cause) {
    if (!isOutcomeUnknown(cause)) throw cause;
    return again().catch((second: unknown) => {
      throw isUnavailable(second) ? cause : second;
    });
  }
}
