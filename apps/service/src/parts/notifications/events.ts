import type { EventPlace, Events, KeptEvent } from '@fairway/outbox';
import { LIMITS, SUBJECT_ID_PATTERN, SUBJECT_READERS, type SubjectType, WEBHOOK_LIMITS } from '@fairway/wire';
import { eventTypeField } from './eventTypeField.ts';
import {
  actingOf,
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
export function registerEvents(registrar: Registrar, events: Pick<Events, 'list'>): void {
  registrar.page('listEvents', {
    input: readEventList,
    async answer(ask, call) {
      const { scope } = actingOf(call);
      const listed = await events.list(scope, ask);
      return listed.ok ? pageOf(listed.events, listed.next, call.caller) : refuse(unlisted(listed));
    },
  });
}

/** Why there is no list. */
export function unlisted({ reason }: Exclude<Listed, { ok: true }>): ProblemFacts {
  return UNLISTED[reason];
}

const REMEDY = 'Read the plans that concern you (GET /v1/payments), and ask again without after.';
const UNLISTED: Readonly<Record<'EXPIRED' | 'UNKNOWN' | 'AHEAD', ProblemFacts>> = {
  EXPIRED: {
    code: 'cursor-expired',
    detail: `Events that follow this place are no longer kept. ${REMEDY}`,
  },
  UNKNOWN: { code: 'cursor-expired', detail: `No event that is kept has this id. ${REMEDY}` },
  AHEAD: {
    code: 'cursor-expired',
    detail: `No event has come as far as this place: another service gave it, or the database was put back. ${REMEDY}`,
  },
};

/** The events that fit on a page, and the place behind them. */
function pageOf(events: readonly KeptEvent[], next: ListedPlace, caller: Reader): Answer<never> {
  const texts: string[] = [];
  let bytes = 0;
  let { position } = next;
  for (const event of events) {
    const text = JSON.stringify(readableEvent(event, caller));
    bytes += Buffer.byteLength(text);
    if (texts.length > 0 && bytes > LIMITS.pageBytes) break;
    texts.push(text);
    position = texts.length === events.length ? next.position : event.position;
  }
  const nextCursor = JSON.stringify(eventCursor({ ...next, position }));
  return { ok: true, json: `{"data":[${texts.join(',')}],"nextCursor":${nextCursor}}` };
}

/** The cursor of what follows a place. */
export function eventCursor({ epoch, position }: ListedPlace): string {
  return cursorOf(SEAL, `${epoch}_${position}`);
}

/** Who reads events. */
export type Reader = { readonly environment: string; readonly permissions: readonly string[] };

/** An event as a credential may read it: without what it tells of a subject that the credential could not ask for. */
export function readableEvent(event: KeptEvent, { environment, permissions }: Reader): object {
  const needed = SUBJECT_READERS[event.subject.type as SubjectType];
  const isReadable = needed === undefined || permissions.includes(needed);
  return eventOf(isReadable ? event : { ...event, data: { data: { object: {} } } }, environment);
}

/** A whole event. */
export function eventOf(
  { eventId, type, subject, sequence, atMs, data }: KeptEvent,
  environment: string,
): object {
  const head = { id: eventId, type, timestamp: timestampOf(atMs), apiVersion: 'v1', environment };
  return { ...head, subject, sequence, ...data };
}

const typesField = separatedField(eventTypeField(), {
  what: 'types of events',
  maximum: WEBHOOK_LIMITS.types,
});

const SUBJECT_ID = new RegExp(SUBJECT_ID_PATTERN);

/** The id of a subject. A text that is none, such as the id of a step, would be answered with no events for ever. */
const subjectField: FieldReader<string> = {
  must: 'the id of a subject, such as subject.id of an event: plan_, clr_, rcp_, whe_, rep_, stm_, ent_ or cred_ and hex digits, or service. Events of steps have the plan as their subject',
  read: (given) =>
    typeof given === 'string' && SUBJECT_ID.test(given) ? { ok: true, value: given } : { ok: false },
};

/** Reads which events are asked for. */
export function readWhich(fields: Fields) {
  const after = optional(fields, 'after', placeField);
  // The store finds all types that begin with `payment_plan.`.
  const types = optional(fields, 'type', typesField)?.map((type) => type.replace(/\*$/, ''));
  const subjectId = optional(fields, 'subject', subjectField);
  return { after, types, subjectId };
}

function readEventList(fields: Fields) {
  const which = readWhich(fields);
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
