import { createPublicKey } from 'node:crypto';
import type { KmsAccess } from './kmsAccess.ts';
import { callKms, type KmsPlace } from './kmsCall.ts';

/** Why the service did not do something. `isTransient`: a later attempt may succeed. */
export type KmsRefusal = { readonly ok: false; readonly isTransient: boolean; readonly detail: string };

/** A public key of the curve secp256k1: its two coordinates, 64 bytes together. */
export type PublicKeyOutcome = { readonly ok: true; readonly publicKey: Buffer } | KmsRefusal;

/** A signature as the service made it: `s` may be the higher one of two, and no parity is known. */
export type SignatureOutcome = { readonly ok: true; readonly r: bigint; readonly s: bigint } | KmsRefusal;

/**
 * Reads the public key of a key that signs. The private key never leaves the service.
 *
 * @example
 * ```ts
 * import { readPublicKey } from '@fairway/keys';
 *
 * const credentials = { kind: 'STATIC', accessKeyId: 'AKIA…', secretAccessKey: '…' } as const;
 * const place = { kmsKey: 'alias/relayer', region: 'eu-central-1' };
 * const read = await readPublicKey(place, { credentials });
 * const text = read.ok ? read.publicKey.toString('hex') : read.detail;
 * ```
 */
export async function readPublicKey(place: KmsPlace, access: KmsAccess): Promise<PublicKeyOutcome> {
  const answer = await callKms(place, access, 'GetPublicKey', { KeyId: place.kmsKey });
  if (!answer.ok) return answer;
  const { KeySpec: spec, KeyUsage: usage, PublicKey: encoded } = answer.body;
  if (spec !== 'ECC_SECG_P256K1' || usage !== 'SIGN_VERIFY')
    return unusable(`the key ${place.kmsKey} must have the usage SIGN_VERIFY and the spec ECC_SECG_P256K1.`);
  const publicKey = coordinatesOf(String(encoded));
  return publicKey === undefined
    ? unusable('the key management service answers without a public key.')
    : { ok: true, publicKey };
}

/**
 * Has a digest of 32 bytes signed.
 *
 * @example
 * ```ts
 * import { signDigest } from '@fairway/keys';
 *
 * const credentials = { kind: 'STATIC', accessKeyId: 'AKIA…', secretAccessKey: '…' } as const;
 * const place = { kmsKey: 'alias/relayer', region: 'eu-central-1' };
 * const signed = await signDigest(place, { credentials }, Buffer.alloc(32, 1));
 * const text = signed.ok ? signed.r.toString(16) : signed.detail;
 * ```
 */
export async function signDigest(
  place: KmsPlace,
  access: KmsAccess,
  digest: Uint8Array,
): Promise<SignatureOutcome> {
  const answer = await callKms(place, access, 'Sign', {
    KeyId: place.kmsKey,
    Message: Buffer.from(digest).toString('base64'),
    MessageType: 'DIGEST',
    SigningAlgorithm: 'ECDSA_SHA_256',
  });
  if (!answer.ok) return answer;
  const signature = numbersOf(Buffer.from(String(answer.body['Signature']), 'base64'));
  return signature === undefined
    ? unusable('the key management service answers without a signature.')
    : { ok: true, ...signature };
}

function unusable(detail: string): KmsRefusal {
  return { ok: false, isTransient: false, detail };
}

/** The coordinates of a public key in DER (SubjectPublicKeyInfo). */
function coordinatesOf(encoded: string): Buffer | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(encoded, 'base64'), format: 'der', type: 'spki' });
    const { x = '', y = '' } = key.export({ format: 'jwk' });
    const coordinates = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    return coordinates.length === 64 ? coordinates : undefined;
  } catch {
    return undefined;
  }
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** The two numbers of a signature in DER (RFC 3279): a sequence of two integers, and nothing behind it. */
function numbersOf(der: Buffer): { r: bigint; s: bigint } | undefined {
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) return undefined;
  const first = integerAt(der, 2);
  const second = first && integerAt(der, first.end);
  return first !== undefined && second?.end === der.length ? { r: first.value, s: second.value } : undefined;
}

function integerAt(der: Buffer, at: number): { value: bigint; end: number } | undefined {
  const size = der[at + 1] ?? 0;
  const end = at + 2 + size;
  if (der[at] !== INTEGER || size === 0 || end > der.length) return undefined;
  return { value: BigInt(`0x${der.toString('hex', at + 2, end)}`), end };
}
