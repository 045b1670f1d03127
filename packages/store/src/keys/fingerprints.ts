import { createHmac, type KeyObject } from 'node:crypto';
import { deriveKey } from '@fairway/credentials';

/**
 * What a fingerprint is used for; each purpose has a key of its own. `recipient` and `request` are stored, and people
 * could try out what they were made of. `code` and `submission` cover the token of a link, 256 random bits that are not
 * stored.
 */
export type FingerprintPurpose = 'recipient' | 'request' | 'code' | 'submission';

/**
 * A keyed hash of a text, equal for equal texts of one organisation. An organisation's id holds no NUL, so that two
 * different pairs of id and text never become the same input.
 */
export type Fingerprint = (purpose: FingerprintPurpose, organisationId: string, text: string) => Buffer;

/** The key of guarded fingerprints. `version` is the first byte of each: another key has another version. */
export type FingerprintKey = { readonly version: number; readonly key: Buffer };

/** Makes fingerprints, and tells which stored ones can be compared with them. */
export type Fingerprints = {
  readonly fingerprint: Fingerprint;
  /** Whether guarded fingerprints can be made, so that some may be stored. */
  readonly isGuarded: boolean;
  /** A stored guarded fingerprint. Undefined: it was made with a key that is lost, so that it cannot be compared with anything. */
  readonly comparable: (stored: Buffer) => Buffer | undefined;
};

/**
 * Makes fingerprints: those of recipients and requests under the wrapped key, the others under the server key. Without a
 * wrapped key, guarded fingerprints throw.
 */
export function createFingerprints(serverKey: Buffer, guard: FingerprintKey | undefined): Fingerprints {
  // The labels never change: stored fingerprints were made with them.
  const keys = {
    submission: deriveKey(serverKey, 'fairway submission fingerprints v1'),
    code: deriveKey(serverKey, 'fairway code fingerprints v1'),
  };
  const guardedKeys = guard && {
    recipient: deriveKey(guard.key, 'fairway recipient fingerprints v1'),
    request: deriveKey(guard.key, 'fairway request fingerprints v1'),
  };
  return {
    isGuarded: guard !== undefined,
    fingerprint: (purpose, organisationId, text) => {
      const hash = (key: KeyObject) =>
        createHmac('sha256', key).update(`${organisationId}\0${text}`).digest();
      if (purpose === 'submission' || purpose === 'code') return hash(keys[purpose]);
      if (guard === undefined || guardedKeys === undefined)
        throw new Error('Fingerprints of recipients and requests need a sealing key, and none was given.');
      return Buffer.concat([Buffer.of(guard.version), hash(guardedKeys[purpose])]);
    },
    comparable: (stored) => (stored[0] === guard?.version ? stored : undefined),
  };
}
