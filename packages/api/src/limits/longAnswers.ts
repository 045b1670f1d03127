import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/**
 * How often the service checks whether a caller may still read. A credential that ended is noticed within five seconds,
 * although credentials are remembered.
 */
const RECHECK_MS = 1_500;
/** How long a caller who may not read any more may take for what it was sent before. */
const GRACE_MS = 300;

/** Answers that go on for long, and when they have to end. */
export type LongAnswers = {
  /** Aborts when the caller has gone, or may not read any more; aborted already where the caller went before. */
  endOf(request: FastifyRequest, reply: FastifyReply): AbortSignal;
};

type Open = { readonly reply: FastifyReply; readonly ending: AbortController; isChecked: boolean };

/** Watches answers that go on for long. `mayRead`: whether the credential of a request is still good for it. */
export function createLongAnswers(
  mayRead: (request: FastifyRequest) => Promise<boolean>,
  log: Pick<Logger, 'error'>,
): LongAnswers {
  const open = new Map<FastifyRequest, Open>();
  let checking: NodeJS.Timeout | undefined;

  async function check(request: FastifyRequest, its: Open): Promise<void> {
    if (its.isChecked) return;
    its.isChecked = true;
    try {
      if (await mayRead(request)) return;
      its.ending.abort();
      // A caller that does not read what was sent would keep the connection and the unread rest.
      setTimeout(() => its.reply.raw.destroy(), GRACE_MS).unref();
    } catch (error) {
      log.error({ err: error }, 'A credential cannot be checked again');
    } finally {
      its.isChecked = false;
    }
  }

  return {
    endOf(request, reply) {
      const ending = new AbortController();
      // The `close` event has passed already.
      if (reply.raw.closed || reply.raw.destroyed) ending.abort();
      if (ending.signal.aborted) return ending.signal;
      open.set(request, { reply, ending, isChecked: false });
      checking ??= setInterval(() => {
        for (const [each, its] of open) void check(each, its);
      }, RECHECK_MS).unref();
      reply.raw.once('close', () => {
        open.delete(request);
        ending.abort();
        if (open.size > 0) return;
        clearInterval(checking);
        checking = undefined;
      });
      return ending.signal;
    },
  };
}
