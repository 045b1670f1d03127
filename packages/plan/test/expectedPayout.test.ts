// Which of the transfers to a plan's wallet is taken for the payment that is due, without anybody having reported it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountOf,
  expectedPayout,
  type Plan,
  type PlanCommand,
  type RecordedTransfer,
} from '../src/index.ts';
import { after } from './paidPlans.ts';
import {
  derived,
  evidence,
  executed,
  gone,
  observed,
  paidByTransaction,
  paidInPart,
  transfer,
} from './planCommands.ts';
import { MADE_AT_MS, newPlan, STEP_IDS } from './plans.ts';

const WALLET = `0x${'77'.repeat(20)}` as const;
const [, , lastId] = STEP_IDS;

/** A new plan that pays a wallet. */
const made = newPlan({ recipient: { type: 'wallet', address: WALLET, chainId: 31337, fingerprint: 'f1' } });

/** A plan that is due to pay 1500 to its wallet, after these commands. */
function dueToWallet(commands: readonly PlanCommand[] = []): Plan {
  const done = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
  return [...done, ...commands].reduce(after, made);
}

/** A transfer to the wallet, in the transaction and the block of these letters. */
function paid(letter: string, units: bigint, block = 'y'): RecordedTransfer {
  const [token, from] = [`0x${'55'.repeat(20)}`, `0x${'66'.repeat(20)}`] as const;
  return { ...transfer(letter, amountOf(units), block), token, from, to: WALLET, blockTimeMs: MADE_AT_MS };
}

test('the transfer that brings exactly what is due is the payment', () => {
  const exact = paid('q', 1_500n);
  assert.equal(expectedPayout(dueToWallet(), [paid('p', 1_499n), exact, paid('r', 1_501n)]), exact);
  assert.equal(expectedPayout(dueToWallet(), [paid('p', 1_499n)]), undefined);
});

test('after a part was paid, the transfer of the rest is the payment, and never the whole', () => {
  const plan = dueToWallet([paidInPart(evidence('p', 'FINAL', 1_400n))]);
  const rest = paid('q', 100n);
  assert.equal(expectedPayout(plan, [paid('r', 1_500n), rest]), rest);
});

test('a part that a reorganisation took back is the payment again when it is mined again', () => {
  const part = paidInPart(evidence('p', 'FINAL', 1_400n));
  const lost = after(dueToWallet([part]), gone(dueToWallet([part]), lastId, 'p'));
  const again = paid('p', 1_400n);
  assert.equal(expectedPayout(lost, [paid('q', 1_400n), again]), again);
});

test('a payment in the ledger is none that is due, in whatever block it is now', () => {
  const plan = dueToWallet([paidInPart(evidence('p', 'FINAL', 750n))]);
  assert.equal(expectedPayout(plan, [paid('p', 750n, 'x')]), undefined);
  assert.equal(expectedPayout(plan, [paid('p', 750n, 'z')]), undefined);
  const other = paid('q', 750n);
  assert.equal(expectedPayout(plan, [paid('p', 750n), other]), other);
});

test('nothing is expected before the swap and after the payment', () => {
  const exact = [paid('q', 1_500n)];
  assert.equal(expectedPayout(made, exact), undefined);
  assert.equal(expectedPayout(dueToWallet([paidByTransaction(evidence('p', 'FINAL'))]), exact), undefined);
});
