export { needsApproval } from './approvalRules.ts';
export { roundAnswer, roundBody } from './bodies/collectRequestBody.ts';
export { eventBody } from './bodies/eventBody.ts';
export { type Chains, movementBody, transferBody } from './bodies/moneyBody.ts';
export { planAnswer, planBody } from './bodies/planBody.ts';
export { createPlanPublishing } from './bodies/planPublishing.ts';
export { recipientBody } from './bodies/recipientBody.ts';
export { reached } from './chainFacts.ts';
export { type ChainMoments, createChainMoments } from './chainMoments.ts';
export type { ClaimedStep } from './claims/claimedCommand.ts';
export { SERVICE_ACTOR, comparePlan, compareUpToNow } from './comparePlan.ts';
export { conversionFor, estimateOf } from './bodies/conversion.ts';
export { logCorridorsWithoutRoute } from './corridors/corridorRoutes.ts';
export {
  type Corridors,
  type ListedCorridor,
  createCorridors,
  destinationSchema,
  requirements,
} from './corridors/corridors.ts';
export { offeredTypes } from './corridors/offeredTypes.ts';
export { endPlan } from './endPlan.ts';
export { nextEndToEndId } from './endToEndId.ts';
export { type EndRequest, readEnd } from './planRequests.ts';
export { type FoundStep, PLAN_ID, findStep } from './findPlan.ts';
export { createDerivation } from './instructions.ts';
export { unknownCorridor } from './making/judgeRequest.ts';
export { reportDelivery } from './links/deliveries.ts';
export { deliveryTime } from './links/deliveryTime.ts';
export { type Addressee, addresseeOf, makeLink, recipientOf } from './links/links.ts';
export { planAgain } from './planAgain.ts';
export { type FoundRound, findRound, listRounds } from './links/rounds.ts';
export { newCode, tokenHash } from './links/token.ts';
export type { OrganisationRules, PaymentParts, WorkDone } from './paymentParts.ts';
export { type GivenRecipient, metadataField, recipientField } from './paymentRequest.ts';
export { contextOf, refusalOf } from './planChanges.ts';
export { CHAIN_AWAY } from './planProblems.ts';
export { planWords } from './planWords.ts';
export { AGAIN_SOON_MS, carriedOn, performWork } from './planWork.ts';
export { recipientFormats } from './recipient/formats.ts';
export { type RecipientReading, refuseDepositAddress } from './recipient/reader.ts';
export { reportOnStep } from './reportOnStep.ts';
export type { StepReport } from './stepReport.ts';
export { refreshStep } from './steps.ts';
export { registerPayments } from './operations/register.ts';
