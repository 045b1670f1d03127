import type { IncomingMessage, Server } from 'node:http';
import { DatabaseUnavailableError } from '@fairway/postgres';
import { cutText, defined } from '@fairway/values';
import { type Access, LIMITS, type OperationId } from '@fairway/wire';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from 'fastify';
import type { Logger } from 'pino';
import { readQuery } from '../fields/query.ts';
import { databaseProblem } from '../answers/databaseProblem.ts';
import type { ProblemAnswer } from '../answers/answer.ts';
import { type AccessAudit, recordEarlyRefusal, recordingSender, signInOf } from '../access/auditing.ts';
import {
  type Authenticate,
  type Authentication,
  type Caller,
  createAuthentication,
  forbidden,
  mayStillAsk,
} from '../access/authentication.ts';
import type { ConnectionLimits } from '../limits/connections.ts';
import { createEarlyRefusal, type EarlyRefusal } from '../limits/entry.ts';
import { type AdmissionGate, createAdmissionGate, type GateLimits } from '../limits/gate.ts';
import { GATE_LIMITS } from '../limits/limits.ts';
import { createLongAnswers } from '../limits/longAnswers.ts';
import { createRateLimits, type RateLimits } from '../limits/rates.ts';
import { createNodeServer } from './nodeServer.ts';
import { isOwnHost } from './ownHost.ts';
import {
  answerUnusualRequests,
  createParserErrorHandler,
  createPlainHttpAnswer,
  createProtocolLog,
  MAX_HEADER_BYTES,
} from './parserErrors.ts';
import { createPathTable, type PathTable, pathOf } from './paths.ts';
import { createProblemSender, type SendProblem } from '../answers/problemSender.ts';
import { createRegistrar, type OperationsById, type Registrar } from './registrar.ts';
import { requestIdOf } from '../answers/requestId.ts';
import { staticHeaders } from '../answers/staticHeaders.ts';

const SLOW_MS = 1_000;

/** What a server of the API works with, whatever its parts do. */
export type ServerOptions = {
  readonly environment: 'sandbox' | 'production';
  /** Base URL of the service, without a trailing slash. A function, because the port is known only after listening. */
  publicUrl(): string;
  readonly authenticate: Authenticate;
  /** A sentence for callers without a valid credential: where they get one. */
  readonly credentialHint?: string;
  readonly limits: {
    /** For each organisation. */
    readonly requestsPerSecond: number;
    readonly failedLoginsPerMinute: number;
    /** Limits of the gate that differ from GATE_LIMITS. */
    readonly gate?: Partial<GateLimits>;
    /** Limits of connections that differ from CONNECTION_LIMITS. */
    readonly connections?: Partial<ConnectionLimits>;
  };
  /** Proxies whose X-Forwarded-For header is trusted, as addresses or CIDR ranges. None when absent. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The certificate and private key in PEM form; HTTP without TLS when absent. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Whether requests are refused whose Host is no name of this machine and not that of the public URL. */
  readonly isOwnHostOnly: boolean;
  readonly audit: AccessAudit;
  readonly log: Logger;
};

/** What a part of the service registers itself with. `server`: for pages, which are no operations of the API. */
export type Door<Id extends string = OperationId> = {
  readonly registrar: Registrar<Id>;
  readonly server: FastifyInstance;
  readonly sendProblem: SendProblem;
  readonly limits: RateLimits;
  readonly gate: Pick<AdmissionGate, 'run'>;
};

/** Registers the operations and pages of a part of the service. */
export type Part<Id extends string = OperationId> = (door: Door<Id>) => void;

/**
 * Makes the HTTP server of an API with its parts; it does not listen yet. `operation`: the operations that they register. Every error is answered as a Problem, also an
 * error of the HTTP parser. The details of an unexpected error are only logged, with the request id.
 *
 * @example
 * ```ts
 * import { createServer, type Part, type ServerOptions } from '@fairway/api';
 * import { operation } from '@fairway/wire';
 *
 * declare const options: ServerOptions;
 * declare const parts: readonly Part[];
 * const server = createServer(options, operation, parts);
 * await server.listen({ port: 8080 });
 * ```
 */
