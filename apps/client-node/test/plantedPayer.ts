// A payer with a fault that is common, in the place of a node: the lives of payments must find what it pays twice.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createConnection } from '@fairway/sdk';
import { createPayments, type PaymentPlan, type PaymentRequest } from '@fairway/sdk/payments';
import { nodeAt } from '@fairway/testing';
import { type Hex, keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { PlantedOrder } from './payOnce.ts';

type Kept = { readonly body: PaymentRequest; nonce?: number; hash?: Hex };
type Memory = { nextNonce: number; readonly payments: Record<string, Kept> };

const { values, positionals } = parseArgs({
  options: { 'ready-file': { type: 'string', default: '' } },
  allowPositionals: true,
});
const order = JSON.parse(positionals[0] ?? '') as PlantedOrder;
const { fault, chainId } = order;
const account = privateKeyToAccount(order.privateKey);
const rpc = nodeAt(order.rpcUrl);
const payments = createPayments(createConnection(order.service));
const memory: Memory = existsSync(order.file)
  ? (JSON.parse(readFileSync(order.file, 'utf8')) as Memory)
  : { nextNonce: 0, payments: {} };
const commit = () => writeFileSync(order.file, JSON.stringify(memory));
// What was under way when it crashed is begun anew.
if (fault === 'PLANS_AGAIN')
  for (const each of Object.values(memory.payments)) {
    delete each.nonce;
    delete each.hash;
  }

async function nonceFor(kept: Kept): Promise<number> {
  const count = async (tag: 'latest' | 'pending') =>
    Number(await rpc<Hex>('eth_getTransactionCount', [account.address, tag]));
  if (fault === 'LATEST') return count('latest');
  if (fault === 'PENDING') return count('pending');
  return kept.nonce ?? Math.max(memory.nextNonce, await count('latest'));
}

async function execute(kept: Kept, { next }: PaymentPlan): Promise<void> {
  const [call] = (next?.calls ?? []) as readonly { to: Hex; data: Hex; value: string }[];
  if (call === undefined) return;
  const nonce = await nonceFor(kept);
  const raw = await account.signTransaction({
    ...{ type: 'eip1559', chainId, nonce, gas: 200_000n, maxFeePerGas: 10n ** 11n },
    ...{ maxPriorityFeePerGas: 1_000_000n, to: call.to, data: call.data, value: BigInt(call.value) },
  });
  Object.assign(kept, { nonce, hash: keccak256(raw) });
  memory.nextNonce = Math.max(memory.nextNonce, nonce + 1);
  if (fault !== 'SENDS_FIRST') commit();
  await rpc('eth_sendRawTransaction', [raw]).catch(() => undefined);
  if (fault === 'SENDS_FIRST') commit();
}

async function advance(kept: Kept): Promise<void> {
  const plan = await payments.create(kept.body);
  const { next, planId } = plan;
  if (next?.do === 'SEND' && next.stepId !== undefined)
    await payments.steps.report(planId, next.stepId, { outcome: 'DONE' });
  if (next?.do !== 'EXECUTE' || next.stepId === undefined) return;
  const receipt = kept.hash && (await rpc<object | null>('eth_getTransactionReceipt', [kept.hash]));
  if (receipt && kept.hash)
    await payments.steps.report(planId, next.stepId, { outcome: 'DONE', txHash: kept.hash });
  else await execute(kept, plan);
}

const server = createServer((request, response) => {
  void (async () => {
    const body = (await json(request)) as PaymentRequest;
    const options = { ...body.options, sender: account.address };
    memory.payments[body.clientReference] ??= { body: { ...body, options } };
    commit();
    response.end('{}');
  })();
});
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const relayers = [{ relayerId: 'planted', address: account.address, chainId }];
  writeFileSync(values['ready-file'], JSON.stringify({ url, username: '', password: '', relayers }));
});
for (;;) {
  for (const each of Object.values(memory.payments)) await advance(each).catch(() => undefined);
  await sleep(100);
}
