import type { Bps, QuoteRefusal } from '@fairway/engine';
import type { Freshness, SwapRefusal } from '@fairway/evm';
import { type FieldError, PROBLEMS, type Problem, type ProblemCode } from '@fairway/wire';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** One occurrence of a problem. `detail` is a sentence for the caller: what was given, what to do. */
export type ProblemAnswer = {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
};

/** Errors named in one problem: a short request must not be able to ask for a very long answer. */
const MOST_ERRORS = 50;

/** What a use case of the API answers: a body, or a problem. */
export type Answer<Body> =
  | { readonly ok: true; readonly body: Body; readonly headers?: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly problem: ProblemAnswer };

/** A refused answer. */
export function refuse(problem: ProblemAnswer): { readonly ok: false; readonly problem: ProblemAnswer } {
  return { ok: false, problem };
}

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
    if (problem.headers !== undefined) reply.headers(problem.headers);
    // Sent as bytes: to a text Fastify adds a charset, which this media type does not define.
    return reply
      .code(body.status)
      .header('content-type', 'application/problem+json')
      .header('cache-control', 'no-store')
      .send(Buffer.from(JSON.stringify(body)));
  };
}

/** The body of a problem. */
export function problemBody(
  { code, detail, errors }: ProblemAnswer,
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
    ...(errors === undefined ? {} : { errors: [...errors] }),
    requestId,
  };
}

/** The problem of fields that are wrong: all of them. */
export function invalidFields(errors: readonly FieldError[]): ProblemAnswer {
  const [first] = errors;
  if (errors.length === 1 && first !== undefined) {
    return { code: 'validation-failed', detail: first.detail, errors };
  }
  const named = errors.length > MOST_ERRORS ? `the first ${MOST_ERRORS}` : 'each';
  const detail = `The request has ${errors.length} invalid fields; "errors" names ${named}.`;
  return { code: 'validation-failed', detail, errors: errors.slice(0, MOST_ERRORS) };
}

/** A problem that passes by itself. */
export function tryLater(
  code: 'market-stale' | 'upstream-unavailable' | 'overloaded' | 'rate-limited',
  detail: string,
  retryAfterSeconds: number,
): ProblemAnswer {
  return { code, detail, headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) } };
}

/** What the sentences about a refused quote are made of. */
export type QuoteAsked = {
  readonly tradeType: 'EXACT_IN' | 'EXACT_OUT';
  readonly amount: bigint;
  readonly maxHops: number;
  /** Pointer to the amount, for `errors`. */
  readonly amountPointer: string;
};

const QUOTE_REFUSALS: Readonly<Record<QuoteRefusal['reason'], (asked: QuoteAsked) => ProblemAnswer>> = {
  NO_ROUTE: ({ maxHops }) => ({
    code: 'no-route',
    detail: `No pools of the sources allowed connect tokenIn and tokenOut within ${maxHops} ${maxHops === 1 ? 'hop' : 'hops'}.`,
  }),
  INSUFFICIENT_LIQUIDITY: ({ tradeType, amount }) => ({
    code: 'insufficient-liquidity',
    detail:
      tradeType === 'EXACT_IN'
        ? `No route can take the whole amount of ${amount} of tokenIn.`
        : `No route can give the whole amount of ${amount} of tokenOut.`,
  }),
  AMOUNT_TOO_SMALL: ({ amount, amountPointer }) => {
    const detail = `An amount of ${amount} is too small: it buys less than one smallest unit of tokenOut.`;
    return { code: 'amount-out-of-range', detail, errors: [{ pointer: amountPointer, detail }] };
  },
};

/** The problem of a quote that the engine refuses. */
export function quoteRefused({ reason }: QuoteRefusal, asked: QuoteAsked): ProblemAnswer {
  return QUOTE_REFUSALS[reason](asked);
}

/** The problem of a swap that must not leave. */
export function swapRefused(refusal: SwapRefusal, recipientPointer: string): ProblemAnswer {
  switch (refusal.reason) {
    case 'RECIPIENT_REFUSED':
      return invalidFields([{ pointer: recipientPointer, detail: refusal.detail }]);
    case 'SIMULATION_FAILED':
      return {
        code: 'simulation-failed',
        detail: `The swap would revert: ${printable(refusal.revertReason)}`,
      };
    case 'NOT_EXECUTABLE':
      return { code: 'no-route', detail: `The best route cannot be executed: ${printable(refusal.detail)}` };
  }
}

/** Revert reasons are written by strangers' contracts: one short printable line is passed on. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200);
}

/** The problem of a market that may not be quoted from. */
export function marketStale(chainId: number, freshness: Extract<Freshness, { fresh: false }>): ProblemAnswer {
  return tryLater(
    'market-stale',
    `The market of chain ${chainId} is not up to date: ${freshness.detail}`,
    freshness.retryAfterSeconds,
  );
}

/** The problem of a trade beyond the operator's impact bound. */
export function impactTooHigh(impactBps: Bps, allowedBps: number): ProblemAnswer {
  return {
    code: 'price-impact-too-high',
    detail: `The price impact is ${impactBps} bps; this deployment allows ${allowedBps} bps.`,
  };
}
