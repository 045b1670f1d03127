import { randomBytes } from 'node:crypto';
import type { Database } from './database/schema.ts';
import { fingerprintOf, KEY_BYTES } from './secrets.ts';

const PURPOSE = 'credentials';

/** The key that the data was written with, or why there is none. `detail` names the remedy. */
export type ServerKeyOutcome =
  | { ok: true; serverKey: Buffer }
  | {
      ok: false;
      reason: 'SERVER_KEY_INVALID' | 'SERVER_KEY_MISSING' | 'SERVER_KEY_MISMATCH';
      detail: string;
    };

/**
 * The operator's key if one is configured, else the key in the database, which is made at first use. A key other than
 * the one that the data was written with is refused here, because every credential would fail with it.
 *
 * @example
 * ```ts
 * import { openServerKey } from '@fairway/credentials';
 *
 * declare const database: Parameters<typeof openServerKey>[0];
 *
 * const opened = await openServerKey(database, undefined);
 * if (!opened.ok) throw new Error(opened.detail);
 * ```
 */
export async function openServerKey(
  database: Database,
  configured: Buffer | undefined,
): Promise<ServerKeyOutcome> {
  if (configured !== undefined && configured.length !== KEY_BYTES) {
    const detail = `the server key has ${configured.length} bytes, it must have ${KEY_BYTES}`;
    return { ok: false, reason: 'SERVER_KEY_INVALID', detail };
  }
  const proposed = configured ?? randomBytes(KEY_BYTES);
  await database
    .insertInto('server_keys')
    .values({
      purpose: PURPOSE,
      key: configured === undefined ? proposed : null,
      fingerprint: fingerprintOf(proposed),
    })
    .onConflict((conflict) => conflict.column('purpose').doNothing())
    .execute();
  const row = await database
    .selectFrom('server_keys')
    .select(['key', 'fingerprint'])
    .where('purpose', '=', PURPOSE)
    .executeTakeFirstOrThrow();
  return checkKey(configured, row);
}

function checkKey(
  configured: Buffer | undefined,
  { key, fingerprint }: { key: Buffer | null; fingerprint: Buffer },
): ServerKeyOutcome {
  const serverKey = configured ?? key;
  if (serverKey === null) {
    const detail =
      'the data was written with a server key of the operator, and none is configured: configure that key';
    return { ok: false, reason: 'SERVER_KEY_MISSING', detail };
  }
  if (fingerprintOf(serverKey).equals(fingerprint)) return { ok: true, serverKey };
  const remedy =
    key === null
      ? 'configure the key that it was written with'
      : 'it was written with the key kept in the database: configure none';
  return {
    ok: false,
    reason: 'SERVER_KEY_MISMATCH',
    detail: `the configured server key is not the one that this data was written with; ${remedy}`,
  };
}
