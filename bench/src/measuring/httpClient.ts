import { connect, type Socket } from 'node:net';

/** A request as it goes over the wire. */
export type WireRequest = Buffer;

/** How many answers came back, and how many of them were not 200. */
export type Tally = { readonly answers: number; readonly refused: number; readonly firstRefusal: string };

/** Writes a request for a keep-alive connection; a body is sent as JSON. */
export function wireRequest(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): WireRequest {
  const text = body === undefined ? '' : JSON.stringify(body);
  const all: Record<string, string> = { host: url.host, ...headers };
  if (body !== undefined) {
    all['content-type'] = 'application/json';
    all['content-length'] = String(Buffer.byteLength(text));
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const method = body === undefined ? 'GET' : 'POST';
  return Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
}

/**
 * Sends a number of requests over each of some connections, one after the other on each. It does little work on
 * purpose: on a small machine a client that works hard takes the caches from the server that it measures.
 */
export async function sendAll(
  port: number,
  perConnection: number,
  requestsOf: readonly (readonly WireRequest[])[],
): Promise<Tally> {
  const tallies = await Promise.all(requestsOf.map((requests) => sendOver(port, perConnection, requests)));
  return {
    answers: tallies.reduce((sum, { answers }) => sum + answers, 0),
    refused: tallies.reduce((sum, { refused }) => sum + refused, 0),
    firstRefusal: tallies.find(({ refused }) => refused > 0)?.firstRefusal ?? '',
  };
}

async function sendOver(port: number, count: number, requests: readonly WireRequest[]): Promise<Tally> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let refused = 0;
  let firstRefusal = '';
  try {
    await new Promise<void>((resolve, reject) => {
      let sent = 0;
      const next = () => {
        if (sent === count) return resolve();
        socket.write(requests[sent % requests.length] ?? Buffer.alloc(0));
        sent += 1;
      };
      onAnswers(socket, (isOk, text) => {
        if (!isOk) {
          refused += 1;
          if (refused === 1) firstRefusal = text();
        }
        next();
      });
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('The server closed the connection')));
      socket.once('connect', next);
    });
  } finally {
    socket.removeAllListeners('close').destroy();
  }
  return { answers: count, refused, firstRefusal };
}

const headEnd = Buffer.from('\r\n\r\n');
const OK_START = 'HTTP/1.1 200';

/** Calls back for every complete answer; only answers with a content-length are understood. */
export function onAnswers(socket: Socket, onAnswer: (isOk: boolean, text: () => string) => void): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const end = pending.indexOf(headEnd);
    if (end < 0) return;
    const head = pending.toString('latin1', 0, end);
    const length = /content-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) throw new Error(`An answer without a length: ${head}`);
    const total = end + headEnd.length + Number(length);
    if (pending.length < total) return;
    const answer = pending;
    pending = Buffer.alloc(0);
    onAnswer(head.startsWith(OK_START), () => answer.toString('utf8', 0, total));
  });
}
