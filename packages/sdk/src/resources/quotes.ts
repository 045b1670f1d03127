import { bodyOf, type CallOptions, type Connection } from '../connection/connection.ts';
import type { QueryOf } from '../connection/parameters.ts';
import type { components } from '../generated/schema.ts';

/** A quote, derived from the chain when it was asked for. Nothing is stored. */
export type Quote = components['schemas']['Quote'];
/** What a quote is asked for. */
export type QuoteQuery = QueryOf<'getQuote'>;

/** Quotes of trades. */
export type Quotes = { get(query: QuoteQuery, options?: CallOptions): Promise<Quote> };

/** The quotes of a service. */
export function createQuotes({ api, sending }: Connection): Quotes {
  return {
    get: (query, options) => bodyOf(api.GET('/v1/quote', { params: { query }, ...sending(options) })),
  };
}
