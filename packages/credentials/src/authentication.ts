import type { Environment } from '@fairway/values';
import type { CredentialRecord, Credentials } from './credentials.ts';
import { type Known, readThroughCache } from './credentialCache.ts';
import type { SecretHasher } from './secrets.ts';

/** Who sent a request. UNAVAILABLE: the database is away, and nothing is known about the user. */
export type AuthenticationResult =
  | {
      outcome: 'AUTHENTICATED';
      credentialId: string;
      organisationId: string;
      environment: Environment;
      permissions: readonly string[];
      /**
       * Whether the same password would be accepted now without a new read. False from the time when the credential is
       * read again, whatever that read finds.
       */
      stillHolds(): boolean;
    }
  | { outcome: 'REJECTED' }
  | { outcome: 'UNAVAILABLE' };

/**
 * Options of the authenticator. `nowMs` is the service's clock and decides expiry; `monotonicMs` measures ages and
 * never goes back.
 */
export type AuthenticatorOptions = {
  store: Pick<Credentials, 'findCredential'> & { secrets: SecretHasher };
  nowMs: () => number;
  monotonicMs?: () => number;
  /** How old the last read of a credential may be, and so how late a revocation takes effect. */
  recheckAfterMs?: number;
  /** How long a credential keeps working after its last read while the database is unavailable. */
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
 * Makes the check of user names and passwords, which reads from memory while the last read is recent, and else from the
 * database. While the database answers, a rejection needs a new read, so that a new password works at once.
 *
 * @example
 * ```ts
 * import { type AuthenticatorOptions, createAuthenticator } from '@fairway/credentials';
 *
 * declare const store: AuthenticatorOptions['store'];
 *
 * const authenticate = createAuthenticator({ store, nowMs: Date.now });
 * const { outcome } = await authenticate('cred_0123456789abcdef0123456789abcdef', 'secret');
 * ```
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { store, nowMs, monotonicMs = () => performance.now() } = options;
  const { recheckAfterMs = 3_000, graceMs = 300_000, patienceMs = 1_500 } = options;
  const { hash, isEqual } = store.secrets;
  const cache = readThroughCache({ read: store.findCredential, monotonicMs, patienceMs });

  const decide = (known: Known | undefined, presented: Buffer): AuthenticationResult => {
    const record = known?.record;
    // All of this always runs, even for unknown users, so that the time it takes reveals nothing.
    const isCurrent = isEqual(presented, record?.secretHash);
    const isPrevious = isEqual(presented, record?.previousSecretHash);
    const now = nowMs();
    if (known === undefined || record === undefined || record.isRevoked) return REJECTED;
    if (!isCurrent && !isPrevious) return REJECTED;
    const { expiresAtMs, previousValidUntilMs } = record;
    const endsAtMs = isCurrent ? expiresAtMs : Math.min(expiresAtMs, previousValidUntilMs);
    return now < endsAtMs ? resultOf(record, () => isRecent(known) && nowMs() < endsAtMs) : REJECTED;
  };

  /** Whether a read is the last one of its user name, and need not be repeated yet. */
  const isRecent = (known: Known): boolean =>
    monotonicMs() - known.readAtMs < recheckAfterMs && cache.get(known.username) === known;

  const fromDatabase = async (
    username: string,
    presented: Buffer,
    isAccepted: boolean,
    calledAtMs: number,
  ): Promise<AuthenticationResult> => {
    // A read that is running already is enough to accept again; a rejection needs a read that starts now.
    const fresh = await (isAccepted ? cache.join(username) : cache.refresh(username));
    const latest = fresh ?? cache.get(username);
    if (latest === undefined) return UNAVAILABLE;
    if (fresh === undefined && calledAtMs - latest.readAtMs >= graceMs) return UNAVAILABLE;
    return decide(latest, presented);
  };

  return (username, password) => {
    const presented = hash(username, password);
    if (!USERNAME.test(username)) return Promise.resolve(decide(undefined, presented));
    const known = cache.get(username);
    const calledAtMs = monotonicMs();
    const remembered = decide(known, presented);
    const isAccepted = remembered.outcome === 'AUTHENTICATED';
    if (isAccepted && remembered.stillHolds()) return Promise.resolve(remembered);
    return fromDatabase(username, presented, isAccepted, calledAtMs);
  };
}

function resultOf(record: CredentialRecord, stillHolds: () => boolean): AuthenticationResult {
  return {
    outcome: 'AUTHENTICATED',
    credentialId: record.username,
    organisationId: record.organisationId,
    environment: record.environment,
    permissions: record.permissions,
    stillHolds,
  };
}
