// Blocks are mined, reorganised and rolled back. Every answer over HTTP is derived from a block that was canonical, or
// says that the market is stale.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CanonicalBlocks,
  createRandom,
  createTraffic,
  keepCanonicalBlocks,
  startTestChain,
  startTestDatabase,
  type TestChain,
  type Traffic,
} from '@fairway/testing';
import { runs } from '@fairway/testing/properties';
import type { Quote } from '@fairway/wire';
import { writeConfig } from './configHarness.ts';
import { basic } from './harness.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { runFairway, startFairway, type StartedService } from './commandHarness.ts';

const OPERATIONS = runs(40);
const random = createRandom();
let chain: TestChain;
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let service: StartedService;
let traffic: Traffic;
let authorization: string;
let canonical: CanonicalBlocks;

before(async () => {
  [chain, database] = await Promise.all([startTestChain(), startTestDatabase()]);
  const { host, user, database: name } = database.connection;
  const env = { DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}` };
  traffic = await createTraffic(chain, random);
  // Mines blocks, so that no reorg takes back the approvals of the traders.
  await chain.rpc('anvil_mine', ['0x40']);
  canonical = await keepCanonicalBlocks(chain);
  await canonical.note();
  const config = writeConfig(chain, freshFolder());
  service = await startFairway(['--port', '0', '--config', config], env);
  const create = ['credentials', 'create', '--organisation', 'Storm', '--environment', 'production'];
  const { username, password } = JSON.parse((await runFairway([...create, '--json'], env)).printed);
  authorization = basic(username, password);
  while ((await ask()).status !== 200) await sleep(20);
});
after(async () => {
  await endEverything();
  canonical?.stop();
  await chain?.close();
  await database?.close();
});

async function ask(): Promise<{ status: number; body: unknown }> {
  const query = new URLSearchParams({
    chainId: String(chain.chainId),
    tokenIn: chain.tokens[0]?.address ?? '',
    tokenOut: chain.tokens[1]?.address ?? '',
    tradeType: 'EXACT_IN',
    amount: String(10n ** 17n),
  });
  const response = await fetch(`${service.ready.url}/v1/quote?${query}`, { headers: { authorization } });
  return { status: response.status, body: await response.json() };
}

async function disturb(): Promise<void> {
  const depth = random.integer(1, 40);
  if (random.integer(1, 2) === 1) {
    await chain.rpc('anvil_reorg', [depth, []]);
    return;
  }
  await chain.rpc('anvil_rollback', [depth]);
  await chain.rpc('anvil_mine', [`0x${(depth + 1).toString(16)}`]);
}

test(`every answer during reorgs is of a block that was canonical (FC_SEED=${random.seed})`, async () => {
  const answered: { hash: string; number: number }[] = [];
  const statuses = new Map<number, number>();
  let storming = true;
  async function sample(): Promise<void> {
    while (storming) {
      const { status, body } = await ask();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 200) {
        const { route, asOf } = body as Quote;
        answered.push({ hash: route?.blockHash ?? '', number: asOf.blockNumber ?? -1 });
      }
      await sleep(2);
    }
  }
  const sampling = [sample(), sample()];
  for (let operation = 0; operation < OPERATIONS; operation++) {
    await (random.integer(1, 8) === 1 ? disturb() : traffic.trade());
    await canonical.note();
  }
  storming = false;
  await Promise.all(sampling);
  await canonical.note();
  // Announcements of blocks may still be on their way.
  await sleep(500);
  const unknown = answered.filter(({ hash, number }) => canonical.numberOf(hash) !== number);
  const distinct = new Set(answered.map(({ hash }) => hash)).size;
  console.log(`${answered.length} quotes over ${distinct} blocks, statuses`, Object.fromEntries(statuses));
  assert.deepEqual(unknown, []);
  assert.ok(distinct > OPERATIONS / 8, `only ${distinct} different blocks were quoted`);
  assert.deepEqual(
    [...statuses.keys()].filter((status) => status !== 200 && status !== 503),
    [],
  );
});
