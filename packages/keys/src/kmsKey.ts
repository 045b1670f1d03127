import { readSmallFile } from './keyFile.ts';
import { KEY_BYTES, type KeyOutcome, type KeyRefusal, unavailable, unusable } from './keySource.ts';
import { callKms, jsonObjectOf, type KmsPlace } from './kmsCall.ts';
import type { KmsAccess } from './kmsAccess.ts';

/** What a new wrapped key is made with. `endpoint`: of a service other than AWS; absent: that of the region. */
export type WrappedKeyOrder = {
  readonly id: string;
  readonly kmsKey: string;
  readonly region: string;
  readonly endpoint?: string;
};

/** The text of a file for a source of the kind KMS. It is no secret: only the service can unwrap the key. */
export type CreatedKey = { readonly ok: true; readonly fileText: string } | KeyRefusal;

/**
 * Has the service make a key and wrap it. Nobody sees the key itself until a process unwraps it.
 *
 * @example
 * ```ts
 * import { createWrappedKey } from '@fairway/keys';
 *
 * const credentials = { kind: 'STATIC', accessKeyId: 'AKIA…', secretAccessKey: '…' } as const;
 * const order = { id: '2026', kmsKey: 'alias/fairway', region: 'eu-central-1' };
 * const created = await createWrappedKey(order, { credentials });
 * const text = created.ok ? created.fileText : created.detail; // '{"kmsKey": …'
 * ```
 */
export async function createWrappedKey(order: WrappedKeyOrder, access: KmsAccess): Promise<CreatedKey> {
  const { id, ...place } = order;
  const answer = await callKms(place, access, 'GenerateDataKeyWithoutPlaintext', {
    KeyId: order.kmsKey,
    NumberOfBytes: KEY_BYTES,
    EncryptionContext: contextOf(id),
  });
  if (!answer.ok) return refused(id, answer);
  const { CiphertextBlob: ciphertext, KeyId: kmsKey } = answer.body;
  if (typeof ciphertext !== 'string' || typeof kmsKey !== 'string')
    return unusable(id, 'the key management service answers without a wrapped key.');
  // The service answers with the whole name of the key, which an alias can no longer be moved away from.
  return { ok: true, fileText: `${JSON.stringify({ ...place, kmsKey, ciphertext }, null, 2)}\n` };
}

/** Has the service unwrap the key of a file. */
export async function unwrapKey(id: string, path: string, access: KmsAccess): Promise<KeyOutcome> {
  const file = await readSmallFile(path, () => undefined);
  if (!file.ok) return unusable(id, file.detail);
  const wrapped = readWrappedKey(file.text);
  if (wrapped === undefined)
    return unusable(
      id,
      `${path} is not a file that "fairway keys create" writes: kmsKey, region and ciphertext.`,
    );
  const { ciphertext, place } = wrapped;
  const answer = await callKms(place, access, 'Decrypt', {
    KeyId: place.kmsKey,
    CiphertextBlob: ciphertext,
    EncryptionContext: contextOf(id),
  });
  if (!answer.ok) return refused(id, answer);
  const plaintext = answer.body['Plaintext'];
  const key = Buffer.from(typeof plaintext === 'string' ? plaintext : '', 'base64');
  if (key.length !== KEY_BYTES) return unusable(id, `what ${path} wraps is not a key of ${KEY_BYTES} bytes.`);
  return { ok: true, key: { id, key } };
}

function refused(id: string, { isTransient, detail }: { isTransient: boolean; detail: string }): KeyRefusal {
  return isTransient ? unavailable(id, detail) : unusable(id, detail);
}

/** What the service binds the wrapped key to: it does not open as the key of another id. */
function contextOf(id: string): Readonly<Record<string, string>> {
  return { 'fairway-key': id };
}

function readWrappedKey(text: string): { place: KmsPlace; ciphertext: string } | undefined {
  const { kmsKey, region, endpoint, ciphertext } = jsonObjectOf(text) ?? {};
  if (typeof kmsKey !== 'string' || typeof ciphertext !== 'string') return undefined;
  if (typeof region !== 'string' || !/^[a-z0-9-]{1,40}$/.test(region)) return undefined;
  if (endpoint === undefined) return { ciphertext, place: { kmsKey, region } };
  return typeof endpoint === 'string' && URL.canParse(endpoint)
    ? { ciphertext, place: { kmsKey, region, endpoint } }
    : undefined;
}
