// The rules of an operator, from the policy file to the answer, on a real chain and a real database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AskNode, nodeAt } from '@fairway/testing';
import type { Sandbox } from '@fairway/wire';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { ask, execute } from './asking.ts';
import { startLyingService } from './lyingService.ts';
import { createProcesses, type NodePlace, type ServicePlace, type Started } from './processes.ts';

const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';
const PAYEE = privateKeyToAccount(generatePrivateKey()).address;
const OTHER_PAYEE = privateKeyToAccount(generatePrivateKey()).address;
const milliether = (count: number) => String(BigInt(count) * 10n ** 15n);
const processes = await createProcesses();
after(async () => {
  liar?.close();
  await processes.close();
});

let liar: Awaited<ReturnType<typeof startLyingService>> | undefined;
let service: ServicePlace;
let second: Started<NodePlace>;
let rpc: AskNode;
let sandbox: Sandbox;
const tokenOf = (name: string) =>
  sandbox.tokens.find(({ symbol }) => symbol === name)?.address.toLowerCase() ?? assert.fail();

/** What the operator allows, with some of it changed. */
const policy = (changed: object = {}) => ({
  chains: [
    {
      chainId: service.chainId,
      routers: [Object.values(sandbox.routers as Record<string, string>)[0]?.toLowerCase()],
      wrappedNative: sandbox.wrappedNative.toLowerCase(),
      tokens: [
        {
          address: NATIVE,
          spend: {
            most: milliether(2000),
            limits: [
              { each: 'ALL', window: 'P1D', most: milliether(3000) },
              { each: 'RECIPIENT', window: 'PT1H', mostCount: 3 },
            ],
          },
        },
        { address: tokenOf('USDC') },
      ],
      recipients: ['RELAYER', PAYEE.toLowerCase(), OTHER_PAYEE.toLowerCase()],
      maxLifeSec: 900,
      ...{ maxOptimalityGapBps: 50, minTrust: 'SINGLE_NODE', maxSlippageBps: 300 },
      ...{ simulation: 'DEMANDED', mostGas: '600000', keepWei: milliether(1000) },
      ...changed,
    },
  ],
});

const sale = (changed: object = {}) => ({
  chainId: service.chainId,
  ...{ tokenIn: NATIVE, tokenOut: tokenOf('USDC'), tradeType: 'EXACT_IN', amount: milliether(100) },
  ...{ recipient: PAYEE, minAmountOut: '295000000' },
  ...changed,
});

before(async () => {
  service = (await processes.service()).ready;
  rpc = nodeAt(service.rpcUrl);
  liar = await startLyingService(service.url);
  sandbox = (await ask<Sandbox>(service, '/v1/sandbox')).body;
  await start();
});

async function start(changed: object = {}): Promise<void> {
  second = await processes.node({ ...service, url: liar?.url ?? '' }, 'ruled', policy(changed));
}

async function transactions(): Promise<number> {
  const address = second.ready.relayers[0]?.address;
  return Number(await rpc<string>('eth_getTransactionCount', [address, 'latest']));
}

/** The codes and rules that an order is refused with before anything is taken on. */
async function refusalOf(key: string, order: object): Promise<string> {
  const { status, body } = await execute(second.ready, key, order);
  assert.deepEqual([status, body.code], [422, 'policy-refused'], JSON.stringify(body));
  return body.detail;
}

/** Another answer of the service, by which the node must not be made to believe more. */
function saying(change: (route: Record<string, unknown>) => object): void {
  liar?.tell((text) => {
    const plan = JSON.parse(text) as { quote: { route: Record<string, unknown> } };
    return JSON.stringify({
      ...plan,
      quote: { ...plan.quote, route: { ...plan.quote.route, ...change(plan.quote.route) } },
    });
  });
}

test('what the policy does not name is refused, and the answer names the rule', async () => {
  const chain = `chains.${service.chainId}`;
  const cases: readonly (readonly [object, string])[] = [
    [
      { recipient: privateKeyToAccount(generatePrivateKey()).address },
      `RECIPIENT_NOT_ALLOWED by the rule ${chain}.recipients: `,
    ],
    [
      { tokenOut: tokenOf('DAI'), minAmountOut: '295000000000000000000' },
      `TOKEN_NOT_ALLOWED by the rule ${chain}.tokens: `,
    ],
    [
      { amount: milliether(2001), minAmountOut: '5900000000' },
      `AMOUNT_ABOVE_MOST by the rule ${chain}.tokens.${NATIVE}.spend.most: `,
    ],
    [{ minAmountOut: '1000000' }, `SLIPPAGE by the rule ${chain}.maxSlippageBps: `],
  ];
  for (const [index, [changed, said]] of cases.entries()) {
    const detail = await refusalOf(`named-${index}`, sale(changed));
    assert.ok(detail.startsWith(said), detail);
    assert.ok(detail.endsWith('Nothing was signed.'), detail);
  }
  const spent = await refusalOf(
    'spent',
    sale({ tokenIn: tokenOf('USDC'), tokenOut: NATIVE, amount: '1000' }),
  );
  assert.match(spent, /TOKEN_NOT_ALLOWED by the rule .*is no token that may be spent\./);
  assert.equal(await transactions(), 0);
});

