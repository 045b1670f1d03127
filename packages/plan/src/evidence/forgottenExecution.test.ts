import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executed, hashOf, observed } from '../../test/planCommands.ts';
import { corridor, derivedInstructions, newPlan, planMaking, planRequest } from '../../test/plans.ts';
import { amountOf } from '../terms/amount.ts';
import { createPlan } from '../plan/createPlan.ts';
import { decide } from '../decide.ts';
import { isUntraced, judgeForgotten } from './forgottenExecution.ts';
import { swapOf } from '../book/swap.ts';
import { swapStep } from '../plan/steps.ts';
import { judgeSwap } from './settlement.ts';
import type { Address } from '../terms/scalars.ts';
import type { TransactionFacts, TransferFacts } from './transactionFacts.ts';
import type { Plan } from '../plan/types.ts';

const TARGET = corridor.target.token;
const SETTLEMENT = corridor.target.settlementAddress;
const ROUTER: Address = `0x${'04'.repeat(20)}`;
const STRANGER: Address = `0x${'0b'.repeat(20)}`;
const [FIRST, FOURTH] = ['a1'.repeat(16), 'a4'.repeat(16)];
const RULES = {
  tags: new Map([
    [FIRST, 1],
    [FOURTH, 4],
  ]),
  routers: [ROUTER],
};
/** What the known instructions of the test plan let arrive at least is 1,490. */
const HALF = 745n;

/** What a wallet spends: all that the test plan swaps. */
const SPENT: TransferFacts = {
  token: corridor.source.token,
  from: STRANGER,
  to: ROUTER,
  amount: BigInt(newPlan().amountIn),
  logIndex: 2,
};

const paying = (amount: bigint, logIndex = 4): TransferFacts => ({
  token: TARGET,
  from: ROUTER,
  to: SETTLEMENT,
  amount,
  logIndex,
});

function facts(changes: Partial<TransactionFacts> = {}): TransactionFacts {
  return {
    chainId: 31337,
    txHash: hashOf('t'),
    outcome: 'SUCCEEDED',
    blockNumber: 9,
    blockHash: hashOf('x'),
    blockTimeMs: 1_700_000_500_000,
    sender: STRANGER,
    nonce: 3,
    to: ROUTER,
    input: `0x04e45aaf${'00'.repeat(32)}${FOURTH}`,
    confirmations: 2,
    ...swapping(paying(HALF)),
    ...changes,
  };
}

/** The transfers of a swap that spends all of it. */
const swapping = (...transfers: readonly TransferFacts[]) => ({ transfers: [SPENT, ...transfers] });

const judge = (changes: Partial<TransactionFacts>, plan: Plan = newPlan()) =>
  judgeForgotten(plan, facts(changes), RULES);
const found = (changes: Partial<TransactionFacts>, plan?: Plan) => judge(changes, plan).ok;

test('a call of the router with the tag of a lost attempt that brings enough executed it', () => {
  const judged = judge({});
  assert.ok(judged.ok);
  assert.deepEqual([judged.position, judged.evidence.amount, judged.minAmountOut], [4, '745', '745']);
  assert.deepEqual(judged.call, { to: ROUTER, input: facts().input });
});

test('a tag with less than half of what is due executes nothing', () => {
  assert.equal(found(swapping(paying(HALF - 1n))), false);
  assert.equal(found(swapping(paying(HALF - 1n), paying(1n, 5))), true);
  assert.equal(found(swapping({ ...paying(HALF), to: STRANGER })), false);
  assert.equal(found(swapping({ ...paying(HALF), token: STRANGER })), false);
  const options = { slippageBps: 50, collectLifeMs: 86_400_000, minAmountOut: amountOf(1_480n) };
  assert.equal(found(swapping(paying(1_479n)), newPlan({ options })), false);
  assert.equal(found(swapping(paying(1_480n)), newPlan({ options })), true);
});

test('a tag in a swap of another amount executes nothing: anybody can copy it', () => {
  const half = { ...SPENT, amount: SPENT.amount / 2n };
  assert.equal(found({ transfers: [half, paying(1_500n)] }), false);
  assert.equal(
    found({ transfers: [half, { ...half, from: SETTLEMENT, logIndex: 3 }, paying(1_500n)] }),
    false,
  );
  assert.equal(found({ transfers: [half, { ...half, logIndex: 3 }, paying(1_500n)] }), true, 'in two parts');
  assert.equal(found({ transfers: [{ ...SPENT, token: STRANGER }, paying(1_500n)] }), false);
});

test('lost instructions whose pools ran out spent a little less than all', () => {
  const spending = (amount: bigint) => judge({ transfers: [{ ...SPENT, amount }, paying(1_495n)] });
  const partial = spending(993n);
  assert.equal(partial.ok && partial.amountIn, '993');
  assert.deepEqual([spending(990n).ok, spending(989n).ok, spending(1_001n).ok], [true, false, false]);
});

test('without instructions to compare with, half of the estimate is due', () => {
  const withheld = { reason: 'CATCHING_UP', detail: '' } as const;
  const swap = { kind: 'WITHHELD', withheld, amountOut: amountOf(1_600n) } as const;
  const made = createPlan(corridor, planRequest(), planMaking({ swap }));
  assert.ok(made.ok);
  assert.equal(found(swapping(paying(799n)), made.plan), false);
  assert.equal(found(swapping(paying(800n)), made.plan), true);
});

