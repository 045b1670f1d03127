import assert from 'node:assert/strict';
import { type Address, type Amount, createMarket, type FeePips, type Pool, toAddress } from '@fairway/engine';
import type {
  Follower,
  Freshness,
  GasTerms,
  Head,
  PoolsReread,
  SwapOrder,
  SwapResult,
  TokenBehaviour,
  TokenInfo,
} from '@fairway/evm';
import { OPERATION_IDS, operation, PERMISSIONS, Problem } from '@fairway/wire';
import { Ajv, type ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { defined } from '@fairway/values';
import type { AuthenticationResult } from '@fairway/credentials';
import { createAvoided } from '../src/platform/chains/avoided.ts';
import { createHttpServer, type HttpDeps } from '../src/httpServer.ts';
import { createCorridors } from '../src/parts/payments/corridors/corridors.ts';
import { createDerivation } from '../src/parts/payments/instructions.ts';
import type { CollectParts } from '../src/parts/collect/parts.ts';
import type { PaymentParts } from '../src/parts/payments/paymentParts.ts';
import { DatabaseUnavailableError } from '@fairway/postgres';
import { SUNK_MAILS } from './sunkMails.ts';

/** Tokens of the test market, in EIP-55. `lone` is listed but no pool trades it. */
export const TOKENS = {
  weth: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  usdc: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  dai: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
  lone: '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599',
} as const;

/** EIP-7528's address of native currency. */
export const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
/** An ordinary account: no token, pool or other contract. */
export const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
/** Addresses of the pools. */
export const POOLS = {
  wethUsdc: '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc',
  usdcDai: '0xae461ca67b15dc8dc81ce7615e0320da1a9ab8d5',
} as const;
/** The chain that the harness serves. */
export const CHAIN_ID = 31337;
/** The harness's public URL. */
export const PUBLIC_URL = 'https://fairway.test';
/** The service's time at the start. */
export const START_MS = Date.UTC(2026, 2, 1, 12, 0, 0);

const credentials: Readonly<Record<string, AuthenticationResult>> = {
  'full:secret': caller('full', 'sandbox', PERMISSIONS),
  'second:secret': caller('second', 'sandbox', PERMISSIONS),
  'markets:secret': caller('markets', 'sandbox', ['markets:read']),
  'none:secret': caller('none', 'sandbox', []),
  'other:secret': caller('other', 'production', PERMISSIONS),
  'stranger:secret': { ...caller('stranger', 'sandbox', PERMISSIONS), organisationId: 'other' },
  'gone:secret': { outcome: 'UNAVAILABLE' },
};

function caller(
  credentialId: string,
  environment: 'sandbox' | 'production',
  permissions: readonly string[],
): Extract<AuthenticationResult, { outcome: 'AUTHENTICATED' }> {
  const [outcome, stillHolds] = ['AUTHENTICATED', () => true] as const;
  return { outcome, credentialId, organisationId: 'acme', environment, permissions, stillHolds };
}

/** Pool states of the test market: about 2,000 USDC and DAI for 1 WETH. */
function poolsOfMarket(): readonly Pool[] {
  return [
    v2(
      POOLS.wethUsdc,
      'uniswap-v2',
      [TOKENS.usdc, 40_000_000n * 10n ** 6n],
      [TOKENS.weth, 20_000n * 10n ** 18n],
    ),
    v2(
      POOLS.usdcDai,
      'sushi',
      [TOKENS.dai, 30_000_000n * 10n ** 18n],
      [TOKENS.usdc, 30_000_000n * 10n ** 6n],
    ),
  ];
}

function v2(address: string, source: string, a: [string, bigint], b: [string, bigint]): Pool {
  const [[token0, reserve0], [token1, reserve1]] = a[0].toLowerCase() < b[0].toLowerCase() ? [a, b] : [b, a];
  return {
    kind: 'UNISWAP_V2',
    address: toAddress(address),
    source,
    tokens: [toAddress(token0), toAddress(token1)],
    feePips: 3000 as FeePips,
    reserve0,
    reserve1,
  };
}

/** A running test server, and functions that change what its dependencies answer. */
export type Harness = {
  readonly server: FastifyInstance;
  readonly chains: HttpDeps['chains'];
  readonly orders: SwapOrder[];
  /**
   * The blocks that swaps were planned at, the pools that were read again, those whose tokens were examined, and what reading shows.
   * `mismatches`: how many swaps the chain contradicted.
   */
  readonly asked: {
    readonly blocks: Head[];
    readonly reread: Address[];
    readonly examined: Address[];
    poolsReread: PoolsReread;
    mismatches: number;
  };
  readonly logged: string[];
  /** What is known of tokens. */
  readonly behaviours: Map<Address, TokenBehaviour>;
  /** Sets what the follower reports. */
  setFreshness(freshness: Freshness): void;
  setHead(head: Head | undefined, gasTerms?: GasTerms): void;
  /** Sets the result of the next swaps. */
  setSwapResult(result: SwapResult | (() => Promise<SwapResult>)): void;
  /** Sends a request with the credential `full` and checks the answer against the contract. */
  call(request: Call): Promise<Reply>;
  close(): Promise<void>;
};

/** A request. Its credential is `full` when `login` is absent; null: none. */
export type Call = {
  readonly url: string;
  readonly method?: InjectOptions['method'];
  readonly login?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
};

/** A response that has been checked against the contract. */
export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The parsed body, where it is JSON. */
  readonly json: JsonBody;
};

