import {
  type Amount,
  amountOf,
  amountToPayOf,
  conversionOf,
  endToEndIdOf,
  needsApproval,
  payableNow,
  payableOf,
  type Plan,
  planStatus,
  ZERO,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { OwnedPlan, Store } from '@fairway/store';
import type { CustodianAction, PaymentPlan } from '@fairway/wire';
import { nextEndToEndId, recipientBody } from '../../parts/payments/index.ts';
import { decimalOf } from '../../words/text/decimalOf.ts';
import { eip55, plainLine, timestampOf } from '@fairway/api';
import { bodyOf } from './planStory.ts';
import { type Fact, factLines } from '../textLines.ts';

/** What the custodian is told, as far as it is compared. */
type ToldCustodian = Omit<CustodianAction, 'action' | 'requiredEvidence'>;

/**
 * A payout that is to be made or tried again, with the facts that are compared with the custodian's list. `isDue`: false where
 * nobody is to be paid now, and a payment may have been made that a restored database does not know. `open`: what is
 * left to pay.
 */
export type DuePayout = OwnedPlan & {
  readonly isDue: boolean;
  readonly action: ToldCustodian;
  readonly open: Amount;
  /** Why something has to happen next, such as PAYOUT_DUE. */
  readonly next: string;
  readonly dueSinceMs: number | undefined;
};

/** The payout of a plan; undefined when nobody is to be paid, or nothing is left to pay. */
export function duePayoutOf(store: Store, owned: OwnedPlan, nowMs: number): DuePayout | undefined {
  const { plan } = owned;
  const body = bodyOf(plan, nowMs);
  const next = body.next?.why ?? '';
  const action = finalAction(body);
  const open = amountToPayOf(plan);
  // A payment without approval is listed, too. After a restore, its approval and the payment itself may be missing from
  // the database.
  if (action !== undefined && open !== ZERO && !isUndecided(plan))
    return { ...owned, isDue: true, action, open, next, dueSinceMs: dueSince(plan) };
  const left = payableOf(plan);
  if (left <= 0n) return undefined;
  const maybe = action ?? unchosenAction(plan);
  const endToEndId = maybeId(store, owned);
  const told = { action: { ...maybe, endToEndId }, open: amountOf(left), next, dueSinceMs: undefined };
  return { ...owned, isDue: false, ...told };
}

/** Whether the recipient has still to choose an account, perhaps another one than before. */
function isUndecided({ steps }: Plan): boolean {
  const last = steps.at(-1);
  return last?.type === 'SEND_DIGITAL_COLLECT' && (last.delivery?.status ?? 'FAILED') === 'FAILED';
}

/**
 * The id that the payment has if it was made. After a return that is the id of another payment to the same account, or to the one
 * that the recipient chooses first.
 */
function maybeId(store: Store, { scope, plan }: OwnedPlan): string {
  if (planStatus(plan) !== 'RETURNED') return endToEndIdOf(plan);
  const { fingerprint } = plan.recipient;
  return nextEndToEndId({ store }, scope, plan, plan.mode === 'STANDARD' ? fingerprint : undefined);
}

/** What the custodian is told once the recipient has chosen. */
function unchosenAction(plan: Plan): ToldCustodian {
  const { corridor, clientReference, recipient } = plan;
  const { chainId, token, custodian, rail, currency } = corridor.target;
  return {
    custodian,
    ...defined({ rail }),
    asset: { chainId, address: eip55(token) },
    amount: amountOf(payableOf(plan)),
    isFinal: true,
    target: { currency, conversion: conversionOf(corridor) },
    beneficiary: recipientBody(recipient),
    endToEndId: endToEndIdOf(plan),
    remittanceInfo: clientReference,
  };
}

/** What the custodian is told to do; undefined until the output of the swap is known. */
function finalAction({ steps }: PaymentPlan): CustodianAction | undefined {
  const action = steps.at(-1)?.custodianAction;
  return action?.isFinal === true ? action : undefined;
}

function dueSince({ steps }: Plan): number | undefined {
  const last = steps.at(-1);
  if (last?.type === 'CUSTODIAN_PAYOUT') return last.readyAtMs;
  return last?.type === 'SEND_DIGITAL_COLLECT' ? last.submittedAtMs : undefined;
}

/** A payout as JSON: the `custodianAction` of the API, with the organisation, the plan and what is left to pay. */
export function duePayoutJson(payout: DuePayout): object {
  const { scope, organisation, plan, isDue, action, open, next, dueSinceMs } = payout;
  return {
    organisationId: scope.organisationId,
    organisation,
    environment: scope.environment,
    planId: plan.planId,
    clientReference: plan.clientReference,
    isDue,
    next,
    ...(dueSinceMs === undefined ? {} : { dueSince: timestampOf(dueSinceMs) }),
    ...action,
    amountOpen: open,
  };
}

/** The due payouts as text for people. Each begins with the end-to-end id that the custodian was given. */
export function duePayoutsText(payouts: readonly DuePayout[], nowMs: number): string {
  const at = `at ${timestampOf(nowMs)}`;
  const due = payouts.filter(({ isDue }) => isDue);
  const maybe = payouts.filter(({ isDue }) => !isDue);
  const counted = due.length === 1 ? '1 payout is due' : `${due.length || 'No'} payouts are due`;
  return [
    due.length === 0 ? `No payout is due, ${at}.` : `${counted}, ${at}:`,
    ...due.flatMap(payoutLines),
    ...(maybe.length === 0 ? [] : [MAYBE_PAID]),
    ...maybe.flatMap(payoutLines),
  ].join('\n');
}

const MAYBE_PAID = `Nobody is to be paid by these, but a payment may have been made since the backup that was put back. Another account
than the one that is known has another end-to-end id: look for the reference, too.`;

function payoutLines({ plan, action, open, next, organisation }: DuePayout): string[] {
  return [
    action.endToEndId,
    ...factLines([
      ...custodianFacts(plan, action, open),
      ['plan', plan.planId, `${next}, of ${plainLine(organisation, 60)}`],
    ]),
  ];
}

/** The lines of `fairway plans show` about what the custodian was told. */
export function custodianLines(plan: Plan, nowMs: number): string[] {
  const action = finalAction(bodyOf(plan, nowMs));
  if (action === undefined) return [];
  return factLines([
    ['end-to-end id', action.endToEndId],
    ...custodianFacts(plan, action, amountToPayOf(plan)),
  ]);
}

function custodianFacts(plan: Plan, action: ToldCustodian, due: Amount): readonly Fact[] {
  const { asset, custodian, rail, notAfter, beneficiary } = action;
  const { decimals } = plan.corridor.target;
  const whole = decimals === undefined ? '' : `, ${decimalOf(due, decimals)} in whole tokens`;
  const held = needsApproval(plan)
    ? 'once it is approved, '
    : payableNow(plan) === ZERO && due !== ZERO
      ? 'not now, '
      : '';
  const paidIn =
    beneficiary.type === 'wallet'
      ? 'which the custodian sends as it is'
      : conversionOf(plan.corridor) === 'PEGGED'
        ? `pegged to ${plan.corridor.target.currency}`
        : `which the custodian converts to ${plan.corridor.target.currency}`;
  const since = dueSince(plan);
  const times = [
    ...(since === undefined ? [] : [`since ${timestampOf(since)}`]),
    ...(notAfter === undefined ? [] : [`late after ${notAfter}`]),
  ];
  return [
    ['to pay', `${held}${due} units${whole}`, `of ${asset.address} on chain ${asset.chainId}, ${paidIn}`],
    ['custodian', [custodian, rail].filter((part) => part !== undefined).join(', ')],
    ['paid to', beneficiaryText(beneficiary)],
    ['reference', plainLine(plan.clientReference, 80)],
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
