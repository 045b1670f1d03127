import assert from 'node:assert/strict';
import {
  type AssetFunds,
  amountOf,
  decide,
  depositStep,
  type Evidence,
  type FoundExecution,
  fundsOf,
  imbalanceOf,
  missingMovements,
  openAttempt,
  type Plan,
  type PlanEvent,
  planStatus,
  recordedEvents,
  type RecordedTransfer,
  type RecordView,
  replay,
  standingMovements,
  swapStep,
  type TransferPlace,
  unitsOf,
  workOf,
} from '@fairway/plan';
import type { Random } from '@fairway/testing';
import { createRefChain } from './refChain.ts';
import { endings } from './endings.ts';
import type { Kept, Plant, World } from './worldTypes.ts';
import { AMOUNT_IN, derivedAt, DUST, modelPlan, SOURCE, STRANGER, TARGET, THIRD } from './modelPlans.ts';
import { expected, type RefBlock, type RefFunds, type RefPlan } from './referenceLedger.ts';

const STEPS = 40;
const DAY_MS = 86_400_000;
const ADDRESSES = ['0xd1', '0xd2'] as const;

/**
 * Lives through a random history and asserts that the ledgers of the plans are those of the model. `seen`: gets the
 * statuses and the reasons of unallocated money that came up.
 */
