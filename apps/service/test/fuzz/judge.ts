import { isProblemCode, type Problem, PROBLEMS } from '@fairway/wire';
import { isPlace } from '../requestPlaces.ts';
import type { Answer, Heard } from './connection.ts';
import type { Ground } from './ground.ts';
import type { Ask } from './requests.ts';
import { pathOf } from './request.ts';

/** What is needed to judge an answer. */
export type Bench = Pick<Ground, 'description'> & {
  /** The markers of all organisations. */
  readonly markers: readonly string[];
};

/** Codes that every path can answer, because they are about HTTP or about the path. */
const CODES_OF_EVERY_PATH = new Set([
  ...['malformed-request', 'headers-too-large', 'request-timeout', 'not-found', 'method-not-allowed'],
  ...['unauthorized', 'rate-limited', 'body-too-large', 'unsupported-media-type'],
]);

/** Codes of problems about fields, which must name a field. */
const FIELD_CODES = new Set(['validation-failed', 'recipient-invalid']);

/** Judges what came back for requests on one connection. Returns what is wrong, in sentences. */
export function judge(bench: Bench, asks: readonly Ask[], { answers, end }: Heard): readonly string[] {
  const faults = answers.flatMap((answer, index) => {
    const ask = asks[index];
    return ask === undefined ? ['There are more answers than requests.'] : judgeAnswer(bench, ask, answer);
  });
  // Nothing is known of a request that is no HTTP. So even HEAD is answered with a body, and the connection ends.
  const isEnding =
    end !== 'LATE' && end !== 'MALFORMED' && answers.at(-1)?.headers.get('connection') === 'close';
  if (end === 'ANSWERED' || isEnding) return faults;
  return [...faults, `After ${answers.length} of ${asks.length} answers the connection was ${end}.`];
}

/** Judges what came back for bytes that may be no request. The connection may be closed without an answer. */
export function judgeOdd(bench: Bench, ask: Ask, { answers, end }: Heard): readonly string[] {
  const faults = answers.flatMap((answer) => [
    ...judgeStatus(answer),
    ...(answer.status >= 400 ? judgeRefusal(answer, ask, 'OTHER_BYTES') : []),
    ...judgeSecrecy(bench, ask, answer),
  ]);
  return end === 'ANSWERED' || end === 'CLOSED' ? faults : [...faults, `The connection was ${end}.`];
}

function judgeAnswer(bench: Bench, ask: Ask, answer: Answer): readonly string[] {
  return [
    ...judgeStatus(answer),
    ...judgeHeaders(answer),
    ...(answer.status >= 400 ? judgeRefusal(answer, ask, 'AS_ASKED') : []),
    ...judgeContract(bench, ask, answer),
    ...judgeDeclared(bench, ask, answer),
    ...judgeSecrecy(bench, ask, answer),
    ...(ask.isRefused === true && answer.status < 400
      ? [`A wrong request was answered ${answer.status}.`]
      : []),
  ];
}

function judgeStatus({ status, headers, body }: Answer): readonly string[] {
  const isExpected =
    [200, 201, 202, 304].includes(status) || (status >= 400 && status < 500) || status === 503;
  const faults = isExpected ? [] : [`The status is ${status}: ${textOf(body)}`];
  const mustWait = status === 429 || status === 503;
  if (mustWait && !/^[1-9]\d*$/.test(headers.get('retry-after') ?? ''))
    faults.push(`A ${status} has no Retry-After: ${textOf(body)}`);
  if (status === 401 && !headers.has('www-authenticate')) faults.push('A 401 has no WWW-Authenticate.');
  if (status === 405 && !headers.has('allow')) faults.push('A 405 has no Allow.');
  return faults;
}

function judgeHeaders({ headers }: Answer): readonly string[] {
  const faults: string[] = [];
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(headers.get('x-request-id') ?? ''))
    faults.push('There is no X-Request-Id.');
  if (!headers.has('cache-control')) faults.push('There is no Cache-Control.');
  if (headers.get('x-content-type-options') !== 'nosniff')
    faults.push('X-Content-Type-Options is not nosniff.');
  return faults;
}

/**
 * A refusal is a Problem; the recipient's page refuses a form with a page. `sent`: where other bytes were sent than those
 * of the request, the fields that a Problem names cannot be compared.
 */
