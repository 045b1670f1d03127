// Payments by a whole node that is killed again and again, beside a whole service. Sends and reports are lost, the chain is
// reorganised. The chain judges: exactly one transaction that succeeded carries a tag of each plan.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrateDatabase, openDatabase } from '@fairway/postgres';
import { createConnection } from '@fairway/sdk';
import { type AskNode, nodeAt, type Random, startDatabaseProxy, startTestDatabase } from '@fairway/testing';
import type { PaymentPlan } from '@fairway/wire';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { MIGRATIONS } from '../src/platform/database/migrations.ts';
import type { Tables } from '../src/platform/database/schema.ts';
import { sandboxGround } from '../src/platform/config/sandboxGround.ts';
import { ask } from './asking.ts';
import { type Boundary, countOf, createReaper, dueOf } from './boundaries.ts';
import { type Loss, startLyingService } from './lyingService.ts';
import { AMOUNT, give, type Kind, KINDS, paidFor, pay, paymentOf, succeededOf } from './plans.ts';
import { createProcesses, type NodePlace, type Place, type Started } from './processes.ts';
import { startUnkindNode } from './unkindNode.ts';

/** How much happens in a life. */
export type PayingLife = {
  readonly payments: number;
  readonly kills: number;
  readonly reorganisations: number;
  /** A payer with this fault pays in the place of a node. */
  readonly fault?: Fault;
};

/** What is wrong with a payer. */
export const FAULTS = {
  LATEST: 'takes the nonce from the latest block, and sends again what it does not find',
  PENDING: 'takes the nonce from what is pending',
  PLANS_AGAIN: 'plans anew after a crash',
  SENDS_FIRST: 'sends before it commits',
} as const;
export type Fault = keyof typeof FAULTS;

/** What the process of a payer is told. */
export type PlantedOrder = {
  readonly fault: Fault;
  readonly service: Place;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly privateKey: Hex;
  /** What it keeps over a crash. */
  readonly file: string;
};
const PAYER = fileURLToPath(new URL('plantedPayer.ts', import.meta.url));
/** How many blocks a payer gets after everything has happened. */
const REST_BLOCKS = 20;

const UNKIND = { sendsLost: 10, repliesLost: 15, receiptsHidden: 10 };
/** Reports that do not arrive, or whose answers do not. */
const REPORTS_LOST = 25;
/** A block behind so many others is final: more than the deepest reorganisation. */
const CONFIRMATIONS = 7;
const DEEPEST = 6;

/** Lives it, and asserts that each payment happened exactly once. Says what came up. */
export async function payOnce(
  life: PayingLife,
  random: Random,
  tell: (text: string) => void = () => {},
): Promise<string> {
  await using ground = await startPayingGround(random, life.fault);
  const { service, rpc, address, losses, unkind } = ground;
  // Enough for each of them twice: who pays twice is seen by that.
  await give(service, address, 2n * BigInt(life.payments) * AMOUNT);
  if (life.fault !== undefined) await rpc('anvil_setBalance', [address, `0x${(10n ** 21n).toString(16)}`]);
  await rpc('anvil_mine', [`0x${(DEEPEST + 4).toString(16)}`]);
  await rpc('evm_setAutomine', [false]);
  const bodies = Array.from({ length: life.payments }, (_, index) =>
    paymentOf(kindOf(index, life), `ONCE-${index}`, service.chainId),
  );
  const happened: Happened = { asked: 0, kills: [], reorganisations: 0, spikes: 0, blocks: 0, rest: 0 };
  const reaper = createReaper(ground, random);
  let node = await ground.start();
  const most = 200 + 40 * (life.payments + life.kills + life.reorganisations);
  while (!(await isOver(ground, life, happened))) {
    assert.ok(happened.blocks < most, `it never ends: ${JSON.stringify(await ground.standing())}`);
    const asked = dueOf(life.payments, happened.kills.length, life);
    await askSome(node.ready, bodies.slice(0, asked), happened, random);
    await sleep(random.integer(0, 150));
    if (happened.kills.length < life.kills) {
      const dying = node;
      const killed = await reaper.pass(() => dying.kill('SIGKILL'));
      if (killed !== undefined) {
        happened.kills.push(killed);
        tell(`kill ${happened.kills.length}: ${killed}, after ${happened.blocks} blocks`);
        node = await ground.start();
      }
    }
    await passBlock(rpc, life, happened, random);
  }
  const transactions = await judge(ground, bodies, life.fault);
  const kills = { kills: happened.kills.length, at: countOf(happened.kills) };
  return `${life.payments} payments, ${transactions} transactions; ${JSON.stringify({ ...happened, ...kills, reportsLost: losses, ...unkind.counts })}`;
}

