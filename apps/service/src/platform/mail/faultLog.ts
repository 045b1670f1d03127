import { plainLine } from '@fairway/api';
import type { Logger } from 'pino';

/** How often the same fault is logged again. */
const REMIND_MS = 60_000;
const LONGEST_ANSWER = 200;

/** Why a mail was not taken: a code, and what the server or this machine said. */
export type MailFault = {
  readonly code: string;
  readonly said: string;
  /** Whether a recipient was named before, so that the answer may be about a person. */
  readonly isAboutMail: boolean;
};

/** Logs how a mail server fares. */
export type MailLog = {
  failed(fault: MailFault): void;
  /** A mail or a greeting was taken. */
  worked(): void;
};

/**
 * Words that mail servers refuse mails with. Any other word of an answer about a mail may be a part of an address or of
 * a name, and is left out.
 */
const SAYABLE = new Set(
  `a access account accept accepted again allowed and are as authenticated authentication authorized
  because blocked blacklisted blocklisted by cannot client closed content could command connection
  daily data delivery denied dkim dmarc dns does domain due error exceeded exist failed failure first for found
  from full greylisted greylisting has have host in inactive invalid is it ip later limit listed local
  loop mail mailbox many maximum message messages must no not of on or out over permanent permitted please
  policy pool quota rate reason recipient refused reject rejected relay relaying reputation required resources
  rcpt sender sending server service size smtp space spam spf storage suspicious such support system temporarily
  temporary the this tls to too try unable unauthenticated unavailable unknown unverified user validation
  verification verified verify virus with you your`.split(/\s+/),
);

/** Makes the log of one mail server. Each code is logged once a minute. */
export function createMailLog(
  log: Pick<Logger, 'warn' | 'info'>,
  server: { readonly host: string; readonly port: number },
  monotonicMs: () => number = () => performance.now(),
): MailLog {
  const loggedMs = new Map<string, number>();
  return {
    failed(fault) {
      const nowMs = monotonicMs();
      if (nowMs < (loggedMs.get(fault.code) ?? Number.NEGATIVE_INFINITY) + REMIND_MS) return;
      loggedMs.set(fault.code, nowMs);
      const answer = plainLine(sayable(fault), LONGEST_ANSWER);
      log.warn({ ...server, code: fault.code, answer }, 'The mail server did not take an e-mail');
    },
    worked() {
      if (loggedMs.size === 0) return;
      loggedMs.clear();
      log.info(server, 'The mail server takes e-mails again');
    },
  };
}

/** What was said, without what may be about a person. */
function sayable({ said, isAboutMail }: MailFault): string {
  if (!isAboutMail) return said.replaceAll(/\S+@\S+/g, '…');
  const words = said.replaceAll(/<[^>]*>|\S+@\S+/g, ' … ').split(/\s+/);
  const shown = words.map((word, index) => (isSayable(word) || isCode(word, index) ? word : '…'));
  return shown.filter((word, index) => word !== '…' || shown[index - 1] !== '…').join(' ');
}

function isSayable(word: string): boolean {
  return SAYABLE.has(word.replaceAll(/^\W+|\W+$/g, '').toLowerCase());
}

/** The codes that an answer begins with. */
function isCode(word: string, index: number): boolean {
  return index < 2 && /^([45]\d\d|[45]\.\d{1,3}\.\d{1,3})-?$/.test(word);
}
