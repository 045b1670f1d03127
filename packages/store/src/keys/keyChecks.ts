import { createHmac } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { Key } from '@fairway/keys';
import { deriveKey } from '@fairway/credentials';

const CHECK_BYTES = 16;

/** A key that has other bytes than this database has recorded for its id. */
export type WrongKey = { readonly ok: false; readonly reason: 'SEALING_KEY_WRONG'; readonly detail: string };

/**
 * Compares each key with the check value that is stored for its id, and stores one for an id that has none. When
 * processes bring different bytes under one id, all but the first are refused here.
 */
export async function checkSealingKeys(
  database: Database,
  keys: readonly Key[],
): Promise<{ readonly ok: true } | WrongKey> {
  for (const key of keys) {
    const check = checkValueOf(key);
    const kept = (await readCheck(database, key.id)) ?? (await keepCheck(database, key.id, check));
    if (!kept.equals(check)) return wrong(key.id);
  }
  return { ok: true };
}

/** Says that this database has no check value for a key. */
export type UnknownKey = {
  readonly ok: false;
  readonly reason: 'SEALING_KEY_UNKNOWN';
  readonly detail: string;
};

/** Whether a key was ever used in this database. If not, the detail lists the ids that were used. */
export async function findUsedKey(
  database: Database,
  keyId: string,
): Promise<{ readonly ok: true } | UnknownKey> {
  const rows = await database.selectFrom('sealing_keys').select('key_id').orderBy('key_id').execute();
  const ids = rows.map(({ key_id: id }) => id);
  if (ids.includes(keyId)) return { ok: true };
  const known = ids.length === 0 ? 'it knows none' : `it knows ${ids.join(', ')}`;
  const detail = `the sealing key ${keyId} was never used in this database: ${known}. Is the id mistyped?`;
  return { ok: false, reason: 'SEALING_KEY_UNKNOWN', detail };
}

async function readCheck(database: Database, keyId: string): Promise<Buffer | undefined> {
  const row = await database
    .selectFrom('sealing_keys')
    .select('check_value')
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  return row?.check_value;
}

/** Stores a check value unless another process was first. Returns the stored one. */
async function keepCheck(database: Database, keyId: string, check: Buffer): Promise<Buffer> {
  await database
    .insertInto('sealing_keys')
    .values({ key_id: keyId, check_value: check })
    .onConflict((conflict) => conflict.column('key_id').doNothing())
    .execute();
  const kept = await readCheck(database, keyId);
  if (kept === undefined) throw new Error('A check value must be there once it was stored.');
  return kept;
}

function wrong(keyId: string): WrongKey {
  const detail =
    `the sealing key ${keyId} is not the one that this database knows by that id: give the bytes that ${keyId} had, or ` +
    'give a new key an id of its own';
  return { ok: false, reason: 'SEALING_KEY_WRONG', detail };
}

/** A value that differs between keys and between ids without revealing a key. */
function checkValueOf({ id, key }: Key): Buffer {
  return createHmac('sha256', deriveKey(key, 'fairway sealing key check v1'))
    .update(id)
    .digest()
    .subarray(0, CHECK_BYTES);
}
