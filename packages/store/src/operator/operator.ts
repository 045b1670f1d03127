import type { Database } from '../database/database.ts';
import type { ChangeParts } from '../payments/changeParts.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { PublishedEventsOfReport } from '../reports/changeReport.ts';
import type { PublishedEventsOfRecipient } from '../recipients/registeredParts.ts';
import type { PublishedEventsOfStatement } from '../reconciliation/statement.ts';
import type { PublishedEventsOfEndpoint } from '@fairway/outbox';
import { type ErasedPage, erasedRecipients } from './erasedRecipients.ts';
import { type Figures, figures, openPlansByChain } from './figures.ts';
import {
  type DuePart,
  type DuePlans,
  duePlans,
  findPlan,
  type OpenPlanPage,
  type OpenPlans,
  openPlans,
  type OwnedPlan,
  type PendingWork,
  pendingWork,
} from './openPlans.ts';
import { recordsWithoutKey } from './recordsWithoutKey.ts';
import { recover, type Recovered } from './recover.ts';
import {
  republish,
  republishEndpoints,
  republishEntries,
  type RepublishPart,
  republishRecipients,
  republishReports,
  type Republished,
} from './republish.ts';

/** What the operator sees of all organisations. */
export type Operator = {
  /**
   * Open plans. A plan is stuck when it waits for a person or is overdue. Overdue: its time has passed, or the
   * service has not carried it on for an hour.
   */
  openPlans(page: OpenPlanPage): Promise<OpenPlans>;
  /** A part of the plans that have a payout or a delivery to make, or to try again. */
  duePlans(part: DuePart): Promise<DuePlans>;
  /** The plan of an id, of any organisation. */
  findPlan(planId: string): Promise<{ found: OwnedPlan | undefined }>;
  /** The jobs that a plan has, and the blocks that it waits for. */
  pendingWork(scope: PlanScope, planId: string): Promise<{ pending: PendingWork }>;
  /** Marks that a backup of this time was put back. */
  recover(sinceMs: number): Promise<Recovered>;
  /** Publishes again the state of a part of the plans that are open or have changed since a time. */
  republish(part: RepublishPart): Promise<Republished>;
  /**
   * Publishes again the state of a part of the registered recipients that are ACTIVE, wait for approval or have changed
   * since a time.
   */
  republishRecipients(part: RepublishPart): Promise<Republished>;
  /** Publishes again the state of a part of the webhook endpoints. */
  republishEndpoints(part: RepublishPart): Promise<Republished>;
  /**
   * Publishes again a part of the statement entries that are not wholly matched or ignored, or have changed since a
   * time.
   */
  republishEntries(part: RepublishPart): Promise<Republished>;
  /** Publishes again the state of a part of the reports that are PENDING or have changed since a time. */
  republishReports(part: RepublishPart): Promise<Republished>;
  /** A part of the recipients that are ERASED, of all organisations: those after an id, at most `limit`. */
  erasedRecipients(part: {
    readonly limit: number;
    readonly after?: string | undefined;
  }): Promise<ErasedPage>;
  /** Counts of an environment: its open plans and e-mails by state, the jobs that are due, what waits for webhook endpoints. */
  figures(environment: PlanScope['environment']): Promise<{ figures: Figures }>;
  /** How many open plans of an environment each chain has. */
  openPlansByChain(environment: PlanScope['environment']): Promise<{ counts: ReadonlyMap<number, number> }>;
  /** How many records are sealed by each key that is none of these. */
  recordsWithoutKey(keyIds: readonly string[]): Promise<{ counts: ReadonlyMap<string, number> }>;
};

/** Binds the operations to a database, and to what every change of a plan works with. */
export function createOperator(
  database: Database,
  change: ChangeParts & {
    readonly publishedEventsOfRecipient: PublishedEventsOfRecipient;
    readonly publishedEventsOfEndpoint: PublishedEventsOfEndpoint;
    readonly publishedEventsOfStatement: PublishedEventsOfStatement;
    readonly publishedEventsOfReport: PublishedEventsOfReport;
  },
): Operator {
  return {
    openPlans: (page) => openPlans(database, page),
    duePlans: (part) => duePlans(database, part),
    findPlan: async (planId) => ({ found: await findPlan(database, planId) }),
    pendingWork: async (scope, planId) => ({ pending: await pendingWork(database, scope, planId) }),
    recover: (sinceMs) => recover(database, sinceMs),
    republish: (part) => republish(database, change, part),
    republishRecipients: (part) => republishRecipients(database, change, part),
    republishEndpoints: (part) => republishEndpoints(database, change, part),
    republishEntries: (part) => republishEntries(database, change, part),
    republishReports: (part) => republishReports(database, change, part),
    erasedRecipients: (part) => erasedRecipients(database, part),
    figures: async (environment) => ({
      figures: await figures(database, environment, change.now().getTime()),
    }),
    openPlansByChain: async (environment) => ({
      counts: await openPlansByChain(database, environment),
    }),
    recordsWithoutKey: async (keyIds) => ({ counts: await recordsWithoutKey(database, keyIds) }),
  };
}
