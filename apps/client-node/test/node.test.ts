// A whole node beside a whole service: quotes, executions and receipts over HTTP, with the chain as the judge.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AskNode, nodeAt } from '@fairway/testing';
import type { RelayerView, RelayTransaction, Router, Sandbox, SwapPlan } from '@fairway/wire';
import { keccak256 } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { ask, execute } from './asking.ts';
import { startLyingService } from './lyingService.ts';
import { createProcesses, type NodePlace, type ServicePlace, type Started } from './processes.ts';

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const ETHER = String(10n ** 18n);
const processes = await createProcesses();
after(async () => {
  liar?.close();
  await processes.close();
});

let liar: Awaited<ReturnType<typeof startLyingService>> | undefined;
let service: ServicePlace;
let node: NodePlace;
let usdc: string;
let rpc: AskNode;

before(async () => {
  service = (await processes.service()).ready;
  node = service.clientNode;
  rpc = nodeAt(service.rpcUrl);
  liar = await startLyingService(service.url);
  const { tokens } = (await ask<Sandbox>(service, '/v1/sandbox')).body;
  usdc = tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? assert.fail();
});

const stranger = () => privateKeyToAccount(generatePrivateKey()).address;
const trade = () => ({
  chainId: service.chainId,
  ...{ tokenIn: NATIVE, tokenOut: usdc, tradeType: 'EXACT_IN', amount: ETHER },
});
const sale = () => ({ ...trade(), minAmountOut: '2000000000' });

