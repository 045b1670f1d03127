// spec/interface.md written a second time, in JSON Schema and independent of packages/wire. Every path, field, type,
// pattern, enum and limit is compared with the answers of a whole service. Payments are in contractPayments.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { postOf, startTestService, type TestService } from './harness.ts';
import { Chain, Health, listOf, matches, Problem, Quote, SwapPlan, Token } from './interfaceSchemas.ts';
import { NATIVE_TOKEN, walletOn } from './wallet.ts';

type Body = { [name: string]: unknown };
type TokenBody = { chainId: number; address: string; symbol: string; decimals: number };
type QuoteBody = {
  asOf: { timestamp: string; blockNumber: number };
  expiresAt: string;
  chainId: number;
  tokenIn: string;
  tokenOut: string;
  tradeType: string;
  amountIn: string;
  amountOut: string;
  route: {
    limits: { minAmountOut?: string; maxAmountIn?: string; slippageBps: number };
    blockHash: string;
    sources: string[];
    paths: { amountIn: string; amountOut: string; pools: string[] }[];
  };
};
type InstructionBody = {
  to: string;
  data: string;
  constraints: { notAfter: string; maxSlippageBps?: number };
};
type PlanBody = { quote: QuoteBody; instructions: InstructionBody[]; issues?: Body };
type ProblemBody = { type: string; code: string; errors?: { pointer: string; detail: string }[] };

let service: TestService;
let tokens: TokenBody[];

before(async () => {
  service = await startTestService();
  tokens = await answer<TokenBody[]>('/v1/markets/tokens');
});
after(() => service?.close());

/** The body of a 200. */
async function answer<T>(path: string, init?: RequestInit): Promise<T> {
  const { status, headers, body } = await service.request(path, init);
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  assert.match(headers.get('content-type') ?? '', /^application\/json(;|$)/);
  assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9._-]{1,128}$/);
  return body as T;
}

/** The Problem of a refusal with this HTTP status. */
async function refusal(status: number, path: string, init?: RequestInit): Promise<ProblemBody> {
  const refused = await service.request(path, init);
  assert.equal(refused.status, status, `${path}: ${JSON.stringify([init?.body, refused.body])}`);
  assert.equal(refused.headers.get('content-type'), 'application/problem+json');
  matches(Problem, refused.body, path);
  const problem = refused.body as ProblemBody & { status: number; requestId: string };
  assert.equal(problem.status, status, "the Problem's status is the HTTP status");
  assert.equal(problem.type, `${service.url}/problems/${problem.code}`);
  assert.equal(problem.requestId, refused.headers.get('x-request-id'));
  return problem;
}

function tokenOf(symbol: string): string {
  return tokens.find((token) => token.symbol === symbol)?.address ?? assert.fail(`no ${symbol}`);
}

/** A request that is answered 200, with members replaced; undefined removes a member. */
function trade(changes: Body = {}): Body {
  const whole = {
    chainId: service.chainId,
    tokenIn: tokenOf('USDC'),
    tokenOut: tokenOf('WETH'),
    tradeType: 'EXACT_IN',
    amount: '3000000000',
    ...changes,
  };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
}

function quotePath(changes: Body = {}): string {
  const query = Object.entries(trade(changes)).map(([name, value]) => [name, String(value)]);
  return `/v1/quote?${new URLSearchParams(query)}`;
}

const swapOf = (changes: Body = {}): RequestInit => postOf(trade(changes));
/** A swap with a part of its JSON text replaced, for values that JSON.stringify cannot write. */
const swapText = (changes: Body, from: string, to: string): RequestInit => ({
  ...swapOf(changes),
  body: JSON.stringify(trade(changes)).replace(from, to),
});
const pointersOf = ({ errors = [] }: ProblemBody): string[] => errors.map(({ pointer }) => pointer);

test('health, chains and tokens have the shapes of the interface', async () => {
  matches(Health, await answer('/health'), '/health');
  const chains = await answer<{ chainId: number }[]>('/v1/markets/chains');
  matches({ ...listOf(Chain), minItems: 1 }, chains, 'chains');
  matches({ ...listOf(Token), minItems: 8 }, tokens, 'tokens');
  assert.ok(tokens.every(({ chainId }) => chains.some((chain) => chain.chainId === chainId)));
  assert.equal(new Set(tokens.map(({ address }) => address)).size, tokens.length, 'no token twice');
  assert.ok(tokens.some(({ address }) => address === NATIVE_TOKEN));
});

