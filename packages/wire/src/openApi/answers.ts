import type { TSchema } from 'typebox';
import { CollectRequest } from '../collectRequests.ts';
import { type Json, type JsonObject, namedSchema } from './components.ts';
import type { Operation } from '../operation.ts';
import { problemCodesOf } from '../operations/operations.ts';
import { PaymentPlan } from '../payments.ts';
import { isRetried, PROBLEM_CODES, PROBLEMS, type ProblemCode } from '../problems.ts';
import { RegisteredRecipient } from '../registeredRecipients.ts';

const TEXT: Json = { type: 'string' };
const COUNT: Json = { type: 'integer', minimum: 0 };

/** Every header of answers, by its name. */
export const HEADERS = {
  'Cache-Control': { description: 'Whether and how long the answer may be kept.', schema: TEXT },
  'Content-Disposition': { description: 'The name of the file.', schema: TEXT },
  ETag: {
    description:
      'For a plan, a collect request (its plan) or a registered recipient: the revision in quotes, for If-Match. For a list: for If-None-Match.',
    schema: { type: 'string', examples: ['"7"'] },
  },
  'Idempotent-Replayed': {
    description: 'The request was carried out before, and the answer is what came of it, as it is now.',
    schema: { type: 'string', enum: ['true'] },
  },
  Location: { description: 'The path of what was made.', schema: TEXT },
  'RateLimit-Limit': {
    description: 'How many requests a second the organisation may send to a process of the service.',
    schema: COUNT,
  },
  'RateLimit-Remaining': { description: 'How many of them are left in this second.', schema: COUNT },
  'RateLimit-Reset': { description: 'Seconds until they are counted anew.', schema: COUNT },
  'Referrer-Policy': { description: 'For browsers.', schema: TEXT },
  'Repr-Digest': { description: 'The SHA-256 of the file (RFC 9530).', schema: TEXT },
  'Retry-After': { description: 'Seconds to wait before the same request may succeed.', schema: COUNT },
  'Strict-Transport-Security': {
    description: 'For browsers. Only where the service is reached over TLS.',
    schema: TEXT,
  },
  'WWW-Authenticate': { description: 'How to sign in.', schema: TEXT },
  'X-Accel-Buffering': { description: 'Tells proxies to pass the answer on as it comes.', schema: TEXT },
  'X-Content-Type-Options': { description: 'For browsers.', schema: TEXT },
  'X-Frame-Options': { description: 'For browsers.', schema: TEXT },
  'X-Request-Id': {
    description: "The request's id: the caller's own X-Request-Id where it is usable, else a new one.",
    schema: TEXT,
  },
} as const satisfies Readonly<Record<string, JsonObject>>;

type HeaderName = keyof typeof HEADERS;

const OF_EVERY_ANSWER = [
  'X-Request-Id',
  'Cache-Control',
  'X-Content-Type-Options',
  'X-Frame-Options',
  'Referrer-Policy',
  'Strict-Transport-Security',
] as const satisfies readonly HeaderName[];
/** Once it is known whose request it is. */
const OF_CALLERS = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
] as const satisfies readonly HeaderName[];

/** The answers whose entity tag is a revision. */
const REVISED: ReadonlySet<TSchema> = new Set<TSchema>([PaymentPlan, CollectRequest, RegisteredRecipient]);

/** The answers of an operation, by their status. `examples`: of a success; a file or a stream has that of its schema. */
export function answersOf(operation: Operation, examples: JsonObject): JsonObject {
  const headers = references(headersOf(operation));
  const content = Object.entries(contentOf(operation)).map(([type, schema]) => [
    type,
    { schema: namedSchema(schema), ...examplesIn(schema, examples) },
  ]);
  const success = {
    description: 'Success.',
    headers,
    content: Object.fromEntries(content) as JsonObject,
  };
  const unchanged = { description: 'The list is still the one that If-None-Match names.', headers };
  return {
    [String(operation.success ?? 200)]: success,
    ...(operation.isCached === true ? { '304': unchanged } : {}),
    ...problemAnswers(problemCodesOf(operation)),
  };
}

function examplesIn(schema: TSchema, examples: JsonObject): JsonObject {
  if (Object.keys(examples).length > 0) return { examples };
  const [value] = (schema as { readonly examples?: readonly Json[] }).examples ?? [];
  return value === undefined ? {} : { examples: { example: { value } } };
}

/** What a success can be, by its media type. */
function contentOf({ isStream, fileTypes, response }: Operation): Readonly<Record<string, TSchema>> {
  return fileTypes ?? { [isStream === true ? 'text/event-stream' : 'application/json']: response };
}

function headersOf({ access, response, isCached, success, isReplayed, fileTypes, isStream }: Operation) {
  const names: HeaderName[] = [...OF_EVERY_ANSWER];
  if (access.kind !== 'OPEN') names.push(...OF_CALLERS);
  if (isCached === true || REVISED.has(response)) names.push('ETag');
  if (success !== undefined) names.push('Location');
  if (isReplayed === true) names.push('Idempotent-Replayed');
  if (fileTypes !== undefined) names.push('Content-Disposition', 'Repr-Digest');
  if (fileTypes !== undefined || isStream === true) names.push('X-Accel-Buffering');
  return names;
}

function references(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The answers with problems. Those of one code alone are the same in every operation, so that they have a name. */
function problemAnswers(codes: readonly ProblemCode[]): JsonObject {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => {
      const [only] = ofStatus;
      const isNamed = only !== undefined && ofStatus.length === 1;
      const answer = isNamed
        ? { $ref: `#/components/responses/${answerName(only)}` }
        : problemAnswer(status, ofStatus);
      return [String(status), answer];
    }),
  );
}

/** The named answers, without those that `paths` does not need. */
export function componentAnswers(paths: JsonObject): JsonObject {
  const text = JSON.stringify(paths);
  const used = PROBLEM_CODES.filter((code) => text.includes(`"#/components/responses/${answerName(code)}"`));
  return Object.fromEntries(
    used.map((code) => [answerName(code), problemAnswer(PROBLEMS[code].status, [code])]),
  );
}

/** UnknownChain for unknown-chain. */
function answerName(code: ProblemCode): string {
  return code
    .split('-')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}

function problemAnswer(status: number, codes: readonly ProblemCode[]): JsonObject {
  const names: HeaderName[] = [...OF_EVERY_ANSWER];
  if (status === 401) names.push('WWW-Authenticate');
  else names.push(...OF_CALLERS);
  if (codes.some(isRetried)) names.push('Retry-After');
  return {
    description: codes.map((code) => `${code}: ${PROBLEMS[code].title}.`).join(' '),
    headers: references(names),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}
