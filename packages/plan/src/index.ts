export { accountEntryOf } from './book/accountEntry.ts';
export { acknowledgementOf } from './book/acknowledgement.ts';
export { type Amount, amountOf, isLess, sumOf, unitsOf, ZERO } from './terms/amount.ts';
export { convertedAt, type Rate, rateOf } from './terms/rate.ts';
export {
  type Conversion,
  conversionOf,
  type Corridor,
  type CorridorRefusal,
  dustBelow,
  isDust,
  isTransferOnly,
  minorUnitIn,
  NO_DEADLINE_MS,
  payoutDeadlineMs,
  recipientTypesOf,
  refuseByCorridor,
} from './terms/corridor.ts';
export { isPaymentKnown, isRepetitionKnown, takesRepeatedPayment } from './payout/repeatedPayment.ts';
export {
  attemptIdOf,
  attemptPosition,
  collectRequestIdOf,
  collectRequestNamed,
  leastPlanId,
  movementIdOf,
  type NamedRound,
  planIdAt,
} from './terms/ids.ts';
export { canAskForLink, isLinkLive, nextLinkVersion, owedLink } from './collect/rules.ts';
export { awaitedRefunds } from './deposit/lostTransactions.ts';
export { type FoundRefund, judgeRefund, refundsAgain } from './evidence/refundJudgement.ts';
export { awaitedBlock, pendingOf } from './ending/chainAwaited.ts';
export { isSettled } from './ending/closing.ts';
export { minorDecimalsOf } from './terms/currencies.ts';
export { createPlan, type PlanMaking, type PlanRequest } from './plan/createPlan.ts';
export { decide, type Decision } from './decide.ts';
export { type Change, evolve, planCreated, type PlanEvent, planOf, type RecordedEvent } from './evolve.ts';
export {
  type Deduction,
  exactAmounts,
  type PayoutTerms,
  type ReportedReturn,
  returnedUnits,
} from './book/discharge.ts';
export { roundingNote } from './payout/rounding.ts';
export { payableNow, pendingPayoutsOf } from './payout/pendingPayouts.ts';
export { depositsAfterSwap } from './deposit/sentBack.ts';
export {
  amountToPayOf,
  hasPaidOut,
  paidAmountOf,
  paymentsWith,
  type Payout,
  payoutOf,
} from './book/payout.ts';
export { type Effect, effectsOf, type LinkEnd } from './effects.ts';
export { depositOf } from './book/deposit.ts';
export { payableOf, type Unallocated } from './book/equations.ts';
export { evidenceWith, standingMovements, unbookedEvidence } from './book/ledger.ts';
export { type AssetFunds, directionOf, fundsOf, imbalanceOf } from './book/funds.ts';
export {
  fateOf,
  type FateProof,
  fateProofs,
  type PendingTransaction,
  pendingTransactionsOf,
  type TransactionSight,
} from './swap/pendingTransactions.ts';
export type * from './plan/movement.ts';
export { isFailure, type PlanCommand, type PlanCommandType, type Refusal } from './plan/commands.ts';
export {
  collectStep,
  depositStep,
  dueStep,
  evidenceOf,
  lastStep,
  payingState,
  stepOf,
  swapStep,
} from './plan/steps.ts';
export { type Asset, assetsOf, isSameAsset, type Kept, type Money } from './terms/money.ts';
export { NEXT, type Next, type NextBy, type NextDo, type NextOption, type NextWhy } from './next/codes.ts';
export { type PublishedChange, publishedChangesOf } from './publishedChanges.ts';
export {
  type CollectRequest,
  collectRequestsOf,
  type CollectStatus,
  collectStatusOf,
} from './collect/requests.ts';
export { namedHash, providerReferencesOf, referenceKey } from './plan/providerReferences.ts';
export { isNative, NATIVE_CURRENCY } from './ending/nativeRules.ts';
export {
  holdsAddress,
  isCancelable,
  isOver,
  isUnfunded,
  nextOf,
  OVER_STATUSES,
  planStatus,
} from './next/next.ts';
export { MOST_FORGOTTEN } from './swap/executionRules.ts';
export { lostPartsOf } from './payout/lostParts.ts';
export { confirmingOthers } from './book/swap.ts';
export {
  canonicalRecipient,
  type MaskedRecipient,
  maskRecipient,
  type Recipient,
  type RecipientType,
} from '@fairway/recipients';
export { endToEndIdOf, paymentAttempt } from './book/payoutTurn.ts';
export { noticeTruth } from './collect/notices.ts';
export {
  commandsFromRecord,
  type FoundExecution,
  type FoundPayout,
  type RecordView,
} from './commandsFromRecord.ts';
export {
  expectedPayout,
  judgePayout,
  paidWallet,
  type PaidWallet,
  paysWallet,
} from './evidence/payoutJudgement.ts';
export type * from './terms/scalars.ts';
export { pendingRefundOf } from './ending/refundRules.ts';
export {
  type ForgottenExecution,
  type ForgottenRules,
  isUntraced,
  judgeForgotten,
  leastForgotten,
} from './evidence/forgottenExecution.ts';
export { judgeDeposit, judgeReportedDeposit } from './evidence/reportedDeposit.ts';
export { judgeRevertedSwap, judgeSwap, needsCalls, submittedPosition } from './evidence/settlement.ts';
export { isSamePlace } from './plan/transferPlaces.ts';
export { movesMoney, type SignedFacts, type TransactionFacts } from './evidence/transactionFacts.ts';
export { needsApproval } from './plan/approvalRules.ts';
export { executableAttempt, openAttempt } from './swap/rules.ts';
export type * from './plan/types.ts';
export { PLAIN_WORDS, type Words } from './terms/words.ts';
export type { WatchedAddress } from './ending/watchedAddresses.ts';
export { swapTransactions, type Work, workOf } from './next/work.ts';
