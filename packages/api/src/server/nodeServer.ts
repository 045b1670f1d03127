import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import { type ConnectionLimits, guardConnections, IDLE_MS } from '../limits/connections.ts';
import { CONNECTION_LIMITS } from '../limits/limits.ts';
import { divertPlainHttp } from './otherProtocol.ts';
import { MAX_HEADER_BYTES } from './parserErrors.ts';

/** How long a caller may take to agree on a TLS connection. */
const TLS_HANDSHAKE_MS = 5_000;

/** With TLS 1.2 only ciphers with forward secrecy and authentication; those of TLS 1.3 all have both. */
const TLS_CIPHERS = [
  ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
  ...['ECDHE+AESGCM', 'ECDHE+CHACHA20'],
].join(':');

const OPTIONS: ServerOptions = {
  requestTimeout: 15_000,
  keepAliveTimeout: IDLE_MS,
  headersTimeout: 5_000,
  // Often, so that callers that send slowly are not all answered in one turn of the thread.
  connectionsCheckingInterval: 250,
  maxHeaderSize: MAX_HEADER_BYTES,
  // A repeated header is joined to one value, which is then invalid. Otherwise Node would use the first value.
  joinDuplicateHeaders: true,
  // Checked by the service, because Node would answer a missing Host without a Problem.
  requireHostHeader: false,
};

/**
 * `tls`: the certificate and private key in PEM form; HTTP without TLS when absent. `connections`: limits that differ from
 * CONNECTION_LIMITS.
 */
type NodeServerOptions = {
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly connections?: Partial<ConnectionLimits> | undefined;
  /** Answers a caller that speaks plain HTTP to a server with a certificate. */
  answerPlainHttp(socket: Socket): void;
};

/** Makes Node's server, with the limits of what a caller may send, and of how long sending and reading may take. */
export function createNodeServer(
  { tls, connections, answerPlainHttp }: NodeServerOptions,
  onRequest: RequestListener,
): Server {
  const server = createBareServer(tls);
  if (tls !== undefined) divertPlainHttp(server, TLS_HANDSHAKE_MS, answerPlainHttp);
  guardConnections(server, { ...CONNECTION_LIMITS, ...connections }, onRequest);
  return server;
}

function createBareServer(tls: NodeServerOptions['tls']): Server {
  if (tls === undefined) return createServer(OPTIONS);
  return createTlsServer({ ...OPTIONS, ...tls, ciphers: TLS_CIPHERS, handshakeTimeout: TLS_HANDSHAKE_MS });
}
