import { defined } from '@fairway/values';
import { PROBLEMS, type Problem } from '@fairway/wire';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemFacts } from './problemFacts.ts';
import type { ProblemAnswer } from './answer.ts';

/** Sends a problem as the response. */
export type SendProblem = (
  request: FastifyRequest,
  reply: FastifyReply,
  problem: ProblemAnswer,
) => FastifyReply;

/** Makes the sender of problems for a service that is reachable at `publicUrl`. */
export function createProblemSender(publicUrl: () => string): SendProblem {
  return (request, reply, problem) => {
    const body = problemBody(problem, publicUrl(), request.id);
    const { headers, retryAfterSeconds } = problem;
    if (headers !== undefined) reply.headers(headers);
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
    // Sent as bytes, because Fastify adds a charset to the content type of a string, and this type defines none.
    return reply
      .code(body.status)
      .header('content-type', 'application/problem+json')
      .header('cache-control', 'no-store')
      .send(Buffer.from(JSON.stringify(body)));
  };
}

/** The body of a problem. */
export function problemBody(
  { code, detail, errors, revision }: ProblemFacts,
  publicUrl: string,
  requestId: string,
): Problem & { readonly status: number } {
  const { title, status } = PROBLEMS[code];
  return {
    type: `${publicUrl}/problems/${code}`,
    title,
    status,
    detail,
    code,
    ...defined({
      errors: errors === undefined ? undefined : [...errors],
      revision,
    }),
    requestId,
  };
}
