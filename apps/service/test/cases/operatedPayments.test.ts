// Payments as an operator runs them. There are corridors from a configuration file, two organisations, confirmations to
// wait for, and a node that goes away in the middle of a report.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestChain, startTestDatabase, type TestChain } from '@fairway/testing';
import type { PaymentPlan } from '@fairway/wire';
import pino from 'pino';
import { readConfig } from '../../src/platform/config/config.ts';
import { type RunningService, run } from '../../src/run.ts';
import { writeConfig } from '../configHarness.ts';
import { basic } from '../harness.ts';
import { type KeyWallet, keyWallet, type Sent } from '../keyWallet.ts';
import {
  assertProblem,
  AUSTRALIAN,
  freshAddress,
  type PaymentsClient,
  paymentsClient,
  requestOf,
  statusesOf,
  stepOf,
} from '../paymentsHarness.ts';
import { endEverything, freshFolder } from '../processHarness.ts';
import { runFairway } from '../commandHarness.ts';

const SETTLEMENT_ADDRESS = '0x5e77000000000000000000000000000000000001';
const AMOUNT_IN = 20_000_000n;
/** More than any pool holds. */
const HUGE = `1${'0'.repeat(30)}`;

let chain: TestChain;
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let door: Door;
let service: RunningService;
let env: { readonly [name: string]: string };
let acmeLogin: string;
let acme: PaymentsClient;
let globex: PaymentsClient;

