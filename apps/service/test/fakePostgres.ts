import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that speaks just enough of PostgreSQL's protocol to refuse a login or to hang. */
export type FakePostgres = {
  readonly url: string;
  /** Resolves when a client has sent a query after its login. */
  readonly asked: Promise<void>;
  close(): void;
};

const queries = ['Q', 'P'].map((letter) => letter.charCodeAt(0));

/** Starts a server that refuses every login with an SQLSTATE; without one it accepts every login and never answers. */
export async function startFakePostgres(refusesWith?: string): Promise<FakePostgres> {
  const asked = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (refusesWith === undefined) socket.write(welcome);
      else socket.end(refusal(refusesWith));
      socket.on('data', (bytes: Buffer) => {
        if (queries.includes(bytes.readUInt8())) asked.resolve();
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgresql://fairway:wrong@127.0.0.1:${port}/fairway`,
    asked: asked.promise,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Message formats: PostgreSQL's manual, chapter 54. */
function message(kind: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(kind), length, body]);
}

const welcome = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);

function refusal(code: string): Buffer {
  return message('E', Buffer.from(`SFATAL\0C${code}\0Mthis is what the server says\0\0`));
}
