import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLE_NODES } from '../../../test/exampleNodes.ts';
import { ConfigError } from './error.ts';
import { parseConfigFile } from './file.ts';
import { ConfigFile } from './schema.ts';

const root = join(import.meta.dirname, '../../../../..');
const examplePath = join(root, 'examples/config/fairway.json');

type Json = Record<string, unknown>;

/** Changes the example and returns the problems that reading it finds. */
function problemsOf(
  change: (file: Json & { chains: Json[] }) => void,
  environment = EXAMPLE_NODES,
): string[] {
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
  const config = parseConfigFile(examplePath, (path) => readFileSync(path, 'utf8'), EXAMPLE_NODES);
  assert.deepEqual(
    config.chains.map(({ chainId, name, tokens }) => [chainId, name, tokens.length]),
    [
      [1, 'Ethereum', 5],
      [8453, 'Base', 4],
      [42161, 'Arbitrum One', 5],
    ],
  );
  assert.deepEqual(config.chains[0]?.nodes[1], { name: 'second', urls: ['https://ethereum-2.example'] });
});

test('the published schema is the schema that the service validates with', () => {
  const published = JSON.parse(readFileSync(join(root, 'docs/config.schema.json'), 'utf8'));
  assert.deepEqual(published, JSON.parse(JSON.stringify(ConfigFile)));
});

test('an environment variable that a node URL names must be set', () => {
  const { BASE_NODE_2: _, ...others } = EXAMPLE_NODES;
  assert.deepEqual(
    problemsOf(() => {}, others),
    [
      'BASE_NODE_2: this environment variable must hold the URL of a node (http, https, ws or wss) or the path of its IPC socket.',
    ],
  );
});

