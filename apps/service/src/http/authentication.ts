import type { AuthenticationResult } from '@fairway/store';
import type { Access } from '@fairway/wire';
import type { FastifyRequest } from 'fastify';
import type { HttpDeps } from './deps.ts';
import { tryLater } from '../problems/problem.ts';
import type { ProblemAnswer } from './answer.ts';
import type { RateLimits } from './rateLimit.ts';

/** What a valid credential says about the request that carries it. */
export type Caller = Extract<AuthenticationResult, { outcome: 'AUTHENTICATED' }>;

/** Who a request is from, or why it goes no further. */
export type Admission =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly problem: ProblemAnswer };

/** Checks the credential of a request. */
export type AdmitRequest = (request: FastifyRequest) => Promise<Admission>;

const UNAUTHORIZED: Admission = {
  ok: false,
  problem: {
    code: 'unauthorized',
    detail: 'Send a valid credential with HTTP Basic authentication.',
    headers: { 'www-authenticate': 'Basic realm="fairway", charset="UTF-8"' },
  },
};

/** Addresses and user names that belong together are remembered up to this many; then all are forgotten. */
const REMEMBERED_LOGINS = 10_000;

/** Makes the check that every operation but the open ones passes through. */
export function createAuthenticate(deps: HttpDeps, limits: RateLimits): AdmitRequest {
  const rightLogins = new Set<string>();

  return async (request) => {
    const header = request.headers.authorization;
    if (header === undefined) return UNAUTHORIZED;
    const login = readBasic(header);
    if (login === undefined) return rejected(request, limits);
    const known = `${request.ip} ${login.username}`;
    // Someone else's wrong passwords must not lock out who shares the address and has logged in before.
    if (!rightLogins.has(known)) {
      const blockedForSeconds = await limits.loginsBlockedForSeconds(request);
      if (blockedForSeconds > 0) return tooManyLogins(blockedForSeconds);
    }
    const caller = await deps.authenticate(login.username, login.password);
    if (caller.outcome === 'UNAVAILABLE') {
      return {
        ok: false,
        problem: tryLater('upstream-unavailable', 'Credentials cannot be checked at the moment.', 2),
      };
    }
    if (caller.outcome === 'REJECTED') return rejected(request, limits);
    if (rightLogins.size >= REMEMBERED_LOGINS) rightLogins.clear();
    rightLogins.add(known);
    return { ok: true, caller };
  };
}

async function rejected(request: FastifyRequest, limits: RateLimits): Promise<Admission> {
  const blockedForSeconds = await limits.countFailedLogin(request);
  return blockedForSeconds > 0 ? tooManyLogins(blockedForSeconds) : UNAUTHORIZED;
}

function tooManyLogins(seconds: number): Admission {
  const detail = `Too many failed logins from this address; try again in ${seconds} s.`;
  return { ok: false, problem: tryLater('rate-limited', detail, seconds) };
}

/** Why a valid credential may not do what it wants to; undefined when it may. */
export function forbidden(
  { environment, permissions }: Caller,
  access: Access | undefined,
  served: HttpDeps['environment'],
): ProblemAnswer | undefined {
  if (environment !== served) {
    return { code: 'forbidden', detail: `The credential belongs to ${environment}; this is ${served}.` };
  }
  if (access?.kind !== 'PERMISSION' || permissions.includes(access.permission)) return undefined;
  return {
    code: 'forbidden',
    detail: `This needs the permission ${access.permission}, which the credential does not have.`,
  };
}

const basic = /^basic +([A-Za-z0-9+/]+={0,2})$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a Basic Authorization header strictly: Node's own decoder accepts junk as base64. */
export function readBasic(header: string): { username: string; password: string } | undefined {
  const encoded = basic.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  const text = decoded(bytes);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 1) return undefined;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return undefined;
  }
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
