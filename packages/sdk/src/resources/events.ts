import { bodyOf, type CallOptions, type Connection } from '../connection/connection.ts';
import { type List, listOf } from '../connection/lists.ts';
import type { QueryOf } from '../connection/parameters.ts';
import type { components } from '../generated/schema.ts';
import {
  type FairwayEvent,
  type StreamedEvent,
  streamEvents,
  type StreamOptions,
  type StreamQuery,
} from '../stream/eventStream.ts';

export type { FairwayEvent, StreamedEvent, StreamOptions, StreamQuery } from '../stream/eventStream.ts';

type Schemas = components['schemas'];

/** What has happened, in one order. */
export type Events = {
  /** The events up to now, oldest first. `nextCursor` of a page is where to go on later, as `after`. */
  list(query?: QueryOf<'listEvents'>, options?: CallOptions): List<FairwayEvent>;
  /** The events as they happen, without an end. */
  stream(query: StreamQuery, options?: StreamOptions): AsyncIterableIterator<StreamedEvent>;
  /** Has an event sent again to webhook endpoints and to streams that ask for `resends`. */
  resend(
    eventId: string,
    request?: Schemas['EventResend'],
    options?: CallOptions,
  ): Promise<Schemas['ResentDeliveries']>;
};

/** The events of a service. */
export function createEvents(connection: Connection): Events {
  const { api, sending } = connection;
  return {
    list: (query = {}, options) =>
      listOf((cursor) => {
        const params = { query: cursor === undefined ? query : { ...query, after: cursor } };
        return bodyOf(api.GET('/v1/events', { params, ...sending(options) }));
      }),
    stream: (query, options) => streamEvents(connection, query, options),
    resend: (eventId, body = {}, options) =>
      bodyOf(
        api.POST('/v1/events/{eventId}/resend', {
          body,
          params: { path: { eventId } },
          ...sending(options),
        }),
      ),
  };
}
