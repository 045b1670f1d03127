import { readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { KeySource, KmsAccess } from '@fairway/keys';
import { defined } from '@fairway/plan';
import { parseCommand } from './commandLine.ts';
import { ConfigError } from './configError.ts';
import type { EnvironmentVariables } from './environmentVariables.ts';
import { type ChainConfig, type PaymentsConfig, parseConfigFile } from './configFile.ts';
import type { MailConfig } from './configMail.ts';
import { type AuditConfig, readAudit } from './configAudit.ts';
import { readTls, type TlsConfig } from './configTls.ts';
import { LOOPBACK_HOSTS } from './loopbackHosts.ts';
import { readKmsAccess, readSealingKeys, SANDBOX_SEALING_KEY } from './sealingKeys.ts';

/** Where the database is: on the operator's server, or on an embedded server that this process runs. */
export type DatabaseConfig =
  | { readonly kind: 'SERVER'; readonly url: string }
  | { readonly kind: 'EMBEDDED'; readonly dataDirectory?: string };

/** The whole configuration of the service, read once. */
export type Config = {
  readonly environment: 'sandbox' | 'production';
  /** Absent: the built-in sandbox, with a chain of its own. */
  readonly chains?: readonly ChainConfig[];
  readonly host: string;
  /** 0: any free port. Absent: the default port, or any free one when that is taken. */
  readonly port?: number;
  /** Absent: the service speaks HTTP without TLS. */
  readonly tls?: TlsConfig;
  readonly publicUrl?: string;
  /** Addresses and CIDR ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly metrics?: { readonly host: string; readonly port: number };
  /** The folder of the embedded database and of the sandbox chain. Absent: a temporary one. */
  readonly dataDirectory?: string;
  readonly database: DatabaseConfig;
  /** 32 bytes that key the hashes of secrets. Absent: a key kept in the database. */
  readonly serverKey?: Buffer;
  readonly databaseGraceMs: number;
  /** Where the keys are that seal recipients' details: the first seals, every one opens. Empty: no payments. */
  readonly sealingKeys: readonly KeySource[];
  /** The corridors of the configuration file; the sandbox brings its own. */
  readonly payments?: PaymentsConfig;
  /** How e-mail is sent; the sandbox brings its own server. */
  readonly mail?: MailConfig;
  readonly limits: { readonly requestsPerSecond: number; readonly failedLoginsPerMinute: number };
  /** Absent: no audit log is written. */
  readonly audit?: AuditConfig;
  readonly readyFile?: string;
  readonly logLevel: string;
  /** Whether npm started this process: then the service ends when npm ends. */
  readonly stopWithParent: boolean;
  /** The folder of files that can be made again, such as the initialised database. */
  readonly cacheDirectory: string;
};

/** Options of `fairway start`, each also readable from the environment. */
const START_OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  config: { type: 'string' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  data: { type: 'string' },
  'audit-log': { type: 'string' },
  'ready-file': { type: 'string' },
  'log-level': { type: 'string' },
} as const;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/**
 * Reads the command's options, the environment and the files they name.
 * @throws UsageError for options that do not exist, ConfigError listing everything else that is wrong.
 */
export function readConfig(args: readonly string[], environment: EnvironmentVariables = process.env): Config {
  const options = parseOptions(args, environment);
  const file =
    options.config === undefined
      ? undefined
      : parseConfigFile(resolve(options.config), readText, environment);
  const port = options.port === undefined ? undefined : parsePort(options.port);
  const host = options.host ?? '127.0.0.1';
  if (file === undefined && !LOOPBACK_HOSTS.has(host)) {
    throw new ConfigError([
      `--host ${host}: the sandbox has a published demo credential and keys, so it listens on this machine only. ` +
        'Leave --host out, or serve real chains with --config FILE.',
    ]);
  }
  if (!LOG_LEVELS.includes(options.logLevel)) {
    throw new ConfigError([`--log-level ${options.logLevel}: use one of ${LOG_LEVELS.join(', ')}.`]);
  }
  if (options.data === '') throw new ConfigError(['--data: is empty; give a folder.']);
  const dataDirectory = options.data === undefined ? undefined : resolve(options.data);
  const readyFile = options.readyFile === undefined ? undefined : resolve(options.readyFile);
  const tls = readTls(options.tlsCert, options.tlsKey);
  const given = readSealingKeys(environment);
  if (file?.payments !== undefined && given.length === 0) {
    throw new ConfigError([
      "FAIRWAY_SEALING_KEYS: is missing; payments seal recipients' details with it. Set ID:KEY, where KEY is 32 bytes as " +
        '64 hex digits (openssl rand -hex 32), and keep it apart from the database.',
    ]);
  }
  const store = readStoreConfig(dataDirectory, environment, options.auditLog);
  if (file?.environment === 'production' && file.payments !== undefined && isForgotten(store)) {
    throw new ConfigError([
      '--data: is missing; without it every plan and every credential is forgotten when the service ends. Give --data DIR, ' +
        'or set DATABASE_URL.',
    ]);
  }
  return Object.freeze({
    ...(file ?? SANDBOX_DEFAULTS),
    ...defined({ host, port, tls, dataDirectory, readyFile }),
    ...store,
    sealingKeys: given.length > 0 || file !== undefined ? given : [SANDBOX_SEALING_KEY],
    logLevel: options.logLevel,
    stopWithParent: environment.npm_lifecycle_event !== undefined,
    cacheDirectory: cacheDirectory(),
  });
}

/** The part of the configuration that commands other than `start` need. */
export type StoreConfig = Pick<Config, 'database' | 'serverKey' | 'sealingKeys' | 'audit' | 'cacheDirectory'>;

/**
 * Reads where the database is: DATABASE_URL, else the data folder. `auditLog`: the file of the audit log, where one is
 * named.
 * @throws ConfigError
 */
export function readStoreConfig(
  data: string | undefined,
  environment: EnvironmentVariables = process.env,
  auditLog = environment.FAIRWAY_AUDIT_LOG || undefined,
): StoreConfig {
  const url = environment.DATABASE_URL || undefined;
  if (url !== undefined && !/^postgres(ql)?:\/\//.test(url)) {
    throw new ConfigError(['DATABASE_URL: must start with postgres:// or postgresql://.']);
  }
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
    audit: readAudit(auditLog, dataDirectory, sealingKeys, environment),
    cacheDirectory: cacheDirectory(),
  });
}

