import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** The length of every key here, and of the secrets of credentials. */
export const KEY_BYTES = 32;

/** Hashes and compares the secrets of credentials under one server key. */
export type SecretHasher = {
  /**
   * HMAC-SHA256 of a user name and a secret, so that a hash copied to another row is useless. A fast hash is enough,
   * because the secrets are 256 random bits and not words that people choose.
   */
  hash: (username: string, secret: string) => Buffer;
  /** Whether two hashes are equal, in constant time; a missing hash is unequal and takes as long. */
  isEqual: (presented: Buffer, stored: Buffer | undefined | null) => boolean;
};

/**
 * Makes the hasher. Its key is derived from the server key, which has other purposes too.
 *
 * @example
 * ```ts
 * import { createSecretHasher } from '@fairway/credentials';
 *
 * const { hash, isEqual } = createSecretHasher(Buffer.alloc(32, 1));
 * isEqual(hash('cred_1', 'secret'), hash('cred_2', 'secret')); // false
 * ```
 */
export function createSecretHasher(serverKey: Buffer): SecretHasher {
  const key = deriveKey(serverKey, 'fairway credential secrets v1');
  const nobodysHash = randomBytes(32);
  return {
    hash: (username, secret) => createHmac('sha256', key).update(`${username}\0${secret}`).digest(),
    isEqual: (presented, stored) => timingSafeEqual(presented, stored ?? nobodysHash) && stored != null,
  };
}

/** A value that differs between server keys without revealing them. */
export function fingerprintOf(serverKey: Buffer): Buffer {
  return createHmac('sha256', deriveKey(serverKey, 'fairway server key fingerprint v1'))
    .digest()
    .subarray(0, 16);
}

/** A new secret: 256 random bits as 43 characters of base64url. */
export function generateSecret(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

/**
 * The key of one purpose, derived from a key that has several.
 *
 * @example
 * ```ts
 * import { deriveKey } from '@fairway/credentials';
 *
 * const key = deriveKey(Buffer.alloc(32, 1), 'invoices v1');
 * ```
 */
export function deriveKey(key: Buffer, label: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), label, KEY_BYTES)));
}
