import type { Migration } from 'kysely/migration';
import { credentials } from './0001Credentials.ts';
import { payments } from './0002Payments.ts';
import { collect } from './0003Collect.ts';
import { notices } from './0004Notices.ts';
import { lostEvidence } from './0005LostEvidence.ts';
import { settlementRoles } from './0006SettlementRoles.ts';
import { keys } from './0007Keys.ts';
import { evidenceTrust } from './0008EvidenceTrust.ts';
import { chainRecord } from './0009ChainRecord.ts';
import { planLists } from './0010PlanLists.ts';
import { ledger } from './0011Ledger.ts';
import { ends } from './0012Ends.ts';
import { planTags } from './0013PlanTags.ts';
import { openPlans } from './0014OpenPlans.ts';
import { recipientKeys } from './0015RecipientKeys.ts';
import { payers } from './0016Payers.ts';
import { events } from './0017Events.ts';
import { updatedPlans } from './0018UpdatedPlans.ts';
import { savedRecipients } from './0019SavedRecipients.ts';
import { collectRequests } from './0020CollectRequests.ts';
import { webhooks } from './0021Webhooks.ts';
import { reports } from './0022Reports.ts';
import { approvals } from './0023Approvals.ts';
import { paymentApproval } from './0025PaymentApproval.ts';
import { erasure } from './0026Erasure.ts';
import { reconciliation } from './0027Reconciliation.ts';
import { holds } from './0029Holds.ts';
import { askedRecipients } from './0030AskedRecipients.ts';
import { statementReadings } from './0032StatementReadings.ts';
import { executionFacts } from './0033ExecutionFacts.ts';
import { reportReconciliation } from './0034ReportReconciliation.ts';
import { resendsAndPaidRecipients } from './0035ResendsAndPaidRecipients.ts';
import { provenAddresses } from './0036ProvenAddresses.ts';

/** Every migration, in the order of its name. A released migration is never changed. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-credentials': credentials,
  '0002-payments': payments,
  '0003-collect': collect,
  '0004-notices': notices,
  '0005-lost-evidence': lostEvidence,
  '0006-settlement-roles': settlementRoles,
  '0007-keys': keys,
  '0008-evidence-trust': evidenceTrust,
  '0009-chain-record': chainRecord,
  '0010-plan-lists': planLists,
  '0011-ledger': ledger,
  '0012-ends': ends,
  '0013-plan-tags': planTags,
  '0014-open-plans': openPlans,
  '0015-recipient-keys': recipientKeys,
  '0016-payers': payers,
  '0017-events': events,
  '0018-updated-plans': updatedPlans,
  '0019-saved-recipients': savedRecipients,
  '0020-collect-requests': collectRequests,
  '0021-webhooks': webhooks,
  '0022-reports': reports,
  '0023-approvals': approvals,
  '0025-payment-approval': paymentApproval,
  '0026-erasure': erasure,
  '0027-reconciliation': reconciliation,
  '0029-holds': holds,
  '0030-asked-recipients': askedRecipients,
  '0032-statement-readings': statementReadings,
  '0033-execution-facts': executionFacts,
  '0034-report-reconciliation': reportReconciliation,
  '0035-resends-and-paid-recipients': resendsAndPaidRecipients,
  '0036-proven-addresses': provenAddresses,
};
