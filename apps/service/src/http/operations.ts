import { createHash } from 'node:crypto';
import { type Access, type OperationId, operation } from '@fairway/wire';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mediaTypeFault, readJson } from '../fields/body.ts';
import { bodyFields, type Fields, queryFields } from '../fields/fields.ts';
import type { Caller } from './authentication.ts';
import { type Answer, type ProblemAnswer, refuse, type SendProblem } from './problem.ts';
import { NO_QUERY, type ReadQuery } from '../fields/query.ts';
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

/** Registers operations of the API by their id in wire's table. */
export type Registrar = {
  /** An operation without a body, answered at once or later. */
  read(id: OperationId, handler: (fields: Fields) => Answer<unknown>): void;
  /** An operation without a body that reads what is stored. */
  find(id: OperationId, handler: (fields: Fields, call: Call) => Promise<Answer<unknown>>): void;
  /** A list that callers may keep for ten seconds, with a tag to ask again by. */
  list(id: OperationId, handler: (fields: Fields) => Answer<object>): void;
  /** An operation with a JSON body that waits for chain or database; `known` names its fields. */
  submit(
    id: OperationId,
    known: readonly string[],
    handler: (fields: Fields, call: Call) => Promise<Answer<unknown>>,
  ): void;
  /** The same where only a part of the work has to wait: the handler sends that part through the gate. */
  submitInParts(
    id: OperationId,
    known: readonly string[],
    handler: (fields: Fields, call: Call, gate: CallGate) => Promise<Answer<unknown>>,
  ): void;
};

/** Lets the caller's work through, or refuses it. */
export type CallGate = <Body>(work: () => Promise<Answer<Body>>) => Promise<Answer<Body>>;

/** Makes the registrar of a server. Submitted requests pass through the gate. */
export function createRegistrar(
  server: FastifyInstance,
  sendProblem: SendProblem,
  submits: SubmitGate,
): Registrar {
  const textOf = createListTexts();

  const submitInParts: Registrar['submitInParts'] = (id, known, handler) => {
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
        const call = callOf(request);
        const answer = await handler(fields.body, call, (work) => submits(call.caller.credentialId, work));
        if (!answer.ok) return sendProblem(request, reply, answer.problem);
        if (answer.headers !== undefined) reply.headers(answer.headers);
        return sendJson(reply, answer.body);
      },
    });
  };

  return {
    read(id, handler) {
      const known = queryNames(id);
      const fieldsOf = id === 'livez' || id === 'readyz' ? noFields : queryFields;
      server.route({
        ...routeOf(id),
        handler: (request, reply) => {
          const answer = handler(fieldsOf(request.query as ReadQuery, known));
          return answer.ok ? sendJson(reply, answer.body) : sendProblem(request, reply, answer.problem);
        },
      });
    },
    find(id, handler) {
      const known = queryNames(id);
      server.route({
        ...routeOf(id),
        handler: async (request, reply) => {
          const answer = await handler(queryFields(request.query as ReadQuery, known), callOf(request));
          return answer.ok ? sendJson(reply, answer.body) : sendProblem(request, reply, answer.problem);
        },
      });
    },
    list(id, handler) {
      const known = queryNames(id);
      server.route({
        ...routeOf(id),
        handler: (request, reply) => {
          const answer = handler(queryFields(request.query as ReadQuery, known));
          if (!answer.ok) return sendProblem(request, reply, answer.problem);
          return sendList(request, reply, textOf(answer.body));
        },
      });
    },
    submit: (id, known, handler) =>
      submitInParts(id, known, (fields, call, gate) => gate(() => handler(fields, call))),
    submitInParts,
  };
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

/** Probes answer whatever a load balancer appends to their path. */
function noFields(): Fields {
  return queryFields(NO_QUERY, []);
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
): Answer<Fields> {
  const given = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const bytes = given.length === 0 && bodyOptional ? EMPTY_OBJECT : given;
  const read = readJson(bytes);
  if (!read.ok) return refuse(malformedJson(read.detail, read.pointer));
  const fields = bodyFields(read.value, known);
  fields.errors.push(...queryFields(request.query as ReadQuery, []).errors);
  return { ok: true, body: fields };
}

function malformedJson(detail: string, pointer: string | undefined): ProblemAnswer {
  return {
    code: 'malformed-json',
    detail,
    ...(pointer === undefined ? {} : { errors: [{ pointer, detail }] }),
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

/** A strong entity tag of a text. */
export function entityTag(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/** Whether the caller says that it has this representation already (RFC 9110, weak comparison). */
export function hasCurrent(request: FastifyRequest, tag: string): boolean {
  const given = request.headers['if-none-match'];
  if (given === undefined) return false;
  if (given.trim() === '*') return true;
  return given.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}

function sendList(request: FastifyRequest, reply: FastifyReply, { text, tag }: ListText): FastifyReply {
  reply.header('etag', tag).header('cache-control', 'private, max-age=10');
  if (hasCurrent(request, tag)) return reply.code(304).send();
  return sendText(reply, text);
}
