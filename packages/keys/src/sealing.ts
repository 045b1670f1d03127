import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { type Key, KEY_BYTES } from './keySource.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Where a sealed value belongs: `ownerId` is the plan or the registered recipient that it is of. The place is authenticated too: the value
 * does not open in another place.
 */
export type SealedPlace = {
  readonly organisationId: string;
  readonly ownerId: string;
  readonly field: string;
};

/** A value that only a holder of the key can read or change. `sealed` is nonce, ciphertext and tag. */
export type Sealed = { readonly keyId: string; readonly sealed: Buffer };

/**
 * The text of a sealed value, or why it cannot be read. KEY_UNKNOWN: no key has the id that the value names.
 * SEAL_BROKEN: the value was altered, moved from another place, or sealed by another key of the same id.
 */
export type Unsealing =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'KEY_UNKNOWN' | 'SEAL_BROKEN' };

/** Seals and opens personal data with AES-256-GCM and a random nonce of 96 bits. */
export type Sealing = {
  /** Seals with the first key. Throws without any key, because nothing may be kept unsealed. */
  seal: (place: SealedPlace, text: string) => Sealed;
  unseal: (place: SealedPlace, sealed: Sealed) => Unsealing;
  /** The id of the key that seals. Throws without any key. */
  currentKeyId: () => string;
};

/**
 * Binds sealing to keys: the first key seals, and all keys open. Throws for a wrong length and for an id given twice.
 *
 * @example
 * ```ts
 * import { createSealing, type Key } from '@fairway/keys';
 *
 * declare const keys: readonly Key[];
 * const { seal, unseal } = createSealing(keys);
 * const place = { organisationId: 'org_1', ownerId: 'whe_1', field: 'secrets' };
 * unseal(place, seal(place, 'a secret')); // { ok: true, text: 'a secret' }
 * ```
 */
export function createSealing(sealingKeys: readonly Key[]): Sealing {
  const keys = new Map<string, KeyObject>();
  for (const { id, key } of sealingKeys) {
    if (key.length !== KEY_BYTES) throw new Error(`The sealing key ${id} must have ${KEY_BYTES} bytes.`);
    if (keys.has(id)) throw new Error(`Two sealing keys are called ${id}.`);
    keys.set(id, createSecretKey(key));
  }
  const first = () => {
    const [entry] = keys;
    if (entry === undefined) throw new Error('Sealing needs a key, and none was given.');
    return entry;
  };
  return {
    currentKeyId: () => first()[0],
    seal: (place, text) => {
      const [keyId, key] = first();
      return { keyId, sealed: seal(key, place, text) };
    },
    unseal: (place, { keyId, sealed }) => {
      const key = keys.get(keyId);
      return key === undefined ? { ok: false, reason: 'KEY_UNKNOWN' } : unseal(key, place, sealed);
    },
  };
}

function seal(key: KeyObject, place: SealedPlace, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(associatedData(place));
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

function unseal(key: KeyObject, place: SealedPlace, sealed: Buffer): Unsealing {
  const broken: Unsealing = { ok: false, reason: 'SEAL_BROKEN' };
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return broken;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(associatedData(place))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  const opened = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return { ok: true, text: Buffer.concat([opened, decipher.final()]).toString('utf8') };
  } catch {
    return broken;
  }
}

/** The place as JSON, so that two different places never become the same bytes. */
function associatedData({ organisationId, ownerId, field }: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify([organisationId, ownerId, field]));
}
