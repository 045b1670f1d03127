// Every problem that the service documents is provoked over HTTP on a whole service. Callers see a Problem that has a
// page, names the wrong fields and shows no internals.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AskNode, nodeAt, startTestDatabase } from '@fairway/testing';
import { PROBLEM_CODES, PROBLEMS, type Problem, type ProblemCode, type Sandbox } from '@fairway/wire';
import { undeclaredWith } from './describedHeaders.ts';
import { basic, postOf } from './harness.ts';
import { PUBLIC_URL, startHarness } from './httpHarness.ts';
import { type Login, makeLogin, urlOf } from './paymentCalls.ts';
import { paymentProvocations } from './paymentProvocations.ts';
import { tokenProvocations } from './tokenProvocations.ts';
import { openClient, PROVOKED_ELSEWHERE, type Provocation, type Reply } from './provocation.ts';
import { endEverything } from './processHarness.ts';
import { NATIVE_TOKEN } from './wallet.ts';
import { whileReservesDiffer } from './wrongReserves.ts';
import { startFairway, type StartedService } from './commandHarness.ts';

let database: Awaited<ReturnType<typeof startTestDatabase>>;
let service: StartedService;
let sandbox: Omit<Sandbox, 'routers'> & { routers: { swapRouter02: string } };
let marketsOnly: Login;
/** A credential that may do everything. The demo credential may not approve. */
let maker: Login;
let unfinished: Promise<Reply>;
/** An account that refuses native currency. */
const refuser = `0x${'c0'.repeat(20)}`;
const unlisted = { chainId: 31337, address: refuser };
const strangerNamed = (digit: string) => basic(`cred_${digit.repeat(32)}`, 'x');
const stranger = strangerNamed('0');

before(async () => {
  database = await startTestDatabase();
  const databaseUrl = urlOf(database.connection);
  service = await startFairway(['--port', '0'], { DATABASE_URL: databaseUrl });
  unfinished = speak('GET /livez HTTP/1.1\r\nHost: localhost\r\n');
  marketsOnly = await makeLogin({ databaseUrl }, 'Acme', 'markets:read');
  maker = await makeLogin({ databaseUrl }, 'Sandbox demo');
  sandbox = JSON.parse((await ask('/v1/sandbox')).text);
  await allServed();
});
after(async () => {
  await endEverything();
  await database?.close();
});

const rpc: AskNode = (method, params) => nodeAt(service.ready.rpcUrl)(method, params);
const everything = () => basic(maker.username, maker.password);

/** A request with a credential that may do everything, unless the headers name another. */
async function ask(path: string, init: RequestInit = {}): Promise<Reply> {
  const headers = { authorization: everything(), ...(init.headers as Record<string, string>) };
  const response = await fetch(`${service.ready.url}${path}`, { ...init, headers });
  return { status: response.status, headers: new Map(response.headers), text: await response.text() };
}

/** Sends a text as raw bytes and reads until the service closes the connection: one response. */
async function speak(text: string): Promise<Reply> {
  const { hostname, port } = new URL(service.ready.url);
  const socket = connect(Number(port), hostname);
  socket.write(text);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const replies = repliesIn(Buffer.concat(chunks).toString('utf8'));
  assert.equal(replies.length, 1, JSON.stringify(replies));
  return replies[0] ?? assert.fail();
}

function repliesIn(text: string): Reply[] {
  const replies: Reply[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at);
    const [statusLine = '', ...lines] = text.slice(at, end).split('\r\n');
    const pairs = lines.map((line) => line.split(/:\s*/, 2) as [string, string]);
    const headers = new Map(pairs.map(([name, value]) => [name.toLowerCase(), value]));
    at = end + 4 + Number(headers.get('content-length'));
    replies.push({ status: Number(statusLine.split(' ')[1]), headers, text: text.slice(end + 4, at) });
  }
  return replies;
}

const addressOf = (symbol: string) => sandbox.tokens.find((token) => token.symbol === symbol)?.address ?? '';

function trade(changes: Record<string, unknown> = {}) {
  return {
    chainId: 31337,
    tokenIn: addressOf('WETH'),
    tokenOut: addressOf('USDC'),
    tradeType: 'EXACT_IN',
    amount: '1000000000000000000',
    ...changes,
  };
}

