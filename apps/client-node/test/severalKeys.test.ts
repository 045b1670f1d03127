// A node with several keys on one chain, and another chain that is away: who signs, and what is said of it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AskNode,
  type KeyService,
  nodeAt,
  startKeyService,
  startTestChain,
  type TestChain,
} from '@fairway/testing';
import type { RelayerView, RelayHealth, Sandbox } from '@fairway/wire';
import { makeKeystore } from '../src/platform/signers/keystore.ts';
import { ask, execute } from './asking.ts';
import { until } from './ground.ts';
import { createProcesses, type NodePlace, type ServicePlace, type Started } from './processes.ts';
import { type SigningServer, startSigningServer } from './signingServer.ts';

const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';
const OTHER_CHAIN = 4242;
const PASSWORD = 'correct horse battery staple';
const WEALTH = `0x${(10n ** 21n).toString(16)}`;
const endings: (() => unknown)[] = [];
const processes = await createProcesses();
after(async () => {
  await processes.close();
  for (const end of endings.toReversed()) await end();
});

let service: ServicePlace;
let sandbox: Sandbox;
let rpc: AskNode;
let keyService: KeyService;
let signingServer: SigningServer;
let other: Awaited<ReturnType<typeof startGate>>;
let node: Started<NodePlace>;
/** The addresses of the keys, in the order of the configuration. */
let keys: readonly [string, string, string];

before(async () => {
  service = (await processes.service()).ready;
  sandbox = (await ask<Sandbox>(service, '/v1/sandbox')).body;
  rpc = nodeAt(service.rpcUrl);
  keyService = await startKeyService();
  signingServer = await startSigningServer(service.chainId);
  const otherChain = await startTestChain();
  other = await startGate(otherChain);
  endings.push(keyService.close, signingServer.close, otherChain.close, other.close);
  await otherChain.rpc('anvil_setChainId', [OTHER_CHAIN]);
  const { fileText, address } = await makeKeystore(PASSWORD);
  writeFileSync(join(processes.folder, 'key.json'), fileText);
  writeFileSync(join(processes.folder, 'password'), `${PASSWORD}\n`);
  keys = [address, keyService.signingKey.address.toLowerCase(), signingServer.address];
  for (const each of keys) await rpc('anvil_setBalance', [each, WEALTH]);
  other.setAway(true);
  node = await processes.configured(service, 'several', { config: config(), policy: policy(), environment });
});

