// Payments that a node executes, from the request to the plan's end, beside a whole service. The chain judges.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AskNode, nodeAt } from '@fairway/testing';
import type { ExecutionReading, PaymentPlan } from '@fairway/wire';
import { ask, execute } from './asking.ts';
import { startLyingService } from './lyingService.ts';
import { AMOUNT, type ExecutedPlan, give, type Kind, pay, paymentOf, paymentsOnChain } from './plans.ts';
import { createProcesses, type NodePlace, type ServicePlace, type Started } from './processes.ts';

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const processes = await createProcesses();
after(async () => {
  liar?.close();
  await processes.close();
});

let liar: Awaited<ReturnType<typeof startLyingService>> | undefined;
let service: ServicePlace;
let node: NodePlace;
let rpc: AskNode;
let usdc: string;

before(async () => {
  service = (await processes.service()).ready;
  node = service.clientNode;
  rpc = nodeAt(service.rpcUrl);
  usdc = await give(service, node.relayers[0]?.address, 10n * AMOUNT);
});

const payment = (kind: Kind, reference: string, options: object = {}) =>
  paymentOf(kind, reference, service.chainId, options);

async function usdcOf(owner: string | undefined): Promise<bigint> {
  const data = `0x70a08231${owner?.slice(2).toLowerCase().padStart(64, '0')}`;
  return BigInt(await rpc<string>('eth_call', [{ to: usdc, data }, 'latest']));
}

async function countOf({ relayers: [relayer] }: NodePlace): Promise<number> {
  return Number(await rpc<string>('eth_getTransactionCount', [relayer?.address, 'latest']));
}

for (const kind of ['swapped', 'sent', 'collected'] as const)
  test(`a payment is executed once, and the plan goes on: ${kind}`, async () => {
    const before = await usdcOf(node.relayers[0]?.address);
    const body = payment(kind, `PAY-${kind}`);
    const { status, body: paid } = await pay(node, body);
    assert.equal(status, 200, paid.detail);
    assert.equal(paid.execution.status, 'SUCCEEDED', JSON.stringify(paid));
    assert.deepEqual(
      paid.steps.slice(0, 2).map((step) => step.status),
      ['DONE', 'DONE'],
    );
    const [hash, ...others] = await paymentsOnChain(rpc, node, paid.planId);
    assert.deepEqual(others, [], 'paid once');
    assert.equal(paid.receipts.at(-1)?.txHash, hash);
    assert.equal(await usdcOf(node.relayers[0]?.address), before - AMOUNT);
    const again = await pay(node, body);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(again.body.receipts, paid.receipts);
    const { body: mirrored, headers } = await ask<ExecutedPlan>(node, `/v1/payments/${paid.planId}`);
    assert.deepEqual([mirrored.execution, mirrored.receipts], [paid.execution, paid.receipts]);
    const { execution: _, receipts: __, ...plan } = mirrored;
    const own = await ask<PaymentPlan>(service, `/v1/payments/${paid.planId}`);
    assert.deepEqual(plan, own.body, 'all else is as the service has it');
    assert.equal(headers.get('etag'), own.headers.get('etag'));
    const byKey = await ask<ExecutionReading>(node, `/relay/executions?key=PAY-${kind}`);
    assert.deepEqual(byKey.body.execution, paid.execution);
    const other = await pay(node, { ...body, amountIn: String(AMOUNT + 1n) });
    assert.ok(other.status === 422, JSON.stringify(other.body));
    if (kind === 'swapped') {
      const path = `/v1/payments/${paid.planId}/steps/${paid.next?.stepId}/reports`;
      const report = { outcome: 'DONE', providerReference: 'BANK-1' };
      const ended = await ask<PaymentPlan>(node, path, { body: report });
      assert.equal(ended.body.status, 'COMPLETED', JSON.stringify(ended.body));
    }
  });

