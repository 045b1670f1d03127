import assert from 'node:assert/strict';
import {
  type AssetFunds,
  amountOf,
  depositStep,
  fundsOf,
  type Plan,
  type Unallocated,
  unitsOf,
} from '@fairway/plan';
import { CONFIRMATIONS, SOURCE, TARGET } from './modelPlans.ts';
import type { RefBlock, RefFunds } from './referenceLedger.ts';
import type { Kept } from './worldTypes.ts';

/** Settled is all that executions brought, the plan's own and others, in blocks that have the confirmations. */
export function assertSettled({ plan, attempts }: Kept, blocks: readonly RefBlock[]): void {
  const final = blocks.slice(0, blocks.length - CONFIRMATIONS + 1).flatMap(({ executions }) => executions);
  const brought = final.filter(({ attempt }) => attempts.includes(attempt)).map((each) => each.brought);
  const units = brought.reduce((sum, each) => sum + each, 0n);
  assert.equal(fundsOf(plan)[1]?.settled, amountOf(units), 'what is settled of the payout token');
}

/** Asserts that a plan's funds of an asset are what the second ledger says. */
export function assertFunds(plan: Plan, funds: AssetFunds, due: ReadonlyMap<string, RefFunds>): void {
  const { asset, unallocated } = funds;
  const token = 'address' in asset ? asset.address : '';
  const model = due.get(token);
  const sumOf = (direction: 'IN' | 'OUT') =>
    unallocated
      .filter((entry) => entry.direction === direction)
      .reduce((total, { amount }) => total + unitsOf(amount), 0n);
  // The second ledger is not told what was named when a plan that stays open was closed: to it that money is to be used.
  const isNamed = ({ reason }: Unallocated) => plan.ended === undefined && reason === 'LEFT_AT_CLOSE';
  const named = unallocated.filter(isNamed).reduce((total, { amount }) => total + unitsOf(amount), 0n);
  const told: RefFunds = {
    received: unitsOf(funds.received),
    spent: unitsOf(funds.swapped.in),
    brought: unitsOf(funds.swapped.out),
    paid: unitsOf(funds.paidOut),
    returned: unitsOf(funds.returned),
    refunded: unitsOf(funds.refunded),
    deducted: unitsOf(funds.deducted),
    outstanding: unitsOf(funds.outstanding) + named,
    surplus: sumOf('IN') - named,
    excess: sumOf('OUT'),
  };
  const where = token === TARGET ? 'the payout token' : token === SOURCE ? 'the source token' : token;
  const state = `${plan.ended?.reason ?? 'open'}, deposit ${depositStep(plan).status}`;
  assert.deepEqual(told, model, `funds of ${where} of a plan that is ${state}`);
}