test('the token list is filtered by chainId, and a malformed chainId is refused', async () => {
  const { chainId } = service;
  assert.deepEqual(await answer(`/v1/markets/tokens?chainId=${chainId}`), tokens);
  const malformed = ['', '-1', '1.5', '1e3', '0x7a69', `0${chainId}`, `%20${chainId}`, `${2n ** 64n}`, 'x'];
  for (const given of malformed) {
    const problem = await refusal(400, `/v1/markets/tokens?chainId=${given}`);
    assert.equal(problem.code, 'validation-failed');
    assert.deepEqual(pointersOf(problem), ['/query/chainId']);
  }
  for (const given of ['0', '1', '9007199254740993', String(2n ** 64n - 1n)]) {
    assert.deepEqual(await answer(`/v1/markets/tokens?chainId=${given}`), []);
  }
});

test('every pair of listed tokens can be quoted under the listed ids', async () => {
  for (const tokenIn of tokens) {
    for (const tokenOut of tokens.filter((token) => token !== tokenIn)) {
      const amount = 10n ** BigInt(tokenIn.decimals);
      const path = quotePath({ tokenIn: tokenIn.address, tokenOut: tokenOut.address, amount });
      matches(Quote, await answer(path), `${tokenIn.symbol} to ${tokenOut.symbol}`);
    }
  }
});

for (const tradeType of ['EXACT_IN', 'EXACT_OUT']) {
  test(`a quote of ${tradeType} echoes the request, is of one block, and takes every parameter`, async () => {
    const tokenIn = tokenOf('USDC').toLowerCase();
    const extra = { tradeType, slippageBps: 125, maxHops: 2, maxSplits: 1, excludeSources: 'uniswap-v2' };
    const quote = await answer<QuoteBody>(quotePath({ ...extra, tokenIn, amount: '3000000007' }));
    matches(Quote, quote, 'quote');
    assert.partialDeepStrictEqual(quote, { tokenIn, tokenOut: tokenOf('WETH'), tradeType });
    assert.equal(quote.chainId, service.chainId);
    assert.equal(tradeType === 'EXACT_IN' ? quote.amountIn : quote.amountOut, '3000000007');
    const { limits, sources, paths, blockHash } = quote.route;
    assert.deepEqual(sources, ['uniswap-v3']);
    assert.ok(paths.length === 1 && paths.every(({ pools }) => pools.length <= 2));
    const bound =
      tradeType === 'EXACT_IN'
        ? { minAmountOut: String((BigInt(quote.amountOut) * 9875n + 9999n) / 10000n) }
        : { maxAmountIn: String((BigInt(quote.amountIn) * 10125n) / 10000n) };
    assert.deepEqual(limits, { ...bound, slippageBps: 125 });
    const block = `0x${quote.asOf.blockNumber.toString(16)}`;
    const { hash } = await service.rpc<{ hash: string }>('eth_getBlockByNumber', [block, false]);
    assert.equal(blockHash, hash);
  });
}

test('a quote changes nothing: each call derives a quote of its own, with its own times', async () => {
  const timeOf = async () => Date.parse((await answer<{ time: string }>('/health')).time);
  const blockOf = () => service.rpc<string>('eth_blockNumber');
  const [before, blockBefore] = [await timeOf(), await blockOf()];
  const quotes = [await answer<QuoteBody>(quotePath()), await answer<QuoteBody>(quotePath())];
  const [after, blockAfter] = [await timeOf(), await blockOf()];
  assert.equal(blockAfter, blockBefore);
  const [first, second] = quotes.map(({ asOf: { timestamp: _, ...asOf }, expiresAt: __, ...rest }) => ({
    ...rest,
    asOf,
  }));
  assert.deepEqual(first, second);
  const lifetimes = quotes.map(({ asOf, expiresAt }) => Date.parse(expiresAt) - Date.parse(asOf.timestamp));
  assert.equal(lifetimes[0], lifetimes[1]);
  assert.ok((lifetimes[0] ?? 0) >= 10_000);
  const instants = [before, ...quotes.map(({ asOf }) => Date.parse(asOf.timestamp)), after];
  assert.deepEqual(
    instants,
    instants.toSorted((a, b) => a - b),
    "asOf is the service's own clock",
  );
});

