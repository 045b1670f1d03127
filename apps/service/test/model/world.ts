import assert from 'node:assert/strict';
import {
  amountOf,
  amountToPayOf,
  decide,
  depositOf,
  depositStep,
  commandsFromRecord,
  executableAttempt,
  fundsOf,
  imbalanceOf,
  isNative,
  isOver,
  isTransferOnly,
  nextOf,
  openAttempt,
  type Plan,
  type PlanCommand,
  planCreated,
  planOf,
  planStatus,
  type RecordedEvent,
  standingMovements,
  swapStep,
  unitsOf,
  workOf,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { Random } from '@fairway/testing';
import { createRefChain } from './refChain.ts';
import { endings } from './endings.ts';
import { mishaps } from './mishaps.ts';
import {
  AMOUNT_IN,
  CONFIRMATIONS,
  derivedAt,
  DUST,
  modelPlan,
  SOURCE,
  STRANGER,
  TARGET,
  THIRD,
} from './modelPlans.ts';
import { standingAs } from './outcomes.ts';
import { payments } from './payments.ts';
import { assertFunds, assertSettled } from './fundsChecks.ts';
import { awaitChain, compare, read as readAll, readAgain, settle } from './recordReading.ts';
import { viewOf } from './recordView.ts';
import { type Expected, expected, NATIVE, type RefPlan } from './referenceLedger.ts';
import type { Faults, Kept, World } from './worldTypes.ts';

/** The service as it is. */
export const SOUND: Faults = {
  show: (view) => view,
  isReadTwice: true,
  isReadFirst: true,
  isAwaiting: true,
};

/** When a world begins. */
export const BEGIN_MS = 1_700_000_000_000;
/** How many acts a history has. */
export const STEPS = 40;
const DAY_MS = 86_400_000;
const ADDRESSES = ['0xd1', '0xd2'] as const;

/**
 * Lives through a random history and asserts that the ledgers of the plans are those of the model. `seen`: gets the
 * statuses and the reasons of unallocated money that came up.
 */
export function simulate(random: Random, faults = SOUND, seen = new Set<string>()): void {
  live(createWorld(random, faults), STEPS, seen);
}

/** A world with its first plan. */
export function createWorld(random: Random, faults = SOUND): World {
  const world: World = {
    random,
    chain: createRefChain(random),
    kept: [],
    faults,
    record: [],
    unwritten: [],
    isStormy: false,
    isEmptied: false,
    nowMs: BEGIN_MS,
    transactions: 0,
    made: 0,
    happened: 0,
  };
  world.chain.mine([]);
  make(world);
  return world;
}

/** Lives through so many random acts, and asserts then that the ledgers are those of the model. `seen`: as with `simulate`. */
export function live(world: World, steps: number, seen = new Set<string>()): void {
  const { random } = world;
  const way: string[] = [];
  try {
    for (let step = 1; step <= steps; step += 1) {
      world.nowMs += random.integer(0, 60_000);
      const [name, act] = random.pick(ACTS);
      way.push(name);
      act(world);
    }
    readAgain(world);
    read(world);
    settle(apply, world);
    check(world);
    for (const one of world.kept)
      assert.deepEqual(commandsFromRecord(one.plan, viewOf(world, one), world.nowMs), [], 'nothing is new');
    for (const { plan } of world.kept) {
      seen.add(planStatus(plan));
      if (plan.ended !== undefined) seen.add(plan.ended.reason);
      for (const { unallocated } of fundsOf(plan)) for (const { reason } of unallocated) seen.add(reason);
      for (const { kind, reverses, asset } of plan.ledger ?? []) {
        seen.add(reverses === undefined ? kind : 'REVERSED');
        if (isNative(asset)) seen.add('NATIVE');
      }
    }
    for (const name of way) seen.add(name);
  } catch (cause) {
    const told = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`seed ${random.seed}, after ${way.join(', ')}: ${told}`, { cause });
  }
}

