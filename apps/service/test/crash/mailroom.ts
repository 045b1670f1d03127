import { type SunkMail, startMailSink } from '../../src/sandbox/mailSink.ts';
import type { Caller } from '../paymentCalls.ts';

/** An e-mail, whichever service sent it. */
export type Letter = Pick<SunkMail, 'to' | 'text' | 'at'>;

/**
 * The e-mails of both services. What the first sends lies in the sandbox's mailbox and is gone with it when it is
 * killed, but for what was read before; the second sends to a server that nobody kills.
 */
export type Mailroom = {
  /** Where the second service sends its e-mails to. */
  readonly smtpUrl: string;
  /** Newest first. `first` asks the service with the sandbox. */
  lettersTo(addresses: readonly string[], first: Caller): Promise<readonly Letter[]>;
  close(): Promise<void>;
};

/** The mailbox is long; all who look into it at once share an answer. */
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
