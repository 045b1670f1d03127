// The world around the agent: the chain, which is reorganised, the service's own work, and strangers. Sometimes a database
// is put back to an earlier moment. Chain, bank and wallet stay as they are then.
import {
  depositStep,
  fateOf,
  isTransferOnly,
  pendingTransactionsOf,
  type PlanCommand,
  swapStep,
  workOf,
} from '@fairway/plan';
import type { Random } from '@fairway/testing';
import { copyOf } from './mishaps.ts';
import { AMOUNT_IN, CONFIRMATIONS, derivedAt, SOURCE, STRANGER, TARGET, THIRD } from './modelPlans.ts';
import { createBank } from './obedientBank.ts';
import type { Life, ObedientFaults, SentTransfer, Signed } from './obedientTypes.ts';
import { read as readAll } from './recordReading.ts';
import type { RefTransfer } from './referenceLedger.ts';
import { apply, createWorld, SOUND } from './world.ts';
import type { Kept, Shown } from './worldTypes.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** More attempts than any life has: the tag of instructions is their position, also where the plan has lost them. */
const POSITIONS = Array.from({ length: 400 }, (_, position) => `attempt ${position}`);

/** A life with a new plan. */
export function createLife(random: Random, faults: ObedientFaults): Life {
  const signed = new Map<string, Signed>();
  const world = createWorld(random, { ...SOUND, show: withFacts(signed) });
  const life: Life = {
    world,
    bank: createBank(random),
    faults,
    signed,
    waiting: [],
    used: new Set(),
    sent: new Map(),
    dropped: [],
    snapshots: [],
    isCalm: false,
    isDeep: false,
    arrived: 0n,
    refunds: new Map(),
    decided: new Map(),
    way: [],
  };
  const one = planOf(life);
  one.attempts.splice(0, one.attempts.length, ...POSITIONS);
  return life;
}

/** The plan, with all that is kept of it. */
export function planOf({ world }: Pick<Life, 'world'>): Kept {
  const [one] = world.kept;
  if (one === undefined) throw new Error('A life must have a plan.');
  return one;
}

/** What the record knows besides: the nonce of a transaction, and instructions that the plan has lost. */
function withFacts(signed: ReadonlyMap<string, Signed>): Shown {
  return (view, plan) => ({
    ...view,
    executions: view.executions.map((execution) => {
      const { evidence, position } = execution;
      const nonce = signed.get(evidence.txHash)?.nonce ?? 0;
      const told = { ...execution, evidence: { ...evidence, nonce } };
      const isLost = position >= swapStep(plan).attempts.length;
      return isLost ? { ...told, forgotten: derivedAt(plan.updatedAtMs, plan) } : told;
    }),
  });
}

/** Lets an event happen to the plan; whether it changed it. */
export function tell(life: Life, event: PlanCommand): boolean {
  return apply(life.world, planOf(life), event);
}

/** The record reads to the head of the chain. */
export function read({ world }: Life): void {
  readAll(apply, world);
}

/** Whether the record is behind the chain. */
export function isBehind({ world }: Life): boolean {
  return world.record.at(-1)?.hash !== world.chain.blocks().at(-1)?.hash;
}

/** What every execution on the chain brought. */
export function executionsOn({ world }: Life) {
  return world.chain.blocks().flatMap(({ executions }) => executions);
}

/** The nonce that the wallet signs with: a transaction that waits is replaced by the next one. */
export function nextNonce(life: Life): number {
  const nonces = executionsOn(life).map(({ tx }) => life.signed.get(tx)?.nonce ?? 0);
  return Math.max(-1, ...nonces, ...life.used) + 1;
}

/** The nonces below this one are used in final blocks. */
function finalNonce({ world, signed }: Life): number {
  const final = world.chain.blocks().slice(0, -CONFIRMATIONS);
  const nonces = final.flatMap(({ executions }) => executions.map(({ tx }) => signed.get(tx)?.nonce ?? 0));
  return Math.max(-1, ...nonces) + 1;
}

/** A new hash. */
export function newHash({ world }: Life): `0x${string}` {
  world.transactions += 1;
  return `0x${world.transactions.toString(16)}`;
}

/** The plan's deposit address. */
export function depositAddressOf(life: Life): string {
  return String(planOf(life).plan.options.depositAddress);
}

