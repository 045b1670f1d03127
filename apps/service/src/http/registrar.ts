import { defined } from '@fairway/plan';
import { type Access, type OperationId, operation } from '@fairway/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mediaTypeFault, readJson } from '../fields/body.ts';
import { bodyFields, type Fields, queryFields } from '../fields/fields.ts';
import type { ReadQuery } from '../fields/query.ts';
import { done, invalidFields, type Outcome, type ProblemFacts, refuse } from '../problems/problem.ts';
import type { Answer } from './answer.ts';
import type { Caller } from './authentication.ts';
import { entityTag, hasCurrent } from './entityTag.ts';
import type { SendProblem } from './problem.ts';
import type { SubmitGate } from './submitGate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route; routes without it are open to nobody without a credential. */
    access?: Access;
  }
  interface FastifyRequest {
    /** Whose request it is; undefined before the credential is checked, and on open routes. */
    caller: Caller | undefined;
  }
}

/** Who asks, and what the path names. */
export type Call = { readonly caller: Caller; readonly params: Readonly<Record<string, string>> };

/**
 * Reads the fields of a request. What is wrong with them it adds to `fields.errors`; what it returns then is not used:
 * the registrar answers `validation-failed` with all of the errors.
 */
type ReadInput<Input> = (fields: Fields, call: Call) => Input | undefined;

/** How an operation is answered. Without `input` it has no fields, and `answer` does not look at its input. */
type Operation<Input, Result> = {
  readonly input?: ReadInput<Input>;
  answer(input: Input, call: Call): Result;
};

/** An operation with a JSON body, whose members `fields` names; without them the body is an empty object. */
type Submission<Input, Result> = Operation<Input, Result> & { readonly fields?: readonly string[] };

/** Lets the caller's work through, or refuses it. */
export type CallGate = <Result>(work: () => Promise<Result>) => Promise<Result | Refused>;

type Refused = { readonly ok: false; readonly problem: ProblemFacts };

/** Registers operations of the API by their id in wire's table. */
export type Registrar = {
  /** A probe of a load balancer: without a credential, whatever the query string says. */
  probe(id: OperationId, answer: () => Answer<unknown>): void;
  /** An operation without a body. It is answered in the turn in which the request arrives. */
  read<Input>(id: OperationId, operation: Operation<Input, Answer<unknown>>): void;
  /** An operation without a body that reads what is stored. */
  find<Input>(id: OperationId, operation: Operation<Input, Promise<Answer<unknown>>>): void;
  /** A list that callers may keep for ten seconds, with a tag to ask again by. */
  list<Input>(id: OperationId, operation: Operation<Input, Outcome<object>>): void;
  /** An operation with a JSON body that waits for chain or database. */
  submit<Input>(id: OperationId, operation: Submission<Input, Promise<Answer<unknown>>>): void;
  /** An operation of which only a part has to wait: the handler sends that part through the gate. */
  submitInParts<Input>(id: OperationId, operation: SubmissionInParts<Input>): void;
};

type SubmissionInParts<Input> = Pick<Submission<Input, unknown>, 'fields' | 'input'> & {
  answer(input: Input, call: Call, gate: CallGate): Promise<Answer<unknown>>;
};

/** Makes the registrar of a server. Submitted requests pass through the gate. */
export function createRegistrar(
  server: FastifyInstance,
  sendProblem: SendProblem,
  submits: SubmitGate,
): Registrar {
  const send = createSender(sendProblem);
  const textOf = createListTexts();
  const submitInParts = createSubmissions(server, sendProblem, submits);

  return {
    probe(id, answer) {
      server.route({ ...routeOf(id), handler: (request, reply) => send(request, reply, answer()) });
    },
    read(id, handled) {
      const known = queryNames(id);
      server.route({
        ...routeOf(id),
        handler: (request, reply) =>
          send(request, reply, answered(request, fieldsOf(request, known), handled)),
      });
    },
    find(id, handled) {
      const known = queryNames(id);
      server.route({
        ...routeOf(id),
        handler: async (request, reply) =>
          send(request, reply, await answered(request, fieldsOf(request, known), handled)),
      });
    },
    list(id, handled) {
      const known = queryNames(id);
      server.route({
        ...routeOf(id),
        handler: (request, reply) => {
          const listed = answered(request, fieldsOf(request, known), handled);
          if (!listed.ok) return sendProblem(request, reply, listed.problem);
          return sendList(request, reply, textOf(listed.value));
        },
      });
    },
    submit(id, { answer, ...rest }) {
      submitInParts(id, { ...rest, answer: (given, call, gate) => gate(() => answer(given, call)) });
    },
    submitInParts,
  };
}

type Send = (request: FastifyRequest, reply: FastifyReply, answer: Answer<unknown>) => FastifyReply;

