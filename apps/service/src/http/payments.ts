import { createHash, randomUUIDv7 } from 'node:crypto';
import {
  canonicalRecipient,
  createPlan,
  isCancelable,
  maskRecipient,
  type Mode,
  type NoticeOptions,
  type Plan,
  type PlanId,
  type PlanStatus,
  type StepId,
} from '@fairway/plan';
import type { PlanFilter, PlanScope } from '@fairway/store';
import type { PaymentEventList, PaymentList, PaymentPlan, RevealedRecipient } from '@fairway/wire';
import { LIMITS, PLAN_STATUSES } from '@fairway/wire';
import type { CollectParts } from '../collect/collectParts.ts';
import type { Derivation } from '../payments/instructions.ts';
import type { PaymentParts } from '../payments/paymentParts.ts';
import { eventBody, planBody } from './planBody.ts';
import {
  ADDRESS_IN_USE,
  CHAIN_AWAY,
  changeRefused,
  corridorRefused,
  DATABASE_AWAY,
  KEY_AWAY,
  NO_SUCH_PLAN,
} from '../payments/planProblems.ts';
import { carriedOn, recordDeposit } from '../payments/planWork.ts';
import {
  addError,
  type FieldReader,
  type Fields,
  integerField,
  optional,
  textField,
  timestampField,
  wordField,
} from '../fields/fields.ts';
import type { Call, CallGate } from './operations.ts';
import { canonicalRequest, type PaymentAsk, readPaymentRequest } from '../payments/paymentRequest.ts';
import { type Answer, invalidFields, type ProblemAnswer, refuse } from './problem.ts';

/** Whose plans a request is about. */
export function scopeOf({ caller }: Call): PlanScope {
  return { organisationId: caller.organisationId, environment: caller.environment };
}

/**
 * POST /v1/payments: a plan, made once for each reference. A reference that was used is answered without waiting for
 * the chain. While its first request is under way the others are told so, here and not by the gate: parallel requests
 * with one reference must not take the room of those with others. What runs in another service the database tells.
 */
export function createPaymentOnce(
  parts: CollectParts,
): (fields: Fields, call: Call, gate: CallGate) => Promise<Answer<PaymentPlan>> {
  const underWay = new Set<string>();

  return async (fields, call, gate) => {
    const nowMs = parts.nowMs();
    const read = readPaymentRequest(fields, parts.corridors);
    if (!read.ok) return read;
    const scope = scopeOf(call);
    const ask = read.body;
    const bodyFingerprint = fingerprintOf(parts, scope, ask);
    const before = await parts.store.payments.findByReference(scope, ask.clientReference);
    if (!before.ok) return refuse(DATABASE_AWAY);
    if (before.found !== undefined) return replayed(parts, scope, ask, bodyFingerprint, before.found);
    if (ask.refusal !== undefined) return refuse(ask.refusal);
    const name = JSON.stringify([scope.organisationId, scope.environment, ask.clientReference]);
    if (underWay.has(name)) return refuse(inProgress(ask.clientReference));
    underWay.add(name);
    try {
      return await gate(() => createPayment(parts, call, ask, bodyFingerprint, nowMs));
    } finally {
      underWay.delete(name);
    }
  };
}

async function createPayment(
  parts: CollectParts,
  call: Call,
  ask: PaymentAsk,
  bodyFingerprint: Buffer,
  nowMs: number,
): Promise<Answer<PaymentPlan>> {
  const scope = scopeOf(call);
  const planId = newId('plan') as PlanId;
  const derivation = await parts.derive({ ...ask, planId });
  if (derivation.kind === 'PROBLEM') return refuse(derivation.problem);
  const organisation = await parts.organisationOf(scope.organisationId);
  if (organisation === undefined) return refuse(DATABASE_AWAY);
  const made = newPlan(parts, scope, { ...ask, planId }, derivation, organisation.notices, nowMs);
  if (!made.ok) return made;
  const created = await parts.store.payments.createPlan(scope, {
    plan: made.body,
    actor: call.caller.credentialId,
    bodyFingerprint,
    recipient: ask.recipient,
  });
  if (created.ok && created.outcome === 'EXISTS')
    return replayed(parts, scope, ask, bodyFingerprint, created);
  if (created.ok) return { ok: true, body: planBody(created.plan, nowMs) };
  switch (created.reason) {
    case 'DATABASE_UNAVAILABLE':
      return refuse(DATABASE_AWAY);
    case 'DEPOSIT_ADDRESS_IN_USE':
      return refuse(ADDRESS_IN_USE);
    case 'REQUEST_IN_PROGRESS':
      return refuse(inProgress(ask.clientReference));
  }
}

