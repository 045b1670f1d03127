import type { ErasureKeeper } from '../erasures/erasureKeeper.ts';
import type { AuditPort } from '../audit/facts.ts';
import type { Authenticate, Store } from '@fairway/store';
import type { Logger } from 'pino';
import type { ChainService } from '../chains/chainService.ts';
import type { CollectParts } from '../collect/collectParts.ts';
import type { ReportParts } from '../reports/reportParts.ts';
import type { StatementParts } from '../statements/statementParts.ts';
import type { SandboxDeps } from '../sandbox/sandboxDeps.ts';
import type { EndpointParts } from '../webhooks/endpointParts.ts';
import type { GateLimits } from './limits/gate.ts';
import type { ConnectionLimits } from './limits/connections.ts';

/** Everything that the HTTP server needs, as plain functions and values. run.ts builds it, or a test. */
export type HttpDeps = {
  readonly environment: 'sandbox' | 'production';
  readonly version: string;
  /** Base URL of the service, without a trailing slash. A function, because the port is known only after listening. */
  publicUrl(): string;
  /** The service's clock. */
  nowMs(): number;
  /** Checks a credential. The implementation caches results, and does not throw when the database is unreachable. */
  readonly authenticate: Authenticate;
  readonly chains: readonly ChainService[];
  readonly payments: CollectParts;
  readonly events: Pick<Store['events'], 'list' | 'heard' | 'resends'>;
  readonly webhooks: EndpointParts;
  readonly reports: ReportParts;
  readonly statements: StatementParts;
  readonly limits: {
    /** For each organisation. */
    readonly requestsPerSecond: number;
    readonly failedLoginsPerMinute: number;
    /** Limits of the gate that differ from GATE_LIMITS. */
    readonly gate?: Partial<GateLimits>;
    /** Limits of connections that differ from CONNECTION_LIMITS. */
    readonly connections?: Partial<ConnectionLimits>;
  };
  /** Proxies whose X-Forwarded-For header is trusted, as addresses or CIDR ranges. None when absent. */
  readonly trustedProxies?: readonly string[];
  /** The certificate and private key in PEM form; HTTP without TLS when absent. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Present only when the built-in sandbox runs. */
  readonly sandbox?: SandboxDeps;
  /** Records refused requests, sign-ins and reveals. When it is absent, nothing is recorded. */
  readonly audit?: AuditPort;
  /** Where erasures of recipients are kept outside the database. */
  readonly erasures: ErasureKeeper;
  readonly log: Logger;
};
