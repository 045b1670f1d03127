import { defined } from '@fairway/values';
import type { FastifyRequest } from 'fastify';
import { PROBLEMS } from '@fairway/wire';
import { type Caller, readBasic } from './authentication.ts';
import type { SendProblem } from '../answers/problemSender.ts';

/**
 * Who sent a request. `credentialId`: in a refused sign-in, the user name, if it has the form of the names that the
 * service gives. No fact contains text that a caller chose.
 */
export type Requester = {
  readonly credentialId?: string;
  readonly organisationId?: string;
  readonly address?: string;
};

/** A sign-in, or a refusal, that an audit keeps. */
export type AccessFact =
  | ({ readonly event: 'SIGN_IN_GRANTED' } & Requester)
  | ({
      readonly event: 'SIGN_IN_REFUSED';
      readonly status: number;
      /** What was wrong with the password of the request. TOO_MANY: too many were wrong before. */
      readonly reason: 'MISSING' | 'MALFORMED' | 'WRONG' | 'TOO_MANY';
      readonly route: string;
    } & Requester)
  | ({
      readonly event: 'REQUEST_REFUSED';
      readonly status: number;
      /** Absent, like the address, when the request was refused unread because its organisation sends too much. */
      readonly route?: string;
    } & Requester);

/** Where facts of access are handed over. It never waits and never throws. */
export type AccessAudit = { record(fact: AccessFact): void };

/** The form of user names that the service gives. Anything else could be a password in the wrong field. */
const USERNAME = /^cred_[0-9a-f]{32}$/;

const RECORDED_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

/** Makes a sender of problems that records those that refuse the caller: 401, 403 and 429. */
export function recordingSender(send: SendProblem, audit: AccessAudit): SendProblem {
  return (request, reply, problem) => {
    const { status } = PROBLEMS[problem.code];
    if (RECORDED_STATUSES.has(status)) audit.record(refusalOf(request, status));
    return send(request, reply, problem);
  };
}

/** Records a request that was refused for its organisation before its route was known. */
export function recordEarlyRefusal(
  audit: AccessAudit,
  status: number,
  { credentialId, organisationId }: Pick<Caller, 'credentialId' | 'organisationId'>,
): void {
  if (RECORDED_STATUSES.has(status))
    audit.record({ event: 'REQUEST_REFUSED', status, credentialId, organisationId });
}

/**
 * The fact that a request was refused with a status.
 *
 * @example
 * ```ts
 * import { refusalOf } from '@fairway/api';
 * import type { FastifyRequest } from 'fastify';
 *
 * declare const request: FastifyRequest;
 * const fact = refusalOf(request, 429);
 * ```
 */
export function refusalOf(request: FastifyRequest, status: number): AccessFact {
  const { ip: address, caller } = request;
  const route = `${request.method} ${request.routeOptions.url ?? ''}`;
  if (caller !== undefined) {
    const { credentialId, organisationId } = caller;
    return { event: 'REQUEST_REFUSED', status, route, credentialId, organisationId, address };
  }
  if (request.routeOptions.config.access?.kind === 'OPEN')
    return { event: 'REQUEST_REFUSED', status, route, address };
  return { event: 'SIGN_IN_REFUSED', status, route, address, ...loginOf(request, status) };
}

/** The reason why a login was refused, with its user name where that can be written. */
function loginOf({ headers }: FastifyRequest, status: number) {
  const { authorization } = headers;
  const login = authorization === undefined ? undefined : readBasic(authorization);
  const username = login?.username ?? '';
  const wrong = login === undefined ? 'MALFORMED' : 'WRONG';
  return {
    reason: status === 429 ? 'TOO_MANY' : authorization === undefined ? 'MISSING' : wrong,
    ...defined({ credentialId: USERNAME.test(username) ? username : undefined }),
  } as const;
}

/** The fact that a request came with a right password. */
export function signInOf({ ip: address }: FastifyRequest, caller: Caller): AccessFact {
  const { credentialId, organisationId } = caller;
  return { event: 'SIGN_IN_GRANTED', credentialId, organisationId, address };
}