/** A parsed body, as far as tests read bodies. */
export type JsonBody = { readonly [name: string]: unknown };

/** The Authorization header of `id:password`. */
export function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

const HEAD: Head = {
  number: 19_000_000n,
  hash: `0x${'ab'.repeat(32)}`,
  parentHash: `0x${'cd'.repeat(32)}`,
  timestampSeconds: BigInt(START_MS / 1000) - 3n,
  baseFeePerGas: 1_000_000_000n,
};

/** A swap that passes its simulation: one call, all amounts as quoted. */
export function passed(order: SwapOrder): SwapResult {
  const quote = order.subject.kind === 'ROUTE' ? order.subject.quote : undefined;
  const amount = order.subject.kind === 'WRAP' ? order.subject.amount : (0n as Amount);
  return {
    ok: true,
    instructions: [{ to: '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45', data: '0x1234', value: 0n }],
    limit: { minAmountOut: quote?.amountOut ?? amount },
    simulation: {
      status: 'PASSED',
      amountIn: quote?.amountIn ?? amount,
      amountOut: quote?.amountOut ?? amount,
      gasUsed: 123_456n,
      blockNumber: HEAD.number,
      priorHoldings: [],
    },
  };
}

/** Starts a server over the test market; `overrides` replace parts of its dependencies. */
export async function startHarness(
  overrides: Partial<HttpDeps> = {},
  sandbox: 'SANDBOX' | 'NO_SANDBOX' = 'SANDBOX',
): Promise<Harness> {
  const state: State = {
    freshness: { fresh: true },
    head: HEAD,
    swapResult: undefined,
    nowMs: START_MS,
    orders: [],
    asked: { blocks: [], reread: [], examined: [], poolsReread: 'RIGHT', mismatches: 0 },
    logged: [],
    behaviours: new Map(),
  };
  const deps: HttpDeps = {
    environment: 'sandbox',
    version: '9.9.9',
    publicUrl: () => PUBLIC_URL,
    nowMs: () => state.nowMs,
    authenticate: async (username, password) =>
      credentials[`${username}:${password}`] ?? { outcome: 'REJECTED' },
    limits: { requestsPerSecond: 1_000_000, failedLoginsPerMinute: 1_000_000 },
    chains: [createChain(state)],
    payments: paymentsWithoutDatabase(state),
    events: {
      list: unavailable,
      heard: unavailable,
      resends: unavailable,
    },
    webhooks: {
      webhooks: new Proxy({}, { get: () => unavailable }) as HttpDeps['webhooks']['webhooks'],
      ...{ fingerprint: () => Buffer.alloc(32), canSeal: true, nowMs: () => state.nowMs },
      rule: { httpToLoopback: sandbox === 'SANDBOX', allowPrivate: [] },
    },
    erasures: { place: 'NONE' },
    reports: {
      environment: 'sandbox',
      reports: new Proxy({}, { get: () => unavailable }) as HttpDeps['reports']['reports'],
      corridors: { find: () => undefined, list: () => [] },
      organisationName: async () => undefined,
      tokenNames: () => [],
      nowMs: () => state.nowMs,
    },
    statements: {
      statements: new Proxy({}, { get: () => unavailable }) as HttpDeps['statements']['statements'],
      ...{ canSeal: true, chains: new Map(), nowMs: () => state.nowMs },
    },
    ...(sandbox === 'SANDBOX' ? { sandbox: createSandbox(state) } : {}),
    log: pino({ level: 'info' }, { write: (line: string) => state.logged.push(line) }),
    ...overrides,
  };
  const server = createHttpServer(deps);
  await server.ready();
  return {
    server,
    chains: deps.chains,
    ...{ orders: state.orders, asked: state.asked, logged: state.logged, behaviours: state.behaviours },
    setFreshness: (freshness) => {
      state.freshness = freshness;
    },
    setHead: (head, gasTerms = {}) => void Object.assign(state, { head, gasTerms }),
    setSwapResult: (result) => {
      state.swapResult = result;
    },
    call: (request) => call(server, request),
    close: () => server.close(),
  };
}

