import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long a caller may go on sending a body that was refused. */
const REST_MS = 10_000;

/** Connections whose caller was told that its body is too large, and still sends it. */
const told = new WeakSet<Duplex>();

/**
 * Passes over the rest of a body that is too large, so that the caller reads the answer: most callers send all of a body first, and
 * closing while something is unread would reset the connection. Whoever takes too long is cut off.
 */
export function passOverRest(request: IncomingMessage): void {
  const { socket } = request;
  told.add(socket);
  const timer = setTimeout(() => socket.destroy(), REST_MS).unref();
  const end = () => {
    told.delete(socket);
    clearTimeout(timer);
    socket.off('close', end);
  };
  request.once('end', end);
  socket.once('close', end);
}

/** Whether a caller was told already that its body is too large. */
export function wasToldTooLarge(socket: Duplex): boolean {
  return told.has(socket);
}