test('a quote needs chainId, tokenIn, tokenOut, tradeType and amount, and nothing else', async () => {
  const names = ['chainId', 'tokenIn', 'tokenOut', 'tradeType', 'amount'];
  const problem = await refusal(400, '/v1/quote');
  assert.deepEqual(
    pointersOf(problem),
    names.map((name) => `/query/${name}`),
    'all at once',
  );
  for (const name of names) {
    assert.deepEqual(pointersOf(await refusal(400, quotePath({ [name]: undefined }))), [`/query/${name}`]);
  }
});

const ALL_AMOUNTS = ['1', '100000000000000000', '999999999999999999'];
const BAD_AMOUNTS = [
  '',
  '0',
  '-1',
  '+1',
  '1.5',
  '1e18',
  '0x10',
  '01',
  ' 1',
  '1 ',
  '1\n',
  '1_000',
  '１',
  'NaN',
];
const beyond = [String(2n ** 256n), '9'.repeat(78), '1'.repeat(79), '1'.repeat(5000)];
const SOMEONE = '0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266';
const badAddresses = [
  '',
  '0x',
  'USDC',
  SOMEONE.slice(0, -1),
  `${SOMEONE}0`,
  `${SOMEONE}\n`,
  SOMEONE.slice(2),
  `0X${SOMEONE.slice(2)}`,
  `0x${'g'.repeat(40)}`,
  // One letter of the checksum is in the other case.
  '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
];
const WRONG_WORDS = ['exact_in', 'EXACT_IN ', 'EXACTIN', 'IN', ''];

/** Values that each field refuses, in quotes and in swaps. */
const refusedTexts: Record<string, readonly string[]> = {
  chainId: [
    '',
    '-1',
    '-0',
    '+31337',
    '31337.0',
    '1e3',
    '0x7a69',
    '031337',
    ' 31337',
    '３１３３７',
    String(2n ** 64n),
  ],
  tokenIn: badAddresses,
  tokenOut: badAddresses,
  tradeType: WRONG_WORDS,
  amount: [...BAD_AMOUNTS, ...beyond],
};

/** Lists of tokens to exclude that are refused, the place of the wrong one, and what is said of it. */
const excludedWrong = (): readonly { named: readonly string[]; index: number; said: RegExp }[] => [
  { named: [tokenOf('WETH')], index: 0, said: /is tokenOut; a trade cannot do without it\.$/ },
  { named: [tokenOf('DAI'), tokenOf('USDC').toLowerCase()], index: 1, said: /is tokenIn; / },
  { named: [NATIVE_TOKEN], index: 0, said: /is tokenOut; / },
  { named: [SOMEONE], index: 0, said: /is not listed on chain 31337; GET \/v1\/markets\/tokens lists/ },
  {
    named: [tokenOf('DAI'), tokenOf('DAI').toLowerCase()],
    index: 1,
    said: /must be in the list only once/,
  },
];

test('tokens to exclude that are traded, unknown or named twice are refused, and more than 32', async () => {
  for (const { named, index, said } of excludedWrong()) {
    const [problem] = (await refusal(400, '/v1/swap', swapOf({ excludeTokens: named }))).errors ?? [];
    assert.equal(problem?.pointer, `/excludeTokens/${index}`);
    assert.match(problem?.detail ?? '', said);
  }
  for (const name of ['excludeTokens', 'excludePools']) {
    const many = Array.from({ length: 33 }, (_, index) => `0x${index.toString(16).padStart(40, '0')}`);
    const { errors } = await refusal(400, '/v1/swap', swapOf({ [name]: many }));
    assert.deepEqual([errors?.length, errors?.[0]?.pointer], [1, `/${name}`]);
    assert.match(errors?.[0]?.detail ?? '', /must be a list of at most 32 (tokens|pools)/);
  }
  const { errors } = await refusal(400, '/v1/swap', swapOf({ excludePools: [SOMEONE] }));
  assert.match(errors?.[0]?.detail ?? '', /is no pool known on chain 31337; /);
});