function fingerprintOf({ store }: PaymentParts, { organisationId }: PlanScope, ask: PaymentAsk): Buffer {
  return store.fingerprint(
    'request',
    organisationId,
    canonicalRequest(ask, canonicalRecipient(ask.recipient)),
  );
}

/** The plan that the reference stands for already; the caller's request must have been that one. */
async function replayed(
  parts: PaymentParts,
  scope: PlanScope,
  { clientReference }: PaymentAsk,
  bodyFingerprint: Buffer,
  known: { readonly plan: Plan; readonly bodyFingerprint: Buffer },
): Promise<Answer<PaymentPlan>> {
  if (!known.bodyFingerprint.equals(bodyFingerprint)) {
    const detail =
      `clientReference ${JSON.stringify(clientReference)} stands for another request already; ` +
      'send this one under a reference of its own.';
    return refuse({
      code: 'client-reference-reused',
      detail,
      errors: [{ pointer: '/clientReference', detail }],
    });
  }
  const plan = await carriedOn(parts, scope, known.plan);
  return {
    ok: true,
    body: planBody(plan, parts.nowMs()),
    headers: { 'idempotent-replayed': 'true' },
  };
}

function inProgress(clientReference: string): ProblemAnswer {
  const detail = `A request with clientReference ${JSON.stringify(clientReference)} is still under way.`;
  return { code: 'request-in-progress', detail, headers: { 'retry-after': '1' } };
}

function newPlan(
  parts: PaymentParts,
  { organisationId }: PlanScope,
  ask: PaymentAsk & { readonly planId: PlanId },
  derivation: Exclude<Derivation, { kind: 'PROBLEM' }>,
  notices: NoticeOptions | undefined,
  nowMs: number,
): Answer<Plan> {
  const { corridor, clientReference, amountIn, mode, metadata } = ask;
  const options = { ...ask.options, ...(mode === 'STANDARD' || notices === undefined ? {} : { notices }) };
  const fingerprint = parts.store
    .fingerprint('recipient', organisationId, canonicalRecipient(ask.recipient))
    .toString('base64url');
  const recipient = maskRecipient(ask.recipient, fingerprint);
  const head = parts.chains.get(corridor.source.chainId)?.follower.head();
  const request = { clientReference, amountIn, recipient, mode, options, metadata };
  const created = createPlan(corridor, request, {
    planId: ask.planId,
    stepIds: [newStepId(), newStepId(), newStepId()],
    // At most 35 characters, as ISO 20022 messages have it.
    endToEndId: `FW${newId('')}`,
    nowMs,
    lifeMs: parts.planLifeMs,
    watchFromBlock: head === undefined ? 0 : Number(head.number) + 1,
    swap: derivation,
  });
  if (!created.ok) return refuse(corridorRefused(corridor, mode, created.refusal));
  return { ok: true, body: created.plan };
}

function newStepId(): StepId {
  return newId('step') as StepId;
}

function newId(prefix: string): string {
  return `${prefix}${prefix === '' ? '' : '_'}${randomUUIDv7().replaceAll('-', '')}`;
}

