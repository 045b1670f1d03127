import type { Plan, PlanCommand } from '@fairway/plan';
import { type Acting, done, type Outcome, refuse } from '@fairway/api';
import type { PaymentParts } from './paymentParts.ts';
import { type RecordedChange, recordCommand } from './planChanges.ts';
import { addressTaken, changeRefused } from './planProblems.ts';
import { carriedOn } from './planWork.ts';

/** Records a command of a plan, and does the work that the plan then needs from the service. */
export async function changePlan(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  command: PlanCommand,
): Promise<Outcome<Plan>> {
  const recorded = await recordCommand(parts, acting, plan, command);
  if (recorded.ok || recorded.reason !== 'DEPOSIT_ADDRESS_IN_USE')
    return afterChange(parts, acting, recorded);
  const { corridor, options } = plan;
  const { payments } = parts.store;
  const { holder } = await payments.addressHolder(
    acting.scope,
    corridor.source.chainId,
    options.depositAddress ?? '',
  );
  return refuse(addressTaken(holder?.planId));
}

/** Does the work that a plan needs after a recorded command. Answers the plan, or why the command was refused. */
export async function afterChange(
  parts: PaymentParts,
  { scope }: Acting,
  changed: RecordedChange,
): Promise<Outcome<Plan>> {
  return changed.ok ? done(await carriedOn(parts, scope, changed.plan)) : refuse(changeRefused(changed));
}