/** Sends a transfer to the deposit address in a block; its hash. */
export function transfer(life: Life, token: string, amount: bigint): string {
  const tx = newHash(life);
  if (token === SOURCE) life.arrived += amount;
  mineTransfer(life, { tx, token, from: STRANGER, to: depositAddressOf(life), amount });
  return tx;
}

/** Mines a transfer in a block of its own. */
export function mineTransfer({ world }: Life, sent: SentTransfer): void {
  world.chain.mine([{ kind: 'TRANSFER', transfer: sent }]);
}

/** What the service does by itself: it reads, looks for transactions, derives what is owed, and lets time pass. */
export function serve(life: Life): void {
  const { world } = life;
  read(life);
  lookForPending(life, 'BY_ITSELF');
  tell(life, { type: 'TIME_PASSED' });
  const { plan } = planOf(life);
  if (workOf(plan)?.kind !== 'DERIVE_INSTRUCTIONS') return;
  const owed = { stepId: swapStep(plan).stepId, askedBy: 'SERVICE' } as const;
  const isLow = !life.isCalm && !isTransferOnly(plan.corridor) && world.random.integer(1, 5) === 1;
  if (isLow) {
    const reason = 'PRICE_BELOW_FLOOR';
    tell(life, { type: 'INSTRUCTED', ...owed, withheld: { reason, detail: 'The price is too low.' } });
  } else tell(life, { type: 'INSTRUCTED', ...owed, derived: derivedAt(world.nowMs, plan) });
}

/**
 * The service looks for submitted transactions, as also before fresh instructions and before an end. By itself it takes
 * a nonce for used by another transaction only once that is final. No deadline passes then: the blocks of the model have
 * no time of day.
 */
export function lookForPending(life: Life, looking: 'BY_ITSELF' | 'ASKED'): void {
  const { nowMs } = life.world;
  for (const pending of pendingTransactionsOf(planOf(life).plan)) {
    const { txHash, position, nonce = 0 } = pending;
    const isWaiting = life.waiting.some((each) => each.txHash === txHash);
    const isExecuted = executionsOn(life).some(({ tx }) => tx === txHash);
    const isUsed = nonce < (looking === 'ASKED' ? nextNonce(life) : finalNonce(life));
    const found = isExecuted ? 'EXECUTED' : isWaiting ? 'PENDING' : 'NONE';
    const sight = {
      found,
      isFinal: false,
      isReplaced: isUsed && !isWaiting && !isExecuted,
      finalBlockTimeMs: looking === 'ASKED' ? nowMs : 0,
      nowMs,
      canForget: looking === 'ASKED',
    } as const;
    const fate = fateOf(planOf(life).plan, pending, sight);
    const { stepId } = swapStep(planOf(life).plan);
    if (fate !== undefined) tell(life, { type: 'EXECUTION_ENDED', stepId, position, txHash, fate });
  }
}

/** Time goes on, and blocks are mined with some of what waits. */
export function goOn(life: Life): void {
  const { world, isCalm } = life;
  const { random, chain } = world;
  world.nowMs += random.integer(1, 6) * MINUTE_MS;
  const isIn = () => isCalm || random.integer(0, 1) === 1;
  const mined = life.waiting.filter(isIn);
  life.waiting = life.waiting.filter((each) => !mined.includes(each));
  for (const each of mined) mine(life, each);
  const again = life.dropped.filter(({ untilMs }) => world.nowMs < untilMs && isIn());
  life.dropped = life.dropped.filter((each) => !again.includes(each) && world.nowMs < each.untilMs);
  for (const { untilMs: _, ...sent } of again) mineTransfer(life, sent);
  if (isCalm || random.integer(0, 2) > 0) chain.mine([]);
}

/** Mines a transaction of the wallet, unless its nonce was used. */
export function mine(life: Life, { txHash, position, nonce, notAfterMs, brought }: Signed): void {
  if (nonce < nextNonce(life)) return;
  if (life.world.nowMs > notAfterMs) {
    life.used.add(nonce);
    return;
  }
  const execution = { tx: txHash, attempt: String(POSITIONS[position]), spent: AMOUNT_IN, brought };
  life.world.chain.mine([{ kind: 'EXECUTION', executions: [execution] }]);
}

