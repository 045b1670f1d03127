import {
  canonicalRecipient,
  collectStep,
  judgeDelivery,
  maskRecipient,
  type Plan,
  type PlanEvent,
  type Recipient,
  type SendDigitalCollectStep,
} from '@fairway/plan';
import { PAYOUT_FAILURES, type PaymentPlan } from '@fairway/wire';
import { type LinkReason, makeLink } from '../collect/links.ts';
import type { PaymentParts } from '../payments/paymentParts.ts';
import { planBody } from './planBody.ts';
import { changeRefused, KEY_AWAY, mismatch } from '../payments/planProblems.ts';
import { carriedOn } from '../payments/planWork.ts';
import { minedFacts } from '../payments/claims.ts';
import { addError, type Fields, required, wordField } from '../fields/fields.ts';
import type { Call } from './operations.ts';
import { plainFields } from '../payments/paymentRequest.ts';
import { findPlan, scopeOf } from './payments.ts';
import { type Answer, invalidFields, type ProblemAnswer, refuse } from './problem.ts';
import { type Facts, readFacts } from '../payments/stepReport.ts';
import { refusalOf } from './steps.ts';

type Found = { readonly plan: Plan; readonly step: SendDigitalCollectStep };

async function findCollect(fields: Fields, parts: PaymentParts, call: Call): Promise<Answer<Found>> {
  if (fields.errors.length > 0) return refuse(invalidFields(fields.errors));
  const found = await findPlan(parts, call);
  if (!found.ok) return found;
  const plan = await carriedOn(parts, scopeOf(call), found.body);
  const step = collectStep(plan);
  if (step !== undefined) return { ok: true, body: { plan, step } };
  return refuse({
    code: 'mode-not-supported',
    detail: 'The plan is STANDARD; only DIGITAL_COLLECT has a link.',
  });
}

function shown(parts: PaymentParts, plan: Plan): Answer<PaymentPlan> {
  return { ok: true, body: planBody(plan, parts.nowMs()) };
}

async function newLink(
  parts: PaymentParts,
  call: Call,
  plan: Plan,
  reason: LinkReason,
  readdressed?: Parameters<typeof makeLink>[5],
): Promise<Answer<PaymentPlan>> {
  const deed = { actor: call.caller.credentialId, atMs: parts.nowMs() };
  const made = await makeLink(parts, scopeOf(call), plan, reason, deed, readdressed);
  if (made.ok) return shown(parts, made.plan);
  switch (made.reason) {
    case 'KEY_UNKNOWN':
    case 'SEAL_BROKEN':
      return refuse(KEY_AWAY);
    default:
      return refuse(changeRefused(made));
  }
}

type LinkRequest = (fields: Fields, parts: PaymentParts, call: Call) => Promise<Answer<PaymentPlan>>;

function another(reason: 'RESENT' | 'REISSUED'): LinkRequest {
  return async (fields, parts, call) => {
    const found = await findCollect(fields, parts, call);
    return found.ok ? newLink(parts, call, found.body.plan, reason) : found;
  };
}

/** POST …/collect/resend: the e-mail again, with a link that replaces the one before. */
export const resendCollect = another('RESENT');

/** POST …/collect/reissue: a link with a new life, after one that ended. */
export const reissueCollect = another('REISSUED');

/** Names of the fields of a new address. */
export const READDRESS_FIELDS = ['email', 'name', 'locale'] as const;

/** POST …/collect/readdress: the e-mail to another address. */
export async function readdressCollect(
  fields: Fields,
  parts: PaymentParts,
  call: Call,
): Promise<Answer<PaymentPlan>> {
  const found = await findCollect(fields, parts, call);
  if (!found.ok) return found;
  const { plan } = found.body;
  const { recipient: before } = plan;
  const read = parts.corridors.readRecipient(plan.corridor, ['email'], {
    // Whoever reads it, the payment speaks the language that was chosen for it.
    ...(before.type === 'email' && before.locale !== undefined ? { locale: before.locale } : {}),
    ...plainFields(fields),
    type: 'email',
  });
  if (!read.ok || read.recipient.type !== 'email') {
    const errors = read.ok ? [] : read.errors;
    const placed = errors.map(({ pointer, detail }) => ({
      pointer: pointer.replace(/^\/recipient/, ''),
      detail,
    }));
    return refuse({ ...invalidFields(placed), code: 'recipient-invalid' });
  }
  const { recipient } = read;
  return newLink(parts, call, plan, 'READDRESSED', { recipient, masked: masked(parts, call, recipient) });
}

function masked({ store }: PaymentParts, { caller }: Call, recipient: Recipient): Plan['recipient'] {
  const text = canonicalRecipient(recipient);
  return maskRecipient(
    recipient,
    store.fingerprint('recipient', caller.organisationId, text).toString('base64url'),
  );
}

