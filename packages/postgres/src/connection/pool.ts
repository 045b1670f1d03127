import { type CustomTypesConfig, Pool } from 'pg';
import type { DatabaseConnection, DatabaseLimits } from './connection.ts';

/**
 * Rows are found by keys, in tables that were empty when a session planned its queries. A plan that scans them,
 * kept while they grow, made a burst of new payment plans slower with every plan (docs/benchmarks.md). The few
 * queries that have to scan are short, so compiling them would cost more than it saves. Without this setting
 * PostgreSQL would compile them, because scans now look expensive. Set by a query: options of the connection
 * would replace the operator's own options, and poolers refuse them.
 */
const PLANNING = 'set enable_seqscan = off; set jit = off';

/**
 * Opens a pool; connections are made when first needed, so this neither waits nor fails. A server that goes away never
 * ends the process: its error reaches the queries that were running, and `log`. Types are the driver's own unless
 * `types` replaces them.
 */
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
    // The server's own limit comes first; this limit is for a server that no longer answers.
    query_timeout: limits.statementTimeoutMs + 1_000,
    keepAlive: true,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool awaits onConnect, although its types do not say so
    onConnect: (client) => client.query(PLANNING),
    ...(limits.types === undefined ? {} : { types: limits.types }),
  });
  pool.on('error', (cause) => log(`database connection lost: ${cause.message}`));
  // The pool listens to idle clients alone: an error on a client in use would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
