import type { Movement, Plan, RecordedEvent } from '@fairway/plan';
import { LIMITS, PAYMENT_MODES, PLAN_STATUSES } from '@fairway/wire';

import { planAgain } from '../planAgain.ts';
import {
  actingOf,
  addError,
  type Call,
  cursorField,
  type Fields,
  integerField,
  type ListPartAsk,
  optional,
  type Outcome,
  pageAnswer,
  type ProblemFacts,
  referenceField,
  refuse,
  type Registrar,
  revisionTag,
  sealOf,
  textField,
  timestampField,
  wordField,
} from '@fairway/api';
import { planPlace } from '@fairway/store';
import { approvePayment } from '../approvePayment.ts';
import { createPaymentOnce } from '../making/createPayment.ts';
import { readAgain, readApproval, readEnd, readRefund } from '../planRequests.ts';
import { endPlan } from '../endPlan.ts';
import { currentPlan } from '../findPlan.ts';
import { listEvents, listMovements, listPlans } from '../listPlans.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { readPaymentRequest } from '../paymentRequest.ts';
import { recordRefund } from '../recordRefund.ts';
import { revealRecipient } from '../revealRecipient.ts';
import type { AuditPort } from '../../../platform/audit/facts.ts';
import { revealOf } from '../revealFact.ts';
import { eventBody } from '../bodies/eventBody.ts';
import { movementBody } from '../bodies/moneyBody.ts';
import { planAnswer, planBody } from '../bodies/planBody.ts';

const NAMES_NOBODY: ProblemFacts = {
  code: 'forbidden',
  detail: 'Another recipient needs the permission payments:write, which the credential does not have.',
};

/** Registers the operations on whole plans. */
export function registerPlans(registrar: Registrar, parts: PaymentParts, audit: AuditPort): void {
  const create = createPaymentOnce(parts);
  registrar.submit('createPayment', {
    input: readPaymentRequest,
    async answer(request, call) {
      const startMs = parts.nowMs();
      const made = await create(actingOf(call), request);
      if (!made.ok) return made;
      const { plan, isReplayed } = made.value;
      const shown = isReplayed ? parts : { ...parts, nowMs: () => startMs };
      const body = planBody(plan, shown, call.expand);
      const etag = revisionTag(plan.revision);
      const headers = isReplayed ? { etag, 'idempotent-replayed': 'true' } : { etag };
      return { ok: true, body, headers, place: plan.corridor.id };
    },
  });
  registerPlanLists(registrar, parts);
  registrar.find('getPayment', {
    answer: async (_, call) =>
      planAnswer(await currentPlan(parts, actingOf(call).scope, planIdOf(call)), parts, call.expand),
  });
  registerEndings(registrar, parts);
  registrar.submit('revealRecipient', {
    async answer(_, call) {
      const revealed = await revealRecipient(parts, actingOf(call), planIdOf(call));
      audit.record(revealOf(call, revealed));
      return revealed.ok ? { ok: true, body: revealed.value } : revealed;
    },
  });
}

/** The operations that let plans go on, have something done once more, or end them. */
function registerEndings(registrar: Registrar, parts: PaymentParts): void {
  const answer = (outcome: Outcome<Plan>, call: Call) => planAnswer(outcome, parts, call.expand);
  registrar.submit('approvePayment', {
    input: readApproval,
    answer: async ({ version }, call) =>
      answer(await approvePayment(parts, actingOf(call), planIdOf(call), version), call),
  });
  registrar.submit('endPayment', {
    input: readEnd,
    answer: async (request, call) =>
      answer(await endPlan(parts, actingOf(call), planIdOf(call), request), call),
  });
  registrar.submit('recordRefund', {
    input: (fields) => readRefund(fields, parts),
    answer: async (report, call) =>
      answer(await recordRefund(parts, actingOf(call), planIdOf(call), report), call),
  });
  registrar.submit('againPayment', {
    input: readAgain,
    async answer(request, call) {
      // To name another recipient is to make a payment.
      if (request.recipient !== undefined && !call.caller.permissions.includes('payments:write'))
        return refuse(NAMES_NOBODY);
      const again = await planAgain(parts, actingOf(call), planIdOf(call), request);
      if (!again.ok) return again;
      const { plan, did } = again.value;
      const told = answer({ ok: true, value: plan }, call);
      return told.ok && 'body' in told ? { ...told, body: { ...told.body, did } } : told;
    },
  });
}

