import { isLess, type Plan, type PlanEvent, type SendDigitalCollectStep } from '@fairway/plan';
import { PAYOUT_FAILURES } from '@fairway/wire';
import { addError, complete, type Fields, required, wordField } from '../fields/fields.ts';
import { payoutOnChain } from '../payments/claims/payout.ts';
import { recordReport } from '../payments/claims/recordReport.ts';
import type { Acting, PaymentParts } from '../payments/paymentParts.ts';
import { refusalOf } from '../payments/planChanges.ts';
import { mismatch } from '../payments/planProblems.ts';
import { readFactsOf, type ReportedFacts } from '../payments/stepReport.ts';
import { done, invalidFields, type Outcome, type ProblemFacts, refuse } from '../problems/problem.ts';
import type { FoundCollect } from './linkRequests.ts';

type DeliveryEvent = Extract<PlanEvent, { type: 'DELIVERY_REPORTED' }>;

/** A report on the payment to the destination that a recipient chose. */
export type DeliveryReport = ReportedFacts & { readonly status: DeliveryEvent['status'] };

/** Reads the fields of a delivery report; undefined when one is wrong. */
export function readDelivery(fields: Fields, nowMs: number): DeliveryReport | undefined {
  const status = required(fields, 'status', wordField(['SENT', 'DELIVERED', 'FAILED', 'RETURNED']));
  const facts = readFactsOf(fields, { name: 'status', value: status }, PAYOUT_FAILURES, nowMs);
  if (status === 'RETURNED' && !fields.values.has('providerReference'))
    addError(
      fields,
      'providerReference',
      'providerReference is missing; a return is told apart from others by it.',
    );
  const read = complete(fields, { status });
  return read && { ...read, ...facts };
}

/** Records a delivery report. When the recipient chose a wallet, the report is checked on the chain. */
export async function reportDelivery(
  parts: PaymentParts,
  acting: Acting,
  { plan, step }: FoundCollect,
  report: DeliveryReport,
): Promise<Outcome<Plan>> {
  if (step.delivery === undefined) {
    // No destination was chosen yet: the report is refused for this, before its other errors matter.
    const { status } = report;
    const { stepId } = step;
    const early = { type: 'DELIVERY_REPORTED', stepId, status, verification: 'REPORTED' } as const;
    const problem = refusalOf(parts, plan, early);
    if (problem !== undefined) return refuse(problem);
  }
  return recordReport(parts, acting, plan, (ignored) =>
    deliveryEvent(parts, acting, plan, step, report, ignored),
  );
}

/** The event of a delivery report, after a check on the chain when the recipient chose a wallet. */
async function deliveryEvent(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  { stepId, asset, destination, delivery }: SendDigitalCollectStep,
  { status, txHash, logIndex, ...told }: DeliveryReport,
  ignored: ReadonlySet<string>,
): Promise<Outcome<PlanEvent>> {
  const event = { type: 'DELIVERY_REPORTED', stepId, status, ...told } as const;
  if (destination?.type !== 'wallet' || status === 'FAILED' || status === 'RETURNED') {
    if (txHash !== undefined) return refuse(unused('txHash', 'goes with the delivery to a wallet'));
    const reference = told.providerReference ?? delivery?.providerReference;
    if (status === 'DELIVERED' && reference === undefined)
      return refuse(missing('providerReference', 'DELIVERED to an account'));
    const isPaid = delivery?.status === 'DELIVERED' || delivery?.status === 'RETURNED';
    const { amount } = told;
    if (status === 'DELIVERED' && !isPaid && amount !== undefined && isLess(amount, asset.amount))
      return refuse(
        mismatch(
          `The report says that ${amount} units of custodianAction.asset were paid out, ${asset.amount} are due. Give the amount in these units, not in cents, and report the delivery when all of it was paid out.`,
        ),
      );
    return done({ ...event, verification: 'REPORTED' });
  }
  if (txHash === undefined) {
    if (status === 'DELIVERED') return refuse(missing('txHash', 'DELIVERED to a wallet'));
    return done({ ...event, verification: 'REPORTED' });
  }
  const { amount } = told;
  const paid = await payoutOnChain(parts, acting, plan, { txHash, logIndex, amount }, ignored);
  if (!paid.ok) return paid;
  const { isPart: _isPart, ...proof } = paid.value;
  return done({ ...event, ...proof });
}

function missing(name: string, what: string): ProblemFacts {
  return invalidFields([{ pointer: `/${name}`, detail: `${name} is missing; ${what} needs it.` }]);
}

function unused(name: string, what: string): ProblemFacts {
  return invalidFields([{ pointer: `/${name}`, detail: `${name} ${what}; leave it out.` }]);
}
