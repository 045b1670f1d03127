import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions } from 'smtp-server';

/**
 * Starts an SMTP server that accepts every e-mail, except those that the options refuse. Keeps mails as they came
 * over the wire.
 */
export async function startSmtpServer(options: SMTPServerOptions = {}) {
  const mails: Buffer[] = [];
  async function keep(stream: SMTPServerDataStream, done: (error?: Error) => void): Promise<void> {
    try {
      mails.push(await buffer(stream));
      done();
    } catch (error) {
      done(error as Error);
    }
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth: (_auth, _session, done) => done(null, { user: 'anyone' }),
    onData: (stream, _session, done) => void keep(stream, done),
    ...options,
  });
  // Some tests cut connections, which is an error for the server.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port, url: `smtp://127.0.0.1:${port}`, mails, close };
}

/**
 * A proxy to a server that records what the client says, one conversation for each connection. It cuts the connection
 * when `isCut` is true for everything that the client has said. Then the server has got the last words, and the client
 * gets no answer.
 */
export async function startWire(serverPort: number, isCut: (said: string) => boolean = () => false) {
  const conversations: string[] = [];
  const server = createServer((client) => {
    const index = conversations.push('') - 1;
    const onward = connect(serverPort, '127.0.0.1');
    let isDown = false;
    const end = () => {
      client.destroy();
      onward.end();
    };
    for (const socket of [client, onward]) socket.on('error', end).on('close', end);
    onward.on('data', (answer) => {
      if (!isDown) client.write(answer);
    });
    client.on('data', (chunk) => {
      conversations[index] += chunk.toString('latin1');
      onward.write(chunk);
      if (!isCut(conversations[index] ?? '')) return;
      isDown = true;
      end();
    });
  });
  return { ...(await listening(server)), conversations };
}

/** A server that accepts connections, says `words` at once, and nothing more. */
export async function startMute(words = '') {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    if (words !== '') socket.write(words);
  });
  const { close, ...rest } = await listening(server);
  return {
    ...rest,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return close();
    },
  };
}

async function listening(server: Server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  return { port, url: `smtp://127.0.0.1:${port}`, close };
}

/** The commands of a conversation: its lines without the lines of mails. */
export function commandsOf(conversation: string): readonly string[] {
  return conversation
    .replace(/(?<=^DATA\r\n)[^]*?\r\n\.\r\n/gm, '')
    .split('\r\n')
    .filter(Boolean);
}

/** A mail's header lines, folded ones joined. */
export function headersOf(mail: Buffer): readonly string[] {
  const [head = ''] = mail.toString('latin1').split('\r\n\r\n');
  return head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
}

/** A mail as the recipient's mail program reads it. */
export const readMail = (mail: Buffer) => simpleParser(mail, { skipTextToHtml: true });
