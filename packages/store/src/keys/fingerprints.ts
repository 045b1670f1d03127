import { createHmac } from 'node:crypto';
import { deriveKey } from './secrets.ts';

/**
 * What a fingerprint is used for; each purpose has a key of its own. `recipient` and `request` are stored, and people
 * could try out what they were made of. `code` and `submission` cover the token of a link, 256 random bits that are not
 * stored.
 */
export type FingerprintPurpose = 'recipient' | 'request' | 'code' | 'submission';

/** The purposes of which the fingerprints need the key that is stored wrapped. */
export type GuardedPurpose = 'recipient' | 'request';

/**
 * A keyed hash of a text, equal for equal texts of one organisation. An organisation's id holds no NUL, so that two
 * different pairs of id and text never become the same input.
 */
export type Fingerprint = (purpose: FingerprintPurpose, organisationId: string, text: string) => Buffer;

/** The key of guarded fingerprints. `version` is the first byte of each: another key has another version. */
export type FingerprintKey = { readonly version: number; readonly key: Buffer };

/** Makes fingerprints, and brings stored ones to the form in which they are compared. */
export type Fingerprints = {
  readonly fingerprint: Fingerprint;
  /** Whether guarded fingerprints can be made, so that some may be stored. */
  readonly isGuarded: boolean;
  /**
   * A stored fingerprint as this store would make it. Undefined: it was made with a key that is lost, so that it cannot
   * be compared with anything.
   */
  readonly current: (purpose: GuardedPurpose, stored: Buffer) => Buffer | undefined;
};

/** The version that names no wrapped key: fingerprints without a first byte, under the server key alone. */
export const UNGUARDED_VERSION = 1;

/** The length of a fingerprint under the server key alone; others are longer by their version. */
export const UNGUARDED_BYTES = 32;

/**
 * Makes fingerprints. A guarded one is the HMAC-SHA256, under the wrapped key, of the HMAC-SHA256 under the server key:
 * those that were stored before there was a wrapped key become equal to new ones without their texts. Without a
 * wrapped key, guarded fingerprints throw.
 */
export function createFingerprints(serverKey: Buffer, guard: FingerprintKey | undefined): Fingerprints {
  // The labels never change: stored fingerprints were made with them.
  const recipient = deriveKey(serverKey, 'fairway recipient fingerprints v1');
  const keys = {
    recipient,
    submission: recipient,
    request: deriveKey(serverKey, 'fairway request fingerprints v1'),
    code: deriveKey(serverKey, 'fairway code fingerprints v1'),
  };
  const guards = guard && {
    recipient: deriveKey(guard.key, 'fairway recipient fingerprints v2'),
    request: deriveKey(guard.key, 'fairway request fingerprints v2'),
  };
  const guarded = (purpose: GuardedPurpose, unguarded: Buffer): Buffer => {
    if (guard === undefined || guards === undefined)
      throw new Error('Fingerprints of recipients and requests need a sealing key, and none was given.');
    const hash = createHmac('sha256', guards[purpose]).update(unguarded).digest();
    return Buffer.concat([Buffer.of(guard.version), hash]);
  };
  return {
    isGuarded: guard !== undefined,
    fingerprint: (purpose, organisationId, text) => {
      const hash = createHmac('sha256', keys[purpose]).update(`${organisationId}\0${text}`).digest();
      return purpose === 'recipient' || purpose === 'request' ? guarded(purpose, hash) : hash;
    },
    current: (purpose, stored) => {
      if (isUnguarded(stored)) return guarded(purpose, stored);
      return stored[0] === guard?.version ? stored : undefined;
    },
  };
}

/** Whether a stored fingerprint was made under the server key alone. */
export function isUnguarded(stored: Buffer): boolean {
  return stored.length === UNGUARDED_BYTES;
}
