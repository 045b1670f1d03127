import assert from 'node:assert/strict';
import { test } from 'node:test';
import { derived, evidence, executed, hashOf, observed } from '../../test/planCommands.ts';
import { corridor, derivedInstructions, newPlan, planMaking, planRequest } from '../../test/plans.ts';
import { planAfter } from '../../test/scenarios.ts';
import { createPlan } from '../plan/createPlan.ts';
import { judgeDeposit } from './reportedDeposit.ts';
import { judgeRevertedSwap, judgeSwap, needsCalls } from './settlement.ts';
import type { Judgement } from './judgement.ts';
import type { TransactionFacts } from './transactionFacts.ts';

const SOURCE = corridor.source.token;
const TARGET = corridor.target.token;
const SETTLEMENT = corridor.target.settlementAddress;
const ROUTER = `0x${'04'.repeat(20)}` as const;
const STRANGER = `0x${'0b'.repeat(20)}` as const;
const WALLET = `0x${'0c'.repeat(20)}` as const;
const CALL = '0x04e45aafaa';
const WORD_OF_ROUTER = ROUTER.slice(2).padStart(64, '0');
const T = hashOf('t');
const MINED_AT_MS = 1_700_000_500_000;

function facts(changes: Partial<TransactionFacts> = {}): TransactionFacts {
  return {
    chainId: 31337,
    txHash: T,
    outcome: 'SUCCEEDED',
    blockNumber: 9,
    blockHash: hashOf('x'),
    blockTimeMs: MINED_AT_MS,
    sender: STRANGER,
    nonce: 3,
    to: ROUTER,
    input: CALL,
    confirmations: 2,
    transfers: [{ token: TARGET, from: ROUTER, to: SETTLEMENT, amount: 1_500n, logIndex: 4 }],
    ...changes,
  };
}

/** `proven`, or the sentence that says why the transaction proves nothing. */
function said(judgement: Judgement<object>): string {
  return judgement.ok ? 'proven' : judgement.detail;
}

const NOT_THE_STEPS = `The transaction ${T} does not execute the instructions of this step. Report the transaction that does.`;
const NOTHING_ARRIVED = `The transaction ${T} brought nothing to the settlement address. Report the transaction that executed the instructions.`;

test('a direct call of the router with the same calldata executes the swap', () => {
  const judgement = judgeSwap(newPlan(), facts());
  const place = { chainId: 31337, txHash: T, blockNumber: 9, blockHash: hashOf('x') };
  assert.deepEqual(judgement, {
    ok: true,
    attemptIndex: 0,
    evidence: {
      ...place,
      sender: STRANGER,
      nonce: 3,
      transfers: [{ ...place, logIndex: 4, amount: '1500', from: ROUTER, blockTimeMs: MINED_AT_MS }],
      amount: '1500',
      status: 'FINAL',
    },
    amountIn: '1000',
    others: [],
  });
});

test('a transaction with fewer confirmations than the corridor asks for is confirming', () => {
  const statuses = [1, 2, 3].map((confirmations) => {
    const judgement = judgeSwap(newPlan(), facts({ confirmations }));
    return judgement.ok && judgement.evidence.status;
  });
  assert.deepEqual(statuses, ['CONFIRMING', 'FINAL', 'FINAL']);
});

/** Inputs of contract wallets that pass the call on: first the contract, then its calldata. */
const carried: Readonly<Record<string, string>> = {
  'in words of its own': `0x6a761202${WORD_OF_ROUTER}${'0'.repeat(63)}5${CALL.slice(2)}${'0'.repeat(54)}`,
  'packed, as batches have it': `0x8d80ff0a00${ROUTER.slice(2)}${'0'.repeat(64)}${'0'.repeat(63)}5${CALL.slice(2)}`,
  // The first match begins inside a byte and does not count; the second match counts.
  'after digits that look like it': `0x6a76120204${WORD_OF_ROUTER}0${CALL.slice(2)}0${CALL.slice(2)}`,
};
const NOT_TOLD = `The transaction ${T} goes through a contract wallet, and the node of chain 31337 cannot tell which calls that made (debug_traceTransaction).`;