/** A node of a chain that can be away. */
async function startGate({ rpcUrl }: TestChain) {
  let isAway = false;
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray());
      if (isAway) return request.destroy();
      const answer = await fetch(rpcUrl, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      return response.end(await answer.text());
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setAway(next: boolean): void {
      isAway = next;
    },
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

const environment = {
  FAIRWAY_NODE_METRICS_PORT: '0',
  get AWS_ACCESS_KEY_ID() {
    return keyService.credentials.accessKeyId;
  },
  get AWS_SECRET_ACCESS_KEY() {
    return keyService.credentials.secretAccessKey;
  },
  get AWS_SESSION_TOKEN() {
    return keyService.credentials.sessionToken;
  },
  get SIGNING_SERVER() {
    return signingServer.url;
  },
};

const KEYSTORE = { kind: 'KEYSTORE', file: 'key.json', passwordFile: 'password' };
const config = () => ({
  chains: [
    {
      ...{ chainId: service.chainId, nodes: [service.rpcUrl], confirmations: 0, maxFeeGwei: 1000 },
      signers: [
        KEYSTORE,
        {
          ...{ kind: 'AWS_KMS', address: keys[1], kmsKey: keyService.signingKeyName },
          ...{ region: keyService.region, endpoint: keyService.endpoint },
        },
        { kind: 'WEB3SIGNER', address: keys[2], url: 'env:SIGNING_SERVER' },
      ],
    },
    { chainId: OTHER_CHAIN, nodes: [other.url], confirmations: 0, signers: [KEYSTORE] },
  ],
});

const RULES = {
  ...{ recipients: 'ANY', maxLifeSec: 900, simulation: 'DEMANDED', mostGas: '600000', keepWei: '0' },
};
const policy = () => ({
  messages: 'ALLOWED',
  chains: [
    {
      ...{ ...RULES, chainId: service.chainId, wrappedNative: sandbox.wrappedNative.toLowerCase() },
      routers: [Object.values(sandbox.routers as Record<string, string>)[0]?.toLowerCase()],
      tokens: [{ address: NATIVE, spend: { most: String(10n ** 18n) } }, { address: usdc().toLowerCase() }],
    },
    { ...RULES, chainId: OTHER_CHAIN, routers: [], tokens: [] },
  ],
});

const usdc = () => sandbox.tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? assert.fail();
const sale = (changed: object = {}) => ({
  chainId: service.chainId,
  ...{ tokenIn: NATIVE, tokenOut: usdc(), tradeType: 'EXACT_IN', amount: String(10n ** 17n) },
  ...{ minAmountOut: '200000000', ...changed },
});
const health = async () => (await ask<RelayHealth>(node.ready, '/relay/health')).body;
const countOf = async (address: string | undefined) =>
  Number(await rpc<string>('eth_getTransactionCount', [address, 'latest']));

test('a request names its key, and without one the first of its chain signs', async () => {
  const [first, second, third] = keys;
  const { ready } = node;
  for (const [key, changed, signer] of [
    ['default', {}, first],
    ['first', { sender: first }, first],
    ['kms', { sender: second }, second],
    ['web3signer', { sender: third }, third],
  ] as const) {
    const { body } = await execute(ready, key, sale(changed));
    assert.equal(body.execution?.status, 'SUCCEEDED', JSON.stringify(body));
    const { from } = await rpc<{ from: string }>('eth_getTransactionReceipt', [body.receipts[0]?.txHash]);
    assert.equal(from, signer, key);
  }
  assert.deepEqual(await Promise.all(keys.map(countOf)), [2, 1, 1]);
  const stranger = await execute(ready, 'stranger', sale({ sender: usdc() }));
  const { errors } = stranger.body as unknown as { errors: { pointer: string; detail: string }[] };
  assert.deepEqual([stranger.status, errors[0]?.pointer], [400, '/sender']);
  for (const each of keys) assert.ok(errors[0]?.detail.includes(each), 'it says who could sign');
});

test('each key has nonces and a view of its own, and no key waits for another one', async () => {
  const { ready } = node;
  const listed = (await ask<RelayerView[]>(ready, '/relay/relayers')).body;
  assert.deepEqual(
    listed.map(({ relayerId, signer }) => [relayerId, signer]),
    [
      [`${service.chainId}-${keys[0]}`, 'KEYSTORE'],
      [`${service.chainId}-${keys[1]}`, 'AWS_KMS'],
      [`${service.chainId}-${keys[2]}`, 'WEB3SIGNER'],
      [`${OTHER_CHAIN}-${keys[0]}`, 'KEYSTORE'],
    ],
  );
  assert.deepEqual(
    listed.map(({ nextNonce }) => nextNonce),
    [2, 1, 1, undefined],
  );
  keyService.setMood('FAILS');
  const waiting = await execute(ready, 'held up', sale({ sender: keys[1] }), 0);
  assert.equal(waiting.status, 200, JSON.stringify(waiting.body));
  await until(
    async () => (await health()).relayers.some(({ state }) => state === 'SIGNER_AWAY'),
    'it is said that the key service is away',
  );
  const meanwhile = await execute(ready, 'meanwhile', sale());
  assert.equal(meanwhile.body.execution.status, 'SUCCEEDED');
  keyService.setMood('SERVES');
  const held = await execute(ready, 'held up', sale({ sender: keys[1] }));
  assert.equal(held.body.execution.status, 'SUCCEEDED', JSON.stringify(held.body));
  assert.equal(await countOf(keys[1]), 2);
});

test('a signer that fails is told to who asks for a signature or for a replacement', async () => {
  const { ready } = node;
  type Refused = { readonly code: string; readonly detail: string };
  const sign = (key: string) =>
    ask<Refused>(ready, `/relay/relayers/${service.chainId}-${key}/sign-message`, {
      body: { message: 'hello' },
    });
  keyService.setMood('FAILS');
  signingServer.setMood('FAILS');
  for (const key of keys.slice(1)) {
    const { status, body } = await sign(key);
    assert.deepEqual([status, body.code], [502, 'signer-failed'], JSON.stringify(body));
    assert.doesNotMatch(body.detail, /canary/, 'nothing of its answer is repeated');
  }
  signingServer.setMood('OTHER_KEY');
  assert.equal((await sign(keys[2])).body.code, 'signer-failed', 'a signature of another key is none');
  keyService.setMood('SERVES');
  signingServer.setMood('SERVES');
  for (const key of keys) assert.equal((await sign(key)).status, 200, key);

  await rpc('evm_setAutomine', [false]);
  const { body } = await execute(ready, 'to be sped up', sale({ sender: keys[2] }), 0);
  const path = `/relay/transactions/${body.receipts[0]?.relayTransactionId}`;
  await until(
    async () => (await ask<{ status: string }>(ready, path)).body.status === 'BROADCAST',
    'it is offered',
  );
  signingServer.setMood('FAILS');
  const faster = await ask<Refused>(ready, `${path}/speed-up`, { body: {} });
  assert.deepEqual([faster.status, faster.body.code], [502, 'signer-failed'], JSON.stringify(faster.body));
  signingServer.setMood('SERVES');
  await rpc('evm_setAutomine', [true]);
  await rpc('evm_mine');
  const ended = await execute(ready, 'to be sped up', sale({ sender: keys[2] }));
  assert.equal(ended.body.execution.status, 'SUCCEEDED', JSON.stringify(ended.body));
});

test('what waits for a paused relayer is counted', async () => {
  const { ready } = node;
  const third = `${service.chainId}-${keys[2]}`;
  await ask(ready, `/relay/relayers/${third}/pause`, { body: {} });
  const { body } = await execute(ready, 'held', sale({ sender: keys[2] }), 0);
  assert.equal(body.execution.why?.code, 'RELAYER_PAUSED', JSON.stringify(body.execution));
  await sleep(1_200);
  const text = await (await fetch(ready.metricsUrl ?? assert.fail())).text();
  const figureOf = (name: string, key: string) =>
    Number(
      new RegExp(`^fairway_node_${name}\\{relayer="${service.chainId}-${key}",.*\\} (.*)$`, 'm').exec(
        text,
      )?.[1],
    );
  const figures = (key: string) =>
    ['relayer_paused', 'waiting_transactions', 'pending_transactions'].map((name) => figureOf(name, key));
  assert.deepEqual(
    [figures(keys[2]), figures(keys[0])],
    [
      [1, 1, 0],
      [0, 0, 0],
    ],
  );
  assert.ok(figureOf('oldest_pending_seconds', keys[2]) >= 1);
  await ask(ready, `/relay/relayers/${third}/resume`, { body: {} });
  const held = await execute(ready, 'held', sale({ sender: keys[2] }));
  assert.equal(held.body.execution.status, 'SUCCEEDED');
});

test('metrics tell of each relayer what waits, what it has, and what was refused', async () => {
  const { ready } = node;
  const [first, second] = keys.map((each) => `${service.chainId}-${each}`);
  const dear = await execute(ready, 'dear', sale({ amount: String(2n * 10n ** 18n) }));
  assert.equal(dear.body.code, 'policy-refused');
  const text = await (await fetch(ready.metricsUrl ?? assert.fail())).text();
  const figureOf = (name: string, labels: string) =>
    Number(new RegExp(`^${name}\\{${labels}\\} (.*)$`, 'm').exec(text)?.[1] ?? NaN);
  const of = (relayer: string | undefined) => `relayer="${relayer}",chain="${service.chainId}"`;
  assert.equal(figureOf('fairway_node_relayer_working', of(first)), 1);
  assert.equal(figureOf('fairway_node_pending_transactions', of(first)), 0);
  assert.equal(figureOf('fairway_node_oldest_pending_seconds', of(first)), 0);
  assert.equal(figureOf('fairway_node_nonce_gap', of(second)), 0);
  const balance = Number(await rpc<string>('eth_getBalance', [keys[0], 'latest']));
  assert.equal(figureOf('fairway_node_balance_wei', of(first)), balance);
  assert.equal(figureOf('fairway_node_refusals_total', `relayer="${first}",code="AMOUNT_ABOVE_MOST"`), 1);
  // Three executions of the first key, and two of the second.
  assert.equal(figureOf('fairway_node_broadcast_seconds_count', `relayer="${first}"`), 3);
  assert.equal(figureOf('fairway_node_broadcast_seconds_count', `relayer="${second}"`), 2);
  const tookSeconds = figureOf('fairway_node_broadcast_seconds_sum', `relayer="${first}"`);
  assert.ok(tookSeconds > 0 && tookSeconds < 30, String(tookSeconds));
  const away = `relayer="${OTHER_CHAIN}-${keys[0]}",chain="${OTHER_CHAIN}"`;
  assert.equal(figureOf('fairway_node_relayer_working', away), 0);
  assert.doesNotMatch(
    text,
    new RegExp(`fairway_node_balance_wei\\{${away}`),
    'what is not known is not told',
  );
});

test('a chain that is away keeps no other one from executing, and is said to be', async () => {
  const { ready } = node;
  const away = `${OTHER_CHAIN}-${keys[0]}`;
  const stateOf = async () => (await health()).relayers.find(({ relayerId }) => relayerId === away)?.state;
  assert.equal(await stateOf(), 'STARTING');
  assert.equal((await health()).status, 'DEGRADED');
  assert.equal((await fetch(`${ready.url}/relay/ready`)).status, 200, 'one chain works');
  const early = await execute(ready, 'early', sale({ chainId: OTHER_CHAIN }));
  assert.deepEqual([early.status, early.body.code], [503, 'upstream-unavailable']);
  const path = `/relay/relayers/${away}`;
  assert.equal((await ask(ready, `${path}/reconcile`, { method: 'POST' })).status, 503);
  assert.equal((await ask<RelayerView>(ready, path)).body.balance, undefined);

  other.setAway(false);
  await until(async () => (await health()).status === 'OK', 'the chain is back');
  const back = (await ask<RelayerView>(ready, path)).body;
  assert.deepEqual([back.nextNonce, back.nonceLatest, back.disabledReason], [0, 0, undefined]);

  other.setAway(true);
  await until(async () => (await stateOf()) === 'NODES_AWAY', 'it is away again');
  const { status, body } = await ask<RelayerView>(ready, path);
  assert.deepEqual([status, body.state, body.nextNonce, body.balance], [200, 'NODES_AWAY', 0, undefined]);
  const { body: executed } = await execute(ready, 'beside', sale());
  assert.equal(executed.execution.status, 'SUCCEEDED');
});

test('what was taken on for a key is executed by it, also when another one is the first by now', async () => {
  const [first, second, third] = keys;
  await node.kill('SIGKILL');
  const turned = config();
  turned.chains[0]?.signers.reverse();
  const given = { config: turned, policy: policy(), environment };
  node = await processes.configured(service, 'several', given);
  const before = await Promise.all([first, second, third].map(countOf));
  const again = await execute(node.ready, 'default', sale());
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const { body } = await execute(node.ready, 'after', sale());
  assert.equal(body.execution.status, 'SUCCEEDED', JSON.stringify(body));
  const [was, , wasThird] = before;
  assert.deepEqual(await Promise.all([first, third].map(countOf)), [was, (wasThird ?? 0) + 1]);
});

test('a key service whose key is another one, and a key that is there twice, are named', async () => {
  const wrong = config();
  Object.assign(wrong.chains[0]?.signers[1] ?? {}, { address: keys[0] });
  const refused = (given: object) =>
    processes.configured(service, 'refused', { config: given, policy: policy(), environment });
  await assert.rejects(refused(wrong), new RegExp(`chains\\[0\\]\\.signers\\[1\\]\\.address: .*${keys[1]}`));
  const twice = config();
  twice.chains[0]?.signers.push(KEYSTORE);
  await assert.rejects(refused(twice), /chains\[0\]\.signers\[3\]: the chain has this key already/);
  const locked = { ...KEYSTORE, passwordFile: 'key.json' };
  const closed = { chains: [{ ...twice.chains[1], signers: [locked] }] };
  await assert.rejects(refused(closed), /chains\[0\]\.signers\[0\]: .*the password is wrong/);
});
