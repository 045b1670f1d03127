import type { Plan, PlanCommand, SendDigitalCollectStep } from '@fairway/plan';
import { defined } from '@fairway/values';
import { type FieldError, PAYOUT_FAILURES } from '@fairway/wire';
import {
  isWithAmounts,
  payoutOnChain,
  refuseWhileWaiting,
  reportedPayment,
  returnedAmounts,
} from '../claims/payout.ts';
import { holdCommand } from '../holds.ts';
import { recordReport } from '../recordReport.ts';
import { returnedToPayer } from '../claims/returnedToPayer.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { type Acting, done, invalidFields, type Outcome, type ProblemFacts, refuse } from '@fairway/api';
import { refusalOf } from '../planChanges.ts';
import { AMOUNT_FIELDS } from '../reportedAmounts.ts';
import type { StepReport } from '../stepReport.ts';
import type { FoundCollect } from './linkRequests.ts';

type DeliveryCommand = Extract<PlanCommand, { type: 'DELIVERY_REPORTED' }>;

/** A report on the payment to the destination that a recipient chose. */
type DeliveryReport = Omit<StepReport, 'outcome'> & { readonly status: DeliveryCommand['status'] | 'HELD' };

/** Records a delivery report. When the recipient chose a wallet, the report is checked on the chain. */
export async function reportDelivery(
  parts: PaymentParts,
  acting: Acting,
  { plan, step }: FoundCollect,
  { outcome, ...facts }: StepReport,
): Promise<Outcome<Plan>> {
  const report: DeliveryReport = { ...facts, status: outcome === 'DONE' ? 'DELIVERED' : outcome };
  const misfit = unfitDelivery(report);
  if (misfit !== undefined) return refuse(misfit);
  const { providerReference, returned } = report;
  if (step.delivery === undefined) {
    // No destination was chosen yet: the report is refused for this, before its other errors matter.
    const status = report.status === 'HELD' ? 'SENT' : report.status;
    const told = { stepId: step.stepId, status, ...defined({ providerReference, returned }) };
    const early = { type: 'DELIVERY_REPORTED', ...told, verification: 'REPORTED' } as const;
    const problem = refusalOf(parts, plan, early);
    if (problem !== undefined) return refuse(problem);
  }
  return recordReport(parts, acting, plan, (ignored) =>
    deliveryCommand(parts, acting, plan, step, report, ignored),
  );
}

/** The command of a delivery report, after a check on the chain when the recipient chose a wallet. */
async function deliveryCommand(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  step: SendDigitalCollectStep,
  report: DeliveryReport,
  ignored: ReadonlySet<string>,
): Promise<Outcome<PlanCommand>> {
  const { status, txHash, logIndex, providerReference, amount, occurredAtMs, failure, hold } = report;
  const isPaid = status === 'SENT' || status === 'DELIVERED';
  const onChain = isPaid && step.destination?.type === 'wallet';
  const wrong = unused(report, onChain);
  if (wrong !== undefined) return refuse(wrong);
  if (status === 'HELD')
    return hold === undefined ? refuse(missing('hold', 'HELD')) : done(holdCommand(step, hold, report));
  const told = defined({ providerReference, amount, occurredAtMs, failure });
  const command = { type: 'DELIVERY_REPORTED', stepId: step.stepId, status, ...told } as const;
  const wrongPlace =
    status === 'RETURNED' ? await returnedToPayer(parts, plan, providerReference) : undefined;
  if (wrongPlace !== undefined) return wrongPlace;
  if (status === 'RETURNED') {
    const back = returnedAmounts(parts, plan, report);
    return back.ok ? done({ ...command, ...back.value, verification: 'REPORTED' }) : back;
  }
  if (txHash !== undefined) {
    const reported = { txHash, logIndex, amount, occurredAtMs };
    return payoutOnChain(parts, acting, plan, step, reported, ignored, (proof) => ({ ...command, ...proof }));
  }
  const waiting = status === 'FAILED' ? await refuseWhileWaiting(parts, acting.scope, plan) : undefined;
  if (waiting !== undefined) return waiting;
  if (status === 'DELIVERED') {
    if (onChain) return refuse(missing('txHash', 'DONE, to a wallet,'));
    const reference = providerReference ?? step.delivery?.providerReference;
    if (reference === undefined) return refuse(missing('providerReference', 'DONE, to an account,'));
    const payment = { ...report, ...sentAmount(step, report, reference), providerReference: reference };
    if (isWithAmounts(plan, payment)) return reportedPayment(parts, plan, step, payment);
  }
  return done({ ...command, verification: 'REPORTED' });
}

/** The amount of the report that the payment was sent, when the report of its arrival has none. */
function sentAmount(
  { delivery }: SendDigitalCollectStep,
  { amount, paid, corrects }: DeliveryReport,
  reference: string,
): Pick<DeliveryReport, 'amount'> {
  if (delivery?.status !== 'SENT' || [amount, paid, corrects].some((told) => told !== undefined)) return {};
  const isSame = (delivery.providerReference ?? reference) === reference;
  return isSame ? defined({ amount: delivery.sentAmount }) : {};
}

/** The problem of members that say nothing of such a delivery; undefined when there are none. `onChain`: to a wallet. */
function unused(report: DeliveryReport, onChain: boolean): ProblemFacts | undefined {
  const isPayment = report.status === 'DELIVERED' && !onChain;
  const errors: FieldError[] = [
    ...(onChain ? [] : ([['txHash', 'goes with the delivery to a wallet']] as const)),
    ...(isPayment ? [] : AMOUNT_FIELDS.map((name) => [name, 'goes with DONE, to an account'] as const)),
    ...(report.status === 'RETURNED' ? [] : ([['returned', 'goes with RETURNED']] as const)),
    ...(report.status === 'HELD' ? ([['amount', 'says nothing of a payment that is HELD']] as const) : []),
  ].flatMap(([name, what]) =>
    report[name] === undefined ? [] : [{ pointer: `/${name}`, detail: `${name} ${what}; leave it out.` }],
  );
  return errors.length === 0 ? undefined : invalidFields(errors);
}

/** The problem of a return that nothing tells apart from others, or of a failure that payments do not have. */
function unfitDelivery({ status, providerReference, failure }: DeliveryReport): ProblemFacts | undefined {
  if (status === 'RETURNED' && providerReference === undefined)
    return missing('providerReference', 'RETURNED');
  if (failure === undefined || (PAYOUT_FAILURES as readonly string[]).includes(failure.code))
    return undefined;
  const detail = `code must be one of a payment's, such as ACCOUNT_NOT_FOUND; given ${failure.code}.`;
  return invalidFields([{ pointer: '/failure/code', detail }]);
}

function missing(name: string, what: string): ProblemFacts {
  return invalidFields([{ pointer: `/${name}`, detail: `${name} is missing; ${what} needs it.` }]);
}
