import { bodyOf, type CallOptions, type Connection } from '../connection/connection.ts';
import { from, type List, listOf } from '../connection/lists.ts';
import type { QueryOf } from '../connection/parameters.ts';
import type { components } from '../generated/schema.ts';

/** One round of asking a recipient where the money goes. */
export type CollectRequest = components['schemas']['CollectRequest'];

/** Rounds of asking recipients. */
export type CollectRequests = {
  list(query?: QueryOf<'listCollectRequests'>, options?: CallOptions): List<CollectRequest>;
  get(collectRequestId: string, options?: CallOptions): Promise<CollectRequest>;
};

/** The collect requests of a service. */
export function createCollectRequests({ api, sending }: Connection): CollectRequests {
  return {
    list: (query = {}, options) =>
      listOf((cursor) =>
        bodyOf(
          api.GET('/v1/collect_requests', { params: { query: from(query, cursor) }, ...sending(options) }),
        ),
      ),
    get(collectRequestId, options) {
      const params = { path: { collectRequestId } };
      return bodyOf(api.GET('/v1/collect_requests/{collectRequestId}', { params, ...sending(options) }));
    },
  };
}
