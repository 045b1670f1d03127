import type { Plan } from '@fairway/plan';
import { readDelivery, reportDelivery } from '../collect/deliveries.ts';
import { cancelLink, findCollect, readdressLink, renewLink } from '../collect/linkRequests.ts';
import { plainFields } from '../fields/plainJson.ts';
import type { Acting, PaymentParts } from '../payments/paymentParts.ts';
import type { Outcome } from '../problems/problem.ts';
import { actingOf } from './acting.ts';
import type { Answer } from './answer.ts';
import { planAnswer } from './planBody.ts';
import type { Call, Registrar } from './registrar.ts';

/** Registers the operations on a plan's collect link, and the delivery report. */
export function registerCollect(registrar: Registrar, parts: PaymentParts): void {
  async function shown(
    call: Call,
    use: (acting: Acting, planId: string) => Promise<Outcome<Plan>>,
  ): Promise<Answer<unknown>> {
    return planAnswer(await use(actingOf(call), call.params['planId'] ?? ''), parts);
  }

  // POST …/collect/resend: sends the e-mail again, with a link that replaces the link before.
  registrar.submit('resendCollect', {
    answer: (_, call) => shown(call, (acting, planId) => renewLink(parts, acting, planId, 'RESENT')),
  });
  // POST …/collect/reissue: makes a new link after a link that ended.
  registrar.submit('reissueCollect', {
    answer: (_, call) => shown(call, (acting, planId) => renewLink(parts, acting, planId, 'REISSUED')),
  });
  // POST …/collect/readdress: makes a new link and sends it to another address.
  registrar.submit('readdressCollect', {
    input: plainFields,
    answer: (given, call) => shown(call, (acting, planId) => readdressLink(parts, acting, planId, given)),
  });
  // POST …/collect/cancel: cancels the link.
  registrar.submit('cancelCollect', {
    answer: (_, call) => shown(call, (acting, planId) => cancelLink(parts, acting, planId)),
  });
  // POST …/collect/deliveries: reports on the payment to the destination that the recipient chose.
  registrar.submit('reportDelivery', {
    input: (fields) => readDelivery(fields, parts.nowMs()),
    answer: (report, call) =>
      shown(call, async (acting, planId) => {
        const found = await findCollect(parts, acting, planId);
        return found.ok ? reportDelivery(parts, acting, found.value, report) : found;
      }),
  });
}