/** What can happen, some of it more often. */
const ACTS: readonly (readonly [string, (world: World) => void])[] = [
  ['deposit', deposit],
  ['deposit', deposit],
  ['deposit', deposit],
  ['make ready', makeReady],
  ['make ready', makeReady],
  ['make ready', makeReady],
  ['execute', (world) => execute(world)],
  ['execute', (world) => execute(world)],
  ['empty block', (world) => world.chain.mine([])],
  ['reorganise', (world) => world.chain.reorganise(world.random.integer(1, 12))],
  ['deep reorganisation', (world) => world.chain.reorganise(world.random.integer(13, 200))],
  ['read', read],
  ['read', read],
  ['read', read],
  ['work', work],
  ['work', work],
  ['refresh', refresh],
  ['execute and refresh', executeTwice],
  ['cancel', (world) => apply(world, pickPlan(world), { type: 'PLAN_ENDED', force: false })],
  ['a long time', passTime],
  ['retry', retry],
  ['swap failed', swapFailed],
  ...payments(apply),
  ['return', giveBack],
  ['another plan', make],
  ...endings(apply),
  ...mishaps(apply, work),
];

function pickPlan({ random, kept }: World): Kept {
  return random.pick(kept);
}

/** Makes a plan at an address that no open plan has. */
function make(world: World): void {
  const { kept, random, chain } = world;
  if (kept.length >= 4) return;
  const address = random.pick(ADDRESSES);
  if (kept.some(({ plan }) => plan.options.depositAddress === address && plan.ended === undefined)) return;
  const head = chain.blocks().length;
  world.made += 1;
  const plan = modelPlan({
    number: world.made,
    depositAddress: address,
    isDerived: random.integer(0, 3) > 0,
    isTransfer: random.integer(0, 3) === 0,
    watchFromBlock: head + 1,
    nowMs: world.nowMs,
  });
  world.happened += 1;
  kept.push({
    plan,
    history: [{ revision: 1, atMs: world.nowMs, actor: 'model', ...planCreated(plan) }],
    order: [world.happened],
    open: [{ from: head + 1 }],
    attempts: swapStep(plan).attempts.map(() => nextAttempt(world)),
    paid: [],
    deducted: [],
    returned: [],
    refunds: [],
    begun: { paid: 0, returned: 0, account: 0 },
    isShort: false,
    hasJob: false,
  });
}

function nextAttempt(world: World): string {
  world.made += 1;
  return `attempt ${world.made}`;
}

function nextTransaction(world: World): string {
  world.transactions += 1;
  return `0x${world.transactions.toString(16)}`;
}

/** Transfers to deposit addresses: parts, dust, storms of it, too much, other tokens, and transfers to oneself. */
function deposit(world: World): void {
  const { random, chain } = world;
  const isStorm = random.integer(1, 120) === 1 && !world.isEmptied;
  if (isStorm) world.isStormy = true;
  const units = isStorm
    ? [1n, DUST - 1n]
    : [1n, DUST - 1n, DUST, 400_000n, 600_000n, AMOUNT_IN - 500n, AMOUNT_IN, AMOUNT_IN + 1n, 2n * AMOUNT_IN];
  const stormy = random.pick(ADDRESSES);
  const transactions = Array.from({ length: isStorm ? 120 : random.integer(1, 3) }, () => {
    const to = isStorm ? stormy : random.pick(ADDRESSES);
    const kind = random.integer(1, 8);
    return {
      kind: 'TRANSFER',
      transfer: {
        tx: nextTransaction(world),
        token: kind === 1 ? random.pick([THIRD, TARGET]) : SOURCE,
        from: kind === 2 ? to : STRANGER,
        to,
        amount: random.pick(units),
      },
    } as const;
  });
  chain.mine(transactions);
}

