// What has come of a deposit, as the ledger of its plan says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  depositGone,
  executed,
  evidence,
  hashOf,
  recorded,
  recordedTransfer,
  reported,
  retried,
  transfer,
} from '../../test/planCommands.ts';
import { planAfter } from '../../test/scenarios.ts';
import { STEP_IDS } from '../../test/plans.ts';
import { amountOf, type PlanCommand, type RecordedTransfer } from '../index.ts';
import { depositOf } from './deposit.ts';

/** The chain, read up to a block, shows a transfer. A transfer at block 7 has its confirmations from block 8 on. */
function came(letter: string, units: bigint, readNumber = 8, changes: Partial<RecordedTransfer> = {}) {
  return recorded([recordedTransfer(letter, units, changes)], readNumber);
}

const EXPIRED: PlanCommand = { type: 'TIME_PASSED' };
const CANCELLED: PlanCommand = { type: 'PLAN_ENDED', force: false };
const NEWER = { blockNumber: 9, blockHash: hashOf('y') };
const OTHER = { token: `0x${'02'.repeat(20)}` } as const;

/** Commands, then what was received, what of it is confirmed, the outcome, and the transactions. */
const CASES: Readonly<Record<string, readonly [readonly PlanCommand[], string]>> = {
  nothing: [[], '0 0 none'],
  'another token': [[came('d', 7n, 8, OTHER)], '0 0 none'],
  'a part': [[came('d', 400n)], '400 400 PARTIAL d'],
  'all of it, unconfirmed': [[came('d', 1_000n, 7)], '1000 0 EXACT d'],
  'all of it': [[came('d', 1_000n)], '1000 1000 EXACT d'],
  'all of it, confirmed later': [[came('d', 1_000n, 7), recorded([], 8)], '1000 1000 EXACT d'],
  'a newer part without confirmations': [[came('d', 400n), came('e', 700n, 9, NEWER)], '1100 400 OVER d e'],
  'a reading that lags behind takes no confirmations': [
    [came('d', 400n), came('e', 600n, 7, NEWER)],
    '1000 400 EXACT d e',
  ],
  'a part that is gone': [[came('d', 400n), came('e', 700n, 9, NEWER), depositGone()], '700 0 PARTIAL e'],
  'all that is gone': [[came('d', 400n), depositGone()], '0 0 none'],
  'mined again, it has no confirmations yet': [
    [came('d', 1_000n), depositGone(), came('d', 1_000n, 9, NEWER)],
    '1000 0 EXACT d',
  ],
  'mined again in an earlier block of a shorter chain': [
    [came('d', 1_000n, 10, NEWER), depositGone('y'), came('d', 1_000n, 7)],
    '1000 0 EXACT d',
  ],
  'a report without a transaction': [[reported(1_000n)], '1000 1000 EXACT'],
  'a report with a transaction': [[reported(1_200n, [moved('d', 1_200n)])], '1200 1200 OVER d'],
  'a report of more than its transaction': [[reported(1_000n, [moved('d', 400n)])], '1000 1000 EXACT d'],
  'a report in place of a part': [[came('d', 400n), reported(1_000n)], '1000 1000 EXACT'],
  'a report that names the part': [
    [came('d', 400n, 7), reported(1_000n, [moved('d', 400n)])],
    '1000 1000 EXACT d',
  ],
  'what comes after the swap': [
    [came('d', 1_000n), executed(evidence('s', 'FINAL')), came('e', 5n)],
    '1005 1005 OVER d e',
  ],
  'what comes after the end': [[CANCELLED, came('d', 1_000n)], '1000 1000 LATE d'],
  'what comes after the deposit expired': [[came('d', 400n), EXPIRED, came('e', 600n)], '1000 1000 LATE d e'],
  'what had come before the deposit expired': [
    [came('d', 400n, 7), EXPIRED, recorded([], 8)],
    '400 400 PARTIAL d',
  ],
  'what came late, when it is retried': [
    [EXPIRED, came('d', 1_000n), retried(STEP_IDS[0])],
    '1000 1000 EXACT d',
  ],
  'what came late and is gone': [[EXPIRED, came('d', 1_000n), depositGone()], '0 0 none'],
};

function moved(letter: string, units: bigint) {
  return transfer(letter, amountOf(units));
}

for (const [name, [commands, told]] of Object.entries(CASES))
  test(`a deposit is counted from the ledger: ${name}`, () => {
    const { received, confirmed, outcome = 'none', transfers } = depositOf(planAfter(commands));
    const letters = transfers.map(({ txHash }) =>
      String.fromCharCode(Number.parseInt(txHash.slice(2, 4), 16)),
    );
    assert.equal([received, confirmed, outcome, ...letters].join(' '), told);
  });
