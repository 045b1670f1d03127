import { Readable } from 'node:stream';
import { defined } from '@fairway/values';
import {
  type Access,
  type Expansion,
  type Operation as Described,
  type OperationId,
  takesIfMatch,
} from '@fairway/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mediaTypeFault, readJson } from '../fields/body.ts';
import { bodyFields, type Fields, optional, queryFields } from '../fields/fields.ts';
import type { ReadQuery } from '../fields/query.ts';
import {
  done,
  invalidFields,
  type Outcome,
  type ProblemFacts,
  refuse,
  tryLater,
} from '../answers/problemFacts.ts';
import type { AdmissionGate, AnswerKind, Asker } from '../limits/gate.ts';
import type { Answer } from '../answers/answer.ts';
import type { Caller } from '../access/authentication.ts';
import { expandField } from '../fields/expandField.ts';
import { entityTag, expectedRevisions, hasCurrent } from '../answers/entityTag.ts';
import type { LongAnswers } from '../limits/longAnswers.ts';
import type { SendProblem } from '../answers/problemSender.ts';
import { UPLOADS } from '../limits/limits.ts';
import { createSlots } from '../limits/slots.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. A route without it needs a credential. */
    access?: Access;
  }
  interface FastifyRequest {
    /** The caller; undefined before the credential is checked, and on open routes. */
    caller: Caller | undefined;
  }
}

/**
 * The caller of an operation, and the parameters in its path. `expectedRevisions`: the revisions of the plan or the recipient
 * that If-Match names, if the operation honours it.
 */
export type Call = {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly expectedRevisions?: readonly number[];
  /** What the answer shows beside plans. */
  readonly expand: readonly Expansion[];
};

/**
 * Reads the fields of a request, and adds an error to `fields.errors` for each wrong field. When there are errors, the
 * returned value is not used, and the registrar answers `validation-failed` with all of them.
 */
type ReadInput<Input> = (fields: Fields, call: Call) => Input | undefined;

/** How an operation is answered. Without `input` the operation has no fields, and `answer` must not use its input. */
type Operation<Input, Result> = {
  readonly input?: ReadInput<Input>;
  answer(input: Input, call: Call): Result;
};

/** How an operation is answered when its answer goes on for long. */
type StreamOperation<Input> = {
  readonly input: ReadInput<Input>;
  answer(input: Input, call: Call, reading: Reading): Promise<Answer<unknown>>;
};

/**
 * How an operation is answered when its body is a file. `fault`: what is wrong with the headers of the body, before it is read.
 */
type UploadOperation<Input> = {
  fault(contentType: string | undefined, encoding: string | undefined): string | undefined;
  readonly input: ReadInput<Input>;
  answer(input: Input, call: Call, upload: Upload): Promise<Answer<unknown>>;
};

/** How a caller reads. `ended` aborts when it has gone, or may not read any more. */
export type Reading = { readonly lastEventId: string | undefined; readonly ended: AbortSignal };

/** A file as it was sent. */
export type Upload = { readonly bytes: Buffer; readonly contentType: string };

type Refused = { readonly ok: false; readonly problem: ProblemFacts };

/** The operations that an application serves, by their id. */
export type OperationsById<Id extends string> = (id: Id) => Described;

/** Registers operations of an API by their id. Without another one, it is the v1 API of @fairway/wire. */
export type Registrar<Id extends string = OperationId> = {
  /** A probe of a load balancer. It needs no credential, and its query string is ignored. */
  probe(id: Id, answer: () => Answer<unknown>): void;
  /** An operation without a body that is answered synchronously. */
  read<Input>(id: Id, operation: Operation<Input, Answer<unknown>>): void;
  /** An operation without a body that waits, for example for the database. */
  find<Input>(id: Id, operation: Operation<Input, Promise<Answer<unknown>>>): void;
  /** A page of a list that is read from the database. */
  page<Input>(id: Id, operation: Operation<Input, Promise<Answer<unknown>>>): void;
  /** A list that callers may cache for ten seconds, with an entity tag to ask again with. */
  list<Input>(id: Id, operation: Operation<Input, Outcome<object>>): void;
  /** An answer that goes on for long. It takes no place of a request once it has begun. */
  stream<Input>(id: Id, operation: StreamOperation<Input>): void;
  /** An operation whose body is a file. Few arrive at once. */
  upload<Input>(id: Id, operation: UploadOperation<Input>): void;
  /** An operation with a JSON body. It waits for the chain or the database. */
  submit<Input>(id: Id, operation: Operation<Input, Promise<Answer<unknown>>>): void;
};