/** What is missing of a plan's deposit comes and is confirmed, so that its swap is due. */
function makeReady(world: World): void {
  const { chain } = world;
  const { plan } = pickPlan(world);
  const { depositAddress: to = '' } = plan.options;
  const missing = unitsOf(plan.amountIn) - unitsOf(depositOf(plan).received);
  const transfer = { tx: nextTransaction(world), token: SOURCE, from: STRANGER, to, amount: missing };
  chain.mine(missing > 0n ? [{ kind: 'TRANSFER', transfer }] : []);
  for (let more = 0; more < CONFIRMATIONS; more += 1) chain.mine([]);
  read(world);
  work(world);
}

/** A wallet executes instructions of a plan: the newest, older ones, or ones that were executed before. */
function execute(world: World, { attempts, plan } = pickPlan(world)): void {
  const { random, chain } = world;
  const newest = attempts.at(-1);
  if (newest === undefined) return;
  const attempt = random.integer(0, 2) > 0 ? newest : random.pick(attempts);
  const brought = isTransferOnly(plan.corridor) ? AMOUNT_IN : 1_490n + BigInt(random.integer(0, 20));
  const execution = { tx: nextTransaction(world), attempt, spent: AMOUNT_IN, brought };
  // A contract that makes the call twice in one transaction, by mistake.
  const calls = world.transactions % 6 === 0 ? 2 : 1;
  chain.mine([{ kind: 'EXECUTION', executions: Array.from({ length: calls }, () => execution) }]);
}

/** The record catches up with the chain, and the plans that it concerns are compared with it. */
function read(world: World): void {
  readAll(apply, world);
}

/** The service's own work, which is done for plans that were compared with the newest block. */
function work(world: World): void {
  const due = world.kept.filter(({ plan }) => workOf(plan)?.kind === 'DERIVE_INSTRUCTIONS');
  for (const one of due) {
    upToNow(world, one);
    if (workOf(one.plan)?.kind === 'DERIVE_INSTRUCTIONS') derive(world, one, 'SERVICE');
  }
}

/** The integrator asks for instructions; none may be due, or others may exist already. */
function refresh(world: World): void {
  const one = pickPlan(world);
  upToNow(world, one);
  derive(world, one, 'INTEGRATOR');
}

/** A wallet executes instructions, its answer is lost, and the integrator asks for instructions again. */
function executeTwice(world: World): void {
  const one = world.kept.find(({ plan }) => executableAttempt(plan) !== undefined) ?? pickPlan(world);
  execute(world, one);
  upToNow(world, one);
  derive(world, one, 'INTEGRATOR');
}

/** Has the record read to the head, and a plan compared with it, before something is done for the plan. */
function upToNow(world: World, one: Kept): void {
  if (world.faults.isReadFirst) read(world);
  compare(apply, world, one);
}

/** Derives instructions, which nobody may get while the chain shows that others were executed. */
function derive(world: World, one: Kept, askedBy: 'SERVICE' | 'INTEGRATOR'): void {
  const swap = swapStep(one.plan);
  // The same transfer twice would pay twice: the first one is answered again.
  if (isTransferOnly(one.plan.corridor) && openAttempt(swap) !== undefined) return;
  const derived = derivedAt(world.nowMs, one.plan);
  if (!apply(world, one, { type: 'INSTRUCTED', stepId: swap.stepId, askedBy, derived })) return;
  const executed = world.chain.blocks().flatMap(({ executions }) => executions.map(({ attempt }) => attempt));
  assert.ok(
    !one.attempts.some((attempt) => executed.includes(attempt)),
    'instructions were derived beside an executed swap',
  );
}

function passTime(world: World): void {
  world.nowMs += 8 * DAY_MS;
  read(world);
  for (const one of world.kept) apply(world, one, { type: 'TIME_PASSED' });
  for (const one of world.kept) lookForNative(world, one);
}

/** Native currency is looked for; how much is there comes from the time, so that the histories of seeds stay what they were. */
function lookForNative(world: World, one: Kept): void {
  const held = BigInt(world.nowMs % 7);
  const known = one.native ?? 0n;
  const isRefunded = one.refunds.some(({ token }) => token === NATIVE);
  const { stepId } = depositStep(one.plan);
  const isTaken = apply(world, one, { type: 'NATIVE_SEEN', stepId, held: amountOf(held) });
  assert.equal(isTaken, isOver(one.plan) && !isRefunded && held > known, 'native currency is listed once');
  if (isTaken) one.native = held;
}

