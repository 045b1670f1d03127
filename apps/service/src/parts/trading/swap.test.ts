import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { type Amount, toAddress } from '@fairway/engine';
import { KNOWN_CONTRACTS, type PoolsReread, type SwapResult } from '@fairway/evm';
import type { SwapPlan } from '@fairway/wire';
import {
  ACCOUNT,
  NATIVE,
  POOLS,
  QUOTER,
  passed,
  pointersOf,
  START_MS,
  startHarness,
  swapBody,
  TOKENS,
} from '../../../test/httpHarness.ts';
import { GATE_LIMITS } from '@fairway/api';

const harness = await startHarness({
  limits: {
    requestsPerSecond: 1e6,
    failedLoginsPerMinute: 1e6,
    gate: {
      places: { ...GATE_LIMITS.places, CHAIN: { all: 2, alone: 2 } },
      waitMs: 30,
    },
  },
});
after(() => harness.close());
beforeEach(() => {
  harness.orders.length = 0;
});
const post = (body: string | object) => harness.call({ url: '/v1/swap', method: 'POST', body });
const planOf = async (changes: Record<string, unknown> = {}) => {
  const reply = await post(swapBody(changes));
  assert.equal(reply.status, 200, reply.text);
  return reply.json as unknown as SwapPlan;
};

test('a swap has a fresh quote, the call with its constraints, and the simulation', async () => {
  const plan = await planOf({ recipient: ACCOUNT });
  const [call] = plan.instructions ?? [];
  assert.equal(plan.instructions?.length, 1);
  assert.equal(call?.kind, 'EVM_CALL');
  assert.equal(call?.to, '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45');
  assert.equal(call?.constraints.maxSlippageBps, 50);
  assert.equal(Date.parse(call?.constraints.notAfter ?? ''), START_MS + 20 * 60_000);
  assert.equal(plan.simulation?.status, 'PASSED');
  assert.equal(plan.issues, undefined);
  assert.equal(plan.quote.amountOut, plan.simulation?.amountOut);
  const [order] = harness.orders;
  assert.equal(order?.recipient, ACCOUNT.toLowerCase());
  assert.equal(order?.deadlineSeconds, BigInt(START_MS / 1000 + 1200));
});

test('approvals come before the swap and have no slippage, and issues are answered', async () => {
  const spender = '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45';
  harness.setSwapResult(async () => {
    const order = harness.orders.at(-1);
    assert.ok(order);
    const result = passed(order) as Extract<SwapResult, { ok: true }>;
    return {
      ...result,
      instructions: [{ to: TOKENS.weth, data: '0x095e', value: 0n }, ...result.instructions],
      issues: {
        balance: { actual: 1n as Amount, required: 2n as Amount },
        allowance: { actual: 0n as Amount, required: 2n as Amount, spender },
      },
    };
  });
  const plan = await planOf({ sender: ACCOUNT });
  harness.setSwapResult(async () => passed(harness.orders.at(-1) ?? assert.fail()));
  assert.deepEqual(
    plan.instructions?.map(({ constraints }) => constraints.maxSlippageBps),
    [undefined, 50],
  );
  assert.ok(plan.instructions?.every(({ constraints }) => constraints.notAfter !== undefined));
  assert.deepEqual(plan.issues?.balance, { actual: '1', required: '2' });
  assert.equal(plan.issues?.allowance?.spender, '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45');
});

test('balance and allowance are null when they are not an issue', async () => {
  harness.setSwapResult(async () => {
    const order = harness.orders.at(-1) ?? assert.fail();
    const result = passed(order) as Extract<SwapResult, { ok: true }>;
    return { ...result, simulation: { status: 'UNAVAILABLE' }, issues: { balance: null, allowance: null } };
  });
  const plan = await planOf({ sender: ACCOUNT });
  harness.setSwapResult(async () => passed(harness.orders.at(-1) ?? assert.fail()));
  assert.deepEqual(plan.issues, { balance: null, allowance: null });
  assert.deepEqual(plan.simulation, { status: 'UNAVAILABLE' });
});

