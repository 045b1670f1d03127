import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf } from '../../test/planCommands.ts';
import { corridor, newPlan } from '../../test/plans.ts';
import { amountOf, sumOf } from '../terms/amount.ts';
import { decide } from '../decide.ts';
import { depositStep } from '../plan/steps.ts';
import { type DepositRules, judgeReportedDeposit } from './reportedDeposit.ts';
import type { TransactionFacts } from './transactionFacts.ts';
import type { Plan } from '../plan/types.ts';

const WALLET = `0x${'0c'.repeat(20)}` as const;
const PAYER = `0x${'0b'.repeat(20)}` as const;

/** A transaction that sends the wallet these amounts of the source token, from the log 0 on. */
function paying(...amounts: readonly bigint[]): TransactionFacts {
  return {
    chainId: corridor.source.chainId,
    txHash: hashOf('t'),
    outcome: 'SUCCEEDED',
    blockNumber: 9,
    blockHash: hashOf('x'),
    blockTimeMs: 1_700_000_500_000,
    sender: PAYER,
    nonce: 3,
    to: PAYER,
    input: '0x',
    confirmations: 2,
    transfers: amounts.map((amount, logIndex) => ({
      ...{ token: corridor.source.token, from: PAYER, to: WALLET, amount, logIndex },
    })),
  };
}

/** The logs that count for a plan that is due 1,000 units, or why none does. */
function counted(amounts: readonly bigint[], rules: DepositRules = {}, plan: Plan = newPlan()) {
  const judged = judgeReportedDeposit(plan, paying(...amounts), WALLET, rules);
  return judged.ok ? judged.transfers.map(({ logIndex }) => logIndex) : judged.detail;
}

test('of one transaction for several plans, a plan counts the transfer of exactly what it is due', () => {
  assert.deepEqual(counted([1_000n, 2_000n]), [0]);
  assert.deepEqual(counted([2_000n, 1_000n, 1_000n]), [1]);
  assert.deepEqual(counted([1_000n, 1_000n], { taken: new Set([0]) }), [1]);
  assert.deepEqual(counted([1_000n, 2_000n], { amount: amountOf(2_000n) }), [1]);
  assert.match(String(counted([1_000n], { taken: new Set([0]) })), /settles another step already/);
});

test('several transfers count together, but never for more than the amount', () => {
  assert.deepEqual(counted([400n, 600n]), [0, 1]);
  assert.deepEqual(counted([400n, 600n, 2_000n], { taken: new Set([2]) }), [0, 1]);
  assert.deepEqual(counted([400n, 500n]), [0, 1]);
  for (const amounts of [[1_001n], [600n, 500n], [2_000n, 3_000n]])
    assert.match(
      String(counted(amounts)),
      /1000 units of 0x\w+ on chain \d+ is due, and no transfer of it is exactly that/,
    );
  assert.deepEqual(counted([600n, 500n], { amount: amountOf(1_100n) }), [0, 1]);
});

test('the log that a report names counts, whatever it brings', () => {
  assert.deepEqual(counted([1_000n, 2_000n], { logIndex: 1 }), [1]);
  assert.match(String(counted([1_000n], { logIndex: 7 })), /log 7 .* is no transfer of the source token/);
});

test('a deposit that is told again is the transfers that the plan has', () => {
  const before = newPlan();
  const judged = judgeReportedDeposit(before, paying(1_000n, 1_000n), WALLET, { taken: new Set([0]) });
  assert.ok(judged.ok);
  const amount = sumOf(judged.transfers.map((each) => each.amount));
  const { stepId } = depositStep(before);
  const told = { stepId, amount, verification: 'REPORTED', transfers: judged.transfers } as const;
  const reported = decide(before, { type: 'DEPOSIT_REPORTED', ...told }, before.updatedAtMs);
  assert.ok(reported.ok);
  assert.deepEqual(counted([1_000n, 1_000n], {}, reported.plan), [1]);
  assert.deepEqual(counted([1_000n, 1_000n], { logIndex: 0 }, reported.plan), [0]);
});