/** A retry opens an expired plan again, which its address must be free for. */
function retry(world: World): void {
  const one = pickPlan(world);
  const { depositAddress } = one.plan.options;
  const isTaken = world.kept.some(
    (other) =>
      other !== one && other.plan.options.depositAddress === depositAddress && other.plan.ended === undefined,
  );
  const failed = one.plan.steps.find(({ status }) => status === 'FAILED');
  if (failed !== undefined && !isTaken) apply(world, one, { type: 'STEP_RETRIED', stepId: failed.stepId });
}

function swapFailed(world: World): void {
  const one = pickPlan(world);
  const swap = swapStep(one.plan);
  if (openAttempt(swap) === undefined) return;
  const failure = { code: 'INSTRUCTIONS_EXPIRED' };
  apply(world, one, { type: 'SWAP_FAILED', stepId: swap.stepId, failure, verification: 'REPORTED' });
}

function giveBack(world: World): void {
  const one = pickPlan(world);
  const last = one.plan.steps.at(-1);
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, units) => total + units, 0n);
  const paid = sum(one.paid) - sum(one.returned);
  if (last?.type !== 'CUSTODIAN_PAYOUT' || (last.status !== 'DONE' && paid === 0n)) return;
  const units = world.random.integer(0, 3) === 0 ? paid + 1n : BigInt(world.random.integer(1, 700));
  const providerReference = `RET-${nextTransaction(world)}`;
  const amount = amountOf(units);
  const isTaken = apply(world, one, {
    type: 'PAYOUT_RETURNED',
    stepId: last.stepId,
    providerReference,
    amount,
  });
  const isPartPaid = last.status === 'READY' && one.paid.length > one.begun.account;
  const isHeld = last.hold !== undefined && isPartPaid;
  assert.equal(
    isTaken,
    units <= paid && !isHeld,
    `no more than ${paid} comes back of what was paid, and nothing while the rest is held`,
  );
  if (!isTaken) return;
  one.returned.push(units);
  // Money of an earlier attempt: the present one goes on.
  if (last.status !== 'DONE' && !isPartPaid)
    one.begun = { ...one.begun, paid: one.paid.length, returned: one.returned.length };
}

/** Lets an event happen; whether it changed the plan. */
export function apply(world: World, one: Kept, command: PlanCommand): boolean {
  const { nowMs, chain } = world;
  const event = withNextId(one, command);
  const decision = decide(one.plan, event, nowMs);
  if (!decision.ok || decision.outcome === 'UNCHANGED') return false;
  const { plan } = decision;
  const head = chain.blocks().length;
  if (one.plan.ended === undefined && plan.ended !== undefined)
    one.open = one.open.map((time) => ({ to: head, ...time }));
  if (one.plan.ended !== undefined && plan.ended === undefined) one.open = [...one.open, { from: head + 1 }];
  const before = one.plan;
  one.plan = plan;
  if (world.faults.isAwaiting) awaitChain(one, before);
  while (one.attempts.length < swapStep(plan).attempts.length) one.attempts.push(nextAttempt(world));
  one.history.push({ revision: plan.revision, atMs: nowMs, actor: 'model', ...decision.event });
  world.happened += 1;
  one.order.push(world.happened);
  assert.deepEqual(imbalanceOf(plan), [], `${event.type} left money out of account`);
  return true;
}

/** A report names the payment of what it leaves, as the store does. */
function withNextId({ plan }: Kept, command: PlanCommand): PlanCommand {
  if (command.type !== 'PAYOUT_REPORTED') return command;
  return { nextEndToEndId: `FW-${plan.revision}`, ...command };
}