/** How a command reaches a key management service. */
export function readKeyServiceAccess(environment: EnvironmentVariables = process.env): KmsAccess {
  return readKmsAccess(environment);
}

/** Where a command reads a chain from: the nodes of a configuration file, or the node of a running sandbox. */
export type MarketPlace =
  | { readonly kind: 'CONFIGURED'; readonly chains: readonly ChainConfig[] }
  | { readonly kind: 'SANDBOX'; readonly rpcUrl: string };

/**
 * Reads which chains a command can ask: those of the configuration file, else the sandbox of the ready file. A flag
 * wins over both variables.
 * @throws ConfigError
 */
export function readMarketPlace(
  flags: { readonly config?: string | undefined; readonly readyFile?: string | undefined },
  environment: EnvironmentVariables = process.env,
): MarketPlace {
  const { config, readyFile } = flags;
  const flagged = config !== undefined || readyFile !== undefined;
  const file = flagged ? config : environment.FAIRWAY_CONFIG || undefined;
  if (file !== undefined)
    return { kind: 'CONFIGURED', chains: parseConfigFile(resolve(file), readText, environment).chains };
  const ready = readyFile ?? (environment.FAIRWAY_READY_FILE || undefined);
  if (ready !== undefined) return { kind: 'SANDBOX', rpcUrl: readSandboxUrl(resolve(ready)) };
  throw new ConfigError([
    'Which chain? Give --config FILE with the chains, or --ready-file PATH of a running sandbox ' +
      '(fairway start --ready-file PATH writes it).',
  ]);
}

function readSandboxUrl(path: string): string {
  let ready: { rpcUrl?: unknown } | null;
  try {
    ready = JSON.parse(readText(path)) as typeof ready;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ConfigError([
      missing
        ? `--ready-file ${path}: there is no such file; a sandbox writes it when it is ready and removes it when it ends.`
        : `--ready-file ${path}: cannot be read: ${(error as Error).message}`,
    ]);
  }
  if (typeof ready?.rpcUrl === 'string') return ready.rpcUrl;
  throw new ConfigError([
    `--ready-file ${path}: names no sandbox chain; for a service of configured chains give its --config FILE.`,
  ]);
}

function isForgotten({ database }: StoreConfig): boolean {
  return database.kind === 'EMBEDDED' && database.dataDirectory === undefined;
}

function readServerKey(text: string | undefined): Buffer | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^[0-9a-fA-F]{64}$/.test(text)) {
    throw new ConfigError(['FAIRWAY_SERVER_KEY: must be 32 bytes as 64 hex digits (openssl rand -hex 32).']);
  }
  return Buffer.from(text, 'hex');
}

const SANDBOX_DEFAULTS = {
  environment: 'sandbox',
  trustedProxies: [],
  databaseGraceMs: 300_000,
  limits: { requestsPerSecond: 1000, failedLoginsPerMinute: 100 },
} as const;

function parseOptions(args: readonly string[], environment: EnvironmentVariables) {
  const { values } = parseCommand(args, START_OPTIONS, false);
  const read = (flag: string | undefined, variable: string) => flag ?? (environment[variable] || undefined);
  return {
    port: read(values.port, 'FAIRWAY_PORT'),
    host: read(values.host, 'FAIRWAY_HOST'),
    config: read(values.config, 'FAIRWAY_CONFIG'),
    tlsCert: read(values['tls-cert'], 'FAIRWAY_TLS_CERT'),
    tlsKey: read(values['tls-key'], 'FAIRWAY_TLS_KEY'),
    data: read(values.data, 'FAIRWAY_DATA'),
    auditLog: read(values['audit-log'], 'FAIRWAY_AUDIT_LOG'),
    readyFile: read(values['ready-file'], 'FAIRWAY_READY_FILE'),
    logLevel: read(values['log-level'], 'FAIRWAY_LOG_LEVEL') ?? 'info',
  };
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw new ConfigError([`--port ${text}: must be a number from 0 (any free port) to 65535.`]);
  return port;
}

/** A folder in the nearest node_modules, where tools keep files that they can make again. */
function cacheDirectory(): string {
  const root = realpathSync(join(import.meta.dirname, '../../../..'));
  return join(root, 'node_modules', '.cache', 'fairway');
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}
