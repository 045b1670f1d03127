// At which block of its chain a plan is looked at again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confirmedAt, evidence, executed, recorded, recordedTransfer } from '../../test/planCommands.ts';
import { changedBy, planAfter } from '../../test/scenarios.ts';
import { awaitedBlock } from './chainAwaited.ts';

test('of several transactions the one that has its confirmations first is awaited', () => {
  const swap = { ...evidence('s', 'CONFIRMING'), blockNumber: 9 };
  const plan = planAfter([recorded([recordedTransfer('d', 1_000n)], 7), executed(swap)]);
  assert.equal(awaitedBlock(plan), 8);
  const deposited = changedBy(plan, confirmedAt(8));
  assert.equal(awaitedBlock(deposited), 10);
  assert.equal(awaitedBlock(changedBy(deposited, executed({ ...swap, status: 'FINAL' }))), undefined);
});
