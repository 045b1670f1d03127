// The service as an operator runs it: a configuration file, chains that others run, a PostgreSQL server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestChain, startTestDatabase, type TestChain } from '@fairway/testing';
import type { Corridor, Health, PaymentPlan, Problem, Quote, SwapPlan } from '@fairway/wire';
import { writeConfig } from './configHarness.ts';
import { basic } from './harness.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { beginFairway, runFairway, startFairway, type StartedService } from './commandHarness.ts';

let chain: TestChain;
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let databaseUrl: string;

before(async () => {
  [chain, database] = await Promise.all([startTestChain(), startTestDatabase()]);
  const { host, user, database: name } = database.connection;
  databaseUrl = `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}`;
});
after(async () => {
  await endEverything();
  await chain?.close();
  await database?.close();
});

function configFile(changes: object = {}, members: object = {}): string {
  const rpcUrls = ['env:TEST_NODE_URL', chain.rpcUrl];
  return writeConfig(chain, freshFolder(), { rpcUrls, ...changes }, members);
}

type Login = { username: string; password: string };

function start(config: string, env: NodeJS.ProcessEnv): Promise<StartedService> {
  return startFairway(['--port', '0', '--config', config], {
    TEST_NODE_URL: chain.wsUrl,
    DATABASE_URL: databaseUrl,
    ...env,
  });
}

async function createCredential(environment: string): Promise<Login> {
  const args = ['credentials', 'create', '--organisation', 'Acme', '--environment', environment, '--json'];
  const { code, output, printed } = await runFairway(args, { DATABASE_URL: databaseUrl });
  assert.equal(code, 0, output);
  return JSON.parse(printed);
}

let production: Promise<Login> | undefined;
/** A credential for production: one is enough for all tests. */
const productionLogin = () => (production ??= createCredential('production'));