/** GET /v1/payments/{planId}: the plan as it is now; what is due by the clock is done first. */
export async function getPayment(
  fields: Fields,
  parts: PaymentParts,
  call: Call,
): Promise<Answer<PaymentPlan>> {
  if (fields.errors.length > 0) return refuse(invalidFields(fields.errors));
  const found = await findPlan(parts, call);
  if (!found.ok) return found;
  const plan = await carriedOn(parts, scopeOf(call), found.body);
  return { ok: true, body: planBody(plan, parts.nowMs()) };
}

const PLAN_ID = /^plan_[0-9a-f]{32}$/;

/** The caller's plan that the path names. */
export async function findPlan({ store }: PaymentParts, call: Call): Promise<Answer<Plan>> {
  const { planId = '' } = call.params;
  if (!PLAN_ID.test(planId)) return refuse(NO_SUCH_PLAN);
  const loaded = await store.payments.loadPlan(scopeOf(call), planId);
  if (!loaded.ok) return refuse(DATABASE_AWAY);
  return loaded.plan === undefined ? refuse(NO_SUCH_PLAN) : { ok: true, body: loaded.plan };
}

const limitField = integerField(LIMITS.pageSize);

/** GET /v1/payments: the caller's plans, newest first. */
export async function listPayments(
  fields: Fields,
  parts: PaymentParts,
  call: Call,
): Promise<Answer<PaymentList>> {
  const status = optional(fields, 'status', wordField(PLAN_STATUSES));
  const mode = optional(fields, 'mode', wordField(['STANDARD', 'DIGITAL_COLLECT']));
  const corridorId = optional(fields, 'corridorId', textField(64));
  const clientReference = optional(fields, 'clientReference', textField(LIMITS.clientReferenceLength));
  const createdFrom = optional(fields, 'createdFrom', timestampField);
  const createdTo = optional(fields, 'createdTo', timestampField);
  const limit = optional(fields, 'limit', limitField) ?? LIMITS.pageSize.default;
  const filter = { status, mode, corridorId, clientReference, createdFrom, createdTo };
  const seal = sealOf('payments', filter);
  const after = optional(fields, 'cursor', cursorField(seal));
  if (createdFrom !== undefined && createdTo !== undefined && createdTo <= createdFrom)
    addError(fields, 'createdTo', 'createdTo must be later than createdFrom.');
  if (fields.errors.length > 0) return refuse(invalidFields(fields.errors));
  const listed = await parts.store.payments.listPlans(scopeOf(call), planFilter(filter), {
    limit,
    ...(after === undefined ? {} : { after }),
  });
  if (!listed.ok) return refuse(DATABASE_AWAY);
  const nowMs = parts.nowMs();
  return {
    ok: true,
    body: {
      data: listed.plans.map((plan) => planBody(plan, nowMs)),
      ...(listed.next === undefined ? {} : { nextCursor: cursorOf(seal, listed.next) }),
    },
  };
}

type Filter = {
  readonly status: PlanStatus | undefined;
  readonly mode: Mode | undefined;
  readonly corridorId: string | undefined;
  readonly clientReference: string | undefined;
  readonly createdFrom: number | undefined;
  readonly createdTo: number | undefined;
};

function planFilter({
  status,
  mode,
  corridorId,
  clientReference,
  createdFrom,
  createdTo,
}: Filter): PlanFilter {
  return {
    ...(status === undefined ? {} : { status }),
    ...(mode === undefined ? {} : { mode }),
    ...(corridorId === undefined ? {} : { corridorId }),
    ...(clientReference === undefined ? {} : { clientReference }),
    ...(createdFrom === undefined ? {} : { createdFrom: new Date(createdFrom) }),
    ...(createdTo === undefined ? {} : { createdTo: new Date(createdTo) }),
  };
}

/** Ties a cursor to the question it belongs to: continuing another list with it would skip or repeat. */
function sealOf(list: string, question: object): string {
  return createHash('sha256')
    .update(JSON.stringify([list, question]))
    .digest('base64url')
    .slice(0, 8);
}

function cursorOf(seal: string, place: string): string {
  return Buffer.from(`${seal}.${place}`).toString('base64url');
}

