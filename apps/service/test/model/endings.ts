import assert from 'node:assert/strict';
import {
  acknowledgementOf,
  amountOf,
  fundsOf,
  isOver,
  type PlanCommand,
  planStatus,
  unitsOf,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { Kept, World } from './worldTypes.ts';

/** Lets an event happen to a plan; answers whether the plan took it. */
type Apply = (world: World, one: Kept, event: PlanCommand) => boolean;

/** What ends plans, or has them paid again. */
export function endings(apply: Apply): readonly (readonly [string, (world: World) => void])[] {
  return [
    ['pay again', (world) => payAgain(apply, world)],
    ['refund', (world) => refund(apply, world)],
    ['close', (world) => close(apply, world)],
  ];
}

/** After a return the same recipient is paid again, or another one. */
function payAgain(apply: Apply, world: World): void {
  const one = world.random.pick(world.kept);
  const last = one.plan.steps.at(-1);
  if (last?.type !== 'CUSTODIAN_PAYOUT' || planStatus(one.plan) !== 'RETURNED') return;
  const { stepId } = last;
  const endToEndId = `FW-${one.plan.revision}`;
  const recipient = { ...one.plan.recipient, fingerprint: endToEndId };
  const isSame = world.random.integer(0, 1) === 0;
  const event: PlanCommand = isSame
    ? { type: 'STEP_RETRIED', stepId, endToEndId }
    : { type: 'RECIPIENT_REPLACED', stepId, recipient, endToEndId };
  if (apply(world, one, event)) {
    const { length: paid } = one.paid;
    one.begun = { paid, returned: one.returned.length, account: paid };
    one.isShort = false;
  }
}

/** Where in the ledger the amount that is due began. */
function begunAt({ plan }: Kept): number | undefined {
  const last = plan.steps.at(-1);
  return last?.type === 'CUSTODIAN_PAYOUT' ? last.payout?.movements : undefined;
}

/** A part of what is left, or all of it, goes back to the payer. */
function refund(apply: Apply, world: World): void {
  const { random } = world;
  const one = random.pick(world.kept);
  const left = acknowledgementOf(one.plan).filter(({ direction }) => direction === 'IN');
  const [first] = left;
  if (first === undefined || !('address' in first.asset)) return;
  const all = unitsOf(first.amount);
  const units = random.integer(0, 1) === 0 ? all : BigInt(random.integer(1, 700));
  const money = { amount: amountOf(units), asset: first.asset };
  const providerReference = `RF-${one.plan.revision}`;
  const event: PlanCommand = { type: 'REFUND_RECORDED', money, verification: 'REPORTED', providerReference };
  const rows = one.plan.ledger ?? [];
  const known = rows.flatMap(({ kind, transfer }) => (kind === 'SWAP_OUT' ? [String(transfer?.txHash)] : []));
  const begun = begunAt(one);
  const movements = one.plan.ledger?.length ?? 0;
  if (!apply(world, one, event)) return;
  // Earlier payments stay paid; the rest is a new amount to pay.
  if (begunAt(one) !== begun) one.begun = { ...one.begun, paid: one.paid.length };
  // A refund in one token can consist of the deposit and of what the swap brought.
  for (const { kind, side, actual } of one.plan.ledger?.slice(movements) ?? [])
    if (kind === 'REFUND')
      one.refunds.push({
        ...{ token: first.asset.address, amount: unitsOf(actual), isPayers: side === 'SOURCE', known },
      });
}

/** A plan is ended whatever its state; the money that is left then counts as known. */
function close(apply: Apply, world: World): void {
  const one = world.random.pick(world.kept);
  const { plan } = one;
  const left = acknowledgementOf(plan);
  const reason = world.random.pick(['OTHER', 'SETTLED_ELSEWHERE'] as const);
  const close = { type: 'PLAN_ENDED', reason, force: true } as const;
  const isKnown = plan.closed !== undefined && isOver(plan) && left.length === 0;
  const taken = apply(world, one, { ...close, ...defined({ note: `at ${plan.revision}` }) });
  assert.equal(taken, !isKnown, `a plan that is ${planStatus(plan)} can be closed`);
  assert.ok(isOver(one.plan), 'a plan that was closed is over');
  assert.deepEqual(acknowledgementOf(one.plan), [], 'all that is left is known');
  if (taken) assert.deepEqual(one.plan.closed?.acknowledged, left, 'what was left is recorded');
  if (taken) for (const { outstanding } of fundsOf(one.plan)) assert.equal(outstanding, '0', 'all is named');
}
