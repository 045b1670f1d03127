// The second ledger is told what is on the real chain and what the service acknowledged. Every plan of the API is
// compared with it.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MovementList, PaymentPlan } from '@fairway/wire';
import {
  type Expected,
  expected,
  NATIVE,
  type RefBlock,
  type RefExecution,
  type RefFunds,
  type RefPlan,
} from '../referenceLedger.ts';
import { chainNow, standingOf } from './chainNow.ts';
import { targetOf } from './corridors.ts';
import { standingAs } from '../outcomes.ts';
import type { Kept, Told } from './keptTypes.ts';
import { type Ground, PATIENCE_MS } from './ground.ts';

/** What the second ledger expects of each plan, as the chain is now. */
export async function expectedNow(
  ground: Ground,
  kept: readonly Kept[],
  fromBlock: number,
): Promise<ReadonlyMap<string, Expected>> {
  const chain = await chainNow(ground, kept, fromBlock);
  const plans: RefPlan[] = [];
  for (const one of kept) plans.push(await refPlanOf(ground, chain, kept, one));
  return expected(chain, plans);
}

async function refPlanOf(
  ground: Ground,
  chain: readonly RefBlock[],
  kept: readonly Kept[],
  one: Kept,
): Promise<RefPlan> {
  const { plan, address, from, attempts, ended, deducted, refunds, isChosen, older, turn } = one;
  // A plan has its address until the next plan there is made.
  const next = kept.find((other) => other.address === address && other.from > from);
  const target = ground.token(targetOf(one.way)).toLowerCase();
  const swap = swapOf(chain, one);
  const standing = await standingOf(ground, target, one);
  // A payment to a wallet is known only if the recipient has chosen the wallet, and has chosen it again after a
  // restore.
  const known = standing.filter((sent) => sent.turn < turn || one.wallet !== undefined);
  const payments = [...one.paid, ...known];
  // Payments of earlier attempts come first, whether they were reported or read on the chain.
  const paid = payments.toSorted((a, b) => a.turn - b.turn);
  const before = (all: readonly Told[]) => all.filter((each) => each.turn < turn).length;
  return {
    id: plan.planId,
    address,
    source: ground.token('USDC').toLowerCase(),
    target,
    amountIn: BigInt(plan.amountIn),
    open: [next === undefined ? { from } : { from, to: next.from - 1 }],
    attempts: attempts.map(({ key }) => key),
    paid: paid.map(({ amount }) => amount),
    returned: one.returned.map(({ amount }) => amount),
    begun: { paid: before(paid), returned: before(one.returned) },
    isShort: isShort(swap, one, paid),
    isFailed: isSwapIn(chain, one.failedSwap),
    ...{ deducted, refunds, isChosen, older },
    ...(ended === undefined ? {} : { isEnded: true }),
  };
}

/** The first execution of a plan's instructions. */
function swapOf(chain: readonly RefBlock[], { attempts }: Kept): RefExecution | undefined {
  const keys = attempts.map(({ key }) => key);
  return chain.flatMap(({ executions }) => executions).find(({ attempt }) => keys.includes(attempt));
}

/** Whether the chain still has a swap in the block where it was. */
function isSwapIn(chain: readonly RefBlock[], swap: Kept['failedSwap']): boolean {
  return chain.some(
    ({ hash, executions }) => hash === swap?.blockHash && executions.some(({ tx }) => tx === swap.txHash),
  );
}

/**
 * Whether the payments leave something to be paid. For an account the reports decide it. For a wallet it is so when less
 * was paid than the sum of what the swap brought and what came back. When the swap is lost, a payment that was reported
 * as a part remains a part.
 */
function isShort(
  swap: RefExecution | undefined,
  { returned, deducted, wallet, isShort: isToldShort }: Kept,
  paid: readonly Told[],
): boolean {
  if (wallet === undefined || (swap === undefined && isToldShort)) return isToldShort;
  const sum = (all: readonly Told[]) => all.reduce((total, { amount }) => total + amount, 0n);
  const due = (swap?.brought ?? 0n) + sum(returned) - deducted.reduce((total, units) => total + units, 0n);
  return sum(paid) < due;
}

/**
 * Waits until every plan is what the second ledger expects, and remembers the plans so. Nothing else is waited for: what
 * the service does, and when, is its own affair.
 */
export async function settled(ground: Ground, kept: readonly Kept[], fromBlock: number): Promise<void> {
  // Nobody changes the chain meanwhile.
  const due = await expectedNow(ground, kept, fromBlock);
  for (const untilMs = performance.now() + PATIENCE_MS; ; await sleep(100)) {
    try {
      for (const [place, one] of kept.entries())
        await assertBooks(ground, one, place, due.get(one.plan.planId));
      return;
    } catch (cause) {
      if (performance.now() > untilMs) throw cause;
    }
  }
}

