import { createHash, randomBytes, randomInt } from 'node:crypto';

const TOKEN_BYTES = 32;

/** A new link token: 256 random bits as 43 characters of base64url. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The hash that is stored instead of a token. SHA-256 without a key is enough, as nobody can guess 256 random bits. */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** A new code of six digits. */
export function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}
