import { readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LOOPBACK_HOSTS } from '@fairway/api';
import { defined } from '@fairway/values';
import type { Cidr } from '@fairway/webhooks';
import type { SignerConfig } from '../signers/openSigner.ts';
import { readConfigFile, type SignedChain } from './chains.ts';
import { ConfigError } from './error.ts';
import { type GivenPolicy, readPolicyFile } from './policy.ts';

/** The variables of the process. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Where the service is, and as whom the node asks it. */
export type ServiceAccess = { readonly url: string; readonly username: string; readonly password: string };

/** The whole configuration of the node, read once. */
export type Config = {
  readonly environment: 'sandbox' | 'production';
  readonly service: ServiceAccess;
  /** PRODUCTION: what the operator says. SANDBOX: the service's own chain, and a key that is made and funded here. */
  readonly ground:
    | {
        readonly kind: 'PRODUCTION';
        readonly chains: readonly SignedChain<SignerConfig>[];
        readonly policy: GivenPolicy;
        /** The networks that webhooks may go to although they are not public. */
        readonly allowPrivate: readonly Cidr[];
      }
    /** Absent policy: all tokens of the sandbox may be spent. */
    | { readonly kind: 'SANDBOX'; readonly policy?: GivenPolicy };
  /** The folder of the journal, and of the embedded database. Absent: a temporary one, in the sandbox alone. */
  readonly dataDirectory?: string;
  /** Absent: an embedded database. */
  readonly databaseUrl?: string;
  readonly cacheDirectory: string;
  readonly host: string;
  /** 0: any free port. Absent: the default port, or any free one when that is taken. */
  readonly port?: number;
  readonly readyFile?: string;
  /** Where the metrics are served. Absent: nowhere. */
  readonly metrics?: { readonly host: string; readonly port: number };
  readonly logLevel: string;
  /** Whether npm or the service started this process: then the node ends when that ends. */
  readonly stopWithParent: boolean;
};

const OPTIONS = {
  config: { type: 'string' },
  sandbox: { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  data: { type: 'string' },
  'ready-file': { type: 'string' },
  'log-level': { type: 'string' },
} as const;

const METRICS_PORT = 'FAIRWAY_NODE_METRICS_PORT';
const MOST_PORT = 65_535;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/**
 * Reads the options and the environment: nothing else of the node does.
 * @throws ConfigError that names everything that is wrong.
 */
export function readConfig(args: readonly string[], environment: EnvironmentVariables): Config {
  const options = readOptions(args);
  const variables = createVariables(environment);
  const { sandbox } = options;
  const dataDirectory = options.data ?? variables.optional('FAIRWAY_NODE_DATA');
  if (dataDirectory === undefined && sandbox === undefined)
    variables.fault(
      'FAIRWAY_NODE_DATA: is missing; give the folder of the journal, without which nothing is executed.',
    );
  const host = options.host ?? variables.optional('FAIRWAY_NODE_HOST') ?? '127.0.0.1';
  if (sandbox !== undefined && !LOOPBACK_HOSTS.has(host))
    variables.fault(`--host ${host}: beside a sandbox the node listens on this machine only.`);
  const logLevel = options['log-level'] ?? variables.optional('FAIRWAY_NODE_LOG_LEVEL') ?? 'info';
  if (!LOG_LEVELS.includes(logLevel))
    variables.fault(`--log-level ${logLevel}: use one of ${LOG_LEVELS.join(', ')}.`);
  const readyFile = options['ready-file'];
  const port = options.port ?? variables.optional('FAIRWAY_NODE_PORT');
  const metricsPort = variables.optional(METRICS_PORT);
  const config: Config = {
    ...(sandbox === undefined
      ? production(variables, options.config ?? variables.optional(CONFIG))
      : sandboxOf(sandbox, variables)),
    host,
    logLevel,
    cacheDirectory: cacheDirectory(),
    stopWithParent:
      environment['npm_lifecycle_event'] !== undefined || environment['FAIRWAY_NODE_WITH_PARENT'] === '1',
    ...defined({
      port: port === undefined ? undefined : variables.wholeNumber('--port', port, MOST_PORT),
      dataDirectory: dataDirectory === undefined ? undefined : resolve(dataDirectory),
      readyFile: readyFile === undefined ? undefined : resolve(readyFile),
      databaseUrl: variables.optional('DATABASE_URL'),
      metrics:
        metricsPort === undefined
          ? undefined
          : {
              host: variables.optional('FAIRWAY_NODE_METRICS_HOST') ?? '127.0.0.1',
              port: variables.wholeNumber(METRICS_PORT, metricsPort, MOST_PORT),
            },
    }),
  };
  variables.assertRight();
  return config;
}

function readOptions(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}

/** The environment's variables, and what is wrong with them. */
type Variables = ReturnType<typeof createVariables>;

function createVariables(environment: EnvironmentVariables) {
  const faults: string[] = [];
  const optional = (name: string) => environment[name] || undefined;
  return {
    environment,
    optional,
    fault(sentence: string): void {
      faults.push(sentence);
    },
    required(name: string, what: string): string {
      const value = optional(name);
      if (value === undefined) faults.push(`${name}: is missing; give ${what}.`);
      return value ?? '';
    },
    wholeNumber(name: string, text: string, most: number): number {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value <= most)) faults.push(`${name} ${text}: must be a whole number up to ${most}.`);
      return value;
    },
    assertRight(): void {
      if (faults.length > 0) throw new ConfigError(faults);
    },
  };
}

