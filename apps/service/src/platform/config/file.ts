import { isIP } from 'node:net';
import { type Address, toAddress } from '@fairway/engine';
import { factoriesFault, type Factory, type RouterKind } from '@fairway/evm';
import type { Corridor } from '@fairway/plan';
import { defined } from '@fairway/values';
import type { Cidr } from '@fairway/webhooks';
import { Ajv } from 'ajv';
import { ConfigError } from './error.ts';
import { readConfigJson } from './json.ts';
import { majorityOf, type NodeConfig, nodeProblems, toNodes } from './nodes.ts';
import type { EnvironmentVariables } from './variables.ts';
import { CANONICAL_MULTICALL3, corridorProblems, toCorridor } from './corridors.ts';
import { type MailConfig, toMail } from './mail.ts';
import { toNetworks } from './webhooks.ts';
import { type OrganisationConfig, toOrganisations } from './organisations.ts';
import { misplacedKeys, toFactory } from './factories.ts';
import { type RateSource, toRates } from './rates.ts';
import { ConfigFile } from './schema.ts';
import { type ConfiguredToken, readTokenLists, tokenProblems } from './tokens.ts';
import { publicPageFault } from './publicPage.ts';
import { hasWrongChecksum } from '@fairway/api';

/** One chain to serve. Addresses in lower case. */
export type ChainConfig = {
  readonly chainId: number;
  readonly name: string;
  readonly nativeSymbol: string;
  /** A block explorer, without a slash at its end: transactions are at /tx/HASH below it. */
  readonly explorerUrl?: string;
  readonly nodes: readonly NodeConfig[];
  /** How many of the nodes must say the same before it is used. */
  readonly agreement: number;
  readonly wrappedNative: Address;
  readonly multicall3: Address;
  readonly factories: readonly Factory[];
  /** What the router is that instructions call. */
  readonly routerKind: RouterKind;
  readonly router: Address;
  /** The sandbox's QuoterV2, which keeps what it is paid. */
  readonly quoter?: Address;
  readonly tokens: readonly Address[];
  readonly confirmations: number;
  readonly quoteLifetimeMs: number;
  readonly staleAfterMs: number;
  readonly maxBlockAgeMs?: number;
  readonly maxPriceImpactBps: number;
  /** Whether swaps are given out that the nodes cannot simulate. */
  readonly allowUnsimulated: boolean;
  readonly pollIntervalMs: number;
};

const canonicalMulticall3 = toAddress(CANONICAL_MULTICALL3);
const DEFAULT_CONFIRMATIONS = 12;

const ajv = new Ajv({ allErrors: true, strict: true, useDefaults: false, verbose: true });
const isConfigFile = ajv.compile<ConfigFile>(ConfigFile);

/**
 * The corridors that are offered, where their rates are read, how long a plan lives while no money moves, and how
 * organisations appear.
 */
export type PaymentsConfig = {
  readonly corridors: readonly Corridor[];
  readonly rates: readonly RateSource[];
  readonly planLifeMs: number;
  readonly organisations: readonly OrganisationConfig[];
};

/** What a configuration file determines. */
export type FileConfig = {
  readonly environment: 'sandbox' | 'production';
  readonly chains: readonly ChainConfig[];
  readonly publicUrl?: string;
  readonly trustedProxies: readonly string[];
  readonly metrics?: { readonly host: string; readonly port: number };
  readonly databaseGraceMs: number;
  readonly eventsKeptMs: number;
  readonly payments?: PaymentsConfig;
  readonly mail?: MailConfig;
  readonly allowPrivate?: readonly Cidr[];
  readonly limits: { readonly requestsPerSecond: number; readonly failedLoginsPerMinute: number };
};

/**
 * Checks a configuration file and the token lists it names.
 * @throws ConfigError naming each wrong key.
 */
