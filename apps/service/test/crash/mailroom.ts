import { type SunkMail, startMailSink } from '../../src/parts/sandbox/mailSink.ts';
import type { Caller } from '../paymentCalls.ts';

/** An e-mail from either service. */
export type Letter = Pick<SunkMail, 'to' | 'text' | 'at'>;

/**
 * The e-mails of both services. The first service sends to the sandbox's mailbox, which is lost when the service is
 * killed, except for e-mails that were read before. The second service sends to a server that is never killed.
 */
export type Mailroom = {
  /** The server that the second service sends its e-mails to. */
  readonly smtpUrl: string;
  /** E-mails to any of the addresses, newest first. `first` asks the service with the sandbox. */
  lettersTo(addresses: readonly string[], first: Caller): Promise<readonly Letter[]>;
  close(): Promise<void>;
};

/** The mailbox is long, so requests within this time share an answer. */
const LOOK_APART_MS = 100;

/** Starts the server of the second service's e-mails. */
export async function startMailroom(): Promise<Mailroom> {
  const sink = await startMailSink();
  const known = new Map<string, Letter>();
  const keep = (letters: readonly Letter[]) => {
    for (const { to, text, at } of letters) known.set(`${to} ${text}`, { to, text, at });
  };
  let looking: Promise<void> = Promise.resolve();
  let lookedMs = Number.NEGATIVE_INFINITY;
  const look = async (first: Caller) => {
    const { status, text } = await first('/v1/sandbox/mailbox');
    if (status === 200) keep((JSON.parse(text) as { data: Letter[] }).data);
  };
  return {
    smtpUrl: sink.url,
    async lettersTo(addresses, first) {
      if (performance.now() - lookedMs > LOOK_APART_MS) {
        lookedMs = performance.now();
        looking = look(first);
      }
      await looking;
      keep(sink.messages());
      const letters = [...known.values()].filter(({ to }) => addresses.includes(to));
      return letters.toSorted((one, other) => (one.at < other.at ? 1 : -1));
    },
    close: sink.close,
  };
}
