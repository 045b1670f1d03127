import type { Database, RowChange } from '../database/schema.ts';
import type { Scope } from '@fairway/values';
import {
  type DisabledReason,
  type EndpointAbsent,
  type EndpointDisabled,
  type EndpointParts,
  endpointPlace,
  type EndpointSealed,
  type EndpointSecrets,
  type KeptEndpoint,
  type Telling,
} from './endpoint.ts';
import {
  endpointKey,
  findEndpoint,
  type FoundEndpoint,
  lockEndpoint,
  openSecrets,
  writeEndpointEvent,
} from './endpointRows.ts';

const UNFAILING = { failing_since: null, is_failing: false } satisfies RowChange<'webhook_endpoints'>;

/** How many secrets of an endpoint are in use at the same time: the present one, and those that it replaces. */
const MOST_SECRETS = 5;

/** What is changed of an endpoint; null takes away. */
export type EndpointEdit = {
  readonly url?: string;
  readonly types?: readonly string[];
  readonly description?: string | null;
  readonly headers?: EndpointSecrets['headers'];
  readonly clientCertificate?: EndpointSecrets['clientCertificate'] | null;
};

/** A change of an endpoint. ROTATED: the secrets until now are in use until `untilMs`. */
export type EndpointChange =
  | ({ readonly type: 'EDITED' } & EndpointEdit)
  | { readonly type: 'ROTATED'; readonly secret: string; readonly untilMs: number }
  | { readonly type: 'ENABLED' }
  | { readonly type: 'DELETED' };

/** The members of an endpoint that are meant only for the host that its owner gave them for. */
export type OfHost = 'headers' | 'clientCertificate';

/**
 * The endpoint after a change. NEEDED_AGAIN: the URL goes to another host. That host would get the `members` that
 * were meant for the one before, so they must be given again, or taken away.
 */
export type ChangedEndpoint =
  | { readonly ok: true; readonly endpoint: KeptEndpoint }
  | EndpointAbsent
  | EndpointSealed
  | { readonly ok: false; readonly reason: 'NEEDED_AGAIN'; readonly members: readonly OfHost[] };

/** Changes an endpoint, and writes its event, in one transaction. */
export async function changeEndpoint(
  parts: EndpointParts,
  scope: Scope,
  endpointId: string,
  change: EndpointChange,
  atMs: number,
): Promise<ChangedEndpoint> {
  return parts.database.transaction().execute(async (transaction) => {
    const found = await lockEndpoint(transaction, scope, endpointId);
    if (found === undefined) return { ok: false, reason: 'ENDPOINT_UNKNOWN' };
    if (change.type === 'DELETED') {
      const endpoint = await disable(transaction, parts, scope, found, { reason: 'DELETED', atMs });
      return { ok: true, endpoint };
    }
    if (change.type === 'ENABLED') {
      if (found.kept.status === 'ENABLED') return { ok: true, endpoint: found.kept };
      await transaction
        .updateTable('webhook_endpoints')
        .set({ status: 'ENABLED', disabled_reason: null, ...UNFAILING, updated_at: new Date(atMs) })
        .where((eb) => eb.and(endpointKey(scope, endpointId)))
        .execute();
    } else {
      const written = await rewrite(transaction, parts, scope, found, change, atMs);
      if (!written.ok) return written;
    }
    return { ok: true, endpoint: await told(transaction, parts, scope, endpointId, atMs) };
  });
}

async function told(
  transaction: Database,
  parts: EndpointParts,
  scope: Scope,
  endpointId: string,
  atMs: number,
): Promise<KeptEndpoint> {
  const after = await findEndpoint(transaction, scope, endpointId);
  if (after === undefined) throw new Error('An endpoint that is locked must stay.');
  const published = { type: 'webhook_endpoint.updated', endpoint: after.kept, atMs } as const;
  await writeEndpointEvent(transaction, parts, scope, published);
  return after.kept;
}

/** Writes new members and secrets. Sealed values are only opened where they change. */
async function rewrite(
  transaction: Database,
  { sealing }: EndpointParts,
  scope: Scope,
  found: FoundEndpoint,
  change: Extract<EndpointChange, { type: 'EDITED' | 'ROTATED' }>,
  atMs: number,
): Promise<{ readonly ok: true } | Exclude<ChangedEndpoint, { ok: true }>> {
  const { kept } = found;
  const edit: EndpointEdit = change.type === 'EDITED' ? change : {};
  const { url = kept.url, types = kept.types, description = kept.description ?? null } = edit;
  const members = neededAgain(kept, edit);
  if (members.length > 0) return { ok: false, reason: 'NEEDED_AGAIN', members };
  // What a former URL answered says nothing of the new one.
  const isFresh = url !== kept.url;
  await transaction
    .updateTable('webhook_endpoints')
    .set({ url, types: [...types], description, ...(isFresh ? UNFAILING : {}), updated_at: new Date(atMs) })
    .where((eb) => eb.and(endpointKey(scope, kept.endpointId)))
    .execute();
  if (change.type === 'EDITED' && edit.headers === undefined && edit.clientCertificate === undefined)
    return { ok: true };
  const opened = openSecrets(sealing, scope, found);
  if (!opened.ok) return opened;
  const secrets =
    change.type === 'EDITED' ? edited(opened.secrets, edit) : rotated(opened.secrets, change, atMs);
  const place = endpointPlace(scope.organisationId, kept.endpointId);
  const { keyId, sealed } = sealing.seal(place, JSON.stringify(secrets));
  const shown: RowChange<'webhook_endpoints'> = {
    header_names: Object.keys(secrets.headers),
    has_client_certificate: secrets.clientCertificate !== undefined,
  };
  await transaction
    .updateTable('webhook_endpoints')
    .set({ key_id: keyId, sealed, ...shown })
    .where((eb) => eb.and(endpointKey(scope, kept.endpointId)))
    .execute();
  return { ok: true };
}

