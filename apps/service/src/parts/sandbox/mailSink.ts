import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { defined } from '@fairway/values';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Mailer } from '../../platform/mail/mailer.ts';

/**
 * An e-mail that the sink received. `organisationId`: whose it is, where this process sent it. `links`: the distinct URLs in
 * its text, in order. `at`: ISO 8601.
 */
export type SunkMail = {
  readonly id: string;
  readonly organisationId?: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly links: readonly string[];
  readonly at: string;
};

/** A mail server that keeps the e-mails it receives and delivers none. */
export type MailSink = {
  /** The server's SMTP URL, for the configuration of a mailer. */
  readonly url: string;
  /** The last e-mails, at most 500, newest first. */
  readonly messages: () => readonly SunkMail[];
  /** A mailer whose e-mails the sink knows the organisations of. */
  readonly attributing: (mailer: Mailer) => Mailer;
  readonly close: () => Promise<void>;
};

const MOST_MAILS = 500;
const MOST_BYTES = 1_000_000;

/** Starts the sandbox's mail server on this machine, on a free port. */
export async function startMailSink(now: () => number = Date.now): Promise<MailSink> {
  let mails: readonly SunkMail[] = [];
  let taken = 0;
  const owners = new Map<string, string>();

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

  function add({ messageId, subject = '', text = '', html }: ParsedMail, session: SMTPServerSession): void {
    taken += 1;
    const organisationId = owners.get(messageId?.replace(/^<|@.*$/g, '') ?? '');
    const mail: SunkMail = {
      id: String(taken),
      ...defined({ organisationId }),
      to: session.envelope.rcptTo.map(({ address }) => address).join(', '),
      subject,
      text,
      html: html || '',
      links: [...new Set(text.match(/https?:\/\/[^\s<>"]+/g) ?? [])],
      at: new Date(now()).toISOString(),
    };
    mails = [mail, ...mails].slice(0, MOST_MAILS);
  }

  /** Notes whose an e-mail is before it is sent. An e-mail that comes late is nobody's. */
  function attributing(mailer: Mailer): Mailer {
    return {
      ...mailer,
      send(mail) {
        owners.set(mail.messageId, mail.organisationId);
        const [oldest] = owners.keys();
        if (owners.size > MOST_MAILS && oldest !== undefined) owners.delete(oldest);
        return mailer.send(mail);
      },
    };
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
    // A connection was broken, and its client knows that. Without a listener the error would end the process.
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    messages: () => mails,
    attributing,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
