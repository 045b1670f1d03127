// Executions by a process that is killed again and again, on a real chain and a real database. The chain judges.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call, Hex } from '@fairway/relay';
import type { Random } from '@fairway/testing';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { acceptExecution } from '../src/platform/database/executions.ts';
import { type Boundary, countOf, createReaper, dueOf } from './boundaries.ts';
import { CHAIN_ID, disabled, type Ground, type Killable, startGround } from './ground.ts';

/** How much happens in a life. */
export type Life = {
  readonly executions: number;
  readonly kills: number;
  readonly reorganisations: number;
  /** How many processes relay for the key at once, each with a journal of its own. */
  readonly processes?: number;
};

/** Lives it, and asserts that each call happened exactly once. Says what came up. */
export async function liveOnce(life: Life, random: Random): Promise<string> {
  await using ground = await startGround(random);
  const wanted = wantedOf(life.executions, ground.address);
  const processes = [ground.process];
  for (let index = 1; index < (life.processes ?? 1); index += 1)
    processes.push(ground.another(`journal-${index}`));
  await ground.tellJournals(processes.slice(1));
  for (const each of processes) each.start();
  const happened: Course['happened'] = {
    ...{ accepted: 0, kills: [], reorganisations: 0, spikes: 0 },
    dying: ground.process,
  };
  const reaper = createReaper(ground, random);
  const isLeft = () => happened.kills.length < life.kills || happened.reorganisations < life.reorganisations;
  for (let blocks = 0; isLeft() || !(await isOver(ground, wanted)); blocks += 1) {
    const most = 60 * (life.executions + life.kills);
    assert.ok(blocks < most, `after ${blocks} blocks something is open; ${ground.process.errors.at(-1)}`);
    await pass(ground, processes, { life, wanted, happened, reaper }, random);
  }
  for (const each of processes) await each.kill();
  assert.equal(await disabled(ground), null);
  const { dying: _, kills, ...others } = happened;
  const killed = { kills: kills.length, at: countOf(kills) };
  return `${await judge(ground)}; ${JSON.stringify({ ...others, ...killed, ...ground.node.counts })}`;
}

/** Payments of one wei, each to an account of its own; some come too late, some wait for another one. */
function wantedOf(executions: number, sender: Hex): readonly (readonly Call[])[] {
  return Array.from({ length: executions }, (_, index) =>
    Array.from(
      { length: 1 + (index % 2) },
      (_each, place): Call => ({
        ...{ chainId: CHAIN_ID, sender, data: '0x', valueWei: 1n },
        to: privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Hex,
        ...(place === 0 && index % 5 === 4 && { notAfterMs: Date.now() - 1000 }),
      }),
    ),
  );
}

async function isOver({ database }: Ground, wanted: readonly (readonly Call[])[]): Promise<boolean> {
  const rows = await database.selectFrom('instructions').select('outcome').execute();
  return rows.length === wanted.flat().length && rows.every(({ outcome }) => outcome !== null);
}

type Course = {
  readonly life: Life;
  readonly wanted: readonly (readonly Call[])[];
  readonly reaper: ReturnType<typeof createReaper>;
  readonly happened: {
    accepted: number;
    readonly kills: Boundary[];
    reorganisations: number;
    spikes: number;
    /** The process that is killed next. */
    dying: Killable;
  };
};

/** One block: a client asks, the process may die, and the chain goes on or back. */
async function pass(
  { chain, database }: Ground,
  processes: readonly Killable[],
  { life, wanted, happened, reaper }: Course,
  random: Random,
): Promise<void> {
  const dueNow = (count: number) => dueOf(count, happened.kills.length, life);
  const isDue = happened.accepted < dueNow(life.executions) && random.integer(1, 2) === 1;
  const calls = isDue ? wanted[happened.accepted] : undefined;
  if (calls !== undefined) {
    const key = `key-${happened.accepted}`;
    const execution = { key, bodyFingerprint: Buffer.from(key), relayerId: 'r', calls };
    assert.equal((await acceptExecution(database, execution)).state, 'ACCEPTED');
    assert.equal((await acceptExecution(database, execution)).state, 'KNOWN', 'the client asks again');
    happened.accepted += 1;
  }
  await sleep(random.integer(0, 150));
  if (happened.kills.length < life.kills && (reaper.isWaiting() || happened.dying.isUp())) {
    const killed = await reaper.pass(happened.dying.kill);
    if (killed !== undefined) {
      happened.kills.push(killed);
      happened.dying.start();
      happened.dying = random.pick(processes);
    }
  }
  if (random.integer(1, 20) === 1) {
    happened.spikes += 1;
    await chain.rpc('anvil_setNextBlockBaseFeePerGas', [
      random.pick(['0x5f5e100', '0x3b9aca00', '0x2540be400']),
    ]);
  }
  if (happened.reorganisations < dueNow(life.reorganisations) && random.integer(1, 4) === 1) {
    await chain.rpc('anvil_reorg', [random.integer(1, 6), []]);
    happened.reorganisations += 1;
  } else await chain.rpc('evm_mine');
}

/** Compares what the database says with what the chain has. */
async function judge({ chain, database, address }: Ground): Promise<string> {
  const rows = await database.selectFrom('instructions').selectAll().execute();
  const bound = rows.filter(({ nonce }) => nonce !== null).length;
  const count = BigInt(await chain.rpc<Hex>('eth_getTransactionCount', [address, 'latest']));
  assert.equal(count, BigInt(bound), 'as many transactions as nonces were bound');
  for (const { to_address: to, outcome, relay_transaction_id: id } of rows) {
    const balance = BigInt(await chain.rpc<Hex>('eth_getBalance', [to, 'latest']));
    assert.equal(balance, outcome === 'CONFIRMED' ? 1n : 0n, `${id} is ${outcome}`);
  }
  return `${rows.length} calls, ${bound} transactions`;
}
