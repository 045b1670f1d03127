import { bodyOf, type CallOptions, type Connection } from '../connection/connection.ts';
import { from, type List, listOf } from '../connection/lists.ts';
import type { QueryOf } from '../connection/parameters.ts';
import type { components } from '../generated/schema.ts';

type Schemas = components['schemas'];
/** A statement of a bank. */
export type Statement = Schemas['Statement'];
/** An entry of a bank's statement. */
export type StatementEntry = Schemas['StatementEntry'];
/** What a statement and the ledger do not agree on. */
export type StatementDifference = Schemas['StatementDifference'];
/** Where the fields are in a bank's CSV files. */
export type StatementMap = Schemas['StatementMap'];

/** A column map that a sample suggests, and what it would read. */
export type MapSuggestion = Schemas['MapSuggestion'];

/** A file of a bank. `map`: the name of the kept map that a CSV is read with. */
export type StatementFile = {
  readonly content: string | Uint8Array<ArrayBuffer>;
  readonly type: 'application/xml' | 'text/csv' | 'text/plain';
  readonly map?: string | undefined;
};

/** Statements of banks, compared with the ledger. */
export type Reconciliation = {
  readonly maps: {
    keep(name: string, map: Schemas['StatementColumnMap'], options?: CallOptions): Promise<StatementMap>;
    get(name: string, options?: CallOptions): Promise<StatementMap>;
    list(options?: CallOptions): List<StatementMap>;
    /** Proposes a map from the beginning of a CSV file. Nothing is kept. */
    suggest(
      sample: StatementFile['content'],
      query?: QueryOf<'suggestStatementMap'>,
      options?: CallOptions,
    ): Promise<MapSuggestion>;
  };
  readonly statements: {
    /** Imports a file. The same bytes are one import, however often they are sent. */
    import(file: StatementFile, options?: CallOptions): Promise<Statement>;
    get(statementId: string, options?: CallOptions): Promise<Statement>;
    list(query?: QueryOf<'listStatements'>, options?: CallOptions): List<Statement>;
    entries(
      statementId: string,
      query?: QueryOf<'listStatementEntries'>,
      options?: CallOptions,
    ): List<StatementEntry>;
    differences(
      statementId: string,
      query?: QueryOf<'listStatementDifferences'>,
      options?: CallOptions,
    ): List<StatementDifference>;
  };
  readonly entries: {
    get(entryId: string, options?: CallOptions): Promise<StatementEntry>;
    match(entryId: string, match: Schemas['EntryMatch'], options?: CallOptions): Promise<StatementEntry>;
    unmatch(entryId: string, options?: CallOptions): Promise<StatementEntry>;
    ignore(entryId: string, reason: Schemas['EntryIgnore'], options?: CallOptions): Promise<StatementEntry>;
  };
};

/** The reconciliation of a service. */
export function createReconciliation(connection: Connection): Reconciliation {
  return {
    maps: createMaps(connection),
    statements: createStatements(connection),
    entries: createEntries(connection),
  };
}

function createMaps({ api, sending }: Connection): Reconciliation['maps'] {
  const sent = (name: string, options?: CallOptions) => ({ params: { path: { name } }, ...sending(options) });
  return {
    keep: (name, body, options) =>
      bodyOf(api.PUT('/v1/reconciliation/maps/{name}', { body, ...sent(name, options) })),
    get: (name, options) => bodyOf(api.GET('/v1/reconciliation/maps/{name}', sent(name, options))),
    list: (options) => listOf(() => bodyOf(api.GET('/v1/reconciliation/maps', sending(options)))),
    suggest(sample, query = {}, options) {
      const file = {
        params: { query },
        headers: { 'content-type': 'text/csv' },
        bodySerializer: () => sample,
      };
      return bodyOf(api.POST('/v1/reconciliation/maps/suggest', { body: '', ...file, ...sending(options) }));
    },
  };
}

function createStatements({ api, sending }: Connection): Reconciliation['statements'] {
  return {
    import({ content, type, map }, options) {
      const file = {
        params: { query: map === undefined ? {} : { map } },
        headers: { 'content-type': type },
        bodySerializer: () => content,
      };
      return bodyOf(api.POST('/v1/reconciliation/statements', { body: '', ...file, ...sending(options) }));
    },
    get(statementId, options) {
      const params = { path: { statementId } };
      return bodyOf(api.GET('/v1/reconciliation/statements/{statementId}', { params, ...sending(options) }));
    },
    list: (query = {}, options) =>
      listOf((cursor) => {
        const params = { query: from(query, cursor) };
        return bodyOf(api.GET('/v1/reconciliation/statements', { params, ...sending(options) }));
      }),
    entries: (statementId, query = {}, options) =>
      listOf((cursor) => {
        const params = { path: { statementId }, query: from(query, cursor) };
        const path = '/v1/reconciliation/statements/{statementId}/entries';
        return bodyOf(api.GET(path, { params, ...sending(options) }));
      }),
    differences: (statementId, query = {}, options) =>
      listOf((cursor) => {
        const params = { path: { statementId }, query: from(query, cursor) };
        const path = '/v1/reconciliation/statements/{statementId}/differences';
        return bodyOf(api.GET(path, { params, ...sending(options) }));
      }),
  };
}

function createEntries({ api, sending }: Connection): Reconciliation['entries'] {
  const sent = (entryId: string, options?: CallOptions) => ({
    params: { path: { entryId } },
    ...sending(options),
  });
  return {
    get: (entryId, options) =>
      bodyOf(api.GET('/v1/reconciliation/entries/{entryId}', sent(entryId, options))),
    match: (entryId, body, options) =>
      bodyOf(api.POST('/v1/reconciliation/entries/{entryId}/match', { body, ...sent(entryId, options) })),
    unmatch: (entryId, options) =>
      bodyOf(api.POST('/v1/reconciliation/entries/{entryId}/unmatch', sent(entryId, options))),
    ignore: (entryId, body, options) =>
      bodyOf(api.POST('/v1/reconciliation/entries/{entryId}/ignore', { body, ...sent(entryId, options) })),
  };
}