for (const [how, input] of Object.entries(carried)) {
  test(`calldata given to a contract wallet proves a reverted swap, and no executed one: ${how}`, () => {
    const through = { to: WALLET, input };
    assert.equal(said(judgeSwap(newPlan(), facts(through))), NOT_TOLD);
    const [top] = [{ ...through, transfers: facts().transfers }];
    assert.equal(said(judgeSwap(newPlan(), facts({ ...through, calls: [top] }))), NOT_THE_STEPS);
    const undone = facts({ ...through, outcome: 'REVERTED' });
    assert.equal(said(judgeRevertedSwap(newPlan(), undone)), 'proven');
  });
}

test('a contract wallet executes the swap by making the call, and only that call’s output counts', () => {
  const [own, other] = [
    { token: TARGET, from: ROUTER, to: SETTLEMENT, amount: 1_500n, logIndex: 4 },
    { token: TARGET, from: ROUTER, to: SETTLEMENT, amount: 700n, logIndex: 9 },
  ];
  const wallet = { to: WALLET, input: '0x6a761202', transfers: [own, other] };
  const calls = [
    wallet,
    { to: ROUTER, input: CALL, transfers: [own] },
    { to: ROUTER, input: '0x04e45aafbb', transfers: [other] },
  ];
  const judgement = judgeSwap(newPlan(), facts({ ...wallet, calls }));
  assert.ok(judgement.ok);
  assert.equal(judgement.evidence.amount, '1500');
  assert.deepEqual(
    judgement.evidence.transfers.map(({ logIndex }) => logIndex),
    [4],
  );
  const elsewhere = facts({ ...wallet, calls: [wallet, { to: STRANGER, input: CALL, transfers: [own] }] });
  assert.equal(said(judgeSwap(newPlan(), elsewhere)), NOT_THE_STEPS);
});

test('an execution spent what pools took of the source token, and no more than the plan swaps', () => {
  const out = { token: TARGET, from: ROUTER, to: SETTLEMENT, amount: 1_500n, logIndex: 4 };
  const spentBy = (...amounts: readonly bigint[]): string => {
    const taken = amounts.map((amount, logIndex) => ({
      ...{ token: SOURCE, from: STRANGER, to: WALLET, amount, logIndex },
    }));
    const judged = judgeSwap(newPlan(), facts({ transfers: [...taken, out] }));
    assert.ok(judged.ok);
    return judged.amountIn;
  };
  assert.equal(spentBy(1_000n), '1000');
  assert.equal(spentBy(600n, 195n), '795');
  assert.equal(spentBy(1_001n), '1000');
  assert.equal(spentBy(), '1000');
});

test('the first call that executes instructions is the execution, and each further one is apart', () => {
  const [one, two, three] = [1_500n, 1_495n, 1_490n].map((amount, index) => ({
    ...{ token: TARGET, from: ROUTER, to: SETTLEMENT, amount, logIndex: 4 + 2 * index },
  }));
  assert.ok(one && two && three);
  const wallet = { to: WALLET, input: '0x6a761202', transfers: [one, two, three] };
  const plan = planAfter([observed(1_000n), derived('bb')]);
  const calls = [
    wallet,
    { to: ROUTER, input: '0x04e45aafbb', transfers: [one] },
    { to: ROUTER, input: '0x04e45aafbb', transfers: [two] },
    { to: ROUTER, input: CALL, transfers: [three] },
    // What was counted for a call around this one is not counted again.
    { to: ROUTER, input: CALL, transfers: [three] },
  ];
  const judged = judgeSwap(plan, facts({ ...wallet, calls }));
  assert.ok(judged.ok);
  assert.deepEqual([judged.attemptIndex, judged.evidence.amount], [1, '1500']);
  assert.deepEqual(
    judged.others.map(({ position, amountIn, transfers }) => [
      position,
      amountIn,
      transfers.map(({ logIndex, amount }) => [logIndex, amount]),
    ]),
    [
      [1, '1000', [[6, '1495']]],
      [0, '1000', [[8, '1490']]],
    ],
  );
});

