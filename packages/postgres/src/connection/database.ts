import { Kysely, type PostgresPool, type PostgresPoolClient, PostgresDialect } from 'kysely';
import { type Pool, type PoolClient, type QueryResult, types } from 'pg';
import type { DatabaseConnection, DatabaseLimits } from './connection.ts';
import { openPool } from './pool.ts';
import { isUnavailable, thrownOf } from './unavailable.ts';
import { watchOutcomes } from './unknownOutcome.ts';

const REQUEST_LIMITS: DatabaseLimits = {
  connections: 10,
  connectTimeoutMs: 2_000,
  statementTimeoutMs: 5_000,
  lockTimeoutMs: 2_000,
};

/**
 * For work that no request waits for, such as a migration: it may take long, and waits for locks.
 *
 * @example
 * ```ts
 * import { LONG_LIMITS, openDatabase } from '@fairway/postgres';
 *
 * const database = openDatabase({ url: 'postgres://app@127.0.0.1/app' }, console.error, { limits: LONG_LIMITS });
 * await database.destroy();
 * ```
 */
export const LONG_LIMITS: DatabaseLimits = {
  connections: 2,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 3_600_000,
};

/** `limits`: those of requests, unless given. A query for whose text `examine` throws does not run. */
export type DatabaseOptions = {
  readonly limits?: DatabaseLimits;
  readonly examine?: (text: string) => void;
};

/**
 * Opens a query builder over tables of these types. Connections are made when first needed, so this neither waits nor
 * fails. int8 is bigint, timestamptz is Date, numeric is its own
 * digits. A server that goes away never ends the process: its error reaches the queries that were running, and `log`.
 * Queries then throw a DatabaseUnavailableError.
 *
 * @example
 * ```ts
 * import { openDatabase } from '@fairway/postgres';
 *
 * type Tables = { payments: { id: bigint; paid_at: Date } };
 * const connection = { url: 'postgres://app@127.0.0.1/app' };
 * const database = openDatabase<Tables>(connection, console.error);
 * const rows = await database.selectFrom('payments').select('id').execute();
 * await database.destroy();
 * ```
 */
export function openDatabase<Tables>(
  connection: DatabaseConnection,
  log: (message: string) => void,
  { limits = REQUEST_LIMITS, examine = () => {} }: DatabaseOptions = {},
): Kysely<Tables> {
  const pool = openPool(connection, log, { ...limits, types: { getTypeParser } });
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: poolOf(pool, examine) }) });
}

const INT8 = 20;

function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === INT8 ? BigInt : (types.getTypeParser(oid, format) as (value: string) => unknown);
}

function poolOf(pool: Pool, examine: (text: string) => void): PostgresPool {
  // The query builder remembers every client that it gets: one for each connection, not one for each query.
  const clients = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch((cause: unknown) => {
        throw thrownOf(cause);
      });
      const known = clients.get(client) ?? discardWhenBroken(client, examine);
      clients.set(client, known);
      return known;
    },
  };
}

/**
 * A client whose query met an unavailable server must not serve the next query. After a read timeout its connection
 * still waits for the old answer, possibly for the many minutes that TCP takes to give up.
 */
function discardWhenBroken(client: PoolClient, examine: (text: string) => void): PostgresPoolClient {
  let isBroken = false;
  const outcomes = watchOutcomes();
  const query = async (sql: string, parameters: unknown[]) => {
    examine(sql);
    try {
      const result = await client.query(sql, parameters);
      outcomes.done(sql);
      return takenOf(result);
    } catch (cause) {
      isBroken ||= isUnavailable(cause);
      throw outcomes.failed(sql, cause);
    }
  };
  const release = (destroy?: boolean) => client.release(destroy === true || isBroken);
  return Object.assign(Object.create(client) as PostgresPoolClient, { query, release });
}

/**
 * Takes the rows out of what the driver answered. The driver's objects of a finished query are dropped, but reach the
 * old generation of the heap. Garbage lies there until the whole heap is collected, and the rows stayed with it. So a
 * report of any length took 200 MB (docs/benchmarks.md).
 */
function takenOf(result: QueryResult): Pick<QueryResult, 'command' | 'rowCount' | 'rows'> {
  const { command, rowCount, rows } = result;
  result.rows = [];
  return { command, rowCount, rows };
}
