// An agent that does exactly what `next` says, and nothing else, never pays twice, never stands still, and always comes
// to an end. The chain is reorganised meanwhile, backups are put back, answers and reports are lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf, depositOf, endToEndIdOf, type Plan, unitsOf, ZERO, payoutOf } from '@fairway/plan';
import { createRandom } from '@fairway/testing';
import { isSeedGiven, runs, scale, seed } from '@fairway/testing/properties';
import { live } from './obedient.ts';
import { OBEYED } from './obedientAgent.ts';
import type { ObedientFaults, SeenNext } from './obedientTypes.ts';

/** The daily run has the same lives each time; a nightly run has new ones. */
const first = scale > 1 || isSeedGiven ? seed : 10_000;
console.log(`FC_SEED=${first}`);
const lives = runs(700);

/** What must have come up. */
const MET = [
  ...['COMPLETED', 'ENDED', 'PAYOUT_HELD', 'MONEY_RETURNED', 'TRANSACTION_LOST', 'DEPOSIT_UNCLEAR'],
  ...['DEPOSIT_LOST', 'REFUND_LOST'],
];

test(`in ${lives} lives the agent pays once, never stands still, and comes to an end`, () => {
  const seen = new Set<string>();
  for (let index = 0; index < lives; index += 1) live(createRandom(first + index), OBEYED, seen);
  for (const what of MET) assert.ok(seen.has(what), `no life has ${what}`);
});

/** Faults by name, the seed that finds each, and how the lives word what they find. */
const PLANTED: Readonly<
  Record<
    string,
    { readonly from: number; readonly faults: Partial<ObedientFaults>; readonly finding: RegExp }
  >
> = {
  'a payment has another id after a restore': {
    from: 20_658,
    faults: { id: (attempt, part, account, made) => `FW ${attempt} ${part} ${account} ${made}` },
    finding: /twice: \d+ was paid/,
  },
  'a payment after a return has the id of the one that came back': {
    from: 20_016,
    faults: { id: (_attempt, part, account) => OBEYED.id(1, part, account, 0) },
    finding: /stands still/,
  },
  'next asks for an execution while the record is behind': {
    from: 20_002,
    faults: { isBehindTold: false },
    finding: /twice: 2 executions/,
  },
  'a payment is asked for before the swap is final': {
    from: 20_600,
    faults: { see: (seen, plan) => (seen?.why === 'TRANSACTION_CONFIRMING' ? withPay(seen, plan) : seen) },
    finding: /twice: \d+ was paid of 0/,
  },
  'a deposit that was taken back is asked for at once': {
    from: 20_000,
    faults: { see: (seen, plan) => (seen?.why === 'DEPOSIT_LOST' ? withSend(seen, plan) : seen) },
    finding: /twice: \d+ was sent/,
  },
  'a refund that was taken back is not waited for': {
    from: 20_312,
    faults: { see: (seen, plan) => (seen?.why === 'REFUND_LOST' ? withPay(seen, plan) : seen) },
    finding: /twice: \d+ was paid/,
  },
  'a step that failed asks for nothing': {
    from: 20_002,
    faults: { see: (seen) => (seen?.why === 'STEP_FAILED' ? undefined : seen) },
    finding: /without next is over/,
  },
  'the deadline of a pending transaction is not told': {
    from: 20_076,
    faults: { see: (seen) => (seen?.why === 'TRANSACTION_PENDING' ? withoutDeadline(seen) : seen) },
    finding: /stands still: ."TRANSACTION_PENDING"/,
  },
  'expired instructions have no options': {
    from: 20_011,
    faults: { see: (seen) => (seen?.why === 'INSTRUCTIONS_EXPIRED' ? { ...seen, options: [] } : seen) },
    finding: /stands still/,
  },
};

function withoutDeadline({ deadlineMs: _, ...seen }: SeenNext): SeenNext {
  return seen;
}

function withSend(seen: SeenNext, plan: Plan): SeenNext {
  const missing = unitsOf(plan.amountIn) - unitsOf(depositOf(plan).received);
  return { ...seen, do: 'SEND', send: { amount: amountOf(missing) } };
}

function withPay(seen: SeenNext, plan: Plan): SeenNext {
  const last = plan.steps.at(-1);
  const amount = last?.type === 'CUSTODIAN_PAYOUT' ? payoutOf(plan).left : ZERO;
  const account = String(plan.recipient.fingerprint);
  return { ...seen, pay: { amount, account, endToEndId: endToEndIdOf(plan) } };
}

/** When the rules change, the lives of seeds change. So a fault must be found by its seed or by one of the next. */
const ENOUGH = 800;

for (const [name, { from, faults, finding }] of Object.entries(PLANTED)) {
  test(`the agent finds the planted fault: ${name}`, (t) => {
    for (let index = 0; index < ENOUGH; index += 1) {
      try {
        live(createRandom(from + index), { ...OBEYED, ...faults });
      } catch (cause) {
        assert.match(String(cause), finding);
        return t.diagnostic(`found by seed ${from + index}`);
      }
    }
    assert.fail(`no life of ${ENOUGH} found it`);
  });
}
