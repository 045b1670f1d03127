// How plans learn what is on the chain, as in the service. A block gives a job to each plan that it concerns, and a plan
// that rests on a young block waits for a later one. No other plan is looked at.
import {
  awaitedBlock,
  awaitedRefunds,
  commandsFromRecord,
  effectsOf,
  type Plan,
  type PlanCommand,
} from '@fairway/plan';
import { CONFIRMATIONS } from './modelPlans.ts';
import type { RefBlock } from './referenceLedger.ts';
import { viewOf } from './recordView.ts';
import type { Kept, World } from './worldTypes.ts';

/** Lets an event happen to a plan; answers whether the plan took it. */
type Apply = (world: World, one: Kept, event: PlanCommand) => boolean;

/** Reads the chain up to its head and does the jobs of all plans. */
export function read(apply: Apply, world: World): void {
  readUpTo(world, world.chain.blocks().length);
  compareAll(apply, world);
}

/**
 * Mines blocks until moved transactions are confirmed. A final transaction that is being confirmed in another block has its former
 * place on the plan until it is final there.
 */
export function settle(apply: Apply, world: World): void {
  const isMoving = () => world.kept.some((one) => viewOf(world, one).gone.length > 0);
  for (let block = 0; block < CONFIRMATIONS && isMoving(); block += 1) {
    world.chain.mine([]);
    read(apply, world);
  }
}

/**
 * Reads the chain up to a block. `isEmpty`: the node shows no deposits in some blocks, until they are read a second time.
 */
export function readUpTo(world: World, number: number, isEmpty = false): void {
  const { chain, random, record: before } = world;
  const known = new Map(before.map((block) => [block.hash, block]));
  // In a storm of dust, a plan has the first hundred transfers that it is shown: none may be hidden then.
  const canHide = isEmpty && !world.isStormy;
  if (canHide) world.isEmptied = true;
  const hidden = (block: RefBlock) =>
    canHide && random.integer(0, 1) === 0 ? withoutDeposits(block) : block;
  const now = chain
    .blocks()
    .slice(0, number)
    .map((block) => known.get(block.hash) ?? hidden(block));
  // A chain that is shorter is a node that is behind.
  if (now.length < before.length) return;
  world.record = now;
  const stands = new Set(now.map(({ hash }) => hash));
  touch(world, [
    ...now.filter(({ hash }) => !known.has(hash)),
    ...before.filter(({ hash }) => !stands.has(hash)),
  ]);
}

function withoutDeposits(block: RefBlock): RefBlock {
  return block.transfers.length === 0 ? block : { ...block, transfers: [] };
}

/** Reads all blocks a second time: what a node left out is found. */
export function readAgain(world: World): void {
  if (!world.faults.isReadTwice) return;
  const whole = new Map(world.chain.blocks().map((block) => [block.hash, block]));
  const before = world.record;
  world.record = before.map((block) => whole.get(block.hash) ?? block);
  touch(
    world,
    world.record.filter((block, index) => block !== before[index]),
  );
}

/** A job for each plan that the blocks concern, and for those whose wait is over. */
function touch({ kept, record }: World, blocks: readonly RefBlock[]): void {
  const addresses = new Set(blocks.flatMap(({ transfers }) => transfers.map(({ to }) => to)));
  const attempts = new Set(blocks.flatMap(({ executions }) => executions.map(({ attempt }) => attempt)));
  const transactions = new Set<string>(blocks.flatMap(({ transfers }) => transfers.map(({ tx }) => tx)));
  for (const one of kept) {
    const isConcerned =
      addresses.has(String(one.plan.options.depositAddress)) ||
      one.attempts.some((attempt) => attempts.has(attempt)) ||
      // The record keeps the transfers of refunds because the plan asks for them.
      (one.plan.ledger ?? []).some(
        ({ kind, transfer }) => kind === 'REFUND' && transactions.has(String(transfer?.txHash)),
      );
    const isWaitOver = one.awaited !== undefined && one.awaited <= record.length;
    if (isConcerned || isWaitOver) one.hasJob = true;
    if (isWaitOver) delete one.awaited;
  }
}

/** A plan that has changed waits for a block. A plan that waits already waits for the earlier one. */
export function awaitChain(one: Kept, before: Plan): void {
  for (const effect of effectsOf(before, one.plan))
    if (effect.kind === 'CHAIN_AWAITED')
      one.awaited = Math.min(one.awaited ?? effect.dueBlock, effect.dueBlock);
}

/** Does the jobs of plans, until none is due. */
export function compareAll(apply: Apply, world: World): void {
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    touch(world, []);
    const due = world.kept.filter(({ hasJob }) => hasJob);
    if (due.length === 0) return;
    for (const one of due) compare(apply, world, one);
  }
  throw new Error('attribution: the jobs of plans never end');
}

const MOST_ROUNDS = 20;
/** How often a plan is compared at once, as the service does. */
const COMPARED_ROUNDS = 4;

/** Compares a plan with the record, which comes before all work that is done for it. */
export function compare(apply: Apply, world: World, one: Kept): void {
  one.hasJob = false;
  // What is recorded can make more possible: a refund that is lost is found again in another block.
  for (let rounds = 0; rounds < COMPARED_ROUNDS; rounds += 1) {
    const { revision } = one.plan;
    for (const event of eventsFor(world, one)) apply(world, one, event);
    if (one.plan.revision === revision) break;
  }
  const later = world.record.length + 1;
  const confirmed = awaitedBlock(one.plan);
  // A final transaction that is being confirmed in another block still has its former place on the plan.
  const isMoving = viewOf(world, one).gone.length > 0;
  const isSought = awaitedRefunds(one.plan) !== undefined;
  if (confirmed === undefined && !isMoving && !isSought) return;
  const next = isMoving || isSought ? later : Math.max(confirmed ?? 0, later);
  one.awaited = Math.min(one.awaited ?? next, next);
}

/** The events that a process would record now. */
export function eventsFor(world: World, one: Kept): readonly PlanCommand[] {
  const view = world.faults.show(viewOf(world, one), one.plan, world.random);
  return commandsFromRecord(one.plan, view, world.nowMs);
}
