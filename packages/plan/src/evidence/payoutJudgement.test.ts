import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  deliveredBy,
  delivery,
  derived,
  evidence,
  executed,
  gone,
  hashOf,
  linkMade,
  lost,
  observed,
  paidAgain,
  paidByTransaction,
  paidInPart,
  paidOnceMore,
  payoutReturned,
  replaced,
  submitted,
} from '../../test/planCommands.ts';
import { corridor, newPlan, STEP_IDS } from '../../test/plans.ts';
import { assertKnown, changedBy, planAfter, refusalOf } from '../../test/scenarios.ts';
import { amountOf } from '../terms/amount.ts';
import { judgePayout, paidWallet, type PayoutRules, paysWallet } from './payoutJudgement.ts';
import type { Judgement } from './judgement.ts';
import type { TransactionFacts } from './transactionFacts.ts';
import { lostPartsOf, payableNow, type Plan, type PlanCommand } from '../index.ts';

const TARGET = corridor.target.token;
const CUSTODIAN = `0x${'07'.repeat(20)}` as const;
const STRANGER = `0x${'0b'.repeat(20)}` as const;
/** The wallet of the plan's recipient. */
const WALLET = `0x${'0c'.repeat(20)}` as const;
/** The address of every wallet that test recipients choose. */
const CHOSEN = `0x${'0e'.repeat(20)}` as const;
const T = hashOf('t');
/** The block of the swap. */
const SWAP_BLOCK = 7;

/** A plan of 1,500 to a wallet whose swap is done, after these commands. */
function payingPlan(...commands: readonly PlanCommand[]): Plan {
  const recipient = { type: 'wallet', chainId: 31337, address: WALLET, fingerprint: 'f' } as const;
  const made = newPlan({ recipient });
  const swapDone = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
  return [...swapDone, ...commands].reduce((plan, command) => changedBy(plan, command), made);
}

/** Transfers from the custodian to the recipient of these amounts, at the places 0, 1, 2 and so on. */
function paid(amounts: readonly bigint[], from = CUSTODIAN, to = WALLET): TransactionFacts['transfers'] {
  return amounts.map((amount, logIndex) => ({ token: TARGET, from, to, amount, logIndex }));
}

function facts(changes: Partial<TransactionFacts> = {}): TransactionFacts {
  return {
    chainId: 31337,
    txHash: T,
    outcome: 'SUCCEEDED',
    blockNumber: 9,
    blockHash: hashOf('y'),
    blockTimeMs: 1_700_000_500_000,
    sender: CUSTODIAN,
    nonce: 3,
    to: TARGET,
    input: '0xa9059cbb',
    confirmations: 2,
    transfers: paid([1_500n]),
    ...changes,
  };
}

const RULES: PayoutRules = { payoutAddresses: [CUSTODIAN] };

/** The verification, and the place and amount of each transfer that counts; or why none does. */
function said(plan: Plan, changes: Partial<TransactionFacts> = {}, rules: Partial<PayoutRules> = {}): string {
  const judged: Judgement<{
    verification: string;
    evidence: { transfers: readonly { logIndex: number; amount: string }[] };
  }> = judgePayout(plan, facts(changes), { ...RULES, ...rules });
  if (!judged.ok) return judged.detail;
  const counted = judged.evidence.transfers.map(({ logIndex, amount }) => `${amount} at ${logIndex}`);
  return `${judged.verification} ${counted.join(', ')}`;
}

test('a payout is VERIFIED when it comes from the custodian, and REPORTED when it does not', () => {
  assert.equal(said(payingPlan()), 'VERIFIED 1500 at 0');
  assert.equal(said(payingPlan(), { transfers: paid([1_500n], STRANGER) }), 'REPORTED 1500 at 0');
  assert.equal(said(payingPlan(), {}, { payoutAddresses: [] }), 'REPORTED 1500 at 0');
  // The sender of the transaction decides nothing: a contract may pay for the custodian, and a stranger may call it.
  assert.equal(said(payingPlan(), { sender: STRANGER }), 'VERIFIED 1500 at 0');
});

