import type { EventPlace, Events, KeptEvent } from '@fairway/outbox';
import { LIMITS, WEBHOOK_LIMITS } from '@fairway/wire';
import type { Catalogue, NotificationOperationId } from './catalogue.ts';
import { eventTypeField } from './eventTypeField.ts';
import {
  type Answer,
  cursorField,
  cursorOf,
  type FieldReader,
  type Fields,
  integerField,
  optional,
  type ProblemFacts,
  refuse,
  type Registrar,
  sealOf,
  separatedField,
  timestampOf,
} from '@fairway/api';

/** A cursor names a place among all events, so that it fits every filter. */
const SEAL = sealOf('events', {});

type Listed = Awaited<ReturnType<Events['list']>>;
type ListedPlace = Extract<EventPlace, { position: bigint }>;

/** Registers the list of events. */
export function registerEvents(
  registrar: Registrar<NotificationOperationId>,
  events: Pick<Events, 'list'>,
  catalogue: Catalogue,
): void {
  const readFields = readWhich(catalogue);
  registrar.page('listEvents', {
    input: (fields) => readEventList(fields, readFields),
    async answer(ask, call) {
      const listed = await events.list(catalogue.scopeOf(call), ask);
      if (!listed.ok) return refuse(unlisted(listed, catalogue));
      const read = (event: KeptEvent) => readableEvent(event, catalogue, call.caller);
      return pageOf(listed.events, listed.next, read);
    },
  });
}

/** Why there is no list. */
export function unlisted(
  { reason }: Exclude<Listed, { ok: true }>,
  { readAnew }: Pick<Catalogue, 'readAnew'>,
): ProblemFacts {
  return {
    code: 'cursor-expired',
    detail: `${UNLISTED[reason]} ${readAnew}, and ask again without after.`,
  };
}

const UNLISTED: Readonly<Record<'EXPIRED' | 'UNKNOWN' | 'AHEAD', string>> = {
  EXPIRED: 'Events that follow this place are no longer kept.',
  UNKNOWN: 'No event that is kept has this id.',
  AHEAD: 'No event has come as far as this place: another service gave it, or the database was put back.',
};

/** The events that fit on a page, and the place behind them. */
function pageOf(
  events: readonly KeptEvent[],
  next: ListedPlace,
  read: (event: KeptEvent) => object,
): Answer<never> {
  const texts: string[] = [];
  let bytes = 0;
  let { position } = next;
  for (const event of events) {
    const text = JSON.stringify(read(event));
    bytes += Buffer.byteLength(text);
    if (texts.length > 0 && bytes > LIMITS.pageBytes) break;
    texts.push(text);
    position = texts.length === events.length ? next.position : event.position;
  }
  const nextCursor = JSON.stringify(eventCursor({ ...next, position }));
  return { ok: true, json: `{"data":[${texts.join(',')}],"nextCursor":${nextCursor}}` };
}

/**
 * The cursor of what follows a place.
 *
 * @example
 * ```ts
 * import { eventCursor } from '@fairway/notifications';
 *
 * const cursor = eventCursor({ epoch: 0n, position: 12n });
 * ```
 */
export function eventCursor({ epoch, position }: ListedPlace): string {
  return cursorOf(SEAL, `${epoch}_${position}`);
}

/** Who reads events. */
export type Reader = { readonly environment: string; readonly permissions: readonly string[] };

/**
 * An event as a credential may read it: without what it tells of a subject that the credential could not ask for.
 *
 * @example
 * ```ts
 * import { type Catalogue, readableEvent } from '@fairway/notifications';
 * import type { KeptEvent } from '@fairway/outbox';
 *
 * declare const event: KeptEvent;
 * declare const catalogue: Catalogue;
 * const shown = readableEvent(event, catalogue, { environment: 'production', permissions: ['payments:read'] });
 * ```
 */
export function readableEvent(
  event: KeptEvent,
  { readerOf }: Pick<Catalogue, 'readerOf'>,
  { environment, permissions }: Reader,
): object {
  const needed = readerOf(event.subject.type);
  const isReadable = needed === undefined || permissions.includes(needed);
  return eventOf(isReadable ? event : { ...event, data: { data: { object: {} } } }, environment);
}

/**
 * A whole event, as receivers get it.
 *
 * @example
 * ```ts
 * import { eventOf } from '@fairway/notifications';
 * import type { KeptEvent } from '@fairway/outbox';
 *
 * declare const event: KeptEvent;
 * const text = JSON.stringify(eventOf(event, 'production'));
 * ```
 */
export function eventOf(
  { eventId, type, subject, sequence, atMs, data }: KeptEvent,
  environment: string,
): object {
  const head = { id: eventId, type, timestamp: timestampOf(atMs), apiVersion: 'v1', environment };
  return { ...head, subject, sequence, ...data };
}

/** Makes what reads which events are asked for. */
export function readWhich(catalogue: Catalogue) {
  const typesField = separatedField(eventTypeField(catalogue), {
    what: 'types of events',
    maximum: WEBHOOK_LIMITS.types,
  });
  const { pattern, must } = catalogue.subjectIds;
  // A text that is no id, such as the id of a step, would be answered with no events for ever.
  const subjectField: FieldReader<string> = {
    must,
    read: (given) =>
      typeof given === 'string' && pattern.test(given) ? { ok: true, value: given } : { ok: false },
  };
  return (fields: Fields) => {
    const after = optional(fields, 'after', placeField);
    // The store finds all types that begin with `payment_plan.`.
    const types = optional(fields, 'type', typesField)?.map((type) => type.replace(/\*$/, ''));
    const subjectId = optional(fields, 'subject', subjectField);
    return { after, types, subjectId };
  };
}

function readEventList(fields: Fields, readFields: ReturnType<typeof readWhich>) {
  const which = readFields(fields);
  const limit = optional(fields, 'limit', integerField(LIMITS.pageSize)) ?? LIMITS.pageSize.default;
  return { ...which, limit };
}

const cursor = cursorField(SEAL);

/** A place among events. */
export const placeField: FieldReader<EventPlace> = {
  must: 'the nextCursor of the page before, the id of an event, or now',
  read(given, origin) {
    if (given === 'now') return { ok: true, value: 'NOW' };
    if (typeof given === 'string' && /^evt_[0-9a-f]{32}$/.test(given))
      return { ok: true, value: { eventId: given } };
    const place = cursor.read(given, origin);
    const [, epoch, position] = (place.ok && /^(\d{1,15})_(\d{1,15})$/.exec(place.value)) || [];
    if (epoch === undefined || position === undefined) return { ok: false };
    return { ok: true, value: { epoch: BigInt(epoch), position: BigInt(position) } };
  },
};