/** POST …/collect/cancel: the link stops working. */
export async function cancelCollect(
  fields: Fields,
  parts: PaymentParts,
  call: Call,
): Promise<Answer<PaymentPlan>> {
  const found = await findCollect(fields, parts, call);
  if (!found.ok) return found;
  const { plan, step } = found.body;
  return record(parts, call, plan, { type: 'COLLECT_CANCELLED', stepId: step.stepId });
}

async function record(
  parts: PaymentParts,
  call: Call,
  plan: Plan,
  event: PlanEvent,
): Promise<Answer<PaymentPlan>> {
  const scope = scopeOf(call);
  const deed = { actor: call.caller.credentialId, atMs: parts.nowMs() };
  const changed = await parts.store.payments.changePlan(scope, plan.planId, event, deed);
  if (!changed.ok) return refuse(changeRefused(changed));
  return shown(parts, await carriedOn(parts, scope, changed.plan));
}

/** Names of the fields of a delivery report. */
export const DELIVERY_FIELDS = [
  'status',
  'txHash',
  'providerReference',
  'amount',
  'occurredAt',
  'failure',
] as const;

type DeliveryEvent = Extract<PlanEvent, { type: 'DELIVERY_REPORTED' }>;

/** POST …/collect/deliveries: how far the destination that the recipient chose is paid. */
export async function reportDelivery(
  fields: Fields,
  parts: PaymentParts,
  call: Call,
): Promise<Answer<PaymentPlan>> {
  const told = readDelivery(fields, parts.nowMs());
  const found = await findCollect(fields, parts, call);
  if (!found.ok) return found;
  const { plan, step } = found.body;
  return deliver(parts, call, plan, step, told);
}

/** Records how far a destination is paid. */
export async function deliver(
  parts: PaymentParts,
  call: Call,
  plan: Plan,
  step: SendDigitalCollectStep,
  told: Told,
): Promise<Answer<PaymentPlan>> {
  if (told.status !== undefined && step.delivery === undefined) {
    // Nothing was chosen: what else is wrong with the report is not to be mended yet.
    const { status } = told;
    const { stepId } = step;
    const early = { type: 'DELIVERY_REPORTED', stepId, status, verification: 'REPORTED' } as const;
    const problem = refusalOf(parts, plan, early);
    if (problem !== undefined) return refuse(problem);
  }
  const event = await deliveryEvent(parts, plan, step, told);
  return event.ok ? record(parts, call, plan, event.body) : event;
}

type Told = Facts & { readonly status: DeliveryEvent['status'] | undefined };

function readDelivery(fields: Fields, nowMs: number): Told {
  const status = required(fields, 'status', wordField(['SENT', 'DELIVERED', 'FAILED', 'RETURNED']));
  const facts = readFacts(fields, { name: 'status', value: status }, PAYOUT_FAILURES, nowMs);
  if (status === 'RETURNED' && !fields.values.has('providerReference'))
    addError(
      fields,
      'providerReference',
      'providerReference is missing; a return is told apart from others by it.',
    );
  return { status, ...facts };
}

/** What a delivery report says happened, after asking the chain where a wallet was chosen. */
async function deliveryEvent(
  parts: PaymentParts,
  plan: Plan,
  { stepId, destination, delivery }: SendDigitalCollectStep,
  { status, txHash, ...told }: Told,
): Promise<Answer<PlanEvent>> {
  if (status === undefined) throw new Error('A missing status is an error of the fields.');
  const event = { type: 'DELIVERY_REPORTED', stepId, status, ...told } as const;
  if (destination?.type !== 'wallet' || status === 'FAILED' || status === 'RETURNED') {
    if (txHash !== undefined) return refuse(unused('txHash', 'goes with the delivery to a wallet'));
    const reference = told.providerReference ?? delivery?.providerReference;
    if (status === 'DELIVERED' && reference === undefined)
      return refuse(missing('providerReference', 'DELIVERED to an account'));
    return { ok: true, body: { ...event, verification: 'REPORTED' } };
  }
  if (txHash === undefined) {
    if (status === 'DELIVERED') return refuse(missing('txHash', 'DELIVERED to a wallet'));
    return { ok: true, body: { ...event, verification: 'REPORTED' } };
  }
  const mined = await minedFacts(parts, plan, txHash);
  if (!mined.ok) return mined;
  const judged = judgeDelivery(plan, mined.body);
  if (!judged.ok) return refuse(mismatch(judged.detail));
  const { evidence } = judged;
  if (told.amount !== undefined && told.amount !== evidence.amount)
    return refuse(mismatch(`The transaction ${txHash} paid ${evidence.amount}, not ${told.amount}.`));
  return { ok: true, body: { ...event, verification: 'VERIFIED', evidence } };
}

function missing(name: string, what: string): ProblemAnswer {
  return invalidFields([{ pointer: `/${name}`, detail: `${name} is missing; ${what} needs it.` }]);
}

function unused(name: string, what: string): ProblemAnswer {
  return invalidFields([{ pointer: `/${name}`, detail: `${name} ${what}; leave it out.` }]);
}
