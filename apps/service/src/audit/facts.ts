/**
 * Who did something. No fact contains text that a caller chose: the service gave `credentialId` and `organisationId`.
 * An address is written only as a keyed hash.
 */
type Who = {
  /** In a refused sign-in, this is the user name, if it has the form of the names that the service gives. */
  readonly credentialId?: string;
  readonly organisationId?: string;
  readonly address?: string;
};

/** Something that the audit log keeps. */
export type AuditFact =
  | ({ readonly event: 'SIGN_IN_GRANTED' } & Who)
  | ({
      readonly event: 'SIGN_IN_REFUSED';
      readonly status: number;
      /** What was wrong with the password of the request. TOO_MANY: too many were wrong before. */
      readonly reason: 'MISSING' | 'MALFORMED' | 'WRONG' | 'TOO_MANY';
      readonly route: string;
    } & Who)
  | ({
      readonly event: 'REQUEST_REFUSED';
      readonly status: number;
      /** Absent, like the address, when the request was refused unread because its organisation sends too much. */
      readonly route?: string;
    } & Who)
  | ({ readonly event: 'REVEAL_GRANTED' } & ({ readonly planId: string } | { readonly recipientId: string }) &
      Who)
  | ({
      readonly event: 'REVEAL_REFUSED';
      readonly reason: string;
      readonly planId?: string;
      readonly recipientId?: string;
    } & Who)
  | ({ readonly event: 'ERASURE_GRANTED'; readonly recipientId: string } & Who)
  | ({ readonly event: 'ERASURE_REFUSED'; readonly reason: string; readonly recipientId?: string } & Who)
  | {
      readonly event: 'CREDENTIAL_CREATED';
      readonly credentialId: string;
      readonly environment: string;
      readonly permissions: readonly string[];
      readonly expiresAt: string | null;
    }
  | {
      readonly event: 'CREDENTIAL_ROTATED';
      readonly credentialId: string;
      readonly previousValidUntil: string;
    }
  | { readonly event: 'CREDENTIAL_REVOKED'; readonly credentialId: string; readonly revokedAt: string }
  | {
      readonly event: 'WEBHOOK_CHANGED';
      readonly change: 'CREATED' | 'EDITED' | 'DELETED' | 'ENABLED' | 'SECRET_ROTATED';
      readonly endpointId: string;
      readonly credentialId: string;
      readonly organisationId: string;
    }
  | { readonly event: 'CREDENTIALS_LISTED'; readonly count: number }
  | { readonly event: 'PLANS_LISTED'; readonly count: number }
  | { readonly event: 'PLAN_SHOWN'; readonly planId: string; readonly organisationId: string }
  | {
      readonly event: 'PLAN_AGAIN';
      readonly planId: string;
      readonly organisationId: string;
      readonly did: string;
    }
  | {
      readonly event: 'PLAN_ENDED';
      readonly planId: string;
      readonly organisationId: string;
      readonly reason: string;
      readonly forced: boolean;
    }
  | { readonly event: 'RESTORE_MARKED'; readonly since: string; readonly epoch: number }
  | { readonly event: 'COMMAND_REFUSED'; readonly reason: string }
  | { readonly event: 'CONFIGURATION'; readonly digest: string; readonly summary: object };

/** Where the rest of the service hands over what the audit log keeps. It never waits and never throws. */
export type AuditPort = { record(fact: AuditFact): void };

/** The port of a process without an audit log. */
export const NO_AUDIT: AuditPort = { record: () => undefined };
