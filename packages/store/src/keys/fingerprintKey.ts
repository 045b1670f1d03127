import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { FingerprintKey } from './fingerprints.ts';
import type { SealedPlace, Sealing } from '@fairway/keys';
import { KEY_BYTES } from '@fairway/credentials';

const NAME = 'fingerprints';
/** The version is one byte of a fingerprint. */
const LAST_VERSION = 255;

/** Why the key of fingerprints cannot be had; `detail` names the remedy. */
export type FingerprintKeyRefusal = {
  readonly ok: false;
  readonly reason:
    | 'SEALING_KEY_MISSING'
    | 'SEALING_KEY_WRONG'
    | 'FINGERPRINT_KEY_MISSING'
    | 'FINGERPRINT_KEY_KNOWN';
  readonly detail: string;
};

type Opened = { readonly ok: true; readonly fingerprintKey: FingerprintKey } | FingerprintKeyRefusal;

/**
 * The key that this database's fingerprints are made with. It is made at first use, and wrapped by the first key. Where
 * plans or registered recipients have fingerprints of a key that is not there, none is made: repeated requests would not be recognised.
 */
export async function openFingerprintKey(database: Database, sealing: Sealing): Promise<Opened> {
  const known = await readRow(database);
  if (known !== undefined) return unwrap(sealing, known);
  if ((await highestVersion(database)) > 0) {
    // Another process may have made the key, and plans with it, since the row was read.
    const made = await readRow(database);
    return made === undefined ? missing() : unwrap(sealing, made);
  }
  await database
    .insertInto('wrapped_keys')
    .values({ name: NAME, ...wrapNew(sealing, 1) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const kept = await readRow(database);
  if (kept === undefined) throw new Error('The key of fingerprints must be there once it was made.');
  return unwrap(sealing, kept);
}

/**
 * Wraps the fingerprint key with the first sealing key, if another one wraps it. Returns whether it was wrapped anew.
 */
export async function rewrapFingerprintKey(database: Database, sealing: Sealing): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const row = await readRow(transaction, true);
    if (row === undefined || row.key_id === sealing.currentKeyId()) return false;
    const opened = unwrap(sealing, row);
    if (!opened.ok) throw new Error('The key of fingerprints was opened before it is wrapped again.');
    const { version, key } = opened.fingerprintKey;
    await write(transaction, { version, ...wrap(sealing, version, key) });
    return true;
  });
}

/**
 * Replaces the key of fingerprints if the lost sealing key wraps it, because nobody can open it then. Fingerprints made
 * with it can never be compared again.
 */
export async function replaceFingerprintKey(
  database: Database,
  sealing: Sealing,
  lostKeyId: string,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const row = await readRow(transaction, true);
    if (row?.key_id !== lostKeyId) return;
    await write(transaction, wrapNew(sealing, await nextVersion(transaction, row)));
  });
}

/** Makes a new fingerprint key where the present one is missing or damaged. Refuses to replace a good one. */
export async function replaceMissingKey(
  database: Database,
  sealing: Sealing,
): Promise<{ readonly ok: true } | FingerprintKeyRefusal> {
  return database.transaction().execute(async (transaction) => {
    const row = await readRow(transaction, true);
    const opened = row && unwrap(sealing, row);
    if (opened?.ok === true) {
      const detail = 'the key of the fingerprints is there, and opens: leave the option out';
      return { ok: false, reason: 'FINGERPRINT_KEY_KNOWN', detail };
    }
    if (opened?.reason === 'SEALING_KEY_MISSING') return opened;
    const made = { name: NAME, ...wrapNew(sealing, await nextVersion(transaction, row)) };
    await transaction
      .insertInto('wrapped_keys')
      .values(made)
      .onConflict((conflict) => conflict.column('name').doUpdateSet(made))
      .execute();
    return { ok: true };
  });
}

/** A version that no stored fingerprint has. The row may come from an older backup than the plans. */
async function nextVersion(database: Database, row: Row | undefined): Promise<number> {
  const highest = await highestVersion(database);
  const version = row !== undefined && row.version > highest ? row.version + 1 : highest + 1;
  if (version > LAST_VERSION) throw new Error('The key of fingerprints was replaced too often.');
  return version;
}

/** The highest version of the fingerprints of requests and of registered recipients; 0 where there are none. It reads all plans. */
async function highestVersion(database: Database): Promise<number> {
  const { rows } = await sql<{ stored: Buffer }>`
    (select body_fingerprint as stored from plans any_fingerprint order by body_fingerprint desc limit 1)
    union all
    (select fingerprint from registered_recipient_versions any_fingerprint order by fingerprint desc limit 1)`.execute(
    database,
  );
  return Math.max(0, ...rows.map(({ stored }) => stored[0] ?? 0));
}

type Row = { readonly version: number; readonly key_id: string; readonly sealed: Buffer };

function readRow(database: Database, isLocked = false): Promise<Row | undefined> {
  const row = database
    .selectFrom('wrapped_keys')
    .select(['version', 'key_id', 'sealed'])
    .where('name', '=', NAME);
  return (isLocked ? row.forUpdate() : row).executeTakeFirst();
}

async function write(transaction: Database, row: Row): Promise<void> {
  await transaction.updateTable('wrapped_keys').set(row).where('name', '=', NAME).execute();
}

function wrapNew(sealing: Sealing, version: number): Row {
  return { version, ...wrap(sealing, version, randomBytes(KEY_BYTES)) };
}

function wrap(sealing: Sealing, version: number, key: Buffer): Pick<Row, 'key_id' | 'sealed'> {
  const { keyId, sealed } = sealing.seal(placeOf(version), key.toString('base64'));
  return { key_id: keyId, sealed };
}

function unwrap(sealing: Sealing, { version, key_id: keyId, sealed }: Row): Opened {
  const opened = sealing.unseal(placeOf(version), { keyId, sealed });
  if (opened.ok) return { ok: true, fingerprintKey: { version, key: Buffer.from(opened.text, 'base64') } };
  if (opened.reason === 'KEY_UNKNOWN') {
    const detail =
      `the sealing key ${keyId} is missing: it wraps the key of the fingerprints. Give it again, behind the first key, ` +
      `until "fairway reseal" has wrapped the key anew; if it is lost for ever, run: fairway reseal --lost ${keyId}`;
    return { ok: false, reason: 'SEALING_KEY_MISSING', detail };
  }
  const detail =
    `the key of the fingerprints does not open with the sealing key ${keyId}: restore the table wrapped_keys; if no ` +
    'backup has it, run: fairway reseal --lost-fingerprints';
  return { ok: false, reason: 'SEALING_KEY_WRONG', detail };
}

function missing(): FingerprintKeyRefusal {
  const detail =
    'the table wrapped_keys lacks the key of the fingerprints, and there are plans whose fingerprints were made with it: ' +
    'restore the table; if no backup has it, run: fairway reseal --lost-fingerprints';
  return { ok: false, reason: 'FINGERPRINT_KEY_MISSING', detail };
}

/** The key belongs to no organisation. */
function placeOf(version: number): SealedPlace {
  return { organisationId: '', ownerId: '', field: `key of fingerprints, version ${version}` };
}