export function simulate(random: Random, plant: Plant = (view) => view, seen = new Set<string>()): void {
  const world: World = {
    random,
    chain: createRefChain(random),
    kept: [],
    plant,
    record: [],
    nowMs: 1_700_000_000_000,
    transactions: 0,
  };
  world.chain.mine([]);
  make(world);
  const way: string[] = [];
  try {
    for (let step = 1; step <= STEPS; step += 1) {
      world.nowMs += random.integer(0, 60_000);
      const [name, act] = random.pick(ACTS);
      way.push(name);
      act(world);
    }
    read(world);
    check(world);
    for (const one of world.kept)
      assert.deepEqual(recordedEvents(one.plan, viewOf(world, one), world.nowMs), [], 'nothing is new');
    for (const { plan } of world.kept) {
      seen.add(planStatus(plan));
      for (const { unallocated } of fundsOf(plan)) for (const { reason } of unallocated) seen.add(reason);
      if (plan.ledger?.some(({ reverses }) => reverses !== undefined) === true) seen.add('REVERSED');
    }
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
  ['execute', execute],
  ['execute', execute],
  ['empty block', (world) => world.chain.mine([])],
  ['reorganise', (world) => world.chain.reorganise(world.random.integer(1, 12))],
  ['deep reorganisation', (world) => world.chain.reorganise(world.random.integer(13, 200))],
  ['read', read],
  ['read', read],
  ['read', read],
  ['work', work],
  ['work', work],
  ['refresh', (world) => derive(world, pickPlan(world), 'INTEGRATOR')],
  ['cancel', (world) => apply(world, pickPlan(world), { type: 'PLAN_CANCELLED' })],
  ['a long time', passTime],
  ['retry', retry],
  ['swap failed', swapFailed],
  ['pay out', payOut],
  ['return', giveBack],
  ['another plan', make],
  ...endings(apply),
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
  const plan = modelPlan(kept.length + 1, address, random.integer(0, 3) > 0, head + 1, world.nowMs);
  kept.push({
    plan,
    history: [{ revision: 1, atMs: world.nowMs, actor: 'model', event: { type: 'PLAN_CREATED', plan } }],
    open: [{ from: head + 1 }],
    paid: [],
    returned: [],
    refunds: [],
    begun: { paid: 0, returned: 0 },
  });
}

function nextTransaction(world: World): string {
  world.transactions += 1;
  return `0x${world.transactions.toString(16)}`;
}

/** Transfers to deposit addresses: parts, dust, storms of it, too much, other tokens, and transfers to oneself. */
function deposit(world: World): void {
  const { random, chain } = world;
  const isStorm = random.integer(1, 60) === 1;
  const units = isStorm
    ? [1n, DUST - 1n]
    : [1n, DUST - 1n, DUST, 400_000n, 600_000n, AMOUNT_IN - 500n, AMOUNT_IN, AMOUNT_IN + 1n, 2n * AMOUNT_IN];
  const stormy = random.pick(ADDRESSES);
  const deeds = Array.from({ length: isStorm ? 120 : random.integer(1, 3) }, () => {
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
  chain.mine(deeds);
}

/** A wallet executes instructions of a plan: the newest, older ones, or ones that were executed before. */
function execute(world: World): void {
  const { random, chain } = world;
  const { plan } = pickPlan(world);
  const { attempts } = swapStep(plan);
  if (attempts.length === 0) return;
  const position = random.integer(0, 2) > 0 ? attempts.length - 1 : random.integer(0, attempts.length - 1);
  const brought = 1_490n + BigInt(random.integer(0, 20));
  const execution = { tx: nextTransaction(world), planId: plan.planId, position, spent: AMOUNT_IN, brought };
  chain.mine([{ kind: 'EXECUTION', execution }]);
}

/** The record catches up with the chain, and each plan is compared with it. */
function read(world: World): void {
  world.record = world.chain.blocks();
  for (const one of world.kept) compare(world, one);
}

function compare(world: World, one: Kept): void {
  const view = world.plant(viewOf(world, one), one.plan, world.random);
  for (const event of recordedEvents(one.plan, view, world.nowMs)) apply(world, one, event);
}

/** The service's own work, which is done for plans that were compared with the newest block. */
function work(world: World): void {
  read(world);
  for (const one of world.kept) {
    if (workOf(one.plan)?.kind === 'DERIVE_INSTRUCTIONS') derive(world, one, 'SERVICE');
  }
}

function derive(world: World, one: Kept, askedBy: 'SERVICE' | 'INTEGRATOR'): void {
  const { stepId } = swapStep(one.plan);
  apply(world, one, { type: 'INSTRUCTIONS_DERIVED', stepId, askedBy, ...derivedAt(world.nowMs) });
}

function passTime(world: World): void {
  world.nowMs += 8 * DAY_MS;
  read(world);
  for (const one of world.kept) apply(world, one, { type: 'TIME_PASSED' });
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

/** The custodian pays what the plan says, and the integrator reports its reference. */
function payOut(world: World): void {
  const one = pickPlan(world);
  const last = one.plan.steps.at(-1);
  if (last?.type !== 'CUSTODIAN_PAYOUT' || last.status !== 'READY') return;
  const { stepId, asset } = last;
  const providerReference = `PO-${nextTransaction(world)}`;
  const isTaken = apply(world, one, {
    type: 'PAYOUT_DONE',
    stepId,
    verification: 'REPORTED',
    providerReference,
  });
  if (isTaken) one.paid.push(unitsOf(asset.amount));
}

function giveBack(world: World): void {
  const one = pickPlan(world);
  const last = one.plan.steps.at(-1);
  if (last?.type !== 'CUSTODIAN_PAYOUT' || last.status !== 'DONE') return;
  // No more comes back than was paid.
  const most = Math.min(700, Number(last.asset.amount));
  if (most === 0) return;
  const units = BigInt(world.random.integer(1, most));
  const providerReference = `RET-${nextTransaction(world)}`;
  const amount = amountOf(units);
  const isTaken = apply(world, one, {
    type: 'PAYOUT_RETURNED',
    stepId: last.stepId,
    providerReference,
    amount,
  });
  if (isTaken) one.returned.push(units);
}

/** Lets an event happen, and brings the ledger up as the service does after an event of 0.1.0. */
function apply(world: World, one: Kept, event: PlanEvent): boolean {
  if (!happened(world, one, event)) return false;
  const movements = missingMovements(one.plan);
  const after = one.plan.ledger?.length ?? 0;
  if (movements.length > 0) happened(world, one, { type: 'LEDGER_CAUGHT_UP', after, movements });
  return true;
}

function happened({ nowMs, chain }: World, one: Kept, event: PlanEvent): boolean {
  const decision = decide(one.plan, event, nowMs);
  if (!decision.ok || decision.outcome === 'UNCHANGED') return false;
  const { plan } = decision;
  const head = chain.blocks().length;
  if (one.plan.ended === undefined && plan.ended !== undefined)
    one.open = one.open.map((time) => ({ to: head, ...time }));
  if (one.plan.ended !== undefined && plan.ended === undefined) one.open = [...one.open, { from: head + 1 }];
  one.plan = plan;
  one.history.push({ revision: plan.revision, atMs: nowMs, actor: 'model', event });
  assert.deepEqual(imbalanceOf(plan), [], `${event.type} left money out of account`);
  return true;
}

/** What the service's record shows of a plan. */
function viewOf({ record, kept }: World, one: Kept): RecordView {
  const { plan } = one;
  const readNumber = record.length;
  const { depositAddress } = plan.options;
  const deposits = record.flatMap((block) =>
    block.transfers
      .filter(({ to }) => to === depositAddress && holderOf(kept, to, block.number) === one)
      .map((transfer) => recorded(block, transfer)),
  );
  const executions = record.flatMap((block) =>
    block.executions
      .filter(({ planId }) => planId === plan.planId)
      .map((execution) => found(plan, readNumber, block, execution)),
  );
  const canonical = new Set(record.map(({ hash }) => hash));
  const gone = standingMovements(plan).flatMap(({ transfer }): TransferPlace[] => {
    if (transfer?.logIndex === undefined || canonical.has(transfer.blockHash)) return [];
    const { chainId, txHash, blockHash, logIndex } = transfer;
    return [{ chainId, txHash, blockHash, logIndex }];
  });
  return { readNumber, deposits, executions, gone };
}

/** The plan that a transfer to an address is shown to: the one that was open, or that ended last before. */
function holderOf(kept: readonly Kept[], address: string, number: number): Kept | undefined {
  const spans = kept
    .filter(({ plan }) => plan.options.depositAddress === address)
    .flatMap((one) => one.open.map(({ from, to }) => ({ one, from, to })));
  const open = spans.find(({ from, to }) => from <= number && (to === undefined || number <= to));
  const ended = spans.filter(({ to }) => to !== undefined && to < number);
  return (open ?? ended.toSorted((a, b) => (b.to ?? 0) - (a.to ?? 0))[0])?.one;
}

function recorded(
  { number, hash }: RefBlock,
  { tx, log, token, from, to, amount }: RefBlock['transfers'][number],
): RecordedTransfer {
  return {
    chainId: 1,
    txHash: tx as `0x${string}`,
    logIndex: log,
    blockNumber: number,
    blockHash: hash as `0x${string}`,
    amount: amountOf(amount),
    token: token as `0x${string}`,
    from: from as `0x${string}`,
    to: to as `0x${string}`,
    blockTimeMs: number * 1_000,
  };
}

function found(
  { corridor, amountIn }: Plan,
  readNumber: number,
  block: RefBlock,
  { tx, log, position, brought }: RefBlock['executions'][number],
): FoundExecution {
  const { number, hash } = block;
  const place = {
    chainId: 1,
    txHash: tx as `0x${string}`,
    blockNumber: number,
    blockHash: hash as `0x${string}`,
  };
  const amount = amountOf(brought);
  const isFinal = readNumber - number + 1 >= corridor.minConfirmations;
  const evidence: Evidence = {
    ...place,
    sender: '0xaa',
    nonce: 1,
    transfers: [{ ...place, logIndex: log, amount }],
    amount,
    status: isFinal ? 'FINAL' : 'CONFIRMING',
  };
  return { position, evidence, amountIn };
}

/** Compares every plan with the model, after all was read. */
function check({ chain, kept }: World): void {
  const model = expected(chain.blocks(), kept.map(refPlanOf));
  const claims = new Set<string>();
  for (const { plan, history } of kept) {
    assert.deepEqual(replay(JSON.parse(JSON.stringify(history))), plan, 'the history rebuilds the plan');
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
      deposits.map(({ transfer }) => `${transfer?.txHash} ${transfer?.logIndex}`).sort(),
      due.deposits,
      'attribution',
    );
    assert.ok(due.statuses.includes(planStatus(plan)), `${planStatus(plan)} is not one of ${due.statuses}`);
  }
}

function refPlanOf({ plan, open, paid, returned, refunds, begun }: Kept): RefPlan {
  const { planId: id, ended } = plan;
  const address = String(plan.options.depositAddress);
  const { source, target } = plan.corridor;
  const tokens = { source: source.token, target: target.token };
  const amounts = { amountIn: unitsOf(plan.amountIn), paid, returned, refunds };
  const told = { id, address, ...tokens, ...amounts, open, begun };
  return ended === undefined ? told : { ...told, ended };
}

function assertFunds(plan: Plan, funds: AssetFunds, due: ReadonlyMap<string, RefFunds>): void {
  const { asset, unallocated } = funds;
  const token = 'address' in asset ? asset.address : '';
  const model = due.get(token);
  const sumOf = (direction: 'IN' | 'OUT') =>
    unallocated
      .filter((entry) => entry.direction === direction)
      .reduce((total, { amount }) => total + unitsOf(amount), 0n);
  const told: RefFunds = {
    received: unitsOf(funds.received),
    spent: unitsOf(funds.swapped.in),
    brought: unitsOf(funds.swapped.out),
    paid: unitsOf(funds.paidOut),
    returned: unitsOf(funds.returned),
    refunded: unitsOf(funds.refunded),
    outstanding: unitsOf(funds.outstanding),
    surplus: sumOf('IN'),
    excess: sumOf('OUT'),
  };
  const where = token === TARGET ? 'the payout token' : token === SOURCE ? 'the source token' : token;
  const state = `${plan.ended ?? 'open'}, deposit ${depositStep(plan).status}`;
  assert.deepEqual(told, model, `funds of ${where} of a plan that is ${state}`);
}