type State = {
  freshness: Freshness;
  head: Head | undefined;
  gasTerms?: GasTerms;
  swapResult: SwapResult | (() => Promise<SwapResult>) | undefined;
  nowMs: number;
  readonly orders: SwapOrder[];
  readonly asked: Harness['asked'];
  readonly behaviours: Harness['behaviours'];
  readonly logged: string[];
};

const NO_TAG = `0x${'00'.repeat(16)}` as const;

const nothing = () => undefined;
const PAGE_STATES = { seal: () => 'sealed', open: nothing, typingKey: () => '', openTyped: nothing };

/** What an operation of the store does without its database. */
const unavailable = () => Promise.reject<never>(new DatabaseUnavailableError(new Error('No database.')));

/** Payments without a database. Tests of a whole service cover payments with one. */
function paymentsWithoutDatabase(state: State): CollectParts {
  const operations = new Proxy({}, { get: () => unavailable });
  const chains = new Map([[CHAIN_ID, createChain(state)]]);
  return {
    corridors: createCorridors([], chains, () => state.nowMs),
    chains,
    store: {
      payments: operations as PaymentParts['store']['payments'],
      jobs: operations as PaymentParts['store']['jobs'],
      collect: operations as PaymentParts['store']['collect'],
      record: operations as PaymentParts['store']['record'],
      recipients: operations as PaymentParts['store']['recipients'],
      fingerprint: () => Buffer.alloc(32),
      planTag: () => NO_TAG,
      endToEndId: () => 'FW1',
      pageStates: PAGE_STATES,
    },
    moments: { of: () => undefined, look: async () => {} },
    derive: createDerivation(
      chains,
      () => state.nowMs,
      () => NO_TAG,
    ),
    sendLink: async (_scope, plan) => ({ plan }),
    rateFor: () => undefined,
    planLifeMs: 1,
    nowMs: () => state.nowMs,
    environment: 'sandbox',
    publicUrl: () => PUBLIC_URL,
    onClaimRefused: () => undefined,
    organisationOf: unavailable,
  };
}

/** The contract of the chain that no other list names. */
export const QUOTER = `0x${'c7'.repeat(20)}`;

function createChain(state: State): HttpDeps['chains'][number] {
  return {
    chainId: CHAIN_ID,
    name: 'Sandbox',
    nativeSymbol: 'ETH',
    wrappedNative: toAddress(TOKENS.weth),
    trust: { agreed: 1, of: 1 },
    quoteLifetimeMs: 24_000,
    maxPriceImpactBps: 1_000,
    follower: createFollower(state),
    planSwap: async (order, block) => {
      state.orders.push(order);
      state.asked.blocks.push(block);
      const { swapResult } = state;
      return typeof swapResult === 'function' ? swapResult() : (swapResult ?? passed(order));
    },
    readRoute: async () => undefined,
    findFaults: async () => undefined,
    avoided: createAvoided(() => state.nowMs),
    onReroute: () => {},
    onMarketMismatch: () => void (state.asked.mismatches += 1),
    router: toAddress('0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45'),
    routerKind: 'SWAP_ROUTER_02',
    readCallTargets: async () => [],
    newestHead: async () => undefined,
    otherContracts: [toAddress(QUOTER)],
    request: async () => assert.fail('The harness has no node.'),
  };
}