function production(
  variables: Variables,
  configFile: string | undefined,
): Pick<Config, 'environment' | 'service' | 'ground'> {
  const environment = variables.optional('FAIRWAY_NODE_ENVIRONMENT') ?? 'production';
  if (environment !== 'production' && environment !== 'sandbox')
    variables.fault(`FAIRWAY_NODE_ENVIRONMENT ${environment}: use production or sandbox.`);
  if (configFile === undefined)
    variables.fault(
      `${CONFIG}: is missing; give the file of the chains and their signers, or --config FILE.`,
    );
  const { chains, allowPrivate } =
    configFile === undefined ? { chains: [], allowPrivate: [] } : readConfigFile(configFile, variables);
  return {
    environment: environment === 'sandbox' ? 'sandbox' : 'production',
    service: {
      url: variables.required('FAIRWAY_NODE_SERVICE_URL', 'the address of the service'),
      username: variables.required('FAIRWAY_NODE_SERVICE_USERNAME', "the node's credential at the service"),
      password: variables.required('FAIRWAY_NODE_SERVICE_PASSWORD', 'the password of that credential'),
    },
    ground: {
      ...{ kind: 'PRODUCTION', chains, allowPrivate },
      policy: policyIn(
        variables,
        variables.required(POLICY, 'the file that says what may be signed'),
        chains.map(({ chainId }) => chainId),
      ),
    },
  };
}

const CONFIG = 'FAIRWAY_NODE_CONFIG';
const POLICY = 'FAIRWAY_NODE_POLICY';
const NOTHING: GivenPolicy = {
  document: { chains: [] },
  policy: { chains: [], typedData: [], areMessagesAllowed: false },
};

/** The policy in a file. Where it cannot be read nothing is allowed, and the start says why. */
function policyIn(variables: Variables, path: string, chainIds: readonly number[] = []): GivenPolicy {
  if (path === '') return NOTHING;
  const read = readPolicyFile(path);
  const faults = read.ok
    ? chainIds
        .filter((chainId) => !read.policy.chains.some((each) => each.chainId === chainId))
        .map(
          (chainId) =>
            `chains has no entry for chain ${chainId}, so that nothing may be signed there. Add one.`,
        )
    : read.faults;
  for (const detail of faults) variables.fault(`${POLICY} ${path}: ${detail}`);
  return read.ok ? read : NOTHING;
}

function sandboxOf(path: string, variables: Variables): Pick<Config, 'environment' | 'service' | 'ground'> {
  const policyPath = variables.optional(POLICY);
  const ground = {
    kind: 'SANDBOX' as const,
    ...(policyPath !== undefined && { policy: policyIn(variables, policyPath) }),
  };
  const environment = 'sandbox' as const;
  try {
    const ready = JSON.parse(readFileSync(path, 'utf8')) as Partial<ServiceAccess>;
    const { url = '', username = '', password = '' } = ready;
    if (url !== '' && username !== '') return { environment, ground, service: { url, username, password } };
  } catch {
    // It is said below.
  }
  variables.fault(
    `--sandbox ${path}: is no ready file of a running sandbox (fairway start --ready-file PATH writes it).`,
  );
  return { environment, ground, service: { url: '', username: '', password: '' } };
}

/** A folder in the nearest node_modules, where files are kept that can be made again. */
export function cacheDirectory(): string {
  const root = realpathSync(join(import.meta.dirname, '../../../../..'));
  return join(root, 'node_modules', '.cache', 'fairway');
}
