import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AdmissionGate, FULL } from './admissionGate.ts';
import type { ProblemAnswer } from './answer.ts';
import { problemBody } from './problem.ts';
import type { RateLimits } from './rateLimit.ts';
import { requestIdOf } from './requestId.ts';
import { STATIC_HEADERS } from './staticHeaders.ts';

/** Refuses requests that would be refused later anyway, before the service has done any work for them. */
export type EarlyRefusal = {
  /** Remembers the organisation of a credential that was checked. */
  remember(username: string, organisationId: string): void;
  /** Answers a request whose organisation sends too much. Returns whether it was answered. */
  refused(request: IncomingMessage, response: ServerResponse): boolean;
};

/** What the refusals are made with. */
export type EarlyRefusalParts = {
  readonly gate: Pick<AdmissionGate, 'isFull'>;
  readonly limits: Pick<RateLimits, 'rateExceeded'>;
  publicUrl(): string;
  /** Is told of each refusal, with the organisation that the request claims to come from. */
  onRefused(status: number, organisationId: string): void;
};

/** How many credentials are remembered; then all are forgotten. */
const REMEMBERED = 10_000;

/**
 * Makes the early refusals. They cost less than a tenth of a quote, so that a service that gets twice as many requests
 * as it can answer still answers nearly as many as it can.
 *
 * The password is not checked: only the name in the Authorization header says whose request it is. Whoever knows the
 * name of a credential is refused like its organisation, and neither a count nor a line of the organisation changes by
 * that.
 */
export function createEarlyRefusal(parts: EarlyRefusalParts): EarlyRefusal {
  const { gate, limits, publicUrl, onRefused } = parts;
  const organisations = new Map<string, string>();

  function problemFor(organisationId: string): ProblemAnswer | undefined {
    return limits.rateExceeded(organisationId) ?? (gate.isFull(organisationId) ? FULL : undefined);
  }

  /** There are only two problems, so that each is written once. */
  const written = new Map<ProblemAnswer, Rendered>();
  function rendered(problem: ProblemAnswer): Rendered {
    const known = written.get(problem);
    if (known?.publicUrl === publicUrl()) return known;
    const made = renderProblem(problem, publicUrl());
    written.set(problem, made);
    return made;
  }

  return {
    remember(username, organisationId) {
      if (organisations.has(username)) return;
      if (organisations.size >= REMEMBERED) organisations.clear();
      organisations.set(username, organisationId);
    },
    refused(request, response) {
      const organisationId = organisations.get(claimedName(request.headers.authorization));
      const problem = organisationId === undefined ? undefined : problemFor(organisationId);
      if (organisationId === undefined || problem === undefined) return false;
      const { status, head, beforeId, afterId } = rendered(problem);
      const requestId = requestIdOf(request);
      const text = `${beforeId}${requestId}${afterId}`;
      const own = ['content-length', String(Buffer.byteLength(text)), 'x-request-id', requestId];
      response.writeHead(status, [...head, ...own]);
      response.end(text);
      onRefused(status, organisationId);
      return true;
    },
  };
}

/** An answer as text but for its request id. `head`: names and values of headers, in turns. */
type Rendered = {
  readonly publicUrl: string;
  readonly status: number;
  readonly head: readonly string[];
  readonly beforeId: string;
  readonly afterId: string;
};

/** Stands for the request id. No problem contains it otherwise. */
const ID_MARK = '{request id}';

function renderProblem(problem: ProblemAnswer, publicUrl: string): Rendered {
  const body = problemBody(problem, publicUrl, ID_MARK);
  const [beforeId = '', afterId = ''] = JSON.stringify(body).split(ID_MARK);
  const headers = {
    ...STATIC_HEADERS,
    ...problem.headers,
    'content-type': 'application/problem+json',
    'retry-after': String(problem.retryAfterSeconds ?? 1),
  };
  return { publicUrl, status: body.status, head: Object.entries(headers).flat(), beforeId, afterId };
}

/** The name that a Basic Authorization header claims; empty when there is none. */
function claimedName(header: string | undefined): string {
  if (header === undefined || !/^basic /i.test(header)) return '';
  const text = Buffer.from(header.slice('basic '.length), 'base64').toString('latin1');
  return text.slice(0, Math.max(0, text.indexOf(':')));
}
