// What is wrong with the configuration is said at the start, with the field and what to give, and without secrets.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { readConfig } from '../src/platform/config/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-node-config-'));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const CHAIN = {
  ...{ chainId: 1, routers: [], tokens: [], recipients: [], maxLifeSec: 600 },
  ...{ simulation: 'DEMANDED', mostGas: '1', keepWei: '0' },
};

/** A configuration of one chain, with some of it changed. */
const configWith = (changed: object = {}, signer: object = {}) => ({
  chains: [
    {
      ...{ chainId: 1, nodes: ['http://127.0.0.1:2'], ...changed },
      signers: [
        { kind: 'KEYSTORE', file: 'keystore.json', passwordFile: file('password', 'secret\n'), ...signer },
      ],
    },
  ],
});

type Given = { readonly config?: unknown; readonly policy?: string | undefined; readonly more?: object };

const SERVICE = {
  FAIRWAY_NODE_SERVICE_URL: 'http://127.0.0.1:1',
  FAIRWAY_NODE_SERVICE_USERNAME: 'node',
  FAIRWAY_NODE_SERVICE_PASSWORD: 'secret',
  FAIRWAY_NODE_DATA: folder,
};

function read({ config = configWith(), policy = file('right.json', { chains: [CHAIN] }), more = {} }: Given) {
  const variables = { ...SERVICE, FAIRWAY_NODE_POLICY: policy, ...more };
  const { ground } = readConfig(['--config', file('config.json', config)], variables);
  assert.ok(ground.kind === 'PRODUCTION');
  return ground;
}

test('webhooks may go to networks that the file names, and published schemas say the form', () => {
  const { allowPrivate } = read({
    config: { ...configWith(), webhooks: { allowPrivate: ['10.1.2.3/32'] } },
  });
  assert.equal(allowPrivate.length, 1);
  assert.deepEqual(read({}).allowPrivate, []);
  const wrong = faultsOf({ config: { ...configWith(), webhooks: { allowPrivate: ['10.1.2.3/8'] } } });
  assert.match(wrong.join('\n'), /webhooks\.allowPrivate\[0\]: .*10\.0\.0\.0\/8/);
  const published = (name: string) =>
    JSON.parse(
      readFileSync(new URL(`../../../docs/${name}.schema.json`, import.meta.url), 'utf8'),
    ) as TSchema;
  const webhooks = { allowPrivate: ['10.1.2.3/32'] };
  assert.ok(Check(published('client-node'), { ...configWith(), webhooks }));
  assert.ok(!Check(published('client-node'), configWith({}, { kind: 'LEDGER' })));
  assert.ok(!Check(published('client-node'), { ...configWith(), surprise: 1 }));
  assert.ok(Check(published('client-node-policy'), { chains: [CHAIN] }));
  assert.ok(!Check(published('client-node-policy'), { chains: [{ ...CHAIN, surprise: 1 }] }));
});

