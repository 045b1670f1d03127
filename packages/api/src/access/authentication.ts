import type { Access } from '@fairway/wire';
import type { FastifyRequest } from 'fastify';
import { tryLater } from '../answers/problemFacts.ts';
import type { ProblemAnswer } from '../answers/answer.ts';
import { createDigest } from '../limits/digest.ts';
import type { RateLimits } from '../limits/rates.ts';

/** Who sends a request, as its valid credential tells. */
export type Caller = {
  readonly outcome: 'AUTHENTICATED';
  readonly credentialId: string;
  readonly organisationId: string;
  readonly environment: 'sandbox' | 'production';
  readonly permissions: readonly string[];
  /** Whether the same password would be accepted now without a new check. */
  stillHolds(): boolean;
};

/** The result of a check. UNAVAILABLE: nobody can be asked at the moment. */
type AuthenticationResult = Caller | { readonly outcome: 'REJECTED' } | { readonly outcome: 'UNAVAILABLE' };

/** Checks a user name and a password. It does not throw when the database is away. */
export type Authenticate = (username: string, password: string) => Promise<AuthenticationResult>;

/** Who can ask for what is served. */
type Asked = {
  readonly authenticate: Authenticate;
  readonly environment: Caller['environment'];
  /** A sentence for callers without a valid credential: where they get one. */
  readonly credentialHint?: string | undefined;
};

/** The caller of a request, or the problem that refuses it. */
export type Admission =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly problem: ProblemAnswer };

/** Checks the credentials of requests. */
export type Authentication = {
  /** Who sends a header that was right lately, and still is. Asks nobody, and counts nothing. */
  known(header: string | undefined): Caller | undefined;
  /** Checks the credential of a request, which may wait for the database. */
  check(request: FastifyRequest): Promise<Admission>;
};

const BASIC_ASKED =
  'Send a valid credential with HTTP Basic authentication: "Authorization: Basic " and the base64 of username:password.';
/** Said to callers that send another scheme. It is of the header's form alone, and tells nothing about a credential. */
const NOT_BEARER =
  'Send the credential with HTTP Basic authentication, not as a Bearer token: "Authorization: Basic " and the base64 of username:password.';

function unauthorized(detail: string, { credentialHint }: Pick<Asked, 'credentialHint'>): Admission {
  return {
    ok: false,
    problem: {
      code: 'unauthorized',
      detail: credentialHint === undefined ? detail : `${detail} ${credentialHint}`,
      headers: { 'www-authenticate': 'Basic realm="fairway", charset="UTF-8"' },
    },
  };
}

type Login = { readonly username: string; readonly password: string };

/** How many right headers are remembered; then all are forgotten. */
const REMEMBERED = 10_000;

/** Makes the credential check for all operations that are not open. */
export function createAuthentication(
  deps: Pick<Asked, 'authenticate' | 'credentialHint'>,
  { logins }: RateLimits,
): Authentication {
  const refused = unauthorized(BASIC_ASKED, deps);
  const digestOf = createDigest();
  const right = new Map<string, Caller>();

  function remember(header: string, caller: Caller): void {
    if (right.size >= REMEMBERED) right.clear();
    right.set(digestOf(secretOf(header)), caller);
  }

  return {
    known(header) {
      const caller = header === undefined ? undefined : right.get(digestOf(secretOf(header)));
      return caller?.stillHolds() ? caller : undefined;
    },
    async check(request) {
      const header = request.headers.authorization;
      if (header === undefined) return refused;
      const login = readBasic(header);
      const guess = await logins.judge(request, {
        name: login?.username,
        secret: secretOf(header),
        check: () => checkLogin(deps, login),
        verdictOf: ({ outcome }) => VERDICTS[outcome],
      });
      if (!guess.ok) return LATER[guess.reason](guess.waitSeconds);
      if (guess.result.outcome === 'AUTHENTICATED') remember(header, guess.result);
      const admission = admissionOf(guess.result);
      if (admission !== undefined) return admission;
      return BEARER.test(header) ? unauthorized(NOT_BEARER, deps) : refused;
    },
  };
}

const VERDICTS = { AUTHENTICATED: 'RIGHT', REJECTED: 'WRONG', UNAVAILABLE: 'NEITHER' } as const;

/** Checks a login. A header that holds none is a wrong login. */
async function checkLogin(
  { authenticate }: Pick<Asked, 'authenticate'>,
  login: Login | undefined,
): Promise<AuthenticationResult> {
  return login === undefined ? { outcome: 'REJECTED' } : authenticate(login.username, login.password);
}

/** Undefined: the credential is none. */
function admissionOf(caller: AuthenticationResult): Admission | undefined {
  if (caller.outcome === 'REJECTED') return undefined;
  if (caller.outcome === 'AUTHENTICATED') return { ok: true, caller };
  const detail = 'Credentials cannot be checked at the moment.';
  return { ok: false, problem: tryLater('upstream-unavailable', detail, 2) };
}

const LATER = {
  TOO_MANY_WRONG: (seconds: number): Admission => {
    const detail = `Too many failed logins from this address or for this user name; try again in ${seconds} s.`;
    return { ok: false, problem: tryLater('rate-limited', detail, seconds) };
  },
  NO_PLACE: (seconds: number): Admission => {
    const detail = `Too many logins are being checked at the moment; try again in ${seconds} s.`;
    return { ok: false, problem: tryLater('overloaded', detail, seconds) };
  },
} as const;

/** The problem of a valid credential that may not use an operation; undefined when it may. */
export function forbidden(
  { environment, permissions }: Caller,
  access: Access | undefined,
  served: Caller['environment'],
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

/** Whether the credential of a request that was admitted is still good for it. Nothing is known while the database is away. */
export async function mayStillAsk(deps: Asked, request: FastifyRequest): Promise<boolean> {
  const found = await checkLogin(deps, readBasic(request.headers.authorization ?? ''));
  if (found.outcome === 'UNAVAILABLE') return true;
  const { access } = request.routeOptions.config;
  return found.outcome === 'AUTHENTICATED' && forbidden(found, access, deps.environment) === undefined;
}

/** The part of a header that tells one login from another: the scheme has many spellings, and a login has one encoding. */
function secretOf(header: string): string {
  return BASIC.exec(header)?.[1] ?? header;
}

const BEARER = /^bearer\b/i;
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a Basic Authorization header strictly, because Node's decoder accepts text that is not valid base64.
 *
 * @example
 * ```ts
 * import { readBasic } from '@fairway/api';
 *
 * readBasic('Basic Y3JlZDpzZWNyZXQ='); // { username: 'cred', password: 'secret' }
 * ```
 */
export function readBasic(header: string): Login | undefined {
  const encoded = BASIC.exec(header)?.[1];
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
