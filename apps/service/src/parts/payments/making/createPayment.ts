import { randomUUIDv7 } from 'node:crypto';
import { toAddress } from '@fairway/engine';
import {
  canonicalRecipient,
  type Corridor,
  createPlan,
  maskRecipient,
  type Plan,
  type PlanId,
  planIdAt,
  recipientTypesOf,
  type StepId,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { FoundPlan, PlanScope } from '@fairway/store';
import {
  type Acting,
  done,
  type Outcome,
  type ProblemFacts,
  referenceReused,
  refuse,
  tryLater,
} from '@fairway/api';
import { hasOlderMoney } from '../claims/olderDeposit.ts';
import { judgeAddress, refusedAddress } from './depositAddress.ts';
import { type Derivation, withMeantPayment } from '../instructions.ts';
import { judgeRequest, type PaymentAsk } from './judgeRequest.ts';
import type { OrganisationRules, PaymentParts } from '../paymentParts.ts';
import { canonicalRequest, type PaymentRequest } from '../paymentRequest.ts';
import { corridorRefused } from '../planProblems.ts';
import { carriedOn } from '../planWork.ts';
import { createWaitingLimit } from './waitingPlans.ts';
import { checkedRevision, refuseUnchecked } from '../payeeCheckRules.ts';
import { refuseFloor } from './refuseFloor.ts';
import {
  asOfRegistered,
  canonicalRegistered,
  type MeantRecipient,
  meantRecipient,
  registeredIdOf,
} from '../registeredRecipient.ts';

/** The plan of a payment. `isReplayed`: an earlier request with the same reference made the plan. */
export type MadePayment = { readonly plan: Plan; readonly isReplayed: boolean };

/**
 * A request that was judged, by the rules of its organisation. `canonical`: a text that is equal for equal recipients.
 * `registered`: the registered recipient that it names.
 */
type RegisteredAsk = PaymentAsk &
  Pick<MeantRecipient, 'registered'> &
  Pick<OrganisationRules, 'notices'> & { readonly canonical: string };

/**
 * Makes the use case of POST /v1/payments, which makes one plan for each reference. The reference is looked up first. A
 * request that was acknowledged is answered with its plan, whatever today's rules or corridors say, and without waiting
 * for the chain. While the first request with a reference runs, other requests with it are refused. When the first
 * request runs in another process, the database refuses the others.
 */
export function createPaymentOnce(
  parts: PaymentParts,
): (acting: Acting, request: PaymentRequest) => Promise<Outcome<MadePayment>> {
  const underWay = new Set<string>();
  const refuseWaiting = createWaitingLimit(parts.store);

  return async (acting, request) => {
    const nowMs = parts.nowMs();
    const { scope } = acting;
    const { clientReference } = request;
    const name = JSON.stringify([scope.organisationId, scope.environment, clientReference]);
    // Asked before the database, too, so that many requests with one reference cost little.
    if (underWay.has(name)) return refuse(inProgress(clientReference));
    const before = await parts.store.payments.findByReference(scope, clientReference);
    if (before.found !== undefined) return replayed(parts, scope, request, before.found);
    const ask = await askOf(parts, scope, request);
    if (!ask.ok) return ask;
    const refusal = await refuseWaiting(scope);
    if (refusal !== undefined) return refuse(refusal);
    if (underWay.has(name)) return refuse(inProgress(clientReference));
    underWay.add(name);
    try {
      const made = await createPayment(parts, acting, request, ask.value, nowMs);
      if (made !== 'RECIPIENT_CHANGED') return made;
      const newer = await askOf(parts, scope, request);
      if (!newer.ok) return newer;
      const again = await createPayment(parts, acting, request, newer.value, nowMs);
      return again === 'RECIPIENT_CHANGED' ? refuse(CHANGED_TWICE) : again;
    } finally {
      underWay.delete(name);
    }
  };
}

/** Finds the recipient of a request that makes a new plan, and judges the request. */
async function askOf(
  parts: PaymentParts,
  scope: PlanScope,
  request: PaymentRequest,
): Promise<Outcome<RegisteredAsk>> {
  const rules = await parts.organisationOf(scope.organisationId);
  const meant = await meantRecipient(parts, scope, request.recipient, rules);
  if (!meant.ok) return meant;
  const { given, registered } = meant.value;
  const judged = judgeRequest({ ...request, recipient: given }, parts.corridors);
  if (!judged.ok) return refuse(asOfRegistered(judged.problem, meant.value));
  const unchecked = refuseUnchecked(judged.value.corridor, registered);
  if (unchecked !== undefined) return refuse(unchecked);
  const canonical = canonicalRecipient(judged.value.recipient);
  return done({ ...judged.value, canonical, ...defined({ registered, notices: rules.notices }) });
}

async function createPayment(
  parts: PaymentParts,
  { scope, actor }: Acting,
  request: PaymentRequest,
  ask: RegisteredAsk,
  nowMs: number,
): Promise<Outcome<MadePayment> | 'RECIPIENT_CHANGED'> {
  const judged = await judgeAddress(parts, scope, ask, nowMs);
  if (!judged.ok) return judged;
  const address = judged.value;
  const planId = planIdAt(nowMs, randomUUIDv7());
  const { chainId } = ask.corridor.source;
  const first = { ...ask, planId, attempt: 0 };
  const derivation = await parts.derive(first);
  if (derivation.kind === 'PROBLEM') {
    const { problem } = derivation;
    const chain = parts.chains.get(chainId);
    return refuse(chain === undefined ? problem : withMeantPayment(problem, first, chain, parts.nowMs()));
  }
  const { amountOut } = derivation.kind === 'WITHHELD' ? derivation : derivation.derived;
  const floorRefusal = refuseFloor(parts, ask, amountOut);
  if (floorRefusal !== undefined) return refuse(floorRefusal);
  const record = await parts.store.record.position({ environment: scope.environment, chainId });
  const swap = record.moment.state === 'AT_HEAD' ? derivation : withheldBy(derivation);
  const made = newPlan(
    parts,
    { scope, actor },
    { ...ask, options: address.options, planId, fromBlock: address.proven?.fromBlock },
    swap,
    nowMs,
  );
  if (!made.ok) return made;
  const older = await hasOlderMoney(parts, scope, made.value);
  if (!older.ok) return older;
  const plan = older.value ? { ...made.value, hasOlderMoney: true as const } : made.value;
  const bodyFingerprint = fingerprintOf(parts, scope, request, ask.canonical);
  if (bodyFingerprint === undefined) throw new Error('A recipient that was read has a form.');
  const created = await parts.store.payments.createPlan(scope, {
    plan,
    actor,
    bodyFingerprint,
    recipient: ask.recipient,
    ...defined({ registeredRevision: checkedRevision(ask.corridor, ask.registered), proven: address.proven }),
  });
  if (created.ok && created.outcome === 'EXISTS') return replayed(parts, scope, request, created);
  if (created.ok) return done({ plan: created.plan, isReplayed: false });
  switch (created.reason) {
    case 'DEPOSIT_ADDRESS_IN_USE':
      return refuse(await refusedAddress(parts, scope, ask, address));
    case 'RECIPIENT_CHANGED':
      return created.reason;
    case 'REQUEST_IN_PROGRESS':
      return refuse(inProgress(ask.clientReference));
  }
}

/** While the record of its chain is behind, a new plan gets its price and no instructions. */
function withheldBy(
  derivation: Exclude<Derivation, { kind: 'PROBLEM' }>,
): Extract<Derivation, { kind: 'WITHHELD' }> {
  if (derivation.kind === 'WITHHELD') return derivation;
  const detail =
    'The service reads blocks of the chain that it has missed; it derives instructions once the deposit is there.';
  const { amountOut } = derivation.derived;
  return { kind: 'WITHHELD', withheld: { reason: 'CATCHING_UP', detail }, amountOut };
}

/** Undefined where the recipient of the request has no form that could be compared. A registered one counts by its id. */
function fingerprintOf(
  { store }: PaymentParts,
  { organisationId }: PlanScope,
  request: PaymentRequest,
  canonical: string | undefined,
): Buffer | undefined {
  const registeredId = registeredIdOf(request.recipient);
  const meant = registeredId === undefined ? canonical : canonicalRegistered(registeredId);
  if (meant === undefined) return undefined;
  return store.fingerprint('request', organisationId, canonicalRequest(request, meant));
}

/**
 * The plan that was made earlier with the reference. The request must be the same as the one that made the plan. The
 * request's recipient is read with the corridor that the plan has kept. So later rules and configurations make no difference.
 */
async function replayed(
  parts: PaymentParts,
  scope: PlanScope,
  request: PaymentRequest,
  known: FoundPlan,
): Promise<Outcome<MadePayment>> {
  const { clientReference, mode } = request;
  const { corridor } = known.plan;
  const types = recipientTypesOf(corridor, mode);
  const recipient = parts.corridors.readEarlierRecipient(corridor, types, request.recipient.plain);
  const given = fingerprintOf(parts, scope, request, recipient && canonicalRecipient(recipient));
  const isSame = given !== undefined && known.bodyFingerprint?.equals(given) === true;
  if (!isSame) {
    const name = JSON.stringify(clientReference);
    const detail =
      known.bodyFingerprint === undefined
        ? `clientReference ${name} made the plan ${known.plan.planId}, and whether by this request cannot be told any more; ` +
          'read the plan before you send this one under a reference of its own.'
        : `clientReference ${name} stands for another request already; send this one under a reference of its own.`;
    return referenceReused(detail);
  }
  return done({ plan: await carriedOn(parts, scope, known.plan), isReplayed: true });
}

function inProgress(clientReference: string): ProblemFacts {
  const detail = `A request with clientReference ${JSON.stringify(clientReference)} is still under way. Send it again in 1 s; the plan is then given.`;
  return tryLater('request-in-progress', detail, 1);
}

const CHANGED_TWICE: ProblemFacts = tryLater(
  'request-in-progress',
  'The registered recipient was changed more than once while the request ran, and no plan was made. Send it again in 1 s.',
  1,
);

function newPlan(
  parts: PaymentParts,
  { scope, actor }: Acting,
  ask: RegisteredAsk & { readonly planId: PlanId; readonly fromBlock: number | undefined },
  derivation: Exclude<Derivation, { kind: 'PROBLEM' }>,
  nowMs: number,
): Outcome<Plan> {
  const { corridor, clientReference, amountIn, mode, metadata, notices } = ask;
  const options = { ...ask.options, ...(mode === 'STANDARD' || notices === undefined ? {} : { notices }) };
  const fingerprint = parts.store
    .fingerprint('recipient', scope.organisationId, ask.canonical)
    .toString('base64url');
  const recipient = {
    ...maskRecipient(ask.recipient, fingerprint),
    ...defined({ registeredAs: ask.registered?.registeredAs }),
  };
  const head = parts.chains.get(corridor.source.chainId)?.follower.head();
  if (head === undefined) throw new Error('Instructions were derived at no block.');
  const request = { clientReference, amountIn, recipient, mode, options, metadata };
  // An e-mailed recipient has still to choose the account.
  const account = recipient.type === 'email' ? undefined : fingerprint;
  const created = createPlan(withDecimals(parts, corridor), request, {
    planId: ask.planId,
    stepIds: [newStepId(), newStepId(), newStepId()],
    endToEndId: parts.store.endToEndId({ ...scope, clientReference, attempt: 1, part: 1, account }),
    nowMs,
    lifeMs: parts.planLifeMs,
    // If another plan loses the deposit address to this one, it loses it from `fromBlock` on. This plan watches the
    // address from the same block, so that no block is left out.
    watchFromBlock: ask.fromBlock ?? Number(head.number) + 1,
    madeBy: actor,
    swap: derivation,
  });
  return created.ok ? done(created.plan) : refuse(corridorRefused(corridor, mode, created.refusal));
}

/** The corridor with the decimals of the token that is paid out, so that the plan can tell parts of a cent from whole ones. */
function withDecimals({ chains }: PaymentParts, corridor: Corridor): Corridor {
  const { chainId, token } = corridor.target;
  const decimals = chains.get(chainId)?.follower.tokens.get(toAddress(token))?.decimals;
  return { ...corridor, target: { ...corridor.target, ...defined({ decimals }) } };
}

function newStepId(): StepId {
  return `step_${randomUUIDv7().replaceAll('-', '')}` as StepId;
}