export function createServer<Id extends string>(
  options: ServerOptions,
  operation: OperationsById<Id>,
  parts: readonly Part<Id>[],
): FastifyInstance {
  const { audit, log } = options;
  const sendProblem = recordingSender(
    createProblemSender(() => options.publicUrl()),
    audit,
  );
  const gate = createAdmissionGate({ ...GATE_LIMITS, ...options.limits.gate });
  const limits = createRateLimits(options.limits);
  const authentication = createAuthentication(options, limits);
  const early = createEarlyRefusal({
    ...{ gate, limits, authentication },
    publicUrl: () => options.publicUrl(),
    headers: () => headersOf(options),
    headFault: (request) => headFault(request, options),
    onRefused: (status, caller) => recordEarlyRefusal(audit, status, caller),
  });
  const server = createBareServer(options, early, sendProblem);
  const paths = createPathTable();

  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.addHook('onRoute', ({ url, method, config }) => paths.add(url, method, config?.access));
  server.decorateRequest('caller', undefined);
  server.addHook('onRequest', createAdmission(options, limits, authentication, paths, sendProblem));
  server.addHook('onResponse', (request, reply, done) => {
    logIfNotable(log, request, reply);
    done();
  });
  server.setErrorHandler<FastifyError | DatabaseUnavailableError>((error, request, reply) =>
    sendProblem(request, reply, problemOfError(error, request, reply, log)),
  );
  const longAnswers = createLongAnswers((request) => mayStillAsk(options, request), log);
  const registrar = createRegistrar(server, sendProblem, gate, longAnswers, operation);
  for (const register of parts) register({ registrar, server, sendProblem, limits, gate });
  answerUnusualRequests(server.server, () => options.publicUrl());
  return server;
}

/** The problem of an error that a handler or the framework throws, which is logged where people have to look at it. */
function problemOfError(
  error: FastifyError | DatabaseUnavailableError,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): ProblemAnswer {
  if (error instanceof DatabaseUnavailableError) {
    log.warn({ requestId: request.id, detail: error.message }, 'the database does not answer');
    return databaseProblem(error);
  }
  const problem = frameworkProblem(error, request.routeOptions.bodyLimit);
  // Fastify would close the connection while the caller still sends.
  if (problem.code === 'body-too-large') reply.removeHeader('connection');
  if (problem.code === 'internal') log.error({ err: error, requestId: request.id }, 'unexpected error');
  return problem;
}

function createBareServer(
  options: ServerOptions,
  early: EarlyRefusal,
  sendProblem: SendProblem,
): FastifyInstance {
  const { trustedProxies, tls, limits } = options;
  const publicUrl = () => options.publicUrl();
  const onOtherProtocol = createProtocolLog(options.log);
  const answerPlainHttp = createPlainHttpAnswer(publicUrl, onOtherProtocol);
  return Fastify<Server>({
    serverFactory: (handler) =>
      createNodeServer({ tls, connections: limits.connections, answerPlainHttp }, (request, response) => {
        if (!early.answered(request, response)) handler(request, response);
      }),
    logger: false,
    bodyLimit: LIMITS.bodyBytes,
    return503OnClosing: false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    ...defined({ trustProxy: trustedProxies && [...trustedProxies], https: tls }),
    routerOptions: {
      querystringParser: readQuery,
      // An id may be as long as a URL, so that a too long id is checked for its credential and then answered 404.
      maxParamLength: MAX_HEADER_BYTES,
    },
    clientErrorHandler: createParserErrorHandler(publicUrl, onOtherProtocol),
    frameworkErrors: (error, request, reply) => {
      reply.headers(headersOf(options)).header('x-request-id', request.id);
      sendProblem(request, reply, frameworkProblem(error));
    },
  });
}

/** The headers of every answer, unless an operation says otherwise. */
function headersOf({ publicUrl }: ServerOptions): Readonly<Record<string, string>> {
  return staticHeaders(publicUrl());
}

/**
 * Makes the first hook of every request. It sets headers, and answers 401, 429, 403, 404 and 405, in this order. It waits only for a
 * credential that was not right lately.
 */
function createAdmission(
  options: ServerOptions,
  limits: RateLimits,
  authentication: Authentication,
  paths: PathTable,
  sendProblem: SendProblem,
): onRequestHookHandler {
  const { audit } = options;

  /** The problem of a request whose caller is known, or that needs none. */
  function refusalOf(
    request: FastifyRequest,
    reply: FastifyReply,
    access: Access | undefined,
    caller: Caller | undefined,
  ): ProblemAnswer | undefined {
    if (caller !== undefined) {
      request.caller = caller;
      audit.record(signInOf(request, caller));
      const problem =
        limits.countRequest(reply, caller.organisationId) ??
        forbidden(caller, access, options.environment) ??
        crossSiteRefusal(request, options.publicUrl());
      if (problem !== undefined) return problem;
    }
    return request.is404 ? nothingHere(request, paths) : undefined;
  }

  return (request, reply, goOn) => {
    reply.headers(headersOf(options)).header('x-request-id', request.id);
    writeStorable(request);
    const proceed = (problem: ProblemAnswer | undefined) => {
      if (problem === undefined) goOn();
      else sendProblem(request, reply, problem);
    };
    const fault = headFault(request.raw, options);
    if (fault !== undefined) return proceed({ code: 'malformed-request', detail: fault });
    const access = request.is404 ? paths.accessOf(pathOf(request.url)) : request.routeOptions.config.access;
    if (access?.kind === 'OPEN') return proceed(refusalOf(request, reply, access, undefined));
    const known = authentication.known(request.headers.authorization);
    if (known !== undefined) return proceed(refusalOf(request, reply, access, known));
    authentication
      .check(request)
      .then((admission) =>
        proceed(admission.ok ? refusalOf(request, reply, access, admission.caller) : admission.problem),
      )
      .catch(goOn);
  };
}