async function ask<Body>(service: StartedService, login: Login, path: string, body?: object) {
  const headers = {
    authorization: basic(login.username, login.password),
    'content-type': 'application/json',
  };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${service.ready.url}${path}`, init);
  return { status: response.status, body: (await response.json()) as Body };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if (await holds()) return;
    await sleep(50);
  }
  assert.fail(`It never came true that ${what}`);
}

const trade = () => ({
  chainId: chain.chainId,
  tokenIn: chain.tokens[0]?.address ?? '',
  tokenOut: chain.tokens[1]?.address ?? '',
  tradeType: 'EXACT_IN',
  amount: String(10n ** 17n),
});
const quotePath = () => `/v1/quote?${new URLSearchParams({ ...trade(), chainId: String(chain.chainId) })}`;

async function stop(service: StartedService): Promise<void> {
  assert.equal(await service.stop(), 0);
}

test('migrate brings a database up to date, and a second run has nothing to do', async () => {
  const env = { DATABASE_URL: databaseUrl };
  const [first, second] = [await runFairway(['migrate'], env), await runFairway(['migrate'], env)];
  assert.match(first.output, /^Applied: /);
  assert.equal(second.output, 'The database is up to date.\n');
});

test('configured chains are quoted and planned for production credentials, without a sandbox', async () => {
  const service = await start(configFile(), {});
  const login = await productionLogin();
  assert.deepEqual(Object.keys(service.ready), ['url']);
  await until('the market is there', async () => (await ask(service, login, quotePath())).status === 200);
  const { body: quote } = await ask<Quote>(service, login, quotePath());
  const { body: plan } = await ask<SwapPlan>(service, login, '/v1/swap', trade());
  assert.equal(plan.quote.amountOut, quote.amountOut);
  assert.equal(plan.simulation?.status, 'PASSED');
  assert.equal((await ask(service, login, '/v1/sandbox')).status, 404);
  await assert.rejects(createCredential('sandbox'), /a credential of sandbox would be refused/);
  const metricsUrl = /Metrics +(\S+)/.exec(service.output())?.[1] ?? '';
  const metrics = await (await fetch(metricsUrl)).text();
  assert.match(metrics, /fairway_market_fresh\{chain="31337"\} 1/);
  await stop(service);
});

test('blocks reach the market over a WebSocket, and by polling where there is none', async () => {
  const login = await productionLogin();
  for (const url of [chain.wsUrl, chain.rpcUrl]) {
    const service = await start(configFile({ rpcUrls: [url] }), {});
    await until('the market is there', async () => (await ask(service, login, quotePath())).status === 200);
    const block = await chain.rpc<string>('eth_blockNumber');
    await chain.rpc('anvil_mine', ['0x3']);
    await until('the market follows', async () => {
      const { body } = await ask<Quote>(service, login, quotePath());
      return body.asOf.blockNumber === Number(block) + 3;
    });
    await stop(service);
  }
});

test('without any node the service starts, reports it, and serves quotes when a node answers', async () => {
  const login = await productionLogin();
  const service = await start(configFile({ rpcUrls: ['http://127.0.0.1:1', chain.rpcUrl] }), {});
  await until('the second node serves', async () => (await ask(service, login, quotePath())).status === 200);
  await stop(service);
  const alone = await start(configFile({ rpcUrls: ['http://127.0.0.1:1'] }), {});
  const refused = await ask<{ code: string }>(alone, login, quotePath());
  assert.deepEqual([refused.status, refused.body.code], [503, 'market-stale']);
  assert.equal((await ask<Health>(alone, login, '/health')).body.chains[0]?.status, 'SYNCING');
  await stop(alone);
});

test('one of three nodes may lie or be away; a contradiction of two stops quotes until it ends', async () => {
  const login = await productionLogin();
  const liar = await startLiar(chain.rpcUrl);
  const node = (name: string, url: string) => ({ name, urls: [url] });
  const [lying, honest] = [node('liar', liar.url), node('honest', chain.wsUrl)];
  // This node tells the truth. It has its own proxy, because two URLs of one endpoint would be one node.
  const truthful = await startLiar(chain.rpcUrl);
  const third = node('third', truthful.url);
  const away = node('away', 'http://127.0.0.1:1');
  for (const [nodes, isServedMeanwhile] of [
    [[lying, honest, third], true],
    [[away, honest, third], true],
    [[away, lying, honest], false],
    [[lying, honest], false],
  ] as const) {
    liar.setLying(false);
    const service = await start(configFile({ rpcUrls: undefined, nodes }), {});
    const isServed = async () => (await ask(service, login, quotePath())).status === 200;
    await until('the market is there', isServed);
    const { body: quote } = await ask<Quote>(service, login, quotePath());
    assert.deepEqual(quote.route?.['trust'], { agreed: 2, of: nodes.length });
    const { body: health } = await ask<Health>(service, login, '/health');
    assert.partialDeepStrictEqual(health.chains[0], { trust: 'AGREED', nodes: { agreed: 2 } });
    liar.setLying(true);
    await chain.rpc('anvil_mine', ['0x1']);
    if (isServedMeanwhile) {
      const before = await chain.rpc<string>('eth_blockNumber');
      await until('the market follows', async () => {
        const { body } = await ask<Quote>(service, login, quotePath());
        return body.asOf.blockNumber === Number(before);
      });
    } else {
      await until('quotes stop', async () => !(await isServed()));
      const refused = await ask<Problem>(service, login, quotePath());
      assert.deepEqual([refused.status, refused.body.code], [503, 'nodes-disagree']);
      assert.equal((await ask<Health>(service, login, '/health')).body.chains[0]?.status, 'NODES_DISAGREE');
      assert.match(service.output(), /"said":\[\{"node":"(liar|honest)"/);
      liar.setLying(false);
      await until('quotes come back', isServed);
    }
    await stop(service);
  }
  await Promise.all([liar.close(), truthful.close()]);
});

test('a start names the chains of which a single node is believed', async () => {
  const single = await start(configFile(), {});
  assert.match(single.output(), /For Test chain, the service believes a single node\./);
  await stop(single);
  const other = await startLiar(chain.rpcUrl);
  const nodes = [
    { name: 'one', urls: [chain.wsUrl] },
    { name: 'two', urls: [other.url] },
  ];
  const several = await start(configFile({ rpcUrls: undefined, nodes }), {});
  assert.doesNotMatch(several.output(), /single node/);
  await stop(several);
  await other.close();
});

/** A node of the chain that can be told to name another base fee in every block. */
async function startLiar(rpcUrl: string) {
  let isLying = false;
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const headers = { 'content-type': 'application/json' };
    const honest = await (await fetch(rpcUrl, { method: 'POST', headers, body })).text();
    response.setHeader('content-type', 'application/json');
    response.end(isLying ? honest.replace(/"baseFeePerGas":"0x/g, '"baseFeePerGas":"0x1') : honest);
  }
  const server = createServer(
    (request, response) => void pass(request, response).catch(() => request.socket.destroy()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setLying(lying: boolean) {
      isLying = lying;
    },
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

/** Corridors over the test chain's first two tokens, with the statuses given. */
function corridorsOf(statuses: Readonly<Record<string, string>>): object {
  const { tokenIn, tokenOut, chainId } = trade();
  const target = { type: 'BANK', country: 'AU', currency: 'AUD', token: tokenOut, custodian: 'Test' };
  const corridors = Object.entries(statuses).map(([id, status]) => ({
    id,
    source: { chainId, token: tokenIn },
    target: { ...target, settlementAddress: `0x${'c5'.repeat(20)}` },
    status,
    modes: ['STANDARD'],
    settlementTime: { min: 'PT1M', max: 'P1D' },
  }));
  return { payments: { corridors, planLifetimeHours: 24 } };
}

test('configured corridors take plans; a suspended one takes no new plan, but its plans go on', async () => {
  const login = await productionLogin();
  const env = { FAIRWAY_SEALING_KEYS: `one:${'1f'.repeat(32)}` };
  const payment = (corridorId: string) => ({
    clientReference: `${corridorId} 1`,
    corridorId,
    amountIn: String(10n ** 17n),
    recipient: {
      type: 'bank',
      name: 'Jo Citizen',
      country: 'AU',
      account: { bsb: '062-000', accountNumber: '12345678' },
    },
    options: { mode: 'STANDARD' },
  });
  const listed = async (service: StartedService, query = '') => {
    const { body } = await ask<Corridor[]>(service, login, `/v1/markets/corridors${query}`);
    return body.map(({ id, constraints }) => `${id} ${constraints.status}`);
  };
  const before = await start(configFile({}, corridorsOf({ open: 'ACTIVE', shut: 'SUSPENDED' })), env);
  await until('the market is there', async () => (await ask(before, login, quotePath())).status === 200);
  assert.deepEqual(await listed(before), ['open ACTIVE']);
  assert.deepEqual(await listed(before, '?status=all'), ['open ACTIVE', 'shut SUSPENDED']);
  const refused = await ask<Problem>(before, login, '/v1/payments', payment('shut'));
  assert.deepEqual([refused.status, refused.body.code], [400, 'corridor-suspended']);
  assert.match(refused.body.detail ?? '', /^Corridor shut is suspended/);
  assert.equal((await fetch(refused.body.type)).status, 200);
  const { body: made } = await ask<PaymentPlan>(before, login, '/v1/payments', payment('open'));
  assert.equal(Date.parse(made.expiresAt) - Date.parse(made.createdAt), 24 * 3_600_000);
  await stop(before);

  const service = await start(configFile({}, corridorsOf({ open: 'SUSPENDED' })), env);
  await until('the market is there', async () => (await ask(service, login, quotePath())).status === 200);
  const path = `/v1/payments/${made.planId}/steps`;
  const deposit = await ask<PaymentPlan>(service, login, `${path}/${made.steps[0]?.stepId}/reports`, {
    outcome: 'DONE',
  });
  assert.equal(deposit.body.steps[1]?.status, 'READY', JSON.stringify(deposit.body));
  const refreshed = await ask<PaymentPlan>(service, login, `/v1/payments/${made.planId}/again`, {});
  assert.equal(refreshed.status, 200);
  assert.notEqual(refreshed.body.steps[1]?.instructions?.length, 0);
  await stop(service);
});

const misfits: [name: string, changes: () => object, says: RegExp][] = [
  [
    'a chain id that the node does not have',
    () => ({ chainId: 1 }),
    /node is of chain 31337, the configuration says chain 1/,
  ],
  [
    'a router built with other factories',
    () => ({ wrappedNative: chain.tokens[1]?.address }),
    /The router 0x[0-9a-f]{40} does not answer WETH9\(\)/,
  ],
  [
    'a router that is no contract',
    () => ({ routers: [{ kind: 'SWAP_ROUTER_02', address: `0x${'ab'.repeat(20)}` }] }),
    /no contract at the router's address/,
  ],
];
for (const [name, changes, says] of misfits) {
  test(`${name} is logged, and the chain is not served`, async () => {
    const service = await start(configFile(changes()), {});
    await until('the log says so', async () => says.test(service.output()));
    const login = await productionLogin();
    assert.equal((await ask<Health>(service, login, '/health')).body.chains[0]?.status, 'SYNCING');
    await stop(service);
  });
}

test('a service that starts before its database waits until the database answers', async () => {
  const { host, user, database: name } = database.connection;
  const later = join(freshFolder(), 'socket');
  const env = {
    TEST_NODE_URL: chain.wsUrl,
    DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(later)}`,
  };
  const { output, stop: end } = beginFairway(['start', '--port', '0', '--config', configFile()], env);
  await until('it says that it waits', async () => output().includes('Waiting for the database'));
  assert.doesNotMatch(output(), /is ready at/);
  symlinkSync(host, later);
  await until('it is ready', async () => output().includes('is ready at'));
  assert.equal(await end(), 0, output());
});
