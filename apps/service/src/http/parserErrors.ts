import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ProblemFacts } from '../problems/problem.ts';
import { isDraining } from './limits/connections.ts';
import { problemBody } from './problem.ts';
import { requestIdOf } from './requestId.ts';

/** The most bytes that the request line and the headers may have together. */
export const MAX_HEADER_BYTES = 16_384;

/** An error of Node's HTTP parser, which occurs before there is a request. */
type ParserError = Error & { readonly code?: string };

/** The problem of a request that the HTTP parser refused. */
function parserProblem({ code }: ParserError): ProblemFacts {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        code: 'headers-too-large',
        detail: `The request line and headers have more than ${MAX_HEADER_BYTES} bytes.`,
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'request-timeout', detail: 'The request was not complete in time.' };
    default:
      return { code: 'malformed-request', detail: 'The request is not valid HTTP.' };
  }
}

/** Makes the handler of requests that the HTTP parser refuses. It writes a Problem to the socket and closes it. */
export function createParserErrorHandler(publicUrl: () => string) {
  return (error: ParserError, socket: Duplex): void => {
    if (isBeforeAnyRequest(error, socket)) return;
    if (error.code === 'ECONNRESET' || !socket.writable || isDraining(socket)) {
      socket.destroy();
      return;
    }
    writeProblem(socket, parserProblem(error), publicUrl(), requestIdOf({ headers: {} }));
  };
}

/**
 * Whether the time for headers ended before a caller sent anything. Callers open connections before they need them:
 * `fetch` does when a request is given up. They would read an answer as the one to the request they send at that moment.
 * The connection is left open; `guardConnections` closes it when it stays unused.
 */
function isBeforeAnyRequest({ code }: ParserError, socket: Duplex): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket instanceof Socket && socket.bytesRead === 0;
}

/** Handles requests that Node would answer without a Problem, or not at all: Expect headers and CONNECT. */
export function answerUnusualRequests(server: Server, publicUrl: () => string): void {
  // An expectation that is not 100-continue may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    // Where an earlier answer on the connection is not finished, Node would write "100 Continue" between the headers and
    // the body of this answer. The caller then sends the body without it.
    if (response.socket !== null) response.writeContinue();
    server.emit('request', request, response);
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const detail = 'CONNECT is for proxies; this is none.';
    writeProblem(socket, { code: 'malformed-request', detail }, publicUrl(), requestIdOf(request));
  });
}

function writeProblem(socket: Duplex, problem: ProblemFacts, publicUrl: string, requestId: string): void {
  const body = problemBody(problem, publicUrl, requestId);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${body.status} ${STATUS_CODES[body.status] ?? 'Error'}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  // Bytes that the caller still sends are not read. Without a delay before destroy(), the caller could receive a
  // connection reset before the answer.
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => {
    setTimeout(() => socket.destroy(), 200).unref();
  });
}