test('a payout in the block of the swap counts, and one in an earlier block does not', () => {
  const sentence = `The transaction ${T} is in block 6, before the swap in block 7, so it pays nothing of what the swap brought. Report the payment that was made after the swap.`;
  assert.equal(said(payingPlan(), { blockNumber: SWAP_BLOCK }), 'VERIFIED 1500 at 0');
  assert.equal(said(payingPlan(), { blockNumber: SWAP_BLOCK - 1 }), sentence);
  const strangers = paid([1_500n], STRANGER);
  assert.equal(said(payingPlan(), { blockNumber: SWAP_BLOCK - 1, transfers: strangers }), sentence);
});

test('one transfer counts: the exact amount, else the largest below it', () => {
  const exact = paid([9_000n, 1_499n, 1_500n, 1_500n, 20n]);
  assert.equal(said(payingPlan(), { transfers: exact }), 'VERIFIED 1500 at 2');
  assert.equal(said(payingPlan(), { transfers: paid([9_000n, 20n, 1_499n, 700n]) }), 'VERIFIED 1499 at 2');
});

test('transfers that settle something else are left out, until none is left', () => {
  const transfers = paid([1_500n, 1_500n]);
  const taken = (...places: number[]) => said(payingPlan(), { transfers }, { taken: new Set(places) });
  assert.equal(taken(0), 'VERIFIED 1500 at 1');
  assert.equal(
    taken(0, 1),
    `Every transfer of the transaction ${T} to the recipient settles another step already. Report the transaction that paid this step.`,
  );
});

test('a transfer that is recorded as a refund pays nobody, also where the payer is the recipient', () => {
  const refund: PlanCommand = {
    type: 'REFUND_RECORDED',
    money: { amount: amountOf(500n), asset: { chainId: 31337, address: TARGET } },
    verification: 'VERIFIED',
    transfer: { chainId: 31337, txHash: T, logIndex: 0, blockNumber: 9, blockHash: hashOf('y') },
  };
  const plan = payingPlan(refund);
  assert.equal(paysWallet(plan, facts()), false);
  const sentence = `What the transaction ${T} pays the recipient is recorded as a refund of this plan. Report the transaction that paid the recipient.`;
  assert.equal(said(plan, { transfers: paid([500n]) }), sentence);
  assert.equal(said(plan, { transfers: paid([500n, 1_000n]) }, { logIndex: 0 }), sentence);
  assert.equal(said(plan, { transfers: paid([1_000n, 1_000n]) }), 'VERIFIED 1000 at 1');
});

test('a transfer of more than is due counts only when the report names it', () => {
  const transfers = paid([2_000n, 1_700n]);
  assert.equal(
    said(payingPlan(), { transfers }),
    `The transaction ${T} pays the recipient 1700 in one transfer, 1500 is due; name the transfer by logIndex if it is for this payout.`,
  );
  assert.equal(said(payingPlan(), { transfers }, { logIndex: 0 }), 'VERIFIED 2000 at 0');
  const named = { transfers: paid([1_500n, 20n]) };
  assert.equal(said(payingPlan(), named, { logIndex: 1 }), 'VERIFIED 20 at 1');
  assert.equal(
    said(payingPlan(), named, { logIndex: 2 }),
    `The log 2 of the transaction ${T} is no transfer to the recipient. Leave logIndex out, or give that of a transfer to the wallet.`,
  );
});

test('a transfer of nothing, to itself, of another token or to somebody else is no payout', () => {
  const nothing = `The transaction ${T} pays the recipient nothing. Report the transaction that paid the wallet.`;
  const others: readonly TransactionFacts['transfers'][] = [
    [],
    paid([0n]),
    paid([1_500n], WALLET),
    paid([1_500n], CUSTODIAN, STRANGER),
    paid([1_500n]).map((transfer) => ({ ...transfer, token: corridor.source.token })),
  ];
  for (const transfers of others) assert.equal(said(payingPlan(), { transfers }), nothing);
  assert.equal(
    said(payingPlan(), { outcome: 'REVERTED' }),
    `The transaction ${T} was reverted. Report the transaction that paid.`,
  );
  const elsewhere = `The transaction ${T} is on the chain 1, not on 31337. Report a transaction on that chain.`;
  assert.equal(said(payingPlan(), { chainId: 1 }), elsewhere);
});

