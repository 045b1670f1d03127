import { bodyOf, type CallOptions, type Connection } from '../connection/connection.ts';
import type { QueryOf } from '../connection/parameters.ts';
import type { components } from '../generated/schema.ts';

/** A chain that quotes and swaps can name. */
export type Chain = components['schemas']['Chain'];
/** A token of a market. */
export type MarketToken = components['schemas']['MarketToken'];
/** A contract that instructions can call. */
export type Router = components['schemas']['Router'];
/** A payment corridor. */
export type Corridor = components['schemas']['Corridor'];
/** A JSON Schema of what a corridor needs of a recipient. */
export type RecipientRequirements = components['schemas']['RecipientRequirements'];

/** What can be traded and paid. */
export type Markets = {
  chains(options?: CallOptions): Promise<Chain[]>;
  tokens(query?: QueryOf<'listTokens'>, options?: CallOptions): Promise<MarketToken[]>;
  routers(options?: CallOptions): Promise<Router[]>;
  corridors(query?: QueryOf<'listCorridors'>, options?: CallOptions): Promise<Corridor[]>;
  requirements(
    corridorId: string,
    query?: QueryOf<'getRequirements'>,
    options?: CallOptions,
  ): Promise<RecipientRequirements>;
};

/** The markets of a service. */
export function createMarkets({ api, sending }: Connection): Markets {
  return {
    chains: (options) => bodyOf(api.GET('/v1/markets/chains', sending(options))),
    tokens: (query = {}, options) =>
      bodyOf(api.GET('/v1/markets/tokens', { params: { query }, ...sending(options) })),
    routers: (options) => bodyOf(api.GET('/v1/markets/routers', sending(options))),
    corridors: (query = {}, options) =>
      bodyOf(api.GET('/v1/markets/corridors', { params: { query }, ...sending(options) })),
    requirements(corridorId, query = {}, options) {
      const params = { path: { corridorId }, query };
      return bodyOf(
        api.GET('/v1/markets/corridors/{corridorId}/requirements', { params, ...sending(options) }),
      );
    },
  };
}