function judgeRefusal(
  { status, headers, body }: Answer,
  { request }: Ask,
  sent: 'AS_ASKED' | 'OTHER_BYTES',
): readonly string[] {
  const type = headers.get('content-type') ?? '';
  if (request.method === 'HEAD') return [];
  if (type.startsWith('text/html') && pathOf(request.target).startsWith('/collect')) return [];
  if (type !== 'application/problem+json')
    return [`A ${status} has the content type ${type}: ${textOf(body)}`];
  const problem = parsed(body) as Problem | undefined;
  const code = problem?.code ?? '';
  if (problem === undefined || !isProblemCode(code)) return [`This is no Problem: ${textOf(body)}`];
  const faults: string[] = [];
  if (PROBLEMS[code].status !== status || problem.status !== status)
    faults.push(`${code} was answered with ${status}: ${textOf(body)}`);
  if (problem.requestId !== headers.get('x-request-id')) faults.push('requestId is not X-Request-Id.');
  if ((problem.detail ?? '').trim() === '') faults.push(`${code} has no detail.`);
  if (sent === 'AS_ASKED' && FIELD_CODES.has(code)) faults.push(...judgeFields(problem, request));
  return faults;
}

function judgeFields({ errors = [], code }: Problem, { target, body }: Ask['request']): readonly string[] {
  if (errors.length === 0) return [`${code} names no field.`];
  const given = body === undefined ? {} : parsed(body);
  // Where a reader takes the bytes for another text, the pointer cannot be compared.
  if (given === undefined) return [];
  return errors.flatMap(({ pointer, detail }) => {
    if (detail.trim() === '') return [`${code} says nothing about ${pointer}.`];
    // Node counts a fragment, which no client should send, to the query.
    return isPlace(pointer, target.replace('#', '?'), given)
      ? []
      : [`${code} points to ${pointer}, which is no place of the request.`];
  });
}

function judgeContract({ description }: Bench, { request, marker }: Ask, answer: Answer): readonly string[] {
  const { status, headers, body } = answer;
  if (request.method === 'HEAD') return [];
  const operation = description.find(request.method, pathOf(request.target));
  if ([200, 201, 202].includes(status)) {
    if (operation === undefined) return judgePage(request, headers.get('content-type') ?? '');
    if (marker === undefined && !operation.isOpen)
      return [`${operation.id} was answered without a credential.`];
    const value = parsed(body);
    if (value === undefined) return [`${operation.id} was answered with no JSON: ${textOf(body)}`];
    return operation.fits(value)
      ? []
      : [
          `An answer of ${operation.id} does not fit its schema: ${JSON.stringify(operation.fits.errors)} in ${textOf(body)}`,
        ];
  }
  if (status < 400 || operation === undefined) return [];
  const problem = parsed(body);
  if (!description.fitsProblem(problem)) return [`This does not fit Problem: ${textOf(body)}`];
  const { code = '' } = problem as Problem;
  return operation.codes.has(code) || CODES_OF_EVERY_PATH.has(code)
    ? []
    : [`${operation.id} was answered with ${code}, which its description does not list: ${textOf(body)}`];
}

/** Each header is declared for the operation and the status. */
function judgeDeclared(
  { description }: Bench,
  { request }: Ask,
  { status, headers }: Answer,
): readonly string[] {
  const operation = description.find(request.method, pathOf(request.target));
  const undeclared = operation?.undeclared(status, headers.keys()) ?? [];
  return undeclared.map(
    (name) => `${operation?.id} was answered ${status} with ${name}, which is not declared.`,
  );
}

/** Only documents and the pages of people are outside the description. */
function judgePage({ method, target }: Ask['request'], type: string): readonly string[] {
  const path = pathOf(target);
  const isPage = /^\/($|docs|openapi\.json|problems|collect|sandbox\/mailbox)/.test(path);
  if (!isPage) return [`${method} ${path.slice(0, 200)} was answered 200 and is not described.`];
  return /^(text\/(html|javascript)|application\/json); charset=utf-8$/.test(type)
    ? []
    : [`A page has the content type ${type}.`];
}

/** Paths that show what the sandbox mailed for all organisations. */
const SHOWS_ALL_MAILS = /^\/(v1\/)?sandbox\/mailbox/;

/** No answer shows what belongs to another organisation than the caller's. */
function judgeSecrecy({ markers }: Bench, { request, marker }: Ask, { body }: Answer): readonly string[] {
  const path = pathOf(request.target);
  if (body.length === 0 || SHOWS_ALL_MAILS.test(path)) return [];
  // The recipient's page shows the plan of its link to everybody who has the link.
  if (path.startsWith('/collect')) return [];
  const text = body.toString('utf8').toLowerCase();
  const sent = `${request.target} ${request.body?.toString('utf8') ?? ''}`.toLowerCase();
  return markers
    .filter((each) => each !== marker && text.includes(each) && !sent.includes(each))
    .map((each) => `The answer shows ${each}, which is of another organisation: ${textOf(body)}`);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function textOf(body: Buffer): string {
  return body.toString('utf8').slice(0, 1_000);
}
