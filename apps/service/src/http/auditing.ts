import { defined } from '@fairway/plan';
import type { FastifyRequest } from 'fastify';
import { PROBLEMS } from '@fairway/wire';
import type { AuditFact, AuditPort } from '../audit/facts.ts';
import type { Outcome } from '../problems/problem.ts';
import { type Caller, readBasic } from './authentication.ts';
import type { SendProblem } from './problem.ts';
import type { Call } from './registrar.ts';

/** The form of user names that the service gives. Anything else could be a password in the wrong field. */
const USERNAME = /^cred_[0-9a-f]{32}$/;

const RECORDED_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

/** Makes a sender of problems that records those that refuse the caller: 401, 403 and 429. */
export function recordingSender(send: SendProblem, audit: AuditPort): SendProblem {
  return (request, reply, problem) => {
    const { status } = PROBLEMS[problem.code];
    if (RECORDED_STATUSES.has(status)) audit.record(refusalOf(request, status));
    return send(request, reply, problem);
  };
}

/** Records a request that was refused for its organisation before its route was known. */
export function recordEarlyRefusal(
  audit: AuditPort,
  status: number,
  { credentialId, organisationId }: Pick<Caller, 'credentialId' | 'organisationId'>,
): void {
  if (RECORDED_STATUSES.has(status))
    audit.record({ event: 'REQUEST_REFUSED', status, credentialId, organisationId });
}

/** The fact that a request was refused with a status. */
export function refusalOf(request: FastifyRequest, status: number): AuditFact {
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
export function signInOf({ ip: address }: FastifyRequest, caller: Caller): AuditFact {
  const { credentialId, organisationId } = caller;
  return { event: 'SIGN_IN_GRANTED', credentialId, organisationId, address };
}

/** The form of ids of registered recipients that the service gives. */
const REGISTERED_ID = /^rcp_[0-9a-f]{32}$/;

/** The fact that the full details of a registered recipient were revealed, or not. */
export function registeredRevealOf(
  { caller, params }: Call,
  revealed: Outcome<{ readonly recipientId: string }>,
): AuditFact {
  const { credentialId, organisationId } = caller;
  const { recipientId = '' } = params;
  if (revealed.ok) return { event: 'REVEAL_GRANTED', recipientId, credentialId, organisationId };
  return {
    ...{ event: 'REVEAL_REFUSED', reason: revealed.problem.code, credentialId, organisationId },
    ...defined({ recipientId: REGISTERED_ID.test(recipientId) ? recipientId : undefined }),
  };
}

/** The fact that a recipient was erased, or not. */
export function erasureOf({ caller, params }: Call, erased: Outcome<unknown>): AuditFact {
  const { credentialId, organisationId } = caller;
  const { recipientId = '' } = params;
  const who = { credentialId, organisationId };
  if (erased.ok) return { event: 'ERASURE_GRANTED', recipientId, ...who };
  return {
    ...{ event: 'ERASURE_REFUSED', reason: erased.problem.code, ...who },
    ...defined({ recipientId: REGISTERED_ID.test(recipientId) ? recipientId : undefined }),
  };
}

/** The form of ids of plans that the service gives. */
const PLAN_ID = /^plan_[0-9a-f]{32}$/;

/** The fact that the full details of a recipient were revealed, or not. */
export function revealOf(
  { caller, params }: Call,
  revealed: Outcome<{ readonly planId: string }>,
): AuditFact {
  const { credentialId, organisationId } = caller;
  if (revealed.ok)
    return { event: 'REVEAL_GRANTED', planId: revealed.value.planId, credentialId, organisationId };
  const { planId = '' } = params;
  return {
    ...{ event: 'REVEAL_REFUSED', reason: revealed.problem.code, credentialId, organisationId },
    ...defined({ planId: PLAN_ID.test(planId) ? planId : undefined }),
  };
}
