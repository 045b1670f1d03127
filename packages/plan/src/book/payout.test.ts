// What a payout has paid, and what that leaves of what is due, as the ledger of its plan says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  atLog,
  closed,
  deliveredBy,
  delivery,
  derived,
  evidence,
  executed,
  linkMade,
  lost,
  observed,
  paidAgain,
  paidByReference,
  paidByTransaction,
  paidInPart,
  paidOnceMore,
  paidWithAmounts,
  payoutFailed,
  payoutReturned,
  refunded,
  replaced,
  submitted,
} from '../../test/planCommands.ts';
import { planAfter } from '../../test/scenarios.ts';
import { corridor, STEP_IDS } from '../../test/plans.ts';
import { amountToPayOf, assetsOf, collectStep, type Mode, type PlanCommand } from '../index.ts';
import { paidAmountOf, payoutOf } from './payout.ts';

const [, SWAP, LAST] = STEP_IDS;
const { target } = assetsOf({ corridor });
const DUE = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
const ANEW = executed(evidence('s', 'FINAL', 1_490n, 'y'), 1);
const PART = paidInPart(evidence('q', 'FINAL', 700n));
const REST = paidByTransaction(evidence('p', 'FINAL', 800n));
const CHOSEN = [...DUE, linkMade('FIRST', 1), submitted(1)];

/** What is due, what was paid out, what of it in parts by transactions, what is left to be paid, and what now. */
function toldOf(commands: readonly PlanCommand[], mode?: Mode): string {
  const plan = planAfter(commands, mode);
  const { due, paidOut, inParts, left } = payoutOf(plan);
  return [due, paidOut, inParts, left, amountToPayOf(plan)].join(' ');
}

const CASES: Readonly<Record<string, readonly [readonly PlanCommand[], string]>> = {
  'before the swap, an estimate': [[], '1500 0 0 1500 1500'],
  'the swap brought less': [[...DUE, ANEW], '1490 0 0 1490 1490'],
  'paid by reference': [[...DUE, paidByReference('R1')], '1500 1500 0 0 0'],
  'being paid by a transaction': [
    [...DUE, paidByTransaction(evidence('p', 'CONFIRMING'))],
    '1500 1500 0 1500 0',
  ],
  'paid by a transaction': [[...DUE, paidByTransaction(evidence('p', 'FINAL'))], '1500 1500 0 1500 0'],
  'a part of an account': [[...DUE, paidWithAmounts('R1', 700n)], '1500 700 0 800 800'],
  'an account, less a fee': [[...DUE, paidWithAmounts('R1', 1_495n, 5n)], '1500 1495 0 0 0'],
  'an account, too much': [[...DUE, paidWithAmounts('R1', 1_600n)], '1500 1600 0 0 0'],
  'a part by a transaction': [[...DUE, PART], '1500 700 700 800 800'],
  'all parts by transactions': [[...DUE, PART, REST], '1500 1500 700 800 0'],
  'two transfers of one transaction': [
    [...DUE, PART, paidInPart(atLog(evidence('q', 'FINAL', 90n), 1))],
    '1500 790 790 710 710',
  ],
  'a part is lost': [[...DUE, PART, partGone()], '1500 0 0 1500 1500'],
  'a lost part is mined again': [
    [...DUE, PART, partGone(), paidInPart(evidence('q', 'FINAL', 700n, 'y'))],
    '1500 700 700 800 800',
  ],
  'the transaction is lost': [
    [...DUE, paidByTransaction(evidence('p', 'FINAL')), lost(LAST, 'p')],
    '1500 0 0 1500 1500',
  ],
  'paid once more': [
    [...DUE, paidByTransaction(evidence('p', 'FINAL')), paidOnceMore(evidence('t', 'FINAL', 40n))],
    '1500 1500 0 1460 0',
  ],
  'came back as a whole': [[...DUE, paidByReference('R1'), payoutReturned('B1')], '1500 1500 0 1500 0'],
  'paid again after it came back': [
    [...DUE, paidByReference('R1'), payoutReturned('B1'), paidAgain(), paidByReference('R2')],
    '1500 1500 0 0 0',
  ],
  'a part came back, and is due again': [
    [...DUE, paidByReference('R1'), payoutReturned('B1', 400n), paidAgain()],
    '400 0 0 400 400',
  ],
  'more of an earlier payment comes back': [
    [...DUE, paidByReference('R1'), payoutReturned('B1', 400n), paidAgain(), payoutReturned('B2', 100n)],
    '500 0 0 500 500',
  ],
  'a part of a part comes back': [[...DUE, PART, payoutReturned('B1', 200n)], '1500 700 500 1000 1000'],
  'a part comes back, and later the payment of the rest': [
    [
      ...DUE,
      PART,
      payoutReturned('B1', 200n),
      paidByTransaction(evidence('p', 'FINAL', 1_000n)),
      payoutReturned('B2', 900n),
    ],
    '1500 1700 0 1900 0',
  ],
  'a part is paid after more of an earlier payment came back': [
    [
      ...DUE,
      paidByTransaction(evidence('p', 'FINAL')),
      payoutReturned('B1', 400n),
      paidAgain(),
      payoutReturned('B2', 100n),
      paidInPart(evidence('q', 'FINAL', 300n)),
    ],
    '500 300 300 200 200',
  ],
  'of two payments the one to the account comes back while the other is being confirmed': [
    [
      ...DUE,
      paidInPart(evidence('q', 'FINAL', 90n)),
      paidWithAmounts('R1', 1_400n),
      paidByTransaction(evidence('p', 'CONFIRMING')),
      payoutReturned('R1', 1_400n),
    ],
    '1500 2990 90 1410 0',
  ],
  'refunded in part': [[...DUE, refunded('F1', 100n, target)], '1400 0 0 1400 1400'],
  'refunded after a part': [
    [...DUE, paidWithAmounts('R1', 700n), refunded('F1', 100n, target)],
    '700 0 0 700 700',
  ],
  'another account after a part': [
    [...DUE, paidWithAmounts('R1', 700n), payoutFailed('R2'), replaced('b')],
    '800 0 0 800 800',
  ],
  'a second execution pays nothing': [
    [...DUE, executed(evidence('t', 'FINAL', 90n), 0)],
    '1500 0 0 1500 1500',
  ],
  'the swap is taken back after the payment': [
    [...DUE, paidByReference('R1'), lost(SWAP, 's')],
    '1500 1500 0 0 0',
  ],
  'the swap brought less after the payment': [[...DUE, paidByReference('R1'), ANEW], '1490 1500 0 0 0'],
  'ended by force': [
    [...DUE, paidByTransaction(evidence('p', 'CONFIRMING')), closed({ force: true })],
    '1500 1500 0 1500 0',
  ],
};