/** Replaces blocks since the plan was made. Dropped transactions wait again, or are gone for good. */
function reorganise(life: Life, most: number): void {
  const { random, chain } = life.world;
  const depth = Math.min(most, chain.blocks().length - 1);
  if (depth >= CONFIRMATIONS) life.isDeep = true;
  const before = executionsOn(life);
  const sent = [...depositsOn(life), ...refundsOn(life)];
  chain.reorganise(depth);
  const left = new Set([...executionsOn(life), ...transfersOn(life)].map(({ tx }) => tx));
  // A transfer has no deadline: only its sender could know that it is never mined, and `next` waits for it.
  const isKept = isTransferOnly(planOf(life).plan.corridor);
  for (const { tx } of before) {
    const lost = life.signed.get(tx);
    const isAgain = isKept || random.integer(0, 1) === 1;
    if (lost !== undefined && !left.has(tx) && isAgain) life.waiting.push(lost);
  }
  const { lost, lostRefunds } = depositStep(planOf(life).plan);
  for (const { log: _, ...each } of sent) {
    if (left.has(each.tx) || random.integer(1, 4) === 1) continue;
    const wait = [lost, lostRefunds].find((one) => one?.txHashes.some((txHash) => txHash === each.tx));
    const ownMs = life.world.nowMs + MINED_AGAIN_MS;
    life.dropped.push({ ...each, untilMs: Math.min(wait?.untilMs ?? Infinity, ownMs) });
  }
}

/** Within which time a dropped transfer is mined again, if ever: nodes forget what nobody mines. */
const MINED_AGAIN_MS = 50 * MINUTE_MS;

function transfersOn({ world }: Life): readonly RefTransfer[] {
  return world.chain.blocks().flatMap(({ transfers }) => transfers);
}

/** The deposits that are on the chain. */
export function depositsOn(life: Life): readonly RefTransfer[] {
  const address = depositAddressOf(life);
  return transfersOn(life).filter(({ token, to }) => token === SOURCE && to === address);
}

/** The refunds that are on the chain. */
export function refundsOn(life: Life): readonly RefTransfer[] {
  return transfersOn(life).filter(({ tx }) => life.refunds.has(tx));
}

/** Some mischief, most of the time none. */
export function mischief(life: Life): void {
  const { world } = life;
  const { random } = world;
  const kind = random.integer(1, 40);
  if (kind <= 3) reorganise(life, 1);
  else if (kind === 4) reorganise(life, random.integer(CONFIRMATIONS, 60));
  else if (kind <= 6) transfer(life, random.pick([SOURCE, TARGET, THIRD]), BigInt(random.integer(1, 2_000)));
  else if (kind === 7) transfer(life, SOURCE, AMOUNT_IN);
  else if (kind === 8) world.nowMs += random.integer(1, 8) * DAY_MS;
  else if (kind <= 12) restore(life);
  else if (kind <= 16) giveBack(life);
  else if (isRefundNew(life)) reorganise(life, 1);
  if (kind <= 16) life.way.push(`mischief ${kind}`);
}

/** Whether the newest block has a refund: few come by, so that each of these is more often taken back. */
function isRefundNew(life: Life): boolean {
  const { transfers = [] } = life.world.chain.blocks().at(-1) ?? {};
  return transfers.some(({ tx }) => life.refunds.has(tx));
}

/** Keeps the database as it is now. */
export function keepSnapshot(life: Life): void {
  life.snapshots.push({ kept: copyOf(planOf(life)), record: life.world.record });
}

function restore({ world, snapshots }: Life): void {
  if (snapshots.length === 0) return;
  const index = world.random.integer(0, snapshots.length - 1);
  const snapshot = snapshots[index];
  if (snapshot === undefined) return;
  // What was kept later is of a time that the database no longer has.
  snapshots.length = index + 1;
  world.kept.splice(0, 1, copyOf(snapshot.kept));
  world.record = snapshot.record;
}

/** The recipient's bank sends a payment back. */
function giveBack({ world, bank }: Life): void {
  const paid = bank.payments.filter(({ state }) => state === 'PAID');
  if (paid.length > 0) world.random.pick(paid).state = 'RETURNED';
}
