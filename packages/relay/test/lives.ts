// Executions of one relayer over its life: processes are killed at every boundary, nodes and the chain are unkind.
import assert from 'node:assert/strict';
import type { Random } from '@fairway/testing';
import {
  advance,
  type Attempt,
  type BoundInstruction,
  type Call,
  type GasRules,
  type Hex,
  type Leaving,
  type Order,
  type Relayer,
  type RelayPorts,
  type Verdict,
} from '../src/index.ts';
import {
  BLOCK_MS,
  createTestChain,
  signed,
  type TestChain,
  type Transaction,
  type Unkindness,
} from './chain.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

export const ADDRESS: Hex = '0xa11ce';
const RELAYER: Relayer = {
  relayerId: 'r',
  chainId: 1,
  address: ADDRESS,
  nextNonce: 0,
  isPaused: false,
};
export const RULES: GasRules = { maxFeePerGasCapWei: 5000n, bumpAfterBlocks: 2, mostPending: 5 };

const UNKIND: Unkindness = { sendsLost: 10, repliesLost: 15, forgotten: 10, receiptsHidden: 15 };

/** The process is gone at this place. */
export class Killed extends Error {}

export type World = {
  readonly random: Random;
  readonly chain: TestChain;
  readonly database: TestDatabase;
  /** The file beside the database, by hash. */
  readonly journal: Map<Hex, Leaving>;
  /** How many of a hundred calls of a port die. */
  readonly mortality: number;
  /** How many of a hundred calls have to wait when they are judged, such as for funds. */
  readonly waiting: number;
  kills: number;
};

/** Runs a relayer's process until it has nothing to do or is killed. */
export type Process = (world: World) => Promise<void>;

export function createWorld(random: Random, unkindness = UNKIND): World {
  const reverts = ({ data }: Transaction) => data.endsWith('dead');
  return {
    random,
    chain: createTestChain(random, unkindness, reverts),
    database: createTestDatabase(RELAYER),
    journal: new Map(),
    mortality: 2,
    waiting: 10,
    kills: 0,
  };
}

/** Has every call of a port die now and then, before it has done its work or after it. */
function mortal<Part extends object>(world: World, part: Part): Part {
  const dies = () => world.random.integer(1, 100) <= world.mortality;
  const kill = () => {
    world.kills += 1;
    throw new Killed();
  };
  return new Proxy(part, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]) => {
        if (dies()) kill();
        const answer: unknown = await (member as (...args: unknown[]) => unknown)(...given);
        if (dies()) kill();
        return answer;
      };
    },
  });
}

function signOrder({ about, purpose, fees }: Order): Pick<Attempt, 'hash' | 'raw'> {
  const { to, data, valueWei } = about.call;
  const content =
    purpose === 'EXECUTE' ? { to, data, valueWei } : { to: ADDRESS, data: '0x' as const, valueWei: 0n };
  return signed({ ...content, ...fees, nonce: about.nonce });
}

function judged({ random, waiting }: World): Verdict {
  return random.integer(1, 100) <= waiting ? { may: 'WAIT' } : { may: 'EXECUTE', gasLimit: 21_000n };
}

export function portsOf(world: World): RelayPorts {
  const { chain, database, journal } = world;
  return {
    store: mortal(world, database.store),
    chain: mortal(world, {
      look: (_: Relayer, bound: readonly BoundInstruction[]) =>
        Promise.resolve(chain.look(bound.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)))),
      find: ({ nonce }: BoundInstruction) => Promise.resolve(chain.find(nonce)),
      send: ({ raw }: Attempt) => chain.send(raw),
    }),
    ...mortal(world, {
      judge: () => Promise.resolve(judged(world)),
      sign: (order: Order) => Promise.resolve(signOrder(order)),
      // Now and then somebody has to be told first, who is away.
      mayLeave: () => Promise.resolve(world.random.integer(1, 10) > 1),
      journal: async (leaving: readonly Leaving[]) => {
        for (const each of leaving) journal.set(each.attempt.hash, each);
      },
    }),
    onSendFailed: (_, error) => {
      if (error instanceof Killed) throw error;
    },
  };
}

