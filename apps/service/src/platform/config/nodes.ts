import { resolve } from 'node:path';
import { parseUrlLogin } from '@fairway/evm';
import type { ConfigFile } from './schema.ts';
import type { EnvironmentVariables } from './variables.ts';
import { LOOPBACK_HOSTS } from '@fairway/api';
import { MALFORMED_LOGIN } from './malformedLogin.ts';

/** A node of a chain. All its URLs are of one provider, so that it counts once. */
export type NodeConfig = { readonly name: string; readonly urls: readonly string[] };

type ChainEntry = ConfigFile['chains'][number];

/** The name of the node where a chain lists only the URLs of one. */
const ONLY_NODE = 'node';

/** The nodes of a chain with their URLs read from the environment; what is wrong with them is added to `problems`. */
export function toNodes(
  { chainId, nodes, rpcUrls = [] }: ChainEntry,
  path: string,
  environment: EnvironmentVariables,
  problems: string[],
): readonly NodeConfig[] {
  const listed = nodes ?? [{ name: ONLY_NODE, urls: rpcUrls }];
  const read = listed.map(({ name, urls }) => ({
    name,
    urls: urls.map((url) =>
      resolveUrl(
        url,
        `${path}: chain ${chainId}: ${nodes ? `the URL of node ${name}` : 'rpcUrls'}`,
        environment,
        problems,
      ),
    ),
  }));
  // A URL may hold a key, so the line names the nodes.
  const sharing = nodesThatShare(read, endpointOf);
  if (sharing.length > 0)
    problems.push(
      `${path}: chain ${chainId}: the nodes ${sharing.join(' and ')} have URLs of the same host, port and path. One provider is one node, whatever its number of URLs.`,
    );
  return read;
}

/** Warns of nodes on one host: they fall out together and have one opinion, if one provider runs them. */
export function sharedHostWarnings(
  chains: readonly { readonly name: string; readonly nodes: readonly NodeConfig[] }[] = [],
): readonly string[] {
  return chains.flatMap(({ name, nodes }) => {
    const sharing = nodesThatShare(nodes, hostOf);
    if (sharing.length === 0) return [];
    return [
      `${name}: the nodes ${sharing.join(' and ')} are on the same host. If they are of one provider they are one node: ` +
        'put their URLs into one, and take others from other providers.',
    ];
  });
}

/** The names of the nodes that have something in common with another one; undefined of a URL is in common with none. */
function nodesThatShare(
  nodes: readonly NodeConfig[],
  partOf: (url: string) => string | undefined,
): readonly string[] {
  const parts = nodes.map(({ urls }) => new Set(urls.map(partOf).filter((part) => part !== undefined)));
  const shared = repeated(parts.flatMap((each) => [...each]));
  return nodes.flatMap(({ name }, index) => (shared.some((part) => parts[index]?.has(part)) ? [name] : []));
}

/** What a URL reaches. Neither the scheme nor the query makes it another endpoint. */
function endpointOf(url: string): string | undefined {
  if (url === '') return undefined;
  const { host, pathname } = URL.parse(url) ?? { host: '', pathname: resolve(url) };
  return `${host}${pathname.replace(/\/+$/, '')}`;
}

function hostOf(url: string): string | undefined {
  const { hostname = '' } = URL.parse(url) ?? {};
  return hostname === '' || LOOPBACK_HOSTS.has(hostname.replace(/^\[(.*)\]$/, '$1')) ? undefined : hostname;
}

/** What is wrong with the nodes of a configuration's chains. */
export function nodeProblems({ chains, environment }: ConfigFile, path: string): string[] {
  return chains.flatMap((chain) => {
    const found = [...listProblems(chain), ...agreementProblems(chain)];
    if (environment !== 'sandbox' && chain.maxBlockAgeSeconds === undefined)
      found.push(
        'maxBlockAgeSeconds is missing. Give the age in seconds above which the latest block is refused, such as five times the usual time between two blocks.',
      );
    return found.map((problem) => `${path}: chain ${chain.chainId}: ${problem}`);
  });
}

function listProblems({ nodes, rpcUrls }: ChainEntry): string[] {
  if (nodes !== undefined && rpcUrls !== undefined)
    return ['nodes and rpcUrls are both given; put the URLs of rpcUrls into a node of nodes.'];
  if (nodes === undefined && rpcUrls === undefined) return ['nodes is missing: list the nodes to ask.'];
  const names = (nodes ?? []).map(({ name }) => name);
  return repeated(names).map((name) => `nodes: the name ${name} is used twice.`);
}

/**
 * The smallest number of nodes that is more than half of them: no other nodes can agree on something else at the same
 * time.
 */
export function majorityOf(nodeCount: number): number {
  return Math.floor(nodeCount / 2) + 1;
}

function agreementProblems({ nodes, agreement }: ChainEntry): string[] {
  const count = nodes?.length ?? 1;
  if (agreement === undefined) return [];
  if (agreement > count) {
    const configured = count === 1 ? 'one node is' : `${count} nodes are`;
    return [`agreement is ${agreement}, but only ${configured} configured.`];
  }
  const least = majorityOf(count);
  if (agreement >= least) return [];
  return [
    `agreement is ${agreement}, which is not more than half of the ${count} nodes: others could agree on something else at the same time. Set it to ${least === count ? least : `${least} or more`}, or list fewer nodes.`,
  ];
}

function repeated(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

/** Reads a URL. It may hold a password, so no problem shows it. */
function resolveUrl(url: string, key: string, environment: EnvironmentVariables, problems: string[]): string {
  const variable = url.startsWith('env:') ? url.slice(4) : undefined;
  const value = variable === undefined ? url : environment[variable];
  if (value === undefined || !/^(https?:\/\/|wss?:\/\/|\/)/.test(value)) {
    problems.push(
      `${variable}: this environment variable must hold the URL of a node (http, https, ws or wss) or the path of its IPC socket.`,
    );
    return '';
  }
  if (value.startsWith('/') || parseUrlLogin(value) !== undefined) return value;
  problems.push(
    `${variable === undefined ? key : `${variable}: this environment variable`} cannot be read. If it has a login, ${MALFORMED_LOGIN}`,
  );
  return '';
}
