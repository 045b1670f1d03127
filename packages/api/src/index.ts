export { type AccessFact, type Requester, refusalOf } from './access/auditing.ts';
export { readBasic } from './access/authentication.ts';
export type { Answer } from './answers/answer.ts';
export { cursorField, cursorOf, sealOf } from './answers/cursor.ts';
export { entityTag, hasCurrent, revisionTag } from './answers/entityTag.ts';
export { KEY_AWAY } from './answers/keyAway.ts';
export { type ListPart, type ListPartAsk, pageAnswer } from './answers/listPage.ts';
export { pageHeaders } from './answers/pageHeaders.ts';
export {
  type Outcome,
  type ProblemFacts,
  done,
  invalidFields,
  referenceReused,
  refuse,
  tryLater,
} from './answers/problemFacts.ts';
export type { SendProblem } from './answers/problemSender.ts';
export { type JsonValue, isJsonObject, mediaTypeFault, pointerPart, readJson } from './fields/body.ts';
export {
  type FieldReader,
  type Fields,
  type GivenAddress,
  addError,
  addMemberError,
  addressField,
  amountField,
  amountOrZeroField,
  bodyFields,
  booleanField,
  chainIdField,
  complete,
  innerFields,
  integerField,
  listedFields,
  minorAmountField,
  optional,
  pointerTo,
  required,
  timestampField,
  tradeTypeField,
  wordField,
} from './fields/fields.ts';
export { bpsField } from './fields/bpsField.ts';
export { isLonger, referenceField, textField } from './fields/textFields.ts';
export { listField, poolsField, separatedField, sourcesField, tokensField } from './fields/listFields.ts';
export { plainJson } from './fields/plainJson.ts';
export type { ReadQuery } from './fields/query.ts';
export { type Guide, CREDENTIAL_PLACEHOLDER, guideList, guidePage } from './guides/guidePage.ts';
export { type GuideText, type LinkOf, codeBlock, readGuide } from './guides/markdown.ts';
export type { AdmissionGate, Asker } from './limits/gate.ts';
export type { Verdict } from './limits/guessLimit.ts';
export { CHECKS_OF_ADDRESS, DOWNLOADS, GATE_LIMITS, STREAMS } from './limits/limits.ts';
export type { ConnectionLimits } from './limits/connections.ts';
export { type RateLimits, createRateLimits } from './limits/rates.ts';
export { createSlots, holdSlot } from './limits/slots.ts';
export { keptReading } from './metrics/keptReading.ts';
export { type MetricsSource, serveMetrics } from './metrics/serveMetrics.ts';
export { type SampleRequest, curlSample } from './reference/codeSamples.ts';
export { registerDocuments, registerProblemPages } from './reference/documents.ts';
export { type Example, type ExampleParameter, placeholderOf } from './reference/operationSection.ts';
export { type Acting, actingOf } from './server/acting.ts';
export { LOOPBACK_HOSTS } from './server/loopbackHosts.ts';
export type { Call, Reading, Registrar, Upload } from './server/registrar.ts';
export { type Door, type Part, type ServerOptions, createServer } from './server/server.ts';
export { eip55, hasWrongChecksum } from './text/eip55.ts';
export { type Html, escaped, html } from './text/html.ts';
export { IDENTITY } from './text/identity.ts';
export { networkOf, wideNetworkOf } from './text/networkOf.ts';
export { PAGE_POLICY, page, policyOf } from './text/page.ts';
export { plainLine } from './text/plainLine.ts';
export { meantName, nearestName } from './text/spelling.ts';
export { timestampOf, timestampToMs } from './time/timestamp.ts';
