import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/**
 * When a connection is cut: before the server receives what commits a write, or after it has committed and before the
 * client is told.
 */
export type CutMoment = 'BEFORE_COMMIT' | 'AFTER_COMMIT';

/** The next write to cut. */
export type Cut = {
  readonly moment: CutMoment;
  /** Recognises the write by what the client sends in it: the queries and the values, one after the other. */
  readonly isMeant: (sent: string) => boolean;
  /** Refuse all connections from the cut on, so that nobody can be asked what became of the write. */
  readonly staysAway?: boolean;
};

/** A way to a PostgreSQL server that can be cut in the middle of a write. */
export type DatabaseProxy = {
  readonly url: string;
  /** Cuts the next connection that commits such a write. Resolves when it is cut. */
  cut(cut: Cut): Promise<void>;
  /** Lets connections through again. */
  mend(): void;
  close(): Promise<void>;
};

type Place = { readonly host: string; readonly user: string; readonly database: string };

type State = { isAway: boolean; awaited: (Cut & { readonly done: () => void }) | undefined };

/** Starts a proxy on a free port in front of the server whose socket is in this folder. */
export async function startDatabaseProxy({ host, user, database }: Place): Promise<DatabaseProxy> {
  const state: State = { isAway: false, awaited: undefined };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (state.isAway) return void client.destroy();
    const upstream = connect(join(host, '.s.PGSQL.5432'));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    relay(client, upstream, state, () => {
      if (state.isAway) for (const socket of sockets) socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://${user}@127.0.0.1:${port}/${database}`,
    cut: (cut) =>
      new Promise((done) => {
        state.awaited = { ...cut, done };
      }),
    mend() {
      state.isAway = false;
      state.awaited = undefined;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Hands on what client and server say, and cuts both at the moment that is awaited. `onCut` ends the others. */
function relay(client: Socket, upstream: Socket, state: State, onCut: () => void): void {
  const fromClient = createFrames(false);
  let answers: ReturnType<typeof createFrames> | undefined;
  let write = '';
  let isInTransaction = false;

  const cutNow = () => {
    const { awaited } = state;
    state.awaited = undefined;
    state.isAway = awaited?.staysAway === true;
    client.destroy();
    upstream.destroy();
    onCut();
    awaited?.done();
  };

  client.on('data', (bytes: Buffer) => {
    for (const { kind, body } of fromClient(bytes)) {
      const text = body.toString('latin1').replace(/\0$/, '');
      if (kind === 'Q' && text === 'begin') [isInTransaction, write] = [true, ''];
      if (kind === 'P' || kind === 'B') write += text;
      const commits = isInTransaction ? kind === 'Q' && text === 'commit' : kind === 'S';
      if (!commits) continue;
      const isMeant = state.awaited?.isMeant(write) === true;
      [isInTransaction, write] = [false, ''];
      if (!isMeant) continue;
      if (state.awaited?.moment === 'BEFORE_COMMIT') return cutNow();
      answers = createFrames(true);
    }
    upstream.write(bytes);
  });
  upstream.on('data', (bytes: Buffer) => {
    if (answers === undefined) return void client.write(bytes);
    // ReadyForQuery: the server has done all that it was sent.
    if (answers(bytes).some(({ kind }) => kind === 'Z')) cutNow();
  });
}

type Frame = { readonly kind: string; readonly body: Buffer };

/** Reads the messages of PostgreSQL's protocol. A client's first one has no kind. */
function createFrames(isStarted: boolean): (bytes: Buffer) => Frame[] {
  let held = Buffer.alloc(0);
  let hasKind = isStarted;
  return (bytes) => {
    held = Buffer.concat([held, bytes]);
    const frames: Frame[] = [];
    for (;;) {
      const head = hasKind ? 1 : 0;
      if (held.length < head + 4) return frames;
      const end = head + held.readInt32BE(head);
      if (held.length < end) return frames;
      frames.push({
        kind: hasKind ? held.toString('latin1', 0, 1) : '',
        body: held.subarray(head + 4, end),
      });
      held = held.subarray(end);
      hasKind = true;
    }
  };
}
