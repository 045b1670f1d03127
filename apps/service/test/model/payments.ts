// How accounts are paid: all that is due, a part of it, too much, with deductions, and told wrongly at first.
import { amountOf, type CustodianPayoutStep, payoutOf, type PlanCommand, unitsOf, ZERO } from '@fairway/plan';
import type { Kept, World } from './worldTypes.ts';

/** Lets an event happen to a plan; answers whether the plan took it. */
type Apply = (world: World, one: Kept, event: PlanCommand) => boolean;

/** Payments and their reports. */
export function payments(apply: Apply): readonly (readonly [string, (world: World) => void])[] {
  return [
    ['pay out', (world) => payOut(apply, world)],
    ['pay a part', (world) => payPart(apply, world)],
    ['correct a payment', (world) => correct(apply, world)],
    ['take a payment back', (world) => takeBack(apply, world)],
  ];
}

/** The custodian pays what the plan says, and the integrator reports its reference. */
function payOut(apply: Apply, world: World): void {
  const one = world.random.pick(world.kept);
  const last = payoutStepOf(one);
  if (last?.status !== 'READY') return;
  const { stepId } = last;
  // The custodian holds some payments back first, which moves no money.
  const hold = { reason: 'COMPLIANCE_REVIEW', needs: [] } as const;
  const isStopped = last.hold === undefined && one.plan.revision % 3 === 0;
  if (isStopped && apply(world, one, { type: 'PAYOUT_HELD', stepId, hold })) return;
  const { left, payouts } = payoutOf(one.plan);
  const providerReference = `PO-${one.plan.revision}`;
  const isFirst = payouts.length === 0;
  const isTaken = isFirst
    ? apply(world, one, { type: 'PAYOUT_DONE', stepId, verification: 'REPORTED', providerReference })
    : apply(world, one, { type: 'PAYOUT_REPORTED', stepId, providerReference, discharged: left });
  if (!isTaken) return;
  one.paid.push(unitsOf(left));
  one.isShort = false;
}

/** A payment of another amount than is due, which deductions explain, or nobody does. */
function payPart(apply: Apply, world: World): void {
  const one = world.random.pick(world.kept);
  const last = payoutStepOf(one);
  if (last?.status !== 'READY') return;
  const { discharged, deducted, told } = amountsOf(world, payoutOf(one.plan).left);
  const providerReference = `PP-${one.plan.revision}`;
  if (!apply(world, one, { type: 'PAYOUT_REPORTED', stepId: last.stepId, providerReference, ...told }))
    return;
  one.paid.push(discharged);
  if (deducted > 0n) one.deducted.push(deducted);
  one.isShort = payoutStepOf(one)?.status !== 'DONE';
}

/** A payment that was told with amounts turns out to have been another one. */
function correct(apply: Apply, world: World): void {
  const one = world.random.pick(world.kept);
  const last = payoutStepOf(one);
  if (last === undefined) return;
  const { payouts, deductions, left } = payoutOf(one.plan);
  const wrong = payouts.at(-1);
  if (wrong === undefined) return;
  const kept = deductions.filter(({ providerReference }) => providerReference === wrong.providerReference);
  const back = [wrong, ...kept].reduce((sum, { actual }) => sum + unitsOf(actual), unitsOf(left));
  const { discharged, deducted, told } = amountsOf(world, amountOf(back));
  const isTaken = apply(world, one, {
    type: 'PAYOUT_REPORTED',
    stepId: last.stepId,
    providerReference: `PC-${one.plan.revision}`,
    corrects: wrong.movementId,
    ...told,
  });
  if (!isTaken) return;
  one.paid.splice(one.paid.lastIndexOf(unitsOf(wrong.actual)), 1, discharged);
  for (const { actual } of kept) one.deducted.splice(one.deducted.lastIndexOf(unitsOf(actual)), 1);
  if (deducted > 0n) one.deducted.push(deducted);
  one.isShort = payoutStepOf(one)?.status !== 'DONE';
}

/** A payment turns out to have been another plan's. */
function takeBack(apply: Apply, world: World): void {
  const one = world.random.pick(world.kept);
  const last = payoutStepOf(one);
  if (last === undefined) return;
  const { payouts, deductions } = payoutOf(one.plan);
  const wrong = payouts.at(-1);
  if (wrong?.providerReference === undefined) return;
  const { providerReference, movementId: corrects } = wrong;
  const kept = deductions.filter((row) => row.providerReference === providerReference);
  const told = { providerReference, corrects, discharged: ZERO };
  if (!apply(world, one, { type: 'PAYOUT_REPORTED', stepId: last.stepId, ...told })) return;
  one.paid.splice(one.paid.lastIndexOf(unitsOf(wrong.actual)), 1);
  for (const { actual } of kept) one.deducted.splice(one.deducted.lastIndexOf(unitsOf(actual)), 1);
  one.isShort = payoutStepOf(one)?.status !== 'DONE';
}

function amountsOf({ random }: World, left: ReturnType<typeof amountOf>) {
  const due = unitsOf(left);
  const paid = BigInt(random.integer(1, 1_600));
  const missing = due > paid ? due - paid : 0n;
  const deducted = random.pick([0n, missing, missing / 2n]);
  const deductions = deducted > 0n ? [{ amount: amountOf(deducted), reason: 'a fee' }] : [];
  return { discharged: paid, deducted, told: { discharged: amountOf(paid), deductions } };
}

function payoutStepOf({ plan }: Kept): CustodianPayoutStep | undefined {
  const last = plan.steps.at(-1);
  return last?.type === 'CUSTODIAN_PAYOUT' ? last : undefined;
}