test('a trade of native currency for its wrapped token is planned as a wrap', async () => {
  const plan = await planOf({ tokenIn: NATIVE, tokenOut: TOKENS.weth, amount: '5', tradeType: 'EXACT_OUT' });
  assert.equal(harness.orders[0]?.subject.kind, 'WRAP');
  assert.equal(harness.orders[0]?.nativeIn, true);
  assert.equal(harness.orders[0]?.nativeOut, false);
  assert.equal(plan.quote.route?.limits.maxAmountIn, '5');
});

const raw = (member: string) => JSON.stringify(swapBody()).replace('"chainId":31337', member);

const REFUSED: readonly (readonly [string, string | object, readonly string[]])[] = [
  ['a chain id with a point', raw('"chainId":31337.0'), ['/chainId']],
  ['a chain id with an exponent', raw('"chainId":31337e0'), ['/chainId']],
  ['a chain id of minus zero', raw('"chainId":-0'), ['/chainId']],
  ['a chain id above uint64', raw('"chainId":18446744073709551616'), ['/chainId']],
  ['__proto__', JSON.stringify(swapBody()).replace('{', '{"__proto__":{},'), ['/__proto__']],
  ['a field name with a slash', swapBody({ 'a/b~c': 1 }), ['/a~1b~0c']],
  [
    'the zero recipient',
    swapBody({ recipient: '0x0000000000000000000000000000000000000000' }),
    ['/recipient'],
  ],
  ["the router's shorthand for the sender", swapBody({ recipient: `0x${'0'.repeat(39)}1` }), ['/recipient']],
  ["the router's shorthand for itself", swapBody({ recipient: `0x${'0'.repeat(39)}2` }), ['/recipient']],
  ['the native placeholder as recipient', swapBody({ recipient: NATIVE }), ['/recipient']],
  ['a token as recipient', swapBody({ recipient: TOKENS.usdc }), ['/recipient']],
  ['a pool as recipient', swapBody({ recipient: POOLS.wethUsdc }), ['/recipient']],
  ['a quoter as recipient', swapBody({ recipient: QUOTER }), ['/recipient']],
  ['Multicall3 as recipient', swapBody({ recipient: KNOWN_CONTRACTS['Multicall3'] }), ['/recipient']],
  ['a precompile as recipient', swapBody({ recipient: `0x${'ffff'.padStart(40, '0')}` }), ['/recipient']],
  ['0x…dEaD as sender', swapBody({ sender: `0x${'dead'.padStart(40, '0')}` }), ['/sender']],
  ['the router as sender', swapBody({ sender: KNOWN_CONTRACTS['SwapRouter02'] }), ['/sender']],
  ['the zero sender', swapBody({ sender: '0x0000000000000000000000000000000000000000' }), ['/sender']],
  ['a deadline in the past', swapBody({ deadline: '2026-03-01T11:59:59Z' }), ['/deadline']],
  ['a deadline of now', swapBody({ deadline: '2026-03-01T12:00:00Z' }), ['/deadline']],
  ['a list', [], ['']],
  ['null', 'null', ['']],
  ['a text', '"x"', ['']],
  ['a number', '1', ['']],
];

for (const [name, body, pointers] of REFUSED) {
  test(`a swap refuses ${name} and names the field`, async () => {
    const reply = await post(body);
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.json['code'], 'validation-failed', reply.text);
    assert.deepEqual(pointersOf(reply), pointers);
    assert.equal(harness.orders.length, 0);
  });
}

test('all wrong fields of the body and the query are named', async () => {
  const reply = await harness.call({
    url: '/v1/swap?executionMode=plan',
    method: 'POST',
    body: { amount: 1 },
  });
  assert.deepEqual(
    [...pointersOf(reply)].sort(),
    ['/amount', '/chainId', '/query/executionMode', '/tokenIn', '/tokenOut', '/tradeType'].sort(),
  );
});

