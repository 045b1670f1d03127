// A service that answers with something else than it was asked for, between a real service and a real node. The chain
// says that nothing was signed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AskNode, nodeAt } from '@fairway/testing';
import type { Instruction, Sandbox, SwapPlan } from '@fairway/wire';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { ask, execute } from './asking.ts';
import { startLyingService } from './lyingService.ts';
import { createProcesses, type NodePlace, type ServicePlace } from './processes.ts';

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const ETHER = 10n ** 18n;
const THIEF = `0x${'7e'.repeat(20)}`;
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
let dai: string;

before(async () => {
  service = (await processes.service()).ready;
  rpc = nodeAt(service.rpcUrl);
  liar = await startLyingService(service.url);
  node = (await processes.node({ ...service, url: liar.url }, 'deceived')).ready;
  const { tokens } = (await ask<Sandbox>(service, '/v1/sandbox')).body;
  const addressOf = (name: string) => tokens.find(({ symbol }) => symbol === name)?.address ?? assert.fail();
  [usdc, dai] = [addressOf('USDC'), addressOf('DAI')];
});

const recipient = privateKeyToAccount(generatePrivateKey()).address;
const sale = () => ({
  chainId: service.chainId,
  ...{ tokenIn: NATIVE, tokenOut: usdc, tradeType: 'EXACT_IN', amount: String(ETHER), recipient },
  minAmountOut: '2900000000',
});
/** It needs an approval first. */
const tokenSale = () => ({
  ...sale(),
  tokenIn: usdc,
  tokenOut: dai,
  amount: '1000000000',
  minAmountOut: String(900n * ETHER),
});

type Answer = SwapPlan & { readonly instructions: readonly Instruction[] };
/** What becomes of an answer. */
type Lie = (plan: Answer) => unknown;

const word = (value: bigint) => value.toString(16).padStart(64, '0');
const bare = (address: string) => address.slice(2).toLowerCase();
/** Another last call. */
const last =
  (change: (call: Instruction, plan: Answer) => object): Lie =>
  (plan) => ({
    ...plan,
    instructions: plan.instructions.map((each, index, { length }) =>
      index === length - 1 ? { ...each, ...change(each, plan) } : each,
    ),
  });
/** Another first call. */
const first =
  (change: (call: Instruction) => object): Lie =>
  (plan) => ({
    ...plan,
    instructions: plan.instructions.map((each, index) => (index === 0 ? { ...each, ...change(each) } : each)),
  });
/** Other words in the calldata of the swap. */
const inSwap = (from: (plan: Answer) => string, to: (plan: Answer) => string): Lie =>
  last(({ data }, plan) => {
    assert.ok(data.includes(from(plan)), 'the calldata has what is changed');
    return { data: data.replaceAll(from(plan), to(plan)) };
  });
const deadlineOf = ({ instructions }: Answer) => BigInt(`0x${instructions.at(-1)?.data.slice(10, 74) ?? ''}`);
const approving = (spender: string): object => ({
  ...{ kind: 'EVM_CALL', chainId: service.chainId, to: usdc, value: '0', constraints: {} },
  data: `0x095ea7b3${bare(spender).padStart(64, '0')}${'f'.repeat(64)}`,
});

