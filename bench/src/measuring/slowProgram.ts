import { connect, type Socket } from 'node:net';

/** How many slow callers there are, and the port of the service. */
export type SlowAsk = { readonly port: number; readonly senders: number; readonly readers: number };

/** How long a caller that was cut off waits before it comes back. */
const BACK_AFTER_MS = 1_000;
const DOCUMENT = 'GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(50);

let cutOff = 0;

/** Sends a header, a byte a second. */
function sendSlowly(port: number): void {
  const socket = open(port, () => sendSlowly(port));
  socket.write('GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
  const dripping = setInterval(() => socket.write('x'), 1_000);
  socket.on('close', () => clearInterval(dripping));
}

/** Asks for many documents, and reads none. */
function readSlowly(port: number): void {
  const socket = open(port, () => readSlowly(port));
  socket.pause();
  socket.write(DOCUMENT);
}

function open(port: number, again: () => void): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.on('close', () => {
    cutOff += 1;
    setTimeout(again, BACK_AFTER_MS);
  });
  return socket;
}

/** Callers come over four seconds, so that the arrival itself is no flood. */
process.on('message', ({ port, senders, readers }: SlowAsk | { port: 0; senders: 0; readers: 0 }) => {
  if (port === 0) {
    process.send?.({ cutOff });
    return;
  }
  for (let caller = 0; caller < senders; caller += 1)
    setTimeout(() => sendSlowly(port), (4_000 * caller) / senders);
  for (let caller = 0; caller < readers; caller += 1)
    setTimeout(() => readSlowly(port), (4_000 * caller) / readers);
});
process.on('disconnect', () => process.exit());