/** Makes the registrar of a server. Every operation with a caller passes the gate, after its body has arrived. */
export function createRegistrar<Id extends string>(
  server: FastifyInstance,
  sendProblem: SendProblem,
  gate: AdmissionGate,
  longAnswers: LongAnswers,
  operation: OperationsById<Id>,
): Registrar<Id> {
  const send = createSender(sendProblem);
  const textOf = createListTexts();
  const { atOnce, waiting } = createPassages(gate, sendProblem);
  const routeOf = (id: Id) => routeTo(operation(id));
  const queryNames = (id: Id) => namesIn(operation(id).query);
  function findWith<Input>(
    id: Id,
    need: 'LIST' | 'DATABASE',
    handled: Operation<Input, Promise<Answer<unknown>>>,
  ): void {
    const known = queryNames(id);
    const handler = waiting(id, need, async (request, reply) => {
      const answer = await answered(request, fieldsOf(request, known), handled);
      send(request, reply, answer);
      return kindOf(answer, reply);
    });
    server.route({ ...routeOf(id), handler });
  }

  return {
    probe(id, answer) {
      server.route({ ...routeOf(id), handler: (request, reply) => send(request, reply, answer()) });
    },
    read(id, handled) {
      const known = queryNames(id);
      const handler = atOnce(id, (request, reply) => {
        send(request, reply, answered(request, fieldsOf(request, known), handled));
      });
      server.route({ ...routeOf(id), handler });
    },
    find: (id, handled) => findWith(id, 'DATABASE', handled),
    page: (id, handled) => findWith(id, 'LIST', handled),
    stream: createStreamRoutes({ server, send, waiting, longAnswers, operation }),
    upload: createUploadRoutes({ server, send, waiting, sendProblem, operation }),
    list(id, handled) {
      const known = queryNames(id);
      const handler = atOnce(id, (request, reply) => {
        const listed = answered(request, fieldsOf(request, known), handled);
        if (listed.ok) sendList(request, reply, textOf(listed.value));
        else sendProblem(request, reply, listed.problem);
      });
      server.route({ ...routeOf(id), handler });
    },
    submit(id, handled) {
      const described = operation(id);
      const { body, bodyOptional, success = 200 } = described;
      const [known, inner, asked] = [namesIn(body), innerNames(body), queryNames(id)];
      const revisionsOf = takesIfMatch(described) ? expectedRevisions : () => undefined;
      const handler = waiting(id, 'CHAIN', async (request, reply) => {
        const query = queryFields(request.query as ReadQuery, asked);
        const fields = submittedFields(request, known, inner, bodyOptional === true);
        const answer = fields.ok
          ? await answered(request, fields.value, handled, { query, revisions: revisionsOf(request) })
          : fields;
        if (answer.ok) reply.code(success);
        send(request, reply, answer);
        return kindOf(answer, reply);
      });
      server.route({ ...routeOf(id), onRequest: refuseOtherMedia(sendProblem), handler });
    },
  };
}

/** Makes the handlers of operations, which run their work behind the gate and answer when the gate refuses it. */
function createPassages(gate: AdmissionGate, sendProblem: SendProblem) {
  return {
    /** A handler that answers without waiting. */
    atOnce(id: string, work: (request: FastifyRequest, reply: FastifyReply) => void) {
      return (request: FastifyRequest, reply: FastifyReply) => {
        const refused = gate.now(askerOf(request, id), () => work(request, reply));
        if (refused === undefined) return;
        if (!(refused instanceof Promise)) return sendProblem(request, reply, refused);
        return refused.then((problem) => problem && sendProblem(request, reply, problem));
      };
    },
    /** A handler that waits for the database or a chain. */
    waiting(
      id: string,
      need: 'LIST' | 'DATABASE' | 'CHAIN',
      work: (request: FastifyRequest, reply: FastifyReply) => Promise<AnswerKind>,
    ) {
      return async (request: FastifyRequest, reply: FastifyReply) => {
        const refused = await gate.run(askerOf(request, id), need, () => work(request, reply));
        return refused === undefined ? reply : sendProblem(request, reply, refused);
      };
    },
  };
}

