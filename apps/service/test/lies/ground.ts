import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { toAddress } from '@fairway/engine';
import {
  createMiningGate,
  createTraffic,
  type LyingNode,
  type MiningGate,
  type Random,
  startLyingNode,
  startTestChain,
  startTestDatabase,
  type TestChain,
} from '@fairway/testing';
import { writeConfig } from '../configHarness.ts';
import { type Caller, callerOf, EVERYTHING, type Login, makeLogin, urlOf } from '../paymentCalls.ts';
import { endEverything, freshFolder } from '../processHarness.ts';
import { startFairway, type StartedService } from '../commandHarness.ts';

type NodeRole = 'liar' | 'honest' | 'third' | 'dead';

/** Nodes of a service in the order of its configuration, and how many must agree. */
export type Arrangement = {
  readonly name: string;
  readonly nodes: readonly NodeRole[];
  readonly agreement: number;
};

/** A service beside the lying node, and who asks it. */
export type LiedService = Arrangement & { readonly process: StartedService; readonly ask: Caller };

/** The arrangements in which several nodes must agree. */
export const ARRANGEMENTS: readonly Arrangement[] = [
  { name: 'liar first of two', nodes: ['liar', 'honest'], agreement: 2 },
  { name: 'liar last of two', nodes: ['honest', 'liar'], agreement: 2 },
  { name: 'liar first, third dead', nodes: ['liar', 'honest', 'dead'], agreement: 2 },
  { name: 'liar last, third dead', nodes: ['dead', 'honest', 'liar'], agreement: 2 },
  { name: 'liar first, third honest', nodes: ['liar', 'honest', 'third'], agreement: 2 },
  { name: 'liar last, third honest', nodes: ['honest', 'third', 'liar'], agreement: 2 },
];

/** One node alone, which lies. */
export const ALONE: Arrangement = { name: 'liar alone', nodes: ['liar'], agreement: 1 };

/** A chain that trades, a node that lies about it, and a database. */
export type Ground = {
  readonly chain: TestChain;
  /** A chain with the same contracts and another history. */
  readonly otherChain: TestChain;
  readonly liar: LyingNode;
  /** A node that always tells the truth. */
  readonly honestUrl: string;
  /** Really transfers the token of deposits, and resolves with the transaction's hash. */
  pay(to: string, amount: bigint): Promise<string>;
  /** Starts a service. Services with the same database serve the same plans. */
  start(arrangement: Arrangement, database: 'SHARED' | 'OWN'): Promise<LiedService>;
  close(): Promise<void>;
};

const CORRIDOR_ID = 'weth-aud';
const SEALING = { FAIRWAY_SEALING_KEYS: `one:${'1f'.repeat(32)}` };
/** Quotes of a block of this age are refused, so that a service that hears nothing new falls silent soon. */
const STALE_AFTER_SECONDS = 2;

/** The pause between two transactions of a chain's traffic. */
const TRADE_PAUSE_MS = 250;

/**
 * Starts chain, other chain, lying node and databases. Both chains trade from then on. When something does not start,
 * the rest ends.
 */
export async function startGround(random: Random): Promise<Ground> {
  await using starting = new AsyncDisposableStack();
  const [chain, otherChain, shared, own] = await startTogether(starting, [
    startTestChain(),
    startTestChain(),
    startTestDatabase(),
    startTestDatabase(),
  ]);
  const gate = createMiningGate();
  const startNode = () => startLyingNode(chain.rpcUrl, otherChain.rpcUrl, gate);
  const [liar, honest, third, dead] = await startTogether(starting, [
    startNode(),
    startNode(),
    startNode(),
    startDeadNode(),
  ]);
  await startTogether(starting, [
    startTrading(chain, random, gate.mine),
    startTrading(otherChain, random, (trade) => trade()),
  ]);
  starting.defer(endEverything);
  const urls = { liar: liar.url, honest: honest.url, third: third.url, dead: dead.url };
  const places: Record<'SHARED' | 'OWN', string> = {
    SHARED: urlOf(shared.connection),
    OWN: urlOf(own.connection),
  };
  const logins = await makeLogins(places);

  async function start(arrangement: Arrangement, place: 'SHARED' | 'OWN'): Promise<LiedService> {
    const databaseUrl = places[place];
    const nodes = arrangement.nodes.map((role) => ({ name: role, urls: [urls[role]] }));
    const changes = {
      rpcUrls: undefined,
      nodes,
      agreement: arrangement.agreement,
      staleAfterSeconds: STALE_AFTER_SECONDS,
      pollIntervalMs: 250,
      // A refusal for the impact of a trade holds no amount that could be compared with the honest chain.
      maxPriceImpactBps: 10_000,
    };
    const config = writeConfig(chain, freshFolder(), changes, corridorOf(chain));
    const env = { ...SEALING, DATABASE_URL: databaseUrl };
    const process = await startFairway(['--port', '0', '--config', config], env);
    const ask = callerOf(process.ready.url, logins[place]);
    return {
      ...arrangement,
      process,
      ask: (...request) =>
        ask(...request).catch((cause: unknown) => {
          throw new Error(`${arrangement.name} does not answer:\n${process.output().slice(-4000)}`, {
            cause,
          });
        }),
    };
  }

  const ending = starting.move();
  return {
    chain,
    otherChain,
    liar,
    honestUrl: honest.url,
    pay: (to, amount) => gate.mine(() => pay(chain, to, amount)),
    start,
    close: () => ending.disposeAsync(),
  };
}

