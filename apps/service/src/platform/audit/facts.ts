import type { AccessFact, Requester } from '@fairway/api';

/** Something that the audit log keeps. */
export type AuditFact =
  | AccessFact
  | ({ readonly event: 'REVEAL_GRANTED' } & ({ readonly planId: string } | { readonly recipientId: string }) &
      Requester)
  | ({
      readonly event: 'REVEAL_REFUSED';
      readonly reason: string;
      readonly planId?: string;
      readonly recipientId?: string;
    } & Requester)
  | ({ readonly event: 'ERASURE_GRANTED'; readonly recipientId: string } & Requester)
  | ({
      readonly event: 'ERASURE_REFUSED';
      readonly reason: string;
      readonly recipientId?: string;
    } & Requester)
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