/**
 * The kind of a sent answer; undefined for a refusal, which is quicker than the work it refuses. Answers of two chains
 * have different kinds, and so have a new plan and a repeated one. A page of one plan and a page of a hundred differ,
 * too: sizes count to a factor of four.
 */
function kindOf(answer: Answer<unknown>, reply: FastifyReply): AnswerKind {
  if (!answer.ok) return undefined;
  const size = Math.ceil(Math.log2(Number(reply.getHeader('content-length') ?? 0) + 1) / 2);
  return `${answer.place} ${Object.keys(answer.headers ?? {}).join()} ${size}`;
}

function askerOf(request: FastifyRequest, id: string): Asker {
  return { organisationId: callOf(request).caller.organisationId, operation: id };
}

/** Makes the registration of operations whose answers go on for long. */
function createStreamRoutes<Id extends string>({
  server,
  send,
  waiting,
  longAnswers,
  operation,
}: Pick<ReturnType<typeof createPassages>, 'waiting'> & {
  readonly server: FastifyInstance;
  readonly send: Send;
  readonly longAnswers: LongAnswers;
  readonly operation: OperationsById<Id>;
}): Registrar<Id>['stream'] {
  return <Input>(id: Id, { input, answer: begin }: StreamOperation<Input>) => {
    const known = namesIn(operation(id).query);
    const handler = waiting(id, 'DATABASE', async (request, reply) => {
      const reading = { lastEventId: lastEventIdOf(request), ended: longAnswers.endOf(request, reply) };
      const answer = await answered<Input, Promise<Answer<unknown>>>(request, fieldsOf(request, known), {
        input,
        answer: (read, call) => begin(read, call, reading),
      });
      send(request, reply, request.method === 'HEAD' ? withoutStream(answer) : answer);
      return kindOf(answer, reply);
    });
    const route = { ...routeTo(operation(id)), exposeHeadRoute: false, handler };
    server.route(route);
    // Fastify's own answer to HEAD would read the stream to its end, which does not come.
    server.route({ ...route, method: 'HEAD' });
  };
}

const NO_UPLOAD = {
  OWN: tryLater(
    'rate-limited',
    'A file of this organisation is being imported already; wait until that is answered.',
    2,
  ),
  ALL: tryLater('overloaded', 'Too many files are being imported; send it again in 5 s.', 5),
} as const;

/** Makes the registration of operations whose body is a file. A place is taken before the body is read, and held until the answer is sent. */
function createUploadRoutes<Id extends string>({
  server,
  send,
  waiting,
  sendProblem,
  operation,
}: Pick<ReturnType<typeof createPassages>, 'waiting'> & {
  readonly server: FastifyInstance;
  readonly send: Send;
  readonly sendProblem: SendProblem;
  readonly operation: OperationsById<Id>;
}): Registrar<Id>['upload'] {
  const uploads = createSlots(UPLOADS);
  return <Input>(id: Id, { fault, input, answer: take }: UploadOperation<Input>) => {
    const described = operation(id);
    const known = namesIn(described.query);
    const onRequest = (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
      const { headers } = request;
      const detail = fault(headers['content-type'], headers['content-encoding']);
      if (detail !== undefined)
        return void sendProblem(request, reply, { code: 'unsupported-media-type', detail });
      const place = uploads.enter(callOf(request).caller.organisationId);
      if (!place.ok) return void sendProblem(request, reply, NO_UPLOAD[place.taken]);
      reply.raw.once('close', place.leave);
      next();
    };
    const handler = waiting(id, 'CHAIN', async (request, reply) => {
      const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const upload = { bytes, contentType: request.headers['content-type'] ?? '' };
      const answer = await answered<Input, Promise<Answer<unknown>>>(request, fieldsOf(request, known), {
        input,
        answer: (read, call) => take(read, call, upload),
      });
      if (answer.ok) reply.code(described.success ?? 200);
      send(request, reply, answer);
      return kindOf(answer, reply);
    });
    server.route({
      ...routeTo(described),
      ...defined({ bodyLimit: described.uploadBytes }),
      onRequest,
      handler,
    });
  };
}