export const honest: Process = async (world) => {
  const lately = new Set<Hex>();
  const ports = portsOf(world);
  const { send } = ports.chain;
  const chain = {
    ...ports.chain,
    look: ports.chain.look,
    find: ports.chain.find,
    async send(attempt: Attempt) {
      lately.add(attempt.hash);
      await send(attempt);
    },
  };
  await advance('r', { ...ports, chain }, RULES, () => ({ upTo: sentUpTo(world), lately }));
};

export function sentUpTo({ journal }: World): number {
  return Math.max(-1, ...[...journal.values()].map(({ about }) => about.nonce));
}

/** Each execution's calls, as its client asks for them again and again. */
export type Wanted = ReadonlyMap<string, readonly Call[]>;

export function wantedOf(random: Random, executions: number): Wanted {
  return new Map(
    Array.from({ length: executions }, (_, index) => [
      `e${index}`,
      Array.from({ length: random.integer(1, 3) }, (_each, place): Call => {
        const fails = random.integer(1, 12) === 1 ? 'dead' : 'aa';
        return {
          chainId: 1,
          sender: ADDRESS,
          to: `0xc${index}${place}`,
          data: `0x${index.toString(16).padStart(4, '0')}${place}${fails}`,
          valueWei: 0n,
          ...(random.integer(1, 3) === 1 && { notAfterMs: random.integer(5, 60) * BLOCK_MS }),
        };
      }),
    ]),
  );
}

/** One block of the world: clients ask, processes work and die, nodes forget, the chain goes on or back. */
export async function pass(world: World, wanted: Wanted, process: Process, at: number): Promise<void> {
  const { random, chain, database } = world;
  for (const [index, [executionId, calls]] of [...wanted].entries())
    if (index * 2 <= at) database.accept(executionId, calls);
  if (random.integer(1, 15) === 1) chain.baseFee = BigInt(random.pick([50, 100, 300, 900]));
  if (random.integer(1, 40) === 1) database.cancel(random.pick(database.rows()).relayTransactionId);
  for (let tries = random.integer(0, 2); tries >= 0; tries -= 1)
    await process(world).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
    });
  if (random.integer(1, 3) === 1) chain.forget();
  if (random.integer(1, 8) === 1) chain.reorganise(random.integer(1, 6));
  else chain.mine();
}

/** The chain judges: how often each call is there. */
export function executionsOf({ chain }: World): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { to, data } of chain.transactions())
    if (to !== ADDRESS) counts.set(`${to} ${data}`, (counts.get(`${to} ${data}`) ?? 0) + 1);
  return counts;
}

export const CALM: Unkindness = { sendsLost: 0, repliesLost: 0, forgotten: 0, receiptsHidden: 0 };

/** Lives until everything has an outcome, then compares the database with the chain. */
export async function live(world: World, wanted: Wanted, process: Process, blocks = 400): Promise<void> {
  const isOver = () => {
    const rows = world.database.rows();
    const known = new Set(rows.map(({ executionId }) => executionId));
    return (
      [...wanted.keys()].every((id) => known.has(id)) && rows.every(({ outcome }) => outcome !== undefined)
    );
  };
  for (let at = 0; at < blocks && !isOver(); at += 1) await pass(world, wanted, process, at);
  for (const [what, count] of executionsOf(world)) assert.equal(count, 1, `${what} is there ${count} times`);
  assert.ok(isOver(), `after ${blocks} blocks something is still open`);
}

/** What the database says is what the chain has. */
export function assertTrue(world: World): void {
  const onChain = new Map(world.chain.transactions().map((each) => [each.hash, each]));
  const rows = world.database.rows();
  for (const { outcome, nonce, relayTransactionId, call } of rows) {
    assert.ok(outcome);
    if ('inclusion' in outcome)
      assert.equal(onChain.get(outcome.inclusion.hash)?.nonce, nonce, relayTransactionId);
    const isThere = executionsOf(world).has(`${call.to} ${call.data}`);
    assert.equal(isThere, outcome.as === 'CONFIRMED' || outcome.as === 'REVERTED', relayTransactionId);
  }
  assert.equal(onChain.size, rows.filter(({ nonce }) => nonce !== undefined).length, 'as many as were bound');
}
