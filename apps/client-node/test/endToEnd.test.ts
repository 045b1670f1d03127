// From a quote to the books: a whole service and a whole node, asked as a client asks them. The chain judges.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, verifyWebhook } from '@fairway/sdk';
import { createMarkets } from '@fairway/sdk/markets';
import { createPayments } from '@fairway/sdk/payments';
import { createReports } from '@fairway/sdk/reports';
import { nodeAt } from '@fairway/testing';
import type { ExecutionReading, PaymentPlan, Quote, WebhookEndpoint } from '@fairway/wire';
import { ask } from './asking.ts';
import { AMOUNT, type ExecutedPlan, give, pay, paymentOf, paymentsOnChain } from './plans.ts';
import { createProcesses, type NodePlace, type ServicePlace } from './processes.ts';
import { startReceiver } from './receiver.ts';

const processes = await createProcesses();
let service: ServicePlace;
let node: NodePlace;

before(async () => {
  service = (await processes.service()).ready;
  node = service.clientNode;
  await give(service, node.relayers[0]?.address, AMOUNT);
});
after(processes.close);

test('quote, execution, receipt, webhook, completed plan, and the rows of the report', async () => {
  const rpc = nodeAt(service.rpcUrl);
  // The client knows the node alone: all else below /v1 is the service's, mirrored.
  const { url, username, password } = node;
  const connection = createConnection({ url, username, password });
  const receiver = await startReceiver();
  const body = { url: receiver.url, types: ['relay.transaction.confirmed'] };
  const endpoint = (await ask<WebhookEndpoint>(node, '/relay/webhook_endpoints', { body })).body;
  const from = (await rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])).timestamp;

  const corridors = await createMarkets(connection).corridors();
  const { source, target } = corridors.find(({ id }) => id === 'usdc-aud-bank') ?? assert.fail();
  const asked = new URLSearchParams({
    ...{ chainId: String(service.chainId), tokenIn: source.address ?? '', tokenOut: target.address ?? '' },
    ...{ tradeType: 'EXACT_IN', amount: String(AMOUNT) },
  });
  const quote = (await ask<Quote>(node, `/v1/quote?${asked}`)).body;
  const minAmountOut = (BigInt(quote.amountOut) * 995n) / 1000n;

  const request = paymentOf('swapped', 'INV-2026-0042', service.chainId, {
    minAmountOut: String(minAmountOut),
  });
  const { body: paid } = await pay(node, request);
  assert.equal(paid.execution.status, 'SUCCEEDED', JSON.stringify(paid));
  const receipt = paid.receipts.at(-1) ?? assert.fail();
  assert.deepEqual(await paymentsOnChain(rpc, node, paid.planId), [receipt.txHash]);
  const data = `0x70a08231${target.settlementAddress?.slice(2).toLowerCase().padStart(64, '0')}`;
  const settled = BigInt(await rpc<string>('eth_call', [{ to: target.address, data }, 'latest']));
  assert.ok(settled >= minAmountOut, `${settled} arrived`);

  const got = await until(() => receiver.got.find(({ text }) => text.includes(String(receipt.txHash))));
  const event = await verifyWebhook({ body: got.text, headers: got.headers, secret: endpoint.secret ?? '' });
  assert.partialDeepStrictEqual(JSON.parse(got.text), {
    ...{ type: 'relay.transaction.confirmed', id: event.id },
    data: { object: { planId: paid.planId, txHash: receipt.txHash, status: 'CONFIRMED' } },
  });

  const path = `/v1/payments/${paid.planId}/steps/${paid.next?.stepId}/reports`;
  const report = { outcome: 'DONE', providerReference: 'BANK-42' };
  assert.equal((await ask<PaymentPlan>(node, path, { body: report })).body.status, 'COMPLETED');
  const plan = (await createPayments(connection).get(paid.planId)) as unknown as ExecutedPlan;
  assert.equal(plan.status, 'COMPLETED');
  assert.deepEqual(plan.receipts.at(-1)?.txHash, receipt.txHash);
  const byKey = await ask<ExecutionReading>(node, '/relay/executions?key=INV-2026-0042');
  assert.deepEqual(byKey.body.receipts, plan.receipts);

  const reports = createReports(connection);
  const to = (await until(laterThan(plan.updatedAt))).toISOString();
  const made = await reports.create({
    ...{ type: 'movements', format: 'json', from: new Date(Number(from) * 1000 - 60_000).toISOString(), to },
  });
  const { status } = await reports.wait(made.reportId, { everyMs: 200 });
  assert.equal(status, 'COMPLETE');
  const text = await new Response(await reports.download(made.reportId)).text();
  const rows = JSON.parse(text) as readonly Row[];
  const own = rows.filter(({ planId }) => planId === paid.planId);
  // The bank pays whole cents, so that the rest is a deduction.
  const kinds = ['DEDUCTION', 'DEPOSIT', 'PAYOUT', 'SWAP_IN', 'SWAP_OUT'];
  assert.deepEqual(own.map(({ kind }) => kind).sort(), kinds);
  const swapped = own.find(({ kind }) => kind === 'SWAP_OUT') ?? assert.fail();
  assert.equal(swapped.txHash, receipt.txHash);
  assert.ok(BigInt(swapped.amount) >= minAmountOut);
});

type Row = {
  readonly planId: string;
  readonly kind: string;
  readonly amount: string;
  readonly txHash?: string;
};

/** The time, once it is after another one. */
const laterThan = (at: string) => () => {
  const now = new Date();
  return now > new Date(at) ? now : undefined;
};

async function until<Found>(find: () => Found | undefined): Promise<Found> {
  for (const untilMs = performance.now() + 20_000; performance.now() < untilMs; await sleep(50)) {
    const found = find();
    if (found !== undefined) return found;
  }
  return assert.fail('It never came');
}
