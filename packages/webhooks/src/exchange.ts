import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ClientCertificate } from './clientCertificate.ts';
import { bareHost } from './host.ts';

/** How long one of several addresses may take to accept a connection before the next one is tried. */
const ADDRESS_TIMEOUT_MS = 2000;
const MOST_HEAD_BYTES = 16_384;

/** A request, and the addresses that may be connected to. `signal` ends it; its reason is the error then. */
export type ExchangeOrder = {
  readonly url: URL;
  readonly addresses: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly clientCertificate: ClientCertificate | undefined;
  readonly body: Buffer;
  readonly mostAnswerBytes: number;
  readonly signal: AbortSignal;
};

/** Why there was no answer. */
export type ExchangeError =
  | 'CONNECTION_FAILED'
  | 'CERTIFICATE_NOT_TRUSTED'
  | 'TLS_FAILED'
  | 'CONNECTION_LOST'
  | 'ANSWER_NOT_HTTP'
  | 'TIMEOUT'
  | 'SENDER_CLOSED';

/** The head of an answer, as far as anything is done with it, or why there was none. */
export type Answer =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly error: ExchangeError };

/** How far a connection is. Without TLS it is open as soon as it is connected. */
type Stage = 'CONNECTING' | 'SECURING' | 'OPEN';

/**
 * Sends one POST over a connection of its own. Resolves to the head of the answer when the answer has ended, was
 * longer than is read, or broke off: the head decides. Never rejects. Follows no redirect and uses no proxy.
 */
export function exchange(order: ExchangeOrder): Promise<Answer> {
  return new Promise((resolve) => {
    const request = openRequest(order);
    const connection = watchConnection(request);
    let head: Answer | undefined;
    // The head decides, whatever happens after it. `error` is for an attempt without one.
    const end = (error: ExchangeError): void => {
      resolve(head ?? { error });
      request.destroy();
    };
    const endIfLong = (): void => {
      if (connection.answerBytes() > order.mostAnswerBytes) end('ANSWER_NOT_HTTP');
    };
    order.signal.addEventListener('abort', () => end(order.signal.reason as ExchangeError));
    request.on('error', (error) => end(connection.errorOf(error)));
    request.on('close', () => end('CONNECTION_LOST'));
    // An answer 101 parts the socket from the request, which does not end it any more.
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      end('ANSWER_NOT_HTTP');
    });
    // Interim answers (1xx) come in any number.
    request.on('information', endIfLong);
    request.on('response', (response) => {
      head = { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
      response.on('data', endIfLong);
      response.on('error', () => end('CONNECTION_LOST'));
      // Once both sides have said all, Node takes leave as TLS wants it, and closes. It would wait for a receiver that has
      // answered without reading all that it was sent.
      response.on('end', () => {
        if (!request.writableFinished) end('CONNECTION_LOST');
      });
    });
    request.end(order.body);
  });
}

function openRequest({ url, addresses, headers, clientCertificate, body }: ExchangeOrder): ClientRequest {
  const host = bareHost(url.hostname);
  // The name was resolved and every address judged: the connection gets these and never resolves the name again.
  const lookup: LookupFunction = (_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );
  const options = {
    method: 'POST',
    host,
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, 'content-length': body.length },
    // No pool: a kept connection would be used again without asking whether the name still has an allowed address.
    agent: false,
    lookup,
    // Has the look-up called for all addresses, which are then tried in turn.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    maxHeaderSize: MOST_HEAD_BYTES,
    // These are set explicitly, because the environment can change the defaults.
    insecureHTTPParser: false,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...clientCertificate,
  } as const;
  return url.protocol === 'https:' ? requestHttps(options) : requestHttp(options);
}

/** Follows the connection of a request: how many bytes of the answer it has read, and what an error of it means. */
function watchConnection(request: ClientRequest): {
  answerBytes: () => number;
  errorOf: (error: Error) => ExchangeError;
} {
  let stage: Stage = 'CONNECTING';
  let connection: Socket | undefined;
  let bytesBefore = 0;
  const open = (): void => {
    stage = 'OPEN';
    bytesBefore = connection?.bytesRead ?? 0;
  };
  request.on('socket', (socket) => {
    connection = socket;
    // An error can come after the request has let go of the socket, and would end the process.
    socket.on('error', () => undefined);
    socket.once('connect', () => {
      if (socket instanceof TLSSocket) stage = 'SECURING';
      else open();
    });
    socket.once('secureConnect', open);
  });
  return {
    answerBytes: () => (connection?.bytesRead ?? 0) - bytesBefore,
    errorOf: (error) => {
      const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
      if (code.startsWith('HPE_')) return 'ANSWER_NOT_HTTP';
      if (connection instanceof TLSSocket && connection.authorizationError) return 'CERTIFICATE_NOT_TRUSTED';
      if (stage === 'SECURING' || code.startsWith('ERR_SSL')) return 'TLS_FAILED';
      return stage === 'CONNECTING' ? 'CONNECTION_FAILED' : 'CONNECTION_LOST';
    },
  };
}
