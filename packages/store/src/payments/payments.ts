import type { Plan, PlanEvent, RecordedEvent, Recipient } from '@fairway/plan';
import { attempt, type Unavailable } from '@fairway/postgres';
import type { Environment } from '../database/schema.ts';
import type { Database } from '../database/database.ts';
import type { Sealing } from '../keys/sealing.ts';
import { type ChangedPlan, changePlan, type Deed } from './changePlan.ts';
import { createPlan, type CreatedPlan, findByReference, type PlanCreation } from './createPlan.ts';
import { type ListedPlans, listPlans, type PlanFilter, type PlanPage } from '../plans/listPlans.ts';
import { loadPlan } from '../plans/loadPlans.ts';
import { history, type HistoryPage } from '../plans/planHistory.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { type DetailsField, readRecipient, revealRecipient, type UnreadableRecipient } from './recipients.ts';
import { resealRecipients } from './reseal.ts';
import {
  type FoundPlans,
  plansWithEvidence,
  type ScopedPlanId,
  type WatchedPlan,
  watchedPlans,
} from '../plans/watchedPlans.ts';

/**
 * Operations on payment plans. Each can also answer that the database is unavailable. A scope sees its own plans
 * alone: a foreign id is answered like one that does not exist.
 */
export type Payments = {
  /** The plan that the reference was used for, with the fingerprint of the request that made it. */
  findByReference(
    scope: PlanScope,
    clientReference: string,
  ): Promise<{ ok: true; found: { plan: Plan; bodyFingerprint: Buffer } | undefined } | Unavailable>;
  /** Keeps a new plan, once per reference for ever. Throws when there is no key to seal the recipient with. */
  createPlan(scope: PlanScope, creation: PlanCreation): Promise<CreatedPlan | Unavailable>;
  /** The plan as it stands. */
  loadPlan(scope: PlanScope, planId: string): Promise<{ ok: true; plan: Plan | undefined } | Unavailable>;
  /** Plans that match the filter, newest first; `after` continues behind the plan of this id. */
  listPlans(scope: PlanScope, filter: PlanFilter, page: PlanPage): Promise<ListedPlans | Unavailable>;
  /** What happened to a plan, oldest first; `next` is the revision to continue after. */
  history(
    scope: PlanScope,
    planId: string,
    page: HistoryPage,
  ): Promise<
    { ok: true; found: { events: RecordedEvent[]; next: number | undefined } | undefined } | Unavailable
  >;
  /** Lets an event happen to a plan. */
  changePlan(
    scope: PlanScope,
    planId: string,
    event: PlanEvent,
    deed: Deed,
  ): Promise<ChangedPlan | Unavailable>;
  /**
   * The full details of who is to be paid: the destination once one was chosen, the recipient before. That they were
   * shown, and to whom, is in the history before they are answered.
   */
  revealRecipient(
    scope: PlanScope,
    planId: string,
    deed: Deed,
  ): Promise<
    | { ok: true; recipient: Recipient; plan: Plan }
    | { ok: false; reason: 'PLAN_UNKNOWN' }
    | UnreadableRecipient
    | Unavailable
  >;
  /** Details for the service's own use, without a record. */
  readRecipient(
    scope: PlanScope,
    planId: string,
    field?: DetailsField,
  ): Promise<{ ok: true; recipient: Recipient | undefined } | UnreadableRecipient | Unavailable>;
  /**
   * Plans of everybody whose deposit address is to be watched on a chain: open ones whose swap is not final, and
   * those that ended within 30 days, for money that comes late, unless an open plan has the address now.
   */
  watchedPlans(environment: Environment, chainId: number): Promise<FoundPlans<WatchedPlan> | Unavailable>;
  /**
   * Plans of everybody that rest on transactions a reorganisation could move: evidence in this block or later,
   * evidence that is confirming, and swaps with a transaction that was taken back, in whatever block.
   */
  plansWithEvidence(
    environment: Environment,
    chainId: number,
    sinceBlockNumber: number,
  ): Promise<FoundPlans<ScopedPlanId> | Unavailable>;
  /**
   * Seals everything with the first key that is not: recipients, destinations, submissions and e-mails. In batches, so
   * that it can run beside the service, be interrupted and be repeated; `unreadable` ones are left as they are. Throws
   * without a key.
   */
  resealRecipients(
    onProgress: (done: number) => void,
  ): Promise<{ ok: true; resealed: number; unreadable: number } | Unavailable>;
};

/** Binds the operations to a database, the keys that recipients are sealed with, and the service's clock. */
export function createPayments(database: Database, sealing: Sealing, now: () => Date): Payments {
  return {
    findByReference: (scope, clientReference) => findByReference(database, scope, clientReference),
    createPlan: (scope, creation) => createPlan(database, sealing, now, scope, creation),
    loadPlan: (scope, planId) =>
      attempt(async () => ({ ok: true, plan: await loadPlan(database, scope, planId) })),
    listPlans: (scope, filter, page) => listPlans(database, scope, filter, page),
    history: (scope, planId, page) => history(database, scope, planId, page),
    changePlan: (scope, planId, event, deed) => changePlan(database, now, scope, planId, event, deed),
    revealRecipient: (scope, planId, deed) => revealRecipient(database, sealing, now, scope, planId, deed),
    readRecipient: (scope, planId, field = 'recipient') =>
      readRecipient(database, sealing, scope, planId, field),
    watchedPlans: (environment, chainId) => watchedPlans(database, now(), environment, chainId),
    plansWithEvidence: (environment, chainId, since) =>
      plansWithEvidence(database, environment, chainId, since),
    resealRecipients: (onProgress) => resealRecipients(database, sealing, onProgress),
  };
}
