export { accountEntryOf } from './book/accountEntry.ts';
export { acknowledgementOf } from './book/acknowledgement.ts';
export { type Amount, amountOf, isLess, sumOf, unitsOf, ZERO } from './terms/amount.ts';
export { convertedAt, type Rate, rateOf } from './terms/rate.ts';
export { payoutDeadlineMs } from './payout/deadline.ts';
export { isPaymentKnown, isRepetitionKnown, takesRepeatedPayment } from './payout/repeatedPayment.ts';
export { attemptIdOf, attemptPosition } from './terms/attemptId.ts';
export {
  canAskForLink,
  isLinkLive,
  nextLinkVersion,
  owedLink,
} from './collect/rules.ts';
export { awaitedRefunds, type FoundRefund, refundsAgain } from './book/lostRefunds.ts';
export { awaitedBlock, pendingOf } from './ending/chainAwaited.ts';
export { isSettled } from './ending/closing.ts';
export {
  type Conversion,
  conversionOf,
  type Corridor,
  type CorridorRefusal,
  recipientTypesOf,
  refuseByCorridor,
} from './terms/corridor.ts';
export { minorDecimalsOf } from './terms/currencies.ts';
export { createPlan, type PlanMaking, type PlanRequest } from './plan/createPlan.ts';
export { type Decision, decide } from './decide.ts';
export {
  evolve,
  type PlanEvent,
  planCreated,
  planOf,
  type RecordedEvent,
} from './evolve.ts';
export type { Change } from './plan/changes.ts';
export {
  type Deduction,
  exactAmounts,
  type PayoutTerms,
  returnedUnits,
  type ReportedReturn,
} from './book/discharge.ts';
export { minorUnitIn } from './book/payoutUnits.ts';
export { roundingNote } from './payout/rounding.ts';
export { dustBelow, isDust } from './plan/dust.ts';
export { isFailure, pendingPayoutsOf } from './payout/pendingPayouts.ts';
export { payableNow } from './payout/payableNow.ts';
export { depositsAfterSwap } from './book/sentBack.ts';
export {
  amountToPayOf,
  hasPaidOut,
  paidAmountOf,
  type Payout,
  payoutOf,
  paymentsWith,
} from './book/payout.ts';
export { type Effect, effectsOf, type LinkEnd } from './effects.ts';
export { depositOf } from './book/deposit.ts';
export { payableOf, type Unallocated } from './book/equations.ts';
export { evidenceWith, unbookedEvidence } from './book/evidence.ts';
export { type AssetFunds, directionOf, fundsOf, imbalanceOf } from './book/funds.ts';
export {
  fateOf,
  type PendingTransaction,
  type TransactionSight,
  pendingTransactionsOf,
} from './swap/pendingTransactions.ts';
export { movementIdOf, standingMovements } from './book/ledger.ts';
export type * from './plan/movement.ts';
export type { PlanCommand, PlanCommandType, Refusal } from './plan/commands.ts';
export {
  collectStep,
  depositStep,
  dueStep,
  evidenceOf,
  stepOf,
  swapStep,
} from './plan/steps.ts';
export { type Asset, assetsOf, isSameAsset, type Kept, type Money } from './terms/money.ts';
export {
  NEXT,
  type Next,
  type NextBy,
  type NextDo,
  type NextOption,
  type NextWhy,
} from './next/codes.ts';
export { type PublishedChange, publishedChangesOf } from './publishedChanges.ts';
export {
  type CollectRequest,
  collectRequestIdOf,
  collectRequestNamed,
  collectRequestsOf,
  type CollectStatus,
  collectStatusOf,
  type NamedRound,
} from './collect/requests.ts';
export { namedHash } from './terms/namedHash.ts';
export { isNative, NATIVE_CURRENCY } from './ending/nativeRules.ts';
export { nextOf } from './next/next.ts';
export { leastPlanId, planIdAt } from './terms/planId.ts';
export { MOST_FORGOTTEN } from './swap/executionRules.ts';
export { lostPartsOf } from './payout/lostParts.ts';
export { type FateProof, fateProofs } from './swap/lostFates.ts';
export { confirmingOthers } from './book/finalExecutions.ts';
export {
  holdsAddress,
  isCancelable,
  isOver,
  isUnfunded,
  OVER_STATUSES,
  planStatus,
} from './next/planStatus.ts';
export {
  canonicalRecipient,
  type MaskedRecipient,
  maskRecipient,
  type PlannedRecipient,
  type Recipient,
  type RecipientType,
} from './terms/recipient.ts';
export { endToEndIdOf, lastStep, payingState, paymentAttempt } from './book/payoutTurn.ts';
export { noticeTruth } from './collect/notices.ts';
export {
  type FoundExecution,
  type FoundPayout,
  commandsFromRecord,
  type RecordView,
} from './commandsFromRecord.ts';
export { expectedPayout } from './evidence/expectedPayout.ts';
export { judgeRefund } from './evidence/refundJudgement.ts';
export type * from './terms/scalars.ts';
export {
  judgePayout,
  paidWallet,
  type PaidWallet,
  paysWallet,
} from './evidence/payoutJudgement.ts';
export { pendingRefundOf } from './ending/pendingRefund.ts';
export { isTransferOnly, NO_DEADLINE_MS } from './plan/transferOnly.ts';
export {
  type ForgottenExecution,
  type ForgottenRules,
  isUntraced,
  judgeForgotten,
  leastForgotten,
} from './evidence/forgottenExecution.ts';
export { judgeReportedDeposit } from './evidence/reportedDeposit.ts';
export {
  judgeDeposit,
  judgeRevertedSwap,
  judgeSwap,
  needsCalls,
  submittedPosition,
} from './evidence/settlement.ts';
export { isSamePlace } from './plan/transferPlaces.ts';
export {
  movesMoney,
  type SignedFacts,
  type TransactionFacts,
} from './plan/transactionFacts.ts';
export { needsApproval } from './plan/approvalRules.ts';
export { providerReferencesOf, referenceKey } from './plan/providerReferences.ts';
export { executableAttempt, openAttempt } from './swap/rules.ts';
export type * from './plan/types.ts';
export { PLAIN_WORDS, type Words } from './terms/words.ts';
export { type WatchedAddress } from './ending/watchedAddresses.ts';
export { swapTransactions, type Work, workOf } from './next/work.ts';
