// Plans that a backup did not have are asked for again, and their deposits are told.
import assert from 'node:assert/strict';
import { keepPlan } from './acts.ts';
import type { Kept } from './keptTypes.ts';
import { movedAt } from './chainNow.ts';
import { SETTLEMENT, targetOf } from './corridors.ts';
import { say, stepPath } from './requests.ts';
import type { Run } from './runTypes.ts';

/** Asks for half of the lost plans again, where no other plan has the address, and tells the deposits of the lost one. */
export async function makeAgain(run: Run, lost: readonly Kept[]): Promise<void> {
  for (const { asked, way, own, address, wallet } of lost) {
    const isUsed = run.kept.some((other) => other.address === address);
    if (isUsed || run.random.integer(0, 1) === 0) continue;
    const head = Number(await run.ground.chain.rpc('eth_blockNumber'));
    await tellDeposits(run, await keepPlan(run, { asked, way, own, address, wallet, from: head + 1 }));
  }
}

/**
 * Reports the deposits to the address of a plan that are older than it. They count while they are there: once a part was swapped
 * over the corridor of the lost plan, all are refused. Another plan of the address may have swapped a part over another corridor;
 * that part can be missing at the address.
 */
async function tellDeposits(run: Run, one: Kept): Promise<void> {
  const moved = await movedAt(run.ground, run.ground.token('USDC'), one.address, run.fromBlock);
  const settled = await movedAt(run.ground, run.ground.token(targetOf(one.way)), SETTLEMENT, run.fromBlock);
  const isSwapped = moved.from.some(({ tx }) => settled.to.some((each) => each.tx === tx));
  for (const txHash of new Set(moved.to.map(({ tx }) => tx))) {
    const { status, text } = await say(run, stepPath(one, 'AWAIT_DEPOSIT', 'reports'), {
      outcome: 'DONE',
      txHash,
    });
    // When all that is due is there, no more of it is told.
    const isRefusable = moved.from.length > 0 || one.older.length > 0;
    assert.ok(isSwapped ? status === 409 : status === 200 || (status === 409 && isRefusable), text);
    if (status === 200) one.older.push(txHash);
  }
}
