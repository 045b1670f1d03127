import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';

/** A mail that the sink took. `links`: the web addresses of its text, in order, each once. `at`: ISO 8601. */
export type SunkMail = {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly links: readonly string[];
  readonly at: string;
};

/** A mail server that keeps what it is sent. */
export type MailSink = {
  /** For the configuration of a mailer. */
  readonly url: string;
  /** Newest first; at most the last 500. */
  readonly messages: () => readonly SunkMail[];
  readonly close: () => Promise<void>;
};

const MOST_MAILS = 500;
const MOST_BYTES = 1_000_000;

/** Starts the sandbox's mail server on this machine, on any free port. It delivers nothing. */
export async function startMailSink(now: () => number = Date.now): Promise<MailSink> {
  let mails: readonly SunkMail[] = [];
  let taken = 0;

  async function keep(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    done: (error?: Error) => void,
  ): Promise<void> {
    try {
      add(await simpleParser(stream, { skipTextToHtml: true }), session);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  function add({ subject = '', text = '', html }: ParsedMail, session: SMTPServerSession): void {
    taken += 1;
    const mail: SunkMail = {
      id: String(taken),
      to: session.envelope.rcptTo.map(({ address }) => address).join(', '),
      subject,
      text,
      html: html || '',
      links: [...new Set(text.match(/https?:\/\/[^\s<>"]+/g) ?? [])],
      at: new Date(now()).toISOString(),
    };
    mails = [mail, ...mails].slice(0, MOST_MAILS);
  }

  const server = new SMTPServer({
    banner: 'Fairway sandbox: nothing is delivered',
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: MOST_BYTES,
    closeTimeout: 1000,
    onData: (stream, session, done) => {
      void keep(stream, session, done);
    },
  });
  server.on('error', () => {
    // A connection that broke: its client is told by the connection itself.
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    messages: () => mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