test('a limit has to be given, and a deadline within the policy', async () => {
  const { minAmountOut: _, ...without } = sale();
  const deadline = new Date(Date.now() + 3_600_000).toISOString();
  for (const [body, pointer] of [
    [without, '/minAmountOut'],
    [{ ...without, tradeType: 'EXACT_OUT' }, '/maxAmountIn'],
    [{ ...without, minAmountOut: '0' }, '/minAmountOut'],
    [sale({ deadline }), '/deadline'],
    [sale({ validUntil: '2020-01-01T00:00:00Z' }), '/validUntil'],
  ] as const) {
    const answer = await execute(second.ready, `field-${pointer}`, body);
    const { errors } = answer.body as unknown as { errors: { pointer: string }[] };
    assert.deepEqual([answer.status, errors.map((each) => each.pointer)], [400, [pointer]]);
  }
  assert.equal(await transactions(), 0);
});

test('what the service says of its quote has to be said, and as good as the policy demands', async () => {
  for (const change of [
    { optimality: { gapBps: 51 } },
    { optimality: undefined },
    { optimality: { gapBps: '0' } },
  ]) {
    saying(() => change);
    assert.match(
      await refusalOf('gap', sale()),
      /^OPTIMALITY_GAP by the rule chains\.31337\.maxOptimalityGapBps: /,
    );
  }
  saying(() => ({ trust: 'AGREED' }));
  assert.match(await refusalOf('trust', sale()), /^TRUST by the rule chains\.31337\.minTrust: /);
  saying(() => ({}));
  assert.equal(await transactions(), 0);
});

test('a day has a limit, for requests that come at once and after a kill', async () => {
  const order = sale({ amount: milliether(1200), minAmountOut: '3500000000' });
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      execute(second.ready, `day-${index}`, { ...order, recipient: index % 2 === 0 ? PAYEE : OTHER_PAYEE }),
    ),
  );
  const succeeded = answers.filter(({ body }) => body.execution?.status === 'SUCCEEDED');
  assert.equal(succeeded.length, 2, JSON.stringify(answers.map(({ body }) => body)));
  const rule = `chains.31337.tokens.${NATIVE}.spend.limits.0`;
  for (const { status, body } of answers.filter((each) => !succeeded.includes(each))) {
    if (status === 422) assert.ok(body.detail.startsWith(`WINDOW_AMOUNT by the rule ${rule}: `), body.detail);
    else {
      // Another one was faster: it was taken on, and ended at once.
      const { failure } = body.execution;
      assert.deepEqual(
        [body.execution.status, failure?.code, failure?.rule],
        ['FAILED', 'WINDOW_AMOUNT', rule],
      );
      assert.match(
        failure?.detail ?? '',
        /were spent within the window; with 1200000000000000000 more it is above/,
      );
    }
  }
  assert.equal(await transactions(), 2);
  await second.kill('SIGKILL');
  await start();
  assert.match(await refusalOf('day-7', order), /^WINDOW_AMOUNT /);
  const { body } = await execute(second.ready, 'small', sale());
  assert.equal(body.execution.status, 'SUCCEEDED', JSON.stringify(body));
  const paid = (await execute(second.ready, 'small', sale())).body;
  assert.deepEqual(paid, body);
});

test('what was taken on is judged again before it is signed, by the policy of that time', async () => {
  const relayer = `/relay/relayers/${second.ready.relayers[0]?.relayerId}`;
  const before = await transactions();
  await ask(second.ready, `${relayer}/pause`, { method: 'POST' });
  const taken = await execute(second.ready, 'waiting', sale({ recipient: OTHER_PAYEE }), 0);
  assert.equal(taken.body.execution.status, 'ACCEPTED', JSON.stringify(taken.body));
  await second.kill('SIGKILL');
  await start({
    recipients: [PAYEE.toLowerCase()],
    minTrust: 'AGREED',
    mostGas: '50000',
    keepWei: milliether(99_000),
  });
  await ask(second.ready, `${relayer}/resume`, { method: 'POST' });
  const { body } = await execute(second.ready, 'waiting', sale({ recipient: OTHER_PAYEE }));
  assert.equal(body.receipts[0]?.status, 'REJECTED', JSON.stringify(body));
  assert.deepEqual(body.execution.failure, {
    code: 'RECIPIENT_NOT_ALLOWED',
    rule: 'chains.31337.recipients',
    detail: `${OTHER_PAYEE.toLowerCase()} may not be paid.`,
  });
  const said = await refusalOf('narrow', sale());
  for (const code of ['TRUST', 'GAS_ABOVE_MOST', 'BALANCE_NOT_KEPT'])
    assert.ok(said.includes(`${code} by the rule`), said);
  const address = second.ready.relayers[0]?.address;
  const balance = BigInt(await rpc<string>('eth_getBalance', [address, 'latest']));
  const more = sale({ amount: String(balance + 1n), minAmountOut: '1' });
  assert.match(await refusalOf('more than it has', more), /^[^;]*BALANCE_NOT_KEPT by the rule/);
  assert.equal(await transactions(), before, 'nothing was signed');
});
