// A run on a real service: random acts and faults by a seed. After each of them every plan is what the second ledger says.
import assert from 'node:assert/strict';
import { createRandom, type Random } from '@fairway/testing';
import { ACTS, closeNow, makePlan } from './acts.ts';
import { settled } from './books.ts';
import { CONFIRMATIONS } from './corridors.ts';
import { backUp, FAULTS } from './faults.ts';
import { type Ground, makeHonest, transferOf } from './ground.ts';
import type { Act, Run } from './runTypes.ts';

const possible = (run: Run, acts: readonly Act[]) =>
  acts.filter(({ isPossible }) => isPossible?.(run) ?? true);

/** How long a run is. */
export type RunSize = { readonly acts: number; readonly kills: number; readonly restores: number };

const OPENING = ACTS.filter(({ name }) => name === 'pay in' || name === 'execute').slice(0, 2);

/** The statuses of plans that have ended. */
const ENDS = ['COMPLETED', 'RETURNED', 'ENDED'];

/** Lives through a run. Its error says the seed and what happened until then. */
export async function liveThrough(
  ground: Ground,
  seed: number,
  { acts, ...most }: RunSize,
): Promise<readonly string[]> {
  const random = createRandom(seed);
  const way: string[] = [];
  const run = await beginRun(ground, random, most);
  try {
    way.push(`a plan ${await makePlan(run)}`);
    // A third of the runs make a backup; they can lose everything that was derived and reported since.
    if (seed % 3 === 0) way.push(`back up ${await backUp(run)}`);
    // A run begins with a swap, so that there is something to pay out, to lose and to find again.
    for (let done = 0; done < acts; done += 1) {
      const chosen = random.pick(possible(run, random.integer(1, 3) === 1 ? FAULTS : ACTS));
      const { name, act } = OPENING[done] ?? chosen;
      way.push(name);
      const more = await act(run);
      if (more !== undefined) way.push(`${way.pop()} ${more}`);
      await ground.mine(CONFIRMATIONS);
      await settled(ground, run.kept, run.fromBlock);
      makeHonest(ground);
    }
    await endAll(run);
    return way;
  } catch (cause) {
    const plans = run.kept.map(({ plan, way: to, address, from, ended = 'open' }) =>
      [`to ${to}`, `at ${address} from block ${from}`, ended, JSON.stringify(plan)].join(', '),
    );
    const recorded = await ground.recorded().catch(String);
    const told = [String(cause), ...plans, ...(await healthOf(ground)), recorded].join('\n');
    throw new Error(`seed ${seed}, after ${way.join(', ')}: ${told}`, { cause });
  } finally {
    makeHonest(ground);
  }
}

/** What the services say of themselves: a record that stands still explains why nothing comes to a plan. */
async function healthOf(ground: Ground): Promise<readonly string[]> {
  const asked = await Promise.allSettled(ground.clients().map((client) => client.ask('/health')));
  return asked.map((each) => (each.status === 'fulfilled' ? each.value.text : String(each.reason)));
}

async function beginRun(ground: Ground, random: Random, most: Omit<RunSize, 'acts'>): Promise<Run> {
  await ground.start();
  const { payer } = ground;
  const fromBlock = Number(await ground.chain.rpc('eth_blockNumber'));
  const pay = async (token: string, to: string, amount: bigint) =>
    void (await ground.batch([transferOf(token, payer, to, amount)]));
  const name = `run ${random.seed} at ${fromBlock}`;
  return { ground, random, name, kept: [], made: 0, payer, fromBlock, ...most, reorganisations: 0, pay };
}

/** Every plan ends by what the API permits, and then the ledgers of the whole database are sound. */
async function endAll(run: Run): Promise<void> {
  const { ground, kept, fromBlock } = run;
  for (const one of kept) await closeNow(run, one);
  await settled(ground, kept, fromBlock);
  for (const { plan } of kept) {
    assert.ok(ENDS.includes(plan.status), `${plan.planId} is ${plan.status}`);
    assert.equal(plan.next, undefined, `${plan.planId} has nothing more to do`);
  }
  const { code, output } = await ground.audit();
  assert.equal(code, 0, output);
}
