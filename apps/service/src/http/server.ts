import type { Server } from 'node:http';
import { LIMITS } from '@fairway/wire';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { createAuthenticate, forbidden } from './authentication.ts';
import type { HttpDeps } from './deps.ts';
import { registerDocuments } from './documents.ts';
import { getHealth, getLiveness, getReadiness } from './health.ts';
import { createMarketLists } from './markets.ts';
import { createRegistrar, type Registrar } from './operations.ts';
import { answerUnusualRequests, createParserErrorHandler, MAX_HEADER_BYTES } from './parserErrors.ts';
import { createPathTable, type PathTable, pathOf } from './paths.ts';
import {
  createProblemSender,
  invalidFields,
  type ProblemAnswer,
  refuse,
  type SendProblem,
} from './problem.ts';
import { readQuery } from '../fields/query.ts';
import {
  cancelCollect,
  DELIVERY_FIELDS,
  READDRESS_FIELDS,
  readdressCollect,
  reissueCollect,
  reportDelivery,
  resendCollect,
} from './collect.ts';
import { registerCollectPages } from './collectPages.ts';
import { getRequirements, listCorridors } from './corridors.ts';
import { getMailbox, registerMailbox } from './mailbox.ts';
import { PAYMENT_FIELDS } from '../payments/paymentRequest.ts';
import {
  cancelPayment,
  createPaymentOnce,
  getPayment,
  listPaymentEvents,
  listPayments,
  revealRecipient,
} from './payments.ts';
import { getQuote } from './quote.ts';
import { simulateStep } from '../sandbox/simulateStep.ts';
import { REPORT_FIELDS } from '../payments/stepReport.ts';
import { refreshStep, reportStep, retryStep } from './steps.ts';
import type { CollectParts } from '../collect/collectParts.ts';
import { createRateLimits, type RateLimits } from './rateLimit.ts';
import { requestIdOf } from './requestId.ts';
import { advanceClock, getSandbox, useFaucet } from './sandbox.ts';
import { createSubmitGate } from './submitGate.ts';
import { planSwap, SWAP_FIELDS } from './swap.ts';
import { chainsByDigits } from '../trading/trade.ts';

const SLOW_MS = 1_000;
/** Requests that wait for a chain at once, of everybody and of one credential. */
const CONCURRENT_SUBMITS = 64;
const CONCURRENT_SUBMITS_EACH = 16;

const STATIC_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
} as const;

/**
 * Makes the HTTP server of the API, not yet listening. Every error it answers, from the HTTP parser's to its
 * own, is a Problem; an unexpected one is logged under the request id and never shown.
 */
export function createHttpServer(deps: HttpDeps): FastifyInstance {
  const sendProblem = createProblemSender(() => deps.publicUrl());
  const server = createBareServer(deps, sendProblem);
  const limits = createRateLimits(server, deps);
  const paths = createPathTable();

  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.addHook('onRoute', ({ url, method, config }) => paths.add(url, method, config?.access));
  server.decorateRequest('caller', undefined);
  server.addHook('onRequest', createAdmission(deps, limits, paths, sendProblem));
  server.addHook('onResponse', (request, reply, done) => {
    logIfNotable(deps, request, reply);
    done();
  });
  server.setErrorHandler<FastifyError>((error, request, reply) => {
    const problem = frameworkProblem(error);
    if (problem.code === 'internal')
      deps.log.error({ err: error, requestId: request.id }, 'unexpected error');
    return sendProblem(request, reply, problem);
  });

  registerDocuments(server, deps, sendProblem);
  registerCollectPages(server, deps.payments, limits, sendProblem);
  if (deps.sandbox !== undefined) registerMailbox(server, deps.sandbox);
  const { concurrentSwaps = CONCURRENT_SUBMITS, concurrentSwapsEach = CONCURRENT_SUBMITS_EACH } = deps.limits;
  const gate = createSubmitGate(concurrentSwaps, concurrentSwapsEach);
  registerOperations(createRegistrar(server, sendProblem, gate), deps);
  answerUnusualRequests(server.server, () => deps.publicUrl());
  return server;
}

function createBareServer(deps: HttpDeps, sendProblem: SendProblem): FastifyInstance {
  return Fastify<Server>({
    logger: false,
    bodyLimit: LIMITS.bodyBytes,
    requestTimeout: 15_000,
    keepAliveTimeout: 65_000,
    return503OnClosing: false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    ...(deps.trustedProxies === undefined ? {} : { trustProxy: [...deps.trustedProxies] }),
    routerOptions: {
      querystringParser: readQuery,
      // An id is as long as a URL can be: what is too long for one is absent, once the credential is checked.
      maxParamLength: MAX_HEADER_BYTES,
    },
    http: {
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: MAX_HEADER_BYTES,
      // A header that is given twice becomes one that matches nothing, instead of the first winning silently.
      joinDuplicateHeaders: true,
      // Node would answer a missing Host without a Problem.
      requireHostHeader: false,
    },
    clientErrorHandler: createParserErrorHandler(() => deps.publicUrl()),
    frameworkErrors: (error, request, reply) => {
      reply.headers(STATIC_HEADERS).header('x-request-id', request.id);
      sendProblem(request, reply, frameworkProblem(error));
    },
  });
}

