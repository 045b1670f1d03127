import fc from 'fast-check';
import { amountOf, type Plan, type PlanCommand, standingMovements } from '../src/index.ts';
import { defined } from '@fairway/values';
import { paidWithAmounts, payoutHeld, payoutReturned, pesos } from './planCommands.ts';

/** Payments that are told with amounts: parts, fees, all of it, too much, and corrections of earlier ones, also to nothing. */
const paid: fc.Arbitrary<(plan: Plan) => PlanCommand> = fc
  .tuple(
    fc.constantFrom('R1', 'R2', 'R3'),
    fc.constantFrom(undefined, 0n, 700n, 800n, 1_400n, 1_495n, 1_500n, 1_600n),
    fc.constantFrom(undefined, undefined, 5n, 100n),
    fc.boolean(),
    fc.constantFrom(undefined, amountOf(10n)),
  )
  .map(([name, units, kept, isCorrection, minorUnit]) => (plan: Plan): PlanCommand => {
    const told = standingMovements(plan).findLast(({ kind }) => kind === 'PAYOUT');
    const corrects = isCorrection || units === 0n ? told?.movementId : undefined;
    const reference = units === 0n ? (told?.providerReference ?? name) : name;
    return paidWithAmounts(reference, units, kept, defined({ corrects, minorUnit }));
  });

/** Holds, for one reason or another, of a payment that is named or not. */
const holds: fc.Arbitrary<(plan: Plan) => PlanCommand> = fc
  .tuple(fc.constantFrom(undefined, undefined, 'R1', 'R2'), fc.constantFrom([], ['an invoice']))
  .map(
    ([name, needs]) =>
      (): PlanCommand =>
        payoutHeld(name, { needs }),
  );

/** A return that is known, or a new one, told with what came back in the currency. */
const returns: fc.Arbitrary<(plan: Plan) => PlanCommand> = fc
  .tuple(fc.nat(3), fc.constantFrom(undefined, 400n, 1_400n), fc.constantFrom(100n, 5_000n))
  .map(([place, units, minor]) => (plan: Plan): PlanCommand => {
    const known = plan.returns.at(-place);
    const reference = known?.providerReference ?? `B${plan.returns.length}`;
    const isNewPart = known === undefined && plan.mode === 'STANDARD';
    const back = payoutReturned(reference, isNewPart ? units : undefined, pesos(minor));
    if (plan.mode === 'STANDARD') return back;
    return {
      ...back,
      type: 'DELIVERY_REPORTED',
      status: 'RETURNED',
      verification: 'REPORTED',
    } as PlanCommand;
  });

/** Payments to accounts, and holds of them. */
export const payments: fc.Arbitrary<(plan: Plan) => PlanCommand> = fc.oneof(
  { weight: 5, arbitrary: paid },
  { weight: 2, arbitrary: holds },
  { weight: 1, arbitrary: returns },
);
