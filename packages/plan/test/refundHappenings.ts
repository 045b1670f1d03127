import fc from 'fast-check';
import {
  acknowledgementOf,
  amountOf,
  assetsOf,
  type Movement,
  type Plan,
  type PlanCommand,
  unitsOf,
} from '../src/index.ts';
import { lostRefundsOf } from '../src/deposit/lostTransactions.ts';
import type { Happening } from './endHappenings.ts';
import { gone, hashOf } from './planCommands.ts';
import { corridor, STEP_IDS } from './plans.ts';

const [depositId, , lastId] = STEP_IDS;

/** A refund in the transaction of this letter. A log has one token and one amount, so both are in its index. */
function refundedBy(letter: string, units: bigint, isSource: boolean): PlanCommand {
  const transfer = {
    chainId: corridor.source.chainId,
    txHash: hashOf(letter),
    logIndex: 2 * Number(units) + (isSource ? 1 : 0),
    blockNumber: 7,
    blockHash: hashOf('x'),
    from: `0x${'03'.repeat(20)}`,
    to: `0x${'0b'.repeat(20)}`,
  } as const;
  const money = { amount: amountOf(units), asset: assetsOf({ corridor })[isSource ? 'source' : 'target'] };
  return { type: 'REFUND_RECORDED', money, verification: 'VERIFIED', transfer };
}

/** The first lost refund is mined again, in another block and behind more logs. */
function refundedAgain(plan: Plan): PlanCommand {
  const [lost] = lostRefundsOf(plan);
  if (lost === undefined) return { type: 'TIME_PASSED' };
  const { amount, asset, transfer } = lost;
  const moved: Movement['transfer'] = {
    ...transfer,
    logIndex: (transfer.logIndex ?? 0) + 10_000,
    blockNumber: transfer.blockNumber + 1,
    blockHash: hashOf(transfer.blockNumber % 2 === 0 ? 'x' : 'y'),
  };
  const again = { money: { amount, asset }, verification: 'VERIFIED', transfer: moved, force: true } as const;
  return { type: 'REFUND_RECORDED', ...again };
}

/** Refunds in transactions, which a reorganisation takes back, and which are mined again or never. */
export const refundsOnChain: fc.Arbitrary<Happening> = fc
  .tuple(
    fc.constantFrom('MADE', 'ALL', 'GONE', 'GONE', 'AGAIN'),
    fc.constantFrom('r', 'z'),
    fc.constantFrom(1n, 12n, 400n),
    fc.boolean(),
  )
  .map(
    ([what, letter, units, isSource]): Happening =>
      (plan) => {
        if (what === 'GONE') return gone(plan, isSource ? depositId : lastId, letter);
        if (what === 'AGAIN') return refundedAgain(plan);
        if (what === 'MADE') return refundedBy(letter, units, isSource);
        const { target } = assetsOf({ corridor });
        const left = acknowledgementOf(plan).filter(({ direction }) => direction === 'IN');
        const [all] = isSource ? left : left.toReversed();
        const isOfSource = all !== undefined && JSON.stringify(all.asset) !== JSON.stringify(target);
        return refundedBy(letter, all === undefined ? units : unitsOf(all.amount), isOfSource);
      },
  );
