import type { Events } from '@fairway/outbox';
import { createServer, type Part, type ServerOptions } from '@fairway/api';
import { operation } from '@fairway/wire';
import type { FastifyInstance } from 'fastify';
import { type CollectParts, registerCollect } from './parts/collect/index.ts';
import { registerHealth } from './parts/health/index.ts';
import { registerServiceNotifications, type ServiceEndpointParts } from './parts/notifications/index.ts';
import { registerPayments } from './parts/payments/index.ts';
import { registerRecipients } from './parts/recipients/index.ts';
import { registerReconciliation, type StatementParts } from './parts/reconciliation/index.ts';
import { registerReference } from './parts/reference/index.ts';
import { registerReports, type ReportParts } from './parts/reports/index.ts';
import { registerSandbox, type SandboxDeps } from './parts/sandbox/index.ts';
import { registerTrading } from './parts/trading/index.ts';
import { type AuditPort, NO_AUDIT } from './platform/audit/facts.ts';
import type { ChainService } from './platform/chains/chainService.ts';
import type { ErasureKeeper } from './platform/erasures/erasureKeeper.ts';

/** Everything that the HTTP server needs, as plain functions and values. run.ts builds it, or a test. */
export type HttpDeps = Omit<ServerOptions, 'isOwnHostOnly' | 'audit'> & {
  readonly version: string;
  /** The service's clock. */
  nowMs(): number;
  readonly chains: readonly ChainService[];
  readonly payments: CollectParts;
  readonly events: Pick<Events, 'list' | 'heard' | 'resends'>;
  readonly webhooks: ServiceEndpointParts;
  readonly reports: ReportParts;
  readonly statements: StatementParts;
  /** Present only when the built-in sandbox runs. */
  readonly sandbox?: SandboxDeps;
  /** Records refused requests, sign-ins and reveals. When it is absent, nothing is recorded. */
  readonly audit?: AuditPort;
  /** Where erasures of recipients are kept outside the database. */
  readonly erasures: ErasureKeeper;
};

/** Makes the HTTP server of the API with all its parts; it does not listen yet. */
export function createHttpServer(deps: HttpDeps): FastifyInstance {
  const { audit = NO_AUDIT, sandbox } = deps;
  const options = { ...deps, audit, isOwnHostOnly: sandbox !== undefined };
  return createServer(options, operation, partsOf(deps, audit));
}

/** One line for each part of the service. */
function partsOf(deps: HttpDeps, audit: AuditPort): readonly Part[] {
  const { sandbox, payments, publicUrl } = deps;
  return [
    (door) => registerReference(door, { ...deps, isSandbox: sandbox !== undefined }),
    (door) => registerHealth(door, { ...deps, moments: payments.moments }),
    (door) => registerTrading(door, deps),
    (door) => registerPayments(door, payments, { publicUrl, audit }),
    (door) => registerCollect(door, payments, audit),
    (door) => registerRecipients(door, payments, audit, deps.erasures),
    (door) => registerServiceNotifications(door, { ...deps, audit }),
    (door) => registerReports(door, deps.reports, deps.log),
    (door) => registerReconciliation(door, deps.statements),
    (door) => sandbox && registerSandbox(door, sandbox, payments, deps.nowMs),
  ];
}
