// What a swap has moved, and what is to come of it, as the ledger of its plan says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  closed,
  derived,
  evidence,
  executed,
  executedTwice,
  gone,
  lost,
  observed,
  paidByReference,
  retried,
  swapFailed,
  withheld,
} from '../../test/planCommands.ts';
import { changedBy, planAfter } from '../../test/scenarios.ts';
import { STEP_IDS } from '../../test/plans.ts';
import type { PlanCommand } from '../index.ts';
import { swapOf } from './swap.ts';

const [, SWAP] = STEP_IDS;
const CAME = [observed(1_000n), derived()];
const EXECUTED = [...CAME, executed(evidence('s', 'FINAL', 1_490n), 1, 990n)];
const MINED_ANEW = executed(evidence('s', 'FINAL', 1_480n, 'y'), 1, 980n);

/** Commands, then what was spent, what it brought, and what is expected. */
const CASES: Readonly<Record<string, readonly [readonly PlanCommand[], string]>> = {
  nothing: [[], '0 0 1500'],
  'no instructions for now': [[observed(1_000n), withheld('NOT_DERIVABLE')], '0 0 1500'],
  'being confirmed': [[...CAME, executed(evidence('s', 'CONFIRMING', 1_490n), 1, 990n)], '990 1490 1490'],
  'the pools took less': [EXECUTED, '990 1490 1490'],
  'found without a deposit': [[executed(evidence('s', 'FINAL', 1_490n), 0, 990n)], '990 1490 1490'],
  'a second transaction is not in it': [
    [...EXECUTED, executed(evidence('t', 'FINAL', 7n), 0)],
    '990 1490 1490',
  ],
  'a second call is not in it': [[...CAME, executedTwice(evidence('s', 'FINAL'), 1)], '1000 1500 1500'],
  'after the end it is not in it': [
    [closed({ reason: 'OTHER' }), executed(evidence('s', 'FINAL', 1_490n), 0)],
    '0 0 1500',
  ],
  'mined again': [[...EXECUTED, MINED_ANEW], '980 1480 1480'],
  'gone: it may bring the same once more': [[...EXECUTED, lost(SWAP, 's')], '0 0 1490'],
  'gone and mined again': [[...EXECUTED, lost(SWAP, 's'), MINED_ANEW], '980 1480 1480'],
  'gone after a payment': [[...EXECUTED, paidByReference('R1'), lost(SWAP, 's')], '0 0 1490'],
  'gone and given up': [[...EXECUTED, lost(SWAP, 's'), derived('cc')], '0 0 1500'],
  'failed and tried again': [[...CAME, swapFailed('f'), retried(SWAP)], '0 0 1500'],
};

for (const [name, [commands, told]] of Object.entries(CASES))
  test(`a swap is counted from the ledger: ${name}`, () => {
    const { spent, brought, expected } = swapOf(planAfter(commands));
    assert.equal([spent, brought, expected].join(' '), told);
  });

test('a swap whose every log is gone has moved nothing', () => {
  const plan = planAfter(EXECUTED);
  const { spent, brought } = swapOf(changedBy(plan, gone(plan, SWAP, 's')));
  assert.deepEqual([spent, brought], ['0', '0']);
});
