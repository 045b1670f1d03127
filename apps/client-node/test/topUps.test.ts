// A relayer that another one fills up: judged by the policy, once for each time that it has too little, also under kills.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AskNode, nodeAt } from '@fairway/testing';
import type { RelayerView, RelayTransaction, Sandbox } from '@fairway/wire';
import { makeKeystore } from '../src/platform/signers/keystore.ts';
import { ask, execute } from './asking.ts';
import { until } from './ground.ts';
import { createProcesses, type NodePlace, type ServicePlace, type Started } from './processes.ts';

const ETHER = 10n ** 18n;
const [BELOW, AMOUNT, LOW] = [ETHER, 5n * ETHER, ETHER / 2n];
const PASSWORD = 'correct horse battery staple';
const processes = await createProcesses();
after(() => processes.close());

let service: ServicePlace;
let sandbox: Sandbox;
let rpc: AskNode;
let node: Started<NodePlace>;
let treasury: string;
let worker: string;

const hex = (value: bigint) => `0x${value.toString(16)}`;
const config = () => ({
  chains: [
    {
      ...{ chainId: service.chainId, nodes: [service.rpcUrl], confirmations: 0, maxFeeGwei: 100 },
      signers: ['worker', 'treasury'].map((name) => ({
        ...{ kind: 'KEYSTORE', file: `${name}.json`, passwordFile: 'password' },
      })),
    },
  ],
});
const policy = (topUp: object = {}) => ({
  chains: [
    {
      ...{ chainId: service.chainId, wrappedNative: sandbox.wrappedNative.toLowerCase(), tokens: [] },
      routers: [Object.values(sandbox.routers as Record<string, string>)[0]?.toLowerCase()],
      ...{ recipients: [], maxLifeSec: 900, simulation: 'DEMANDED', mostGas: '600000', keepWei: '0' },
      topUps: [
        {
          ...{ from: treasury, to: worker, belowWei: String(BELOW), amountWei: String(AMOUNT) },
          ...{ window: 'P1D', mostCount: 4, ...topUp },
        },
      ],
    },
  ],
});
const start = (given: object = policy()) =>
  processes.configured(service, 'topped', { config: config(), policy: given });

before(async () => {
  service = (await processes.service()).ready;
  sandbox = (await ask<Sandbox>(service, '/v1/sandbox')).body;
  rpc = nodeAt(service.rpcUrl);
  writeFileSync(join(processes.folder, 'password'), `${PASSWORD}\n`);
  const made: string[] = [];
  for (const name of ['worker', 'treasury']) {
    const { fileText, address } = await makeKeystore(PASSWORD);
    writeFileSync(join(processes.folder, `${name}.json`), fileText);
    made.push(address);
  }
  [worker = '', treasury = ''] = made;
  await setBalance(worker, LOW);
  await setBalance(treasury, 100n * ETHER);
});

const setBalance = (address: string, wei: bigint) => rpc('anvil_setBalance', [address, hex(wei)]);
const balanceOf = async (address: string) => BigInt(await rpc<string>('eth_getBalance', [address, 'latest']));
const sentBy = async (address: string) =>
  Number(await rpc<string>('eth_getTransactionCount', [address, 'latest']));
const viewOf = async (address: string) =>
  (await ask<RelayerView>(node.ready, `/relay/relayers/${service.chainId}-${address}`)).body;
const transactions = async () =>
  (await ask<{ data: RelayTransaction[] }>(node.ready, '/relay/transactions')).body.data;

test('a policy that tops up a stranger is refused at the start', async () => {
  const stranger = `0x${'7e'.repeat(20)}`;
  await assert.rejects(
    start(policy({ to: stranger })),
    new RegExp(`${stranger} in topUps of chain \\d+, which is no key`),
  );
});

test('who has too little is filled up once, and who has enough is not', async () => {
  node = await start();
  await until(async () => (await balanceOf(worker)) > BELOW, 'it is filled up');
  await rpc('anvil_mine', ['0x5']);
  await sleep(3_000);
  assert.equal(await balanceOf(worker), LOW + AMOUNT);
  assert.equal(await sentBy(treasury), 1);
  const [topUp, ...others] = await transactions();
  assert.equal(others.length, 0);
  assert.deepEqual([topUp?.status, topUp?.value, topUp?.data], ['CONFIRMED', String(AMOUNT), '0x']);
  const { topUp: shown } = await viewOf(worker);
  assert.equal(shown?.from.toLowerCase(), treasury);
  assert.deepEqual(
    [shown?.below, shown?.amount, shown?.relayTransactionId, shown?.failure],
    [String(BELOW), String(AMOUNT), undefined, undefined],
  );
  assert.equal((await viewOf(treasury)).topUp, undefined);
  const { inWords } = (await ask<{ inWords: string[] }>(node.ready, '/relay/policies')).body;
  const sentence = `below 1 in native currency, ${worker} gets 5 from ${treasury}, at most 4 times within P1D.`;
  assert.ok(inWords.includes(`Chain ${service.chainId}: ${sentence}`), JSON.stringify(inWords));
  const console = await fetch(`${node.ready.url}/relay/console`, {
    headers: {
      authorization: `Basic ${Buffer.from(`${node.ready.username}:${node.ready.password}`).toString('base64')}`,
    },
  });
  assert.match(await console.text(), /Topped up/);
});

test('a node that is killed in the middle, again and again, fills up once', async () => {
  await rpc('evm_setAutomine', [false]);
  await setBalance(worker, LOW);
  await rpc('evm_mine');
  for (const waitMs of [150, 400, 900, 1_600]) {
    await sleep(waitMs);
    await node.kill('SIGKILL');
    node = await start();
  }
  await until(async () => (await viewOf(worker)).topUp?.relayTransactionId !== undefined, 'it is under way');
  await sleep(1_000);
  await node.kill('SIGKILL');
  await rpc('evm_mine');
  node = await start();
  await until(async () => {
    await rpc('evm_mine');
    return (await balanceOf(worker)) > BELOW;
  }, 'it is filled up');
  await rpc('evm_setAutomine', [true]);
  await rpc('anvil_mine', ['0x5']);
  await sleep(3_000);
  assert.equal(await balanceOf(worker), LOW + AMOUNT);
  assert.equal(await sentBy(treasury), 2);
});

test('the policy says how often, an empty treasury is told, and no client can ask for it', async () => {
  await node.kill('SIGTERM');
  node = await start(policy({ mostCount: 2 }));
  await setBalance(worker, LOW);
  await rpc('evm_mine');
  const failure = async () => (await viewOf(worker)).topUp?.failure;
  await until(async () => (await failure())?.code === 'WINDOW_COUNT', 'the window is full');
  await node.kill('SIGTERM');
  await setBalance(treasury, ETHER);
  node = await start();
  await until(async () => (await failure())?.code === 'BALANCE_NOT_KEPT', 'the treasury is empty');
  assert.match(
    (await failure())?.detail ?? '',
    new RegExp(`Send [\\d.]+ or more \\(\\d+ wei\\) to ${treasury}`),
  );
  const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';
  const usdc = sandbox.tokens.find(({ symbol }) => symbol === 'USDC')?.address;
  const { body } = await execute(node.ready, 'drain', {
    ...{ chainId: service.chainId, tokenIn: native, tokenOut: usdc, tradeType: 'EXACT_IN', sender: treasury },
    ...{ amount: String(ETHER / 10n), minAmountOut: '200000000' },
  });
  assert.equal(body.code, 'policy-refused', 'a top-up lets no client spend native currency');
  assert.equal(await sentBy(treasury), 2);
});
