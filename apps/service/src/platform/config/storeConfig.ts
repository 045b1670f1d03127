import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type KeySource, type KmsAccess, readKmsAccess } from '@fairway/keys';
import { parseUrlLogin } from '@fairway/evm';
import { defined } from '@fairway/values';
import { type AuditConfig, readAudit } from './audit.ts';
import { readErasureLog } from './erasures.ts';
import { ConfigError } from './error.ts';
import type { EnvironmentVariables } from './variables.ts';
import { MALFORMED_LOGIN } from './malformedLogin.ts';
import { readSealingKeys } from './sealingKeys.ts';

/** Where the database is: on the operator's server, or on an embedded server that this process runs. */
export type DatabaseConfig =
  | { readonly kind: 'SERVER'; readonly url: string }
  | { readonly kind: 'EMBEDDED'; readonly dataDirectory?: string };

/** The part of the configuration that commands other than `start` need. */
export type StoreConfig = {
  readonly database: DatabaseConfig;
  /** 32 bytes that key the hashes of secrets. Absent: a key kept in the database. */
  readonly serverKey?: Buffer;
  /** Where the keys are that seal recipients' details: the first seals, every one opens. Empty: no payments. */
  readonly sealingKeys: readonly KeySource[];
  /** Absent: no audit log is written. */
  readonly audit?: AuditConfig;
  /** The file of erasures. Absent: there is none. */
  readonly erasureLog?: string;
  /** The folder of files that can be made again, such as the initialised database. */
  readonly cacheDirectory: string;
};

/**
 * Reads where the database is: DATABASE_URL, else the data folder. `auditLog`, `erasureLog`: the files of the audit log
 * and of erasures, where they are named.
 * @throws ConfigError
 */
export function readStoreConfig(
  data: string | undefined,
  environment: EnvironmentVariables,
  auditLog = environment.FAIRWAY_AUDIT_LOG || undefined,
  erasureLog = environment.FAIRWAY_ERASURE_LOG || undefined,
): StoreConfig {
  const url = environment.DATABASE_URL || undefined;
  if (url !== undefined && !/^postgres(ql)?:\/\//.test(url)) {
    throw new ConfigError(['DATABASE_URL: must start with postgres:// or postgresql://.']);
  }
  // URLs of sockets are none to a parser of URLs.
  if (url !== undefined && URL.canParse(url) && parseUrlLogin(url) === undefined)
    throw new ConfigError([`DATABASE_URL: ${MALFORMED_LOGIN}`]);
  const serverKey = readServerKey(environment.FAIRWAY_SERVER_KEY);
  if (data === '') throw new ConfigError(['--data: is empty; give a folder.']);
  const named = data ?? environment.FAIRWAY_DATA;
  const dataDirectory = named ? resolve(named) : undefined;
  const sealingKeys = readSealingKeys(environment);
  const embedded = defined({ kind: 'EMBEDDED' as const, dataDirectory });
  return defined({
    database: url === undefined ? embedded : { kind: 'SERVER' as const, url },
    serverKey,
    sealingKeys,
    erasureLog: readErasureLog(erasureLog, dataDirectory),
    audit: readAudit(auditLog, dataDirectory, sealingKeys, environment),
    cacheDirectory: cacheDirectory(),
  });
}

/** How a command reaches a key management service. */
export function readKeyServiceAccess(environment: EnvironmentVariables): KmsAccess {
  return readKmsAccess(environment);
}

function readServerKey(text: string | undefined): Buffer | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^[0-9a-fA-F]{64}$/.test(text)) {
    throw new ConfigError(['FAIRWAY_SERVER_KEY: must be 32 bytes as 64 hex digits (openssl rand -hex 32).']);
  }
  return Buffer.from(text, 'hex');
}

/** A folder in the nearest node_modules, where tools keep files that they can make again. */
export function cacheDirectory(): string {
  const root = realpathSync(join(import.meta.dirname, '../../../../..'));
  return join(root, 'node_modules', '.cache', 'fairway');
}
