import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The first byte of every TLS connection: a handshake record. */
const TLS_HANDSHAKE = 0x16;

/** Whether a caller begins with TLS. */
export function isTlsHandshake(bytes: unknown): boolean {
  return bytes instanceof Uint8Array && bytes[0] === TLS_HANDSHAKE;
}

/**
 * Looks at the first byte of each connection of a TLS server. A caller that speaks plain HTTP goes to
 * `answer`; Node would only close the connection.
 */
export function divertPlainHttp(server: Server, waitMs: number, answer: (socket: Socket) => void): void {
  const secured = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), waitMs).unref();
    socket.on('error', destroyed);
    socket.once('close', () => clearTimeout(timer));
    socket.once('readable', () => {
      clearTimeout(timer);
      const first = socket.read() as Buffer | null;
      if (first === null) return void socket.destroy();
      if (!isTlsHandshake(first)) return answer(socket);
      socket.off('error', destroyed);
      socket.unshift(first);
      for (const listener of secured) listener.call(server, socket);
    });
  });
}

function destroyed(this: Socket): void {
  this.destroy();
}
