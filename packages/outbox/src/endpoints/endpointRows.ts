import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { Row as TableRow } from '../database/schema.ts';
import { writePublishedEvents } from '../events/publishedEvents.ts';
import type { Sealing } from '@fairway/keys';
import type { Scope } from '@fairway/values';
import {
  type DisabledReason,
  type EndpointEventType,
  type EndpointNotice,
  endpointPlace,
  type EndpointSealed,
  type EndpointSecrets,
  type KeptEndpoint,
  type Telling,
} from './endpoint.ts';

/** An endpoint as it is found. `status` DELETED is for a reference that is used, and for nothing else. */
export type FoundEndpoint = {
  readonly kept: KeptEndpoint;
  readonly isDeleted: boolean;
  readonly isFailing: boolean;
  readonly bodyFingerprint: Buffer | null;
  readonly keyId: string | null;
  readonly sealed: Buffer | null;
};

type Row = {
  endpoint_id: string;
  client_reference: string | null;
  body_fingerprint: Buffer | null;
  url: string;
  types: readonly string[];
  description: string | null;
  header_names: readonly string[];
  has_client_certificate: boolean;
  status: 'ENABLED' | 'DISABLED' | 'DELETED';
  disabled_reason: DisabledReason | null;
  failing_since: Date | null;
  is_failing: boolean;
  created_at: Date;
  updated_at: Date;
  key_id: string | null;
  sealed: Buffer | null;
};

/** The columns that name an endpoint. */
export function endpointKey(
  { organisationId, environment }: Scope,
  endpointId: string,
): Pick<TableRow<'webhook_endpoints'>, 'organisation_id' | 'environment' | 'endpoint_id'> {
  return { organisation_id: organisationId, environment, endpoint_id: endpointId };
}

/** The condition that a row of `alias`, which is of an endpoint, is of this one. */
export function isEndpoint(
  { organisationId, environment }: Scope,
  endpointId: string,
  alias: 'w' | 'd' | 'h' = 'w',
): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql`${column('organisation_id')} = ${organisationId} and ${column('environment')} = ${environment}
    and ${column('endpoint_id')} = ${endpointId}`;
}

/** Loads endpoints. `condition` is about `w`, a row of them, and may end with an order, a limit and a lock. */
export async function loadEndpoints(
  database: QueryExecutorProvider,
  condition: RawBuilder<unknown>,
): Promise<FoundEndpoint[]> {
  const { rows } = await sql<Row>`
    select w.endpoint_id, w.client_reference, w.body_fingerprint, w.url, w.types, w.description, w.header_names,
      w.has_client_certificate, w.status, w.disabled_reason, w.failing_since, w.is_failing, w.created_at, w.updated_at,
      w.key_id, w.sealed
    from webhook_endpoints w where ${condition}`.execute(database);
  return rows.map(foundOf);
}

/** The endpoint of an id that is not deleted; undefined when the scope has none. */
export async function findEndpoint(
  database: QueryExecutorProvider,
  scope: Scope,
  endpointId: string,
): Promise<FoundEndpoint | undefined> {
  const [found] = await loadEndpoints(
    database,
    sql`${isEndpoint(scope, endpointId)} and w.status <> 'DELETED'`,
  );
  return found;
}

/** Locks an endpoint until the transaction ends, and reads it. */
export async function lockEndpoint(
  transaction: QueryExecutorProvider,
  scope: Scope,
  endpointId: string,
): Promise<FoundEndpoint | undefined> {
  const [found] = await loadEndpoints(
    transaction,
    sql`${isEndpoint(scope, endpointId)} and w.status <> 'DELETED' for no key update`,
  );
  return found;
}

/** What of an endpoint is sealed. */
export function openSecrets(
  sealing: Sealing,
  { organisationId }: Scope,
  { kept: { endpointId }, keyId, sealed }: FoundEndpoint,
): { readonly ok: true; readonly secrets: EndpointSecrets } | EndpointSealed {
  if (keyId === null || sealed === null)
    throw new Error('An endpoint that is not deleted must have secrets.');
  const opened = sealing.unseal(endpointPlace(organisationId, endpointId), { keyId, sealed });
  return opened.ok ? { ok: true, secrets: JSON.parse(opened.text) as EndpointSecrets } : opened;
}

/** Writes the published events about an endpoint, and hands out its notice, in the transaction that changes it. */
export async function writeEndpointEvent(
  transaction: QueryExecutorProvider,
  { publishedEventsOfEndpoint, addNotice }: Telling,
  scope: Scope,
  { type, endpoint, atMs }: { type: EndpointEventType; endpoint: KeptEndpoint; atMs: number },
): Promise<void> {
  await writePublishedEvents(transaction, scope, publishedEventsOfEndpoint(type, endpoint), atMs);
  const what = noticed(type, endpoint);
  if (what === undefined) return;
  const { endpointId, url } = endpoint;
  await addNotice(transaction, { scope, endpointId, host: new URL(url).host, atMs, ...what });
}

type Noticed<Notice> = Notice extends EndpointNotice
  ? Omit<Notice, 'scope' | 'endpointId' | 'host' | 'atMs'>
  : never;

/** The notice of an event; undefined for a change by somebody who knows of it. */
function noticed(
  type: EndpointEventType,
  { failingSinceMs, disabledReason }: KeptEndpoint,
): Noticed<EndpointNotice> | undefined {
  if (type === 'webhook_endpoint.recovered') return { kind: 'RECOVERED' };
  if (type === 'webhook_endpoint.failing' && failingSinceMs !== undefined)
    return { kind: 'FAILING', sinceMs: failingSinceMs };
  if (type !== 'webhook_endpoint.disabled' || disabledReason === 'DELETED') return undefined;
  return { kind: disabledReason === 'GONE' ? 'GONE' : 'DISABLED' };
}

function foundOf(row: Row): FoundEndpoint {
  const { client_reference, description, disabled_reason, failing_since } = row;
  return {
    kept: {
      endpointId: row.endpoint_id,
      ...(client_reference === null ? {} : { clientReference: client_reference }),
      url: row.url,
      types: row.types,
      ...(description === null ? {} : { description }),
      headerNames: row.header_names,
      hasClientCertificate: row.has_client_certificate,
      status: row.status === 'ENABLED' ? 'ENABLED' : 'DISABLED',
      ...(disabled_reason === null ? {} : { disabledReason: disabled_reason }),
      ...(failing_since === null ? {} : { failingSinceMs: failing_since.getTime() }),
      createdAtMs: row.created_at.getTime(),
      updatedAtMs: row.updated_at.getTime(),
    },
    isDeleted: row.status === 'DELETED',
    isFailing: row.is_failing,
    bodyFingerprint: row.body_fingerprint,
    keyId: row.key_id,
    sealed: row.sealed,
  };
}
