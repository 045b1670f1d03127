import type { KmsAccess } from './kmsAccess.ts';

/** A key of 32 bytes and the id that records name it by. */
export type Key = { readonly id: string; readonly key: Buffer };

/**
 * Where a key comes from. BYTES: the caller has it. FILE: a file of 64 hexadecimal digits that only its owner and its
 * group can read. KMS: a file with a key that a key management service wrapped, which must unwrap it.
 */
export type KeySource =
  | { readonly kind: 'BYTES'; readonly id: string; readonly key: Buffer }
  | { readonly kind: 'FILE'; readonly id: string; readonly path: string }
  | { readonly kind: 'KMS'; readonly id: string; readonly path: string; readonly access: KmsAccess };

/**
 * Why there is no key. KEY_UNAVAILABLE: the service that unwraps it does not answer, and a later attempt may succeed.
 * KEY_UNUSABLE: only the operator can help. `detail` names the id and the remedy, and never holds secret bytes.
 */
export type KeyRefusal = {
  readonly ok: false;
  readonly reason: 'KEY_UNAVAILABLE' | 'KEY_UNUSABLE';
  readonly detail: string;
};

/** A key, or why there is none. */
export type KeyOutcome = { readonly ok: true; readonly key: Key } | KeyRefusal;

/** How many bytes every key has. */
export const KEY_BYTES = 32;

/** A refusal that only the operator can end. */
export function unusable(id: string, text: string): KeyRefusal {
  return { ok: false, reason: 'KEY_UNUSABLE', detail: `The key ${id} cannot be used: ${text}` };
}

/** A refusal that may end by itself. */
export function unavailable(id: string, text: string): KeyRefusal {
  return { ok: false, reason: 'KEY_UNAVAILABLE', detail: `The key ${id} is not available: ${text}` };
}
