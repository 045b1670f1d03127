import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer, TLSSocket } from 'node:tls';

/** What connections may hold while nobody reads or sends. */
export type ConnectionLimits = {
  /** How long an answer may go unread. In this time at least `progressBytes` of it must be read. */
  readonly unreadMs: number;
  readonly progressBytes: number;
  /** The most connections whose answer is not read, and the most bytes that these answers have together. */
  readonly mostUnread: number;
  readonly mostUnreadBytes: number;
  /** The most connections. Beyond this, idle ones are closed. */
  readonly mostConnections: number;
};

/** The limits of a service. A caller on a slow phone reads faster than 16 kB in ten seconds. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  unreadMs: 10_000,
  progressBytes: 16_384,
  mostUnread: 1_000,
  mostUnreadBytes: 64 * 1024 * 1024,
  mostConnections: 10_000,
};

/** How often connections are looked at. */
const SWEEP_MS = 100;
/** Connections that are younger, or whose answer is unread for a shorter time, are never closed. */
const GRACE_MS = 1_000;
/** How many connections one sweep closes, so that the thread is free for requests in between. */
const CLOSED_AT_ONCE = 40;

type Connection = {
  readonly openedMs: number;
  underWay: number;
  /** Since when less than `progressBytes` were read; undefined while nothing is unread. */
  unreadSinceMs: number | undefined;
  readBytes: number;
};

/** Connections in the order of their last answer. */
type Connections = Map<Socket, Connection>;

type Guarded = {
  /** Connections over which no request was answered so far. */
  readonly fresh: Connections;
  readonly used: Connections;
};

/**
 * Closes connections that hold answers which nobody reads, and idle connections when there are too many. Node itself
 * limits only how long a caller may take to send a request. A connection whose request is being worked on is left
 * alone.
 */
export function guardConnections(server: Server, limits: ConnectionLimits): void {
  const guarded: Guarded = { fresh: new Map(), used: new Map() };
  const opened = server instanceof TlsServer ? 'secureConnection' : 'connection';
  server.on(opened, (socket: Socket) => {
    const openedMs = performance.now();
    guarded.fresh.set(socket, { openedMs, underWay: 0, unreadSinceMs: undefined, readBytes: 0 });
    socket.once('close', () => void (guarded.fresh.delete(socket) || guarded.used.delete(socket)));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = guarded.fresh.get(socket) ?? guarded.used.get(socket);
    if (connection === undefined) return;
    connection.underWay += 1;
    response.once('close', () => {
      connection.underWay -= 1;
      if (socket.destroyed) return;
      // Deleted first, so that the connection moves to the end of the map.
      guarded.fresh.delete(socket);
      guarded.used.delete(socket);
      guarded.used.set(socket, connection);
    });
  });
  const sweeping = setInterval(() => sweep(guarded, limits), SWEEP_MS).unref();
  server.once('close', () => clearInterval(sweeping));
}

function sweep(guarded: Guarded, limits: ConnectionLimits): void {
  const nowMs = performance.now();
  let left = CLOSED_AT_ONCE;
  const unread = unreadConnections(guarded, limits, nowMs);
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
  closeIdle(guarded, limits.mostConnections, nowMs, left);
}

/** Closes idle connections above the limit. Those that were used are closed only when they alone are too many. */
function closeIdle({ fresh, used }: Guarded, most: number, nowMs: number, atOnce: number): void {
  const ofFresh = Math.min(atOnce, fresh.size + used.size - most);
  const closed = closeFirst(fresh, ofFresh, nowMs);
  closeFirst(used, Math.min(atOnce - closed, used.size - most), nowMs);
}

/** Closes the first idle connections, at most `count`. Returns how many were closed. */
function closeFirst(connections: Connections, count: number, nowMs: number): number {
  let closed = 0;
  for (const [socket, { openedMs, underWay }] of connections) {
    if (closed >= count) break;
    if (underWay > 0 || nowMs - openedMs < GRACE_MS) continue;
    reset(socket);
    closed += 1;
  }
  return closed;
}

/** The connections whose answers are not read, and since when; first the one that has waited longest. */
function unreadConnections({ fresh, used }: Guarded, { progressBytes }: ConnectionLimits, nowMs: number) {
  const unread: { socket: Socket; sinceMs: number }[] = [];
  for (const connections of [fresh, used]) {
    for (const [socket, connection] of connections) {
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
  }
  return unread.sort((a, b) => a.sinceMs - b.sinceMs);
}

/** Closes a connection so that the system forgets at once what was not read. Node cannot do that with TLS. */
function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