test('a chain with a list of URLs has one node, and of several nodes more than half must agree', () => {
  const chainsOf = (change: (chain: Json) => void) => {
    const file = JSON.parse(readFileSync(examplePath, 'utf8'));
    change(file.chains[0]);
    const readText = (path: string) =>
      path === examplePath ? JSON.stringify(file) : readFileSync(path, 'utf8');
    return parseConfigFile(examplePath, readText, EXAMPLE_NODES).chains[0];
  };
  const rpcUrls = ['wss://one.example', 'https://one.example'];
  const single = chainsOf((chain) => {
    delete chain.nodes;
    chain.rpcUrls = rpcUrls;
  });
  assert.deepEqual([single?.nodes, single?.agreement], [[{ name: 'node', urls: rpcUrls }], 1]);
  assert.equal(chainsOf(() => {})?.agreement, 2);
  const defaults = [1, 2, 3, 4, 5, 6].map(
    (count) =>
      chainsOf((chain) => {
        chain.nodes = Array.from({ length: count }, (_, index) => ({
          name: `node-${index}`,
          urls: [`https://node-${index}.example`],
        }));
        delete chain.agreement;
      })?.agreement,
  );
  assert.deepEqual(defaults, [1, 2, 2, 3, 3, 4]);
  const all = chainsOf((chain) => {
    chain.agreement = 3;
  });
  assert.equal(all?.agreement, 3);
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
      'FILE: chains[1]: rpcUrl is not a key here.',
      'FILE: chains[1].chainId must be a whole number of at least 1.',
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
      delete file.payments;
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
      'FILE: trustedProxies: 0.0.0.0/0 is every address, so every caller could name any address as its own. Name your proxies alone.',
    ],
  ],
  [
    'nodes with one name, and more agreement than nodes, are refused',
    (file) => {
      const [own, second] = file.chains[0]?.nodes as Json[];
      Object.assign(file.chains[0] ?? {}, { nodes: [own, { ...second, name: 'own' }], agreement: 3 });
      Object.assign(file.chains[1] ?? {}, { nodes: [(file.chains[1]?.nodes as Json[])[0]], agreement: 2 });
    },
    [
      'FILE: chain 1: nodes: the name own is used twice.',
      'FILE: chain 1: agreement is 3, but only 2 nodes are configured.',
      'FILE: chain 8453: agreement is 2, but only one node is configured.',
    ],
  ],
  [
    'an agreement of half of the nodes, or of fewer, is refused',
    (file) => {
      const nodes = (count: number) =>
        Array.from({ length: count }, (_, index) => ({
          name: `node-${index}`,
          urls: [`https://node-${index}.example`],
        }));
      Object.assign(file.chains[0] ?? {}, { nodes: nodes(4), agreement: 2 });
      Object.assign(file.chains[1] ?? {}, { nodes: nodes(2), agreement: 1 });
    },
    [
      'FILE: chain 1: agreement is 2, which is not more than half of the 4 nodes: others could agree on something else at the same time. Set it to 3 or more, or list fewer nodes.',
      'FILE: chain 8453: agreement is 1, which is not more than half of the 2 nodes: others could agree on something else at the same time. Set it to 2, or list fewer nodes.',
    ],
  ],
  [
    'two nodes with one URL are refused, also where two variables hold it',
    (file) => {
      const [own] = file.chains[0]?.nodes as { urls: string[] }[];
      own?.urls.push('https://ethereum-3.example');
    },
    [
      'FILE: chain 1: the nodes own and third have URLs of the same host, port and path. One provider is one node, whatever its number of URLs.',
    ],
  ],
  [
    'nodes beside rpcUrls, and a chain without either, are refused',
    (file) => {
      Object.assign(file.chains[0] ?? {}, { rpcUrls: ['https://other.example'] });
      delete file.chains[1]?.nodes;
    },
    [
      'FILE: chain 1: nodes and rpcUrls are both given; put the URLs of rpcUrls into a node of nodes.',
      'FILE: chain 8453: nodes is missing: list the nodes to ask.',
    ],
  ],
  [
    'a chain of production without a limit for the age of its blocks is refused',
    (file) => {
      delete file.chains[2]?.maxBlockAgeSeconds;
    },
    [
      'FILE: chain 42161: maxBlockAgeSeconds is missing. Give the age in seconds above which the latest block is refused, such as five times the usual time between two blocks.',
    ],
  ],
  [
    'a chain without tokens, and one polled too seldom to stay fresh, are refused',
    (file) => {
      delete file.payments;
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

/** Replaces members of the example's first corridor, at any depth, and returns the problems that follow. */
function corridorProblemsOf(changes: Json, target: Json = {}): string[] {
  return problemsOf((file) => {
    const [corridor] = (file.payments as { corridors: Json[] }).corridors;
    Object.assign(corridor ?? {}, changes);
    Object.assign((corridor?.target as Json) ?? {}, target);
    file['mail'] = { smtpUrl: 'smtp://mail.example', from: 'Acme <payments@acme.example>' };
  }).map((line) => line.replace('FILE: corridor usdt-aud-bank: ', ''));
}

const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const NOT_AN_ACCOUNT =
  'target.settlementAddress must be an account of the custodian, not a reserved address or a contract.';
const corridorMistakes: [name: string, changes: Json, target: Json, problems: string[]][] = [
  [
    'a chain that is not served',
    { source: { chainId: 10, token: USDT } },
    {},
    [
      'source.chainId 10 is none of the chains.',
      `source.token ${USDT} is on no token list for chain 10.`,
      'target.token 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 is on no token list for chain 10.',
    ],
  ],
  [
    'tokens that are on no list',
    { source: { chainId: 1, token: `0x${'ab'.repeat(20)}` } },
    { token: `0x${'cd'.repeat(20)}` },
    [
      `source.token 0x${'ab'.repeat(20)} is on no token list for chain 1.`,
      `target.token 0x${'cd'.repeat(20)} is on no token list for chain 1.`,
    ],
  ],
  [
    'addresses that are mistyped',
    { source: { chainId: 1, token: USDT.replace('dAC', 'DAC') } },
    {
      token: '0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      settlementAddress: '0xf39fd6e51aad88F6F4ce6aB8827279cffFb92266',
    },
    [
      `source.token ${USDT.replace('dAC', 'DAC')}: the EIP-55 checksum is wrong; is it mistyped?`,
      'target.token 0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48: the EIP-55 checksum is wrong; is it mistyped?',
      'target.settlementAddress 0xf39fd6e51aad88F6F4ce6aB8827279cffFb92266: the EIP-55 checksum is wrong; is it mistyped?',
    ],
  ],
  ...[
    ['zero', `0x${'0'.repeat(40)}`],
    ["the router's name for itself", `0x${'0'.repeat(39)}2`],
    ['the native placeholder', `0x${'ee'.repeat(20)}`],
    ['a token', USDT],
    ['the wrapped native token', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'],
    ['the router', '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45'],
    ['a factory', '0x1F98431c8aD98523631AE4a59f267346ea31F984'],
    ['Multicall3', '0xcA11bde05977b3631167028862bE2a173976CA11'],
    ['a quoter', '0x61fFE014bA17989E743c5F6cB21bF9697530B21e'],
    ['0x…dEaD', `0x${'dead'.padStart(40, '0')}`],
  ].map(([what, settlementAddress]): (typeof corridorMistakes)[number] => [
    `money that would go to ${what}`,
    {},
    { settlementAddress },
    [NOT_AN_ACCOUNT],
  ]),
  ['a bank of no country', {}, { country: undefined }, ['target.country is missing; BANK needs it.']],
  [
    'accounts that no wallet is paid from',
    {},
    { payoutAddresses: [`0x${'33'.repeat(20)}`] },
    ['target.payoutAddresses: they are compared with payouts to wallets, and this corridor pays none.'],
  ],
  [
    'payout addresses that are mistyped, listed twice or anybody’s',
    {},
    {
      type: 'WALLET',
      payoutAddresses: [
        '0xf39fd6e51aad88F6F4ce6aB8827279cffFb92266',
        `0x${'ab'.repeat(20)}`,
        `0x${'AB'.repeat(20)}`,
        '0xcA11bde05977b3631167028862bE2a173976CA11',
      ],
    },
    [
      'target.payoutAddresses 0xf39fd6e51aad88F6F4ce6aB8827279cffFb92266: the EIP-55 checksum is wrong; is it mistyped?',
      `target.payoutAddresses: 0x${'AB'.repeat(20)} is listed twice.`,
      'target.payoutAddresses: 0xcA11bde05977b3631167028862bE2a173976CA11 must be an account of the custodian, not a reserved address, a token or a router.',
    ],
  ],
  [
    'a mode that the target cannot have',
    { modes: ['STANDARD', 'DIGITAL_COLLECT'] },
    {},
    ['modes: DIGITAL_COLLECT goes with target.type EMAIL, and only with it.'],
  ],
  [
    'e-mail that is paid directly',
    { modes: ['STANDARD', 'DIGITAL_COLLECT'], destinations: { wallet: true } },
    { type: 'EMAIL' },
    ['modes: STANDARD needs a target that is paid directly, not EMAIL.'],
  ],
  [
    'e-mail after which nothing can be chosen',
    { modes: ['DIGITAL_COLLECT'] },
    { type: 'EMAIL' },
    ['destinations: what a recipient may choose goes with target.type EMAIL, which needs it.'],
  ],
  ...[{}, { wallet: false, emoney: false }].map((destinations): (typeof corridorMistakes)[number] => [
    `destinations that leave nothing: ${JSON.stringify(destinations)}`,
    { modes: ['DIGITAL_COLLECT'], destinations },
    { type: 'EMAIL' },
    ['destinations: allow wallet, emoney or at least one of bankCountries.'],
  ]),
  [
    'destinations where nobody is asked',
    { destinations: { wallet: true } },
    {},
    ['destinations: what a recipient may choose goes with target.type EMAIL, which needs it.'],
  ],
  [
    'destinations that are none',
    { destinations: { bankCountries: [], wallet: 'yes', card: true } },
    {},
    [
      'FILE: payments.corridors[0].destinations: card is not a key here.',
      'FILE: payments.corridors[0].destinations.wallet must be true or false.',
      'FILE: payments.corridors[0].destinations.bankCountries must have at least 1 entry.',
    ],
  ],
  [
    'countries that are none, or named twice',
    { destinations: { bankCountries: ['de', 'FR', 'FR'] } },
    {},
    [
      'FILE: payments.corridors[0].destinations.bankCountries[0] must match the pattern ^[A-Z]{2}$.',
      'FILE: payments.corridors[0].destinations.bankCountries must not have the same entry twice.',
    ],
  ],
  ['bounds that leave nothing', { maxAmountIn: '9999999' }, {}, ['maxAmountIn is less than minAmountIn.']],
  [
    'dust that could be a whole deposit',
    { dustBelow: '10000001' },
    {},
    ['dustBelow is more than minAmountIn, so that a whole deposit could be dust.'],
  ],
  [
    'bounds beyond what a token can count',
    { minAmountIn: '9'.repeat(78), maxAmountIn: String(2n ** 256n) },
    {},
    ['minAmountIn is more than 2^256-1.', 'maxAmountIn is more than 2^256-1.'],
  ],
  [
    'times that are none',
    { settlementTime: { min: 'soon', max: '-P1D' } },
    {},
    [
      'settlementTime.min must be an ISO 8601 duration, such as PT20M or P1D.',
      'settlementTime.max must be at least 0 s.',
    ],
  ],
  [
    'a longest time that is shorter than the shortest',
    { settlementTime: { min: 'P2D', max: 'PT1H' } },
    {},
    ['settlementTime.max is shorter than min.'],
  ],
];
for (const [name, changes, target, problems] of corridorMistakes) {
  test(`a corridor is refused for ${name}`, () =>
    assert.deepEqual(corridorProblemsOf(changes, target), problems));
}

test('a corridor listed twice, and faults of several corridors, each have a line', () => {
  const problems = problemsOf((file) => {
    const { corridors } = file.payments as { corridors: Json[] };
    Object.assign(corridors[0] ?? {}, { id: 'usdc-eur-sepa', maxAmountIn: '1' });
    Object.assign(corridors[1] ?? {}, { maxAmountIn: '2' });
  });
  assert.deepEqual(problems, [
    'FILE: payments.corridors: usdc-eur-sepa is listed twice.',
    'FILE: corridor usdc-eur-sepa: maxAmountIn is less than minAmountIn.',
    'FILE: corridor usdc-eur-sepa: maxAmountIn is less than minAmountIn.',
  ]);
});

test('keys of payments that are unknown, missing or of another type are named', () => {
  const problems = problemsOf((file) => {
    const payments = file.payments as { corridors: Json[] };
    Object.assign(payments, { planLifetimeHours: 0.5, plans: 1 });
    Object.assign(payments.corridors[0] ?? {}, { id: 'USDT AUD', maxAmountIn: 5, status: undefined, fee: 1 });
    delete payments.corridors[1]?.settlementTime;
  });
  assert.deepEqual(problems, [
    'FILE: payments: plans is not a key here.',
    'FILE: payments.planLifetimeHours must be a whole number from 1 to 8760.',
    'FILE: payments.planLifetimeHours must be a whole number from 1 to 8760.',
    'FILE: payments.corridors[0]: fee is not a key here.',
    'FILE: payments.corridors[0].id must match the pattern ^[a-z0-9][a-z0-9-]{0,63}$.',
    'FILE: payments.corridors[0].maxAmountIn must be a text in quotation marks.',
    'FILE: payments.corridors[1]: settlementTime is missing.',
  ]);
});

test('a corridor has defaults, partly from its chain, and a plan lives seven days by default', () => {
  const file = JSON.parse(readFileSync(examplePath, 'utf8'));
  delete file.payments.planLifetimeHours;
  const { minAmountIn: _, maxAmountIn: __, status: ___, ...rest } = file.payments.corridors[1];
  file.payments.corridors[1] = rest;
  const readText = (path: string) =>
    path === examplePath ? JSON.stringify(file) : readFileSync(path, 'utf8');
  const { payments } = parseConfigFile(examplePath, readText, EXAMPLE_NODES);
  assert.equal(payments?.planLifeMs, 7 * 86_400_000);
  const [first, second] = payments?.corridors ?? [];
  assert.partialDeepStrictEqual(first, { id: 'usdt-aud-bank', status: 'SUSPENDED', minConfirmations: 12 });
  assert.partialDeepStrictEqual(second, {
    status: 'ACTIVE',
    minAmountIn: '1',
    maxAmountIn: String(2n ** 256n - 1n),
    minConfirmations: 60,
    recipientTypes: ['bank'],
    source: { chainId: 8453, token: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' },
  });
});

test('wrong keys of organisations are named', () => {
  const problems = problemsOf((file) => {
    const organisations = [
      { shownName: '' },
      { organisation: 'Acme', shownName: 'x'.repeat(81), logo: 5, color: 'red' },
      { organisation: 'Birch', notices: { reminderHours: 0, delivery: 'yes', reminder: true } },
      { organisation: 'Cedar', recipientApproval: 'OPTIONAL' },
      { organisation: 'Dogwood', colour: 'red', support: {} },
      { organisation: 'Elm', support: { phone: '020 7946 0018' } },
    ];
    Object.assign(file['payments'] as Json, { organisations });
  });
  assert.deepEqual(problems, [
    'FILE: payments.organisations[0]: organisation is missing.',
    'FILE: payments.organisations[0].shownName must have at least 1 character.',
    'FILE: payments.organisations[1]: color is not a key here.',
    'FILE: payments.organisations[1].shownName must have at most 80 characters.',
    'FILE: payments.organisations[1].logo must be a text in quotation marks.',
    'FILE: payments.organisations[2].notices: reminder is not a key here.',
    'FILE: payments.organisations[2].notices.reminderHours must be a whole number from 1 to 2160.',
    'FILE: payments.organisations[2].notices.delivery must be true or false.',
    'FILE: payments.organisations[3].recipientApproval must be "REQUIRED".',
    'FILE: payments.organisations[4].colour is not as it must be. The colour of buttons on the collect page and in its e-mails, such as "#0b4f8a". Every colour can be read: text on it is black or white, and text in it is darkened or lightened as far as it takes.',
    'FILE: payments.organisations[4].support must have at least 1 key.',
    'FILE: payments.organisations[5].support.phone is not as it must be. With + and the country code; spaces and hyphens are shown as they are written.',
  ]);
});

test('a file that is missing or not JSON is named', () => {
  assert.throws(() => parseConfigFile('/x/f.json', () => '{', {}), /^ConfigError: \/x\/f\.json: /);
  assert.throws(
    () => parseConfigFile('/nowhere/f.json', (path) => readFileSync(path, 'utf8'), {}),
    /there is no such file/,
  );
});
