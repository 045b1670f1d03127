import type { Plan, RecordedEvent, Recipient } from '@fairway/plan';

import type { Database } from '../database/database.ts';
import type { Fingerprints } from '../keys/fingerprints.ts';
import type { Sealing } from '@fairway/keys';
import type { ChangeParts } from './changeParts.ts';
import { type ChangedPlan, changePlan, type RevisionMismatch } from './changePlan.ts';
import type { AskedCommand } from './paymentIds.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import {
  createPlan,
  type CreatedPlan,
  findByReference,
  type FoundPlan,
  type PlanCreation,
} from './createPlan.ts';
import { type ListedPlans, listPlans, type PlanFilter, type PlanPage } from './listPlans.ts';
import { countWaiting } from './countWaiting.ts';
import { type AddressHolder, addressHolder, isProvenElsewhere } from '../plans/addressHolder.ts';
import { loadPlan } from '../plans/loadPlans.ts';
import { type NamedTransfers, settledByOthers } from './claims/references.ts';
import { isMaybeOfOthers, isPaidByOthers, isToldBefore, type ToldTransaction } from './paidWallets.ts';
import type { Owners, SentToWallet } from './pendingRefunds.ts';
import { history, type HistoryPage } from './planHistory.ts';
import { type ListedMovements, type MovementsPage, planMovements } from './planMovements.ts';
import type { PlanScope } from '../plans/planScope.ts';
import {
  type DetailsField,
  keepDetails,
  readRecipient,
  revealRecipient,
  type UnreadableRecipient,
} from './recipients.ts';
import { noteUse } from '../recipients/useRegistered.ts';
import { reseal, type Resealed } from './reseal.ts';

/**
 * Operations on payment plans. A scope sees its own plans alone: an id of another scope is answered like an id that
 * does not exist.
 */
export type Payments = {
  /** The plan that the reference was used for, with the fingerprint of the request that made the plan. */
  findByReference(scope: PlanScope, clientReference: string): Promise<{ found: FoundPlan | undefined }>;
  /** Keeps a new plan. A reference can be used only once. Throws when there is no key to seal the recipient with. */
  createPlan(scope: PlanScope, creation: PlanCreation): Promise<CreatedPlan>;
  /** The plan as it is recorded. */
  loadPlan(scope: PlanScope, planId: string): Promise<{ plan: Plan | undefined }>;
  /** Plans that match the filter, newest first, in pages. */
  listPlans(scope: PlanScope, filter: PlanFilter, page: PlanPage): Promise<ListedPlans>;
  /** What happened to a plan, oldest first; `next` is the `afterRevision` of the next page. */
  history(
    scope: PlanScope,
    planId: string,
    page: HistoryPage,
  ): Promise<{ found: { events: RecordedEvent[]; next: number | undefined } | undefined }>;
  /** The movements of a plan, oldest first. */
  movements(
    scope: PlanScope,
    planId: string,
    page: MovementsPage,
  ): Promise<{ found: ListedMovements | undefined }>;
  /** Lets an event happen to a plan. */
  changePlan(
    scope: PlanScope,
    planId: string,
    command: AskedCommand,
    context: CommandContext,
  ): Promise<ChangedPlan>;
  /**
   * Makes the plan pay another account. Its details take the place of the sealed details of the recipient before.
   * `registeredRevision`: the revision that the registered recipient must still have; absent: the version in the
   * event is enough.
   */
  replaceRecipient(
    scope: PlanScope,
    planId: string,
    command: Extract<AskedCommand, { type: 'RECIPIENT_REPLACED' }>,
    recipient: Recipient,
    context: CommandContext & Pick<PlanCreation, 'registeredRevision'>,
  ): Promise<ChangedPlan>;
  /**
   * The open plan, of any organisation, that has this account as its deposit address. `chainId`: the chain of the
   * deposit.
   */
  addressHolder(
    scope: PlanScope,
    chainId: number,
    account: string,
  ): Promise<{ holder: AddressHolder | undefined }>;
  /** How many plans of an organisation wait for their first money; `most` where there are more. */
  countWaiting(scope: PlanScope, most: number): Promise<{ count: number }>;
  /**
   * Whether the account has signed the swap of another organisation's plan. It is the deposit address of that plan,
   * which is still watched.
   */
  isProvenElsewhere(scope: PlanScope, chainId: number, account: string): Promise<{ isProven: boolean }>;
  /** Whether other open plans, of any organisation, pay this wallet. `chainId`: the chain of the payout. */
  isPaidByOthers(
    scope: PlanScope,
    planId: string,
    chainId: number,
    wallet: string,
  ): Promise<{ isPaid: boolean }>;
  /** Which transfers of a transaction settle another plan: a payout of any organisation, or a refund of this one. */
  settledByOthers(
    scope: PlanScope,
    planId: string,
    transfers: NamedTransfers,
  ): Promise<{ readonly settled: readonly number[] }>;
  /** Whether what the custodian has sent to a wallet may be the payout of another plan, or a refund. */
  isMaybeOfOthers(
    scope: PlanScope,
    planId: string,
    sent: SentToWallet,
    owners: Owners,
  ): Promise<{ isMaybe: boolean }>;
  /** Whether another plan was told a transaction to a wallet first, still waits for it, and is due just what it pays. */
  isToldBefore(
    scope: PlanScope,
    planId: string,
    sent: SentToWallet,
    told: ToldTransaction,
  ): Promise<{ isTold: boolean }>;
  /**
   * The full details of who is to be paid: the destination once it was chosen, and before that the recipient. The
   * history records who asked for them, before the answer is sent.
   */
  revealRecipient(
    scope: PlanScope,
    planId: string,
    context: CommandContext,
  ): Promise<
    | { ok: true; recipient: Recipient; plan: Plan }
    | { ok: false; reason: 'PLAN_UNKNOWN' | 'DETAILS_ERASED' }
    | RevisionMismatch
    | UnreadableRecipient
  >;
  /** Details for the service's own use, without a record in the history. */
  readRecipient(
    scope: PlanScope,
    planId: string,
    field?: DetailsField,
  ): Promise<{ ok: true; recipient: Recipient | undefined } | UnreadableRecipient>;
  /**
   * Seals recipients, destinations, submissions and e-mails with the first key if another key sealed them, and wraps the
   * key of the fingerprints with it. It works in batches, can run beside the service, and can be interrupted and repeated.
   * `onProgress` is told how many records are sealed so far. `unreadable` records are left as they are. Throws without a
   * key.
   */
  reseal(onProgress: (resealed: number) => void): Promise<Resealed>;
};

