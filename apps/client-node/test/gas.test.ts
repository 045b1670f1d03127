// How much gas may cost, and who is in a hurry: rules that an operator sets, on a chain whose blocks are too dear.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type AskNode, nodeAt } from '@fairway/testing';
import type { GasView, RelayTransaction, Sandbox } from '@fairway/wire';
import { ask, execute } from './asking.ts';
import { until } from './ground.ts';
import { createProcesses, type NodePlace, type Place, type ServicePlace, type Started } from './processes.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const GWEI = 10n ** 9n;
const processes = await createProcesses();
after(() => processes.close());

let service: ServicePlace;
let node: Started<NodePlace>;
let rpc: AskNode;
let usdc: string;

before(async () => {
  service = (await processes.service()).ready;
  rpc = nodeAt(service.rpcUrl);
  node = await processes.node(service, 'gas');
  const { tokens } = (await ask<Sandbox>(service, '/v1/sandbox')).body;
  usdc = tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? assert.fail();
});

type Said = { readonly code?: string; readonly detail?: string; readonly errors?: { pointer: string }[] };

const path = (chain: string | number = service.chainId) => `/relay/gas/${chain}`;
const put = (body: object, place: Place = node.ready, chain: string | number = service.chainId) =>
  ask<GasView & Said>(place, path(chain), { method: 'PUT', body });
const gas = async () => (await ask<GasView>(node.ready, path())).body;

function credential(permissions: string): Place {
  const env = { ...process.env, DATABASE_URL: '', FAIRWAY_NODE_DATA: join(processes.folder, 'gas') };
  const args = [MAIN, 'credentials', 'create', '--permissions', permissions, '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  return { ...(JSON.parse(stdout === '' ? assert.fail(stderr) : stdout) as Place), url: node.ready.url };
}

test('what is set is in force with who has set it, also after the node was killed', async () => {
  const configured = await gas();
  assert.deepEqual(configured, {
    ...{ chainId: service.chainId, maxFeePerGasCap: String(1000n * GWEI), bumpAfterBlocks: 3 },
  });
  const operator = credential('operator');
  const { status, body } = await put({ maxFeePerGasCap: String(7n * GWEI), bumpAfterBlocks: 9 }, operator);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    { ...body, changedAt: undefined },
    {
      ...{ chainId: service.chainId, maxFeePerGasCap: String(7n * GWEI), bumpAfterBlocks: 9 },
      ...{ changedBy: operator.username, changedAt: undefined },
    },
  );
  await node.kill('SIGKILL');
  node = await processes.node(service, 'gas');
  assert.deepEqual(await gas(), body);
});

test('what is out of bounds names its field, and changes nothing', async () => {
  const before = await gas();
  const right = { maxFeePerGasCap: String(GWEI), bumpAfterBlocks: 1 };
  for (const [change, pointer] of [
    [{ maxFeePerGasCap: String(1000n * GWEI + 1n) }, '/maxFeePerGasCap'],
    [{ maxFeePerGasCap: String(GWEI - 1n) }, '/maxFeePerGasCap'],
    [{ maxFeePerGasCap: '0' }, '/maxFeePerGasCap'],
    [{ maxFeePerGasCap: '-1' }, '/maxFeePerGasCap'],
    [{ maxFeePerGasCap: '9'.repeat(90) }, '/maxFeePerGasCap'],
    [{ maxFeePerGasCap: 5_000_000_000 }, '/maxFeePerGasCap'],
    [{ maxFeePerGasCap: undefined }, '/maxFeePerGasCap'],
    [{ bumpAfterBlocks: 0 }, '/bumpAfterBlocks'],
    [{ bumpAfterBlocks: 101 }, '/bumpAfterBlocks'],
    [{ bumpAfterBlocks: 1.5 }, '/bumpAfterBlocks'],
    [{ bumpAfterBlocks: undefined }, '/bumpAfterBlocks'],
    [{ bumpFactor: 2 }, '/bumpFactor'],
  ] as const) {
    const { status, body } = await put({ ...right, ...change });
    assert.deepEqual(
      [status, body.errors?.map((error) => error.pointer)],
      [400, [pointer]],
      JSON.stringify(body),
    );
  }
  for (const chain of [1, 'x', `0${service.chainId}`])
    assert.equal((await put(right, node.ready, chain)).status, 404);
  for (const role of ['executor', 'read-only', 'signer'])
    assert.equal((await put(right, credential(role))).status, 403, role);
  assert.deepEqual(await gas(), before);
});

test('of two that set rules at once one is in force as a whole', async () => {
  const [one, other] = [credential('operator'), credential('operator')];
  const rules = (index: number) => ({
    maxFeePerGasCap: String(BigInt(index) * GWEI),
    bumpAfterBlocks: index,
  });
  for (let round = 0; round < 10; round += 1) {
    const [first, second] = [rules(2 * round + 2), rules(2 * round + 3)];
    await Promise.all([put(first, one), put(second, other)]);
    const { maxFeePerGasCap, bumpAfterBlocks, changedBy } = await gas();
    const isFirst = changedBy === one.username;
    assert.deepEqual({ maxFeePerGasCap, bumpAfterBlocks }, isFirst ? first : second);
    assert.ok(isFirst || changedBy === other.username);
  }
});

