import type { FastifyReply, FastifyRequest } from 'fastify';

/** How often it is asked whether a caller may still read. With what credentials are remembered it is less than five seconds. */
const RECHECK_MS = 1_500;

/** Answers that go on for long, and when they have to end. */
export type LongAnswers = {
  /** Aborts when the caller has gone, or may not read any more. */
  endOf(request: FastifyRequest, reply: FastifyReply): AbortSignal;
};

/** Watches answers that go on for long. `mayRead`: whether the credential of a request is still good for it. */
export function createLongAnswers(mayRead: (request: FastifyRequest) => Promise<boolean>): LongAnswers {
  const open = new Map<FastifyRequest, AbortController>();
  let checking: NodeJS.Timeout | undefined;

  async function check(request: FastifyRequest, ending: AbortController): Promise<void> {
    if (!(await mayRead(request))) ending.abort();
  }

  return {
    endOf(request, reply) {
      const ending = new AbortController();
      open.set(request, ending);
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
