import {
  type Answer,
  type Door,
  invalidFields,
  mediaTypeFault,
  type Outcome,
  type ReadQuery,
  tryLater,
} from '@fairway/api';
import {
  LIMITS,
  NODE_OPERATIONS,
  type NodeOperationId,
  OPERATION_IDS,
  operation,
  type OperationId,
} from '@fairway/wire';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  answerOf,
  type ExecuteRequest,
  type ExecutionParts,
  type Passed,
  takeSwap,
} from '../executions/index.ts';
import { paymentAnswer, type PaymentParts, readingOfPlan, takePayment } from '../payments/index.ts';
import { forward, type MirroredService } from './forward.ts';

/** What the mirror works with. */
export type MirrorParts = {
  readonly service: MirroredService;
  readonly executions: ExecutionParts;
  readonly payments: PaymentParts;
};

/** The longest that Prefer: wait=N waits. */
const LONGEST_WAIT_SECONDS = 60;

/** Registers every operation below /v1 that the service has, with the permission that it needs there. */
export function registerMirror(door: Door<NodeOperationId>, parts: MirrorParts): void {
  for (const id of OPERATION_IDS.filter((each) => operation(each).path.startsWith('/v1/')))
    registerOperation(door, parts, id);
}

function registerOperation(door: Door<NodeOperationId>, parts: MirrorParts, id: OperationId): void {
  const { method, path, access, uploadBytes } = operation(id);
  door.server.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { access },
    bodyLimit: uploadBytes ?? LIMITS.bodyBytes,
    async handler(request, reply) {
      const mode = modeOf(request);
      if (mode === undefined) return door.sendProblem(request, reply, WRONG_MODE);
      if (mode === 'plan') return mirrored(door, parts, id, request, reply);
      if (id === 'planSwap') return executed(door, request, reply, swapsOf(parts));
      if (id === 'createPayment') return executed(door, request, reply, paymentsOf(parts));
      const detail = `${method} ${path} cannot be executed; leave executionMode out, or set it to plan.`;
      const errors = [{ pointer: '/query/executionMode', detail }];
      return door.sendProblem(request, reply, { code: 'execution-mode-not-supported', detail, errors });
    },
  });
}

const WRONG_MODE = invalidFields([
  { pointer: '/query/executionMode', detail: 'executionMode must be plan or execute, and is given once.' },
]);

/** What becomes of a request; undefined where that is not said rightly. */
function modeOf(request: FastifyRequest): 'plan' | 'execute' | undefined {
  const { values, repeated } = request.query as ReadQuery;
  const mode = values.get('executionMode') ?? 'plan';
  if (repeated.includes('executionMode')) return undefined;
  return mode === 'plan' || mode === 'execute' ? mode : undefined;
}

async function mirrored(
  { gate, sendProblem }: Door<NodeOperationId>,
  { service, payments }: MirrorParts,
  id: OperationId,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const path = pathAtService(request, operation(id).path);
  if (path === undefined) return sendProblem(request, reply, NOTHING_HERE);
  const refused = await gate.run(askerOf(request, id), 'CHAIN', async () => {
    const { planId = '' } = request.params as { readonly planId?: string };
    const beside = id === 'getPayment' ? await readingOfPlan(payments, planId) : undefined;
    if (!(await forward(service, request, reply, path, beside))) sendProblem(request, reply, AWAY);
    return undefined;
  });
  return refused === undefined ? reply : sendProblem(request, reply, refused);
}

const NOTHING_HERE = { code: 'not-found', detail: 'There is nothing of this id.' } as const;
const AWAY = tryLater('upstream-unavailable', 'The service does not answer at the moment.', 2);

/**
 * The path of an operation with the parameters of a request; undefined where one would lead to another operation. The
 * service does not know executionMode.
 */
function pathAtService({ url, params }: FastifyRequest, template: string): string | undefined {
  const given = params as Readonly<Record<string, string>>;
  if (Object.values(given).some((value) => value === '.' || value === '..')) return undefined;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given[name] ?? ''));
  const kept = url
    .split('?')
    .slice(1)
    .join('?')
    .split('&')
    .filter((part) => part !== '' && !/^executionMode(=|$)/.test(part));
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