/**
 * The problem of a change that the page of another origin asks for. A browser that remembers a credential sends it with
 * such a request, without the knowledge of its owner. Only browsers send these headers: Sec-Fetch-Site over TLS and from
 * this machine, Origin always.
 */
function crossSiteRefusal({ method, headers }: FastifyRequest, publicUrl: string): ProblemAnswer | undefined {
  if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return undefined;
  const { 'sec-fetch-site': site = 'none', origin, host } = headers;
  const own = [publicUrl, `http://${host}`, `https://${host}`].map(originOf);
  if (['none', 'same-origin'].includes(String(site)) && (origin === undefined || own.includes(origin)))
    return undefined;
  const detail =
    'A page of another site sent this request; changes are taken from this site and from programs only.';
  return { code: 'forbidden', detail };
}

/** Writes U+FFFD for control characters in the ids of a path: a database takes no NUL in a text, and no id has one. */
function writeStorable({ params }: FastifyRequest): void {
  const given = params as Record<string, string>;
  for (const [name, id] of Object.entries(given)) given[name] = id.replaceAll(/\p{Cc}/gu, '\uFFFD');
}

function originOf(url: string): string | undefined {
  return URL.parse(url)?.origin;
}

/** What is wrong with the head of a request; undefined when nothing is. */
function headFault(
  { url = '', headers: { host }, httpVersion }: IncomingMessage,
  { isOwnHostOnly, publicUrl }: ServerOptions,
): string | undefined {
  if (host === undefined && httpVersion === '1.1') return 'The Host header is missing.';
  // The router would take the target "*" of OPTIONS for the start page.
  if (url.startsWith('*')) return 'The target must be a path.';
  if (isOwnHostOnly && host !== undefined && !isOwnHost(host, publicUrl()))
    return `The Host header names another server; this one is at ${publicUrl()}.`;
  return undefined;
}

/** How many characters of a path are repeated: more than the longest path of the API with its ids. */
const SHOWN_PATH = 200;

/** The problem of a request without a route: 405 when the path has other methods, else 404. */
function nothingHere({ method, url }: FastifyRequest, paths: PathTable): ProblemAnswer {
  const path = pathOf(url);
  const whole = withoutTokens(path);
  const shown = `${JSON.stringify(cutText(whole, SHOWN_PATH)).slice(1, -1)}${whole.length > SHOWN_PATH ? '…' : ''}`;
  const allowed = paths.methodsOf(path);
  if (allowed.length === 0) {
    const listed = paths.methodsOf('/docs').length === 0 ? '.' : '; /docs lists every path.';
    return { code: 'not-found', detail: `There is no ${method} ${shown}${listed}` };
  }
  return {
    code: 'method-not-allowed',
    detail: `${shown} does not take ${method}; it takes ${allowed.join(', ')}.`,
    headers: { allow: allowed.join(', ') },
  };
}

/**
 * Replaces parts of a path that are as long as a link token. When a mail client drops the # of a link, the token is
 * part of the path, and must not be repeated in an answer.
 */
function withoutTokens(path: string): string {
  return path.replaceAll(/[\w-]{43,}/g, '…');
}

/** The problem of an error that Fastify throws, or of an unexpected error. */
function frameworkProblem(error: FastifyError, bodyBytes: number = LIMITS.bodyBytes): ProblemAnswer {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { code: 'body-too-large', detail: `The body has more than ${bodyBytes} bytes.` };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { code: 'unsupported-media-type', detail: 'Content-Type must be application/json.' };
    case 'FST_ERR_BAD_URL':
      return { code: 'malformed-request', detail: 'The URL has a malformed percent-encoding.' };
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return { code: 'malformed-request', detail: 'The body is not as long as Content-Length says.' };
    default:
      return {
        code: 'internal',
        detail: 'An unexpected error; the log holds it under this request id.',
      };
  }
}

/** Logs slow and failed requests. A log line for every request would double the cost of a request. */
function logIfNotable(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode, elapsedTime } = reply;
  if (statusCode < 500 && (elapsedTime < SLOW_MS || isEventStream(reply))) return;
  const line = {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url,
    statusCode,
    elapsedMs: Math.round(elapsedTime),
  };
  if (statusCode >= 500) log.warn(line, 'request failed');
  else log.info(line, 'slow request');
}

function isEventStream(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('text/event-stream');
}
