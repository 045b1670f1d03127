import type { TSchema } from 'typebox';
import { Credential } from './credentials.ts';
import { EVENT_TYPES, EventEvidence } from './events.ts';
import { EVENT_MEANINGS, EVENTS_OF, subjectOf } from './eventSchemas.ts';
import { ChainHealth, Health } from './health.ts';
import { Chain, Corridor, Token } from './markets.ts';
import {
  DeliveryReport,
  PaymentRequest,
  ReaddressRequest,
  SimulateRequest,
  StepReport,
} from './paymentRequests.ts';
import {
  Attempt,
  Collect,
  CollectDelivery,
  CollectLinkView,
  CustodianAction,
  Deposit,
  Evidence,
  NextAction,
  PaymentList,
  PaymentPlan,
  PaymentReturn,
  PaymentStep,
  PlanOptions,
} from './payments.ts';
import { PaymentEvent, PaymentEventList } from './paymentHistory.ts';
import { AssetFunds, Movement, MovementList, Unallocated } from './money.ts';
import { type Operation, takesIfMatch } from './operation.ts';
import { OPERATION_IDS, type OperationId, operation, problemCodesOf } from './operations.ts';
import { FieldError, Problem } from './problem.ts';
import { PROBLEM_CODES, PROBLEMS, type ProblemCode, type ProblemKind } from './problems.ts';
import { AsOf, Fees, Quote, Route, RouteLeg, RoutePath } from './quote.ts';
import { RecipientView, RevealedRecipient } from './recipients.ts';
import {
  Statement,
  StatementDifference,
  StatementEntry,
  StatementMap,
  StatementMovement,
} from './statements.ts';
import { Report, ReportRequest } from './reports.ts';
import { ClockAnswer, ClockRequest, FaucetAnswer, FaucetRequest, Mailbox, Sandbox } from './sandbox.ts';
import {
  PayeeCheck,
  RecipientVersion,
  RecipientWarning,
  SavedRecipient,
  Validation,
} from './savedRecipients.ts';
import { Instruction, Simulation, SwapIssues, SwapPlan, SwapPlanRequest } from './swap.ts';
import { WebhookAttempt, WebhookDelivery, WebhookEndpoint } from './webhooks.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = { readonly [name: string]: Json };

/** The version that the interface states for its own description. */
export const DESCRIPTION_VERSION = '0.1.0';

const COMPONENTS: Readonly<Record<string, TSchema>> = {
  AsOf,
  AssetFunds,
  Attempt,
  Chain,
  ChainHealth,
  ClockAnswer,
  ClockRequest,
  Collect,
  CollectDelivery,
  CollectLinkView,
  CollectRequestEvent: EVENTS_OF.collect_request,
  Corridor,
  Credential,
  CredentialEvent: EVENTS_OF.credential,
  CustodianAction,
  DeliveryReport,
  Deposit,
  EventEvidence,
  Evidence,
  FaucetAnswer,
  FaucetRequest,
  Fees,
  FieldError,
  Health,
  Instruction,
  Mailbox,
  Movement,
  MovementList,
  NextAction,
  PayeeCheck,
  PaymentEvent,
  PaymentEventList,
  PaymentList,
  PaymentPlan,
  PaymentPlanEvent: EVENTS_OF.payment_plan,
  PaymentRequest,
  PaymentReturn,
  PaymentStep,
  PlanOptions,
  Problem,
  Quote,
  ReaddressRequest,
  RecipientEvent: EVENTS_OF.recipient,
  RecipientVersion,
  RecipientView,
  RecipientWarning,
  Report,
  ReportEvent: EVENTS_OF.report,
  ReportRequest,
  RevealedRecipient,
  Route,
  RouteLeg,
  RoutePath,
  Sandbox,
  SavedRecipient,
  ServiceEvent: EVENTS_OF.service,
  SimulateRequest,
  Simulation,
  Statement,
  StatementDifference,
  StatementEntry,
  StatementEntryEvent: EVENTS_OF.statement_entry,
  StatementEvent: EVENTS_OF.statement,
  StatementMap,
  StatementMovement,
  StepReport,
  SwapIssues,
  SwapPlan,
  SwapPlanRequest,
  Token,
  Unallocated,
  Validation,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointEvent: EVENTS_OF.webhook_endpoint,
};

const NAME_BY_SCHEMA = new Map(
  Object.entries(COMPONENTS).map(([name, schema]) => [JSON.stringify(schema), name] as const),
);

/**
 * The OpenAPI 3.1 document of the API, generated from the schemas and tables that the service itself uses.
 * The problem types of its examples begin with `exampleBaseUrl`. Only `ids` are described: without a sandbox a service
 * has no others.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 * import { openApiDocument } from '@fairway/wire';
 *
 * writeFileSync('openapi.json', JSON.stringify(openApiDocument('https://fairway.example'), null, 2));
 * ```
 */
