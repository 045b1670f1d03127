import fc from 'fast-check';
import { assetsOf, type Plan, type PlanCommand, standingMovements } from '../src/index.ts';
import {
  allRefunded,
  closed,
  evidence,
  nativeSeen,
  paidAgain,
  paidOnceMore,
  refunded,
  replaced,
} from './planCommands.ts';
import { corridor } from './plans.ts';

/** Makes the next command from the plan at that moment. */
export type Happening = (plan: Plan) => PlanCommand;

/** What ends a plan, or has it paid again: each mostly as the plan needs it. */
export const ends: fc.Arbitrary<Happening> = fc.oneof(
  fc.tuple(fc.boolean(), fc.constantFrom('OTHER', 'ABANDONED')).map(
    ([force, reason]): Happening =>
      () =>
        closed({ force, reason }),
  ),
  fc.constantFrom('a', 'b').map(
    (name): Happening =>
      () =>
        replaced(name),
  ),
  fc.constantFrom(0n, 5n, 9n).map(
    (held): Happening =>
      () =>
        nativeSeen(held),
  ),
  fc.constantFrom('FW-2', 'FW-3').map(
    (id): Happening =>
      () =>
        paidAgain(id),
  ),
  fc.constantFrom('B1', 'B2', 'B3').map(
    (name): Happening =>
      (plan) =>
        allRefunded(plan, name),
  ),
  fc.tuple(fc.constantFrom('B1', 'B2'), fc.constantFrom(1n, 12n, 400n), fc.boolean()).map(
    ([name, units, isSource]): Happening =>
      () =>
        refunded(name, units, assetsOf({ corridor })[isSource ? 'source' : 'target']),
  ),
  fc.tuple(fc.constantFrom('v', 'w', 'p'), fc.constantFrom(1_500n, 12n)).map(
    ([name, units]): Happening =>
      () =>
        paidOnceMore(evidence(name, 'FINAL', units)),
  ),
  // What came to the deposit address was the plan's own money, on its way back.
  fc.constant<Happening>((plan) => {
    const deposit = standingMovements(plan).findLast(
      ({ kind, transfer }) => kind === 'DEPOSIT' && transfer !== undefined,
    );
    if (deposit?.transfer === undefined) return allRefunded(plan, 'B4');
    const { asset, actual, transfer } = deposit;
    return { type: 'REFUND_RECORDED', money: { amount: actual, asset }, verification: 'VERIFIED', transfer };
  }),
);
