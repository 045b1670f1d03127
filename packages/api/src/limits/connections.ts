import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { Server as TlsServer, TLSSocket } from 'node:tls';

/** What connections may hold while nobody reads or sends. */
export type ConnectionLimits = {
  /** How long a connection may wait for its first request. */
  readonly unusedMs: number;
  /** How long an answer may go unread. In this time at least `progressBytes` of it must be read. */
  readonly unreadMs: number;
  readonly progressBytes: number;
  /** The most connections whose answer is not read, and the most bytes that these answers have together. */
  readonly mostUnread: number;
  readonly mostUnreadBytes: number;
  /** The most requests that wait on one connection for the answer of an earlier one. Beyond this, it is closed. */
  readonly mostPipelined: number;
  /** The most connections. Beyond this, idle ones are closed. */
  readonly mostConnections: number;
};

/** How often connections are looked at. */
const SWEEP_MS = 100;
/** Connections that are younger, or whose answer is unread for a shorter time, are never closed. */
const GRACE_MS = 1_000;
/** How many connections one sweep closes, so that the thread is free for requests in between. */
const CLOSED_AT_ONCE = 40;
/** How long a connection may wait for its next request, and for its first. */
export const IDLE_MS = 65_000;
/** How long a caller may go on sending a body that was answered already. */
const REST_MS = 10_000;

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

type Connection = {
  readonly socket: Socket;
  readonly openedMs: number;
  /** When the last request was answered; undefined before the first. */
  usedMs: number | undefined;
  /** Whether a request is worked on, and those that arrived behind it. */
  isBusy: boolean;
  readonly waiting: Exchange[];
  /** Since when less than `progressBytes` were read; undefined while nothing is unread. */
  unreadSinceMs: number | undefined;
  readBytes: number;
};

/** Requests that were answered before their body had arrived, by their connection. */
const draining = new WeakMap<Duplex, IncomingMessage>();

/** Whether the caller of a connection was answered already, and still sends what that was about. */
export function isDraining(socket: Duplex): boolean {
  // The next request may arrive in one piece with the end of the body.
  return draining.get(socket)?.complete === false;
}

/**
 * Hands the requests of a server to a listener, and limits what connections may hold:
 *
 * - One request of a connection is worked on at a time. A caller may send many before it reads an answer (pipelining, RFC 9112,
 *   section 9.3.2). Node passes on all that arrived together: one packet could ask for hundreds of answers that nobody reads.
 * - An answer may be sent before the body has arrived. The rest of the body is then read and dropped for a while. Most callers
 *   read only after they have sent all, and closing while something is unread would reset the connection.
 * - Connections whose answers nobody reads are closed, and so are those that stay unused, and idle ones when there are too many. A connection whose request
 *   is worked on is left open.
 */
export function guardConnections(server: Server, limits: ConnectionLimits, listener: RequestListener): void {
  const connections = new Map<Socket, Connection>();

  function begin(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.isBusy = true;
    // Node would close the connection with the answer, whatever still arrives.
    const isLast = !response.shouldKeepAlive;
    if (isLast && hasBody(request)) response.shouldKeepAlive = true;
    response.once('close', () => {
      connection.usedMs = performance.now();
      const { socket, waiting } = connection;
      if (!request.complete && !socket.destroyed) passOverRest(request);
      if (isLast) endAfter(request);
      // Other connections get a turn in between.
      if (waiting.length === 0) connection.isBusy = false;
      else setImmediate(() => goOn(connection));
    });
    listener(request, response);
  }

  function goOn(connection: Connection): void {
    const next = connection.socket.destroyed ? undefined : connection.waiting.shift();
    if (next !== undefined) begin(connection, ...next);
  }

  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, {
      ...{ socket, openedMs: performance.now(), usedMs: undefined, isBusy: false, waiting: [] },
      ...{ unreadSinceMs: undefined, readBytes: 0 },
    });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (connection === undefined) return listener(request, response);
    if (!connection.isBusy) begin(connection, request, response);
    else if (connection.waiting.length < limits.mostPipelined) connection.waiting.push([request, response]);
    else reset(connection.socket);
  });
  const sweeping = setInterval(() => sweep([...connections.values()], limits), SWEEP_MS).unref();
  server.once('close', () => clearInterval(sweeping));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Reads and drops the rest of a body. A caller that takes too long is disconnected. */
