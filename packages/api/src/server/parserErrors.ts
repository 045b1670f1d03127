import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import type { ProblemFacts } from '../answers/problemFacts.ts';
import { isDraining } from '../limits/connections.ts';
import { problemBody } from '../answers/problemSender.ts';
import { isTlsHandshake } from './otherProtocol.ts';
import { requestIdOf } from '../answers/requestId.ts';

/** The most bytes that the request line and the headers may have together. */
export const MAX_HEADER_BYTES = 16_384;

/** An error of Node's HTTP parser, which occurs before there is a request. */
type ParserError = Error & { readonly code?: string; readonly rawPacket?: unknown };

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
export function createParserErrorHandler(publicUrl: () => string, onOtherProtocol: OnOtherProtocol) {
  return (error: ParserError, socket: Duplex): void => {
    if (!(socket instanceof TLSSocket) && isTlsHandshake(error.rawPacket)) onOtherProtocol('TLS');
    if (isBeforeAnyRequest(error, socket)) return;
    if (error.code === 'ECONNRESET' || !socket.writable || isDraining(socket)) {
      socket.destroy();
      return;
    }
    writeProblem(socket, parserProblem(error), publicUrl(), requestIdOf({ headers: {} }));
  };
}

/** Told when a caller speaks TLS to a server without a certificate, or plain HTTP to one with a certificate. */
export type OnOtherProtocol = (spoken: 'TLS' | 'PLAIN_HTTP') => void;

/** Makes the answer to a caller that speaks plain HTTP where TLS is spoken. The request is not read. */
export function createPlainHttpAnswer(publicUrl: () => string, onOtherProtocol: OnOtherProtocol) {
  return (socket: Socket): void => {
    onOtherProtocol('PLAIN_HTTP');
    const url = publicUrl();
    const detail = `This port speaks https, and the request came as http. Send it to ${url.replace(/^http:/, 'https:')}`;
    writeProblem(socket, { code: 'malformed-request', detail }, url, requestIdOf({ headers: {} }));
  };
}

/** How often the same thing is logged again. */
const REMIND_MS = 60_000;

const PROTOCOL_SENTENCES = {
  TLS: 'A caller speaks https to this port, which speaks http: use http:// in its URL, or give the service a certificate with --tls-cert and --tls-key',
  PLAIN_HTTP:
    'A caller speaks http to this port, which speaks https: use https:// in its URL. What it sent was not encrypted: if it held a credential, rotate that',
} as const;

/** Logs that callers speak the wrong protocol, each once a minute. */
export function createProtocolLog(log: Pick<Logger, 'warn'>): OnOtherProtocol {
  const loggedMs = new Map<string, number>();
  return (spoken) => {
    const nowMs = performance.now();
    if (nowMs < (loggedMs.get(spoken) ?? Number.NEGATIVE_INFINITY) + REMIND_MS) return;
    loggedMs.set(spoken, nowMs);
    log.warn(PROTOCOL_SENTENCES[spoken]);
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
