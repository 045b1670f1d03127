import { bodyOf, type CallOptions, type Connection } from '../connection/connection.ts';
import type { QueryOf } from '../connection/parameters.ts';
import { sleep } from '../connection/waiting.ts';
import { AnswerError } from '../errors/transport.ts';
import type { components } from '../generated/schema.ts';
import { createReader, type Message } from './serverSentEvents.ts';

/** Something that happened: `type` says what, and so what `data.object` is. A later service may have more types. */
export type FairwayEvent = components['schemas']['Event'];

/** An event, and the place after it. */
export type StreamedEvent = {
  readonly event: FairwayEvent;
  /** Where to go on: keep it once the event is handled. An event that is sent again has none. */
  readonly cursor: string | undefined;
};

/** Which events are streamed, and from which place on. */
export type StreamQuery = QueryOf<'streamEvents'>;

/** How a stream is opened. */
export type StreamOptions = CallOptions & {
  /** How long a lost stream is tried to be opened again; 5 min where absent. */
  readonly budgetMs?: number | undefined;
  /** After how long without a byte the stream counts as lost; 30 s where absent, since a comment comes every 15 s. */
  readonly silenceMs?: number | undefined;
};

const BUDGET_MS = 300_000;
const SILENCE_MS = 30_000;
const RETRY_MS = 2_000;
/** A share of the wait is the same for everybody. The rest is random, so that readers do not come back all at once. */
const SURE_SHARE = 0.5;

/**
 * The events as they happen, without an end. A lost connection is opened again at the place after the last whole message, so that no
 * event is lost and none comes twice.
 */
export async function* streamEvents(
  connection: Connection,
  query: StreamQuery,
  options: StreamOptions = {},
): AsyncGenerator<StreamedEvent> {
  let cursor: string | undefined;
  let retryMs = RETRY_MS;
  for (;;) {
    const body = await open(connection, query, cursor, options);
    for await (const message of messagesOf(body, options)) {
      cursor = message.id ?? cursor;
      retryMs = message.retryMs ?? retryMs;
      if (message.data === undefined) continue;
      yield { event: JSON.parse(message.data) as FairwayEvent, cursor: message.id };
    }
    await sleep(retryMs * (SURE_SHARE + Math.random() * (1 - SURE_SHARE)), options.signal);
  }
}

async function open(
  { api, opening }: Connection,
  query: StreamQuery,
  cursor: string | undefined,
  { signal, budgetMs = BUDGET_MS }: StreamOptions,
): Promise<ReadableStream<Uint8Array>> {
  const header = cursor === undefined ? {} : { 'Last-Event-ID': cursor };
  const sent = { params: { query, header }, parseAs: 'stream' } as const;
  const body: unknown = await bodyOf(
    api.GET('/v1/events/stream', { ...sent, ...opening({ signal, budgetMs }) }),
  );
  return body as ReadableStream<Uint8Array>;
}

/** The messages of one connection, until it ends, is cut, or is silent for too long. */
async function* messagesOf(
  body: ReadableStream<Uint8Array>,
  { signal, silenceMs = SILENCE_MS }: StreamOptions,
): AsyncGenerator<Message> {
  const reader = body.getReader();
  const read = createReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const piece = await within(silenceMs, reader.read());
      if (piece === undefined || piece.done) return;
      yield* read(decoder.decode(piece.value, { stream: true }));
    }
  } catch (error) {
    // A cut connection is opened again. The caller's own end is an error, and so is what is not of the service.
    if (signal?.aborted === true || error instanceof AnswerError) throw error;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** What a promise gives, or undefined when that takes too long. */
async function within<Value>(timeMs: number, promise: Promise<Value>): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, timeMs, undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