test('what is set aside for one payment is not promised to another', async () => {
  const before = await usdcOf(node.relayers[0]?.address);
  const most = Number(before / AMOUNT);
  const bodies = Array.from({ length: most + 1 }, (_, index) => payment('sent', `PAY-many-${index}`));
  await Promise.all(bodies.map((body) => pay(node, body, 0)));
  const look = () => Promise.all(bodies.map((body) => pay(node, body, 0)));
  const isSettled = ({ body: { execution } }: Awaited<ReturnType<typeof pay>>) =>
    execution.status === 'SUCCEEDED' || execution.failure?.code === 'BALANCE_SHORT';
  let answers = await look();
  while (!answers.every(isSettled)) {
    await sleep(500);
    answers = await look();
  }
  const short = answers.filter(({ body }) => body.execution.failure?.code === 'BALANCE_SHORT');
  assert.equal(short.length, 1, JSON.stringify(answers.map(({ body }) => body.execution)));
  assert.match(
    short[0]?.body.execution.failure?.detail ?? '',
    /has [\d,.]+ USDC \(\d+\) of the token 0x.*needs 1,000 USDC \(1000000000\)/,
  );
  assert.equal(answers.filter(({ body }) => body.execution.status === 'SUCCEEDED').length, most);
  await give(service, node.relayers[0]?.address, AMOUNT);
  const last =
    bodies.find((each) => short[0]?.body.clientReference === each.clientReference) ?? assert.fail();
  assert.equal((await pay(node, last)).body.execution.status, 'SUCCEEDED');
});

test('neither a report of the deposit nor a swap takes what is set aside for a payment', async () => {
  const between = await startLyingService(service.url, '/v1/payments');
  after(() => between.close());
  between.tell((text) => (text.includes('PAY-waits') ? text.replaceAll('"calls":[{', '"calls":[7,{') : text));
  const { ready } = await processes.node({ ...service, url: between.url }, 'pushed');
  await give(service, ready.relayers[0]?.address, AMOUNT);
  const waitFor = async (body: object, code: string) => {
    for (;;) {
      const { body: answer } = await pay(ready, body, 1);
      if (answer.execution.failure?.code === code || answer.execution.status === 'SUCCEEDED') return answer;
    }
  };
  const [first, second] = [payment('sent', 'PAY-waits'), payment('sent', 'PAY-pushed')];
  const waiting = await waitFor(first, 'ANSWER_CALLDATA');
  const short = await waitFor(second, 'BALANCE_SHORT');
  const path = `/v1/payments/${short.planId}/steps/${short.next?.stepId}/reports`;
  const reported = await ask<PaymentPlan>(ready, path, { body: { outcome: 'DONE' } });
  assert.equal(reported.body.steps[0]?.status, 'DONE', JSON.stringify(reported.body));
  const { execution } = (await pay(ready, second, 5)).body;
  assert.equal(execution.failure?.code, 'BALANCE_SHORT', JSON.stringify(execution));
  assert.match(execution.failure.detail ?? '', new RegExp(waiting.planId));
  const sale = {
    chainId: service.chainId,
    ...{ tokenIn: usdc, tokenOut: NATIVE, tradeType: 'EXACT_IN', amount: String(AMOUNT) },
    minAmountOut: String(2n * 10n ** 17n),
  };
  const refused = await execute(ready, 'SWAP-short', sale);
  assert.deepEqual(
    [refused.status, refused.body.code],
    [422, 'policy-refused'],
    JSON.stringify(refused.body),
  );
  assert.match(refused.body.detail, new RegExp(`^BALANCE_SHORT: .*the swap needs .*${waiting.planId}`));
  between.tell((text) => text);
  assert.equal((await pay(ready, first)).body.execution.status, 'SUCCEEDED');
  await give(service, ready.relayers[0]?.address, AMOUNT);
  assert.equal((await pay(ready, second)).body.execution.status, 'SUCCEEDED');
  await give(service, ready.relayers[0]?.address, AMOUNT);
  const sold = (await execute(ready, 'SWAP-short', sale)).body;
  assert.equal(sold.execution.status, 'SUCCEEDED', 'the key was not used');
});

