// `fairway quote --at-block HASH` gives the quote that /v1/quote gave at this block, leg by leg and wei by wei, after
// any number of later trades. The quotes have both trade types and all limits; pools are new or lose liquidity.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createRandom,
  createTraffic,
  startTestChain,
  startTestDatabase,
  type TestChain,
  type Traffic,
} from '@fairway/testing';
import { runs } from '@fairway/testing/properties';
import type { Quote } from '@fairway/wire';
import { CommandError } from '../src/cli/commandError.ts';
import { quoteCommand } from '../src/cli/trading/quote.ts';
import { writeConfig } from './configHarness.ts';
import { basic } from './harness.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { runFairway, startFairway, type StartedService, testTerminal } from './commandHarness.ts';

const { terminal } = testTerminal();

const ROUNDS = runs(2);
const QUOTES_PER_ROUND = 8;
const random = createRandom();
let chain: TestChain;
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let service: StartedService;
let traffic: Traffic;
let authorization: string;
let config: string;

before(async () => {
  [chain, database] = await Promise.all([startTestChain(), startTestDatabase()]);
  const { host, user, database: name } = database.connection;
  const env = { DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}` };
  traffic = await createTraffic(chain, random);
  config = writeConfig(chain, freshFolder(), { staleAfterSeconds: 60 });
  service = await startFairway(['--port', '0', '--config', config], env);
  const login = ['--organisation', 'Audit', '--environment', 'production', '--json'];
  const made = await runFairway(['credentials', 'create', ...login], env);
  const { username, password } = JSON.parse(made.printed);
  authorization = basic(username, password);
});
after(async () => {
  await endEverything();
  await chain?.close();
  await database?.close();
});

type Asked = Record<string, string>;
type Answer = { status: number; body: Quote & { code?: string } };

async function ask(asked: Asked): Promise<Answer> {
  const query = new URLSearchParams({ chainId: String(chain.chainId), ...asked });
  const response = await fetch(`${service.ready.url}/v1/quote?${query}`, { headers: { authorization } });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

function randomRequest(): Asked {
  const tokenIn = random.pick(chain.tokens);
  const tokenOut = random.pick(chain.tokens.filter((token) => token !== tokenIn));
  const tradeType = random.pick(['EXACT_IN', 'EXACT_OUT']);
  const { decimals } = tradeType === 'EXACT_IN' ? tokenIn : tokenOut;
  const exponent = Math.max(0, decimals + random.integer(-7, 2));
  return {
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    tradeType,
    amount: String(BigInt(random.integer(1, 100_000)) * 10n ** BigInt(exponent)),
    ...random.pick([{}, { maxHops: String(random.integer(1, 3)) }]),
    ...random.pick<Asked>([{}, { maxSplits: String(random.integer(1, 16)) }]),
    ...random.pick<Asked>([{}, {}, { excludeSources: random.pick(['uniswap-v2', 'uniswap-v3']) }]),
  };
}

/** The same request on the command line. */
function argumentsOf(asked: Asked): string[] {
  const options: [string, string | undefined][] = [
    ['--config', config],
    ['--in', asked.tokenIn],
    ['--out', asked.tokenOut],
    ['--amount', asked.amount],
    ['--max-hops', asked.maxHops],
    ['--max-splits', asked.maxSplits],
    ['--exclude-sources', asked.excludeSources],
  ];
  const given = options.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  return [...given, ...(asked.tradeType === 'EXACT_OUT' ? ['--exact-out'] : []), '--json'];
}

/** The priority fee that the service had heard of: it is not asked for at the block. */
function priorityFeeOf({ fees }: Answer['body']): string[] {
  const fee = fees?.gas.priorityFeePerGas;
  return fee === undefined ? [] : ['--priority-fee', fee];
}

/** A quote of the service without its times. */
function timeless({ asOf, expiresAt: _, ...rest }: Quote): object {
  return { asOf: { blockNumber: asOf.blockNumber }, ...rest };
}

async function serviceAt(hash: string): Promise<void> {
  const probe = { tokenIn: chain.tokens[0]?.address ?? '', tokenOut: chain.tokens[1]?.address ?? '' };
  for (;;) {
    const { body } = await ask({ ...probe, tradeType: 'EXACT_IN', amount: String(10n ** 17n) });
    if (body.route?.blockHash === hash) return;
    await sleep(5);
  }
}

const tally: Record<string, number> = {};
function count(what: string): void {
  tally[what] = (tally[what] ?? 0) + 1;
}

async function compare(asked: Asked, answered: Answer, hash: string): Promise<void> {
  const args = [...argumentsOf(asked), '--at-block', hash, ...priorityFeeOf(answered.body)];
  if (answered.status === 200) {
    assert.equal(answered.body.route?.blockHash, hash);
    assert.deepEqual(
      JSON.parse(await quoteCommand(args, terminal)),
      timeless(answered.body),
      JSON.stringify(asked),
    );
    count(asked.tradeType ?? '');
    count((answered.body.route?.paths.length ?? 0) > 1 ? 'split' : 'one path');
    if (answered.body.route?.optimality !== undefined) count('bounded');
    return;
  }
  assert.equal(answered.status, 400, JSON.stringify(answered.body));
  const expected = answered.body.code?.toUpperCase().replaceAll('-', '_');
  const isSame = (error: unknown) => error instanceof CommandError && error.code === expected;
  await assert.rejects(quoteCommand(args, terminal), isSame, `${expected}: ${JSON.stringify(asked)}`);
  count('refused alike');
}

test(`the command gives the service's quotes of ${ROUNDS} past blocks (FC_SEED=${random.seed})`, async () => {
  const recorded: { asked: Asked; answered: Answer; hash: string }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let trade = 0; trade < 6; trade++) await traffic.trade();
    const { hash } = await chain.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
    await serviceAt(hash);
    for (let quote = 0; quote < QUOTES_PER_ROUND; quote++) {
      const asked = randomRequest();
      recorded.push({ asked, answered: await ask(asked), hash });
    }
  }
  for (const { asked, answered, hash } of recorded) await compare(asked, answered, hash);
  console.log(tally);
  for (const shape of ['EXACT_IN', 'EXACT_OUT', 'split', 'one path', 'bounded', 'refused alike'])
    assert.ok((tally[shape] ?? 0) > 0, `no quote of this shape was seen: ${shape}`);
});

test('without --at-block the latest block is quoted', async () => {
  await chain.rpc('anvil_mine', ['0x1']);
  const { hash } = await chain.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
  await serviceAt(hash);
  const asked = { ...randomRequest(), amount: String(10n ** 9n) };
  const { status, body } = await ask(asked);
  if (status !== 200) return;
  assert.deepEqual(
    JSON.parse(await quoteCommand([...argumentsOf(asked), ...priorityFeeOf(body)], terminal)),
    timeless(body),
  );
});

test('a block that a reorganisation replaced, or of another chain, is refused and named', async () => {
  const { hash } = await chain.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
  const args = argumentsOf({ ...randomRequest(), amount: '1000000' });
  await chain.rpc('anvil_reorg', [1, []]);
  await assert.rejects(
    quoteCommand([...args, '--at-block', hash], terminal),
    (error) => error instanceof CommandError && /^BLOCK_(UNKNOWN|NOT_CANONICAL)$/.test(error.code),
  );
  await assert.rejects(quoteCommand([...args, '--at-block', `0x${'ab'.repeat(32)}`], terminal), {
    code: 'BLOCK_UNKNOWN',
  });
});