/** Binds the operations to a database, the sealing keys, the fingerprints' keys, and what every change works with. */
export function createPayments(
  database: Database,
  sealing: Sealing,
  fingerprints: Fingerprints,
  parts: ChangeParts,
): Payments {
  return {
    findByReference: (scope, clientReference) =>
      findByReference(database, fingerprints, scope, clientReference),
    createPlan: (scope, creation) =>
      createPlan({ database, sealing, fingerprints, ...parts }, scope, creation),
    loadPlan: async (scope, planId) => ({ plan: await loadPlan(database, scope, planId) }),
    listPlans: (scope, filter, page) => listPlans(database, scope, filter, page),
    history: (scope, planId, page) => history(database, scope, planId, page),
    movements: (scope, planId, page) => planMovements(database, scope, planId, page),
    changePlan: (scope, planId, command, context) =>
      changePlan(database, parts, scope, planId, command, context),
    replaceRecipient: (scope, planId, command, recipient, context) =>
      changePlan(database, parts, scope, planId, command, context, async (transaction) => {
        await keepDetails(transaction, sealing, scope, planId, 'recipient', recipient);
        const { registeredAs } = command.recipient;
        if (registeredAs !== undefined)
          await noteUse(transaction, scope, registeredAs, context.registeredRevision, context.atMs);
      }),
    addressHolder: (scope, chainId, account) => addressHolder(database, scope, chainId, account),
    countWaiting: (scope, most) => countWaiting(database, scope, most),
    isProvenElsewhere: (scope, chainId, account) => isProvenElsewhere(database, scope, chainId, account),
    isPaidByOthers: (scope, planId, chainId, wallet) =>
      isPaidByOthers(database, scope, planId, chainId, wallet),
    settledByOthers: (scope, planId, transfers) => settledByOthers(database, scope, planId, transfers),
    isMaybeOfOthers: (scope, planId, sent, owners) => isMaybeOfOthers(database, scope, planId, sent, owners),
    isToldBefore: (scope, planId, sent, told) => isToldBefore(database, scope, planId, sent, told),
    revealRecipient: (scope, planId, context) =>
      revealRecipient(database, sealing, parts, scope, planId, context),
    readRecipient: (scope, planId, field = 'recipient') =>
      readRecipient(database, sealing, scope, planId, field),
    reseal: (onProgress) => reseal(database, sealing, onProgress),
  };
}