before(async () => {
  [chain, database] = await Promise.all([startTestChain(), startTestDatabase()]);
  door = await openDoor(chain.rpcUrl);
  const { host, user, database: name } = database.connection;
  env = {
    DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}`,
    FAIRWAY_SEALING_KEYS: `first:${'07'.repeat(32)}`,
  };
  service = await start(configFile());
  const create = ['credentials', 'create', '--environment', 'production', '--json'];
  const logins = await Promise.all(
    ['Acme', 'Globex'].map((organisation) => runFairway([...create, '--organisation', organisation], env)),
  );
  const [first = '', second = ''] = logins.map(({ printed }) => {
    const { username, password } = JSON.parse(printed) as { username: string; password: string };
    return basic(username, password);
  });
  acmeLogin = first;
  [acme, globex] = [paymentsClient(service.url, first), paymentsClient(service.url, second)];
  while ((await acme.ask('/v1/payments', bankPayment())).status !== 200) await acme.ask('/health');
});
after(async () => {
  await service?.close();
  door?.server.close();
  door?.server.closeAllConnections();
  await endEverything();
  await chain?.close();
  await database?.close();
});

function start(config: string, log = pino({ level: 'silent' })): Promise<RunningService> {
  const parsed = readConfig(['--port', '0', '--log-level', 'silent', '--config', config], env);
  return run(parsed, log, new AbortController().signal);
}

function tokenOf(symbol: string): string {
  return chain.tokens.find((token) => token.symbol === symbol)?.address ?? '';
}

/**
 * Writes the configuration. `walletCorridor`: changes of the corridor to wallets, and `walletTarget` of its target.
 * `hugeAmountIn`: the least amount of a further corridor.
 */
function configFile(walletCorridor: object = {}, hugeAmountIn?: string, walletTarget: object = {}): string {
  const file = writeConfig(chain, freshFolder(), { rpcUrls: [door.url], staleAfterSeconds: 60 });
  const corridor = (id: string, to: string, target: object, more: object = {}) => ({
    id,
    source: { chainId: chain.chainId, token: tokenOf('USDC') },
    target: { token: tokenOf(to), custodian: 'Custodian', settlementAddress: SETTLEMENT_ADDRESS, ...target },
    modes: ['STANDARD'],
    settlementTime: { min: 'PT1M', max: 'P1D' },
    ...more,
  });
  const australia = { type: 'BANK', country: 'AU', currency: 'AUD', rail: 'NPP' };
  const corridors = [
    corridor('usdc-aud-bank', 'tAUD', australia, { minConfirmations: 3 }),
    corridor('usdc-aud-paused', 'tAUD', australia, { status: 'SUSPENDED' }),
    corridor('usdc-wallet', 'USDC', { type: 'WALLET', currency: 'USDC', ...walletTarget }, walletCorridor),
    ...(hugeAmountIn === undefined
      ? []
      : [corridor('usdc-aud-huge', 'tAUD', australia, { minAmountIn: hugeAmountIn })]),
  ];
  const content = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...content, payments: { corridors } }));
  return file;
}

/** A proxy in front of the node; while it is shut, nobody answers. `onMethod` is called for each call that passes. */
type Door = {
  readonly url: string;
  readonly server: Server;
  isShut: boolean;
  onMethod: (name: string) => void;
};

async function openDoor(rpcUrl: string): Promise<Door> {
  const server = createServer((request, response) => {
    // A node that ends leaves no answer.
    void pass(request, response).catch(() => request.socket.destroy());
  });
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    for (const [, name = ''] of body.toString().matchAll(/"method":"(\w+)"/g)) opened.onMethod(name);
    if (opened.isShut) {
      request.socket.destroy();
      return;
    }
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body });
    response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const opened: Door = { url: `http://127.0.0.1:${port}`, server, isShut: false, onMethod: () => {} };
  return opened;
}

function bankPayment(fields: object = {}) {
  return requestOf({ amountIn: String(AMOUNT_IN), recipient: AUSTRALIAN, ...fields });
}

function walletPayment(address: string) {
  const recipient = { type: 'wallet', chainId: chain.chainId, address };
  return { corridorId: 'usdc-wallet', amountIn: String(AMOUNT_IN), recipient };
}

async function freshWallet(): Promise<KeyWallet> {
  const wallet = keyWallet(chain.rpcUrl, chain.rpc);
  await chain.rpc('anvil_setBalance', [wallet.address, '0x8ac7230489e80000']);
  return wallet;
}

async function give(address: string, amount: bigint): Promise<void> {
  const [to, token] = [address as `0x${string}`, tokenOf('USDC') as `0x${string}`];
  const given = await chain.faucet({ address: to, token, amount });
  assert.ok(given.ok);
}

function callOf(plan: PaymentPlan) {
  const call = stepOf(plan, 'EXECUTE_SWAP').instructions?.at(-1);
  assert.ok(call);
  return call;
}

/** A plan whose deposit was reported, so that its swap is due, and a wallet with the money. */
async function swapDue(client: PaymentsClient, fields: object) {
  const wallet = await freshWallet();
  await give(wallet.address, AMOUNT_IN);
  const made = await client.plan({ amountIn: String(AMOUNT_IN), ...fields });
  const { body: plan } = await client.report(made, 'AWAIT_DEPOSIT', { outcome: 'DONE' });
  assert.equal(statusesOf(plan), 'DONE READY PENDING');
  return { plan, wallet };
}

test('a suspended corridor is listed only on request and takes no plans', async () => {
  const idsOf = async (path: string) =>
    ((await acme.ask(path)).json as { id: string; constraints: { status: string } }[]).map(
      ({ id, constraints }) => `${id} ${constraints.status}`,
    );
  assert.deepEqual(await idsOf('/v1/markets/corridors'), ['usdc-aud-bank ACTIVE', 'usdc-wallet ACTIVE']);
  assert.ok((await idsOf('/v1/markets/corridors?status=all')).includes('usdc-aud-paused SUSPENDED'));
  const refused = await acme.ask('/v1/payments', bankPayment({ corridorId: 'usdc-aud-paused' }));
  assertProblem(refused, 400, 'corridor-suspended', /usdc-aud-paused/);
});

test('a corridor that is suspended later still replays the requests it took before', async () => {
  const request = requestOf(walletPayment(freshAddress()));
  const first = await acme.ask('/v1/payments', request);
  assert.equal(first.status, 200);
  const paused = await start(configFile({ status: 'SUSPENDED' }));
  try {
    const client = paymentsClient(paused.url, acmeLogin);
    const again = await client.ask('/v1/payments', request);
    assert.deepEqual([again.status, again.body.planId], [200, first.body.planId], again.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const other = await client.ask('/v1/payments', { ...request, amountIn: '20000001' });
    assertProblem(other, 422, 'client-reference-reused');
    const next = await client.ask('/v1/payments', requestOf(walletPayment(freshAddress())));
    assertProblem(next, 400, 'corridor-suspended');
  } finally {
    await paused.close();
  }
});

test('an account that is added later verifies payouts of earlier plans, and nobody is paid there', async () => {
  const [payer, beneficiary] = [await freshWallet(), freshAddress()];
  const earlier = await swapDue(acme, walletPayment(beneficiary));
  const swap = await earlier.wallet.execute([callOf(earlier.plan)]);
  const { body: due } = await acme.report(earlier.plan, 'EXECUTE_SWAP', {
    outcome: 'DONE',
    txHash: swap.hash,
  });
  const changes = [{ minConfirmations: 3 }, undefined, { payoutAddresses: [payer.address] }] as const;
  const later = await start(configFile(...changes));
  try {
    const client = paymentsClient(later.url, acmeLogin);
    while ((await client.ask('/v1/payments', bankPayment())).status !== 200) await client.ask('/health');
    type Listed = { id: string; target: { payoutAddresses?: readonly string[] } };
    const listed = (await client.ask('/v1/markets/corridors')).json as readonly Listed[];
    assert.deepEqual(
      listed.map(({ id, target }) => [id, target.payoutAddresses]),
      [
        ['usdc-aud-bank', undefined],
        ['usdc-wallet', [payer.address]],
      ],
    );
    const shared = await client.ask('/v1/payments', requestOf(walletPayment(payer.address)));
    assertProblem(shared, 400, 'recipient-invalid', /payout address/);

    const told = async (by: KeyWallet, to: string) => {
      await give(by.address, AMOUNT_IN);
      return { outcome: 'DONE', txHash: (await by.transfer(tokenOf('USDC'), to, AMOUNT_IN)).hash };
    };
    const { body: paid } = await client.report(due, 'CUSTODIAN_PAYOUT', await told(payer, beneficiary));
    assert.deepEqual([paid.status, verificationOf(paid)], ['COMPLETED', 'VERIFIED']);

    // A payment that is only REPORTED waits for its confirmations like any other, and stays REPORTED.
    const { plan, wallet } = await swapDue(client, walletPayment(beneficiary));
    const own = await wallet.execute([callOf(plan)]);
    await client.report(plan, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: own.hash });
    await chain.rpc('anvil_mine', ['0x2']);
    const isDue = (now: PaymentPlan) => statusesOf(now) === 'DONE DONE READY';
    const ready = await client.until(plan, 'its payout is due', isDue);
    const strangers = await told(await freshWallet(), beneficiary);
    const { body: sent } = await client.report(ready, 'CUSTODIAN_PAYOUT', strangers);
    assert.deepEqual([sent.next?.why, verificationOf(sent)], ['TRANSACTION_CONFIRMING', 'REPORTED']);
    await chain.rpc('anvil_mine', ['0x2']);
    const done = await client.until(ready, 'it is final', (now) => now.status === 'COMPLETED');
    assert.equal(verificationOf(done), 'REPORTED');
  } finally {
    await later.close();
  }
});

function verificationOf(plan: PaymentPlan): string | undefined {
  return stepOf(plan, 'CUSTODIAN_PAYOUT').verification;
}

test('a corridor without a route is not listed, and the log names it once the market is read', async () => {
  const lines: string[] = [];
  // Other warnings of the start are of no interest here.
  const keep = (line: string) => line.includes('"corridorId"') && lines.push(line);
  const log = pino({ level: 'warn' }, { write: keep });
  const other = await start(configFile({}, HUGE), log);
  try {
    for (let tries = 0; tries < 1_200 && lines.length === 0; tries++) await sleep(25);
    const said = lines.map((line) => JSON.parse(line) as { corridorId?: string; code?: string; msg: string });
    assert.deepEqual(
      said.map(({ corridorId, code, msg }) => [corridorId, code, msg]),
      [
        [
          'usdc-aud-huge',
          'price-impact-too-high',
          'This corridor is not listed and takes no payments for now: its swap cannot be derived',
        ],
      ],
    );
    const client = paymentsClient(other.url, acmeLogin);
    const idsOf = async (path: string) =>
      ((await client.ask(path)).json as { id: string }[]).map(({ id }) => id);
    assert.deepEqual(await idsOf('/v1/markets/corridors'), ['usdc-aud-bank', 'usdc-wallet']);
    assert.ok((await idsOf('/v1/markets/corridors?status=all')).includes('usdc-aud-huge'));
    const refused = await client.ask(
      '/v1/payments',
      bankPayment({ corridorId: 'usdc-aud-huge', amountIn: HUGE }),
    );
    assertProblem(refused, 400, 'price-impact-too-high');
  } finally {
    await other.close();
  }
});

test('deposit and swap wait for the confirmations of the corridor, which the service counts', async () => {
  const wallet = await freshWallet();
  const options = { mode: 'STANDARD', depositAddress: wallet.address };
  const made = await acme.plan({ amountIn: String(AMOUNT_IN), options });
  await give(wallet.address, AMOUNT_IN);
  const seen = await acme.until(made, 'it is seen', (now) => now.steps[0]?.status === 'READY');
  assert.deepEqual([seen.status, seen.next?.why], ['IN_PROGRESS', 'DEPOSIT_CONFIRMING']);
  const reported = await acme.report(made, 'AWAIT_DEPOSIT', { outcome: 'DONE' });
  assert.deepEqual([reported.status, statusesOf(reported.body)], [200, 'READY PENDING PENDING']);
  await chain.rpc('anvil_mine', ['0x2']);
  const ready = await acme.until(made, 'it is confirmed', (now) => now.steps[1]?.status === 'READY');
  await wallet.approve(tokenOf('USDC'), callOf(ready).to, AMOUNT_IN);
  const swap = await wallet.execute([callOf(ready)]);
  const told = { outcome: 'DONE', txHash: swap.hash };
  const confirming = (await acme.report(ready, 'EXECUTE_SWAP', told)).body;
  assert.deepEqual(
    [confirming.status, statusesOf(confirming), confirming.next?.why],
    ['IN_PROGRESS', 'DONE READY PENDING', 'TRANSACTION_CONFIRMING'],
  );
  assert.equal(stepOf(confirming, 'EXECUTE_SWAP').evidence?.status, 'CONFIRMING');
  assertProblem(await acme.again(confirming), 409, 'step-not-ready', /being confirmed/);
  const early = await acme.report(confirming, 'CUSTODIAN_PAYOUT', {
    outcome: 'DONE',
    providerReference: 'X',
  });
  assertProblem(early, 409, 'step-not-ready');
  await chain.rpc('anvil_mine', ['0x2']);
  await acme.until(made, 'it is final', (now) => statusesOf(now) === 'DONE DONE READY');
});

test('what a second execution brought is settled once it has the confirmations', async () => {
  const { plan, wallet } = await swapDue(acme, {});
  await give(wallet.address, AMOUNT_IN);
  await wallet.approve(tokenOf('USDC'), callOf(plan).to, 2n * AMOUNT_IN);
  const call = callOf(plan);
  await wallet.execute([call]);
  await chain.rpc('anvil_mine', ['0x2']);
  const own = await acme.until(plan, 'it is final', (now) => statusesOf(now) === 'DONE DONE READY');
  const { amount } = stepOf(own, 'EXECUTE_SWAP').evidence ?? assert.fail();
  await wallet.execute([call]);
  const brought = ({ funds = [] }: PaymentPlan) => funds.at(-1)?.swapped.out;
  const twice = await acme.until(own, 'it is found', (now) => brought(now) !== amount);
  assert.equal(twice.funds.at(-1)?.settled, amount, 'it has one confirmation of three');
  await chain.rpc('anvil_mine', ['0x2']);
  await acme.until(twice, 'all is settled', (now) => now.funds.at(-1)?.settled === brought(now));
});

/** Takes the latest block away and waits until the plan has lost the transaction in it. */
async function unmined(plan: PaymentPlan, what: string): Promise<PaymentPlan> {
  await chain.rpc('anvil_reorg', [1, []]);
  return acme.until(plan, 'it is taken back', (now) => now.next?.why === what);
}

/** Mines a transaction again in a later block and waits until the plan counts its confirmations. */
async function minedLater(plan: PaymentPlan, { raw }: Sent, what: string): Promise<PaymentPlan> {
  // In its first block the transaction would have enough confirmations by now.
  await chain.rpc('anvil_mine', ['0x2']);
  await chain.rpc('eth_sendRawTransaction', [raw]);
  const again = await acme.until(plan, 'it is found', (now) => now.next?.why !== plan.next?.why);
  assert.deepEqual([again.status, again.next?.why], ['IN_PROGRESS', what]);
  return again;
}

test('confirmations of a deposit are counted anew when a reorganisation mines it again', async () => {
  const [payer, depositAddress] = [await freshWallet(), freshAddress()];
  const options = { mode: 'STANDARD', depositAddress };
  const made = await acme.plan({ amountIn: String(AMOUNT_IN), options });
  await give(payer.address, AMOUNT_IN);
  const deposit = await payer.transfer(tokenOf('USDC'), depositAddress, AMOUNT_IN);
  const is = (now: PaymentPlan) => now.next?.why === 'DEPOSIT_CONFIRMING';
  const gone = await unmined(await acme.until(made, 'it is seen', is), 'DEPOSIT_LOST');
  assert.deepEqual([gone.status, statusesOf(gone)], ['IN_PROGRESS', 'PENDING PENDING PENDING']);
  const again = await minedLater(gone, deposit, 'DEPOSIT_CONFIRMING');
  const { received, confirmed } = stepOf(again, 'AWAIT_DEPOSIT').deposit ?? {};
  assert.deepEqual(
    [statusesOf(again), received, confirmed],
    ['READY PENDING PENDING', String(AMOUNT_IN), '0'],
  );
  await chain.rpc('anvil_mine', ['0x2']);
  await acme.until(again, 'it is confirmed', (now) => statusesOf(now) === 'DONE READY PENDING');
});

test('a swap that a reorganisation mines again is found, and its confirmations counted anew', async () => {
  const { plan, wallet } = await swapDue(acme, {});
  await wallet.approve(tokenOf('USDC'), callOf(plan).to, AMOUNT_IN);
  const swap = await wallet.execute([callOf(plan)]);
  const told = { outcome: 'DONE', txHash: swap.hash };
  const confirming = (await acme.report(plan, 'EXECUTE_SWAP', told)).body;
  assert.equal(confirming.next?.why, 'TRANSACTION_CONFIRMING');
  const gone = await unmined(confirming, 'TRANSACTION_LOST');
  assert.deepEqual([gone.status, statusesOf(gone)], ['ACTION_REQUIRED', 'DONE READY PENDING']);
  const { evidence, verification, attempts } = stepOf(gone, 'EXECUTE_SWAP');
  assert.deepEqual([evidence, verification, attempts?.at(-1)?.outcome], [undefined, undefined, 'LOST']);
  const again = await minedLater(gone, swap, 'TRANSACTION_CONFIRMING');
  const [before, after] = [confirming, again].map((now) => stepOf(now, 'EXECUTE_SWAP').evidence);
  assert.deepEqual(
    [statusesOf(again), after?.txHash, after?.status, after?.blockNumber],
    ['DONE READY PENDING', swap.hash, 'CONFIRMING', (before?.blockNumber ?? 0) + 3],
  );
  await chain.rpc('anvil_mine', ['0x2']);
  const done = await acme.until(again, 'it is final', (now) => statusesOf(now) === 'DONE DONE READY');
  assert.deepEqual(stepOf(done, 'EXECUTE_SWAP').evidence, { ...after, status: 'FINAL' });
  const { amount, isFinal } = stepOf(done, 'CUSTODIAN_PAYOUT').custodianAction ?? {};
  assert.deepEqual([amount, isFinal], [after?.amount, true]);
  assert.deepEqual((await acme.events(done)).map(({ type }) => type).slice(-4), [
    'EXECUTION_FOUND',
    'EVIDENCE_LOST',
    'EXECUTION_FOUND',
    'EXECUTION_FOUND',
  ]);
});

test("a transaction of one organisation's plan is no evidence for another's plan", async () => {
  const beneficiary = freshAddress();
  const mine = await swapDue(acme, walletPayment(beneficiary));
  const theirs = await swapDue(globex, walletPayment(beneficiary));
  const sent = await mine.wallet.execute([callOf(mine.plan)]);
  const told = { outcome: 'DONE', txHash: sent.hash };
  assert.equal((await acme.report(mine.plan, 'EXECUTE_SWAP', told)).status, 200);
  const before = await globex.textOf(theirs.plan.planId);
  const stolen = await globex.report(theirs.plan, 'EXECUTE_SWAP', told);
  assertProblem(stolen, 409, 'evidence-mismatch', /does not execute the instructions/);
  assert.ok(
    !stolen.text.includes(mine.plan.planId),
    'the answer does not name the plan of the other organisation',
  );
  assert.equal(await globex.textOf(theirs.plan.planId), before);
  assertProblem(await globex.ask(`/v1/payments/${mine.plan.planId}`), 404, 'not-found');
  assertProblem(await globex.ask(`/v1/payments/${mine.plan.planId}/end`, {}, '"1"'), 404, 'not-found');
  assertProblem(await globex.report(mine.plan, 'EXECUTE_SWAP', told), 404, 'not-found');
});

test('a report gets 503 with Retry-After while the node is unreachable, and changes nothing', async () => {
  const { plan, wallet } = await swapDue(acme, walletPayment(freshAddress()));
  const unpaid = await acme.plan({ amountIn: String(AMOUNT_IN) });
  const sent = await wallet.execute([callOf(plan)]);
  const report = () => acme.report(plan, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: sent.hash });
  const before = await acme.textOf(plan.planId);
  door.isShut = true;
  const away = await report();
  // During the report: the node answers for the transaction, but not for its block.
  for (const method of ['eth_getTransactionReceipt', 'eth_getBlockByNumber']) {
    door.isShut = false;
    door.onMethod = (name) => {
      if (name === method) door.isShut = true;
    };
    const cut = await report();
    assertProblem(cut, 503, 'upstream-unavailable');
  }
  assertProblem(away, 503, 'upstream-unavailable');
  assert.match(away.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  const deposit = await acme.report(unpaid, 'AWAIT_DEPOSIT', { outcome: 'DONE' });
  assert.equal(deposit.status, 200, 'a report that needs no chain works without the node');
  door.onMethod = () => {};
  door.isShut = false;
  assert.equal(await acme.textOf(plan.planId), before);
  const { body } = await report();
  assert.equal(statusesOf(body), 'DONE DONE READY');
});

test('who carries payments on names no other recipient', async () => {
  const create = ['credentials', 'create', '--environment', 'production', '--json'];
  const { printed } = await runFairway(
    [...create, '--organisation', 'Acme', '--permissions', 'operator'],
    env,
  );
  const { username, password } = JSON.parse(printed) as { username: string; password: string };
  const operator = paymentsClient(service.url, basic(username, password));
  const { planId } = (await acme.ask('/v1/payments', bankPayment())).body;
  const again = await operator.ask(`/v1/payments/${planId}/again`, { recipient: AUSTRALIAN });
  assertProblem(again, 403, 'forbidden');
  assertProblem(await operator.ask(`/v1/payments/${planId}/again`, {}), 409, 'step-not-ready');
});
