import { parseUrlLogin } from '@fairway/evm';
import { isIP } from 'node:net';
import { isEmailAddress } from '@fairway/recipients';
import { createTransport, type NodemailerError } from 'nodemailer';
import type { MailConfig, MailSender } from '../config/mail.ts';
import { plainLine } from '@fairway/api';
import type { Logger } from 'pino';
import { createMailLog, type MailFault } from './faultLog.ts';

/**
 * A mail of an organisation to exactly one address. `messageId`: the part of its Message-ID before the domain, which is the sender's. It is
 * the same whenever this mail is sent again.
 */
export type OutgoingMail = {
  readonly organisationId: string;
  readonly to: string;
  readonly from: MailSender;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
};

/**
 * The outcome of sending a mail. PERMANENT: the server refused this recipient or this message for good. TEMPORARY: any
 * other failure; the mail may have arrived all the same. `detail` names no address.
 */
export type MailOutcome =
  | 'ACCEPTED'
  | { readonly rejected: 'PERMANENT' | 'TEMPORARY'; readonly detail: string };

/** Sends mails, one after another or several at once. It never throws because of a server's answers. */
export type Mailer = {
  readonly send: (mail: OutgoingMail) => Promise<MailOutcome>;
  /** Greets the server and signs in, and logs how that went. Sends nothing. */
  readonly greet: () => Promise<void>;
};

/** The mailer and the sender of e-mails. */
export type MailOffice = { readonly mailer: Mailer; readonly from: MailSender };

/** The error code in a mail server's answer. The rest is not kept, because it could name a person. */
export function errorCode(detail: string): string {
  return /\b([2-5]\d\d(?: \d\.\d{1,3}\.\d{1,3})?|E[A-Z]{3,20})\b/.exec(detail)?.[1] ?? 'FAILED';
}

/** How long a server may take: to connect, to greet, between two answers, and for a mail as a whole. */
export type MailTimeouts = {
  readonly connectMs: number;
  readonly greetingMs: number;
  readonly silenceMs: number;
  readonly wholeMs: number;
};

const USUAL_TIMEOUTS: MailTimeouts = {
  connectMs: 10_000,
  greetingMs: 10_000,
  silenceMs: 30_000,
  wholeMs: 120_000,
};

const MESSAGE_ID = /^[A-Za-z0-9._-]{1,128}$/;
const LONGEST_SUBJECT = 200;
const LONGEST_SENDER = 100;

/** A mailer over one SMTP server, a connection for each mail. It logs why mails are not taken, without personal data. */
export function createMailer(
  { smtpUrl }: MailConfig,
  log: Pick<Logger, 'warn' | 'info'>,
  timeouts: MailTimeouts = USUAL_TIMEOUTS,
): Mailer {
  const server = serverOf(smtpUrl);
  const mailLog = createMailLog(log, { host: server.host, port: server.port });
  const transport = createTransport({
    ...server,
    connectionTimeout: timeouts.connectMs,
    dnsTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  async function send(mail: OutgoingMail): Promise<MailOutcome> {
    const { to, from, subject, text, html, messageId } = mail;
    if (!MESSAGE_ID.test(messageId)) throw new Error('A Message-ID is letters, digits, ".", "_" and "-"');
    // Mail programs read some texts as several addresses. So nothing is sent unless the text is one plain address.
    if (!isEmailAddress(to))
      return { rejected: 'PERMANENT', detail: 'the recipient is not one plain e-mail address' };
    try {
      await transport.sendMail({
        envelope: { from: from.address, to: [to] },
        from: { name: plainLine(from.name, LONGEST_SENDER), address: from.address },
        to: { name: '', address: to },
        subject: plainLine(subject, LONGEST_SUBJECT),
        text,
        html,
        messageId: `<${messageId}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        signal: AbortSignal.timeout(timeouts.wholeMs),
      });
      mailLog.worked();
      return 'ACCEPTED';
    } catch (error) {
      const outcome = outcomeOf(error as NodemailerError);
      mailLog.failed(faultOf(error as NodemailerError, outcome.detail));
      return outcome;
    }
  }

  async function greet(): Promise<void> {
    try {
      await transport.verify();
      log.info({ host: server.host, port: server.port }, 'The mail server answers');
    } catch (error) {
      mailLog.failed(faultOf(error as NodemailerError, outcomeOf(error as NodemailerError).detail));
    }
  }

  return { send, greet };
}

/** What the log says of a failure. */
function faultOf({ response, message, command }: NodemailerError, detail: string): MailFault {
  return { code: errorCode(detail), said: response ?? message, isAboutMail: isAboutMail(command) };
}

function isAboutMail(command: string | undefined): boolean {
  return command === 'RCPT TO' || command === 'DATA';
}

/** Connection options for a URL that the configuration has checked. */
function serverOf(smtpUrl: string) {
  const { protocol, hostname, port } = new URL(smtpUrl);
  const login = parseUrlLogin(smtpUrl)?.login;
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'smtps:';
  const isLocal = host === 'localhost' || (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(login === undefined
      ? {}
      : {
          auth: { user: login.username, pass: login.password },
          // A password is sent over a network only when the connection is encrypted.
          requireTLS: !secure && !isLocal,
        }),
  };
}

/** Only an answer about the recipient or the message can be permanent: other failures say nothing about them. */
function outcomeOf({ code, command, response, responseCode, permanent, timeoutType }: NodemailerError) {
  // The words of the answer are left out, because servers repeat the address in them.
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1];
  const answer = responseCode === undefined ? undefined : [responseCode, enhanced].filter(Boolean).join(' ');
  const detail =
    answer === undefined
      ? `${timeoutType ?? code ?? 'UNKNOWN'} at ${command ?? 'CONN'}`
      : `${command ?? 'CONN'} was answered ${answer}`;
  return {
    rejected: isAboutMail(command) && permanent === true ? 'PERMANENT' : 'TEMPORARY',
    detail,
  } as const;
}