test('the evidence says who sent the transfer and when its block was made', () => {
  const judged = judgePayout(payingPlan(), facts(), RULES);
  assert.ok(judged.ok);
  assert.deepEqual(judged.evidence.transfers, [
    {
      ...{ chainId: 31337, txHash: T, blockNumber: 9, blockHash: hashOf('y') },
      ...{ logIndex: 0, amount: '1500', from: CUSTODIAN, blockTimeMs: 1_700_000_500_000 },
    },
  ]);
});

/** A payout by the transaction T with two transfers, as it was recorded before one transfer alone counted. */
function paidInTwo(status: 'CONFIRMING' | 'FINAL'): PlanCommand {
  const judged = judgePayout(payingPlan(), facts(), RULES);
  assert.ok(judged.ok);
  const [first] = judged.evidence.transfers;
  assert.ok(first);
  const transfers = [1_000n, 500n].map((units, logIndex) => {
    const { from: _from, blockTimeMs: _time, ...old } = { ...first, logIndex, amount: amountOf(units) };
    return old;
  });
  return paidByTransaction({ ...judged.evidence, status, transfers });
}

test('a payout that was accepted stays: all of its transfers count, in any block', () => {
  const plan = payingPlan(paidInTwo('CONFIRMING'));
  assert.equal(said(plan, { transfers: paid([1_000n, 500n]) }), 'VERIFIED 1000 at 0, 500 at 1');
  // In another block the same transaction has other log indexes, and it may come before the swap.
  const moved = paid([500n, 1_000n]).map((transfer) => ({ ...transfer, logIndex: transfer.logIndex + 5 }));
  const remined = { transfers: moved, blockNumber: SWAP_BLOCK - 1, blockHash: hashOf('z') };
  assert.equal(said(plan, remined), 'VERIFIED 1000 at 6, 500 at 5');
  assert.equal(
    said(plan, { transfers: paid([1_000n, 400n]) }),
    `The transaction ${T} no longer pays the recipient 1500 units of 0x0202020202020202020202020202020202020202 on chain 31337. Report the transaction that pays it.`,
  );
});

test('while a payout waits for confirmations it stays as it was judged', () => {
  for (const from of [CUSTODIAN, STRANGER]) {
    const transfers = paid([1_500n], from);
    const judged = judgePayout(payingPlan(), facts({ transfers, confirmations: 1 }), RULES);
    assert.ok(judged.ok);
    const { verification, evidence: shown } = judged;
    const plan = payingPlan({ ...paidByTransaction(shown), verification } as PlanCommand);
    for (const payoutAddresses of [[], [from], [CUSTODIAN]])
      assert.equal(said(plan, { transfers }, { payoutAddresses }), `${verification} 1500 at 0`);
  }
});

test('a payout that a reorganisation took back is judged anew when it is mined again', () => {
  const plan = payingPlan(paidInTwo('FINAL'), lost(STEP_IDS[2], 't'));
  const transfers = paid([1_000n, 500n]);
  assert.equal(said(plan, { transfers }), 'VERIFIED 1000 at 0, 500 at 1');
  assert.equal(said(plan, { transfers: paid([1_000n, 500n], STRANGER) }), 'REPORTED 1000 at 0, 500 at 1');
  assert.equal(said(plan, { transfers, blockNumber: SWAP_BLOCK - 1 }), 'REPORTED 1000 at 0, 500 at 1');
  assert.equal(
    said(plan, { transfers: paid([1_500n]) }),
    'VERIFIED 1500 at 0',
    'another effect is a new payout',
  );
});

