import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire. Names of headers are in lower case; repeated headers are joined. */
export type Answer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  readonly tookMs: number;
};

/** What came back: answers in order, and how it ended. */
export type Heard = {
  readonly answers: readonly Answer[];
  readonly end: 'ANSWERED' | 'CLOSED' | 'LATE' | 'MALFORMED' | 'FOLLOWED BY MORE BYTES';
};

/** Sends bytes to a server, whatever they say. */
export type Wire = {
  /** Sends requests and waits for an answer to each. `methods`: those of the requests. */
  send(bytes: Buffer, methods: readonly string[]): Promise<Heard>;
  /**
   * Sends bytes that may be no request, on a connection of its own, and waits for one answer or the end of the
   * connection. The server may wait for more bytes, so the sending side is closed after a while.
   */
  sendOdd(bytes: Buffer): Promise<Heard>;
  /** How often bytes came that nobody waited for. */
  strays(): number;
  close(): void;
};

/** Only a hang takes as long as this, also on a busy machine. */
const ANSWER_DEADLINE_MS = 30_000;
/** How long the sending side of a connection stays open when the bytes may be no whole request. */
const PATIENCE_MS = 250;

/** Makes the wire to a server on this machine. Connections are used again as long as the server keeps them. */
export function createWire(port: number): Wire {
  const idle: Socket[] = [];
  const all = new Set<Socket>();
  let strays = 0;

  function open(): Socket {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    all.add(socket);
    socket.on('error', () => {});
    // Bytes that nobody asked for would be taken for the next answer.
    socket.on('data', () => {
      if (idle.includes(socket)) strays += 1;
    });
    socket.on('close', () => {
      all.delete(socket);
      const place = idle.indexOf(socket);
      if (place >= 0) idle.splice(place, 1);
    });
    return socket;
  }

  async function send(bytes: Buffer, methods: readonly string[]): Promise<Heard> {
    const used = idle.pop();
    const socket = used ?? open();
    const heard = await converse(socket, bytes, methods);
    // The server may close an idle connection at the moment at which it is used again.
    if (used !== undefined && heard.end === 'CLOSED' && heard.answers.length === 0)
      return send(bytes, methods);
    const isKept = heard.answers.every(({ headers }) => headers.get('connection') !== 'close');
    if (heard.end === 'ANSWERED' && isKept) idle.push(socket);
    else socket.destroy();
    return heard;
  }

  return {
    send,
    strays: () => strays,
    async sendOdd(bytes) {
      const socket = open();
      const patience = setTimeout(() => socket.end(), PATIENCE_MS);
      const heard = await converse(socket, bytes, ['GET']);
      clearTimeout(patience);
      socket.destroy();
      // Bytes that are no request may be read as several.
      return heard.end === 'FOLLOWED BY MORE BYTES' ? { ...heard, end: 'ANSWERED' } : heard;
    },
    close: () => {
      for (const socket of all) socket.destroy();
    },
  };
}

function converse(socket: Socket, bytes: Buffer, methods: readonly string[]): Promise<Heard> {
  const startMs = performance.now();
  const answers: Answer[] = [];
  let unread: Buffer = Buffer.alloc(0);
  return new Promise((resolve) => {
    const finish = (end: Heard['end']) => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose);
      resolve({ answers, end });
    };
    const onClose = () => finish('CLOSED');
    const onData = (chunk: Buffer) => {
      unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
      for (;;) {
        const read = readAnswer(unread, methods[answers.length] ?? 'GET');
        if (read === 'MORE') return;
        if (read === 'MALFORMED') return finish('MALFORMED');
        unread = read.rest;
        if (read.status < 200) continue;
        answers.push({ ...read, tookMs: performance.now() - startMs });
        if (answers.length < methods.length) continue;
        return finish(unread.length === 0 ? 'ANSWERED' : 'FOLLOWED BY MORE BYTES');
      }
    };
    const timer = setTimeout(() => finish('LATE'), ANSWER_DEADLINE_MS);
    socket.on('data', onData).on('close', onClose);
    socket.write(bytes);
  });
}

type Read = Omit<Answer, 'tookMs'> & { readonly rest: Buffer };

/** Reads the first answer in bytes (RFC 9112). MORE: it is not complete. */
export function readAnswer(bytes: Buffer, method: string): Read | 'MORE' | 'MALFORMED' {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return 'MORE';
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})( |$)/.exec(statusLine)?.[1]);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return 'MALFORMED';
    const before = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  if (Number.isNaN(status)) return 'MALFORMED';
  const after = bytes.subarray(headEnd + 4);
  const answered = (body: Buffer, rest: Buffer): Read => ({ status, headers, body, rest });
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304)
    return answered(Buffer.alloc(0), after);
  if (headers.get('transfer-encoding') === 'chunked') {
    const read = readChunks(after);
    return typeof read === 'string' ? read : answered(read.body, read.rest);
  }
  const length = Number(headers.get('content-length'));
  if (!Number.isInteger(length)) return 'MALFORMED';
  return after.length < length ? 'MORE' : answered(after.subarray(0, length), after.subarray(length));
}

function readChunks(bytes: Buffer): { body: Buffer; rest: Buffer } | 'MORE' | 'MALFORMED' {
  const parts: Buffer[] = [];
  for (let place = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', place);
    if (lineEnd < 0) return 'MORE';
    const size = Number.parseInt(bytes.toString('latin1', place, lineEnd), 16);
    if (Number.isNaN(size)) return 'MALFORMED';
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return 'MORE';
    if (size === 0) return { body: Buffer.concat(parts), rest: bytes.subarray(start + 2) };
    parts.push(bytes.subarray(start, start + size));
    place = start + size + 2;
  }
}
