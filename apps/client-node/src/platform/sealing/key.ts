import { createHash, randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Key, readKey } from '@fairway/keys';
import { ConfigError } from '../config/error.ts';

/**
 * The key with which the secrets of webhook endpoints are sealed. It is made at the first start, in a file of the data
 * folder that its owner alone can read. So a copy of the database opens none of them.
 * @throws ConfigError when the file has no key.
 */
export async function openSealingKey(dataDirectory: string): Promise<Key> {
  const path = join(dataDirectory, 'sealing-key');
  if (!existsSync(path)) writeFileSync(path, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  const read = await readKey({ kind: 'FILE', id: 'sealing-key', path });
  if (!read.ok) throw new ConfigError([`${path}: ${read.detail}`]);
  const { key } = read.key;
  // Another key has another id, so that what it cannot open is known.
  const id = createHash('sha256').update('fairway node sealing key').update(key).digest('hex').slice(0, 16);
  return { id, key };
}