test('a report that names another transfer than the recorded one is contradicted', () => {
  const judged = judgePayout(payingPlan(), facts({ transfers: paid([1_500n, 1_500n]) }), RULES);
  assert.ok(judged.ok);
  const plan = payingPlan(paidByTransaction(judged.evidence));
  const again = { transfers: paid([1_500n, 1_500n]) };
  assert.equal(said(plan, again, { logIndex: 0 }), 'VERIFIED 1500 at 0');
  assert.equal(said(plan, again, { logIndex: 1 }), 'VERIFIED 1500 at 1', 'the wallet was paid twice by it');
  const { evidence: found } = judged;
  const confirming = payingPlan(paidByTransaction({ ...found, status: 'CONFIRMING' }));
  assert.equal(
    said(confirming, again, { logIndex: 1 }),
    `The payout rests on the log 0 of the transaction ${T}, which is being confirmed. Report the log 1 once it is confirmed.`,
  );
});

test('a second transfer of the payment is known when it is told again after money came back', () => {
  const transfers = paid([1_500n, 1_500n]);
  const both = (logIndex: number) => {
    const judged = judgePayout(payingPlan(), facts({ transfers }), { ...RULES, logIndex });
    assert.ok(judged.ok);
    return { ...judged.evidence, status: 'FINAL' } as const;
  };
  const [first, second] = [paidByTransaction(both(0)), paidOnceMore(both(1))];
  const once = payingPlan(first, payoutReturned('R1', 1_500n));
  assert.match(said(once, { transfers }, { logIndex: 1 }), /rests on the log 0/);
  const twice = payingPlan(first, second, payoutReturned('R1', 1_500n));
  assert.equal(said(twice, { transfers }, { logIndex: 1 }), 'VERIFIED 1500 at 1');
  assertKnown(twice, second);
});

test('a transaction that paid an earlier attempt pays nothing of the next one', () => {
  const judged = judgePayout(payingPlan(), facts(), RULES);
  assert.ok(judged.ok);
  const { evidence: first } = judged;
  const returned = [paidByTransaction(first), payoutReturned('B1'), paidAgain('FW2')];
  const again = payingPlan(...returned);
  const mined = judgePayout(again, facts({ blockHash: hashOf('z') }), RULES);
  assert.ok(mined.ok);
  for (const told of [first, mined.evidence]) {
    const refusal = refusalOf(again, paidByTransaction(told));
    assert.match('detail' in refusal ? refusal.detail : '', /came back, so it does not settle/);
  }
  // Another transfer of the same transaction is no repetition, if it is named.
  const twice = { transfers: paid([1_500n, 1_500n]) };
  assert.equal(said(again, twice), 'VERIFIED 1500 at 0');
  assert.equal(said(again, twice, { logIndex: 1 }), 'VERIFIED 1500 at 1');
});

test('a transaction that paid a part is this part again, unless another transfer is named', () => {
  const transfers = paid([50n, 600n]);
  const judged = judgePayout(payingPlan(), facts({ transfers }), RULES);
  assert.ok(judged.ok && judged.evidence.amount === '600');
  const plan = payingPlan(paidInPart(judged.evidence));
  assert.equal(said(plan, { transfers }), 'VERIFIED 600 at 1');
  assert.equal(said(plan, { transfers }, { logIndex: 0 }), 'VERIFIED 50 at 0');
  const moved = { transfers: paid([600n, 50n]), blockHash: hashOf('z') };
  assert.equal(said(plan, moved), 'VERIFIED 600 at 0');
  const completed = payingPlan(paidInPart(judged.evidence), paidByTransaction(evidence('q', 'FINAL', 900n)));
  assert.equal(said(completed, { transfers }), 'VERIFIED 600 at 1');
});