test('a quote refuses every malformed parameter by its name', async () => {
  const numbers = {
    slippageBps: ['-1', '5001', '50.5', '50.0', '5e1', '', 'x', '050'],
    maxHops: ['0', '4', '1.5', ''],
    maxSplits: ['0', '17', 'x'],
    excludeSources: ['no-such-source', 'uniswap-v2,no-such-source', ''],
    excludeTokens: excludedWrong().map(({ named }) => named.join()),
    excludePools: [SOMEONE, '', `${SOMEONE},x`],
    slippageBp: ['50'],
    ChainId: ['1'],
    ['__proto__']: ['1'],
  };
  for (const [name, values] of Object.entries({ ...refusedTexts, ...numbers })) {
    for (const value of values) {
      const problem = await refusal(400, quotePath({ [name]: value }));
      assert.deepEqual(pointersOf(problem), [`/query/${name}`], `${name}=${value.slice(0, 60)}`);
    }
  }
  const repeated = await refusal(400, `${quotePath()}&amount=3000000000`);
  assert.deepEqual(pointersOf(repeated), ['/query/amount']);
  for (const slippageBps of [0, 50, 5000]) matches(Quote, await answer(quotePath({ slippageBps })), 'quote');
  const absent = await answer<QuoteBody>(quotePath());
  assert.equal(absent.route.limits.slippageBps, 50);
});

test('a swap refuses every malformed field by its name, and never converts a value', async () => {
  const foreign = [null, true, 7, 1.5, [], {}, ['x']];
  const values: Record<string, readonly unknown[]> = {
    chainId: ['31337', null, true, -1, 1.5, [31337]],
    tokenIn: [...badAddresses, ...foreign],
    tokenOut: [...badAddresses, ...foreign],
    tradeType: [...WRONG_WORDS, ...foreign],
    amount: [...BAD_AMOUNTS, ...beyond, ...foreign],
    slippageBps: [-1, 5001, 50.5, '50', '', null, true, [50], 1e300],
    recipient: [...badAddresses, ...foreign],
    sender: [...badAddresses, ...foreign],
    deadline: ['', 'tomorrow', '2100-01-01', '2100-01-01T00:00:00', '2100-02-30T00:00:00Z', 4102444800, null],
    maxHops: [0, 4, '3', null],
    maxSplits: [0, 17, '1', null],
    excludeSources: ['uniswap-v2', ['no-such-source'], [1], null, {}],
    excludeTokens: [SOMEONE, null, {}, ...badAddresses.map((address) => [address]), [7]],
    excludePools: [SOMEONE, null, {}, ...badAddresses.map((address) => [address]), [SOMEONE]],
    slippageBp: [50],
    constructor: ['x'],
  };
  for (const [name, refused] of Object.entries(values)) {
    for (const value of refused) {
      const problem = await refusal(400, '/v1/swap', swapOf({ [name]: value }));
      const shown = JSON.stringify(value).slice(0, 60);
      const isInList = name.startsWith('exclude') && Array.isArray(value);
      assert.equal(problem.code, 'validation-failed', `${name}: ${shown}`);
      assert.deepEqual(pointersOf(problem), [`/${name}${isInList ? '/0' : ''}`], `${name}: ${shown}`);
    }
  }
  for (const written of ['5e1', '50.0', '-0', '50.00000000000000000001']) {
    const init = swapText({ slippageBps: 50 }, '"slippageBps":50', `"slippageBps":${written}`);
    assert.deepEqual(pointersOf(await refusal(400, '/v1/swap', init)), ['/slippageBps'], written);
  }
  const large = swapText({ chainId: 1 }, '"chainId":1', '"chainId":9007199254740993');
  const unknown = await refusal(400, '/v1/swap', large);
  assert.match(unknown.errors?.[0]?.detail ?? '', /\b9007199254740993\b/);
});

test('a swap needs the fields of a quote; an absent slippageBps is 50', async () => {
  for (const name of ['chainId', 'tokenIn', 'tokenOut', 'tradeType', 'amount']) {
    assert.deepEqual(pointersOf(await refusal(400, '/v1/swap', swapOf({ [name]: undefined }))), [`/${name}`]);
  }
  for (const slippageBps of [undefined, 0, 1, 5000]) {
    const plan = await answer<PlanBody>('/v1/swap', swapOf({ slippageBps }));
    matches(SwapPlan, plan, 'swap');
    assert.equal(plan.instructions.length, 1, 'without a sender a swap is exactly one instruction');
    const bps = slippageBps ?? 50;
    assert.equal(plan.instructions[0]?.constraints.maxSlippageBps, bps);
    assert.equal(plan.quote.route.limits.slippageBps, bps);
    const amountOut = BigInt(plan.quote.amountOut) * BigInt(10_000 - bps);
    assert.equal(plan.quote.route.limits.minAmountOut, String((amountOut + 9999n) / 10000n));
  }
});

