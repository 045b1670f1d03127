import { cutText } from '@fairway/evm';
import { defined } from '@fairway/plan';
import type { IncomingMessage, Server } from 'node:http';
import { type Access, LIMITS } from '@fairway/wire';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from 'fastify';
import { NO_AUDIT } from '../audit/facts.ts';
import { createEventFeeds, type EventFeeds } from '../feeds/eventFeeds.ts';
import { chainsByDigits } from '../trading/trade.ts';
import { createAdmissionGate } from './limits/gate.ts';
import { GATE_LIMITS } from './limits/limits.ts';
import type { ProblemAnswer } from './answer.ts';
import { recordEarlyRefusal, recordingSender, signInOf } from './auditing.ts';
import {
  type Authentication,
  type Caller,
  createAuthentication,
  forbidden,
  mayStillAsk,
} from './authentication.ts';
import { registerCollectRequests } from './collectRequests.ts';
import { registerCollectPages } from './collectPages.ts';
import { registerCorridors } from './corridors.ts';
import type { HttpDeps } from './deps.ts';
import { registerDocuments } from './documents.ts';
import { createEarlyRefusal, type EarlyRefusal } from './limits/entry.ts';
import { registerEvents } from './events.ts';
import { registerEventStream } from './eventStream.ts';
import { registerHealth } from './health.ts';
import { createLongAnswers } from './limits/longAnswers.ts';
import { registerMailbox, registerMailboxPage } from './mailbox.ts';
import { registerMarkets } from './markets.ts';
import { answerUnusualRequests, createParserErrorHandler, MAX_HEADER_BYTES } from './parserErrors.ts';
import { createPathTable, type PathTable, pathOf } from './paths.ts';
import { createNodeServer } from './nodeServer.ts';
import { isOwnHost } from './ownHost.ts';
import { registerPayments } from './payments.ts';
import { createProblemSender, type SendProblem } from './problem.ts';
import { readQuery } from '../fields/query.ts';
import { registerQuote } from './quote.ts';
import { registerRecipients } from './recipients.ts';
import { registerReports } from './reports.ts';
import { registerStatements } from './statements.ts';
import { createRateLimits, type RateLimits } from './limits/rates.ts';
import { createRegistrar, type Registrar } from './registrar.ts';
import { requestIdOf } from './requestId.ts';
import { registerSandbox } from './sandbox.ts';
import { staticHeaders } from './staticHeaders.ts';
import { registerSteps } from './steps.ts';
import { registerSwap } from './swap.ts';
import { registerWebhooks } from './webhooks.ts';
import { DatabaseUnavailableError } from '@fairway/postgres';
import { databaseProblem } from '../problems/databaseProblem.ts';

const SLOW_MS = 1_000;

/**
 * Makes the HTTP server of the API; it does not listen yet. Every error is answered as a Problem, also an error of the
 * HTTP parser. The details of an unexpected error are only logged, with the request id.
 */
export function createHttpServer(deps: HttpDeps): FastifyInstance {
  const audit = deps.audit ?? NO_AUDIT;
  const sendProblem = recordingSender(
    createProblemSender(() => deps.publicUrl()),
    audit,
  );
  const gate = createAdmissionGate({ ...GATE_LIMITS, ...deps.limits.gate });
  const limits = createRateLimits(deps.limits);
  const authentication = createAuthentication(deps, limits);
  const early = createEarlyRefusal({
    ...{ gate, limits, authentication },
    publicUrl: () => deps.publicUrl(),
    headFault: (request) => headFault(request, deps),
    onRefused: (status, caller) => recordEarlyRefusal(audit, status, caller),
  });
  const server = createBareServer(deps, early, sendProblem);
  const paths = createPathTable();

  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.addHook('onRoute', ({ url, method, config }) => paths.add(url, method, config?.access));
  server.decorateRequest('caller', undefined);
  server.addHook('onRequest', createAdmission(deps, limits, authentication, paths, sendProblem));
  server.addHook('onResponse', (request, reply, done) => {
    logIfNotable(deps, request, reply);
    done();
  });
  server.setErrorHandler<FastifyError | DatabaseUnavailableError>((error, request, reply) => {
    if (error instanceof DatabaseUnavailableError) {
      deps.log.warn({ requestId: request.id, detail: error.message }, 'the database does not answer');
      return sendProblem(request, reply, databaseProblem(error));
    }
    const problem = frameworkProblem(error, request.routeOptions.bodyLimit);
    // Fastify would close the connection while the caller still sends.
    if (problem.code === 'body-too-large') reply.removeHeader('connection');
    if (problem.code === 'internal')
      deps.log.error({ err: error, requestId: request.id }, 'unexpected error');
    return sendProblem(request, reply, problem);
  });

  registerDocuments(server, deps, sendProblem);
  registerCollectPages(server, deps.payments, limits, sendProblem, audit, gate);
  if (deps.sandbox !== undefined) registerMailboxPage(server, deps.sandbox);
  const feeds = createEventFeeds(deps.environment, deps.events, deps.log);
  server.addHook('preClose', async () => feeds.close());
  const longAnswers = createLongAnswers((request) => mayStillAsk(deps, request), deps.log);
  registerOperations(createRegistrar(server, sendProblem, gate, longAnswers), deps, feeds);
  answerUnusualRequests(server.server, () => deps.publicUrl());
  return server;
}

