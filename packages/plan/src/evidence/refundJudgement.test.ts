// Which transfer of a transaction sent money back to the payer, and when that is proven.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidence, executed, hashOf, recorded, recordedTransfer, reported } from '../../test/planCommands.ts';
import { corridor, MADE_AT_MS, newPlan, planRequest } from '../../test/plans.ts';
import { changedBy } from '../../test/scenarios.ts';
import { assetsOf } from '../terms/money.ts';
import { judgeRefund } from './refundJudgement.ts';
import type { TransactionFacts, TransferFacts } from './transactionFacts.ts';
import { type Address, amountOf, type Plan } from '../index.ts';

const CUSTODIAN = `0x${'07'.repeat(20)}` as const;
const STRANGER = `0x${'08'.repeat(20)}` as const;
const PAID = recordedTransfer('d', 1_000n);
const { from: PAYER, to: depositAddress, token } = PAID;

/** A plan with this deposit address that a deposit of the payer has come to. */
const deposited = changedBy(
  newPlan({ options: { ...planRequest().options, depositAddress } }),
  recorded([PAID]),
);

/** A transfer of 400 units from the custodian to the payer, at this place. */
function sent(logIndex: number, changes: Partial<TransferFacts> = {}): TransferFacts {
  return { token, from: CUSTODIAN, to: PAYER, amount: 400n, logIndex, ...changes };
}

/** The verification and the place of the transfer that counts; or why none does. */
function said(plan: Plan, ...transfers: readonly TransferFacts[]): string {
  const facts: TransactionFacts = {
    ...{ chainId: 31337, txHash: hashOf('r'), outcome: 'SUCCEEDED', confirmations: 2 },
    ...{ blockNumber: 9, blockHash: hashOf('y'), blockTimeMs: MADE_AT_MS },
    ...{ sender: CUSTODIAN, nonce: 3, to: token, input: '0xa9059cbb', transfers },
  };
  const money = { amount: amountOf(400n), asset: assetsOf({ corridor }).source };
  const judged = judgeRefund(plan, facts, money, { payoutAddresses: [CUSTODIAN], isFree: () => true });
  return judged.ok ? `${judged.verification} ${judged.transfer.logIndex}` : judged.detail;
}

test('a refund is VERIFIED from an account of the plan to one that its deposit came from', () => {
  assert.equal(said(deposited, sent(0, { to: STRANGER }), sent(1)), 'VERIFIED 1');
  assert.equal(said(deposited, sent(0, { from: depositAddress })), 'VERIFIED 0');
  assert.equal(said(deposited, sent(0, { to: STRANGER })), 'REPORTED 0');
  assert.equal(said(deposited, sent(0, { from: STRANGER })), 'REPORTED 0');
});

test('who has deposited too little, or another token, is no proven payer of what was sent', () => {
  const dust = recordedTransfer('u', 399n);
  const { options } = deposited;
  const small = changedBy(newPlan({ options }), recorded([dust]));
  assert.equal(said(small, sent(0)), 'REPORTED 0');
  const other = changedBy(newPlan({ options }), recorded([{ ...PAID, token: STRANGER }]));
  assert.equal(said(other, sent(0)), 'REPORTED 0');
});

test('what was sent back to a payer before counts no second time', () => {
  const [first] = [sent(0, { amount: 700n })];
  const money = { amount: amountOf(700n), asset: assetsOf({ corridor }).source };
  const refunded = changedBy(deposited, {
    type: 'REFUND_RECORDED',
    ...{ money, verification: 'VERIFIED', transfer: { ...PAID, txHash: hashOf('b'), to: first.to } },
  });
  assert.equal(said(refunded, sent(0)), 'REPORTED 0');
});

test('a transfer from an account to itself sends nothing back', () => {
  const circular = sent(0, { to: CUSTODIAN });
  assert.match(said(deposited, circular), /has no transfer of 400 .*: there is none/);
  assert.equal(said(deposited, circular, sent(1, { to: STRANGER })), 'REPORTED 1');
});

test('who a plan without a deposit address names as its payer proves no refund', () => {
  const { to: _to, token: _token, ...moved } = PAID;
  assert.equal(said(changedBy(newPlan(), reported(1_000n, [moved])), sent(0)), 'REPORTED 0');
});

test('what the custodian sent to the deposit address can be its refund, what others sent cannot', () => {
  const back = (from: Address) => {
    const deposit = recordedTransfer('r', 400n, { from, to: depositAddress, logIndex: 4 });
    const swapped = changedBy(deposited, executed(evidence('s', 'FINAL')));
    return said(changedBy(swapped, recorded([deposit])), sent(4, { from, to: depositAddress }));
  };
  assert.equal(back(CUSTODIAN), 'VERIFIED 4');
  assert.match(back(STRANGER), /is a deposit, the swap or the payout of this plan/);
});

test('a refund that is told again in fewer words is the transfer that is recorded', () => {
  const transfers = [sent(0), sent(1)];
  const { txHash } = { txHash: hashOf('r') };
  const money = { amount: amountOf(400n), asset: assetsOf({ corridor }).source };
  const refunded = changedBy(deposited, {
    type: 'REFUND_RECORDED',
    ...{ money, verification: 'VERIFIED', transfer: { ...PAID, txHash, logIndex: 1, to: PAYER } },
  });
  assert.equal(said(deposited, ...transfers), 'VERIFIED 0');
  assert.match(said(refunded, ...transfers), / 1$/);
});
