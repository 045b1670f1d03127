// Two nodes that must agree differ in the gas of a receipt, leave it out, or have no state of earlier blocks.
// Executions are recorded as ever, and only facts that no node can tell stay unknown.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestChain, startTestDatabase, type TestChain } from '@fairway/testing';
import type { PaymentPlan } from '@fairway/wire';
import { Client } from 'pg';
import { encodeFunctionData, parseAbi } from 'viem';
import { writeConfig } from './configHarness.ts';
import { basic } from './harness.ts';
import { type KeyWallet, keyWallet } from './keyWallet.ts';
import { honest, type Lie, type NodeProxy, startNodeProxy } from './nodeProxy.ts';
import { makeLogin, urlOf } from './paymentCalls.ts';
import { freshAddress, type PaymentsClient, paymentsClient, statusesOf, stepOf } from './paymentsHarness.ts';
import { endEverything, freshFolder, untilReady } from './processHarness.ts';
import { startFairway } from './commandHarness.ts';

const AMOUNT_IN = 10n ** 17n;
let chain: TestChain;
let nodes: readonly NodeProxy[];
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let sql: Client;
let client: PaymentsClient;

before(async () => {
  [chain, database] = await Promise.all([startTestChain(), startTestDatabase()]);
  nodes = [await startNodeProxy(chain.rpcUrl), await startNodeProxy(chain.rpcUrl)];
  sql = new Client(database.connection);
  await sql.connect();
  const env = {
    DATABASE_URL: urlOf(database.connection),
    FAIRWAY_SEALING_KEYS: `one:${'1f'.repeat(32)}`,
  };
  const { chainId } = chain;
  const corridor = {
    id: 'weth-usdc',
    source: { chainId, token: addressOf('WETH') },
    target: {
      ...{ type: 'BANK', country: 'AU', currency: 'AUD', token: addressOf('USDC'), custodian: 'Test' },
      settlementAddress: freshAddress(),
    },
    ...{ modes: ['STANDARD'], settlementTime: { min: 'PT1M', max: 'P1D' } },
  };
  const named = nodes.map(({ url }, index) => ({ name: `node-${index}`, urls: [url] }));
  const changes = { rpcUrls: undefined, nodes: named, agreement: 2 };
  const file = writeConfig(chain, freshFolder(), changes, { payments: { corridors: [corridor] } });
  const service = await startFairway(['--port', '0', '--config', file], env);
  const place = { databaseUrl: env.DATABASE_URL };
  const { username, password } = await makeLogin(place, 'Acme', undefined, 'production');
  client = paymentsClient(service.ready.url, basic(username, password));
  await untilReady(service.ready.url);
});
after(async () => {
  await endEverything();
  await sql?.end();
  for (const node of nodes ?? []) await node.close();
  await chain?.close();
  await database?.close();
});

function addressOf(symbol: string): string {
  return chain.tokens.find((token) => token.symbol === symbol)?.address ?? assert.fail(symbol);
}

/** A wallet with native currency, and as much WETH. */
async function payerWallet(): Promise<KeyWallet> {
  const wallet = keyWallet(chain.rpcUrl, chain.rpc);
  await chain.rpc('anvil_setBalance', [wallet.address, '0x8ac7230489e80000']);
  const abi = parseAbi(['function deposit() payable']);
  const data = encodeFunctionData({ abi, functionName: 'deposit' });
  await wallet.execute([{ to: addressOf('WETH'), data, value: String(AMOUNT_IN) }]);
  return wallet;
}

type Facts = {
  readonly gas_units: string | null;
  readonly gas_cost: string | null;
  readonly market_amount: string | null;
};

/**
 * Executes a swap while nodes say what `lies` make of it, and waits until it is found. Returns the facts that are kept of it, and its
 * receipt's gas.
 */
