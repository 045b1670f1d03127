import type { EventFeeds, Events, FeedPart } from '@fairway/outbox';
import { Readable } from 'node:stream';
import {
  booleanField,
  createSlots,
  holdSlot,
  invalidFields,
  optional,
  type ProblemFacts,
  type Reading,
  refuse,
  type Registrar,
  STREAMS,
  tryLater,
} from '@fairway/api';
import type { Catalogue, NotificationOperationId } from './catalogue.ts';
import { eventCursor, placeField, type Reader, readableEvent, readWhich, unlisted } from './events.ts';

/** After how long without events something is sent, so that both sides notice that the other one is gone. */
const IDLE_MS = 15_000;
/** How soon a reader should come back. */
const COME_BACK_MS = 2_000;
/** How much is written before it is read. */
const AHEAD_BYTES = 16_384;

const TOO_MANY = tryLater(
  'rate-limited',
  `This organisation has ${STREAMS.ofOne} streams open; close one first.`,
  5,
);

const HEADERS = { 'x-accel-buffering': 'no' } as const;

type StreamParts = {
  readonly events: Pick<Events, 'list' | 'resends'>;
  readonly feeds: EventFeeds;
  readonly catalogue: Catalogue;
};

/** Registers the stream of events. */
export function registerEventStream(
  registrar: Registrar<NotificationOperationId>,
  { events, feeds, catalogue }: StreamParts,
): void {
  const streams = createSlots(STREAMS);
  const readFields = readWhich(catalogue);

  registrar.stream('streamEvents', {
    input: (fields) => ({
      ...readFields(fields),
      resends: optional(fields, 'resends', booleanField) === true,
    }),
    async answer({ resends, ...which }, call, reading) {
      const scope = catalogue.scopeOf(call);
      const last = lastPlace(reading);
      if (!last.ok) return last;
      if (!holdSlot(streams, scope.organisationId, reading.ended)) return refuse(TOO_MANY);
      const ask = { ...which, after: last.place ?? which.after };
      // The list is read before the answer begins: a place that is gone is then answered with a problem instead of a
      // stream.
      const listed = await events.list(scope, { ...ask, limit: 1 });
      if (!listed.ok) return refuse(unlisted(listed, catalogue));
      // This is read before the answer begins, too. A reader gets each event that is sent again after the beginning of
      // the answer.
      const resent = resends ? await events.resends(scope, { limit: 1 }) : undefined;
      const after = ask.after === 'NOW' ? listed.next : ask.after;
      const following = { ...ask, after, resentAfter: resent?.next, scope };
      const parts = feeds.follow(following, IDLE_MS, reading.ended);
      const start = ask.after === 'NOW' ? listed.next : undefined;
      const lines = linesOf(parts, { catalogue, reader: call.caller, start, ended: reading.ended });
      const stream = Readable.from(lines, { objectMode: false, highWaterMark: AHEAD_BYTES });
      return { ok: true, stream, contentType: 'text/event-stream; charset=utf-8', headers: HEADERS };
    },
  });
}

/** The place that a reader who comes back has reached. */
function lastPlace({ lastEventId }: Reading) {
  if (lastEventId === undefined || lastEventId === '') return { ok: true, place: undefined } as const;
  const read = placeField.read(lastEventId, 'QUERY');
  if (read.ok) return { ok: true, place: read.value } as const;
  return refuse(WRONG_ID);
}

const WRONG_ID: ProblemFacts = invalidFields([
  { pointer: '/Last-Event-ID', detail: 'The header Last-Event-ID must be an id of this stream.' },
]);

/** The parts of a feed as server-sent events. `start`: where a reader begins who does not know its place yet. */
async function* linesOf(
  parts: AsyncIterable<FeedPart>,
  {
    catalogue,
    reader,
    start,
    ended,
  }: {
    readonly catalogue: Catalogue;
    readonly reader: Reader;
    readonly start: FeedPart['place'] | undefined;
    readonly ended: AbortSignal;
  },
): AsyncGenerator<string> {
  yield `retry: ${COME_BACK_MS}\n${start === undefined ? '' : `id: ${eventCursor(start)}\n`}\n`;
  for await (const { events, resent, place } of parts) {
    for (const event of events) {
      if (ended.aborted) return;
      const id = eventCursor({ ...place, position: event.position });
      yield `id: ${id}\ndata: ${JSON.stringify(readableEvent(event, catalogue, reader))}\n\n`;
    }
    // Without an id, so that a reader's place stays where it is.
    for (const event of resent) {
      if (ended.aborted) return;
      yield `event: resent\ndata: ${JSON.stringify(readableEvent(event, catalogue, reader))}\n\n`;
    }
    // The id also moves on when no event is one that the reader asked for.
    if (events.length + resent.length === 0) yield `: nothing new\nid: ${eventCursor(place)}\n\n`;
  }
}