test('the calls are needed only of a successful transaction to a contract other than the router', () => {
  const needs = (changes: Partial<TransactionFacts>) => needsCalls(newPlan(), facts(changes));
  assert.deepEqual(
    [{}, { outcome: 'REVERTED' as const, to: WALLET }, { to: WALLET }, { to: undefined }].map(needs),
    [false, false, true, true],
  );
});

const elsewhere: Readonly<Record<string, Partial<TransactionFacts>>> = {
  'other calldata': { input: '0x04e45aafab' },
  'the calldata and more': { input: `${CALL}00` },
  'part of the calldata': { input: CALL.slice(0, -2) },
  'no calldata': { input: '0x' },
  'the calldata at another contract': { to: STRANGER },
  'a new contract made of the calldata': { to: undefined },
  'a wallet that names no router': { to: WALLET, input: `0x6a761202${'0'.repeat(64)}${CALL.slice(2)}` },
  'a wallet that names the router after the calldata': {
    to: WALLET,
    input: `0x6a761202${CALL.slice(2)}${WORD_OF_ROUTER}`,
  },
  'a wallet that carries the calldata between bytes': {
    to: WALLET,
    input: `0x6a761202${WORD_OF_ROUTER}0${CALL.slice(2)}0`,
  },
  'a wallet that names the router between bytes': {
    to: WALLET,
    input: `0x6a7612020${ROUTER.slice(2)}0${CALL.slice(2)}`,
  },
};

for (const [what, changes] of Object.entries(elsewhere)) {
  test(`${what} does not execute the swap`, () => {
    assert.equal(said(judgeSwap(newPlan(), facts(changes))), NOT_THE_STEPS);
  });
}

test('a reverted transaction executes no swap', () => {
  assert.equal(
    said(judgeSwap(newPlan(), facts({ outcome: 'REVERTED' }))),
    `The transaction ${T} was reverted.`,
  );
});

test('a transaction on another chain proves nothing', () => {
  const sentence = `The transaction ${T} is on the chain 1, not on 31337. Report a transaction on that chain.`;
  const there = facts({
    chainId: 1,
    transfers: [{ token: SOURCE, from: ROUTER, to: WALLET, amount: 1_000n, logIndex: 0 }],
  });
  assert.equal(said(judgeSwap(newPlan(), there)), sentence);
  assert.equal(said(judgeRevertedSwap(newPlan(), { ...there, outcome: 'REVERTED' })), sentence);
  assert.equal(said(judgeDeposit(newPlan(), there, WALLET)), sentence);
});

const NOWHERE: Readonly<Record<string, TransactionFacts['transfers']>> = {
  'output to another address': [{ token: TARGET, from: ROUTER, to: STRANGER, amount: 1_500n, logIndex: 0 }],
  'output of another token': [{ token: SOURCE, from: ROUTER, to: SETTLEMENT, amount: 1_500n, logIndex: 0 }],
  'an output of nothing': [{ token: TARGET, from: ROUTER, to: SETTLEMENT, amount: 0n, logIndex: 0 }],
  'what the settlement address sends to itself': [
    { token: TARGET, from: SETTLEMENT, to: SETTLEMENT, amount: 1_500n, logIndex: 0 },
  ],
  'no output': [],
};

for (const [what, transfers] of Object.entries(NOWHERE)) {
  test(`${what} is not the swap's output`, () => {
    assert.equal(said(judgeSwap(newPlan(), facts({ transfers }))), NOTHING_ARRIVED);
  });
}

