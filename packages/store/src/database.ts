import { Kysely, type PostgresPool, type PostgresPoolClient, PostgresDialect } from 'kysely';
import { type CustomTypesConfig, Pool, type PoolClient, types } from 'pg';
import type { Tables } from './schema.ts';
import { isUnavailable } from './unavailable.ts';

/** A PostgreSQL behind a UNIX socket: `host` is the folder that holds it. */
export type SocketConnection = { host: string; user: string; database: string };

/** Where the database is: `DATABASE_URL`, or the socket of one we run ourselves. */
export type DatabaseConnection = { url: string } | SocketConnection;

/** The query builder over our tables. int8 is bigint, timestamptz is Date, numeric is its own digits. */
export type Database = Kysely<Tables>;

/** Limits of one database handle. Absent `lockTimeoutMs`: locks are waited for as long as statements may run. */
export type DatabaseLimits = {
  connections: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  lockTimeoutMs?: number;
};

const REQUEST_LIMITS: DatabaseLimits = {
  connections: 10,
  connectTimeoutMs: 2_000,
  statementTimeoutMs: 5_000,
  lockTimeoutMs: 2_000,
};

/**
 * Opens a handle; connections are made when first needed, so this neither waits nor fails. A server that
 * goes away never ends the process: its error reaches the queries that were running, and `log`.
 */
export function openDatabase(
  connection: DatabaseConnection,
  log: (message: string) => void,
  limits: DatabaseLimits = REQUEST_LIMITS,
): Database {
  const pool = openPool(connection, log, { ...limits, types: { getTypeParser } });
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: discardBrokenClients(pool) }) });
}

/**
 * Rows are found by keys, in tables that were empty when a session planned its statements: a plan that scans them, kept
 * while they grow, made a burst of new payment plans slower with every plan (docs/benchmarks.md). The few queries that
 * have to scan are short: not worth compiling, as they would be for the price that a scan now has. Set by a statement,
 * as options of a connection would take the place of the operator's own, and poolers refuse them.
 */
const PLANNING = 'set enable_seqscan = off; set jit = off';

/** Opens a bare pool under the same promises, for what brings its own queries; types are the driver's own. */
export function openPool(
  connection: DatabaseConnection,
  log: (message: string) => void,
  limits: DatabaseLimits & { types?: CustomTypesConfig },
): Pool {
  const place = 'url' in connection ? { connectionString: connection.url } : connection;
  const pool = new Pool({
    ...place,
    application_name: 'fairway',
    max: limits.connections,
    connectionTimeoutMillis: limits.connectTimeoutMs,
    statement_timeout: limits.statementTimeoutMs,
    idle_in_transaction_session_timeout: limits.statementTimeoutMs,
    ...(limits.lockTimeoutMs === undefined ? {} : { lock_timeout: limits.lockTimeoutMs }),
    // The server's own limit comes first; this one is for a server that no longer answers.
    query_timeout: limits.statementTimeoutMs + 1_000,
    keepAlive: true,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, which its types do not say
    onConnect: (client) => client.query(PLANNING),
    ...(limits.types === undefined ? {} : { types: limits.types }),
  });
  pool.on('error', (cause) => log(`database connection lost: ${cause.message}`));
  // The pool listens to idle clients alone: an error on a client in use would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

const INT8 = 20;

function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === INT8 ? BigInt : (types.getTypeParser(oid, format) as (value: string) => unknown);
}

/**
 * A client whose query met an unavailable server must not serve the next one: after a read timeout its
 * connection still waits for the old answer, possibly for the many minutes that TCP gives up in.
 */
function discardBrokenClients(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => discardWhenBroken(await pool.connect()),
  };
}

function discardWhenBroken(client: PoolClient): PostgresPoolClient {
  let isBroken = false;
  const query = async (sql: string, parameters: unknown[]) => {
    try {
      return await client.query(sql, parameters);
    } catch (cause) {
      isBroken ||= isUnavailable(cause);
      throw cause;
    }
  };
  const release = (destroy?: boolean) => client.release(destroy === true || isBroken);
  return Object.assign(Object.create(client) as PostgresPoolClient, { query, release });
}
