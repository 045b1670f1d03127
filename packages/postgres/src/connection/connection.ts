/** A PostgreSQL behind a UNIX socket: `host` is the folder that holds the socket. */
export type SocketConnection = { host: string; user: string; database: string };

/** Where the database is: the URL of a server, or the socket of a server that we run ourselves. */
export type DatabaseConnection = { url: string } | SocketConnection;

/** Limits of one pool. Without `lockTimeoutMs` a query waits for a lock as long as it may run. */
export type DatabaseLimits = {
  connections: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  lockTimeoutMs?: number;
};