test('the amount is the sum of the transfers that count, which the evidence lists one by one', () => {
  const transfers = [
    { token: TARGET, from: ROUTER, to: SETTLEMENT, amount: 2n ** 255n, logIndex: 1 },
    { token: TARGET, from: ROUTER, to: STRANGER, amount: 7n, logIndex: 2 },
    { token: TARGET, from: ROUTER, to: SETTLEMENT, amount: 0n, logIndex: 3 },
    { token: TARGET, from: ROUTER, to: SETTLEMENT, amount: 2n ** 255n - 1n, logIndex: 4 },
  ];
  const judgement = judgeSwap(newPlan(), facts({ transfers }));
  assert.ok(judgement.ok);
  assert.equal(judgement.evidence.amount, String(2n ** 256n - 1n));
  assert.deepEqual(
    judgement.evidence.transfers.map(({ logIndex }) => logIndex),
    [1, 4],
  );
});

test('a transaction with replaced instructions counts for the attempt that they belong to', () => {
  const plan = planAfter([observed(1_000n), derived('bb')]);
  const older = judgeSwap(plan, facts());
  const newer = judgeSwap(plan, facts({ input: '0x04e45aafbb' }));
  assert.deepEqual([older.ok && older.attemptIndex, newer.ok && newer.attemptIndex], [0, 1]);
});

test('instructions that were given out twice count for the later attempt', () => {
  const judgement = judgeSwap(planAfter([observed(1_000n), derived('aa')]), facts());
  assert.equal(judgement.ok && judgement.attemptIndex, 1);
});

test('the last of several instructions is the swap; an approval before it proves nothing', () => {
  const swap = derivedInstructions().instructions.at(0)!;
  const approval = { ...swap, to: SOURCE, data: '0x095ea7b3' };
  const derivedBoth = { ...derivedInstructions(), instructions: [approval, swap] };
  const created = createPlan(
    corridor,
    planRequest(),
    planMaking({ swap: { kind: 'DERIVED', derived: derivedBoth } }),
  );
  assert.ok(created.ok);
  assert.equal(said(judgeSwap(created.plan, facts())), 'proven');
  assert.equal(said(judgeSwap(created.plan, facts({ to: SOURCE, input: approval.data }))), NOT_THE_STEPS);
});

test('addresses and calldata of instructions may be written in any case', () => {
  const swap = derivedInstructions().instructions.at(0)!;
  const shouted = { ...swap, to: `0x${'0D'.repeat(20)}`, data: '0x04E45AAF' };
  const making = planMaking({
    swap: { kind: 'DERIVED', derived: { ...derivedInstructions(), instructions: [shouted] } },
  });
  const created = createPlan(corridor, planRequest(), making);
  assert.ok(created.ok);
  const to = `0x${'0d'.repeat(20)}` as const;
  assert.equal(said(judgeSwap(created.plan, facts({ to, input: '0x04e45aaf' }))), 'proven');
  const input = `0x6a761202${to.slice(2)}04e45aaf`;
  const calls = [{ to, input: '0x04e45aaf', transfers: facts().transfers }];
  assert.equal(said(judgeSwap(created.plan, facts({ to: WALLET, input, calls }))), 'proven');
  const undone = facts({ to: WALLET, input, outcome: 'REVERTED' });
  assert.equal(said(judgeRevertedSwap(created.plan, undone)), 'proven');
});

test('a call without calldata is recognised only when it is made directly', () => {
  const swap = derivedInstructions().instructions.at(0)!;
  const bare = { ...derivedInstructions(), instructions: [{ ...swap, data: '0x' }] };
  const created = createPlan(
    corridor,
    planRequest(),
    planMaking({ swap: { kind: 'DERIVED', derived: bare } }),
  );
  assert.ok(created.ok);
  assert.equal(said(judgeSwap(created.plan, facts({ input: '0x' }))), 'proven');
  const input = `0x6a761202${WORD_OF_ROUTER}`;
  assert.equal(said(judgeSwap(created.plan, facts({ to: WALLET, input }))), NOT_THE_STEPS);
});