/** A payer with a fault only transfers. */
function kindOf(index: number, { fault }: PayingLife): Kind {
  const kinds = Object.keys(KINDS) as Kind[];
  return fault === undefined ? (kinds[index % kinds.length] ?? 'sent') : 'sent';
}

type PayingGround = Awaited<ReturnType<typeof startPayingGround>>;
type Happened = {
  /** How many payments were asked for at least once. */
  asked: number;
  readonly kills: Boundary[];
  reorganisations: number;
  spikes: number;
  blocks: number;
  /** Blocks since all kills and reorganisations have happened. */
  rest: number;
};

/** A service, a database behind a proxy, and a node that is started again and again on the same data. */
async function startPayingGround(random: Random, fault?: Fault) {
  await using ending = new AsyncDisposableStack();
  const processes = await createProcesses();
  ending.defer(processes.close);
  const [{ ready: service }, postgres] = await Promise.all([processes.service(true), startTestDatabase()]);
  ending.defer(postgres.close);
  await migrateDatabase(postgres.connection, MIGRATIONS, () => {});
  const database = openDatabase<Tables>(postgres.connection, () => {});
  ending.defer(() => database.destroy());
  const proxy = await startDatabaseProxy(postgres.connection);
  ending.defer(proxy.close);
  const unkind = await startUnkindNode(service.rpcUrl, random, UNKIND);
  ending.defer(unkind.close);
  const between = await startLyingService(service.url, '/v1/sandbox');
  ending.defer(between.close);
  const losses = { REQUEST: 0, ANSWER: 0 };
  let awaited: { readonly loss: Loss; readonly reached: () => void } | undefined;
  between.lose((path) => {
    if (!path.endsWith('/reports')) return undefined;
    const by = awaited;
    awaited = undefined;
    if (by !== undefined) setTimeout(by.reached, by.loss === 'ANSWER' ? 20 : 0);
    else if (random.integer(1, 100) > REPORTS_LOST) return undefined;
    const loss = by?.loss ?? random.pick(['REQUEST', 'ANSWER'] as const);
    losses[loss] += 1;
    return loss;
  });

  const seen = { ...service, url: between.url };
  const privateKey = generatePrivateKey();
  const planted = { service: seen, rpcUrl: unkind.url, chainId: service.chainId, privateKey };
  const folder = join(processes.folder, 'killed');
  mkdirSync(folder);
  const { chain, policy } = await sandboxGround(createConnection(service), folder);
  writeFileSync(join(folder, 'password'), 'sandbox\n');
  const { chainId } = chain;
  const key = { kind: 'KEYSTORE', file: 'killed/keystore.json', passwordFile: 'killed/password' };
  const rules = { nodes: [unkind.url], confirmations: CONFIRMATIONS, maxFeeGwei: 1000, signers: [key] };
  const given = {
    config: { chains: [{ chainId, ...rules }] },
    policy: policy.document,
    environment: { DATABASE_URL: proxy.url },
  };
  const all = ending.move();
  return {
    ...{ service, database, proxy, node: unkind, unkind, losses },
    rpc: nodeAt(service.rpcUrl),
    address:
      fault === undefined ? (chain.signers[0]?.address ?? assert.fail()) : privateKeyToAddress(privateKey),
    onReport: (loss: Loss, reached: () => void) => (awaited = { loss, reached }),
    start(): Promise<Started<NodePlace>> {
      if (fault === undefined) return processes.configured(seen, 'killed', given);
      const order: PlantedOrder = { ...planted, fault, file: join(folder, 'memory') };
      return processes.program(PAYER, JSON.stringify(order));
    },
    /** What the node has of the payments. */
    standing: () =>
      database.selectFrom('payments').select(['client_reference', 'ended', 'refusal']).execute(),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Clients ask for the next ones, and for some of the others again, as they do when they get no answer. */
async function askSome(
  node: NodePlace,
  bodies: readonly object[],
  happened: Happened,
  random: Random,
): Promise<void> {
  const next = random.integer(0, 2);
  const again = bodies.slice(0, happened.asked).filter(() => random.integer(1, 20) === 1);
  for (const body of [...bodies.slice(happened.asked, happened.asked + next), ...again])
    await pay(node, body, 0).catch(() => undefined);
  happened.asked = Math.min(bodies.length, happened.asked + next);
}

/** The chain goes on or back, and its fees rise and fall. */
async function passBlock(rpc: AskNode, life: PayingLife, happened: Happened, random: Random): Promise<void> {
  happened.blocks += 1;
  if (random.integer(1, 20) === 1) {
    happened.spikes += 1;
    const fee = random.pick(['0x5f5e100', '0x3b9aca00', '0x2540be400']);
    await rpc('anvil_setNextBlockBaseFeePerGas', [fee]);
  }
  const due = dueOf(life.reorganisations, happened.kills.length, life);
  if (happened.reorganisations < due && random.integer(1, 3) === 1) {
    await rpc('anvil_reorg', [random.integer(1, DEEPEST), []]);
    happened.reorganisations += 1;
  } else await rpc('evm_mine', []);
}

async function isOver(ground: PayingGround, life: PayingLife, happened: Happened): Promise<boolean> {
  if (happened.kills.length < life.kills || happened.reorganisations < life.reorganisations) return false;
  if (life.fault !== undefined) return happened.asked === life.payments && (happened.rest += 1) > REST_BLOCKS;
  const standing = await ground.standing();
  return standing.length === life.payments && standing.every(({ ended }) => ended !== null);
}

/** Compares what the database says with what the chain has. Gives how many transactions there are. */
async function judge(
  { rpc, address, database, service }: PayingGround,
  bodies: readonly object[],
  fault: Fault | undefined,
): Promise<number> {
  const succeeded = await succeededOf(rpc, address);
  const counts = new Map<string, number>();
  for (const body of bodies) {
    // The same request gives the same plan.
    const options = { ...(body as { options: object }).options, sender: address };
    const { planId } = (await ask<PaymentPlan>(service, '/v1/payments', { body: { ...body, options } })).body;
    counts.set(planId, paidFor(succeeded, planId).length);
  }
  for (const isWrong of [(count: number) => count > 1, (count: number) => count < 1])
    for (const [planId, count] of counts) assert.ok(!isWrong(count), `${planId} is paid ${count} times`);
  if (fault !== undefined) return succeeded.length;
  const kept = await database.selectFrom('payments').select(['plan_id', 'ended', 'refusal']).execute();
  assert.equal(new Set(kept.map((each) => each.plan_id)).size, bodies.length);
  for (const { plan_id: planId, ended, refusal } of kept)
    assert.equal(ended, 'PAID', `${planId}: ${JSON.stringify(refusal)}`);
  const bound = (await database.selectFrom('relayers').select('next_nonce').executeTakeFirstOrThrow())
    .next_nonce;
  const count = BigInt(await rpc<string>('eth_getTransactionCount', [address, 'latest']));
  assert.equal(count, bound, 'as many transactions as nonces were bound');
  return Number(count);
}