/** Waits for all that start at once. When one of them fails, the others still end with `starting`. */
async function startTogether<const T extends readonly Promise<{ close(): Promise<void> }>[]>(
  starting: AsyncDisposableStack,
  starts: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  for (const each of await Promise.allSettled(starts))
    if (each.status === 'fulfilled') starting.defer(() => each.value.close());
  return Promise.all(starts);
}

/** Makes a login in each database before any service starts: six of them can use all connections while they start. */
async function makeLogins(
  places: Record<'SHARED' | 'OWN', string>,
): Promise<Record<'SHARED' | 'OWN', Login>> {
  const make = (databaseUrl: string) => makeLogin({ databaseUrl }, 'Lies', EVERYTHING, 'production');
  const [SHARED, OWN] = await Promise.all([make(places.SHARED), make(places.OWN)]);
  return { SHARED, OWN };
}

/** The body of a payment over the only corridor, into an address that is watched, or that reports tell of. */
export function paymentOf(random: Random, depositAddress: string, amountIn: bigint): object {
  const account = { bsb: '062-000', accountNumber: '12345678' };
  return {
    clientReference: `lie ${depositAddress} ${random.integer(0, 2 ** 31)}`,
    corridorId: CORRIDOR_ID,
    amountIn: String(amountIn),
    recipient: { type: 'bank', name: 'Jo Citizen', country: 'AU', account },
    options: { mode: 'STANDARD', ...random.pick([{ sender: depositAddress }, { depositAddress }]) },
  };
}

/** The token that payments bring in. */
export function depositToken({ tokens }: TestChain): string {
  return tokens[0]?.address ?? '';
}

function corridorOf(chain: TestChain): object {
  const [source, target] = chain.tokens;
  const corridor = {
    id: CORRIDOR_ID,
    source: { chainId: chain.chainId, token: source?.address },
    target: {
      type: 'BANK',
      country: 'AU',
      currency: 'AUD',
      token: target?.address,
      custodian: 'Test',
      settlementAddress: `0x${'c5'.repeat(20)}`,
    },
    modes: ['STANDARD'],
    settlementTime: { min: 'PT1M', max: 'P1D' },
  };
  return { payments: { corridors: [corridor], planLifetimeHours: 24 } };
}

/** A node that ends every connection at once. It holds its port, which another test could otherwise be given. */
async function startDeadNode(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** The traffic of a chain, whose blocks are mined by `mine`. */
async function startTrading(
  chain: TestChain,
  random: Random,
  mine: MiningGate['mine'],
): Promise<{ close(): Promise<void> }> {
  let stopped = false;
  const traffic = await createTraffic(chain, random);
  async function trade(): Promise<void> {
    while (!stopped) {
      await mine(traffic.trade);
      await sleep(TRADE_PAUSE_MS);
    }
  }
  const trading = trade();
  return {
    close() {
      stopped = true;
      return trading;
    },
  };
}

/** A real deposit. The hash is that of its transaction. */
async function pay(chain: TestChain, to: string, amount: bigint): Promise<string> {
  const given = await chain.faucet({ address: toAddress(to), token: toAddress(depositToken(chain)), amount });
  if (!given.ok || given.transactionHash === undefined) throw new Error('A deposit was not made.');
  return given.transactionHash;
}
