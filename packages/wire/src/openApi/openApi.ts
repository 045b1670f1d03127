import type { TSchema } from 'typebox';
import { answerExamplesOf, eventExample } from './answerExamples.ts';
import { componentSchemas, namedSchema, type Json, type JsonObject, toJson } from './components.ts';
import { EVENT_TYPES } from '../events.ts';
import { EVENT_MEANINGS, EVENTS_OF, subjectOf } from '../eventSchemas.ts';
import { MAX_UINT64 } from '../fields.ts';
import { answersOf, componentAnswers, HEADERS } from './answers.ts';
import { type Operation, takesIfMatch } from '../operation.ts';
import { OPERATION_IDS, type OperationId, operation } from '../operations/operations.ts';
import { PROBLEM_CODES, PROBLEMS, type ProblemCode, type ProblemKind } from '../problems.ts';
import { requestExamplesOf } from './requestExamples.ts';

/** The version that the interface states for its own description. */
export const DESCRIPTION_VERSION = '0.1.0';

const TAGS: readonly { readonly name: Operation['tag']; readonly description: string }[] = [
  { name: 'Markets', description: 'What can be named in quotes, swaps and payments.' },
  { name: 'Trading', description: 'Quotes and swap instructions.' },
  { name: 'Payments', description: 'Payment plans from a deposit to the recipient.' },
  { name: 'Recipients', description: 'Recipients that are kept under an id.' },
  { name: 'Events', description: 'What happened, in the order in which it happened.' },
  { name: 'Webhooks', description: 'What happened, sent to your own service.' },
  { name: 'Reports', description: 'Files for accounting and reconciliation.' },
  { name: 'Reconciliation', description: 'Statements of accounts, compared with the ledger.' },
  { name: 'Service', description: 'How the service stands.' },
  { name: 'Sandbox', description: 'The built-in chain; sandbox environment only.' },
];

/**
 * The OpenAPI 3.1 document of the API, generated from the schemas and tables that the service itself uses.
 * The problem types of its examples begin with `exampleBaseUrl`. Only `ids` are described: without a sandbox a service
 * has no others. Write it with `openApiText`: JSON.stringify rounds the largest uint64.
 *
 * @example
 * ```ts
 * import { openApiDocument } from '@fairway/wire';
 *
 * const { openapi } = openApiDocument('https://fairway.example'); // '3.1.0'
 * ```
 */