/** What is said of a configuration. */
function faultsOf(given: Given): string[] {
  try {
    read(given);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

const faults = (policy: string | undefined) =>
  faultsOf({ ...(policy === undefined ? { more: { FAIRWAY_NODE_POLICY: '' } } : { policy }) });

test('without a policy nothing starts, and a policy that is wrong is named with its field', () => {
  assert.deepEqual(faults(file('right.json', { chains: [CHAIN] })), []);
  assert.deepEqual(faults(undefined), [
    'FAIRWAY_NODE_POLICY: is missing; give the file that says what may be signed.',
  ]);
  const none = join(folder, 'none.json');
  assert.deepEqual(faults(none), [`FAIRWAY_NODE_POLICY ${none}: cannot be read as JSON.`]);
  const text = file('text.json', 'allow all');
  assert.deepEqual(faults(text), [`FAIRWAY_NODE_POLICY ${text}: cannot be read as JSON.`]);
  const wrong = file('wrong.json', { chains: [{ ...CHAIN, recipient: 'ANY' }] });
  assert.deepEqual(faults(wrong), [
    `FAIRWAY_NODE_POLICY ${wrong}: chains[0]: recipient is not a key here. Remove it.`,
  ]);
  const other = file('other.json', { chains: [{ ...CHAIN, chainId: 10 }] });
  assert.deepEqual(faults(other), [
    `FAIRWAY_NODE_POLICY ${other}: chains has no entry for chain 1, so that nothing may be signed there. Add one.`,
  ]);
});

test('a configuration names several chains, each with its nodes and its signers in their order', () => {
  const [chain] = configWith().chains;
  const address = `0x${'aB'.repeat(20)}`;
  const kms = { kind: 'AWS_KMS', address, kmsKey: 'alias/relayer', region: 'eu-central-1' };
  const web3 = { kind: 'WEB3SIGNER', address, url: 'env:SIGNER' };
  const config = {
    chains: [
      { ...chain, signers: [...(chain?.signers ?? []), kms, web3] },
      { chainId: 10, nodes: ['env:NODE', '/run/geth.ipc'], confirmations: 3, maxFeeGwei: 5, signers: [kms] },
    ],
  };
  const policy = file('two.json', { chains: [CHAIN, { ...CHAIN, chainId: 10 }] });
  const more = {
    ...{ NODE: 'https://me:hidden@node.example', SIGNER: 'http://signer.example' },
    ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
  };
  const { chains } = read({ config, policy, more });
  const lower = address.toLowerCase();
  const credentials = { kind: 'STATIC', accessKeyId: 'a', secretAccessKey: 'b' };
  const place = { kmsKey: 'alias/relayer', region: 'eu-central-1' };
  const opened = { kind: 'AWS_KMS', address: lower, place, access: { credentials } };
  assert.deepEqual(chains, [
    {
      ...{ chainId: 1, nodeUrls: ['http://127.0.0.1:2'], confirmations: 12 },
      maxFeePerGasCapWei: 200_000_000_000n,
      signers: [
        {
          ...{ kind: 'KEYSTORE', field: 'chains[0].signers[0]' },
          ...{ path: join(folder, 'keystore.json'), password: 'secret' },
        },
        { ...opened, field: 'chains[0].signers[1]' },
        { kind: 'WEB3SIGNER', field: 'chains[0].signers[2]', address: lower, url: 'http://signer.example' },
      ],
    },
    {
      ...{ chainId: 10, nodeUrls: ['https://me:hidden@node.example', '/run/geth.ipc'], confirmations: 3 },
      maxFeePerGasCapWei: 5_000_000_000n,
      signers: [{ ...opened, field: 'chains[1].signers[0]' }],
    },
  ]);
});

test('what is wrong with chains and signers is named with its field, and no secret is repeated', () => {
  const path = join(folder, 'config.json');
  const said = (config: unknown, more: object = {}) =>
    faultsOf({ config, more }).map((line) => line.replace(`${path}: `, ''));
  assert.deepEqual(said('chains'), ['cannot be read as JSON.']);
  assert.deepEqual(said({ chains: [] }), [
    'chains is not as it must be. Give a list with one entry for each chain.',
  ]);
  assert.deepEqual(said(configWith({ nodes: ['ftp://me:hunter2@node'] })), [
    'chains[0].nodes[0] is not as it must be. Give a URL of http, https, ws or wss, the path of an IPC socket, or "env:NAME" where an environment variable holds it.',
  ]);
  assert.deepEqual(said(configWith({ nodes: ['https://me:100%hunter2@node.example'] })), [
    'chains[0].nodes[0] is no URL. Write a user and a password in it with percent-encoding.',
  ]);
  assert.deepEqual(said(configWith({ nodes: ['env:NOT_SET'] })), [
    'chains[0].nodes[0]: the environment variable NOT_SET must hold the URL.',
  ]);
  assert.deepEqual(said(configWith({ gas: 1 })), ['chains[0]: gas is not a key here. Remove it.']);
  assert.deepEqual(said(configWith({}, { kind: 'LEDGER' })), [
    'chains[0].signers[0].kind is not as it must be. Give "KEYSTORE", "AWS_KMS" or "WEB3SIGNER".',
  ]);
  assert.deepEqual(said(configWith({}, { password: 'hunter2' })), [
    'chains[0].signers[0]: password is not a key here. Remove it.',
  ]);
  assert.deepEqual(said(configWith({}, { passwordFile: 'hunter2' })), [
    'chains[0].signers[0].passwordFile cannot be read. Give the file whose first line opens the keystore.',
  ]);
  const [chain] = configWith().chains;
  assert.deepEqual(
    said({ chains: [{ ...chain, signers: [{ kind: 'AWS_KMS', kmsKey: 'k', region: 'EU' }] }, chain] }),
    [
      'chains[0].signers[0]: address is missing. Give the address of the key: 40 hex digits with 0x in front.',
      'chains[0].signers[0].region is not as it must be. Give a region of AWS, such as "eu-central-1".',
      'chains[1].chainId is there twice. Merge the two entries.',
    ],
  );
  for (const line of faultsOf({ config: configWith({ nodes: ['https://me:100%hunter2@x'] }) }))
    assert.doesNotMatch(line, /hunter2/);
});

test('the example of a configuration in the guide is read', () => {
  const guide = readFileSync(new URL('../../../docs/client-node.md', import.meta.url), 'utf8');
  const text = guide.slice(guide.indexOf('## Chains and keys'));
  const config = JSON.parse(/```json\n([^`]*)```/.exec(text)?.[1] ?? '') as unknown;
  const { chains } = read({ config, more: { SECOND_NODE: 'https://node.example' } });
  assert.deepEqual(
    chains[0]?.signers.map(({ kind }) => kind),
    ['KEYSTORE', 'AWS_KMS', 'WEB3SIGNER'],
  );
});

test('without a configuration nothing starts', () => {
  assert.throws(
    () => readConfig([], { ...SERVICE, FAIRWAY_NODE_POLICY: file('right.json', { chains: [CHAIN] }) }),
    /FAIRWAY_NODE_CONFIG: is missing; give the file of the chains and their signers, or --config FILE\./,
  );
});
