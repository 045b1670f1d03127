import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, parseConfigFile } from './configFile.ts';
import { ConfigFile } from './configSchema.ts';

const root = join(import.meta.dirname, '../../..');
const examplePath = join(root, 'examples/config/fairway.json');
const nodeUrls = {
  ETHEREUM_WS_URL: 'wss://one.example',
  ETHEREUM_HTTP_URL: 'https://one.example',
  BASE_WS_URL: 'wss://two.example',
  BASE_HTTP_URL: 'https://two.example',
  ARBITRUM_WS_URL: 'wss://three.example',
  ARBITRUM_HTTP_URL: 'https://three.example',
};

type Json = Record<string, unknown>;

/** The example with a change, and the problems that reading it finds. */
function problemsOf(change: (file: Json & { chains: Json[] }) => void, environment = nodeUrls): string[] {
  const file = JSON.parse(readFileSync(examplePath, 'utf8'));
  change(file);
  const readText = (path: string) =>
    path === examplePath ? JSON.stringify(file) : readFileSync(path, 'utf8');
  try {
    parseConfigFile(examplePath, readText, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').map((line) => line.replace(examplePath, 'FILE'));
  }
}

test('the example serves Ethereum, Base and Arbitrum with addresses whose checksums are right', () => {
  const config = parseConfigFile(examplePath, (path) => readFileSync(path, 'utf8'), nodeUrls);
  assert.deepEqual(
    config.chains.map(({ chainId, name, tokens }) => [chainId, name, tokens.length]),
    [
      [1, 'Ethereum', 5],
      [8453, 'Base', 4],
      [42161, 'Arbitrum One', 5],
    ],
  );
  assert.deepEqual(config.chains[0]?.rpcUrls, ['wss://one.example', 'https://one.example']);
});

test('the published schema is the one that validates', () => {
  const published = JSON.parse(readFileSync(join(root, 'docs/config.schema.json'), 'utf8'));
  assert.deepEqual(published, JSON.parse(JSON.stringify(ConfigFile)));
});

test('a node URL kept in the environment must be there', () => {
  const { BASE_HTTP_URL: _, ...others } = nodeUrls;
  assert.deepEqual(
    problemsOf(() => {}, others as typeof nodeUrls),
    [
      'BASE_HTTP_URL: this environment variable must hold the URL of a node (http, https, ws or wss) or the path of its IPC socket.',
    ],
  );
});

const mistakes: [name: string, change: (file: Json & { chains: Json[] }) => void, problems: string[]][] = [
  [
    'an unknown key is named',
    (file) => {
      file.tokenList = [];
    },
    ['FILE: the file: tokenList is not a key here.'],
  ],
  [
    'every mistake is listed, not the first alone',
    (file) => {
      delete file.tokenLists;
      Object.assign(file.chains[1] ?? {}, { chainId: '8453', rpcUrl: [] });
    },
    [
      'FILE: the file: tokenLists is missing.',
      'FILE: chains.1: rpcUrl is not a key here.',
      'FILE: chains.1.chainId must be integer.',
    ],
  ],
  [
    'a mistyped address is found by its checksum',
    (file) => {
      Object.assign(file.chains[0] ?? {}, { wrappedNative: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc3' });
    },
    [
      'FILE: chain 1, wrappedNative 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc3: the EIP-55 checksum is wrong; is it mistyped?',
    ],
  ],
  [
    'a chain listed twice is refused',
    (file) => {
      Object.assign(file.chains[1] ?? {}, { chainId: 1 });
    },
    ['FILE: chains: chainId 1 is listed twice.'],
  ],
  [
    'a proxy that is no address is refused',
    (file) => {
      file.trustedProxies = ['10.0.0.0/8', '::1', 'nonsense', '10.0.0.0/33', '0.0.0.0/0'];
    },
    [
      'FILE: trustedProxies: nonsense is neither an IP address nor a CIDR range.',
      'FILE: trustedProxies: 10.0.0.0/33 is neither an IP address nor a CIDR range.',
      'FILE: trustedProxies: 0.0.0.0/0 is neither an IP address nor a CIDR range.',
    ],
  ],
  [
    'a chain without tokens, and one polled too seldom to stay fresh, are refused',
    (file) => {
      Object.assign(file.chains[0] ?? {}, { chainId: 5 });
      Object.assign(file.chains[1] ?? {}, { pollIntervalMs: 20_000 });
    },
    [
      'FILE: tokenLists: no list has a token of chain 5 to trade.',
      'FILE: chain 8453: pollIntervalMs must be less than staleAfterSeconds (10000 ms).',
    ],
  ],
  [
    'a factory the router cannot trade with is refused',
    (file) => {
      Object.assign(file.chains[1] ?? {}, { factories: (file.chains[0]?.factories as Json[]).slice(0, 1) });
    },
    [
      'FILE: chain 8453, factories: a SWAP_ROUTER_02 trades the factories it was built with: list one UNISWAP_V3 and at most one UNISWAP_V2.',
    ],
  ],
];
for (const [name, change, problems] of mistakes) {
  test(name, () => assert.deepEqual(problemsOf(change), problems));
}

test('a file that is no JSON, or is not there, is named', () => {
  assert.throws(() => parseConfigFile('/x/f.json', () => '{', {}), /^ConfigError: \/x\/f\.json: /);
  assert.throws(
    () => parseConfigFile('/nowhere/f.json', (path) => readFileSync(path, 'utf8'), {}),
    /there is no such file/,
  );
});
