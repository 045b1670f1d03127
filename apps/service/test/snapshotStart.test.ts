// A service with a data folder starts with the market of its last run and the trades since. A file that cannot be
// used is logged; then the market is read as without a file.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
import type { Health, Quote } from '@fairway/wire';
import { writeConfig } from './configHarness.ts';
import { basic } from './harness.ts';
import { endEverything, freshFolder, runToEnd, type ServiceProcess, startProcess } from './processHarness.ts';

const fairway = [process.execPath, 'apps/service/src/main.ts'];
const random = createRandom();
let chain: TestChain;
let traffic: Traffic;
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let env: NodeJS.ProcessEnv;
let authorization: string;
let data: string;
let file: string;

before(async () => {
  [chain, database] = await Promise.all([startTestChain(), startTestDatabase()]);
  const { host, user, database: name } = database.connection;
  env = { DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}` };
  traffic = await createTraffic(chain, random);
  data = join(freshFolder(), 'data');
  file = join(data, `market-${chain.chainId}.snapshot`);
  const args = ['credentials', 'create', '--organisation', 'Acme', '--environment', 'production', '--json'];
  const { printed } = await runToEnd([...fairway, ...args], env);
  const login = JSON.parse(printed) as { username: string; password: string };
  authorization = basic(login.username, login.password);
});
after(async () => {
  await endEverything();
  await chain?.close();
  await database?.close();
});

function start(args: readonly string[], changes: object = {}): Promise<ServiceProcess> {
  const config = writeConfig(chain, freshFolder(), changes);
  return startProcess(
    ['--port', '0', '--log-level', 'debug', '--config', config, ...args],
    [...fairway, 'start'],
    env,
  );
}

async function stop(service: ServiceProcess): Promise<void> {
  service.child.kill('SIGTERM');
  assert.equal(await service.ended, 0);
}

type LogLine = { msg: string; detail?: string; level: number } & Readonly<Record<string, unknown>>;

function logOf(service: ServiceProcess): LogLine[] {
  return service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);
}

async function logged(service: ServiceProcess, says: RegExp): Promise<LogLine> {
  for (let tries = 0; tries < 400; tries++) {
    const found = logOf(service).find(({ msg }) => says.test(msg));
    if (found !== undefined) return found;
    await sleep(25);
  }
  return assert.fail(`It was never logged that ${says}:\n${service.output()}`);
}

/** The quote or the refusal of every pair of the first tokens, at the chain's latest block. */
async function quotesOf(service: ServiceProcess): Promise<unknown[]> {
  const quotes: unknown[] = [];
  const block = Number(await chain.rpc<string>('eth_blockNumber'));
  const tokens = chain.tokens.slice(0, 4).map(({ address }) => address);
  await standsAt(service, block);
  for (const tokenIn of tokens) {
    for (const tokenOut of tokens.filter((token) => token !== tokenIn)) {
      const chainId = String(chain.chainId);
      const query = { chainId, tokenIn, tokenOut, tradeType: 'EXACT_IN', amount: String(10n ** 17n) };
      const answer = await fetch(`${service.ready.url}/v1/quote?${new URLSearchParams(query)}`, {
        headers: { authorization },
      });
      const body = (await answer.json()) as Quote & { code?: string };
      quotes.push([tokenIn, tokenOut, body.amountOut ?? body.code]);
    }
  }
  assert.ok(quotes.length > 0);
  return quotes;
}

async function standsAt(service: ServiceProcess, block: number): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const answer = await fetch(`${service.ready.url}/health`, { headers: { authorization } });
    const { chains } = (await answer.json()) as Health;
    if (chains[0]?.status === 'OK' && chains[0].head?.number === block) return;
    await sleep(25);
  }
  assert.fail(`The market never stood at block ${block}:\n${service.output()}`);
}

async function trade(count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) await traffic.trade();
}

const RESTORED = /restored from its snapshot/;
const DISCARDED = /snapshot of the market is not used/;
const READ = /market is read/;

test(`a restarted service quotes like a fresh one after trades (FC_SEED=${random.seed})`, async () => {
  const first = await start(['--data', data]);
  await logged(first, READ);
  await trade(5);
  await quotesOf(first);
  await stop(first);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await trade(20);
  const second = await start(['--data', data]);
  const { compared, pools } = await logged(second, RESTORED);
  assert.equal(compared, Math.min(64, Number(pools)));
  const fresh = await start([]);
  await logged(fresh, READ);
  assert.deepEqual(await quotesOf(second), await quotesOf(fresh));
  assert.equal(
    logOf(second).some(({ msg }) => READ.test(msg)),
    false,
  );
  await stop(second);
  await stop(fresh);
});

test('a killed service starts from the snapshot that its first start saved', async () => {
  const killed = await start(['--data', data]);
  await logged(killed, /market is saved/);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const service = await start(['--data', data]);
  await logged(service, RESTORED);
  await stop(service);
});

test('a damaged snapshot is logged, the market is read, and the next start has a snapshot', async () => {
  const whole = readFileSync(file);
  for (const damaged of [whole.with(1000, (whole[1000] ?? 0) ^ 4), whole.subarray(0, 5000)]) {
    writeFileSync(file, damaged);
    const service = await start(['--data', data]);
    const line = await logged(service, DISCARDED);
    assert.match(line.detail ?? '', /damaged or cut off: its checksum does not match/);
    assert.equal(line.level, 40);
    await logged(service, READ);
    await stop(service);
  }
  const next = await start(['--data', data]);
  await logged(next, RESTORED);
  await stop(next);
});

test("another configuration's snapshot is not used", async () => {
  const { contracts } = chain;
  const service = await start(['--data', data], {
    factories: [{ kind: 'UNISWAP_V3', name: 'uniswap-v3', address: contracts.v3Factory }],
  });
  assert.match((await logged(service, DISCARDED)).detail ?? '', /other factories/);
  await logged(service, READ);
  await stop(service);
});

test('a reorg below the block of the snapshot is logged, and the market is read', async () => {
  await trade(5);
  const service = await start(['--data', data]);
  await logged(service, READ);
  await quotesOf(service);
  await stop(service);
  await chain.rpc('anvil_reorg', [4, []]);
  const next = await start(['--data', data]);
  assert.match((await logged(next, DISCARDED)).detail ?? '', /not part of the chain/);
  await logged(next, READ);
  await quotesOf(next);
  await stop(next);
});

test('a snapshot that cannot be written is logged, and quotes are served', async () => {
  rmSync(file);
  mkdirSync(`${file}.new`);
  writeFileSync(join(`${file}.new`, 'in-the-way'), '');
  const service = await start(['--data', data]);
  const line = await logged(service, /market cannot be saved/);
  assert.ok((line.detail ?? '').length > 0);
  await quotesOf(service);
  await stop(service);
});