function planIdOf({ params }: Call): string {
  return params['planId'] ?? '';
}

function registerPlanLists(registrar: Registrar, parts: PaymentParts): void {
  registrar.page('listPayments', {
    input: readPlanList,
    answer({ filter, page, seal }, call) {
      const { scope } = actingOf(call);
      return pageAnswer<Plan>(page, {
        seal,
        read: (ask) => listPlans(parts, scope, filter, ask),
        bodyOf: (plan) => planBody(plan, parts, call.expand),
        placeOf: (plan) => planPlace(plan, filter),
      });
    },
  });
  registrar.page('listPaymentEvents', {
    input: (fields, call) => readPartOfPlan(fields, call, 'events'),
    answer({ page, seal }, call) {
      const { scope } = actingOf(call);
      return pageAnswer<RecordedEvent>(page, {
        seal,
        read: (ask) => listEvents(parts, scope, planIdOf(call), ask),
        bodyOf: (event) => eventBody(event, parts.chains),
        placeOf: ({ revision }) => String(revision),
      });
    },
  });
  registrar.page('listMovements', {
    input: (fields, call) => readPartOfPlan(fields, call, 'movements'),
    answer({ page, seal }, call) {
      const { scope } = actingOf(call);
      return pageAnswer<Movement>(page, {
        seal,
        read: (ask) => listMovements(parts, scope, planIdOf(call), ask),
        bodyOf: (movement) => movementBody(movement, parts.chains),
        placeOf: ({ seq }) => String(seq),
      });
    },
  });
}

const limitField = integerField(LIMITS.pageSize);

function readPlanList(fields: Fields) {
  const status = optional(fields, 'status', wordField(PLAN_STATUSES));
  const mode = optional(fields, 'mode', wordField(PAYMENT_MODES));
  const corridorId = optional(fields, 'corridorId', textField(64));
  const clientReference = optional(fields, 'clientReference', referenceField(LIMITS.clientReferenceLength));
  const recipientId = optional(fields, 'recipientId', textField(64));
  const approval = optional(fields, 'approval', wordField(['PENDING']));
  const createdFrom = optional(fields, 'createdFrom', timestampField);
  const createdTo = optional(fields, 'createdTo', timestampField);
  const updatedSince = optional(fields, 'updatedSince', timestampField);
  const limit = optional(fields, 'limit', limitField) ?? LIMITS.pageSize.default;
  const others = { status, mode, corridorId, clientReference, recipientId, approval, createdFrom, createdTo };
  const [other] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (updatedSince !== undefined && other !== undefined)
    addError(fields, other, `${other} and updatedSince cannot be asked for together: leave one of them out.`);
  const seal = sealOf('payments', { ...others, updatedSince });
  const after = optional(fields, 'cursor', cursorField(seal));
  if (createdFrom !== undefined && createdTo !== undefined && createdTo <= createdFrom)
    addError(fields, 'createdTo', 'createdTo must be later than createdFrom.');
  const made = {
    createdFrom: dateOf(createdFrom),
    createdTo: dateOf(createdTo),
    updatedSince: dateOf(updatedSince),
  };
  const page: ListPartAsk = { limit, after };
  return {
    filter: { status, mode, corridorId, clientReference, recipientId, approval, ...made },
    page,
    seal,
  };
}

function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}

/** The part of a list that belongs to a plan; the places of its items are numbers. */
function readPartOfPlan(fields: Fields, call: Call, list: 'events' | 'movements') {
  const seal = sealOf(list, { planId: planIdOf(call) });
  const limit = optional(fields, 'limit', limitField) ?? LIMITS.pageSize.default;
  const after = optional(fields, 'cursor', cursorField(seal));
  if (after !== undefined && !/^\d{1,9}$/.test(after))
    addError(fields, 'cursor', 'cursor must be the nextCursor of the page before.');
  const page: ListPartAsk = { limit, after };
  return { page, seal };
}
