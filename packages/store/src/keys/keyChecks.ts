import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { SEALED_TABLES, sealedRows, unsealRow } from './sealedTables.ts';
import type { Sealing, SealingKey } from './sealing.ts';
import { deriveKey } from './secrets.ts';

const CHECK_BYTES = 16;
/** How many records of each table are tried when a key is seen for the first time. */
const SAMPLE = 20;

/** A key whose bytes are not those that its id stands for in this database. */
export type WrongKey = { readonly ok: false; readonly reason: 'SEALING_KEY_WRONG'; readonly detail: string };

/**
 * Compares each key with the check value that is stored for its id, and stores one for an id that has none. Of
 * processes that bring different bytes under one id, all but the first are refused here.
 */
export async function checkSealingKeys(
  database: Database,
  sealing: Sealing,
  keys: readonly SealingKey[],
): Promise<{ readonly ok: true } | WrongKey> {
  for (const key of keys) {
    const check = checkValueOf(key);
    const known = await readCheck(database, key.id);
    if (known === undefined && !(await opensItsRecords(database, sealing, key.id))) return wrong(key.id);
    const kept = known ?? (await keepCheck(database, key.id, check));
    if (!kept.equals(check)) return wrong(key.id);
  }
  return { ok: true };
}

/** That no record, no wrapped key and no check value of this database names a key. */
export type UnknownKey = {
  readonly ok: false;
  readonly reason: 'SEALING_KEY_UNKNOWN';
  readonly detail: string;
};

/** Whether a key was ever used in this database; else the ids of those that were, for the operator. */
export async function findUsedKey(
  database: Database,
  keyId: string,
): Promise<{ readonly ok: true } | UnknownKey> {
  const ids = new Set<string>();
  const keys = await database.selectFrom('sealing_keys').select('key_id').execute();
  const wraps = await database.selectFrom('wrapped_keys').select('key_id').execute();
  for (const { key_id: id } of [...keys, ...wraps]) ids.add(id);
  // Records from before check values name keys that no table of keys has.
  for (const table of SEALED_TABLES) {
    const rows = await sealedRows(database, table, sql`key_id = ${keyId} limit 1`);
    if (rows.length > 0) ids.add(keyId);
  }
  if (ids.has(keyId)) return { ok: true };
  const known = ids.size === 0 ? 'it knows none' : `it knows ${[...ids].sort().join(', ')}`;
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

/** Stores a check value unless another process was first. Answers the one that is stored. */
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

/**
 * Whether records that were sealed under this id, before check values were stored, open with the key. One that opens is
 * enough: others may have been altered. So is having none.
 */
async function opensItsRecords(database: Database, sealing: Sealing, keyId: string): Promise<boolean> {
  let isTried = false;
  for (const table of SEALED_TABLES) {
    const rows = await sealedRows(database, table, sql`key_id = ${keyId} limit ${SAMPLE}`);
    if (rows.some((row) => unsealRow(sealing, table, row).ok)) return true;
    isTried ||= rows.length > 0;
  }
  return !isTried;
}

function wrong(keyId: string): WrongKey {
  const detail =
    `the sealing key ${keyId} is not the one that this database knows by that id: give the bytes that ${keyId} had, or ` +
    'give a new key an id of its own';
  return { ok: false, reason: 'SEALING_KEY_WRONG', detail };
}

/** A value that differs between keys and between ids without revealing a key. */
function checkValueOf({ id, key }: SealingKey): Buffer {
  return createHmac('sha256', deriveKey(key, 'fairway sealing key check v1'))
    .update(id)
    .digest()
    .subarray(0, CHECK_BYTES);
}