/** How requests of one kind are executed. */
type Execution<Taken> = {
  readonly operation: NodeOperationId;
  take(request: FastifyRequest, body: Uint8Array): Promise<Outcome<Taken> | Passed>;
  answer(taken: Taken, wait: Pick<ExecuteRequest, 'waitMs' | 'ended'>): Promise<Answer<object>>;
};

function swapsOf({ executions }: MirrorParts): Execution<TakenOf<typeof takeSwap>> {
  return {
    operation: 'executeSwap',
    take: (request, body) => takeSwap(executions, { keys: headersOf(request, 'idempotency-key'), body }),
    answer: (taken, wait) => answerOf(executions, taken, wait),
  };
}

function paymentsOf({ payments }: MirrorParts): Execution<TakenOf<typeof takePayment>> {
  return {
    operation: 'executePayment',
    take: (_, body) => takePayment(payments, { body }),
    answer: (taken, wait) => paymentAnswer(payments, taken, wait),
  };
}

/** What a function that takes something on gives. */
type TakenOf<Take extends (...given: never[]) => Promise<unknown>> =
  Extract<Awaited<ReturnType<Take>>, { ok: true }> extends { value: infer Taken } ? Taken : never;

/** It waits for the end outside of the gate, so that others are answered meanwhile. */
async function executed<Taken>(
  { gate, sendProblem }: Door<NodeOperationId>,
  request: FastifyRequest,
  reply: FastifyReply,
  execution: Execution<Taken>,
): Promise<FastifyReply> {
  const { permission } = NODE_OPERATIONS.executeSwap.access;
  if (request.caller?.permissions.includes(permission) !== true) {
    const detail = `This needs the permission ${permission}, which the credential does not have.`;
    return sendProblem(request, reply, { code: 'forbidden', detail });
  }
  // Else the form of any page could have something executed by a browser that remembers a credential.
  const fault = mediaTypeFault(request.headers['content-type'], request.headers['content-encoding']);
  if (fault !== undefined)
    return sendProblem(request, reply, { code: 'unsupported-media-type', detail: fault });
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  let taken: Outcome<Taken> | Passed | undefined;
  const refused = await gate.run(askerOf(request, execution.operation), 'CHAIN', async () => {
    taken = await execution.take(request, body);
    return undefined;
  });
  if (refused !== undefined) return sendProblem(request, reply, refused);
  if (taken === undefined) throw new Error('The gate has run nothing, and refused nothing.');
  if (!taken.ok) {
    if ('problem' in taken) return sendProblem(request, reply, taken.problem);
    const text = JSON.stringify(taken.passed);
    return reply
      .code(taken.passed.status)
      .header('content-type', 'application/problem+json')
      .send(Buffer.from(text));
  }
  const waitMs = waitSeconds(headersOf(request, 'prefer').join()) * 1000;
  const answer = await execution.answer(taken.value, { waitMs, ended: gone.signal });
  if (!answer.ok || !('body' in answer)) throw new Error('An execution is answered as JSON.');
  return reply
    .headers(answer.headers ?? {})
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(answer.body));
}

/** Each header of a name by itself. Node.js joins those that come twice. */
function headersOf({ raw }: FastifyRequest, name: string): readonly string[] {
  return raw.headersDistinct[name] ?? [];
}

/** N of `Prefer: wait=N` (RFC 7240). */
function waitSeconds(prefer: string): number {
  const [, seconds = '0'] = /(?:^|[,;\s])wait=(\d{1,4})/.exec(prefer) ?? [];
  return Math.min(Number(seconds), LONGEST_WAIT_SECONDS);
}

function askerOf({ caller }: FastifyRequest, id: string) {
  if (caller === undefined) throw new Error('An operation runs for a request without a caller.');
  return { organisationId: caller.organisationId, operation: id };
}
