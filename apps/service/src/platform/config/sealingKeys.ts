import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { type KeySource, readKmsAccess } from '@fairway/keys';
import { ConfigError } from './error.ts';
import type { EnvironmentVariables } from './variables.ts';

/** Published like the sandbox's accounts and its demo credential: the sandbox holds nobody's real details. */
export const SANDBOX_SEALING_KEY: KeySource = {
  kind: 'BYTES',
  id: 'sandbox',
  key: createHash('sha256').update('fairway sandbox sealing key').digest(),
};

/** What an id of a sealing key looks like. */
export const SEALING_KEY_ID = /^[A-Za-z0-9._-]{1,32}$/;

/**
 * Reads FAIRWAY_SEALING_KEYS: entries separated by commas, each ID:KEY, ID:file:PATH or ID:kms:PATH. No file is read
 * and no service asked here.
 * @throws ConfigError
 */
export function readSealingKeys(environment: EnvironmentVariables): readonly KeySource[] {
  const text = environment.FAIRWAY_SEALING_KEYS;
  if (text === undefined || text === '') return [];
  const sources = text.split(',').map((entry) => readEntry(entry.trim(), environment));
  if (new Set(sources.map(({ id }) => id)).size < sources.length)
    throw new ConfigError(['FAIRWAY_SEALING_KEYS: each key needs an id of its own.']);
  return sources;
}

function readEntry(entry: string, environment: EnvironmentVariables): KeySource {
  const [, id = '', digits, kind, path = ''] =
    /^([^:]+):(?:([0-9a-fA-F]{64})|(file|kms):(.+))$/.exec(entry) ?? [];
  if (SEALING_KEY_ID.test(id)) {
    if (digits !== undefined) return { kind: 'BYTES', id, key: Buffer.from(digits, 'hex') };
    if (kind === 'file') return { kind: 'FILE', id, path: resolve(path) };
    if (kind === 'kms') return { kind: 'KMS', id, path: resolve(path), access: readKmsAccess(environment) };
  }
  // The entry is not shown: it may be a key.
  throw new ConfigError([
    'FAIRWAY_SEALING_KEYS: must be ID:KEY, ID:file:PATH or ID:kms:PATH, separated by commas; ID of letters, digits, ".", ' +
      '"_" and "-", KEY 32 bytes as 64 hex digits.',
  ]);
}
