import { amountToPayOf, needsApproval, type Plan, ZERO } from '@fairway/plan';
import type { OwnedPlan } from '@fairway/store';
import type { CustodianAction, PaymentPlan } from '@fairway/wire';
import { decimalOf } from '../text/decimalOf.ts';
import { plainLine } from '../text/plainLine.ts';
import { timestampOf } from '../time/timestamp.ts';
import { bodyOf } from './planStory.ts';
import { type Fact, factLines } from './textLines.ts';

/** A payout that is to be made or tried again, with the facts that are compared with the custodian's list. */
export type DuePayout = OwnedPlan & {
  readonly action: CustodianAction;
  /** What has to happen next, such as PAY_OUT. */
  readonly next: string;
  readonly dueSinceMs: number | undefined;
};

/** The payout of a plan; undefined when nobody is to be paid, or nothing is left to pay. */
export function duePayoutOf(owned: OwnedPlan, nowMs: number): DuePayout | undefined {
  const { plan } = owned;
  const body = bodyOf(plan, nowMs);
  const action = finalAction(body);
  // A payment without approval is listed, too. After a restore, its approval and the payment itself may be missing from
  // the database.
  if (action === undefined || amountToPayOf(plan) === ZERO) return undefined;
  return { ...owned, action, next: body.nextAction?.what ?? '', dueSinceMs: dueSince(plan) };
}

/** What the custodian is told to do; undefined until the output of the swap is known. */
function finalAction({ steps }: PaymentPlan): CustodianAction | undefined {
  const action = steps.at(-1)?.custodianAction;
  return action?.asset.isFinal === true ? action : undefined;
}

function dueSince({ steps }: Plan): number | undefined {
  const last = steps.at(-1);
  if (last?.type === 'CUSTODIAN_PAYOUT') return last.readyAtMs;
  return last?.type === 'SEND_DIGITAL_COLLECT' ? last.submittedAtMs : undefined;
}

/** A payout as JSON: the `custodianAction` of the API, with the organisation, the plan and what is left to pay. */
export function duePayoutJson({ scope, organisation, plan, action, next, dueSinceMs }: DuePayout): object {
  return {
    organisationId: scope.organisationId,
    organisation,
    environment: scope.environment,
    planId: plan.planId,
    clientReference: plan.clientReference,
    next,
    ...(dueSinceMs === undefined ? {} : { dueSince: timestampOf(dueSinceMs) }),
    ...action,
    amountOpen: amountToPayOf(plan),
  };
}

/** The due payouts as text for people. Each begins with the end-to-end id that the custodian was given. */
export function duePayoutsText(payouts: readonly DuePayout[], nowMs: number): string {
  const at = `at ${timestampOf(nowMs)}`;
  if (payouts.length === 0) return `No payout is due, ${at}.`;
  const counted = payouts.length === 1 ? '1 payout is due' : `${payouts.length} payouts are due`;
  const each = payouts.flatMap((payout) => [
    payout.action.endToEndId,
    ...factLines([
      ...custodianFacts(payout.plan, payout.action),
      ['plan', payout.plan.planId, `${payout.next}, of ${plainLine(payout.organisation, 60)}`],
    ]),
  ]);
  return [`${counted}, ${at}:`, ...each].join('\n');
}

/** The lines of `fairway plans show` about what the custodian was told. */
export function custodianLines(plan: Plan, nowMs: number): string[] {
  const action = finalAction(bodyOf(plan, nowMs));
  if (action === undefined) return [];
  return factLines([['end-to-end id', action.endToEndId], ...custodianFacts(plan, action)]);
}

function custodianFacts(plan: Plan, action: CustodianAction): readonly Fact[] {
  const { asset, custodian, rail, target, notAfter, beneficiary, remittanceInfo } = action;
  const { decimals } = plan.corridor.target;
  const due = amountToPayOf(plan);
  const whole = decimals === undefined ? '' : `, ${decimalOf(due, decimals)} in whole tokens`;
  const held = needsApproval(plan)
    ? 'once it is approved, '
    : action.amountToPay === ZERO && due !== ZERO
      ? 'not now, '
      : '';
  const paidIn =
    beneficiary.type === 'wallet'
      ? 'which the custodian sends as it is'
      : target.conversion === 'PEGGED'
        ? `pegged to ${target.currency}`
        : `which the custodian converts to ${target.currency}`;
  const since = dueSince(plan);
  const times = [
    ...(since === undefined ? [] : [`since ${timestampOf(since)}`]),
    ...(notAfter === undefined ? [] : [`late after ${notAfter}`]),
  ];
  return [
    ['to pay', `${held}${due} units${whole}`, `of ${asset.token} on chain ${asset.chainId}, ${paidIn}`],
    ['custodian', [custodian, rail].filter((part) => part !== undefined).join(', ')],
    ['paid to', beneficiaryText(beneficiary)],
    ['reference', plainLine(remittanceInfo, 80)],
    ...(times.length === 0 ? [] : ([['due', times.join(', ')]] satisfies Fact[])),
  ];
}

/** Who is paid, in the masked form that every reader of the plan may see. */
function beneficiaryText(beneficiary: CustodianAction['beneficiary']): string {
  switch (beneficiary.type) {
    case 'bank':
      return `bank account in ${beneficiary.country}, …${beneficiary.account.accountNumberLast4}`;
    case 'emoney':
      return `${plainLine(beneficiary.provider, 40)}, …${beneficiary.idValueLast4}`;
    case 'wallet':
      return `wallet ${beneficiary.address} on chain ${beneficiary.chainId}`;
    case 'email':
      return 'whoever was e-mailed';
  }
}