const sale = () => ({
  chainId: service.chainId,
  ...{
    tokenIn: NATIVE,
    tokenOut: usdc,
    tradeType: 'EXACT_IN',
    amount: String(10n ** 18n),
    minAmountOut: '2000000000',
  },
});

const transaction = async (id: string) =>
  (await ask<RelayTransaction>(node.ready, `/relay/transactions/${id}`)).body;
const offers = async (id: string) =>
  (await transaction(id)).attempts.map(({ maxFeePerGas }) => BigInt(maxFeePerGas));

/** A block of this base fee. */
async function mineAt(baseFeeWei: bigint): Promise<void> {
  await rpc('anvil_setNextBlockBaseFeePerGas', [`0x${baseFeeWei.toString(16)}`]);
  await rpc('evm_mine');
}

/** Has a swap executed in a market that is too dear for the cap: it is offered, and not mined. */
async function waiting(key: string): Promise<string> {
  assert.equal((await put({ maxFeePerGasCap: String(GWEI), bumpAfterBlocks: 100 })).status, 200);
  await rpc('evm_setAutomine', [false]);
  await mineAt(5n * GWEI);
  const { body } = await execute(node.ready, key, sale(), 0);
  const id = body.receipts[0]?.relayTransactionId ?? assert.fail(JSON.stringify(body));
  await until(async () => (await transaction(id)).attempts[0]?.wasSent === true, 'it is offered');
  assert.deepEqual(await offers(id), [((GWEI - 1n) * 8n) / 9n], 'below the cap, with room to cancel it');
  return id;
}

async function mined(id: string): Promise<void> {
  await until(
    async () => (await transaction(id)).status === 'CONFIRMED',
    'it is mined',
    () => rpc('evm_mine'),
  );
  await rpc('evm_setAutomine', [true]);
}

test('the cap that is set holds for the next round, and a higher one has more offered', async () => {
  const id = await waiting('capped');
  await put({ maxFeePerGasCap: String(100n * GWEI), bumpAfterBlocks: 1 });
  await until(
    async () => (await offers(id)).length > 1,
    'more is offered',
    () => mineAt(5n * GWEI),
  );
  assert.ok(((await offers(id)).at(-1) ?? 0n) > 5n * GWEI);
  await mined(id);
});

const speedUp = (id: string, place: Place = node.ready) =>
  ask<RelayTransaction & Said>(place, `/relay/transactions/${id}/speed-up`, { method: 'POST' });

test('who is in a hurry has a replacement signed at the same nonce, as the rules allow it', async () => {
  const id = await waiting('hurry');
  const capped = await speedUp(id);
  assert.deepEqual([capped.status, capped.body.code], [409, 'not-replaceable']);
  assert.match(capped.body.detail ?? '', /below the cap/);
  assert.equal((await offers(id)).length, 1);
  for (const role of ['executor', 'read-only', 'signer'])
    assert.equal((await speedUp(id, credential(role))).status, 403, role);

  await put({ maxFeePerGasCap: String(100n * GWEI), bumpAfterBlocks: 100 });
  const answers = await Promise.all([speedUp(id), speedUp(id)]);
  assert.ok(
    answers.some(({ status }) => status === 200),
    JSON.stringify(answers),
  );
  const { nonce } = answers[0]?.body.nonce === undefined ? (answers[1]?.body ?? {}) : answers[0].body;
  assert.equal((await transaction(id)).nonce, nonce);
  const { attempts } = await transaction(id);
  assert.ok(attempts.length >= 2);
  for (const [index, attempt] of attempts.slice(1).entries())
    for (const fee of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      const [before, offered] = [BigInt(attempts[index]?.[fee] ?? 0), BigInt(attempt[fee])];
      assert.ok(offered * 8n >= before * 9n, `${fee} is an eighth more: ${before}, ${offered}`);
      assert.ok(offered * 9n <= 100n * GWEI * 8n, 'its cancellation has room');
    }
  await mined(id);
  const late = await speedUp(id);
  assert.deepEqual([late.status, late.body.detail], [409, 'It has ended.']);
});

test('what has no transaction, or waits for an earlier one, is not replaced', async () => {
  assert.equal((await speedUp('exe_0_0')).status, 404);
  const first = await waiting('first');
  const { body } = await execute(node.ready, 'behind it', sale(), 0);
  const second = body.receipts[0]?.relayTransactionId ?? assert.fail(JSON.stringify(body));
  await until(async () => (await transaction(second)).attempts[0]?.wasSent === true, 'it is offered');
  assert.match((await speedUp(second)).body.detail ?? '', /waits for an earlier nonce/);
  const { relayerId } = await transaction(first);
  await ask(node.ready, `/relay/relayers/${relayerId}/pause`, { method: 'POST' });
  const paused = await execute(node.ready, 'paused', sale(), 0);
  const third = paused.body.receipts[0]?.relayTransactionId ?? assert.fail(JSON.stringify(paused.body));
  assert.match((await speedUp(third)).body.detail ?? '', /Nothing was sent yet/);
  await ask(node.ready, `/relay/relayers/${relayerId}/resume`, { method: 'POST' });
  await put({ maxFeePerGasCap: String(100n * GWEI), bumpAfterBlocks: 1 });
  for (const id of [first, second, third]) await mined(id);
});