test('a transfer that paid an earlier round pays nothing of the next destination', () => {
  const sent = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1), linkMade('FIRST', 1)];
  const back = [submitted(1), deliveredBy(evidence('p', 'FINAL')), delivery('RETURNED', 'B1')];
  const link = { ...linkMade('REISSUED', 2), endToEndId: 'FW2' } as PlanCommand;
  const plan = [...sent, ...back, link, submitted(2, 'b')].reduce(
    (before, command) => changedBy(before, command),
    newPlan({ mode: 'DIGITAL_COLLECT' }),
  );
  const refusal = refusalOf(plan, deliveredBy(evidence('p', 'FINAL')));
  assert.match('detail' in refusal ? refusal.detail : '', /came back, so it does not settle/);
});

test('a lost part is judged by the wallet that it had paid, whoever is paid since', () => {
  const toWallet = { transfers: paid([700n]) };
  const part = judgePayout(payingPlan(), facts(toWallet), RULES);
  assert.ok(part.ok);
  const half = payingPlan(paidInPart(part.evidence));
  const [, , lastId] = STEP_IDS;
  const since = [
    gone(half, lastId, 't'),
    paidByTransaction(evidence('u', 'FINAL')),
    payoutReturned('B1', 1_500n),
    replaced('a'),
  ];
  const other = since.reduce(changedBy, half);
  assert.deepEqual([paidWallet(other)?.address, lostPartsOf(other).length], [CHOSEN, 1]);
  const toChosen = { transfers: paid([700n], CUSTODIAN, CHOSEN) };
  const bump = { txHash: hashOf('v') };
  for (const its of [{}, bump]) {
    assert.ok(
      paysWallet(other, facts({ ...toWallet, ...its })),
      'it, or one of its nonce, pays the old wallet',
    );
    assert.ok(!paysWallet(other, facts({ ...toChosen, ...its })));
  }
  assert.ok(!paysWallet(other, facts({ ...toWallet, ...bump, nonce: 4 })));
  // It counts once, first while it is confirmed and then for good; the rest alone is left for the other wallet.
  const there = [1, 2].reduce((plan, confirmations) => {
    const found = judgePayout(plan, facts({ ...toWallet, confirmations, blockHash: hashOf('z') }), RULES);
    assert.ok(found.ok, `${confirmations} confirmations`);
    return changedBy(plan, paidInPart(found.evidence));
  }, other);
  assert.deepEqual([payableNow(there), lostPartsOf(there)], ['800', []]);
});

test('a delivery is what arrives at the wallet that the recipient chose', () => {
  const sent = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1), linkMade('FIRST', 1)];
  const transfers = paid([1_500n], CUSTODIAN, CHOSEN);
  const plan = planAfter([...sent, submitted(1)], 'DIGITAL_COLLECT');
  assert.equal(said(plan, { transfers }), 'VERIFIED 1500 at 0');
  assert.equal(
    said(plan),
    `The transaction ${T} pays the recipient nothing. Report the transaction that paid the wallet.`,
  );
  const nowhere = `The transaction ${T} pays no wallet of this plan. Report its providerReference instead.`;
  for (const none of [planAfter(sent, 'DIGITAL_COLLECT'), newPlan()])
    assert.equal(said(none, { transfers }), nowhere);
});

test('a transaction may pay the wallet if it brings the token there, whatever the amount', () => {
  const plan = payingPlan();
  const isPaid = (changes: Partial<TransactionFacts>, by = plan) => paysWallet(by, facts(changes));
  for (const units of [1n, 1_500n, 9_999n]) assert.equal(isPaid({ transfers: paid([units]) }), true);
  assert.equal(isPaid({ outcome: 'REVERTED' }), false);
  assert.equal(isPaid({ transfers: [] }), false);
  assert.equal(isPaid({ transfers: paid([1_500n], CUSTODIAN, STRANGER) }), false);
  const [transfer] = paid([1_500n]);
  assert.ok(transfer);
  assert.equal(isPaid({ transfers: [{ ...transfer, token: STRANGER }] }), false);
  assert.equal(paysWallet(planAfter([observed(1_000n)]), facts()), false, 'it pays an account');
});