test('no transaction executes the swap of a plan without instructions', () => {
  const swap = {
    kind: 'WITHHELD',
    withheld: { reason: 'PRICE_BELOW_FLOOR', detail: 'The price is too low.' },
    amountOut: derivedInstructions().amountOut,
  } as const;
  const created = createPlan(corridor, planRequest(), planMaking({ swap }));
  assert.ok(created.ok);
  assert.equal(said(judgeSwap(created.plan, facts())), NOT_THE_STEPS);
});

test('a transaction fails the swap only if it carries the instructions and was reverted', () => {
  const reverted = facts({ outcome: 'REVERTED', transfers: [] });
  assert.equal(said(judgeRevertedSwap(newPlan(), reverted)), 'proven');
  assert.equal(
    said(judgeRevertedSwap(newPlan(), facts())),
    `The transaction ${T} was not reverted: it succeeded. Report it as DONE.`,
  );
  assert.equal(said(judgeRevertedSwap(newPlan(), { ...reverted, input: '0x00' })), NOT_THE_STEPS);
});

test('a reverted transaction with replaced instructions does not fail the newer instructions', () => {
  const plan = planAfter([observed(1_000n), derived('bb')]);
  const reverted = facts({ outcome: 'REVERTED' });
  const sentence = `The transaction ${T} executes instructions that newer ones have replaced; those can be executed. Report the transaction that executes those.`;
  assert.equal(said(judgeRevertedSwap(plan, reverted)), sentence);
  assert.equal(said(judgeRevertedSwap(plan, { ...reverted, input: '0x04e45aafbb' })), 'proven');
  const swapped = planAfter([observed(1_000n), derived('bb'), executed(evidence('s', 'CONFIRMING'), 1)]);
  assert.equal(said(judgeRevertedSwap(swapped, reverted)), 'proven');
});

test('a deposit is the sum of the source token that arrives at the account', () => {
  const transfers = [
    { token: SOURCE, from: ROUTER, to: WALLET, amount: 600n, logIndex: 0 },
    { token: SOURCE, from: ROUTER, to: WALLET, amount: 0n, logIndex: 1 },
    { token: TARGET, from: ROUTER, to: WALLET, amount: 900n, logIndex: 2 },
    { token: SOURCE, from: ROUTER, to: STRANGER, amount: 900n, logIndex: 3 },
    { token: SOURCE, from: WALLET, to: WALLET, amount: 700n, logIndex: 4 },
    { token: SOURCE, from: ROUTER, to: WALLET, amount: 400n, logIndex: 5 },
  ];
  const judgement = judgeDeposit(newPlan(), facts({ transfers, confirmations: 1 }), WALLET);
  assert.ok(judgement.ok);
  assert.deepEqual(
    judgement.transfers.map(({ amount, logIndex }) => [amount, logIndex]),
    [
      ['600', 0],
      ['400', 5],
    ],
  );
  assert.equal(judgement.isFinal, false);
  const final = judgeDeposit(newPlan(), facts({ transfers, confirmations: 2 }), WALLET);
  assert.equal(final.ok && final.isFinal, true);
});

test('a transaction that brings no source token, or was reverted, is no deposit', () => {
  const sentence = `The transaction ${T} brings none of the source token to ${WALLET}. Report the transaction that paid the deposit.`;
  assert.equal(said(judgeDeposit(newPlan(), facts(), WALLET)), sentence);
  const nothing = facts({
    transfers: [{ token: SOURCE, from: ROUTER, to: WALLET, amount: 0n, logIndex: 0 }],
  });
  assert.equal(said(judgeDeposit(newPlan(), nothing, WALLET)), sentence);
  const reverted = facts({ outcome: 'REVERTED' });
  assert.equal(said(judgeDeposit(newPlan(), reverted, WALLET)), `The transaction ${T} was reverted.`);
});
