// Native currency at the deposit address of a plan that is over: what becomes a movement, and what ends it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  acknowledgementOf,
  type Asset,
  decide,
  fundsOf,
  imbalanceOf,
  unbookedEvidence,
  NATIVE_CURRENCY,
  nextOf,
  type Plan,
  type PlanCommand,
  planStatus,
} from '../src/index.ts';
import { after } from './paidPlans.ts';
import { closed, nativeSeen, recorded, recordedTransfer, refunded } from './planCommands.ts';
import { corridor, newPlan } from './plans.ts';

const NATIVE: Asset = { chainId: corridor.source.chainId, address: NATIVE_CURRENCY };
const ended = () => after(newPlan(), { type: 'PLAN_ENDED', force: false });

/** The plan after a command that may change nothing. */
function told(plan: Plan, command: PlanCommand): Plan {
  const decision = decide(plan, command, plan.updatedAtMs);
  assert.ok(decision.ok);
  return decision.plan;
}

/** What the plan says of native currency, and whether its books are in order. */
function nativeOf(plan: Plan): { readonly received: string; readonly unallocated: readonly string[] } {
  assert.deepEqual([imbalanceOf(plan), unbookedEvidence(plan)], [[], []]);
  const { received = '0', unallocated = [] } =
    fundsOf(plan).find(({ asset }) => 'address' in asset && asset.address === NATIVE_CURRENCY) ?? {};
  return { received, unallocated: unallocated.map(({ amount, reason }) => `${amount} ${reason}`) };
}

test('what is there when a plan is over is listed, changes no status, and asks somebody', () => {
  const plan = after(ended(), nativeSeen(5n));
  assert.deepEqual(nativeOf(plan), { received: '5', unallocated: ['5 OTHER_TOKEN'] });
  assert.equal(planStatus(plan), 'ENDED');
  const { why, detail } = nextOf(plan, { nowMs: 0 }) ?? {};
  assert.equal(why, 'MONEY_UNEXPLAINED');
  assert.match(
    detail ?? '',
    new RegExp(`no use for 5 units of ${NATIVE_CURRENCY} on chain \\d+: refund it and record`),
  );
  assert.equal(nextOf(after(plan, closed()), { nowMs: 0 }), undefined);
});

test('only what is more than the ledger has is added', () => {
  let plan = ended();
  for (const held of [5n, 5n, 3n, 7n]) plan = told(plan, nativeSeen(held));
  assert.deepEqual(nativeOf(plan), { received: '7', unallocated: ['2 OTHER_TOKEN', '5 OTHER_TOKEN'] });
});

test('a refund of it ends it, and a balance of before the refund brings it back no more', () => {
  const refund = after(after(ended(), nativeSeen(5n)), refunded('B1', 5n, NATIVE));
  const plan = told(refund, nativeSeen(5n));
  assert.deepEqual(nativeOf(plan), { received: '5', unallocated: [] });
  assert.deepEqual([acknowledgementOf(plan), nextOf(plan, { nowMs: 0 })], [[], undefined]);
});

test('while a plan is open its address may have some for fees', () => {
  const open = after(newPlan(), recorded([recordedTransfer('d', 1n)]));
  const decision = decide(open, nativeSeen(5n), 0);
  assert.deepEqual(decision.ok && decision.outcome, 'UNCHANGED');
});
