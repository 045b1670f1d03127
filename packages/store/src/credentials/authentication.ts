import type { Environment } from '../database/schema.ts';
import type { CredentialRecord, Credentials } from './credentials.ts';
import { readThroughCache } from './credentialCache.ts';
import type { SecretHasher } from '../keys/secrets.ts';

/** Who a request comes from. UNAVAILABLE: the database is gone and nothing about the user is known. */
export type AuthenticationResult =
  | {
      outcome: 'AUTHENTICATED';
      credentialId: string;
      organisationId: string;
      environment: Environment;
      permissions: readonly string[];
    }
  | { outcome: 'REJECTED' }
  | { outcome: 'UNAVAILABLE' };

/**
 * Options of the authenticator. `nowMs` is the service's clock and decides expiry; `monotonicMs` measures
 * ages, which a clock that is set back must not stretch.
 */
export type AuthenticatorOptions = {
  store: Pick<Credentials, 'findCredential'> & { secrets: SecretHasher };
  nowMs: () => number;
  monotonicMs?: () => number;
  /** How old knowledge of a credential may be: the bound on how late a revocation takes effect. */
  recheckAfterMs?: number;
  /** How long a credential keeps working on old knowledge while the database is unavailable. */
  graceMs?: number;
  /** How long one request waits for the database before it counts as unavailable. */
  patienceMs?: number;
};

/** Checks a user name and password. */
export type Authenticate = (username: string, password: string) => Promise<AuthenticationResult>;

const REJECTED = { outcome: 'REJECTED' } as const;
const UNAVAILABLE = { outcome: 'UNAVAILABLE' } as const;
const USERNAME = /^cred_[0-9a-f]{32}$/;

/**
 * Makes the check of user names and passwords: from memory while what is known is young, else from the
 * database. A rejection never rests on old knowledge while the database answers, so a password works as
 * soon as the call that made it returns.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { store, nowMs, monotonicMs = () => performance.now() } = options;
  const { recheckAfterMs = 3_000, graceMs = 300_000, patienceMs = 1_500 } = options;
  const { hash, isEqual } = store.secrets;
  const cache = readThroughCache({ read: store.findCredential, monotonicMs, patienceMs });

  const decide = (record: CredentialRecord | undefined, presented: Buffer): AuthenticationResult => {
    // Both comparisons always run, for unknown users too: how long it takes says nothing.
    const isCurrent = isEqual(presented, record?.secretHash);
    const isPrevious = isEqual(presented, record?.previousSecretHash);
    if (record === undefined || record.isRevoked) return REJECTED;
    const now = nowMs();
    if (now >= record.expiresAtMs) return REJECTED;
    return isCurrent || (isPrevious && now < record.previousValidUntilMs) ? resultOf(record) : REJECTED;
  };

  const fromDatabase = async (username: string, presented: Buffer): Promise<AuthenticationResult> => {
    const calledAtMs = monotonicMs();
    const known = cache.get(username);
    const isAccepted = known !== undefined && decide(known.record, presented).outcome === 'AUTHENTICATED';
    // To accept again, an answer already on its way will do; to reject, only a question asked from now on.
    const fresh = await (isAccepted ? cache.join(username) : cache.refresh(username));
    const latest = fresh ?? cache.get(username);
    if (latest === undefined) return UNAVAILABLE;
    if (fresh === undefined && calledAtMs - latest.readAtMs >= graceMs) return UNAVAILABLE;
    return decide(latest.record, presented);
  };

  return (username, password) => {
    const presented = hash(username, password);
    if (!USERNAME.test(username)) return Promise.resolve(decide(undefined, presented));
    const known = cache.get(username);
    if (known?.record !== undefined && monotonicMs() - known.readAtMs < recheckAfterMs) {
      const result = decide(known.record, presented);
      if (result.outcome === 'AUTHENTICATED') return Promise.resolve(result);
    }
    return fromDatabase(username, presented);
  };
}

function resultOf(record: CredentialRecord): AuthenticationResult {
  return {
    outcome: 'AUTHENTICATED',
    credentialId: record.username,
    organisationId: record.organisationId,
    environment: record.environment,
    permissions: record.permissions,
  };
}
