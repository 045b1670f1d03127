import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AdmissionGate, FULL } from './gate.ts';
import type { ProblemAnswer } from '../answers/answer.ts';
import { problemBody } from '../answers/problemSender.ts';
import type { RateLimits } from './rates.ts';
import { requestIdOf } from '../answers/requestId.ts';

/** Answers requests before the service has done any work for them. */
export type EarlyRefusal = {
  /** Answers a probe of a load balancer, and a request whose organisation sends too much. Returns whether it was answered. */
  answered(request: IncomingMessage, response: ServerResponse): boolean;
};

/** What the refusals are made with. */
export type EarlyRefusalParts = {
  readonly gate: Pick<AdmissionGate, 'isFull' | 'isBusy'>;
  readonly limits: Pick<RateLimits, 'rateExceeded' | 'isAnyExceeded'>;
  /** Who sends an Authorization header that was right lately, and still is. */
  readonly authentication: { known(header: string | undefined): Known | undefined };
  publicUrl(): string;
  /** The headers of every answer. */
  headers(): Headers;
  /** What is wrong with the head of a request; undefined when nothing is. */
  headFault(request: IncomingMessage): string | undefined;
  /** Is told of each refusal. */
  onRefused(status: number, caller: Known): void;
};

/** A caller whose credential was right lately. */
type Known = { readonly credentialId: string; readonly organisationId: string };

/**
 * Makes the early refusals. Each costs about two bare answers of Node. A service that gets more than it can do still does most of
 * what it can. Only callers whose credential was right lately are refused here. While nobody waits and
 * no rate is exceeded, a request costs nothing here.
 */
export function createEarlyRefusal(parts: EarlyRefusalParts): EarlyRefusal {
  const { gate, limits, authentication, publicUrl, headers, onRefused } = parts;

  function problemFor(organisationId: string): ProblemAnswer | undefined {
    return limits.rateExceeded(organisationId) ?? (gate.isFull(organisationId) ? FULL : undefined);
  }

  /** There are only three answers, so that each is written once. */
  const written = new Map<ProblemAnswer | typeof ALIVE, Rendered>();
  function rendered(answer: ProblemAnswer | typeof ALIVE): Rendered {
    const known = written.get(answer);
    if (known?.publicUrl === publicUrl()) return known;
    const made =
      'code' in answer ? renderProblem(answer, publicUrl(), headers()) : renderAlive(publicUrl(), headers());
    written.set(answer, made);
    return made;
  }

  function isProbe(request: IncomingMessage): boolean {
    return request.url === PROBE && request.method === 'GET' && parts.headFault(request) === undefined;
  }

  return {
    answered(request, response) {
      if (isProbe(request)) {
        const { status, head, beforeId } = rendered(ALIVE);
        response.writeHead(status, [...head, 'x-request-id', requestIdOf(request)]);
        response.end(beforeId);
        return true;
      }
      if (!gate.isBusy() && !limits.isAnyExceeded()) return false;
      const caller = authentication.known(request.headers.authorization);
      const problem = caller && problemFor(caller.organisationId);
      if (caller === undefined || problem === undefined) return false;
      const { status, head, beforeId, afterId } = rendered(problem);
      const requestId = requestIdOf(request);
      const text = `${beforeId}${requestId}${afterId}`;
      const own = ['content-length', String(Buffer.byteLength(text)), 'x-request-id', requestId];
      response.writeHead(status, [...head, ...own]);
      response.end(text);
      onRefused(status, caller);
      return true;
    },
  };
}

/**
 * The probe that says whether the process answers. Load balancers ask often, and they end a process that does not
 * answer.
 */
const PROBE = '/livez';
const ALIVE = { status: 'OK' } as const;

/** An answer as text but for its request id. `head`: names and values of headers, in turns. */
type Rendered = {
  readonly publicUrl: string;
  readonly status: number;
  readonly head: readonly string[];
  readonly beforeId: string;
  readonly afterId: string;
};

type Headers = Readonly<Record<string, string>>;

/** Stands for the request id. No problem contains it otherwise. */
const ID_MARK = '{request id}';

function renderAlive(publicUrl: string, every: Headers): Rendered {
  const text = JSON.stringify(ALIVE);
  const headers = {
    ...every,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(text.length),
  };
  return { publicUrl, status: 200, head: Object.entries(headers).flat(), beforeId: text, afterId: '' };
}

function renderProblem(problem: ProblemAnswer, publicUrl: string, every: Headers): Rendered {
  const body = problemBody(problem, publicUrl, ID_MARK);
  const [beforeId = '', afterId = ''] = JSON.stringify(body).split(ID_MARK);
  const headers = {
    ...every,
    ...problem.headers,
    'content-type': 'application/problem+json',
    'retry-after': String(problem.retryAfterSeconds ?? 1),
  };
  return { publicUrl, status: body.status, head: Object.entries(headers).flat(), beforeId, afterId };
}