export function openApiDocument(
  exampleBaseUrl: string,
  ids: readonly OperationId[] = OPERATION_IDS,
): JsonObject {
  const described = paths(ids);
  const tags = new Set<string>(ids.map((id) => operation(id).tag));
  const schemas = Object.fromEntries(
    Object.entries(COMPONENTS).map(([name, schema]) => [name, referenced(toJson(schema), name)]),
  );
  const hooks = webhooks();
  const used = referencedNames([described, hooks], schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fairway trading planning service',
      version: DESCRIPTION_VERSION,
      description:
        'Live quotes, swap instructions and payment plans. The service plans: it never signs, never broadcasts and never holds funds. Every error is a Problem (application/problem+json) whose type is the address of a page that explains it.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This deployment.' }],
    tags: [
      { name: 'Payments', description: 'Payment plans from a deposit to the recipient.' },
      { name: 'Recipients', description: 'Recipients that are kept under an id.' },
      { name: 'Events', description: 'What happened, in the order in which it happened.' },
      { name: 'Webhooks', description: 'What happened, sent to your own service.' },
      { name: 'Reports', description: 'Files for accounting and reconciliation.' },
      { name: 'Reconciliation', description: 'Statements of accounts, compared with the ledger.' },
      { name: 'Trading', description: 'Quotes and swap instructions.' },
      { name: 'Markets', description: 'What can be named in quotes, swaps and payments.' },
      { name: 'Service', description: 'How the service stands.' },
      { name: 'Sandbox', description: 'The built-in chain; sandbox environment only.' },
    ].filter(({ name }) => tags.has(name)),
    paths: described,
    webhooks: hooks,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))),
      examples: Object.fromEntries(
        PROBLEM_CODES.map((code) => [
          code,
          { summary: PROBLEMS[code].title, value: problemExample(code, exampleBaseUrl) },
        ]),
      ),
      headers: {
        ETag: {
          description: 'The revision of the plan or of the recipient in quotes, for If-Match.',
          schema: { type: 'string', examples: ['"7"'] },
        },
        'X-Request-Id': {
          description: "The request's id: the caller's own X-Request-Id where it is usable, else a new one.",
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'User name: the id of a credential. Password: its secret. Issued by the operator.',
        },
      },
    },
  };
}

/** The names of the schemas that a part of the document leads to. */
function referencedNames(part: Json, schemas: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (value: Json): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      collect(schemas[name] ?? null);
    }
  };
  collect(part);
  return names;
}

function paths(ids: readonly OperationId[]): JsonObject {
  const byPath: Record<string, JsonObject> = {};
  for (const id of ids) {
    const { path, method } = operation(id);
    byPath[path] = { ...byPath[path], [method.toLowerCase()]: describe(id, operation(id)) };
  }
  return byPath;
}

function describe(id: OperationId, described: Operation): JsonObject {
  const { access } = described;
  const needs = access.kind === 'PERMISSION' ? ` Needs the permission \`${access.permission}\`.` : '';
  return {
    operationId: id,
    tags: [described.tag],
    summary: described.summary,
    description: described.description + needs,
    security: access.kind === 'OPEN' ? [] : [{ basic: [] }],
    ...(described.params === undefined && described.query === undefined
      ? {}
      : {
          parameters: [
            ...parameters(described.params, 'path'),
            ...parameters(described.query, 'query'),
            ...(takesIfMatch(described) ? [IF_MATCH] : []),
            ...(described.isStream === true ? [LAST_EVENT_ID] : []),
          ],
        }),
    ...(described.body === undefined
      ? {}
      : {
          requestBody: {
            required: described.bodyOptional !== true,
            content: { 'application/json': { schema: referenced(toJson(described.body)) } },
          },
        }),
    ...(described.upload === undefined ? {} : { requestBody: uploadOf(described.upload) }),
    responses: {
      [String(described.success ?? 200)]: {
        description: 'Success.',
        headers: {
          'X-Request-Id': REQUEST_ID_HEADER,
          ...(TAGGED.has(described.response) ? { ETag: ETAG_HEADER } : {}),
          ...(described.success !== undefined ? { Location: LOCATION_HEADER } : {}),
        },
        content: Object.fromEntries(
          mediaTypesOf(described).map((type) => [type, { schema: referenced(toJson(described.response)) }]),
        ),
      },
      ...problemResponses(problemCodesOf(described)),
    },
  };
}

function mediaTypesOf({ isStream, fileTypes = ['application/json'] }: Operation): readonly string[] {
  return isStream === true ? ['text/event-stream'] : fileTypes;
}