test('a swap takes every field, for both trade types and from one smallest unit on', async () => {
  const options = { recipient: SOMEONE, maxHops: 1, maxSplits: 1, excludeSources: ['uniswap-v3'] };
  for (const tradeType of ['EXACT_IN', 'EXACT_OUT']) {
    const body = swapOf({ ...options, tradeType, tokenIn: tokenOf('WETH'), tokenOut: NATIVE_TOKEN });
    matches(SwapPlan, await answer('/v1/swap', body), 'a plain unwrap');
    const plan = await answer<PlanBody>('/v1/swap', swapOf({ ...options, tradeType }));
    matches(SwapPlan, plan, tradeType);
    assert.deepEqual(plan.quote.route.sources, ['uniswap-v2']);
    for (const amount of ALL_AMOUNTS) {
      const pair = { tokenIn: tokenOf('WETH'), tokenOut: tokenOf('DAI') };
      matches(SwapPlan, await answer('/v1/swap', swapOf({ ...pair, tradeType, amount })), amount);
    }
  }
});

test('notAfter is the deadline in whole seconds, by default twenty minutes from now', async () => {
  const deadlines = {
    '2100-01-01T00:00:00Z': '2100-01-01T00:00:00.000Z',
    '2100-01-01T01:00:00.999+01:00': '2100-01-01T00:00:00.000Z',
    '2100-01-01t00:00:01.5z': '2100-01-01T00:00:01.000Z',
  };
  for (const [deadline, notAfter] of Object.entries(deadlines)) {
    const { instructions } = await answer<PlanBody>('/v1/swap', swapOf({ deadline, sender: SOMEONE }));
    for (const { constraints } of instructions) assert.equal(constraints.notAfter, notAfter);
  }
  const { quote, instructions } = await answer<PlanBody>('/v1/swap', swapOf());
  const given = Date.parse(instructions[0]?.constraints.notAfter ?? '') - Date.parse(quote.asOf.timestamp);
  assert.ok(given > 19 * 60_000 && given <= 20 * 60_000, `${given} ms`);
  for (const deadline of ['2000-01-01T00:00:00Z', quote.asOf.timestamp]) {
    const problem = await refusal(400, '/v1/swap', swapOf({ deadline }));
    assert.deepEqual(pointersOf(problem), ['/deadline']);
  }
});

test('with a sender, approvals come before the swap, and missing funds are named', async () => {
  const { accounts, routers } = await answer<{
    accounts: { address: string }[];
    routers: { swapRouter02: string };
  }>('/v1/sandbox');
  const sender = accounts[0]?.address ?? '';
  const usdt = { tokenIn: tokenOf('USDT'), sender };
  const fresh = await answer<PlanBody>('/v1/swap', swapOf(usdt));
  matches(SwapPlan, fresh, 'swap');
  const targets = ({ instructions }: PlanBody) => instructions.map(({ to }) => to);
  assert.deepEqual(targets(fresh), [usdt.tokenIn, routers.swapRouter02]);
  const spender = routers.swapRouter02;
  assert.deepEqual(fresh.issues, {
    balance: null,
    allowance: { actual: '0', required: '3000000000', spender },
  });
  await walletOn(service).approve(sender, usdt.tokenIn, spender, 1n);
  await service.recordAtHead();
  const reset = await answer<PlanBody>('/v1/swap', swapOf(usdt));
  matches(SwapPlan, reset, 'swap');
  assert.deepEqual(targets(reset), [usdt.tokenIn, usdt.tokenIn, spender], 'USDT needs a reset to zero');
  assert.deepEqual(
    reset.instructions.map(({ constraints }) => constraints.maxSlippageBps),
    [undefined, undefined, 50],
  );
  const native = await answer<PlanBody>(
    '/v1/swap',
    swapOf({ sender, tokenIn: NATIVE_TOKEN, tokenOut: tokenOf('DAI') }),
  );
  assert.deepEqual([targets(native), native.issues], [[spender], { balance: null, allowance: null }]);
  const poor = await answer<PlanBody>('/v1/swap', swapOf({ sender: `0x${'be'.repeat(20)}` }));
  assert.deepEqual(poor.issues?.balance, { actual: '0', required: '3000000000' });
});
