import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined } from '@fairway/values';
import type { Cidr } from '@fairway/webhooks';
import { parseCommand } from './commandLine.ts';
import { ConfigError } from './error.ts';
import type { EnvironmentVariables } from './variables.ts';
import { type ChainConfig, type PaymentsConfig, parseConfigFile } from './file.ts';
import type { MailConfig } from './mail.ts';
import { readTls, type TlsConfig } from './tls.ts';
import { LOOPBACK_HOSTS } from '@fairway/api';
import { readSealingKeys, SANDBOX_SEALING_KEY } from './sealingKeys.ts';
import { cacheDirectory, readStoreConfig, type StoreConfig } from './storeConfig.ts';

/** The whole configuration of the service, read once. */
export type Config = StoreConfig & {
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
  readonly databaseGraceMs: number;
  /** The corridors of the configuration file; the sandbox brings its own. */
  readonly payments?: PaymentsConfig;
  /** How e-mail is sent; the sandbox brings its own server. */
  readonly mail?: MailConfig;
  /** Networks that are not public, and that webhooks may be sent to over https. */
  readonly allowPrivate?: readonly Cidr[];
  /** How long events are kept. */
  readonly eventsKeptMs: number;
  readonly limits: { readonly requestsPerSecond: number; readonly failedLoginsPerMinute: number };
  readonly readyFile?: string;
  /** Whether a Client Node is started beside the sandbox. */
  readonly clientNode: boolean;
  readonly logLevel: string;
  /** Whether npm started this process: then the service ends when npm ends. */
  readonly stopWithParent: boolean;
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
  'erasure-log': { type: 'string' },
  'ready-file': { type: 'string' },
  'client-node': { type: 'boolean' },
  'log-level': { type: 'string' },
} as const;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/**
 * Reads the command's options, the environment and the files they name.
 * @throws UsageError for options that do not exist, ConfigError listing everything else that is wrong.
 */
export function readConfig(args: readonly string[], environment: EnvironmentVariables): Config {
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
  if (file !== undefined && options.clientNode) {
    throw new ConfigError([
      '--client-node: starts a node beside the sandbox. For real chains run it on its own: see docs/client-node.md.',
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
  const store = readStoreConfig(dataDirectory, environment, options.auditLog, options.erasureLog);
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
    clientNode: options.clientNode,
    stopWithParent: environment.npm_lifecycle_event !== undefined,
    cacheDirectory: cacheDirectory(),
  });
}

function isForgotten({ database }: StoreConfig): boolean {
  return database.kind === 'EMBEDDED' && database.dataDirectory === undefined;
}

const SANDBOX_DEFAULTS = {
  environment: 'sandbox',
  trustedProxies: [],
  databaseGraceMs: 300_000,
  eventsKeptMs: 30 * 86_400_000,
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
    erasureLog: read(values['erasure-log'], 'FAIRWAY_ERASURE_LOG'),
    readyFile: read(values['ready-file'], 'FAIRWAY_READY_FILE'),
    clientNode: values['client-node'] === true,
    logLevel: read(values['log-level'], 'FAIRWAY_LOG_LEVEL') ?? 'info',
  };
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw new ConfigError([`--port ${text}: must be a number from 0 (any free port) to 65535.`]);
  return port;
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}
