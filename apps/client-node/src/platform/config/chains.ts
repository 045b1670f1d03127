import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseUrlLogin } from '@fairway/evm';
import { readKmsAccess } from '@fairway/keys';
import { documentFaults } from '@fairway/policies';
import type { Hex } from '@fairway/relay';
import { type Cidr, readCidr } from '@fairway/webhooks';
import type { SignerConfig } from '../signers/openSigner.ts';
import { ConfigFile, type SignerEntry, SIGNERS } from './schema.ts';

/** A chain that the node executes on, as its operator knows it, and never as the service says it. */
export type ChainConfig = {
  readonly chainId: number;
  /** One URL for each node of the chain. More than half of them must say the same. */
  readonly nodeUrls: readonly string[];
  /** A block with so many blocks on top of it cannot be replaced. */
  readonly confirmations: number;
  readonly maxFeePerGasCapWei: bigint;
};

/** A chain with the keys that sign there. The first one signs where a request names no sender. */
export type SignedChain<Signer> = ChainConfig & { readonly signers: readonly Signer[] };

/** What a file is read with. */
export type Reading = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Takes a sentence that names a field and says what to change. It repeats no value of the file. */
  fault(sentence: string): void;
};

const DEFAULT_CONFIRMATIONS = 12;
const DEFAULT_MAX_FEE_GWEI = 200;
const GWEI = 1_000_000_000n;

/** What the file of the configuration says. */
export type ReadFile = {
  readonly chains: readonly SignedChain<SignerConfig>[];
  /** The networks that webhooks may go to although they are not public. */
  readonly allowPrivate: readonly Cidr[];
};

const NOTHING: ReadFile = { chains: [], allowPrivate: [] };

/** Reads the file of the chains and their keys. It tells what is wrong, and then it is not whole. */
export function readConfigFile(path: string, reading: Reading): ReadFile {
  const fault = (sentence: string) => reading.fault(`${path}: ${sentence}`);
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    fault('cannot be read as JSON.');
    return NOTHING;
  }
  const faults = [...documentFaults(ConfigFile, document, 'the file')];
  if (faults.length === 0) faults.push(...contentFaults(document as ConfigFile));
  for (const each of faults) fault(each);
  if (faults.length > 0) return NOTHING;
  const { webhooks } = document as ConfigFile;
  const chains = (document as ConfigFile).chains.map((chain, at) => {
    const field = `chains[${at}]`;
    const { chainId, confirmations = DEFAULT_CONFIRMATIONS, maxFeeGwei = DEFAULT_MAX_FEE_GWEI } = chain;
    const inFile = { ...reading, fault };
    return {
      ...{ chainId, confirmations, maxFeePerGasCapWei: BigInt(maxFeeGwei) * GWEI },
      nodeUrls: chain.nodes.map((url, index) => urlOf(url, `${field}.nodes[${index}]`, inFile, 'NODE')),
      signers: chain.signers.map((signer, index) =>
        signerOf(signer as SignerEntry, `${field}.signers[${index}]`, { ...inFile, folder: dirname(path) }),
      ),
    };
  });
  return { chains, allowPrivate: networksIn(webhooks?.allowPrivate ?? [], fault) };
}

function networksIn(texts: readonly string[], fault: (sentence: string) => void): readonly Cidr[] {
  return texts.flatMap((text, index) => {
    const read = readCidr(text);
    if (read.ok) return [read.cidr];
    fault(`webhooks.allowPrivate[${index}]: ${read.detail}`);
    return [];
  });
}

/** What the schema of the file does not say: each signer is of its kind, and nothing is there twice. */
function contentFaults({ chains }: ConfigFile): readonly string[] {
  const ids = chains.map(({ chainId }) => chainId);
  return chains.flatMap(({ chainId, nodes, signers }, at) => [
    ...(ids.indexOf(chainId) < at ? [`chains[${at}].chainId is there twice. Merge the two entries.`] : []),
    ...nodes.flatMap((url, index) =>
      nodes.indexOf(url) < index
        ? [`chains[${at}].nodes[${index}] is there twice. One node is one voice: remove it.`]
        : [],
    ),
    ...signers.flatMap((signer, index) =>
      documentFaults(SIGNERS[signer.kind], signer, `chains[${at}].signers[${index}]`),
    ),
  ]);
}

/** What URLs of a kind begin with. A path is that of an IPC socket. */
const BEGINNINGS = { NODE: /^(https?:\/\/|wss?:\/\/|\/)/, SERVER: /^https?:\/\// } as const;

/** A URL, which the environment may hold. It can have a password or a key, so that no sentence repeats it. */
function urlOf(
  text: string,
  field: string,
  { environment, fault }: Reading,
  kind: keyof typeof BEGINNINGS = 'SERVER',
): string {
  const name = text.startsWith('env:') ? text.slice('env:'.length) : undefined;
  const url = name === undefined ? text : (environment[name] ?? '');
  const isKnown = BEGINNINGS[kind].test(url);
  if (isKnown && (url.startsWith('/') || parseUrlLogin(url) !== undefined)) return url;
  fault(
    name === undefined || isKnown
      ? `${field} is no URL. Write a user and a password in it with percent-encoding.`
      : `${field}: the environment variable ${name} must hold the URL.`,
  );
  return '';
}

function signerOf(
  entry: SignerEntry,
  field: string,
  reading: Reading & { readonly folder: string },
): SignerConfig {
  switch (entry.kind) {
    case 'KEYSTORE':
      return {
        ...{ kind: 'KEYSTORE', field, path: resolve(reading.folder, entry.file) },
        password: passwordOf(resolve(reading.folder, entry.passwordFile), `${field}.passwordFile`, reading),
      };
    case 'AWS_KMS': {
      const { kmsKey, region, endpoint } = entry;
      const place = {
        ...{ kmsKey, region },
        ...(endpoint !== undefined && { endpoint: urlOf(endpoint, `${field}.endpoint`, reading) }),
      };
      const access = readKmsAccess(reading.environment);
      return { kind: 'AWS_KMS', field, address: lowerCase(entry.address), place, access };
    }
    case 'WEB3SIGNER':
      return {
        ...{ kind: 'WEB3SIGNER', field, address: lowerCase(entry.address) },
        url: urlOf(entry.url, `${field}.url`, reading),
      };
  }
}

function lowerCase(address: string): Hex {
  return address.toLowerCase() as Hex;
}

/** The first line of a file. */
function passwordOf(path: string, field: string, { fault }: Reading): string {
  try {
    return readFileSync(path, 'utf8').split('\n')[0] ?? '';
  } catch {
    fault(`${field} cannot be read. Give the file whose first line opens the keystore.`);
    return '';
  }
}