test('chain ids above 2^53 are read exactly', async () => {
  for (const digits of ['9007199254740993', '18446744073709551615']) {
    const reply = await post(raw(`"chainId":${digits}`));
    assert.equal(reply.json['code'], 'unknown-chain');
    assert.match(String(reply.json['detail']), new RegExp(`Chain ${digits} `));
  }
});

const MALFORMED: readonly (readonly [string, string])[] = [
  ['no text', ''],
  ['only blanks', '  \n'],
  ['broken JSON', '{"chainId":31337,'],
  ['a comment', '{/* x */}'],
  ['a trailing comma', '{"chainId":31337,}'],
  ['a repeated name', '{"amount":"1","amount":"2"}'],
  ['a repeated name, once escaped', '{"amount":"1","\\u0061mount":"2"}'],
  ['a repeated name in an inner object', '{"x":[{"a":1,"b":{"c":1,"c":1}}]}'],
  ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`],
  ['30,000 levels', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
  ['a byte order mark', '\ufeff{}'],
  ['NaN', '{"amount":NaN}'],
  ['two values', '{} {}'],
];

for (const [name, body] of MALFORMED) {
  test(`a body with ${name} is malformed-json`, async () => {
    const reply = await harness.call({
      url: '/v1/swap',
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(reply.status, 400);
    assert.equal(reply.json['code'], 'malformed-json', reply.text);
  });
}

const REFUSALS: readonly (readonly [SwapResult, number, string])[] = [
  [
    { ok: false, refusal: { reason: 'RECIPIENT_REFUSED', detail: 'It is the router.' } },
    400,
    'validation-failed',
  ],
  [
    { ok: false, refusal: { reason: 'SIMULATION_FAILED', revertReason: 'STF', pools: [] } },
    400,
    'simulation-failed',
  ],
  [{ ok: false, refusal: { reason: 'NOT_EXECUTABLE', detail: 'Mixed versions.' } }, 400, 'no-route'],
  [{ ok: false, refusal: { reason: 'SIMULATION_UNAVAILABLE' } }, 503, 'simulation-unavailable'],
  [
    {
      ok: false,
      refusal: {
        reason: 'HOLDINGS_NEEDED',
        token: toAddress(TOKENS.weth),
        needed: { balance: 5n as Amount },
      },
    },
    400,
    'holdings-needed',
  ],
  [{ ok: false, refusal: { reason: 'NODES_DISAGREE' } }, 503, 'nodes-disagree'],
  [{ ok: false, refusal: { reason: 'BLOCK_GONE', blockNumber: 7n } }, 503, 'market-stale'],
];

for (const [result, status, code] of REFUSALS) {
  test(`a swap that is refused with ${result.ok ? '' : result.refusal.reason} is answered ${code}`, async () => {
    harness.setSwapResult(result);
    const reply = await post(swapBody());
    harness.setSwapResult(async () => passed(harness.orders.at(-1) ?? assert.fail()));
    assert.equal(reply.status, status);
    assert.equal(reply.json['code'], code);
  });
}

/** The answer to a swap whose simulation contradicts its quote, and the number of mismatches that are counted. */
async function contradicted(
  reason: 'AMOUNTS_DIFFER' | 'SIMULATION_FAILED',
  poolsReread: PoolsReread,
): Promise<{ code: unknown; detail: string; mismatches: number; retryAfter: string | undefined }> {
  const { asked } = harness;
  Object.assign(asked, { poolsReread, mismatches: 0 });
  asked.reread.length = 0;
  const detail = 'it would pay 5 for 3 where 6 for 3 was quoted';
  const pools = [...(harness.chains[0]?.follower.market.pools() ?? [])].slice(0, 1);
  harness.setSwapResult({
    ok: false,
    refusal:
      reason === 'AMOUNTS_DIFFER' ? { reason, detail, pools } : { reason, revertReason: 'Too little', pools },
  });
  const { json, headers } = await post(swapBody());
  harness.setSwapResult(async () => passed(harness.orders.at(-1) ?? assert.fail()));
  assert.deepEqual(
    asked.reread,
    pools.map(({ address }) => address),
  );
  const { mismatches } = asked;
  return {
    code: json['code'],
    detail: String(json['detail']),
    mismatches,
    retryAfter: headers['retry-after'],
  };
}

for (const [reason, reread] of [
  ['AMOUNTS_DIFFER', 'WRONG'],
  ['AMOUNTS_DIFFER', 'UNKNOWN'],
  ['SIMULATION_FAILED', 'WRONG'],
] as const)
  test(`a swap refused with ${reason} over pools that are ${reread} is a market mismatch`, async () => {
    const answer = await contradicted(reason, reread);
    assert.partialDeepStrictEqual(answer, { code: 'market-mismatch', mismatches: 1, retryAfter: '1' });
    assert.match(answer.detail, reason === 'AMOUNTS_DIFFER' ? /it would pay 5 for 3/ : /not as quoted/);
  });

for (const [reason, reread, says] of [
  ['AMOUNTS_DIFFER', 'RIGHT', /A token keeps a part/],
  ['SIMULATION_FAILED', 'RIGHT', /^The swap would revert: Too little$/],
  ['SIMULATION_FAILED', 'UNKNOWN', /^The swap would revert: Too little$/],
] as const)
  test(`a swap refused with ${reason} over pools that are ${reread} is simulation-failed`, async () => {
    const answer = await contradicted(reason, reread);
    assert.partialDeepStrictEqual(answer, { code: 'simulation-failed', mismatches: 0 });
    assert.match(answer.detail, says);
  });

for (const reason of ['AMOUNTS_DIFFER', 'SIMULATION_FAILED'] as const)
  test(`a swap refused with ${reason} for a tax that is found then names the token and the tax`, async () => {
    const local = await startHarness();
    const pools = [...(local.chains[0]?.follower.market.pools() ?? [])].slice(0, 1);
    const [pool] = pools;
    assert.ok(pool);
    local.setSwapResult(async () => {
      local.behaviours.set(toAddress(TOKENS.usdc), { kind: 'TAXED', pool: pool.address, detail: 'a tax' });
      const refusal =
        reason === 'AMOUNTS_DIFFER'
          ? ({ reason, detail: 'it differs', pools } as const)
          : ({ reason, revertReason: 'IIA', pools } as const);
      return { ok: false, refusal };
    });
    const reply = await local.call({ url: '/v1/swap', method: 'POST', body: swapBody() });
    assert.deepEqual([reply.status, reply.json['code']], [400, 'token-not-traded']);
    assert.equal(
      reply.json['detail'],
      `tokenOut ${TOKENS.usdc} is not traded on chain 31337: It moves other amounts than it is asked to: a tax.`,
    );
    assert.deepEqual(new Set(local.asked.examined), new Set([pool.address]));
    await local.close();
  });

test('a swap that differs for a rounding that is found then is planned again with it', async () => {
  const local = await startHarness();
  const pools = [...(local.chains[0]?.follower.market.pools() ?? [])].slice(0, 1);
  const differs: SwapResult = { ok: false, refusal: { reason: 'AMOUNTS_DIFFER', detail: 'one unit', pools } };
  // The rounding is found while the service examines the refused swap.
  const { follower } = local.chains[0] ?? assert.fail();
  (follower as { -readonly [Member in keyof typeof follower]: (typeof follower)[Member] }).examine =
    async () => void local.behaviours.set(toAddress(TOKENS.usdc), { kind: 'SHARES' });
  local.setSwapResult(async () => {
    const order = local.orders.at(-1) ?? assert.fail();
    const isKnown = order.subject.kind === 'ROUTE' && order.subject.rounding !== undefined;
    return isKnown ? passed(order) : differs;
  });
  const ask = () => local.call({ url: '/v1/swap', method: 'POST', body: swapBody() });
  const plan = (await ask()).json as unknown as SwapPlan;
  assert.deepEqual(
    plan.quote.route?.rounding?.assets.map(({ symbol }) => symbol),
    ['USDC'],
  );
  const { subject } = local.orders.at(-1) ?? assert.fail();
  assert.ok(subject.kind === 'ROUTE' && subject.rounding?.amountOut === 4n);
  // A rounding that was known before explains nothing: the quote allowed for it.
  local.setSwapResult(differs);
  assert.equal((await ask()).json['code'], 'simulation-failed');
  await local.close();
});

test('a swap is planned at the block of its quote', async () => {
  harness.asked.blocks.length = 0;
  const plan = await planOf();
  assert.deepEqual(
    harness.asked.blocks.map(({ hash }) => hash),
    [plan.quote.route?.blockHash],
  );
});

test('tokens that somebody left on the route are named where a swap moves them, too', async () => {
  const router = toAddress('0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45');
  harness.setSwapResult(async () => {
    const result = passed(harness.orders.at(-1) ?? assert.fail()) as Extract<SwapResult, { ok: true }>;
    assert.ok(result.simulation.status === 'PASSED');
    const priorHoldings = [
      { holder: router, token: undefined, amount: 7n },
      { holder: toAddress(POOLS.wethUsdc), token: toAddress(TOKENS.weth), amount: 9n },
    ];
    return { ...result, simulation: { ...result.simulation, priorHoldings } };
  });
  const { simulation } = await planOf();
  harness.setSwapResult(async () => passed(harness.orders.at(-1) ?? assert.fail()));
  const [native, weth] = [
    { chainId: 31337, address: NATIVE, symbol: 'ETH', decimals: 18 },
    { chainId: 31337, address: TOKENS.weth, symbol: 'WETH', decimals: 18 },
  ];
  assert.deepEqual(simulation?.priorHoldings, [
    { holder: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45', asset: native, amount: '7' },
    { holder: '0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc', asset: weth, amount: '9' },
  ]);
});

test('a revert reason is answered as one short line of printable characters', async () => {
  harness.setSwapResult({
    ok: false,
    refusal: { reason: 'SIMULATION_FAILED', pools: [], revertReason: `\u0000\r\n<b>${'x'.repeat(9999)}` },
  });
  const reply = await post(swapBody());
  harness.setSwapResult(async () => passed(harness.orders.at(-1) ?? assert.fail()));
  assert.ok(String(reply.json['detail']).length < 250);
  assert.match(String(reply.json['detail']), /^[\x20-\x7e]*$/);
});

test('an unexpected error is a 500 without details, and is logged with the request id', async () => {
  harness.setSwapResult(() => Promise.reject(new Error('secret-host:5432 refused')));
  const reply = await post(swapBody());
  harness.setSwapResult(async () => passed(harness.orders.at(-1) ?? assert.fail()));
  assert.equal(reply.status, 500);
  assert.equal(reply.json['code'], 'internal');
  assert.ok(!reply.text.includes('secret-host'));
  const line = harness.logged.find((text) => text.includes('secret-host'));
  assert.ok(line?.includes(String(reply.headers['x-request-id'])));
  assert.ok(!harness.logged.some((text) => text.includes('Basic ') || text.includes(TOKENS.usdc)));
});

test('swaps above the limit are refused as overloaded until others have finished', async () => {
  let open: (() => void) | undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  harness.setSwapResult(async () => {
    await opened;
    return passed(harness.orders.at(-1) ?? assert.fail());
  });
  const waiting = [post(swapBody()), post(swapBody())];
  while (harness.orders.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const turnedAway = await post(swapBody());
  assert.equal(turnedAway.status, 503);
  assert.equal(turnedAway.json['code'], 'overloaded');
  assert.equal(turnedAway.headers['retry-after'], '1');
  open?.();
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ status }) => status),
    [200, 200],
  );
  assert.equal((await post(swapBody())).status, 200);
});