function createBareServer(deps: HttpDeps, early: EarlyRefusal, sendProblem: SendProblem): FastifyInstance {
  const { trustedProxies, tls } = deps;
  return Fastify<Server>({
    serverFactory: (handler) =>
      createNodeServer(deps, (request, response) => {
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
    clientErrorHandler: createParserErrorHandler(() => deps.publicUrl()),
    frameworkErrors: (error, request, reply) => {
      reply.headers(staticHeaders(deps.publicUrl())).header('x-request-id', request.id);
      sendProblem(request, reply, frameworkProblem(error));
    },
  });
}

function registerOperations(registrar: Registrar, deps: HttpDeps, feeds: EventFeeds): void {
  const { sandbox, payments, publicUrl, nowMs } = deps;
  const chains = chainsByDigits(deps.chains);
  registerHealth(registrar, deps);
  registerMarkets(registrar, deps.chains, chains);
  registerCorridors(registrar, payments.corridors, publicUrl);
  registerQuote(registrar, chains, nowMs);
  registerSwap(registrar, chains, nowMs);
  registerPayments(registrar, payments, deps.audit ?? NO_AUDIT);
  registerSteps(registrar, payments);
  registerCollectRequests(registrar, payments);
  registerRecipients(registrar, payments, deps.audit ?? NO_AUDIT, deps.erasures);
  registerEvents(registrar, deps.events);
  registerEventStream(registrar, deps.events, feeds);
  registerWebhooks(registrar, deps.webhooks, deps.audit ?? NO_AUDIT);
  registerReports(registrar, deps.reports, deps.log);
  registerStatements(registrar, deps.statements);
  if (sandbox === undefined) return;
  registerSandbox(registrar, sandbox, payments, nowMs);
  registerMailbox(registrar, sandbox);
}

/**
 * Makes the first hook of every request. It sets headers, and answers 401, 429, 403, 404 and 405, in this order. It waits only for a
 * credential that was not right lately.
 */
function createAdmission(
  deps: HttpDeps,
  limits: RateLimits,
  authentication: Authentication,
  paths: PathTable,
  sendProblem: SendProblem,
): onRequestHookHandler {
  const { audit } = deps;

  /** The problem of a request whose caller is known, or that needs none. */
  function refusalOf(
    request: FastifyRequest,
    reply: FastifyReply,
    access: Access | undefined,
    caller: Caller | undefined,
  ): ProblemAnswer | undefined {
    if (caller !== undefined) {
      request.caller = caller;
      audit?.record(signInOf(request, caller));
      const problem =
        limits.countRequest(reply, caller.organisationId) ??
        forbidden(caller, access, deps.environment) ??
        crossSiteRefusal(request);
      if (problem !== undefined) return problem;
    }
    return request.is404 ? nothingHere(request, paths) : undefined;
  }

  return (request, reply, goOn) => {
    reply.headers(staticHeaders(deps.publicUrl())).header('x-request-id', request.id);
    const proceed = (problem: ProblemAnswer | undefined) => {
      if (problem === undefined) goOn();
      else sendProblem(request, reply, problem);
    };
    const fault = headFault(request.raw, deps);
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
 * The problem of a change that the page of another site asks for. A browser that remembers a credential sends it with
 * such a request, without the knowledge of its owner. Only browsers send the header.
 */
function crossSiteRefusal({ method, headers }: FastifyRequest): ProblemAnswer | undefined {
  if (headers['sec-fetch-site'] !== 'cross-site' || ['GET', 'HEAD', 'OPTIONS'].includes(method))
    return undefined;
  const detail =
    'A page of another site sent this request; changes are taken from this site and from programs only.';
  return { code: 'forbidden', detail };
}

/** What is wrong with the head of a request; undefined when nothing is. */
function headFault(
  { url = '', headers: { host }, httpVersion }: IncomingMessage,
  { sandbox, publicUrl }: HttpDeps,
): string | undefined {
  if (host === undefined && httpVersion === '1.1') return 'The Host header is missing.';
  // The router would take the target "*" of OPTIONS for the start page.
  if (url.startsWith('*')) return 'The target must be a path.';
  if (sandbox !== undefined && host !== undefined && !isOwnHost(host, publicUrl()))
    return `The Host header names another server; the sandbox is at ${publicUrl()}.`;
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
    return { code: 'not-found', detail: `There is no ${method} ${shown}; /docs lists every path.` };
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
function logIfNotable({ log }: HttpDeps, request: FastifyRequest, reply: FastifyReply): void {
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