/** What endpoints of webhooks are sent, by the type of the event. */
function webhooks(): JsonObject {
  const headers = WEBHOOK_HEADERS.map(([name, description]) => ({
    ...{ name, in: 'header', required: true, description },
    schema: { type: 'string' },
  }));
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const isType = { type: 'object', properties: { type: { const: type } }, required: ['type'] };
      const schema = { allOf: [referenced(toJson(EVENTS_OF[subjectOf(type)])), isType] };
      const sent = {
        operationId: type,
        tags: ['Webhooks'],
        summary: EVENT_MEANINGS[type],
        description: `Sent to webhook endpoints and read at GET /v1/events as \`${type}\`.`,
        parameters: headers,
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: { '2XX': { description: 'Taken. Anything else is tried again.' } },
      };
      return [type, { post: sent }];
    }),
  );
}

const WEBHOOK_HEADERS = [
  ['webhook-id', "The event's id, the same on every attempt."],
  ['webhook-timestamp', 'The second of the attempt.'],
  ['webhook-signature', 'By Standard Webhooks 1.0: v1, and the signature; two while a secret is changed.'],
] as const;

function uploadOf(upload: NonNullable<Operation['upload']>): JsonObject {
  const content = Object.entries(upload).map(([type, schema]) => [type, { schema: toJson(schema) }]);
  return { required: true, content: Object.fromEntries(content) as JsonObject };
}

const IF_MATCH: JsonObject = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The ETag of the answer that the request is based on. When the plan or the recipient has another revision by now, the answer is 412 revision-mismatch, unless the request was carried out before.',
  schema: { type: 'string', examples: ['"7"'] },
};

const LAST_EVENT_ID: JsonObject = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id that came last: what follows it is sent. It comes before after.',
  schema: { type: 'string' },
};

/** The answers whose entity tag is a revision. */
const TAGGED: ReadonlySet<TSchema> = new Set<TSchema>([PaymentPlan, SavedRecipient]);

const LOCATION_HEADER: JsonObject = {
  description: 'The path of what was made.',
  schema: { type: 'string' },
};
const ETAG_HEADER: JsonObject = { $ref: '#/components/headers/ETag' };
const REQUEST_ID_HEADER: JsonObject = { $ref: '#/components/headers/X-Request-Id' };

function parameters(schema: TSchema | undefined, place: 'path' | 'query'): readonly Json[] {
  if (schema === undefined) return [];
  const { properties, required = [] } = toJson(schema) as {
    properties: Record<string, JsonObject>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    description: property['description'] ?? '',
    schema: referenced(property),
  }));
}

function problemResponses(codes: readonly ProblemCode[]): JsonObject {
  const codesByStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = PROBLEMS[code];
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  }
  const responses: Record<string, Json> = {};
  for (const [status, codesOfStatus] of [...codesByStatus].sort(([a], [b]) => a - b)) {
    responses[String(status)] = {
      description: codesOfStatus.map((code) => `${code}: ${PROBLEMS[code].title}.`).join(' '),
      headers: { 'X-Request-Id': REQUEST_ID_HEADER, ...headersOf(status) },
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          examples: Object.fromEntries(
            codesOfStatus.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
          ),
        },
      },
    };
  }
  return responses;
}

function headersOf(status: number): JsonObject {
  if (status === 401) return { 'WWW-Authenticate': { schema: { type: 'string' } } };
  if (status === 429 || status === 503) {
    return { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };
  }
  return {};
}

/**
 * The body of an answer with a problem, as an example.
 *
 * @example
 * ```ts
 * import { problemExample } from '@fairway/wire';
 *
 * const { type, status } = problemExample('no-route', 'https://fairway.example');
 * // 'https://fairway.example/problems/no-route', 400
 * ```
 */
export function problemExample(code: ProblemCode, baseUrl: string): JsonObject {
  const kind: ProblemKind = PROBLEMS[code];
  return {
    type: `${baseUrl}/problems/${code}`,
    title: kind.title,
    status: kind.status,
    detail: kind.example.detail,
    code,
    ...(kind.example.errors === undefined ? {} : { errors: kind.example.errors }),
    requestId: '7f9c2ba4-e88f-4f6a-9d3c-2b1f0a5e6d7c',
  };
}

/** Copies a schema without the members that TypeBox alone reads. */
function toJson(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}

/** Replaces every inner schema that is a component by a reference to it. */
function referenced(schema: Json, self?: string): Json {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (isList(schema)) return schema.map((item) => referenced(item));
  const name = NAME_BY_SCHEMA.get(JSON.stringify(schema));
  if (name !== undefined && name !== self) return { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, referenced(value)]));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
