import type { TSchema } from 'typebox';
import { CollectRequest } from '../collectRequests.ts';
import type { Json, JsonObject } from './components.ts';
import type { EVENT_TYPES } from '../events.ts';
import { subjectOf } from '../eventSchemas.ts';
import { ProbeAnswer } from '../health.ts';
import type { Operation } from '../operation.ts';
import { type OperationId, operation } from '../operations/operations.ts';
import { PaymentPlan } from '../payments.ts';
import RECORDED from './recordedAnswers.json' with { type: 'json' };
import { Report } from '../reports.ts';
import { RegisteredRecipient } from '../registeredRecipients.ts';
import { StatementMap } from '../statementMaps.ts';
import { Statement, StatementEntry } from '../statements.ts';
import { WebhookDelivery, WebhookEndpoint } from '../webhooks.ts';

/** Bodies as a sandbox gave them, by their names: apps/service/test/recordAnswers.ts writes them. */
const ANSWERS: Readonly<Record<string, unknown>> = RECORDED.answers;
/** An event about each kind of subject. */
const EVENTS: Readonly<Record<string, object>> = RECORDED.events;

/** The names of the examples of answers that several operations give. */
const SHARED: ReadonlyMap<TSchema, string> = new Map<TSchema, string>([
  [CollectRequest, 'CollectRequest'],
  [PaymentPlan, 'PaymentPlan'],
  [ProbeAnswer, 'ProbeAnswer'],
  [Report, 'Report'],
  [RegisteredRecipient, 'RegisteredRecipient'],
  [Statement, 'Statement'],
  [StatementEntry, 'StatementEntry'],
  [StatementMap, 'StatementMap'],
  [WebhookDelivery, 'WebhookDelivery'],
  [WebhookEndpoint, 'WebhookEndpoint'],
]);

/** Operations whose answer of a shared kind has something that the others have not. */
const OWN: Partial<Record<OperationId, string>> = {
  againPayment: 'AgainPlan',
  createWebhookEndpoint: 'NewWebhookEndpoint',
  rotateWebhookSecret: 'NewWebhookEndpoint',
};

/**
 * The name of the example of an operation's answer in the OpenAPI document; undefined where the answer is no JSON.
 *
 * @example
 * ```ts
 * import { answerExampleName } from '@fairway/wire';
 *
 * answerExampleName('endPayment'); // 'PaymentPlan'
 * ```
 */
export function answerExampleName(id: OperationId): string | undefined {
  const { response, isStream, fileTypes }: Operation = operation(id);
  if (isStream === true || fileTypes !== undefined) return undefined;
  return OWN[id] ?? SHARED.get(response) ?? id;
}

/** The example of an operation's answer, by its name; none where the answer is no JSON. */
export function answerExamplesOf(id: OperationId): Readonly<Record<string, Json>> {
  const name = answerExampleName(id);
  return name === undefined ? {} : { [name]: (ANSWERS[name] ?? {}) as Json };
}

/** An event of a type, as endpoints of webhooks are sent it. */
export function eventExample(type: (typeof EVENT_TYPES)[number]): JsonObject {
  return { ...EVENTS[subjectOf(type)], type };
}