/** An answer whose stream does not begin. */
function withoutStream(answer: Answer<unknown>): Answer<unknown> {
  if (!answer.ok || !('stream' in answer)) return answer;
  answer.stream.destroy();
  return { ...answer, stream: Readable.from([]) };
}

function lastEventIdOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['last-event-id'];
  return Array.isArray(given) ? given.join() : given;
}

type Send = (request: FastifyRequest, reply: FastifyReply, answer: Answer<unknown>) => FastifyReply;

function createSender(sendProblem: SendProblem): Send {
  return (request, reply, answer) => {
    if (!answer.ok) return sendProblem(request, reply, answer.problem);
    if (answer.headers !== undefined) reply.headers(answer.headers);
    if ('stream' in answer) return reply.header('content-type', answer.contentType).send(answer.stream);
    return 'json' in answer ? sendText(reply, answer.json) : sendJson(reply, answer.body);
  };
}

/** Reads the input of a request and runs its operation. Wrong fields are answered before the operation runs. */
function answered<Input, Result>(
  request: FastifyRequest,
  fields: Fields,
  { input: read, answer }: Operation<Input, Result>,
  {
    query = fields,
    revisions,
  }: { readonly query?: Fields; readonly revisions?: readonly number[] | undefined } = {},
): Result | Refused {
  const expand = optional(query, 'expand', expandField) ?? [];
  const call = { ...callOf(request), expand, ...defined({ expectedRevisions: revisions }) };
  const input = read?.(fields, call);
  const errors = query === fields ? fields.errors : [...fields.errors, ...query.errors];
  if (errors.length > 0) return refuse(invalidFields(errors));
  if (read !== undefined && input === undefined)
    throw new Error('The fields of a request were not read, but no error was added for them.');
  return answer(input as Input, call);
}

/** Makes the check of a body's media type, which refuses a request before its body is read. */
function refuseOtherMedia(sendProblem: SendProblem) {
  return (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    const fault = mediaTypeFault(request.headers['content-type'], request.headers['content-encoding']);
    if (fault === undefined || isEmpty(request)) return next();
    sendProblem(request, reply, { code: 'unsupported-media-type', detail: fault });
  };
}

function fieldsOf(request: FastifyRequest, known: readonly string[]): Fields {
  return queryFields(request.query as ReadQuery, known);
}

function routeTo({ method, path, access }: Described) {
  return { method, url: path.replaceAll(/\{(\w+)\}/g, ':$1'), config: { access } };
}

function callOf({ caller, params }: FastifyRequest): Call {
  if (caller === undefined) throw new Error('An operation runs for a request without a caller.');
  return { caller, params: params as Readonly<Record<string, string>>, expand: [] };
}

/** The names of the members that a schema of an object describes; none without a schema. */
function namesIn(schema: object | undefined): readonly string[] {
  const { properties = {} } = (schema ?? {}) as { readonly properties?: object };
  return Object.keys(properties);
}

/** The paths of the members of the members that a schema describes, such as "options.sender". */
function innerNames(schema: object | undefined): readonly string[] {
  const { properties = {} } = (schema ?? {}) as { readonly properties?: Readonly<Record<string, object>> };
  return Object.entries(properties).flatMap(([name, member]) =>
    namesIn(member).map((each) => `${name}.${each}`),
  );
}

/** Sends a body as JSON. JSON.stringify is used because serialisers compiled from schemas were slower when measured. */
function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return sendText(reply, JSON.stringify(body));
}

function sendText(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(json);
}

const EMPTY_OBJECT = Buffer.from('{}');

/** Whether a request declares no body. Its problem is then the empty body, not the missing content type. */
function isEmpty({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] === undefined && (length === undefined || length === '0');
}

function submittedFields(
  request: FastifyRequest,
  known: readonly string[],
  inner: readonly string[],
  bodyOptional: boolean,
): Outcome<Fields> {
  const given = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const bytes = given.length === 0 && bodyOptional ? EMPTY_OBJECT : given;
  const read = readJson(bytes);
  if (!read.ok) return refuse(malformedJson(read.detail, read.pointer));
  const fields = bodyFields(read.value, known, inner);
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

/** Remembers the text and the tag of each list. An unchanged list is the same object, so it is written only once. */
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