export function parseConfigFile(
  path: string,
  readText: (path: string) => string,
  environment: EnvironmentVariables,
): FileConfig {
  const file = readConfigJson(path, readText, isConfigFile);
  const tokens = readTokenLists(file, path, readText);
  const problems = [
    ...addressProblems(file, path),
    ...tokenProblems(file, tokens, path),
    ...chainProblems(file, path),
    ...nodeProblems(file, path),
    ...publicUrlProblems(file, path),
    ...servingProblems(file, path),
    ...corridorProblems(file, tokens, path),
  ];
  const nodes = file.chains.map((chain) => toNodes(chain, path, environment, problems));
  const mail = toMail(file, path, environment, problems);
  const rates = toRates(file, path, environment, problems);
  const organisations = toOrganisations(file, path, problems);
  const allowPrivate = toNetworks(file, path, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return defined({
    environment: file.environment ?? 'production',
    publicUrl: file.publicUrl,
    trustedProxies: file.trustedProxies ?? [],
    metrics: file.metrics && { host: '127.0.0.1', ...file.metrics },
    databaseGraceMs: 1000 * (file.databaseGraceSeconds ?? 300),
    eventsKeptMs: 86_400_000 * (file.events?.keepDays ?? 30),
    payments: file.payments && toPayments(file, file.payments, { rates, organisations }),
    mail,
    allowPrivate,
    limits: {
      requestsPerSecond: file.limits?.requestsPerSecond ?? 100,
      failedLoginsPerMinute: file.limits?.failedLoginsPerMinute ?? 100,
    },
    chains: file.chains.map((chain, index) => toChainConfig(chain, nodes[index] ?? [], tokens)),
  });
}

function toPayments(
  { chains }: ConfigFile,
  { corridors, planLifetimeHours = 168 }: NonNullable<ConfigFile['payments']>,
  others: Pick<PaymentsConfig, 'rates' | 'organisations'>,
): PaymentsConfig {
  const confirmationsOf = (chainId: number) =>
    chains.find((chain) => chain.chainId === chainId)?.confirmations ?? DEFAULT_CONFIRMATIONS;
  return {
    corridors: corridors.map((corridor) => toCorridor(corridor, confirmationsOf(corridor.source.chainId))),
    planLifeMs: planLifetimeHours * 3_600_000,
    ...others,
  };
}

type ChainEntry = ConfigFile['chains'][number];

function toChainConfig(
  chain: ChainEntry,
  nodes: readonly NodeConfig[],
  tokens: readonly ConfiguredToken[],
): ChainConfig {
  const listed = tokens
    .filter((token) => token.chainId === chain.chainId)
    .map(({ address }) => toAddress(address));
  const wrappedNative = toAddress(chain.wrappedNative);
  const { maxBlockAgeSeconds } = chain;
  const [router] = chain.routers;
  if (router === undefined) throw new Error('The schema of the file was checked to have a router');
  return defined({
    chainId: chain.chainId,
    name: chain.name,
    nativeSymbol: chain.nativeSymbol ?? 'ETH',
    explorerUrl: chain.explorerUrl?.replace(/\/+$/, ''),
    nodes,
    agreement: chain.agreement ?? majorityOf(nodes.length),
    wrappedNative,
    multicall3: chain.multicall3 === undefined ? canonicalMulticall3 : toAddress(chain.multicall3),
    factories: chain.factories.map(toFactory),
    routerKind: router.kind,
    router: toAddress(router.address),
    tokens: [...new Set([wrappedNative, ...listed])],
    confirmations: chain.confirmations ?? DEFAULT_CONFIRMATIONS,
    quoteLifetimeMs: 1000 * (chain.quoteLifetimeSeconds ?? 24),
    staleAfterMs: 1000 * (chain.staleAfterSeconds ?? 30),
    maxBlockAgeMs: maxBlockAgeSeconds === undefined ? undefined : 1000 * maxBlockAgeSeconds,
    maxPriceImpactBps: chain.maxPriceImpactBps ?? 5000,
    allowUnsimulated: chain.allowUnsimulated ?? false,
    pollIntervalMs: chain.pollIntervalMs ?? 1000,
  });
}

function addressProblems(file: ConfigFile, path: string): string[] {
  return file.chains.flatMap((chain) => {
    const named: [string, string | undefined][] = [
      ['wrappedNative', chain.wrappedNative],
      ['multicall3', chain.multicall3],
      ...chain.factories.map((factory): [string, string] => [`factory ${factory.name}`, factory.address]),
      ...chain.routers.map((router): [string, string] => ['router', router.address]),
    ];
    return named.flatMap(([key, address]) =>
      address !== undefined && hasWrongChecksum(address)
        ? [
            `${path}: chain ${chain.chainId}, ${key} ${address}: the EIP-55 checksum is wrong; is it mistyped?`,
          ]
        : [],
    );
  });
}

function chainProblems(file: ConfigFile, path: string): string[] {
  const problems: string[] = [];
  const ids = file.chains.map(({ chainId }) => chainId);
  for (const id of new Set(ids.filter((chainId, index) => ids.indexOf(chainId) !== index))) {
    problems.push(`${path}: chains: chainId ${id} is listed twice.`);
  }
  for (const chain of file.chains) {
    const explorerFault = chain.explorerUrl === undefined ? undefined : explorerUrlFault(chain.explorerUrl);
    if (explorerFault !== undefined)
      problems.push(`${path}: chain ${chain.chainId}: explorerUrl ${explorerFault}`);
    const names = chain.factories.map(({ name }) => name);
    if (new Set(names).size < names.length) {
      problems.push(`${path}: chain ${chain.chainId}, factories: each needs a name of its own.`);
    }
    const kinds = chain.factories.map(({ kind }) => kind);
    for (const router of chain.routers) {
      const fault = factoriesFault(router.kind, kinds);
      if (fault !== undefined) problems.push(`${path}: chain ${chain.chainId}, factories: ${fault}`);
    }
    for (const factory of chain.factories) {
      for (const key of misplacedKeys(factory)) {
        problems.push(
          `${path}: chain ${chain.chainId}, factory ${factory.name}: ${key} is not of ${factory.kind}.`,
        );
      }
    }
  }
  return problems;
}

function explorerUrlFault(text: string): string | undefined {
  const isBase = !/[?#]/.test(text);
  return (
    publicPageFault(text) ??
    (isBase ? undefined : 'must be the address that /tx/HASH comes below, without ? and #.')
  );
}

function servingProblems(file: ConfigFile, path: string): string[] {
  const problems = (file.trustedProxies ?? []).flatMap((proxy) => proxyProblems(proxy, path));
  for (const chain of file.chains) {
    const staleAfterMs = 1000 * (chain.staleAfterSeconds ?? 30);
    if ((chain.pollIntervalMs ?? 1000) < staleAfterMs) continue;
    problems.push(
      `${path}: chain ${chain.chainId}: pollIntervalMs must be less than staleAfterSeconds (${staleAfterMs} ms).`,
    );
  }
  return problems;
}

function publicUrlProblems({ publicUrl }: ConfigFile, path: string): string[] {
  if (publicUrl === undefined) return [];
  const url = URL.parse(publicUrl);
  if (url === null)
    return [
      `${path}: publicUrl is no URL: its host or its port is wrong. Give one such as https://pay.example.com.`,
    ];
  return url.username === '' && url.password === ''
    ? []
    : [`${path}: publicUrl must not hold a user name or a password, because recipients see it.`];
}

function proxyProblems(proxy: string, path: string): string[] {
  if (/^[0-9a-f.:]+\/0$/i.test(proxy))
    return [
      `${path}: trustedProxies: ${proxy} is every address, so every caller could name any address as its own. Name your proxies alone.`,
    ];
  if (isAddressOrRange(proxy)) return [];
  return [`${path}: trustedProxies: ${proxy} is neither an IP address nor a CIDR range.`];
}

function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  const prefixFits =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits);
  return isIP(address) !== 0 && prefixFits && rest.length === 0;
}