function registerOperations(registrar: Registrar, deps: HttpDeps): void {
  const { sandbox } = deps;
  const chains = chainsByDigits(deps.chains);
  const lists = createMarketLists(deps.chains, chains);
  const { payments } = deps;
  registrar.read('health', (fields) =>
    fields.errors.length > 0 ? refuse(invalidFields(fields.errors)) : getHealth(deps),
  );
  registrar.read('livez', getLiveness);
  registrar.read('readyz', () => getReadiness(deps));
  registrar.list('listChains', (fields) =>
    fields.errors.length > 0 ? refuse(invalidFields(fields.errors)) : lists.chains(),
  );
  registrar.list('listTokens', (fields) => lists.tokens(fields));
  registrar.list('listCorridors', (fields) => listCorridors(fields, payments.corridors));
  registrar.find('getRequirements', (fields, call) => getRequirements(fields, payments.corridors, call));
  registrar.read('getQuote', (fields) => getQuote(fields, chains, deps.nowMs()));
  registrar.submit('planSwap', SWAP_FIELDS, (fields) => planSwap(fields, chains, deps.nowMs()));
  registerPayments(registrar, payments);
  if (sandbox === undefined) return;
  registrar.submit('simulateStep', ['event'], (fields, call) =>
    simulateStep(fields, payments, sandbox, call),
  );
  registrar.read('getMailbox', (fields) =>
    fields.errors.length > 0 ? refuse(invalidFields(fields.errors)) : getMailbox(sandbox),
  );
  registrar.read('getSandbox', (fields) =>
    fields.errors.length > 0 ? refuse(invalidFields(fields.errors)) : getSandbox(sandbox),
  );
  registrar.submit('advanceClock', ['advance'], (fields) =>
    advanceClock(fields, sandbox, () => deps.nowMs()),
  );
  registrar.submit('useFaucet', ['address', 'token', 'native', 'amount'], (fields) =>
    useFaucet(fields, sandbox),
  );
}

function registerPayments(registrar: Registrar, payments: CollectParts): void {
  registrar.submitInParts('createPayment', PAYMENT_FIELDS, createPaymentOnce(payments));
  registrar.find('listPayments', (fields, call) => listPayments(fields, payments, call));
  registrar.find('getPayment', (fields, call) => getPayment(fields, payments, call));
  registrar.find('listPaymentEvents', (fields, call) => listPaymentEvents(fields, payments, call));
  registrar.submit('cancelPayment', [], (fields, call) => cancelPayment(fields, payments, call));
  registrar.submit('revealRecipient', [], (fields, call) => revealRecipient(fields, payments, call));
  registrar.submit('refreshStep', [], (fields, call) => refreshStep(fields, payments, call));
  registrar.submit('reportStep', REPORT_FIELDS, (fields, call) => reportStep(fields, payments, call));
  registrar.submit('resendCollect', [], (fields, call) => resendCollect(fields, payments, call));
  registrar.submit('readdressCollect', READDRESS_FIELDS, (fields, call) =>
    readdressCollect(fields, payments, call),
  );
  registrar.submit('reissueCollect', [], (fields, call) => reissueCollect(fields, payments, call));
  registrar.submit('cancelCollect', [], (fields, call) => cancelCollect(fields, payments, call));
  registrar.submit('reportDelivery', DELIVERY_FIELDS, (fields, call) =>
    reportDelivery(fields, payments, call),
  );
  registrar.submit('retryStep', [], (fields, call) => retryStep(fields, payments, call));
}

/** What every request passes first: headers of every answer, then 401, 429, 403, 404 and 405, in that order. */
function createAdmission(deps: HttpDeps, limits: RateLimits, paths: PathTable, sendProblem: SendProblem) {
  const authenticate = createAuthenticate(deps, limits);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    reply.headers(STATIC_HEADERS).header('x-request-id', request.id);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      const detail = 'The Host header is missing.';
      return sendProblem(request, reply, { code: 'malformed-request', detail });
    }
    const access = request.is404 ? paths.accessOf(pathOf(request.url)) : request.routeOptions.config.access;
    if (access?.kind !== 'OPEN') {
      const admission = await authenticate(request);
      if (!admission.ok) return sendProblem(request, reply, admission.problem);
      const { caller } = admission;
      request.caller = caller;
      const problem =
        limits.countRequest(reply, caller.credentialId) ?? forbidden(caller, access, deps.environment);
      if (problem !== undefined) return sendProblem(request, reply, problem);
    }
    if (request.is404) return sendProblem(request, reply, nothingHere(request, paths));
    return undefined;
  };
}

/** 405 where the path exists for another method, else 404. */
function nothingHere({ method, url }: FastifyRequest, paths: PathTable): ProblemAnswer {
  const path = pathOf(url);
  const shown = JSON.stringify(withoutTokens(path).slice(0, 100)).slice(1, -1);
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

/** A link whose # was lost on the way asks for a path that ends in its token: what is as long as one is not repeated. */
function withoutTokens(path: string): string {
  return path.replaceAll(/[\w-]{43,}/g, '…');
}

/** The problem of an error that Fastify raises, or of one that nobody foresaw. */
function frameworkProblem(error: FastifyError): ProblemAnswer {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { code: 'body-too-large', detail: `The body has more than ${LIMITS.bodyBytes} bytes.` };
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

/** A line per request would double its cost: slow and failed ones are what an operator looks for. */
function logIfNotable({ log }: HttpDeps, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode, elapsedTime } = reply;
  if (statusCode < 500 && elapsedTime < SLOW_MS) return;
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