function passOverRest(request: IncomingMessage): void {
  const { socket } = request;
  draining.set(socket, request);
  const timer = setTimeout(() => socket.destroy(), REST_MS).unref();
  request.once('close', () => {
    draining.delete(socket);
    clearTimeout(timer);
  });
  request.resume();
}

/** Ends a connection after the body of its last request, also where the caller leaves its own half open. */
function endAfter(request: IncomingMessage): void {
  if (request.complete) request.socket.destroySoon();
  else request.once('end', () => request.socket.destroySoon());
}

function sweep(connections: readonly Connection[], limits: ConnectionLimits): void {
  const nowMs = performance.now();
  let left = CLOSED_AT_ONCE;
  const unread = unreadConnections(connections, limits, nowMs);
  let bytes = unread.reduce((sum, { socket }) => sum + socket.writableLength, 0);
  let count = unread.length;
  for (const { socket, sinceMs } of unread) {
    const isTooMuch = count > limits.mostUnread || bytes > limits.mostUnreadBytes;
    if (nowMs - sinceMs < (isTooMuch ? Math.min(GRACE_MS, limits.unreadMs) : limits.unreadMs)) continue;
    if (left === 0) return;
    bytes -= socket.writableLength;
    count -= 1;
    left -= 1;
    reset(socket);
  }
  const idle = [
    ...connections.filter((each) => isUnused(each) && nowMs - each.openedMs >= limits.unusedMs),
    ...idleBeyond(connections, limits.mostConnections, nowMs),
  ].map(({ socket }) => socket);
  for (const socket of [...new Set(idle)].slice(0, left)) reset(socket);
}

/** Whether nothing came on a connection. The parser answers one whose headers arrive too slowly. */
function isUnused({ socket, usedMs }: Connection): boolean {
  return usedMs === undefined && socket.bytesRead === 0;
}

/**
 * The idle connections to close so that only `most` are left. Those without any request are closed first. Used ones are
 * closed only as far as they alone are too many, the longest unused first.
 */
function idleBeyond(connections: readonly Connection[], most: number, nowMs: number): readonly Connection[] {
  const tooMany = connections.length - most;
  if (tooMany <= 0) return [];
  const isIdle = ({ isBusy, openedMs }: Connection) => !isBusy && nowMs - openedMs >= GRACE_MS;
  const fresh = connections.filter((each) => each.usedMs === undefined);
  const used = connections.filter((each) => each.usedMs !== undefined);
  const oldest = used.filter(isIdle).sort((a, b) => (a.usedMs ?? 0) - (b.usedMs ?? 0));
  return [...fresh.filter(isIdle).slice(0, tooMany), ...oldest.slice(0, Math.max(0, used.length - most))];
}

/** The connections whose answers are not read, and since when; first the one that has waited longest. */
function unreadConnections(
  connections: readonly Connection[],
  { progressBytes }: ConnectionLimits,
  nowMs: number,
) {
  const unread: { socket: Socket; sinceMs: number }[] = [];
  for (const connection of connections) {
    const { socket } = connection;
    const unreadBytes = socket.writableLength;
    if (unreadBytes === 0) {
      connection.unreadSinceMs = undefined;
      continue;
    }
    const readBytes = socket.bytesWritten - unreadBytes;
    if (connection.unreadSinceMs === undefined || readBytes - connection.readBytes >= progressBytes) {
      connection.unreadSinceMs = nowMs;
      connection.readBytes = readBytes;
    }
    unread.push({ socket, sinceMs: connection.unreadSinceMs });
  }
  return unread.sort((a, b) => a.sinceMs - b.sinceMs);
}

/** Closes a connection so that the system forgets at once what was not read. Node cannot do that with TLS. */
function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