const LIES: readonly (readonly [string, string, Lie, (() => object)?])[] = [
  [
    'somebody else is paid',
    'ANSWER_RECIPIENT',
    inSwap(
      () => bare(recipient),
      () => bare(THIEF),
    ),
  ],
  ['another contract is called', 'ANSWER_ROUTER', last(() => ({ to: THIEF }))],
  [
    'a unit may be all that arrives',
    'ANSWER_LIMIT',
    inSwap(
      ({ quote }) => word(BigInt(quote.route?.limits.minAmountOut ?? assert.fail())),
      () => word(1n),
    ),
  ],
  [
    'another token arrives',
    'ANSWER_LIMIT',
    inSwap(
      () => bare(usdc),
      () => bare(dai),
    ),
  ],
  ['twice as much is sent', 'ANSWER_AMOUNT', last(() => ({ value: String(2n * ETHER) }))],
  [
    'twice as much is sold',
    'ANSWER_AMOUNT',
    (plan) =>
      last(() => ({ value: String(2n * ETHER) }))(
        inSwap(
          () => word(ETHER),
          () => word(2n * ETHER),
        )(plan) as Answer,
      ),
  ],
  [
    'it can be executed for a day',
    'ANSWER_DEADLINE',
    inSwap(
      (plan) => word(deadlineOf(plan)),
      (plan) => word(deadlineOf(plan) + 86_400n),
    ),
  ],
  [
    'its time is over',
    'ANSWER_EXPIRED',
    inSwap(
      (plan) => word(deadlineOf(plan)),
      () => word(1n),
    ),
  ],
  ['it is for another chain', 'ANSWER_CHAIN', last(() => ({ chainId: 1 }))],
  ['it is to be delegated', 'ANSWER_CALLDATA', last(() => ({ kind: 'EVM_DELEGATECALL' }))],
  ['a word is behind its end', 'ANSWER_CALLDATA', last(({ data }) => ({ data: `${data}${word(0n)}` }))],
  [
    'an approval for a thief comes first',
    'ANSWER_CALLS',
    (plan) => ({ ...plan, instructions: [approving(THIEF), ...plan.instructions] }),
  ],
  ['there is nothing to execute', 'ANSWER_CALLS', (plan) => ({ ...plan, instructions: [] })],
  ['the calls are no calls', 'ANSWER_CALLDATA', (plan) => ({ ...plan, instructions: [{ to: 7 }, null] })],
  ['there is no plan', 'ANSWER_CALLDATA', () => null],
  [
    'the approval has no limit',
    'ANSWER_APPROVAL',
    first(({ data }) => ({ data: `${data.slice(0, -64)}${'f'.repeat(64)}` })),
    tokenSale,
  ],
  [
    'a thief is approved',
    'ANSWER_SPENDER',
    first(({ data }) => ({ data: `${data.slice(0, 34)}${bare(THIEF)}${data.slice(-64)}` })),
    tokenSale,
  ],
  ['another token is approved', 'ANSWER_TOKEN', first(() => ({ to: dai })), tokenSale],
];

async function countOf({ relayers: [relayer] }: NodePlace): Promise<number> {
  return Number(await rpc<string>('eth_getTransactionCount', [relayer?.address, 'latest']));
}

for (const [index, [name, code, lie, order = sale]] of LIES.entries())
  test(`refused with ${code}: ${name}`, async () => {
    let told = 0;
    liar?.tell((text) => {
      told += 1;
      return JSON.stringify(lie(JSON.parse(text) as Answer));
    });
    const { status, body } = await execute(node, `lie-${index}`, order());
    assert.equal(told, 1, 'the lie was told');
    assert.deepEqual([status, body.code], [502, 'unsafe-answer'], body.detail);
    assert.match(body.detail, new RegExp(`^${code}: `));
    assert.equal(await countOf(node), 0, 'nothing was signed');
    assert.equal((await ask(node, `/relay/executions?key=lie-${index}`)).status, 404, 'nothing was taken on');
  });

test('a lie about the quote alone changes nothing, and after the lies the truth is executed', async () => {
  liar?.tell((text) => {
    const plan = JSON.parse(text) as Answer;
    return JSON.stringify({ ...plan, quote: { ...plan.quote, amountOut: '1' }, simulation: undefined });
  });
  const { body } = await execute(node, 'lie-0', sale());
  assert.equal(body.execution.status, 'SUCCEEDED', JSON.stringify(body));
  assert.equal(await countOf(node), 1);
  const data = `0x70a08231${bare(recipient).padStart(64, '0')}`;
  const paid = BigInt(await rpc<string>('eth_call', [{ to: usdc, data }, 'latest']));
  assert.ok(paid >= 2_900_000_000n, String(paid));
});

test('the form of a page has nothing executed, although the browser remembers a credential', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const headers = { 'content-type': type, 'idempotency-key': `form ${type}` };
    const { status } = await ask(node, '/v1/swap?executionMode=execute', { body: sale(), headers });
    assert.equal(status, 415, type);
  }
});

test('a path with a character that no id has leads nowhere', async () => {
  for (const path of ['/v1/payments/%00', '/relay/executions/%00', '/relay/transactions/%00'])
    assert.equal((await ask(node, path)).status, 404, path);
});