test('a payment that the node cannot execute is refused with its field', async () => {
  const swapped = payment('swapped', 'PAY-wrong');
  const { minAmountOut: _, ...options } = swapped.options as { minAmountOut?: string };
  for (const [body, pointer] of [
    [{ ...swapped, options }, '/options/minAmountOut'],
    [{ ...swapped, options: { ...swapped.options, sender: `0x${'1'.repeat(40)}` } }, '/options/sender'],
    [
      { ...swapped, options: { ...swapped.options, depositAddress: `0x${'d'.repeat(40)}` } },
      '/options/depositAddress',
    ],
    [{ ...swapped, corridorId: 'none' }, '/corridorId'],
    [{ ...swapped, amountIn: '0' }, '/amountIn'],
    [{ ...swapped, recipient: { type: 'bank' } }, '/recipient/name'],
  ] as const) {
    const answer = await pay(node, body);
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    assert.equal(answer.body.errors?.[0]?.pointer, pointer, JSON.stringify(answer.body));
  }
  assert.equal((await ask(node, '/relay/executions?key=PAY-wrong')).status, 404);
});

test('a plan that was made without execution is named, and what can be done', async () => {
  const { options, ...rest } = payment('sent', 'PAY-planned');
  const planned = await ask<PaymentPlan>(node, '/v1/payments', { body: { ...rest, options } });
  const { status, body } = await pay(node, { ...rest, options });
  assert.deepEqual([status, body.code], [422, 'client-reference-reused'], JSON.stringify(body));
  assert.ok(body.detail.includes(`POST /v1/payments/${planned.body.planId}/end`), body.detail);
  const sender = node.relayers[0]?.address ?? '';
  assert.ok(body.detail.toLowerCase().includes(`options.sender, here ${sender}`), body.detail);
  await give(service, sender, AMOUNT);
  const ready = { ...rest, clientReference: 'PAY-ready', options: { ...options, sender } };
  const made = await ask<PaymentPlan>(node, '/v1/payments', { body: ready });
  const executed = await pay(node, ready);
  assert.equal(executed.body.planId, made.body.planId);
  assert.equal(executed.body.execution.status, 'SUCCEEDED', JSON.stringify(executed.body));
});

test('a plan that the node does not execute is answered as the service has it', async () => {
  const { options, ...body } = payment('sent', 'PAY-elsewhere');
  const made = await ask<PaymentPlan>(service, '/v1/payments', {
    body: { ...body, options: { ...options, sender: `0x${'5'.repeat(40)}` } },
  });
  const path = `/v1/payments/${made.body.planId}`;
  assert.deepEqual((await ask(node, path)).body, (await ask(service, path)).body);
  assert.equal((await ask(node, '/v1/payments', { method: 'HEAD' })).status, 200);
  const absent = `/v1/payments/plan_${'0'.repeat(32)}`;
  assert.equal((await ask(node, absent)).status, 404);
});

type Next = { readonly next?: { readonly calls?: { readonly data: string; readonly to: string }[] } };

test('calls that do something else are not signed, and the payment says why', async () => {
  liar = await startLyingService(service.url, '/v1/payments');
  const second: Started<NodePlace> = await processes.node({ ...service, url: liar.url }, 'deceived');
  await give(service, second.ready.relayers[0]?.address, 2n * AMOUNT);
  const thief = '7e'.repeat(20);
  const lying = (change: (call: { data: string; to: string }) => object) =>
    liar?.tell((text) => {
      const plan = JSON.parse(text) as Next;
      const calls = plan.next?.calls?.map((each, index, { length }) =>
        index === length - 1 ? { ...each, ...change(each) } : each,
      );
      return JSON.stringify(calls === undefined ? plan : { ...plan, next: { ...plan.next, calls } });
    });
  const lies: readonly (readonly [string, Parameters<typeof lying>[0]])[] = [
    ['ANSWER_RECIPIENT', ({ data }) => ({ data: `${data.slice(0, 34)}${thief}${data.slice(74)}` })],
    ['ANSWER_AMOUNT', ({ data }) => ({ data: `${data.slice(0, 137)}1${data.slice(138)}` })],
    ['ANSWER_TOKEN', () => ({ to: `0x${thief}` })],
    ['ANSWER_CALLDATA', ({ data }) => ({ data: data.slice(0, -32) })],
    ['ANSWER_CALLDATA', () => ({ data: 7 })],
  ];
  lying(lies[0]?.[1] ?? assert.fail());
  const body = payment('sent', 'PAY-lied');
  await pay(second.ready, body, 2);
  for (const [code, lie] of lies) {
    lying(lie);
    await sleep(1_000);
    const { body: answer } = await pay(second.ready, body, 1);
    assert.equal(answer.execution.failure?.code, code, JSON.stringify(answer.execution));
    assert.equal(await countOf(second.ready), 0, 'nothing was signed');
  }
  liar.tell((text) => text);
  const { body: paid } = await pay(second.ready, body);
  assert.equal(paid.execution.status, 'SUCCEEDED', JSON.stringify(paid));
  assert.equal((await paymentsOnChain(rpc, second.ready, paid.planId)).length, 1);
});

