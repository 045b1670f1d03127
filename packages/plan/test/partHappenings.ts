import fc from 'fast-check';
import { amountToPayOf, collectStep, type Evidence, type PlanCommand, unitsOf } from '../src/index.ts';
import type { Happening } from './endHappenings.ts';
import { atLog, deliveredBy, evidence, executedTwice, paidInPart, paidOnceMore } from './planCommands.ts';

/** Parts by one transaction, which are told one after the other, again and again, and in another block. */
export const partsOfOne: fc.Arbitrary<Happening> = fc
  .record({
    logIndex: fc.constantFrom(0, 1, 2),
    status: fc.constantFrom<Evidence['status']>('CONFIRMING', 'FINAL', 'FINAL', 'FINAL'),
    where: fc.constantFrom('x', 'x', 'x', 'y'),
    isRest: fc.constantFrom(false, false, true),
    isOnceMore: fc.constantFrom(false, false, false, true),
  })
  .map(
    ({ logIndex, status, where, isRest, isOnceMore }): Happening =>
      (plan) => {
        const due = isRest ? unitsOf(amountToPayOf(plan)) : 0n;
        const units = due > 0n ? due : ([700n, 90n, 12n][logIndex] ?? 1n);
        // A log has one amount.
        const found = atLog(evidence('q', status, units, where), due > 0n ? Number(due) + 3 : logIndex);
        if (isOnceMore) return paidOnceMore(found);
        const isDelivery = collectStep(plan) !== undefined;
        return isDelivery ? ({ ...deliveredBy(found), part: true } as PlanCommand) : paidInPart(found);
      },
  );

/** What a swap spends of the 1,000 that were planned: pools at their limit take less. */
export const spending = fc.constantFrom(1_000n, 1_000n, 993n, 400n, 1n);

/** One transaction that executes the instructions twice. It always makes the same calls. */
export const executionsTwice: fc.Arbitrary<Happening> = fc
  .tuple(
    fc.constantFrom('t', 'u'),
    fc.constantFrom('x', 'y'),
    fc.constantFrom('CONFIRMING', 'FINAL', 'FINAL'),
    fc.nat(1),
    spending,
    spending,
  )
  .map(
    ([name, where, status, position, ...spent]): Happening =>
      () =>
        executedTwice(evidence(name, status, 1_495n, where), position, 1_495n, spent),
  );