test('a tag in a call of anything but a router executes nothing', () => {
  assert.equal(found({ to: STRANGER }), false);
  assert.equal(found({ to: TARGET }), false);
  assert.equal(found({ input: `0x04e45aaf${'bb'.repeat(16)}` }), false);
  assert.equal(found({ outcome: 'REVERTED' }), false);
  assert.equal(found({ chainId: 1 }), false);
});

test('of calls around each other the innermost with a tag decides', () => {
  const [tagged, plain] = [facts().input, '0x04e45aaf'];
  const { transfers } = swapping(paying(1_500n));
  const through = (...calls: readonly (readonly [Address, string])[]) =>
    found({ to: STRANGER, calls: calls.map(([to, input]) => ({ to, input, transfers })) });
  assert.equal(through([STRANGER, plain], [ROUTER, tagged], [TARGET, plain]), true);
  assert.equal(through([STRANGER, tagged], [ROUTER, tagged]), true);
  assert.equal(through([STRANGER, tagged], [ROUTER, plain]), false);
  assert.equal(through([STRANGER, plain], [ROUTER, tagged], [STRANGER, tagged]), false);
  const beside = { to: ROUTER, input: tagged, transfers: [] };
  const paid = { to: STRANGER, input: plain, transfers };
  assert.equal(found({ to: STRANGER, calls: [paid, beside] }), false);
});

test('each call with a tag of its own is an execution that was lost, and the first is the swap', () => {
  const first = { ...facts(), ...swapping(paying(1_500n)) };
  const second = swapping(paying(1_495n)).transfers.map((each) => ({ ...each, logIndex: each.logIndex + 9 }));
  const calls = [first.transfers, second].map((transfers) => ({ to: ROUTER, input: first.input, transfers }));
  const transfers = calls.flatMap((call) => call.transfers);
  const judged = judge({ to: STRANGER, transfers, calls });
  assert.ok(judged.ok);
  assert.equal(judged.evidence.amount, '1500');
  assert.deepEqual(
    judged.others.map(({ amountIn, transfers: brought }) => [amountIn, brought.map(({ amount }) => amount)]),
    [['1000', ['1495']]],
  );
});

test('money that is only transferred has to be the whole transfer', () => {
  const only = { ...corridor, source: { ...corridor.source, token: TARGET } };
  const made = createPlan(only, planRequest(), planMaking());
  assert.ok(made.ok);
  const { plan } = made;
  const words = [SETTLEMENT.slice(2), (1_000).toString(16)].map((word) => word.padStart(64, '0'));
  const exact = { to: TARGET, input: `0xa9059cbb${words.join('')}${FIRST}`, transfers: [paying(1_000n)] };
  assert.equal(found(exact, plan), true);
  assert.equal(found({ ...exact, to: ROUTER }, plan), false);
  assert.equal(found({ ...exact, transfers: [paying(999n)] }, plan), false);
  assert.equal(found({ ...exact, input: exact.input.replace('3e8', '3e7') }, plan), false);
  assert.equal(found({ ...exact, input: exact.input.replace('a9059cbb', '23b872dd') }, plan), false);
});

test('through another contract, nobody knows without its calls', () => {
  const untraced = (changes: Partial<TransactionFacts>) => isUntraced(newPlan(), facts(changes), RULES);
  assert.equal(untraced({ to: STRANGER }), true);
  assert.equal(untraced({ to: STRANGER, calls: [] }), false);
  assert.equal(untraced({ to: STRANGER, outcome: 'REVERTED' }), false);
  assert.deepEqual([untraced({ to: ROUTER }), untraced({ to: TARGET })], [false, false]);
});

test('lost instructions take their position again, and their transaction is the swap', () => {
  const judged = judge(swapping(paying(1_500n)));
  assert.ok(judged.ok);
  const forgotten = {
    ...derivedInstructions(),
    instructions: derivedInstructions().instructions.map((call) => ({ ...call, data: facts().input })),
  };
  const before = decide(newPlan(), observed(1_000n), 1_700_000_400_000);
  assert.ok(before.ok && before.outcome === 'CHANGED');
  const { position, evidence } = judged;
  const stepId = swapStep(before.plan).stepId;
  const at = { type: 'EXECUTION_FOUND', stepId, evidence, amountIn: before.plan.amountIn } as const;
  const command = { ...at, position, forgotten };
  const decision = decide(before.plan, command, 1_700_000_500_000);
  assert.ok(decision.ok && decision.outcome === 'CHANGED');
  const swap = swapStep(decision.plan);
  assert.deepEqual(
    swap.attempts.map(({ outcome, instructions }) => [outcome, instructions.length]),
    [
      ['SUPERSEDED', 1],
      ['SUPERSEDED', 0],
      ['SUPERSEDED', 0],
      ['SUPERSEDED', 0],
      ['EXECUTED', 1],
    ],
  );
  assert.equal(swapOf(decision.plan).brought, '1500');
  const again = judgeSwap(decision.plan, facts(swapping(paying(1_500n))));
  assert.equal(again.ok && again.attemptIndex, 4);
  const known = decide(decision.plan, command, 1_700_000_500_001);
  assert.equal(known.ok && known.outcome, 'UNCHANGED');
  // Neither without the instructions nor far away.
  assert.equal(decide(before.plan, executed(judged.evidence, 4), 1_700_000_500_000).ok, false);
  assert.equal(decide(before.plan, { ...command, position: 18 }, 1_700_000_500_000).ok, false);
});
