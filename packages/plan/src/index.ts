export { acknowledgementOf } from './acknowledgement.ts';
export { type Amount, amountOf, isLess, sumOf, unitsOf, ZERO } from './amount.ts';
export { convertedAt, type Rate, rateOf } from './rate.ts';
export { isPaymentKnown, isRepetitionKnown, takesRepeatedPayment } from './repeatedPayment.ts';
export { attemptIdOf, attemptPosition } from './attemptId.ts';
export {
  canAskForLink,
  isLinkLive,
  MOST_RESENDS,
  nextLinkVersion,
  owedLink,
  RESEND_AFTER_MS,
} from './collectRules.ts';
export { awaitedBlock } from './chainAwaited.ts';
export { isSettled, underWay } from './closing.ts';
export {
  type Conversion,
  conversionOf,
  type Corridor,
  type CorridorAsk,
  type CorridorRefusal,
  recipientTypesOf,
  refuseByCorridor,
} from './corridor.ts';
export { minorDecimalsOf } from './currencies.ts';
export { type Creation, createPlan, type PlanMaking, type PlanRequest } from './createPlan.ts';
export { decide } from './decide.ts';
export { type Defined, defined } from './defined.ts';
export {
  type Deduction,
  type Discharge,
  type Contradiction,
  dischargeOf,
  type ExactAmounts,
  exactAmounts,
  type Kept,
  minorUnitOf,
  type PayoutTerms,
  returnedUnits,
  type ReportedPayout,
  type ReportedReturn,
} from './discharge.ts';
export { dustBelow, isDust } from './dust.ts';
export { pendingPayoutsOf } from './pendingPayouts.ts';
export { payableNow } from './payableNow.ts';
export { depositsAfterSwap } from './sentBack.ts';
export { amountToPayOf, hasPaidOut, type Payments, paymentsOf, paymentsWith } from './payoutPayments.ts';
export { type Effect, effectsOf, type LinkEnd } from './effects.ts';
export { type AssetFunds, directionOf, fundsOf, imbalanceOf, payableOf, type Unallocated } from './funds.ts';
export {
  fateOf,
  type PendingTransaction,
  type TransactionSight,
  pendingTransactionsOf,
} from './pendingTransactions.ts';
export { movementIdOf, standingMovements } from './ledger.ts';
export type * from './movement.ts';
export { unbookedMovements } from './stepMovements.ts';
export type { Decision, PlanEvent, PlanEventType, RecordedEvent, Refusal } from './events.ts';
export {
  collectStep,
  depositStep,
  dueStep,
  evidenceOf,
  owesDelivery,
  stepOf,
  swapStep,
} from './planSteps.ts';
export { type Asset, assetsOf, isSameAsset, type Money } from './money.ts';
export type { Moment, NextAction, NextActionCode } from './nextActionCodes.ts';
export { type PublishedChange, publishedChangesOf } from './publishedChanges.ts';
export {
  COLLECT_STATUSES,
  type CollectRequest,
  collectRequestIdOf,
  collectRequestNamed,
  collectRequestsOf,
  type CollectStatus,
  collectStatusOf,
  type NamedRound,
} from './collectRequests.ts';
export { namedHash } from './namedHash.ts';
export { isNative, NATIVE_CURRENCY } from './nativeRules.ts';
export { nextAction } from './nextAction.ts';
export { leastPlanId, planIdAt } from './planId.ts';
export { MOST_FORGOTTEN } from './executionRules.ts';
export { lostPartsOf } from './lostParts.ts';
export { confirmingOthers } from './finalExecutions.ts';
export { holdsAddress, isCancelable, isOver, OVER_STATUSES, planStatus } from './planStatus.ts';
export {
  canonicalRecipient,
  type MaskedRecipient,
  maskRecipient,
  type PlannedRecipient,
  type Recipient,
  type RecipientType,
} from './recipient.ts';
export { endToEndIdOf, payingState, paymentAttempt } from './payoutTurn.ts';
export { noticeTruth } from './notices.ts';
export {
  type FoundExecution,
  type FoundPayout,
  eventsFromRecord,
  type RecordView,
} from './eventsFromRecord.ts';
export { expectedPayout } from './expectedPayout.ts';
export { judgeRefund, type RefundRules } from './refundJudgement.ts';
export { replay } from './replay.ts';
export type * from './scalars.ts';
export { judgePayout, type PayoutRules, paidWallet, type PaidWallet } from './payoutJudgement.ts';
export { pendingRefundOf } from './pendingRefund.ts';
export { isTransferOnly, NO_DEADLINE_MS } from './transferOnly.ts';
export {
  type ForgottenExecution,
  type ForgottenRules,
  isUntraced,
  judgeForgotten,
  leastForgotten,
} from './forgottenExecution.ts';
export { type DepositRules, judgeReportedDeposit } from './reportedDeposit.ts';
export { judgeDeposit, judgeRevertedSwap, judgeSwap, needsCalls, submittedPosition } from './settlement.ts';
export { isSamePlace } from './transferPlaces.ts';
export { type Judgement, movesMoney, type SignedFacts, type TransactionFacts } from './transactionFacts.ts';
export { needsApproval } from './approvalRules.ts';
export { ATTEMPTS_AT_WILL, executableAttempt, openAttempt, takesInstructions } from './swapRules.ts';
export type * from './types.ts';
export { PLAIN_WORDS, type Words } from './words.ts';
export { type WatchedAddress, watchedAddresses, type WatchEffect } from './watchedAddresses.ts';
export { swapTransactions, type Work, workOf } from './work.ts';
