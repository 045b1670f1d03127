// Mishaps around the service. Answers are late or empty, a process stands still while another goes on, clocks jump, and
// a database is restored to an earlier moment.
import type { PlanCommand } from '@fairway/plan';
import { compareAll, eventsFor, read, readAgain, readUpTo } from './recordReading.ts';
import type { Kept, World } from './worldTypes.ts';

/** Lets an event happen to a plan; answers whether the plan took it. */
type Apply = (world: World, one: Kept, event: PlanCommand) => boolean;

/** Mishaps by name, some of them more often. */
export function mishaps(
  apply: Apply,
  work: (world: World) => void,
): readonly (readonly [string, (world: World) => void])[] {
  return [
    ['late answer', (world) => lateAnswer(apply, world)],
    ['empty answer', (world) => emptyAnswer(apply, world)],
    ['read again', (world) => readAgain(world)],
    ['stand still', standStill],
    ['stand still', standStill],
    ['go on', (world) => goOn(apply, world)],
    ['go on', (world) => goOn(apply, world)],
    ['overtaken', (world) => overtaken(apply, world)],
    ['clock jump', clockJump],
    ['back up', backUp],
    ['restore', (world) => restore(work, world)],
  ];
}

/** Some of the newest blocks are not answered yet. */
function lateAnswer(apply: Apply, world: World): void {
  readUpTo(world, world.chain.blocks().length - world.random.integer(1, 3));
  compareAll(apply, world);
}

/** A node leaves out the payments of some blocks. */
function emptyAnswer(apply: Apply, world: World): void {
  readUpTo(world, world.chain.blocks().length, true);
  compareAll(apply, world);
}

/** A process has compared a plan with the record, and stands still before it writes. */
function standStill(world: World): void {
  readUpTo(world, world.chain.blocks().length);
  const one = world.random.pick(world.kept);
  const { planId, ended } = one.plan;
  world.unwritten.push({ planId, isOpen: ended === undefined, events: eventsFor(world, one) });
}

/** A process that stood still writes what it had found, whatever happened meanwhile. */
function goOn(apply: Apply, world: World): void {
  const found = world.unwritten.shift();
  const one = world.kept.find(({ plan }) => plan.planId === found?.planId);
  if (found === undefined || one === undefined) return;
  // If the plan was ended or opened again meanwhile, any of several executions may become its swap: then nothing is
  // written.
  if (found.isOpen !== (one.plan.ended === undefined)) return;
  for (const event of found.events) apply(world, one, event);
}

/** All that a process has found is gone from the chain before it writes, and the other process knows that already. */
function overtaken(apply: Apply, world: World): void {
  for (let left = world.kept.length; left > 0; left -= 1) standStill(world);
  world.chain.reorganise(world.random.integer(1, 3));
  read(apply, world);
  while (world.unwritten.length > 0) goOn(apply, world);
}

const HOUR_MS = 3_600_000;

function clockJump(world: World): void {
  world.nowMs += world.random.integer(-2, 2) * HOUR_MS;
}

function backUp(world: World): void {
  world.backup = { kept: world.kept.map(copyOf), record: world.record };
}

/**
 * All that was written since the last backup is lost; the chain is as it is. A process from before the restore writes
 * nothing more.
 */
function restore(work: (world: World) => void, world: World): void {
  const { backup } = world;
  if (backup === undefined) return;
  world.kept.splice(0, world.kept.length, ...backup.kept.map(copyOf));
  world.record = backup.record;
  world.unwritten.length = 0;
  // The service starts, and does at once what is due.
  work(world);
}

/** A copy of a plan as it is kept, which later changes leave as it is. */
export function copyOf(one: Kept): Kept {
  const { history, order, attempts, paid, returned, deducted, refunds } = one;
  return {
    ...one,
    history: [...history],
    order: [...order],
    attempts: [...attempts],
    paid: [...paid],
    returned: [...returned],
    deducted: [...deducted],
    refunds: [...refunds],
  };
}