function createSender(sendProblem: SendProblem): Send {
  return (request, reply, answer) => {
    if (!answer.ok) return sendProblem(request, reply, answer.problem);
    if (answer.headers !== undefined) reply.headers(answer.headers);
    if ('stream' in answer) return reply.header('content-type', answer.contentType).send(answer.stream);
    return sendJson(reply, answer.body);
  };
}

/** Answers a request whose fields are read: first what is wrong with them, else what the operation answers. */
function answered<Input, Result>(
  request: FastifyRequest,
  fields: Fields,
  { input: read, answer }: Operation<Input, Result>,
): Result | Refused {
  const call = callOf(request);
  const input = read?.(fields, call);
  if (fields.errors.length > 0) return refuse(invalidFields(fields.errors));
  if (read !== undefined && input === undefined)
    throw new Error('The fields of a request were not read, and no error says why.');
  return answer(input as Input, call);
}

function createSubmissions(
  server: FastifyInstance,
  sendProblem: SendProblem,
  submits: SubmitGate,
): Registrar['submitInParts'] {
  const send = createSender(sendProblem);
  return <Input>(id: OperationId, submission: SubmissionInParts<Input>) => {
    const { fields: known = [], input, answer } = submission;
    const { bodyOptional } = operation(id);
    server.route({
      ...routeOf(id),
      onRequest: (request, reply, done) => {
        const fault = mediaTypeFault(request.headers['content-type'], request.headers['content-encoding']);
        if (fault === undefined || isEmpty(request)) return done();
        sendProblem(request, reply, { code: 'unsupported-media-type', detail: fault });
      },
      handler: async (request, reply) => {
        const fields = submittedFields(request, known, bodyOptional === true);
        if (!fields.ok) return sendProblem(request, reply, fields.problem);
        const gated: Operation<Input, Promise<Answer<unknown>>> = {
          ...defined({ input }),
          answer: (given, call) => answer(given, call, (work) => submits(call.caller.credentialId, work)),
        };
        return send(request, reply, await answered(request, fields.value, gated));
      },
    });
  };
}

function fieldsOf(request: FastifyRequest, known: readonly string[]): Fields {
  return queryFields(request.query as ReadQuery, known);
}

function routeOf(id: OperationId) {
  const { method, path, access } = operation(id);
  return { method, url: path.replaceAll(/\{(\w+)\}/g, ':$1'), config: { access } };
}

function callOf({ caller, params }: FastifyRequest): Call {
  if (caller === undefined)
    throw new Error('Operations with a credential are admitted before they are handled.');
  return { caller, params: params as Readonly<Record<string, string>> };
}

function queryNames(id: OperationId): readonly string[] {
  const { query } = operation(id);
  const properties = query === undefined ? {} : (query as { properties?: object }).properties;
  return Object.keys(properties ?? {});
}

/** As JSON.stringify writes it: serialisers compiled from the schemas were measured to be slower. */
function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return sendText(reply, JSON.stringify(body));
}

function sendText(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(json);
}

const EMPTY_OBJECT = Buffer.from('{}');

/** A request that declares no body at all: said to be empty, not of the wrong type. */
function isEmpty({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] === undefined && (length === undefined || length === '0');
}

function submittedFields(
  request: FastifyRequest,
  known: readonly string[],
  bodyOptional: boolean,
): Outcome<Fields> {
  const given = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const bytes = given.length === 0 && bodyOptional ? EMPTY_OBJECT : given;
  const read = readJson(bytes);
  if (!read.ok) return refuse(malformedJson(read.detail, read.pointer));
  const fields = bodyFields(read.value, known);
  fields.errors.push(...queryFields(request.query as ReadQuery, []).errors);
  return done(fields);
}

function malformedJson(detail: string, pointer: string | undefined): ProblemFacts {
  return {
    code: 'malformed-json',
    detail,
    ...defined({ errors: pointer === undefined ? undefined : [{ pointer, detail }] }),
  };
}

type ListText = { readonly text: string; readonly tag: string };

/** Writes each list once: lists that have not changed are the same object. */
function createListTexts(): (body: object) => ListText {
  const texts = new WeakMap<object, ListText>();
  return (body) => {
    const known = texts.get(body);
    if (known !== undefined) return known;
    const text = JSON.stringify(body);
    const made = { text, tag: entityTag(text) };
    texts.set(body, made);
    return made;
  };
}

function sendList(request: FastifyRequest, reply: FastifyReply, { text, tag }: ListText): FastifyReply {
  reply.header('etag', tag).header('cache-control', 'private, max-age=10');
  if (hasCurrent(request, tag)) return reply.code(304).send();
  return sendText(reply, text);
}
