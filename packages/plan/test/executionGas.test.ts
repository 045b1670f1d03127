// The gas of the transaction that executed a swap, on the movement of what it spent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf, type Plan, type PlanCommand } from '../src/index.ts';
import { derived, evidence, executed, executedTwice, lost, observed } from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { changedBy, planAfter } from './scenarios.ts';

const [, swapId] = STEP_IDS;
const GAS = { units: amountOf(140_000n), costWei: amountOf(7_000n) };
const ready = [observed(1_000n), derived()];

function withGas(command: PlanCommand, units: bigint): PlanCommand {
  return { ...command, gas: { units: amountOf(units) } } as PlanCommand;
}

/** The movements of swaps, and the units of gas that they have. */
function gasOf({ ledger = [] }: Plan): readonly string[] {
  return ledger
    .filter(({ kind }) => kind.startsWith('SWAP'))
    .map(({ kind, reverses, gas }) => `${reverses === undefined ? '' : '-'}${kind} ${gas?.units ?? 'none'}`);
}

test('what a swap spent has the gas of its transaction, as it was first told', () => {
  const found = { ...executed(evidence('s', 'CONFIRMING')), gas: GAS } as PlanCommand;
  const plan = planAfter([...ready, found]);
  assert.deepEqual(plan.ledger?.find(({ kind }) => kind === 'SWAP_IN')?.gas, GAS);
  assert.deepEqual(gasOf(plan), ['SWAP_IN 140000', 'SWAP_OUT none']);
  const final = changedBy(plan, withGas(executed(evidence('s', 'FINAL')), 9n));
  assert.deepEqual(gasOf(final), gasOf(plan), 'what is told when it is final changes no movement');
});

test('of several calls of a transaction the first alone has the gas', () => {
  const plan = planAfter([...ready, withGas(executedTwice(evidence('s', 'FINAL')), 5n)]);
  assert.deepEqual(gasOf(plan), ['SWAP_IN 5', 'SWAP_OUT none', 'SWAP_IN none', 'SWAP_OUT none']);
});

test('a transaction that is in another block by now has the gas that it took there', () => {
  const first = withGas(executed(evidence('s', 'CONFIRMING')), 5n);
  const moved = withGas(executed(evidence('s', 'CONFIRMING', 1_495n, 'y')), 6n);
  const parts = [
    'SWAP_IN 5',
    'SWAP_OUT none',
    '-SWAP_IN none',
    '-SWAP_OUT none',
    'SWAP_IN 6',
    'SWAP_OUT none',
  ];
  assert.deepEqual(gasOf(planAfter([...ready, first, moved])), parts);
  assert.deepEqual(gasOf(planAfter([...ready, first, lost(swapId, 's'), moved])), parts);
});

test('a second execution has the gas of its own transaction, and one without gas has none', () => {
  const second = withGas(executed(evidence('t', 'FINAL')), 8n);
  assert.deepEqual(gasOf(planAfter([...ready, executed(evidence('s', 'FINAL')), second])), [
    ...['SWAP_IN none', 'SWAP_OUT none'],
    ...['SWAP_IN 8', 'SWAP_OUT none'],
  ]);
});
