import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { KeySource } from '@fairway/keys';
import { ConfigError } from './error.ts';
import type { EnvironmentVariables } from './variables.ts';

/** Where the audit log is, and where the keys come from that its own are derived from. */
export type AuditConfig = {
  readonly file: string;
  /** The first writes, all verify: those of FAIRWAY_AUDIT_KEY, else the sealing keys. Without any, a published one. */
  readonly keys: readonly [KeySource, ...KeySource[]];
  /** Where the keys were read from; undefined for the published one. */
  readonly variable: 'FAIRWAY_AUDIT_KEY' | 'FAIRWAY_SEALING_KEYS' | undefined;
  /** The sealing keys where FAIRWAY_AUDIT_KEY is given: needed only for lines that were written before it was. */
  readonly formerKeys: readonly KeySource[];
  /** Whether the secret is published: then everybody can write lines, and the log proves nothing. */
  readonly isPublished: boolean;
};

/** Published like the other keys of the sandbox. */
const PUBLISHED_KEY: KeySource = {
  kind: 'BYTES',
  id: 'published',
  key: createHash('sha256').update('fairway sandbox audit key').digest(),
};

/**
 * Reads where the audit log is: the file that was named, else `audit.log` in the data folder. Undefined without either.
 * @throws ConfigError
 */
export function readAudit(
  named: string | undefined,
  dataDirectory: string | undefined,
  sealingKeys: readonly KeySource[],
  { FAIRWAY_AUDIT_KEY: text = '' }: EnvironmentVariables,
): AuditConfig | undefined {
  const own = text === '' ? [] : text.split(',').map((entry) => readEntry(entry.trim()));
  const [first, ...rest] = own.length > 0 ? own : sealingKeys;
  const file = named === undefined ? dataDirectory && join(dataDirectory, 'audit.log') : resolve(named);
  if (file === undefined) return undefined;
  if (first === undefined)
    return { file, keys: [PUBLISHED_KEY], variable: undefined, formerKeys: [], isPublished: true };
  const isOwn = own.length > 0;
  return {
    file,
    keys: [first, ...rest],
    variable: isOwn ? 'FAIRWAY_AUDIT_KEY' : 'FAIRWAY_SEALING_KEYS',
    formerKeys: isOwn ? sealingKeys : [],
    isPublished: false,
  };
}

function readEntry(entry: string): KeySource {
  if (/^[0-9a-fA-F]{64}$/.test(entry)) return { kind: 'BYTES', id: 'audit', key: Buffer.from(entry, 'hex') };
  if (/^file:./.test(entry)) return { kind: 'FILE', id: 'audit', path: resolve(entry.slice('file:'.length)) };
  // The entry is not shown: it may be a key.
  throw new ConfigError([
    'FAIRWAY_AUDIT_KEY: must be 32 bytes as 64 hex digits (openssl rand -hex 32), or file:PATH of a file that holds them; ' +
      'after a change the keys before it follow, separated by commas.',
  ]);
}

/** Why a log that others wrote with a key of their own is not written with the published one. */
export function publishedKeyRefusal(file: string): ConfigError {
  return new ConfigError([
    `The audit log ${file} was begun with a key of its own, and this command has none, so nothing was done: what it ` +
      'writes would never verify. Give it the environment of the service: FAIRWAY_AUDIT_KEY or FAIRWAY_SEALING_KEYS.',
  ]);
}

/** What is missing for an audit log that proves something; each sentence names the remedy. */
export function auditWarnings(config: {
  readonly chains?: readonly object[];
  readonly audit?: AuditConfig;
}): readonly string[] {
  // The built-in sandbox holds nothing that needs a record.
  if (config.chains === undefined) return [];
  if (config.audit === undefined)
    return ['No audit log is written: give --audit-log FILE, or a data folder with --data.'];
  if (!config.audit.isPublished) return [];
  return ['The audit log has a published key, so everybody can write lines of it: set FAIRWAY_AUDIT_KEY.'];
}