/** Compares a plan, as one of the services shows it. */
async function assertBooks(
  ground: Ground,
  one: Kept,
  place: number,
  due: Expected | undefined,
): Promise<void> {
  const { planId } = one.plan;
  const clients = ground.clients();
  const client = clients[place % clients.length];
  assert.ok(client !== undefined && due !== undefined);
  const plan = await client.get(planId);
  one.plan = plan;
  rememberAttempt(one);
  assertHold(one);
  for (const funds of plan.funds ?? []) {
    const token = 'address' in funds.asset ? funds.asset.address.toLowerCase() : '';
    if (token === NATIVE) {
      assertNative(one, funds);
      continue;
    }
    assert.deepEqual(
      toldOf(funds, one.ended === undefined),
      due.funds.get(token),
      `${planId}, ${plan.status}: funds of ${token}`,
    );
  }
  const { json } = await client.ask(`/v1/payments/${planId}/movements?limit=100`);
  const movements = (json as MovementList).data;
  const reversed = new Set(movements.map(({ reverses }) => reverses));
  const deposits = movements
    .filter(
      ({ kind, reverses, movementId, transfer }) =>
        kind === 'DEPOSIT' && transfer !== undefined && reverses === undefined && !reversed.has(movementId),
    )
    .map(({ transfer }) => `${transfer?.txHash} ${transfer?.logIndex} from ${transfer?.from?.toLowerCase()}`);
  assert.deepEqual(deposits.sort(), due.deposits, `${planId}: each transfer once`);
  if (plan.next?.why === 'DEPOSIT_LOST') {
    // For an hour a deposit that a reorganisation took back may be mined again: nothing is asked for meanwhile.
    const takenBack = movements.filter(
      ({ kind, movementId }) => kind === 'DEPOSIT' && reversed.has(movementId),
    );
    const isGone = takenBack.some(
      ({ transfer }) => !due.deposits.some((each) => each.startsWith(`${transfer?.txHash} `)),
    );
    assert.ok(isGone, `${planId} waits for a deposit that no reorganisation took back`);
    return;
  }
  const standing = standingAs(plan.status, plan.next?.why, plan.steps[0]?.status);
  assert.ok(due.statuses.includes(standing), `${planId} is ${standing}, and not one of ${due.statuses}`);
  const { by, detail } = plan.next ?? {};
  assert.ok(by !== 'SERVICE' && by !== 'CHAIN', `${planId} waits for the service: ${detail}`);
}

/**
 * A payment is held after a report of the hold, while the plan is open, whatever becomes of its swap. If the money was sent to a wallet
 * after the backup, the restored database shows the hold until the chain shows the payment.
 */
function assertHold(one: Kept): void {
  const shown = one.plan.steps.at(-1)?.hold;
  const isSent = one.wallet !== undefined && one.payouts.some(({ turn }) => turn === one.turn);
  if (shown === undefined && isSent) one.hold = undefined;
  const { plan, hold, ended } = one;
  const isHeld = hold !== undefined && ended === undefined;
  assert.equal(shown !== undefined, isHeld, `${plan.planId}, ${plan.status}, is ${isHeld ? '' : 'not '}held`);
  if (isHeld) assert.equal(shown?.providerReference, hold.providerReference, plan.planId);
}

/** What an account of a run is given for its fees, and more than all acts together send to an address. */
const MOST_NATIVE = 10n ** 19n + 1_000n;

/**
 * A plan that is over lists no more native currency than its address ever had; its surplus is that less what went back. The
 * listed amount stays, because the account may pay fees with it later.
 */
function assertNative({ plan }: Kept, funds: Funds): void {
  const { received, surplus, refunded, ...rest } = toldOf(funds);
  assert.ok(received <= MOST_NATIVE, `${plan.planId} lists ${received} wei`);
  assert.deepEqual(
    [surplus, Object.values(rest).some((units) => units !== 0n)],
    [received - refunded, false],
  );
}

/** Keeps instructions that were given out: they can be executed whenever somebody likes. */
export function rememberAttempt({ plan, attempts }: Kept): void {
  const swap = plan.steps.find(({ type }) => type === 'EXECUTE_SWAP');
  const call = swap?.instructions?.at(-1);
  if (swap?.attemptId === undefined || call === undefined) return;
  if (!attempts.some(({ key }) => key === swap.attemptId))
    attempts.push({ key: swap.attemptId, to: call.to, data: call.data });
}

type Funds = NonNullable<PaymentPlan['funds']>[number];

/**
 * The funds as the second ledger has them. It is not told what was named when a plan that stays open was closed: to it
 * that money is to be used.
 */
function toldOf({ unallocated, ...funds }: Funds, isOpen = false): RefFunds {
  const sumOf = (counts: (entry: Funds['unallocated'][number]) => boolean) =>
    unallocated.reduce((sum, entry) => (counts(entry) ? sum + BigInt(entry.amount) : sum), 0n);
  const named = isOpen ? sumOf(({ reason }) => reason === 'LEFT_AT_CLOSE') : 0n;
  return {
    received: BigInt(funds.received),
    spent: BigInt(funds.swapped.in),
    brought: BigInt(funds.swapped.out),
    paid: BigInt(funds.paidOut),
    returned: BigInt(funds.returned),
    refunded: BigInt(funds.refunded),
    deducted: BigInt(funds.deducted),
    outstanding: BigInt(funds.outstanding) + named,
    surplus: sumOf(({ direction }) => direction === 'IN') - named,
    excess: sumOf(({ direction }) => direction === 'OUT'),
  };
}