export function openApiDocument(
  exampleBaseUrl: string,
  ids: readonly OperationId[] = OPERATION_IDS,
): JsonObject {
  const examples = new Map<string, Json>(
    PROBLEM_CODES.map((code) => [
      code,
      { summary: PROBLEMS[code].title, value: problemExample(code, exampleBaseUrl) },
    ]),
  );
  const described = paths(ids, examples);
  const hooks = webhooks();
  const responses = componentAnswers(described);
  const tags = new Set<string>(ids.map((id) => operation(id).tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fairway trading planning service',
      version: DESCRIPTION_VERSION,
      description:
        'Live quotes, swap instructions and payment plans. The service plans: it never signs, never broadcasts and never holds funds. Every error is a Problem (application/problem+json) whose type is the address of a page that explains it.',
      contact: { name: 'Whoever operates the deployment' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This deployment.' }],
    tags: TAGS.filter(({ name }) => tags.has(name)),
    paths: described,
    webhooks: hooks,
    components: {
      schemas: componentSchemas([described, hooks, responses]),
      responses,
      examples: usedExamples(examples, JSON.stringify([described, responses])),
      headers: HEADERS,
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

/**
 * The text of the document, with the exact bound of uint64, which no number of JavaScript can hold. `indent`: how many
 * spaces each level has; absent: all on one line.
 *
 * @example
 * ```ts
 * import { openApiDocument, openApiText } from '@fairway/wire';
 *
 * openApiText(openApiDocument('https://fairway.example')).includes('"maximum":18446744073709551615'); // true
 * ```
 */
export function openApiText(document: JsonObject, indent?: number): string {
  return JSON.stringify(document, null, indent).replaceAll(
    /("maximum": ?)18446744073709552000\b/g,
    `$1${MAX_UINT64}`,
  );
}

function usedExamples(examples: ReadonlyMap<string, Json>, text: string): JsonObject {
  return Object.fromEntries([...examples].filter(([name]) => text.includes(`"${placeOf(name)}"`)));
}

const placeOf = (name: string) => `#/components/examples/${name}`;

/** Describes operations, and adds the examples that they refer to. */
function paths(ids: readonly OperationId[], examples: Map<string, Json>): JsonObject {
  const byPath: Record<string, JsonObject> = {};
  for (const id of ids) {
    const { path, method } = operation(id);
    const answers = answerExamplesOf(id);
    for (const [name, value] of Object.entries(answers)) examples.set(name, { value });
    const references = Object.keys(answers).map((name) => [name, { $ref: placeOf(name) }]);
    byPath[path] = {
      ...byPath[path],
      [method.toLowerCase()]: describe(id, operation(id), Object.fromEntries(references) as JsonObject),
    };
  }
  return byPath;
}

function describe(id: OperationId, described: Operation, answerExamples: JsonObject): JsonObject {
  const { access } = described;
  const needs = access.kind === 'PERMISSION' ? ` Needs the permission \`${access.permission}\`.` : '';
  const parameters = parametersOf(described);
  return {
    operationId: id,
    tags: [described.tag],
    summary: described.summary,
    description: described.description + needs,
    security: access.kind === 'OPEN' ? [] : [{ basic: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(id, described),
    responses: answersOf(described, answerExamples),
  };
}

function requestBodyOf(id: OperationId, { body, bodyOptional, upload }: Operation): JsonObject {
  const schemas = upload ?? (body === undefined ? {} : { 'application/json': body });
  const content = Object.entries(schemas).map(([type, schema]) => [
    type,
    { schema: namedSchema(schema), examples: requestExamplesOf(id, type) },
  ]);
  if (content.length === 0) return {};
  return {
    requestBody: { required: bodyOptional !== true, content: Object.fromEntries(content) as JsonObject },
  };
}

/** The body that endpoints of webhooks are sent, by the type of the event. */
function webhooks(): JsonObject {
  const headers = WEBHOOK_HEADERS.map(([name, description]) => ({
    ...{ name, in: 'header', required: true, description },
    schema: { type: 'string' },
  }));
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const isType = { type: 'object', properties: { type: { const: type } }, required: ['type'] };
      const schema = { allOf: [namedSchema(EVENTS_OF[subjectOf(type)]), isType] };
      const example = eventExample(type);
      const sent = {
        operationId: type,
        tags: ['Webhooks'],
        summary: EVENT_MEANINGS[type],
        description: `Sent to webhook endpoints and read at GET /v1/events as \`${type}\`.`,
        security: [],
        parameters: headers,
        requestBody: { required: true, content: { 'application/json': { schema, example } } },
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

const IF_MATCH: JsonObject = {
  name: 'If-Match',
  in: 'header',
  description:
    'The ETag of the answer that the request is based on. When the plan or the recipient has another revision by now, the answer is 412 revision-mismatch, unless the request was carried out before.',
  schema: { type: 'string', examples: ['"7"'] },
};

const IF_NONE_MATCH: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of an earlier answer. While it is still right, the answer is 304 without a body.',
  schema: { type: 'string' },
};

const LAST_EVENT_ID: JsonObject = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id that came last: what follows it is sent. It comes before after.',
  schema: { type: 'string' },
};

function parametersOf(described: Operation): readonly Json[] {
  return [
    ...parametersIn('path', described.params),
    ...parametersIn('query', described.query),
    ...(takesIfMatch(described) ? [{ ...IF_MATCH, required: described.needsIfMatch === true }] : []),
    ...(described.isCached === true ? [IF_NONE_MATCH] : []),
    ...(described.isStream === true ? [LAST_EVENT_ID] : []),
  ];
}

function parametersIn(place: 'path' | 'query', schema: TSchema | undefined): readonly Json[] {
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
    schema: namedSchema(property as TSchema),
  }));
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