/** What the second ledger says of each plan, by its id. */
export function modelOf({
  chain,
  kept,
  nowMs,
}: Pick<World, 'chain' | 'kept' | 'nowMs'>): ReadonlyMap<string, Expected> {
  return expected(
    chain.blocks(),
    kept.map((one) => refPlanOf(one, nowMs)),
  );
}

/** Compares every plan with the model, after all was read. */
function check(world: World): void {
  const { chain, kept } = world;
  const model = modelOf(world);
  const claims = new Set<string>();
  for (const one of kept) {
    const { plan, history } = one;
    assert.deepEqual(
      planOf(JSON.parse(JSON.stringify(history)) as RecordedEvent[]),
      plan,
      'the history rebuilds the plan',
    );
    const due = model.get(plan.planId);
    assert.ok(due !== undefined);
    const standing = standingMovements(plan);
    for (const { kind, transfer } of standing) {
      if (transfer?.logIndex === undefined) continue;
      const claim = `${kind} ${transfer.txHash} ${transfer.logIndex}`;
      assert.ok(!claims.has(claim), `the transfer ${claim} counts twice`);
      claims.add(claim);
    }
    for (const funds of fundsOf(plan)) assertFunds(plan, funds, due.funds);
    const deposits = standing.filter(({ kind }) => kind === 'DEPOSIT');
    assert.deepEqual(
      deposits
        // A balance does not tell by which transactions it came.
        .filter(({ transfer }) => transfer !== undefined)
        .map(({ transfer }) => `${transfer?.txHash} ${transfer?.logIndex} from ${transfer?.from}`)
        .sort(),
      due.deposits,
      'attribution',
    );
    assertDue(plan);
    if (!isTransferOnly(plan.corridor)) assertSettled(one, chain.blocks());
    const why = nextOf(plan, { nowMs: 0 })?.why;
    const stands = standingAs(planStatus(plan), why, depositStep(plan).status);
    assert.ok(due.statuses.includes(stands), `${stands} is not one of ${due.statuses}`);
  }
}

/** While something is to be paid out, the outstanding amount is what is to be paid. */
function assertDue(plan: Plan): void {
  const last = plan.steps.at(-1);
  if (plan.ended !== undefined || last?.type !== 'CUSTODIAN_PAYOUT' || last.status !== 'READY') return;
  const [, target] = fundsOf(plan);
  if (
    swapStep(plan).evidence?.status !== 'FINAL' ||
    plan.corridor.source.token === plan.corridor.target.token
  )
    return;
  assert.equal(amountToPayOf(plan), target?.outstanding, 'what is to be paid out is outstanding');
}

function refPlanOf(
  { plan, open, attempts, paid, deducted, returned, refunds, begun, isShort, native }: Kept,
  nowMs: number,
): RefPlan {
  const { planId: id, ended } = plan;
  const address = String(plan.options.depositAddress);
  const { source, target } = plan.corridor;
  const tokens = { source: source.token, target: target.token };
  const amounts = { amountIn: unitsOf(plan.amountIn), paid, deducted, returned, refunds };
  const isLate = depositStep(plan).status === 'FAILED';
  const lately = { isLate, takenBack: takenBackOf(plan, nowMs), ...defined({ native }) };
  const told = { id, address, ...tokens, ...amounts, open, attempts, begun, isShort, ...lately };
  return ended === undefined ? told : { ...told, isEnded: true, swap: swapStep(plan).evidence?.txHash };
}

const HOUR_MS = 3_600_000;

/** The transactions of the deposit whose movements were taken back. */
function takenBackOf({ ledger = [], corridor }: Plan, nowMs: number): NonNullable<RefPlan['takenBack']> {
  return ledger.flatMap(({ kind, reverses, asset, transfer, recordedAtMs }) => {
    const isOfDeposit = kind === 'DEPOSIT' && 'address' in asset && asset.address === corridor.source.token;
    if (reverses === undefined || !isOfDeposit || transfer === undefined) return [];
    return [{ tx: transfer.txHash, isRecent: nowMs < recordedAtMs + HOUR_MS }];
  });
}
