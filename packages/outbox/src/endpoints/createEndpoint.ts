import { sql } from 'kysely';
import type { Database } from '../database/schema.ts';
import { surely } from '@fairway/postgres';
import type { Scope } from '@fairway/values';
import { type EndpointParts, endpointPlace, type EndpointSecrets, type KeptEndpoint } from './endpoint.ts';
import { endpointKey, findEndpoint, type FoundEndpoint, loadEndpoints } from './endpointRows.ts';

/** How many endpoints an organisation may have in an environment. */
export const MOST_ENDPOINTS = 20;

/** What an endpoint is made of. `bodyFingerprint`: of the request, where it has a reference of its own. */
export type EndpointCreation = {
  readonly endpointId: string;
  readonly clientReference?: string;
  readonly url: string;
  readonly types: readonly string[];
  readonly description?: string;
  readonly secrets: EndpointSecrets;
  readonly bodyFingerprint: Buffer | undefined;
};

/**
 * The endpoint that was made, or the one that the reference was used for before. `bodyFingerprint` is undefined when it was made
 * with a key that is lost. `isDeleted`: it was deleted since. TOO_MANY: the organisation has as many as it may.
 */
export type CreatedEndpoint =
  | { readonly ok: true; readonly outcome: 'CREATED'; readonly endpoint: KeptEndpoint }
  | {
      readonly ok: true;
      readonly outcome: 'EXISTS';
      readonly endpoint: KeptEndpoint;
      readonly isDeleted: boolean;
      readonly bodyFingerprint: Buffer | undefined;
    }
  | { readonly ok: false; readonly reason: 'TOO_MANY' };

/** Keeps an endpoint with its sealed secrets. A reference can be used once. */
export async function createEndpoint(
  parts: EndpointParts,
  scope: Scope,
  creation: EndpointCreation,
  atMs: number,
): Promise<CreatedEndpoint> {
  return surely(() =>
    parts.database.transaction().execute((transaction) => insert(transaction, parts, scope, creation, atMs)),
  );
}

async function insert(
  transaction: Database,
  { sealing, comparable }: EndpointParts,
  scope: Scope,
  creation: EndpointCreation,
  atMs: number,
): Promise<CreatedEndpoint> {
  const { organisationId, environment } = scope;
  const { endpointId, clientReference = null, url, types, description = null, secrets } = creation;
  const own = await findEndpoint(transaction, scope, endpointId);
  if (own !== undefined) return { ok: true, outcome: 'CREATED', endpoint: own.kept };
  // Endpoints of an organisation are made one after the other, so that they can be counted.
  await sql`select from organisations where id = ${organisationId} for no key update`.execute(transaction);
  const [earlier] =
    clientReference === null
      ? []
      : await loadEndpoints(
          transaction,
          sql`w.organisation_id = ${organisationId} and w.environment = ${environment}
            and w.client_reference = ${clientReference}`,
        );
  if (earlier !== undefined) return existing(comparable, earlier);
  const all = await loadEndpoints(
    transaction,
    sql`w.organisation_id = ${organisationId} and w.environment = ${environment} and w.status <> 'DELETED'`,
  );
  if (all.length >= MOST_ENDPOINTS) return { ok: false, reason: 'TOO_MANY' };
  const { keyId, sealed } = sealing.seal(endpointPlace(organisationId, endpointId), JSON.stringify(secrets));
  const at = new Date(atMs);
  await transaction
    .insertInto('webhook_endpoints')
    .values({
      ...endpointKey(scope, endpointId),
      client_reference: clientReference,
      body_fingerprint: creation.bodyFingerprint ?? null,
      url,
      types: [...types],
      description,
      header_names: Object.keys(secrets.headers),
      has_client_certificate: secrets.clientCertificate !== undefined,
      status: 'ENABLED',
      ...{ created_at: at, updated_at: at, key_id: keyId, sealed },
    })
    .execute();
  const made = await findEndpoint(transaction, scope, endpointId);
  if (made === undefined) throw new Error('An endpoint must be there once it was written.');
  return { ok: true, outcome: 'CREATED', endpoint: made.kept };
}

function existing(
  comparable: EndpointParts['comparable'],
  { kept, isDeleted, bodyFingerprint }: FoundEndpoint,
): CreatedEndpoint {
  return {
    ...{ ok: true, outcome: 'EXISTS', endpoint: kept, isDeleted },
    bodyFingerprint: bodyFingerprint === null ? undefined : comparable(bodyFingerprint),
  };
}