/**
 * The members that a change of the URL alone would send to another host, to somebody who never knew them. Another
 * scheme or port is another host, too.
 */
function neededAgain(kept: KeptEndpoint, { url, headers, clientCertificate }: EndpointEdit): OfHost[] {
  if (url === undefined || new URL(url).origin === new URL(kept.url).origin) return [];
  const needed: OfHost[] = [];
  if (kept.headerNames.length > 0 && headers === undefined) needed.push('headers');
  if (kept.hasClientCertificate && clientCertificate === undefined) needed.push('clientCertificate');
  return needed;
}

function edited(before: EndpointSecrets, { headers, clientCertificate }: EndpointEdit): EndpointSecrets {
  const { clientCertificate: present, ...rest } = before;
  const next = clientCertificate === undefined ? present : (clientCertificate ?? undefined);
  return {
    ...rest,
    ...(headers === undefined ? {} : { headers }),
    ...(next === undefined ? {} : { clientCertificate: next }),
  };
}

/**
 * Secrets that were replaced before end with the one that is replaced now, or sooner. So a rotation whose answer was
 * lost can be repeated. A rotation without an overlap ends a secret that others know.
 */
function rotated(
  before: EndpointSecrets,
  { secret, untilMs }: { readonly secret: string; readonly untilMs: number },
  atMs: number,
): EndpointSecrets {
  const earlier = before.secrets
    .map(({ secret: former, untilMs: endMs = untilMs }) => ({
      secret: former,
      untilMs: endMs < untilMs ? endMs : untilMs,
    }))
    .filter((each) => each.untilMs > atMs);
  return { ...before, secrets: [{ secret }, ...earlier].slice(0, MOST_SECRETS) };
}

/**
 * Ends an endpoint that is locked: nothing more is sent to it, and what was due is CANCELLED. The secrets of one that is deleted are
 * destroyed.
 */
export async function disable(
  transaction: Database,
  parts: Telling,
  scope: Scope,
  { kept }: FoundEndpoint,
  { reason, atMs }: { readonly reason: DisabledReason; readonly atMs: number },
): Promise<KeptEndpoint> {
  const { endpointId } = kept;
  const isDeleted = reason === 'DELETED';
  const ended: RowChange<'webhook_endpoints'> = isDeleted
    ? { status: 'DELETED', key_id: null, sealed: null }
    : { status: 'DISABLED' };
  await transaction
    .updateTable('webhook_endpoints')
    .set({ ...ended, disabled_reason: reason, ...UNFAILING, updated_at: new Date(atMs) })
    .where((eb) => eb.and(endpointKey(scope, endpointId)))
    .execute();
  await transaction
    .updateTable('webhook_deliveries')
    .set({ status: 'CANCELLED', held_until: null })
    .where((eb) => eb.and({ ...endpointKey(scope, endpointId), status: 'PENDING' }))
    .execute();
  const { failingSinceMs: _, ...rest } = kept;
  const endpoint: KeptEndpoint = { ...rest, status: 'DISABLED', disabledReason: reason, updatedAtMs: atMs };
  await writeEndpointEvent(transaction, parts, scope, { type: 'webhook_endpoint.disabled', endpoint, atMs });
  return endpoint;
}

/** Has an event made that is for this endpoint alone, and answers its id. */
export async function testEndpoint(
  parts: EndpointParts,
  scope: Scope,
  endpointId: string,
  atMs: number,
): Promise<{ readonly ok: true; readonly eventId: string } | EndpointAbsent | EndpointDisabled> {
  return parts.database.transaction().execute(async (transaction) => {
    const found = await lockEndpoint(transaction, scope, endpointId);
    if (found === undefined) return { ok: false, reason: 'ENDPOINT_UNKNOWN' };
    if (found.kept.status !== 'ENABLED') return { ok: false, reason: 'ENDPOINT_DISABLED' };
    const published = { type: 'webhook_endpoint.test', endpoint: found.kept, atMs } as const;
    await writeEndpointEvent(transaction, parts, scope, published);
    const { organisationId, environment } = scope;
    const row = await transaction
      .selectFrom('events')
      .select('event_id')
      .where((eb) => eb.and({ organisation_id: organisationId, environment, subject_id: endpointId }))
      .where('position', 'is', null)
      .orderBy('written', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) throw new Error('A test of an endpoint must be an event.');
    return { ok: true, eventId: row.event_id };
  });
}