/** The chain no longer has what transaction "q" paid in block "x". */
function partGone(): PlanCommand {
  const [moved] = evidence('q', 'FINAL', 700n).transfers;
  const { chainId, txHash, blockHash, logIndex } = moved ?? assert.fail();
  const places = [{ chainId, txHash, blockHash, logIndex }];
  return { type: 'EVIDENCE_LOST', stepId: LAST, txHash, cause: 'REORGANISED', gone: places };
}

for (const [name, [commands, told]] of Object.entries(CASES))
  test(`a payout is counted from the ledger: ${name}`, () => assert.equal(toldOf(commands), told));

const SENT = { ...delivery('SENT', 'R1'), amount: '1400' } as PlanCommand;
const REISSUED = { ...linkMade('REISSUED', 2), endToEndId: 'FW-2' } as PlanCommand;

/** The commands of a delivery, what is told as above, and what each round has paid, the present one last. */
const DELIVERIES: Readonly<Record<string, readonly [readonly PlanCommand[], string, string]>> = {
  'nothing was paid': [[], '1500 0 0 1500 1500', 'none'],
  'on its way': [[SENT], '1500 0 0 1500 100', '1400'],
  arrived: [[SENT, delivery('DELIVERED', 'R1')], '1500 1500 0 0 0', '1500'],
  'being confirmed': [[deliveredBy(evidence('p', 'CONFIRMING'))], '1500 1500 0 1500 0', '1500'],
  failed: [[SENT, delivery('FAILED', 'R1')], '1500 0 0 1500 1500', 'none none'],
  'came back, and the recipient chose again': [
    [delivery('DELIVERED', 'R1'), delivery('RETURNED', 'B1'), REISSUED, submitted(2, 'b')],
    '1500 0 0 1500 1500',
    '1500 none',
  ],
};

for (const [name, [commands, told, paid]] of Object.entries(DELIVERIES))
  test(`a delivery is counted from the ledger: ${name}`, () => {
    const all = [...CHOSEN, ...commands];
    const plan = planAfter(all, 'DIGITAL_COLLECT');
    const step = collectStep(plan) ?? assert.fail();
    const deliveries = [...step.rounds, step].flatMap((each) => each.delivery ?? []);
    assert.equal(toldOf(all, 'DIGITAL_COLLECT'), told);
    assert.equal(deliveries.map((each) => paidAmountOf(plan, each) ?? 'none').join(' '), paid);
  });