function cursorField(seal: string): FieldReader<string> {
  return {
    must: 'the nextCursor of the page before, with the same filters',
    read(given) {
      if (typeof given !== 'string' || !/^[A-Za-z0-9_-]{1,200}$/.test(given)) return { ok: false };
      const [of, place = ''] = Buffer.from(given, 'base64url').toString().split('.');
      return of === seal && /^[a-z0-9_]{1,64}$/.test(place) ? { ok: true, value: place } : { ok: false };
    },
  };
}

/** GET /v1/payments/{planId}/events: what happened to a plan, oldest first. */
export async function listPaymentEvents(
  fields: Fields,
  parts: PaymentParts,
  call: Call,
): Promise<Answer<PaymentEventList>> {
  const { planId = '' } = call.params;
  const seal = sealOf('events', { planId });
  const limit = optional(fields, 'limit', limitField) ?? LIMITS.pageSize.default;
  const after = optional(fields, 'cursor', cursorField(seal));
  if (after !== undefined && !/^\d{1,9}$/.test(after))
    addError(fields, 'cursor', 'cursor must be the nextCursor of the page before.');
  if (fields.errors.length > 0) return refuse(invalidFields(fields.errors));
  if (!PLAN_ID.test(planId)) return refuse(NO_SUCH_PLAN);
  const page = { limit, ...(after === undefined ? {} : { afterRevision: Number(after) }) };
  const told = await parts.store.payments.history(scopeOf(call), planId, page);
  if (!told.ok) return refuse(DATABASE_AWAY);
  if (told.found === undefined) return refuse(NO_SUCH_PLAN);
  const { events, next } = told.found;
  return {
    ok: true,
    body: {
      data: events.map(eventBody),
      ...(next === undefined ? {} : { nextCursor: cursorOf(seal, String(next)) }),
    },
  };
}

/** POST /v1/payments/{planId}/cancel: ends a plan while no money has moved. */
export async function cancelPayment(
  fields: Fields,
  parts: PaymentParts,
  call: Call,
): Promise<Answer<PaymentPlan>> {
  if (fields.errors.length > 0) return refuse(invalidFields(fields.errors));
  const found = await findPlan(parts, call);
  if (!found.ok) return found;
  const scope = scopeOf(call);
  const plan = await carriedOn(parts, scope, found.body);
  // Money that has come already, though nobody has looked yet, keeps the plan.
  if (isCancelable(plan) && plan.options.depositAddress !== undefined) {
    const observed = await recordDeposit(parts, scope, plan);
    if (observed === undefined) return refuse(CHAIN_AWAY);
  }
  const deed = { actor: call.caller.credentialId, atMs: parts.nowMs() };
  const changed = await parts.store.payments.changePlan(scope, plan.planId, { type: 'PLAN_CANCELLED' }, deed);
  if (!changed.ok) return refuse(changeRefused(changed));
  return { ok: true, body: planBody(changed.plan, parts.nowMs()) };
}

/** POST /v1/payments/{planId}/recipient/reveal: the full details, once it is recorded that they were asked for. */
export async function revealRecipient(
  fields: Fields,
  parts: PaymentParts,
  call: Call,
): Promise<Answer<RevealedRecipient>> {
  if (fields.errors.length > 0) return refuse(invalidFields(fields.errors));
  const found = await findPlan(parts, call);
  if (!found.ok) return found;
  const { planId } = found.body;
  const deed = { actor: call.caller.credentialId, atMs: parts.nowMs() };
  const revealed = await parts.store.payments.revealRecipient(scopeOf(call), planId, deed);
  if (revealed.ok) return { ok: true, body: { planId, recipient: { ...revealed.recipient } } };
  if (revealed.reason === 'PLAN_UNKNOWN') return refuse(NO_SUCH_PLAN);
  if (revealed.reason === 'DATABASE_UNAVAILABLE') return refuse(DATABASE_AWAY);
  return refuse(KEY_AWAY);
}