async function executed(...lies: readonly Lie[]): Promise<{ kept: Facts; gas: readonly string[] }> {
  const wallet = keyWallet(chain.rpcUrl, chain.rpc);
  await chain.rpc('anvil_setBalance', [wallet.address, '0x8ac7230489e80000']);
  const options = { mode: 'STANDARD', depositAddress: wallet.address };
  const asked = { corridorId: 'weth-usdc', amountIn: String(AMOUNT_IN), options };
  const made = await client.plan(asked);
  const payer = await payerWallet();
  await payer.transfer(addressOf('WETH'), wallet.address, AMOUNT_IN);
  const ready = await client.until(made, 'the swap is due', (now) => now.steps[1]?.status === 'READY');
  const call = stepOf(ready, 'EXECUTE_SWAP').instructions?.at(-1) ?? assert.fail();
  await wallet.approve(addressOf('WETH'), call.to, AMOUNT_IN);
  for (const [index, node] of nodes.entries()) node.lie = lies[index] ?? honest;
  try {
    const { hash } = await wallet.execute([call]);
    await client.until(ready, 'the swap is found', (now) => statusesOf(now) === 'DONE DONE READY');
    return { kept: await keptOf(ready), gas: await gasOf(hash) };
  } finally {
    for (const node of nodes) node.lie = honest;
  }
}

async function keptOf({ planId }: PaymentPlan): Promise<Facts> {
  const { rows } = await sql.query<Facts>(
    `select gas_units, gas_cost, market_amount from movements where plan_id = $1 and kind = 'SWAP_IN'`,
    [planId],
  );
  assert.equal(rows.length, 1);
  return rows[0] ?? assert.fail();
}

async function gasOf(hash: string): Promise<readonly string[]> {
  type Receipt = { readonly gasUsed: string; readonly effectiveGasPrice: string };
  const { gasUsed, effectiveGasPrice } = await chain.rpc<Receipt>('eth_getTransactionReceipt', [hash]);
  return [String(BigInt(gasUsed)), String(BigInt(gasUsed) * BigInt(effectiveGasPrice))];
}

/** Receipts with other members. */
const receiptsWith =
  (members: object): Lie =>
  ({ method }, answer) =>
    method !== 'eth_getTransactionReceipt' || answer.result === null
      ? answer
      : { result: { ...(answer.result as object), ...members } };

/** Has no state of any block. */
const forgetful: Lie = ({ method }, answer) =>
  method === 'eth_call' ? { error: { code: -32_000, message: 'missing trie node' } } : answer;

const silent: Lie = ({ method }, answer) => (method === 'eth_call' ? new Promise(() => undefined) : answer);

test('what two nodes say alike of gas is kept, and what they differ in is not', async () => {
  const { kept, gas } = await executed();
  assert.deepEqual([kept.gas_units, kept.gas_cost], gas);
  assert.ok(BigInt(kept.market_amount ?? '') > 0n);
  const nonsense = receiptsWith({ gasUsed: '0xnonsense', effectiveGasPrice: { much: true } });
  const { kept: differing } = await executed(honest, nonsense);
  assert.deepEqual([differing.gas_units, differing.gas_cost], [null, null]);
  assert.ok(differing.market_amount !== null);
});

test('gas that is impossible is unknown, and what a chain takes for the data is part of the cost', async () => {
  const huge = receiptsWith({ gasUsed: `0x${'f'.repeat(64)}`, effectiveGasPrice: `0x${'f'.repeat(64)}` });
  assert.equal((await executed(huge, huge)).kept.gas_units, null);
  const opStack = receiptsWith({ l1Fee: '0x64' });
  const { kept, gas } = await executed(opStack, opStack);
  assert.deepEqual([kept.gas_units, kept.gas_cost], [gas[0], String(BigInt(gas[1] ?? '') + 100n)]);
});

test('nodes without the state of earlier blocks, or that do not answer, leave the market unknown', async () => {
  for (const lie of [forgetful, silent]) {
    const { kept, gas } = await executed(lie, lie);
    assert.deepEqual([kept.gas_units, kept.gas_cost, kept.market_amount], [...gas, null]);
  }
});
