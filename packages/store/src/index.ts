export type { Collect } from './collect/collect.ts';
export { type CollectFilter, type KeptRound, type ListedRounds, roundPlace } from './collect/requests.ts';
export type { ConfirmedSubmission } from './collect/confirmSubmission.ts';
export type { FoundLink, LinkMade, NewLink } from './collect/links.ts';
export type { MailOutcome, QueuedMail, ReadMail } from './collect/mails.ts';
export type { KeptSubmission, Submission, WaitingSubmission } from './collect/submissions.ts';
export type { CollectLinkState, Environment } from './database/schema.ts';
export type { Jobs, StoreWorkerOptions, TaskName } from './jobs.ts';
export type { EndToEndId } from './keys/endToEndIds.ts';
export type { PageStates } from './keys/pageStates.ts';
export type { PlanTag } from './keys/planTags.ts';
export type { Fingerprint, FingerprintPurpose } from './keys/fingerprints.ts';
export type { MailOrder } from './mail/queue.ts';
export { migrate } from './migrations/migrate.ts';
export {
  type OpenStoreOutcome,
  openStore,
  type Store,
  type StoreClock,
  type StoreOptions,
} from './openStore.ts';
export type { PublishedEventsOfPlan } from './payments/changeParts.ts';
export type { ChangedPlan } from './payments/changePlan.ts';
export { type AskedCommand, nextPayment } from './payments/paymentIds.ts';
export type { CommandContext } from './plans/commandContext.ts';
export type { CreatedPlan, FoundPlan, PlanCreation } from './payments/createPlan.ts';
export type { Payments } from './payments/payments.ts';
export type { Resealed } from './payments/reseal.ts';
export type { EntryFacts, PaidAccount } from './reports/accountEntries.ts';
export type { NewReport, ReportEnd, PublishedEventsOfReport } from './reports/changeReport.ts';
export type * from './reports/report.ts';
export type { ExecutedQuote, PeriodExecution } from './reports/executionsOfPeriod.ts';
export type { PlannedAsset, PlanSum, PeriodPlan } from './reports/plansOfPeriod.ts';
export type { PeriodEntry } from './reports/entriesOfPeriod.ts';
export type { PeriodMovement } from './reports/movementsOfPeriod.ts';
export type { Reports } from './reports/reports.ts';
export type { AskedChange, ChangedRecipient } from './recipients/changeRegistered.ts';
export type {
  CreatedRecipient,
  ReferredRecipient,
  RegisteredCreation,
} from './recipients/createRegistered.ts';
export type { ErasedRecipient, Erasure, ErasureOrder } from './recipients/eraseRegistered.ts';
export type { KeptVersion, RegisteredFilter, RegisteredPage } from './recipients/listRegistered.ts';
export type { ReadRegistered } from './recipients/readRegistered.ts';
export type { RegisteredRecipients } from './recipients/registeredRecipients.ts';
export type { PublishedEventsOfRecipient } from './recipients/registeredParts.ts';
export type { KeptRecipient } from './recipients/registeredRows.ts';
export type { DetailsField, UnreadableRecipient } from './payments/recipients.ts';
export type { ClaimedTransfer, UsedReference } from './payments/claims/refusals.ts';
export type { LedgerAudit, LedgerFault, LedgerFindings, LeftMoney } from './operator/auditLedger.ts';
export type { StrayTransfer, StrayTransfers } from './operator/strayTransfers.ts';
export type { Figures } from './operator/figures.ts';
export type { OpenPlan, OpenPlans, OwnedPlan, PendingWork } from './operator/openPlans.ts';
export type { Operator } from './operator/operator.ts';
export { type ListedPlans, type PlanFilter, type PlanPage, planPlace } from './payments/listPlans.ts';
export type { HistoryPage } from './payments/planHistory.ts';
export type { ChainWait } from './jobs/chainWait.ts';
export { SOUND_CLOCK } from './jobs/planJob.ts';
export type { WorkOutcome } from './jobs/planTask.ts';
export type { PlanScope, ScopedPlanId } from './plans/planScope.ts';
export type { Renewed, SeenHead } from './record/lease.ts';
export { type LookBack, MOST_UNKNOWN_SWAPS } from './record/lookBack.ts';
export type { RecordRequest } from './record/requests.ts';
export type { PlanView, ViewAsk } from './record/view.ts';
export type { Advanced, ReadAnswers, ReadPlace, RecordedBlocks, ReadTransfer } from './record/advance.ts';
export type { RecordStore } from './record/record.ts';
export type {
  ChainKey,
  ChainMoment,
  Lease,
  RecordedBlock,
  RecordPosition,
  TakenLease,
  WatchedAddressOf,
  WatchedContracts,
  WatchedCursor,
} from './record/types.ts';
export type { AskedAllocation, EntryDecision, EntryRefusal } from './reconciliation/changeEntry.ts';
export { maskOf } from './reconciliation/entryRows.ts';
export type { ImportedStatement } from './reconciliation/importStatement.ts';
export type { EntryAsk, ShownEntry } from './reconciliation/listEntries.ts';
export { MOST_MAPS } from './reconciliation/maps.ts';
export type { FoundMovement } from './reconciliation/movements.ts';
export type * from './reconciliation/statement.ts';
export type { Statements } from './reconciliation/statements.ts';