const swap = (changes?: Record<string, unknown>) => ask('/v1/swap', postOf(trade(changes)));
const HUGE = String(10n ** 30n);
const tooLarge = (when: string, changes: object) =>
  ({ when, ask: () => swap({ ...changes }), pointers: ['/amount'] }) as const;
const swapText = (body: string | Uint8Array<ArrayBuffer>, headers = {}) =>
  ask('/v1/swap', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
const quote = (changes?: Record<string, unknown>) => {
  const query = Object.entries(trade(changes)).map(([name, value]) => [name, String(value)]);
  return ask(`/v1/quote?${new URLSearchParams(query)}`);
};
const as = (authorization: string) => ({ headers: { authorization } });
/** A well-formed raw request with that credential. */
const raw = (line: string, ...headers: string[]) =>
  speak(`${line}\r\nAuthorization: ${everything()}\r\nConnection: close\r\n${headers.join('\r\n')}\r\n\r\n`);

const RETRY = { 'retry-after': /^[1-9]\d*$/ };

const requests = {
  'validation-failed': [
    {
      when: 'several fields are wrong at once',
      ask: () => swap({ amount: '1.5', slippageBps: 5001, recipient: 'me', slippageBp: 1 }),
      pointers: ['/slippageBp', '/amount', '/slippageBps', '/recipient'],
    },
    {
      when: 'query parameters are wrong',
      ask: () => quote({ maxHops: 0, amount: '0' }),
      pointers: ['/query/amount', '/query/maxHops'],
    },
    {
      when: 'the recipient is the router',
      ask: () => swap({ recipient: sandbox.routers.swapRouter02 }),
      pointers: ['/recipient'],
    },
    {
      when: 'the recipient is reserved',
      ask: () => swap({ recipient: `0x${'0'.repeat(39)}2` }),
      pointers: ['/recipient'],
    },
    {
      when: 'the clock is turned back',
      ask: () => ask('/v1/sandbox/clock', postOf({ advance: '-PT1S' })),
      pointers: ['/advance'],
    },
    { when: 'the body is a list', ask: () => swapText('[]'), pointers: [''] },
  ],
  'malformed-json': [
    { when: 'the body is empty', ask: () => swapText('') },
    { when: 'the body has a duplicate name', ask: () => swapText('{"a":1,"\\u0061":2}'), pointers: ['/a'] },
    { when: 'the body is nested too deeply', ask: () => swapText('['.repeat(33) + ']'.repeat(33)) },
    { when: 'the body is not UTF-8', ask: () => swapText(Uint8Array.from([0x22, 0xff, 0x22])) },
  ],
  'malformed-request': [
    { when: 'the request is not HTTP', ask: () => speak('GET / HTTP/9.9\r\n\r\n') },
    { when: 'a header is malformed', ask: () => speak('GET /livez HTTP/1.1\r\nHost x\r\n\r\n') },
    { when: 'Host is missing', ask: () => raw('GET /health HTTP/1.1') },
    { when: 'a percent-encoding is malformed', ask: () => raw('GET /v1/%zz HTTP/1.1', 'Host: localhost') },
    {
      when: 'the request asks for a proxy',
      ask: () => speak('CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    },
    {
      when: 'two lengths contradict each other',
      ask: () => raw('POST /v1/swap HTTP/1.1', 'Host: localhost', 'Content-Length: 2', 'Content-Length: 3'),
    },
  ],
  'request-timeout': [{ when: 'the headers never end', ask: () => unfinished }],
  'body-too-large': [
    { when: 'the body is declared too large', ask: () => swapText(' '.repeat(65_537)) },
    {
      when: 'the chunks of the body add up to too many bytes',
      ask: () =>
        raw(
          'POST /v1/swap HTTP/1.1',
          'Host: localhost',
          'Content-Type: application/json',
          `Transfer-Encoding: chunked\r\n\r\n10001\r\n${' '.repeat(0x10001)}\r\n0`,
        ),
    },
  ],
  'unsupported-media-type': [
    { when: 'the body is a form', ask: () => ask('/v1/swap', { method: 'POST', body: 'a=b' }) },
    {
      when: 'the charset is not UTF-8',
      ask: () => swapText('{}', { 'content-type': 'application/json; charset=latin1' }),
    },
    { when: 'the body is compressed', ask: () => swapText('{}', { 'content-encoding': 'gzip' }) },
  ],
  'headers-too-large': [
    {
      when: 'a header is too large',
      ask: () => raw('GET / HTTP/1.1', 'Host: localhost', `X: ${'x'.repeat(17_000)}`),
    },
    { when: 'the URL is too long', ask: () => raw(`GET /${'x'.repeat(17_000)} HTTP/1.1`, 'Host: localhost') },
  ],
} as const satisfies Partial<Record<ProblemCode, readonly Provocation[]>>;

const markets = {
  'unknown-chain': [
    { when: 'of a quote', ask: () => quote({ chainId: 1 }), pointers: ['/query/chainId'], detail: /\b1\b/ },
    { when: 'of a swap', ask: () => swap({ chainId: 1 }), pointers: ['/chainId'] },
  ],
  'unknown-token': [
    {
      when: 'neither token is listed',
      ask: () => quote({ tokenIn: refuser, tokenOut: sandbox.routers.swapRouter02 }),
      pointers: ['/query/tokenIn', '/query/tokenOut'],
    },
    {
      when: 'the faucet does not have the token',
      ask: () => ask('/v1/sandbox/faucet', postOf({ address: refuser, asset: unlisted, amount: '1' })),
      pointers: ['/asset/address'],
    },
  ],
  'same-token': [
    { when: 'one token is named twice', ask: () => quote({ tokenOut: addressOf('WETH').toLowerCase() }) },
    {
      when: 'both addresses stand for native currency',
      ask: () => swap({ tokenIn: NATIVE_TOKEN, tokenOut: `0x${'0'.repeat(40)}` }),
    },
  ],
  'no-route': [
    { when: 'every source is excluded', ask: () => swap({ excludeSources: ['uniswap-v2', 'uniswap-v3'] }) },
    {
      when: 'one hop is not enough',
      ask: () => quote({ tokenIn: addressOf('LINK'), tokenOut: addressOf('tAUD'), maxHops: 1 }),
    },
  ],
  'insufficient-liquidity': [
    tooLarge('the exact output is more than the pools hold', { tradeType: 'EXACT_OUT', amount: HUGE }),
  ],
  'amount-out-of-range': [
    {
      when: 'the amount buys less than one unit',
      ask: () => quote({ tokenIn: addressOf('DAI'), amount: '1' }),
      pointers: ['/query/amount'],
    },
    {
      when: 'the faucet would overflow balances',
      ask: () =>
        ask('/v1/sandbox/faucet', postOf({ address: refuser, native: true, amount: String(10n ** 60n) })),
      pointers: ['/amount'],
    },
  ],
  'price-impact-too-high': [{ ...tooLarge('a huge sale', { amount: HUGE }), detail: /\d+ bps/ }],
  'simulation-failed': [
    {
      when: 'the recipient refuses native currency',
      ask: () =>
        swap({ tokenIn: addressOf('USDC'), tokenOut: NATIVE_TOKEN, amount: '1000000', recipient: refuser }),
      detail: /^The swap would revert: STE$/,
    },
  ],
} as const satisfies Partial<Record<ProblemCode, readonly Provocation[]>>;

const access = {
  unauthorized: [
    {
      when: 'no login',
      ask: () => speak('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    },
    { when: 'a stranger asks', ask: () => ask('/v1/markets/chains', as(stranger)) },
    { when: 'a path that does not exist is asked for', ask: () => ask('/v1/nothing', as(stranger)) },
  ].map((provocation) => ({ ...provocation, headers: { 'www-authenticate': /^Basic realm="fairway"/ } })),
  forbidden: [
    {
      when: 'the credential has another permission',
      ask: () => ask('/v1/quote', as(basic(marketsOnly.username, marketsOnly.password))),
      detail: /\bquotes:read\b/,
    },
  ],
  'not-found': [
    { when: 'the path does not exist', ask: () => ask('/v1/quotes') },
    { when: 'the path ends in a slash', ask: () => ask('/v1/quote/') },
    { when: 'there is no such problem', ask: () => ask('/problems/none') },
  ],
  'method-not-allowed': [
    {
      when: 'a quote is posted',
      ask: () => ask('/v1/quote', { method: 'POST' }),
      headers: { allow: /^GET, HEAD$/ },
    },
    { when: 'a swap is fetched', ask: () => ask('/v1/swap'), headers: { allow: /^POST$/ } },
    {
      when: 'the method is unusual',
      ask: () => raw('PROPFIND /health HTTP/1.1', 'Host: localhost'),
      headers: { allow: /GET/ },
    },
  ],
  'rate-limited': [
    { when: 'an address fails to log in too often', ask: failTooOften, headers: RETRY },
    { when: 'a credential asks too often', ask: askTooOften, headers: RETRY },
  ],
} as const satisfies Partial<Record<ProblemCode, readonly Provocation[]>>;

const server = {
  internal: [
    {
      when: 'a table of the database is missing',
      ask: () =>
        askBetween(
          'ALTER TABLE credentials RENAME TO lost',
          stranger,
          'ALTER TABLE lost RENAME TO credentials',
        ),
    },
  ],
  'market-stale': [
    { when: 'the node hangs', ask: () => whileStopped(() => until503(quote)), headers: RETRY },
  ],
  'market-mismatch': [
    {
      when: 'a pair has other reserves than its logs said',
      ask: () => whileReservesDiffer(rpc, swap),
      headers: RETRY,
    },
  ],
  'simulation-unavailable': [
    { when: 'the node hangs while a swap is simulated', ask: () => whileStopped(swap), headers: RETRY },
  ],
  'upstream-unavailable': [
    {
      when: 'the database does not answer and the credential is not remembered',
      ask: () => askBetween('BEGIN; LOCK TABLE credentials', strangerNamed('1'), 'ROLLBACK'),
      headers: RETRY,
    },
    {
      when: 'the node dies while the faucet waits for it',
      ask: () =>
        whileKilled(() => ask('/v1/sandbox/faucet', postOf({ address: refuser, native: true, amount: '1' }))),
      headers: RETRY,
    },
    {
      when: 'the node dies while the clock waits for it',
      ask: () => whileKilled(() => ask('/v1/sandbox/clock', postOf({ advance: 'PT1S' }))),
      headers: RETRY,
    },
  ],
  overloaded: [
    {
      when: 'many swaps wait for a node that hangs',
      ask: () => whileStopped(flood),
      headers: RETRY,
    },
  ],
} as const satisfies Partial<Record<ProblemCode, readonly Provocation[]>>;

const tables: readonly Partial<Record<ProblemCode, readonly Provocation[]>>[] = [
  requests,
  markets,
  access,
  server,
  ...paymentProvocations(ask, whileDone),
  tokenProvocations(rpc, addressOf, { quote, swap }),
];

/** Asks a service that allows one request a second. The sandbox allows more than a busy machine answers in a second. */
async function askTooOften(): Promise<Reply> {
  const limits = { requestsPerSecond: 1, failedLoginsPerMinute: 100 };
  const { call, close } = await startHarness({ limits });
  let reply = await call({ url: '/health' });
  for (let tries = 0; tries < 100 && reply.status === 200; tries++) reply = await call({ url: '/health' });
  await close();
  const headers = new Map(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]));
  return { ...reply, headers, text: reply.text.replace(PUBLIC_URL, service.ready.url) };
}

async function failTooOften(): Promise<Reply> {
  const answers = [];
  for (let tries = 0; tries < 101; tries++) answers.push(await ask('/health', as(stranger)));
  assert.equal((await ask('/health')).status, 200, 'a caller who has logged in before is not locked out');
  return answers.at(-1) ?? assert.fail();
}

/** Changes the database with `sql`, asks, and changes it back with `undo`. */
async function whileDone(sql: string, question: () => Promise<Reply>, undo: string): Promise<Reply> {
  const client = await openClient(database.connection);
  await client.query(sql);
  try {
    return await question();
  } finally {
    await client.query(undo);
    await client.end();
  }
}

const askBetween = (sql: string, authorization: string, undo: string) =>
  whileDone(sql, () => ask('/v1/markets/chains', as(authorization)), undo);

/** The id of the node's process. */
function chain(): number {
  const isNode = (pid: number) => commandOf(pid).includes('bin/anvil');
  return service.family().find(isNode) ?? assert.fail('No node runs');
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Asks while the node hangs, then lets the node run again. */
async function whileStopped(question: () => Promise<Reply>): Promise<Reply> {
  const node = chain();
  process.kill(node, 'SIGSTOP');
  const reply = await question().finally(() => process.kill(node, 'SIGCONT'));
  await allServed();
  return reply;
}

/** Asks while the node hangs, then kills the node: the request fails, and another node is started. */
async function whileKilled(question: () => Promise<Reply>): Promise<Reply> {
  const node = chain();
  process.kill(node, 'SIGSTOP');
  const reply = question();
  // On a busy machine it takes a while until the request waits at this node and not at the one that is started next.
  await sleep(1_000);
  process.kill(node, 'SIGKILL');
  await reply;
  await allServed();
  return reply;
}

/**
 * Waits until quotes and swaps have worked for half a second without a break. After the node was started again, the
 * follower serves its old market until it sees the new head, and then reads the market again.
 */
async function allServed(): Promise<void> {
  for (let served = 0; served < 10; ) {
    served = (await swap()).text.includes('"PASSED"') ? served + 1 : 0;
    await sleep(50);
  }
  await rpc('anvil_setCode', [refuser, '0x60006000fd']);
}

async function until503(question: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await question();
    if (reply.status === 503) return reply;
    assert.equal(reply.status, 200, reply.text);
    await sleep(50);
  }
}

async function flood(): Promise<Reply> {
  const replies = await Promise.all(Array.from({ length: 150 }, () => swap()));
  const codes = replies.map(({ text }) => (JSON.parse(text) as Problem).code);
  assert.ok(
    codes.includes('simulation-unavailable'),
    `up to its capacity the service asks the node: ${codes}`,
  );
  return replies[codes.indexOf('overloaded')] ?? assert.fail('Nothing was refused');
}

const MEMBERS = /^(type|title|status|detail|code|errors|requestId|revision|acknowledge)$/;
/** Internal words that no caller may see. */
const INSIDE =
  /node_modules|\bat \S+ \(|\.[jt]s\b|Error:|\bE(?:CONN|PIPE|NOENT|TIMED)|\bsockets?\b|postgres|kysely|\bSQL\b|relation|\blost\b|anvil|viem|[Ff]astify|127\.0\.0\.1|\/tmp\/|eth_/;

async function assertExplained(code: ProblemCode, provocation: Provocation, reply: Reply): Promise<void> {
  const { status, headers, text } = reply;
  const { title, status: documented } = PROBLEMS[code];
  assert.equal(status, documented, text);
  assert.equal(headers.get('content-type'), 'application/problem+json');
  const problem = JSON.parse(text) as Problem;
  assert.deepEqual(
    Object.keys(problem).filter((name) => !MEMBERS.test(name)),
    [],
  );
  assert.partialDeepStrictEqual(problem, { code, title, status });
  assert.match(problem.detail ?? '', provocation.detail ?? /^\S+ .+(?:\.|: .+)$/);
  assert.ok((problem.requestId ?? '') !== '' && problem.requestId === headers.get('x-request-id'));
  const pointers = problem.errors?.map(({ pointer }) => pointer) ?? [];
  assert.deepEqual(pointers.toSorted(), (provocation.pointers ?? []).toSorted());
  for (const { detail } of problem.errors ?? []) assert.match(detail, /\S/);
  assert.deepEqual(undeclaredWith(code, [...headers.keys()]), []);
  for (const [name, shape] of Object.entries(provocation.headers ?? {})) {
    assert.match(headers.get(name) ?? '', shape, name);
  }
  assert.doesNotMatch(JSON.stringify({ ...problem, type: '', requestId: '' }), INSIDE);
  const page = await fetch(problem.type);
  assert.equal(page.status, 200, problem.type);
  const html = (await page.text()).replaceAll('&#39;', "'");
  assert.ok(html.includes(title) && html.includes(code), `${problem.type} explains it`);
}

// Too many logins come last, because a locked out address gets no other answer.
const ordered = [...PROBLEM_CODES].sort(
  (a, b) => Number(a === 'rate-limited') - Number(b === 'rate-limited'),
);
for (const code of ordered) {
  const known = tables.flatMap((table) => table[code] ?? []);
  for (const provocation of known) {
    test(`${code}: ${provocation.when}`, async () => {
      await assertExplained(code, provocation, await provocation.ask());
    });
  }
  if (known.length === 0 && !PROVOKED_ELSEWHERE.includes(code))
    test(`${code} is provoked`, () => assert.fail('No test here provokes this problem'));
}
