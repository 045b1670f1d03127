// What goes wrong in a run: the chain is reorganised, processes are killed, the node is late or leaves logs out.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kept } from './keptTypes.ts';
import { firstBlocksOf, forgetBlocks } from './chainNow.ts';
import { DEEPEST, makeHonest } from './ground.ts';
import { tellPayouts } from './payouts.ts';
import { makeAgain } from './lostPlans.ts';
import { type Act, canForget, type Run } from './runTypes.ts';

const isUnsaved = ({ backup }: Run) => backup === undefined;

/** Faults; the deepest takes back all that happened in a run. */
export const FAULTS: readonly Act[] = [
  { name: 'reorganise', act: (run) => reorganise(run, run.random.integer(1, 8)) },
  { name: 'reorganise', act: (run) => reorganise(run, run.random.integer(1, 8)) },
  { name: 'deep reorganisation', act: (run) => reorganise(run, run.random.integer(40, DEEPEST)) },
  { name: 'roll back', act: rollBack },
  { name: 'kill', act: kill, isPossible: ({ kills }) => kills > 0 },
  { name: 'wrong clock', act: moveClock },
  ...Array.from({ length: 3 }, (): Act => ({ name: 'back up', act: backUp, isPossible: isUnsaved })),
  ...Array.from({ length: 3 }, (): Act => ({ name: 'restore', act: restore, isPossible: canForget })),
  { name: 'late answers', act: lateAnswers },
  { name: 'empty answers', act: emptyAnswers },
];

/** Replaces the newest blocks by others without transactions. */
async function reorganise(run: Run, depth: number): Promise<void> {
  const { chain } = run.ground;
  run.reorganisations += 1;
  // With the same coinbase empty blocks would be replaced by identical ones.
  const coinbase = `0x${(run.random.seed * 100 + run.reorganisations).toString(16).padStart(40, '0')}`;
  await chain.rpc('anvil_setCoinbase', [coinbase]);
  await chain.rpc('anvil_reorg', [depth, []]);
}

/** Takes blocks away; the chain is longer again before it ends, as a shorter one looks like a node that is behind. */
async function rollBack({ ground, random }: Run): Promise<void> {
  const depth = random.integer(1, 20);
  await ground.chain.rpc('anvil_rollback', [depth]);
  await ground.mine(depth + 2);
}

/** Ends one of the processes; the other one goes on, and the dead one is started again later. */
async function kill(run: Run): Promise<void> {
  run.kills -= 1;
  await run.ground.start();
  await run.ground.kill(run.random.integer(0, 1) === 0 ? 0 : 1);
}

const HOUR_MS = 3_600_000;

/**
 * The clock of a process is hours or days off, until processes are started the next time. The differences are longer than
 * instructions and plans live.
 */
async function moveClock({ ground, random }: Run): Promise<string> {
  const hours = random.pick([-200, -2, 2, 200]);
  await ground.start(hours * HOUR_MS);
  return `by ${hours} hours`;
}

/** Makes a backup of the database, and answers of what kind. */
export async function backUp(run: Run): Promise<string> {
  const kind = run.random.pick(['files', 'tables'] as const);
  const { ground } = run;
  const firstBlocks = firstBlocksOf(ground.chain);
  run.backup = { database: await ground.backUp(kind), kept: run.kept.map(copyOf), firstBlocks };
  return `of ${kind}`;
}

/**
 * Everything that was written since the backup is lost, and the chain is as it is. Acts on the chain since then are found
 * again. Facts that were only reported are lost.
 */
async function restore(run: Run): Promise<string | undefined> {
  const { backup, kept, ground, random } = run;
  if (backup === undefined) return undefined;
  run.restores -= 1;
  // The command takes about a second on a quiet machine.
  const killedAfterMs = Array.from({ length: random.integer(0, 2) }, () => random.integer(300, 1_500));
  await ground.restore(backup.database, killedAfterMs);
  forgetBlocks(ground.chain, backup.firstBlocks);
  const before = kept.splice(0);
  for (const former of backup.kept) {
    const known = before.find(({ plan }) => plan.planId === former.plan.planId);
    if (known === undefined) continue;
    const { attempts, sent, payouts } = known;
    const one = { ...copyOf(former), attempts, sent, payouts };
    kept.push(one);
    if (one.wallet !== undefined && one.ended === undefined) await tellPayouts(run, one);
  }
  await makeAgain(
    run,
    before.filter((one) => !backup.kept.some(({ plan }) => plan.planId === one.plan.planId)),
  );
  return killedAfterMs.length === 0 ? undefined : `and kill recover after ${killedAfterMs.join(' and ')} ms`;
}

function copyOf(one: Kept): Kept {
  const { paid, deducted, returned, refunds, older } = one;
  const lists = { paid: [...paid], deducted: [...deducted], returned: [...returned] };
  return { ...one, ...lists, refunds: [...refunds], older: [...older] };
}

/** Until the next act each answer of the node takes a while. */
async function lateAnswers({ ground, random }: Run): Promise<void> {
  const ms = random.integer(50, 150);
  ground.node.lie = async (_, answer) => {
    await sleep(ms);
    return answer;
  };
}

/** Blocks are read while the node leaves their logs out. The missing logs are read a second time later. */
async function emptyAnswers(run: Run): Promise<void> {
  const { ground } = run;
  let lies = 0;
  ground.node.lie = (call, answer) => {
    if (call.method !== 'eth_getLogs') return answer;
    lies += 1;
    return { result: [] };
  };
  const usdc = ground.token('USDC');
  const { address } = run.random.pick(run.kept);
  await run.pay(usdc, address, 7n);
  for (let tries = 0; lies === 0 && tries < 200; tries += 1) await sleep(20);
  makeHonest(ground);
  // A block is read a second time when 64 others have come.
  await ground.mine(70);
}
