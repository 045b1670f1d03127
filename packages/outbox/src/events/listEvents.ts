import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { Scope } from '@fairway/values';
import type { EventSubject } from './publishedEvents.ts';

/** An event as it was kept. */
export type KeptEvent = {
  readonly eventId: string;
  readonly type: string;
  readonly subject: EventSubject;
  readonly sequence: number;
  readonly atMs: number;
  readonly data: object;
  readonly position: bigint;
};

/**
 * From where on events are read. `position`: what follows it. `epoch`: the epoch in which the position was given out.
 * After a restore that lost the position, reading goes on with what follows the restore. `eventId`: what follows this
 * event. NOW: what is published from now on.
 */
export type EventPlace =
  | { readonly position: bigint; readonly epoch: bigint }
  | { readonly eventId: string }
  | 'NOW';

/** Which events to read, at most `limit`. `types`: whole types, or beginnings that end with a full stop. */
export type EventAsk = {
  readonly limit: number;
  readonly after?: EventPlace | undefined;
  readonly types?: readonly string[] | undefined;
  readonly subjectId?: string | undefined;
};

/**
 * Events, oldest first, and the place behind them, from which reading goes on. The place is also given when there are
 * no events yet, or none of the requested types. EXPIRED: events that follow the place are no longer kept. UNKNOWN:
 * no event has this id. AHEAD: no event has reached this place. The place comes from another database, or from before
 * a restore that was not marked, so events to come would be skipped.
 */
export type ListedEvents =
  | {
      readonly ok: true;
      readonly events: readonly KeptEvent[];
      readonly next: { readonly position: bigint; readonly epoch: bigint };
    }
  | { readonly ok: false; readonly reason: 'EXPIRED' | 'UNKNOWN' | 'AHEAD' };

/** An event as a row. */
export type EventRow = {
  event_id: string;
  type: string;
  subject_type: string;
  subject_id: string;
  sequence_number: bigint;
  at: Date;
  data: object;
  place_number: bigint;
};

/**
 * Reads events of an organisation in the order of their positions. The head is read before the events, so that none that
 * becomes visible between the two queries is passed over.
 */
export async function listEvents(database: Database, scope: Scope, ask: EventAsk): Promise<ListedEvents> {
  const { organisationId, environment } = scope;
  const { head, pruned, epoch } = await publicationOf(database, environment);
  const after = ask.after === 'NOW' ? head : ((await startOf(database, scope, ask.after, head)) ?? pruned);
  if (after === 'UNKNOWN') return { ok: false, reason: after };
  if (after > head) return { ok: false, reason: 'AHEAD' };
  const upTo = ask.types === undefined ? head : await endOfScan(database, scope, ask, after, head);
  const { rows } = await sql<EventRow>`
      select event_id, type, subject_type, subject_id, sequence as sequence_number, at, data, position as place_number
      from events
      where organisation_id = ${organisationId} and environment = ${environment}
        and position > ${after} and position <= ${upTo} ${isAsked(ask)}
      order by position limit ${ask.limit}`.execute(database);
  // Events may have been forgotten since the first query.
  const now = await publicationOf(database, environment);
  if (ask.after !== undefined && after < now.pruned) return { ok: false, reason: 'EXPIRED' };
  const events = rows.map(eventOf);
  const last = events.length < ask.limit ? undefined : events.at(-1);
  return { ok: true, events, next: { position: last?.position ?? (upTo > after ? upTo : after), epoch } };
}

/** How many events are looked through for those of some types: a rare type costs one page no more than that. */
const MOST_SCANNED = 5_000;

/** The position up to which events are looked through for their types. */
async function endOfScan(
  database: Database,
  { organisationId, environment }: Scope,
  { subjectId }: EventAsk,
  after: bigint,
  head: bigint,
): Promise<bigint> {
  const { rows } = await sql<{ last_number: bigint | null; scanned_count: bigint }>`
    select max(place) as last_number, count(*) as scanned_count from (
      select position as place from events
      where organisation_id = ${organisationId} and environment = ${environment}
        and position > ${after} and position <= ${head} ${isOf(subjectId)}
      order by position limit ${MOST_SCANNED}
    ) as scanned`.execute(database);
  const { last_number = null, scanned_count = 0n } = rows[0] ?? {};
  return last_number === null || scanned_count < BigInt(MOST_SCANNED) ? head : last_number;
}