function createSandbox(state: State): NonNullable<HttpDeps['sandbox']> {
  return {
    mailbox: () => SUNK_MAILS,
    chainId: CHAIN_ID,
    rpcUrl: 'http://127.0.0.1:8545',
    accounts: [{ address: ACCOUNT, privateKey: `0x${'11'.repeat(32)}` }],
    routers: { swapRouter02: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45' },
    factories: [{ kind: 'UNISWAP_V2', name: 'uniswap-v2', address: `0x${'0f'.repeat(20)}` }],
    wrappedNative: TOKENS.weth,
    multicall3: `0x${'0c'.repeat(20)}`,
    smtpUrl: 'smtp://127.0.0.1:2525',
    tokens: [{ address: TOKENS.usdc, symbol: 'USDC', decimals: 6 }],
    advanceClock: async (seconds) => {
      state.nowMs += seconds * 1000;
      return { ok: true };
    },
    faucet: async ({ amount }) => {
      if (amount === 13n) return { ok: false, reason: 'REFUSED', detail: 'Unlucky.' };
      return amount === 14n ? { ok: false, reason: 'UNAVAILABLE', detail: 'Restarting.' } : { ok: true };
    },
    send: async () => ({ ok: false, reason: 'UNAVAILABLE', detail: 'Restarting.' }),
  };
}

function createFollower(state: State): Follower {
  const market = createMarket(poolsOfMarket());
  const listed: readonly (readonly [string, string, number])[] = [
    [TOKENS.weth, 'WETH', 18],
    [TOKENS.usdc, 'USDC', 6],
    [TOKENS.dai, 'DAI', 18],
    [TOKENS.lone, 'WBTC', 8],
  ];
  const tokens = new Map<Address, TokenInfo>(
    listed.map(([address, symbol, decimals]) => [
      toAddress(address),
      { address: toAddress(address), symbol, name: symbol, decimals },
    ]),
  );
  return {
    market,
    tokens,
    behaviours: state.behaviours,
    pool: market.get,
    examine: async (pools) => void state.asked.examined.push(...pools.map(({ address }) => address)),
    head: () => state.head,
    gasTerms: () => state.gasTerms ?? {},
    reread: async (pools) => {
      state.asked.reread.push(...pools.map(({ address }) => address));
      return state.asked.poolsReread;
    },
    status: () => ({
      head: state.head,
      nodeBlockNumber: state.head?.number,
      lagBlocks: 0n,
      contactAgeMs: 5,
      poolCount: market.poolCount,
      leftOut: [],
      freshness: state.freshness,
    }),
    close: async () => undefined,
  };
}

const ajv = new Ajv({ strict: false, allErrors: true });
ajvFormats.default(ajv);
const isUint64 = (value: number) => Number.isInteger(value) && value >= 0;
ajv.addFormat('uint64', { type: 'number', validate: isUint64 });
const isProblem = ajv.compile(Problem);
const responseChecks = new Map<string, ValidateFunction>(
  OPERATION_IDS.map((id) => {
    const { method, path, response } = operation(id);
    return [`${method} ${path}`, ajv.compile(response)];
  }),
);

async function call(server: FastifyInstance, request: Call): Promise<Reply> {
  const { url, method = 'GET', login = 'full:secret', headers = {}, body } = request;
  const usual = defined({
    authorization: login === null ? undefined : basic(login),
    'content-type': body === undefined ? undefined : 'application/json',
  });
  const payload = typeof body === 'object' ? JSON.stringify(body) : body;
  const response = await server.inject(defined({ url, method, headers: { ...usual, ...headers }, payload }));
  const reply: Reply = {
    status: response.statusCode,
    headers: response.headers as Reply['headers'],
    text: response.body,
    json: parsed(response.body),
  };
  assertContract(`${method} ${url.split('?')[0]}`, reply);
  return reply;
}

function parsed(text: string): JsonBody {
  try {
    return JSON.parse(text) as JsonBody;
  } catch {
    return {};
  }
}

/** Every answer has a request id and an explicit Cache-Control; errors are Problems; bodies fit the schema. */
function assertContract(operationName: string, { status, headers, text, json }: Reply): void {
  assert.match(headers['x-request-id'] ?? '', /^[A-Za-z0-9._-]{1,128}$/);
  assert.ok(headers['cache-control'], 'Cache-Control is always set');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  if (status >= 400) {
    assert.equal(headers['content-type'], 'application/problem+json');
    if (text === '') return;
    assertProblem(status, headers, json);
    return;
  }
  const check = responseChecks.get(operationName);
  if (check === undefined || status !== 200) return;
  assert.match(headers['content-type'] ?? '', /^application\/json/);
  assert.ok(check(json), `${operationName}: ${ajv.errorsText(check.errors)} in ${text}`);
}

/** The body of an error agrees with its status, its page and its request id. */
export function assertProblem(status: number, headers: Reply['headers'], json: JsonBody): void {
  assert.ok(isProblem(json), ajv.errorsText(isProblem.errors));
  const problem = json as Problem;
  assert.equal(problem.status, status);
  assert.equal(problem.type, `${PUBLIC_URL}/problems/${String(problem.code)}`);
  assert.equal(problem.requestId, headers['x-request-id']);
  assert.ok((problem.detail ?? '').length > 0);
}

/** One ether sold for USDC. */
const TRADE = {
  tokenIn: TOKENS.weth,
  tokenOut: TOKENS.usdc,
  tradeType: 'EXACT_IN',
  amount: '1000000000000000000',
} as const;

/** A quote's URL with parameters replaced; undefined removes a parameter. */
export function quoteUrl(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters: typeof changes = { chainId: String(CHAIN_ID), ...TRADE, ...changes };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return `/v1/quote?${query}`;
}

/** A swap's body with members replaced; undefined removes a member. */
export function swapBody(changes: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { chainId: CHAIN_ID, ...TRADE, slippageBps: 50, ...changes };
}

/** Pointers of the errors that a problem lists. */
export function pointersOf({ json }: Reply): readonly string[] {
  return ((json as Problem).errors ?? []).map(({ pointer }) => pointer);
}
