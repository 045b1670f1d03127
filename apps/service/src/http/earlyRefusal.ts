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
      const requestId = requestIdOf(request);
      const body = problemBody(problem, publicUrl(), requestId);
      const text = JSON.stringify(body);
      response.writeHead(body.status, {
        ...STATIC_HEADERS,
        ...problem.headers,
        'content-type': 'application/problem+json',
        'content-length': String(Buffer.byteLength(text)),
        'retry-after': String(problem.retryAfterSeconds ?? 1),
        'x-request-id': requestId,
      });
      response.end(text);
      onRefused(body.status, organisationId);
      return true;
    },
  };
}

/** The name that a Basic Authorization header claims; empty when there is none. */
function claimedName(header: string | undefined): string {
  if (header === undefined || !/^basic /i.test(header)) return '';
  const text = Buffer.from(header.slice('basic '.length), 'base64').toString('latin1');
  return text.slice(0, Math.max(0, text.indexOf(':')));
}