async function usdcOf(owner: string): Promise<bigint> {
  const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`;
  return BigInt(await rpc<string>('eth_call', [{ to: usdc, data }, 'latest']));
}

async function countOf({ relayers: [relayer] }: NodePlace): Promise<number> {
  return Number(await rpc<string>('eth_getTransactionCount', [relayer?.address, 'latest']));
}

test('a quote through the node is executed, and the chain pays what the receipt says', async () => {
  const question = new URLSearchParams(Object.entries(trade()).map(([name, value]) => [name, String(value)]));
  const quoted = await ask<{ amountOut: string }>(node, `/v1/quote?${question}`);
  assert.equal(quoted.status, 200);
  const recipient = stranger();
  const minAmountOut = String((BigInt(quoted.body.amountOut) * 99n) / 100n);
  const { status, body } = await execute(node, 'quoted', { ...sale(), recipient, minAmountOut });
  assert.equal(status, 200, body.detail);
  assert.equal(body.execution.status, 'SUCCEEDED', JSON.stringify(body));
  const [receipt, ...others] = body.receipts;
  assert.equal(others.length, 0);
  const mined = await rpc<{ from: string; status: string; blockNumber: string; gasUsed: string }>(
    'eth_getTransactionReceipt',
    [receipt?.txHash],
  );
  assert.equal(mined.from, node.relayers[0]?.address);
  assert.equal(mined.status, '0x1');
  assert.equal(receipt?.status, 'CONFIRMED');
  assert.equal(receipt.blockNumber, Number(mined.blockNumber));
  assert.equal(receipt.gasUsed, String(BigInt(mined.gasUsed)));
  assert.equal(await usdcOf(recipient), BigInt(body.quote.amountOut));
});

test('the same key is the same execution, whatever is sent again', async () => {
  const recipient = stranger();
  const [one, other] = await Promise.all([
    execute(node, 'again', { ...sale(), recipient }),
    execute(node, 'again', { ...sale(), recipient }),
  ]);
  const paid = await usdcOf(recipient);
  assert.equal(paid, BigInt(one.body.quote.amountOut), 'paid once');
  const third = await execute(node, 'again', { recipient, ...sale() });
  assert.equal(third.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(third.body, one.body);
  assert.equal(other.body.execution.executionId, one.body.execution.executionId);
  const changed = await execute(node, 'again', { ...sale(), recipient: stranger() });
  assert.deepEqual([changed.status, changed.body.code], [422, 'idempotency-key-reused']);
  assert.equal(await usdcOf(recipient), paid);
});

test('an execution without a key, or with a key that cannot be one, is refused', async () => {
  const before = await countOf(node);
  for (const key of [undefined, 'x'.repeat(129)]) {
    const { status, body } = await execute(node, key, sale());
    assert.deepEqual([status, body.code], [400, 'idempotency-key-required']);
  }
  assert.equal(await countOf(node), before);
});

test('a token is approved first, for what the swap takes and no more', async () => {
  await execute(node, 'stock', sale());
  const bought = await usdcOf(node.relayers[0]?.address ?? '');
  const { body } = await execute(node, 'sold', {
    chainId: service.chainId,
    ...{ tokenIn: usdc, tokenOut: NATIVE, tradeType: 'EXACT_IN', amount: '1000000000' },
    minAmountOut: String(2n * 10n ** 17n),
  });
  assert.equal(body.execution.status, 'SUCCEEDED', JSON.stringify(body));
  const [approval, swap] = body.receipts;
  assert.equal(body.receipts.length, 2);
  assert.equal(swap?.nonce, (approval?.nonce ?? 0) + 1);
  assert.equal(await usdcOf(node.relayers[0]?.address ?? ''), bought - 1_000_000_000n);
});

test('swaps of one token that come at once do not take the approvals of each other', async () => {
  await execute(node, 'stock again', { ...sale(), amount: String(2n * 10n ** 18n) });
  const owner = node.relayers[0]?.address ?? '';
  const before = await usdcOf(owner);
  const amounts = ['500000000', '400000000', '300000000', '600000000'];
  const answers = await Promise.all(
    amounts.map((amount, index) =>
      execute(node, `at once ${index}`, {
        ...{ ...sale(), tokenIn: usdc, tokenOut: NATIVE, amount },
        minAmountOut: String(BigInt(amount) * 2n * 10n ** 8n),
      }),
    ),
  );
  for (const { body } of answers) assert.equal(body.execution?.status, 'SUCCEEDED', JSON.stringify(body));
  assert.equal(await usdcOf(owner), before - 1_800_000_000n);
});

test('the list of routers names what a swap calls and approves, with its code on the chain', async () => {
  const { body: routers } = await ask<Router[]>(node, '/v1/markets/routers');
  const { body: plan } = await ask<SwapPlan>(node, '/v1/swap', {
    body: {
      ...trade(),
      tokenIn: usdc,
      tokenOut: NATIVE,
      amount: '1000000',
      sender: node.relayers[0]?.address,
    },
  });
  const swap = plan.instructions?.at(-1) ?? assert.fail();
  const router = routers.find(({ address }) => address === swap.to) ?? assert.fail(JSON.stringify(routers));
  assert.ok(router.selectors.includes(swap.data.slice(0, 10)));
  assert.equal(plan.issues?.allowance?.spender, router.spenders[0]);
  const code = await rpc<`0x${string}`>('eth_getCode', [router.address, 'latest']);
  assert.equal(router.codeHash, keccak256(code));
  assert.deepEqual(
    routers.map(({ kind }) => kind),
    ['SWAP_ROUTER_02', 'WRAPPED_NATIVE'],
  );
});

test('what the service would answer is answered unchanged, refusals too', async () => {
  const paths = [
    '/v1/markets/chains',
    `/v1/markets/tokens?chainId=${service.chainId}&executionMode=plan`,
    '/v1/quote?chainId=1&tokenIn=x',
    '/v1/payments?limit=0',
    '/v1/payments/plan_0',
    '/v1/markets/corridors/usdc-aud-bank/requirements',
  ];
  for (const path of paths) {
    const headers = { 'x-request-id': 'the-same' };
    const there = await ask(service, path.replace(/&executionMode=plan/, ''), { headers });
    const here = await ask(node, path, { headers });
    assert.deepEqual([here.status, here.body], [there.status, there.body], path);
    assert.equal(here.headers.get('etag'), there.headers.get('etag'));
  }
  const planned = await ask<{ instructions: unknown[] }>(node, '/v1/swap?executionMode=plan', {
    body: trade(),
  });
  assert.equal(planned.body.instructions.length, 1);
  assert.equal(
    await statusOf('/v1/payments/%2e%2e/events'),
    404,
    'no other operation is reached by a parameter',
  );
});

/** The answer to a path that fetch would rewrite. */
function statusOf(path: string): Promise<number | undefined> {
  const auth = `${node.username}:${node.password}`;
  return new Promise((resolve, reject) => {
    request(`${node.url}/`, { path, auth }, (response) => resolve(response.resume().statusCode))
      .once('error', reject)
      .end();
  });
}

test('what cannot be executed is refused, and strangers are', async () => {
  const supported = await ask<{ code: string }>(node, '/v1/markets/chains?executionMode=execute');
  assert.deepEqual([supported.status, supported.body.code], [400, 'execution-mode-not-supported']);
  const unknown = await ask<{ code: string }>(node, '/v1/markets/chains?executionMode=run');
  assert.deepEqual([unknown.status, unknown.body.code], [400, 'validation-failed']);
  for (const path of ['/relay/relayers', '/v1/markets/chains'])
    assert.equal((await ask({ ...node, password: 'wrong' }, path)).status, 401);
  // The service's own credentials are none of the node's.
  assert.equal((await ask({ ...service, url: node.url }, '/v1/markets/chains')).status, 401);
  const { body: refused } = await ask<{ detail: string }>(
    { ...node, password: 'wrong' },
    '/v1/markets/chains',
  );
  assert.match(refused.detail, /The Client Node has credentials of its own/);
  for (const path of ['/problems', '/problems/reconcile-first']) {
    const page = await fetch(`${node.url}${path}`);
    assert.equal(page.status, 200);
    const links = [...(await page.text()).matchAll(/<nav[^>]*>(.*?)<\/nav>/g)]
      .map(([, inside]) => inside)
      .join();
    assert.match(links, /\/relay\/console/);
    assert.doesNotMatch(links, /quick-start|openapi/);
  }
});

test('a limit that cannot be meant is refused, with amounts as people write them', async () => {
  const before = await countOf(node);
  const { status, body } = await execute(node, 'whole units', { ...sale(), minAmountOut: '2990' });
  assert.deepEqual([status, body.code], [422, 'policy-refused'], body.detail);
  assert.match(
    body.detail,
    /SLIPPAGE .*as little as 2990 \(0\.00299 USDC\); the own node quotes \d+ \(2,9[\d.]+ USDC\)/,
  );
  const meant = { ...sale(), tokenIn: 'ETH', slippageBps: '0.5' };
  const { body: hinted } = await execute(node, 'by name', meant);
  const { errors = [] } = hinted as unknown as { errors?: { pointer: string; detail: string }[] };
  assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), ['/slippageBps', '/tokenIn']);
  assert.match(errors.find(({ pointer }) => pointer === '/tokenIn')?.detail ?? '', new RegExp(NATIVE));
  assert.match(errors.find(({ pointer }) => pointer === '/slippageBps')?.detail ?? '', /did you mean 50\?/);
  assert.equal(await countOf(node), before);
});

test('wrong fields are named, whether the node or the service reads them', async () => {
  const before = await countOf(node);
  for (const [change, pointer] of [
    [{ sender: stranger() }, '/sender'],
    [{ chainId: 1 }, '/chainId'],
    [{ maxAmountIn: '1' }, '/maxAmountIn'],
    [{ slippageBps: 5001 }, '/slippageBps'],
    [{ maxHops: 9 }, '/maxHops'],
    [{ surprise: true }, '/surprise'],
  ] as const) {
    const { status, body } = await execute(node, `wrong${pointer}`, { ...sale(), ...change });
    const { errors } = body as unknown as { errors: { pointer: string }[] };
    assert.deepEqual([status, errors.map((error) => error.pointer)], [400, [pointer]]);
  }
  assert.equal(await countOf(node), before);
});

test('an operator sees relayers and transactions, pauses, and cancels what waits', async () => {
  const [relayer] = (await ask<RelayerView[]>(node, '/relay/relayers')).body;
  assert.ok(relayer);
  assert.equal(relayer.nextNonce, await countOf(node));
  assert.equal(relayer.pending, 0);
  const { relayerId } = relayer;
  const paused = await ask<RelayerView>(node, `/relay/relayers/${relayerId}/pause`, { method: 'POST' });
  assert.equal(paused.body.paused, true);
  const { body } = await execute(node, 'cancelled', sale(), 0);
  assert.equal(body.execution.status, 'ACCEPTED');
  assert.equal(body.execution.why?.code, 'RELAYER_PAUSED');
  assert.match(body.execution.why.detail, new RegExp(`POST /relay/relayers/${relayerId}/resume`));
  const { body: held } = await ask<RelayerView>(node, `/relay/relayers/${relayerId}`);
  assert.deepEqual([held.pending, held.waiting], [0, 1]);
  assert.ok(held.oldestPendingSec !== undefined, 'it is told how long it waits');
  const id = body.receipts[0]?.relayTransactionId ?? '';
  await ask(node, `/relay/transactions/${id}/cancel`, { method: 'POST' });
  const after = await execute(node, 'cancelled', sale());
  assert.deepEqual(
    [after.body.execution.status, after.body.receipts[0]?.status, after.body.receipts[0]?.failure],
    ['FAILED', 'CANCELLED', { code: 'ASKED' }],
  );
  assert.deepEqual(after.body.receipts[0]?.nonExecution, { proof: 'NEVER_SIGNED' });
  assert.equal(after.body.execution.why, undefined);
  const twice = await ask(node, `/relay/transactions/${id}/cancel`, { method: 'POST' });
  assert.equal(twice.status, 200, 'what was not executed stays cancelled');
  await ask(node, `/relay/relayers/${relayerId}/resume`, { method: 'POST' });
  assert.equal(await countOf(node), relayer.nextNonce);
  const list = await ask<{ data: RelayTransaction[]; nextCursor: string }>(
    node,
    '/relay/transactions?limit=1',
  );
  assert.equal(list.body.data[0]?.relayTransactionId, id);
  const next = await ask<{ data: RelayTransaction[] }>(
    node,
    `/relay/transactions?limit=1&cursor=${list.body.nextCursor}`,
  );
  assert.deepEqual([next.body.data.length, next.body.data[0]?.relayTransactionId === id], [1, false]);
  const nonce = relayer.nextNonce - 1;
  const byNonce = await ask<RelayTransaction>(
    node,
    `/relay/transactions/by-nonce?relayerId=${relayerId}&nonce=${nonce}`,
  );
  // The later one of two that were asked for at once may have the earlier nonce.
  assert.equal(byNonce.body.nonce, nonce);
  const found = await ask(node, `/relay/transactions/${byNonce.body.relayTransactionId}`);
  assert.deepEqual(found.body, byNonce.body);
  assert.equal(byNonce.body.attempts.at(-1)?.txHash, byNonce.body.txHash);
  const over = `/relay/transactions/${byNonce.body.relayTransactionId}/cancel`;
  const tooLate = await ask<{ code: string; detail: string }>(node, over, { method: 'POST' });
  assert.deepEqual([tooLate.status, tooLate.body.code], [409, 'not-replaceable']);
  assert.match(tooLate.body.detail, /CONFIRMED/);
  const byKey = await ask<{ execution: object }>(node, '/relay/executions?key=cancelled');
  assert.deepEqual(byKey.body.execution, after.body.execution);
});

test('an operator cancels all that waits, and what is past its time is not executed', async () => {
  const path = `/relay/relayers/${node.relayers[0]?.relayerId}`;
  const before = await countOf(node);
  await ask(node, `${path}/pause`, { method: 'POST' });
  for (const key of ['all-1', 'all-2']) await execute(node, key, sale(), 0);
  const validUntil = new Date(Date.now() + 2_000).toISOString();
  const late = await execute(node, 'late', { ...sale(), validUntil }, 0);
  assert.equal(late.body.execution.status, 'ACCEPTED', JSON.stringify(late.body));
  assert.equal((await execute(node, 'late', sale(), 0)).body.code, 'idempotency-key-reused');
  await sleep(3_000);
  const stranger = await ask(node, '/relay/relayers/none/cancel-pending', { method: 'POST' });
  assert.equal(stranger.status, 404);
  await rpc('evm_mine');
  const expired = await execute(node, 'late', { ...sale(), validUntil });
  const cancelled = await ask<{ asked: number; relayer: RelayerView }>(node, `${path}/cancel-pending`, {
    method: 'POST',
  });
  assert.equal(cancelled.body.asked, 2);
  await ask(node, `${path}/resume`, { method: 'POST' });
  for (const key of ['all-1', 'all-2'])
    assert.equal((await execute(node, key, sale())).body.receipts[0]?.status, 'CANCELLED');
  assert.equal(expired.body.receipts[0]?.status, 'EXPIRED');
  assert.deepEqual(expired.body.execution.failure, { code: 'EXPIRED' });
  assert.equal(await countOf(node), before);
});

let second: Started<NodePlace>;
const startSecond = () => processes.node({ ...service, url: liar?.url ?? '' }, 'second');

test('a swap that is not the one asked for is not signed', async () => {
  second = await startSecond();
  liar?.tell((text) => text.replaceAll(second.ready.relayers[0]?.address.slice(2) ?? '', 'b0b0'.repeat(10)));
  const unsafe = await execute(second.ready, 'unsafe', sale());
  assert.deepEqual([unsafe.status, unsafe.body.code], [502, 'unsafe-answer'], unsafe.body.detail);
  liar?.tell((text) => text);
  const steep = await execute(second.ready, 'steep', { ...sale(), minAmountOut: '99999999999999' });
  assert.deepEqual([steep.status, steep.body.code], [409, 'limit-not-met'], steep.body.detail);
  assert.match(steep.body.detail, /The quote is \d+\. .*; your minAmountOut is 99999999999999\./);
  assert.equal(await countOf(second.ready), 0, 'nothing was signed');
});

test('a node that is killed goes on with what it has taken, once', async () => {
  const recipient = stranger();
  void execute(second.ready, 'killed', { ...sale(), recipient }, 0).catch(() => {});
  await sleep(300);
  await second.kill('SIGKILL');
  second = await startSecond();
  const { body } = await execute(second.ready, 'killed', { ...sale(), recipient });
  assert.equal(body.execution.status, 'SUCCEEDED', JSON.stringify(body));
  assert.equal(await countOf(second.ready), 1);
  assert.equal(await usdcOf(recipient), BigInt(body.quote.amountOut), 'paid once');
});

test('without its journal a node binds nothing until it is reconciled', async () => {
  await second.kill('SIGKILL');
  rmSync(join(processes.folder, 'second', 'journal'), { recursive: true });
  second = await startSecond();
  const place = second.ready;
  const path = `/relay/relayers/${place.relayers[0]?.relayerId}`;
  const reasonOf = async () => (await ask<RelayerView>(place, path)).body.disabledReason;
  assert.equal(await reasonOf(), 'JOURNAL_MISSING');
  const refused = await execute(place, 'later', sale());
  assert.deepEqual([refused.status, refused.body.code], [409, 'reconcile-first']);
  type Answer = { readonly bound: number; readonly open: number; readonly relayer: RelayerView };
  const first = await ask<Answer>(place, `${path}/reconcile`, { method: 'POST' });
  assert.equal(first.body.bound, 32, 'every nonce that something unknown may have');
  let last = first;
  while (last.body.open > 0) {
    await sleep(200);
    last = await ask<Answer>(place, `${path}/reconcile`, { method: 'POST' });
    assert.equal(last.body.bound, 0);
  }
  assert.equal(last.body.relayer.disabledReason, undefined);
  assert.equal(await countOf(place), 33);
  const { body } = await execute(place, 'later', sale());
  assert.deepEqual([body.execution.status, body.receipts[0]?.nonce], ['SUCCEEDED', 33]);
});