/** How far events are published and forgotten, and the newest epoch. */
type Publication = { readonly head: bigint; readonly pruned: bigint; readonly epoch: bigint };

async function publicationOf(database: Database, environment: string): Promise<Publication> {
  const { rows } = await sql<Publication>`
    select coalesce(p.position, 0) as head, coalesce(p.pruned_position, 0) as pruned,
      (select coalesce(max(epoch), 0) from recoveries) as epoch
    from (select 1) here left join event_publication p on p.environment = ${environment}`.execute(database);
  return rows[0] ?? { head: 0n, pruned: 0n, epoch: 0n };
}

/** The position after which reading begins; undefined where nothing says it. */
async function startOf(
  database: Database,
  { organisationId, environment }: Scope,
  after: Exclude<EventPlace, 'NOW'> | undefined,
  head: bigint,
): Promise<bigint | 'UNKNOWN' | undefined> {
  if (after === undefined) return undefined;
  if ('position' in after) {
    const begin = await epochBegin(database, environment, sql`r.epoch > ${after.epoch}`);
    return begin !== undefined && after.position > begin ? begin : after.position;
  }
  const { rows } = await sql<{ place_number: bigint | null }>`
    select position as place_number from events
    where organisation_id = ${organisationId} and environment = ${environment} and event_id = ${after.eventId}`.execute(
    database,
  );
  const [found] = rows;
  // An event that is not published yet comes behind all that are. It is read once more itself, and nothing is
  // skipped.
  if (found !== undefined) return found.place_number ?? head;
  if (!/^evt_[0-9a-f]{32}$/.test(after.eventId)) return 'UNKNOWN';
  // An event of a time that a restore has lost.
  const at = timeOf(after.eventId);
  return (
    (await epochBegin(database, environment, sql`r.since <= ${at} and r.marked_at >= ${at}`)) ?? 'UNKNOWN'
  );
}

/** Where the first of these epochs begins; undefined where there is none. */
async function epochBegin(
  database: Database,
  environment: string,
  which: RawBuilder<unknown>,
): Promise<bigint | undefined> {
  const { rows } = await sql<{ begin: bigint | null }>`
    select min(coalesce(e.position, 0)) as begin from recoveries r
    left join event_epochs e on (e.environment, e.epoch) = (${environment}, r.epoch)
    where ${which}`.execute(database);
  return rows[0]?.begin ?? undefined;
}

/** When an event was written, as the UUID of version 7 in its id says. */
function timeOf(eventId: string): Date {
  const hexMs = `0x${eventId.slice('evt_'.length, 'evt_'.length + 12)}`;
  return new Date(Number(hexMs));
}

/** The condition that an event is of the types and the subject that are asked for. */
export function isAsked({ types, subjectId }: Pick<EventAsk, 'types' | 'subjectId'>): RawBuilder<unknown> {
  const beginnings = types?.filter((type) => type.endsWith('.')) ?? [];
  const whole = types?.filter((type) => !type.endsWith('.')) ?? [];
  const begins = beginnings.map((beginning) => sql`or starts_with(type, ${beginning})`);
  return sql`${types === undefined ? sql`` : sql`and (type = any(${whole}::text[]) ${sql.join(begins, sql` `)})`}
    ${isOf(subjectId)}`;
}

function isOf(subjectId: string | undefined): RawBuilder<unknown> {
  return subjectId === undefined ? sql`` : sql`and subject_id = ${subjectId}`;
}

/** An event of a row. */
export function eventOf(row: EventRow): KeptEvent {
  return {
    eventId: row.event_id,
    type: row.type,
    subject: { type: row.subject_type, id: row.subject_id },
    sequence: Number(row.sequence_number),
    atMs: row.at.getTime(),
    data: row.data,
    position: row.place_number,
  };
}
