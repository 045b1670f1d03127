import { readKeyFile } from './keyFile.ts';
import { type KeyOutcome, KEY_BYTES, type KeySource, unusable } from './keySource.ts';
import { unwrapKey } from './kmsKey.ts';

/**
 * Reads a key from its source once. The caller keeps it in memory: nothing is asked again for each use.
 *
 * @example
 * ```ts
 * import { readKey } from '@fairway/keys';
 *
 * const read = await readKey({ kind: 'FILE', id: '2026', path: '/run/secrets/fairway-2026' });
 * const text = read.ok ? read.key.id : read.detail; // '2026'
 * ```
 */
export async function readKey(source: KeySource): Promise<KeyOutcome> {
  switch (source.kind) {
    case 'BYTES': {
      const { id, key } = source;
      if (key.length !== KEY_BYTES) return unusable(id, `it must have ${KEY_BYTES} bytes.`);
      return { ok: true, key: { id, key } };
    }
    case 'FILE':
      return readKeyFile(source.id, source.path);
    case 'KMS':
      return unwrapKey(source.id, source.path, source.access);
  }
}