test('nothing is sent before the plan has taken the report, and what it refuses is never sent', async () => {
  const between = liar ?? assert.fail();
  between.tell((text) => text);
  const reports: string[] = [];
  const deaf = (path: string, body: Buffer) => {
    if (!path.endsWith('/reports') || !body.includes('SUBMITTED')) return undefined;
    reports.push(body.toString());
    return 'REQUEST' as const;
  };
  between.lose(deaf);
  const second = await processes.node({ ...service, url: between.url }, 'unheard');
  const { ready } = second;
  await give(service, ready.relayers[0]?.address, 2n * AMOUNT);
  const waiting = await pay(ready, payment('sent', 'PAY-unheard'), 3);
  assert.equal(waiting.body.execution.status, 'RUNNING', JSON.stringify(waiting.body));
  assert.ok(reports.length > 0, 'it was to be reported');
  assert.equal(await countOf(ready), 0, 'nothing was sent');
  await second.kill('SIGKILL');
  between.lose(() => undefined);
  let running = await processes.node({ ...service, url: between.url }, 'unheard');
  const third = running.ready;
  const { body: paid } = await pay(third, payment('sent', 'PAY-unheard'));
  assert.equal(paid.execution.status, 'SUCCEEDED', JSON.stringify(paid));
  assert.equal((await paymentsOnChain(rpc, third, paid.planId)).length, 1);
  const told = JSON.parse(reports.at(-1) ?? '{}') as Record<string, unknown>;
  assert.deepEqual(
    [told['txHash'], told['sender'], told['nonce']],
    [paid.receipts[0]?.txHash, third.relayers[0]?.address.toLowerCase(), paid.receipts[0]?.nonce],
    'the report names what was sent later',
  );

  between.refuse((path, body) => path.endsWith('/reports') && body.includes('SUBMITTED'));
  const { body: refused } = await pay(third, payment('sent', 'PAY-refused'), 10);
  const [receipt] = refused.receipts;
  assert.deepEqual([receipt?.status, receipt?.failure?.code], ['CANCELLED', 'PLAN_REFUSED']);
  assert.deepEqual(await paymentsOnChain(rpc, third, refused.planId), []);
  assert.equal(await countOf(third), 2, 'the payment before, and one cancellation');

  // The database is lost, and the journal is not: the client asks again, and nothing is paid again.
  await running.kill('SIGKILL');
  between.refuse(() => false);
  rmSync(join(processes.folder, 'unheard', 'postgres'), { recursive: true });
  running = await processes.node({ ...service, url: between.url }, 'unheard');
  const { body: again } = await pay(running.ready, payment('sent', 'PAY-unheard'));
  assert.equal(again.execution.status, 'SUCCEEDED', JSON.stringify(again));
  assert.equal(again.receipts[0]?.txHash, paid.receipts[0]?.txHash);
  assert.equal((await paymentsOnChain(rpc, running.ready, paid.planId)).length, 1);
  assert.equal(await countOf(running.ready), 2);
});
