import assert from 'node:assert/strict';
import { isOver, planStatus } from '@fairway/plan';
import type { Random } from '@fairway/testing';
import { AMOUNT_IN } from './modelPlans.ts';
import { obey, OBEYED, seenNext } from './obedientAgent.ts';
import type { Life, ObedientFaults, Refund } from './obedientTypes.ts';
import {
  createLife,
  depositsOn,
  executionsOn,
  goOn,
  isBehind,
  keepSnapshot,
  mischief,
  planOf,
  read,
  refundsOn,
  serve,
} from './obedientWorld.ts';

/** How many turns have mischief, and within how many more a plan must have come to its end. */
const WILD_TURNS = 30;
const CALM_TURNS = 80;
/** Within how many turns something has to change. */
const PATIENCE = 40;

/** Lives through a plan with an agent that obeys its `next`. `seen`: gets what came up. */
export function live(random: Random, faults: ObedientFaults = OBEYED, seen = new Set<string>()): void {
  const life = createLife(random, faults);
  try {
    const stand = { at: '', turns: 0 };
    for (let turn = 0; turn < WILD_TURNS; turn += 1) {
      mischief(life);
      step(life, random.integer(0, 3) === 0);
      assertMoving(life, stand);
      // A plan that is over still gets money and returns, but not for ever.
      if (seenNext(life) === undefined && random.integer(0, 5) === 0) break;
    }
    life.isCalm = true;
    // Only the end is asked for now: everything else has to come by itself.
    for (let turn = 0; turn < CALM_TURNS && !isAtEnd(life); turn += 1) {
      step(life, false);
      assertMoving(life, stand);
    }
    assert.ok(isAtEnd(life), `it has not come to its end: ${seenNext(life)?.why}`);
    assert.ok(isOver(planOf(life).plan), 'a plan without next is over');
  } catch (cause) {
    const told = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`seed ${random.seed}, after ${life.way.join(', ')}: ${told}`, { cause });
  }
  seen.add(planStatus(planOf(life).plan));
  for (const name of life.way) seen.add(name.replace(/@.*/, ''));
}

/** One turn: the world goes on, the service works unless it is behind, and the agent does what it is told. */
function step(life: Life, isLate: boolean): void {
  goOn(life);
  if (!isLate) serve(life);
  obey(life);
  if (!isBehind(life)) keepSnapshot(life);
  assertOnce(life);
}

/** Whether nothing is to come, with all that the chain has. */
function isAtEnd(life: Life): boolean {
  read(life);
  return life.waiting.length === 0 && life.dropped.length === 0 && seenNext(life) === undefined;
}

/**
 * Never twice. The payer never sent more than the deposit, but for what was lost for good. There is never a second execution
 * of the plan on the chain, and what it spent does not go back. The bank's payments that did not come back, with what was
 * refunded, are never more than the one execution brought. A refund that may be mined again counts as made.
 *
 * Where a reorganisation took final blocks back, the money may be paid out while its execution is gone. Then it is never more than the
 * most that one execution brought. The deposit may be behind its execution then, which no real chain allows.
 */
function assertOnce(life: Life): void {
  const stands = new Set([...depositsOn(life), ...life.dropped].map(({ tx }) => tx));
  const sent = [...life.sent].reduce((sum, [tx, amount]) => (stands.has(tx) ? sum + amount : sum), 0n);
  assert.ok(sent <= AMOUNT_IN, `twice: ${sent} was sent`);
  const executions = executionsOn(life);
  assert.ok(executions.length <= 1, `twice: ${executions.length} executions`);
  const { ofDeposits, ofSwap } = refundedIn(life);
  const spent = executions.reduce((sum, each) => sum + each.spent, 0n);
  const isThere = life.isDeep || spent + ofDeposits <= life.arrived;
  assert.ok(isThere, `twice: ${spent} was spent and ${ofDeposits} went back of ${life.arrived}`);
  const paid = life.bank.netPaid() + ofSwap;
  const all = life.isDeep ? [...life.signed.values()] : executions;
  const brought = all.reduce((most, each) => (each.brought > most ? each.brought : most), 0n);
  assert.ok(paid <= brought, `twice: ${paid} was paid of ${brought}`);
}

/** What went back or may still go back. */
function refundedIn(life: Life): Pick<Refund, 'ofDeposits' | 'ofSwap'> {
  const there = new Set([...refundsOn(life), ...life.dropped].map(({ tx }) => tx));
  let [ofDeposits, ofSwap] = [0n, 0n];
  for (const [tx, refund] of life.refunds) {
    if (refund.isOnChain && !there.has(tx)) continue;
    ofDeposits += refund.ofDeposits;
    ofSwap += refund.ofSwap;
  }
  return { ofDeposits, ofSwap };
}

/** Never stands still. */
function assertMoving(life: Life, stand: { at: string; turns: number }): void {
  const seen = seenNext(life);
  // A backup that is put back begins a wait anew, with another deadline.
  const at = JSON.stringify([seen?.why, planOf(life).plan.revision, seen?.deadlineMs]);
  stand.turns = seen === undefined || at !== stand.at ? 0 : stand.turns + 1;
  stand.at = at;
  assert.ok(stand.turns < PATIENCE, `it stands still: ${at}`);
}
