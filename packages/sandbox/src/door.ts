import {
  Agent,
  createServer,
  type IncomingMessage,
  request as forward,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Where the node listens. */
export type NodeAddress = { readonly host: string; readonly port: number };

/** The address at which programs reach the node; web pages do not. */
export type Door = { readonly port: number; close(): Promise<void> };

const OWN_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/** Browser extensions such as wallets have an origin of their own, which no web page can claim. */
const EXTENSION = /^(?:chrome|moz|safari-web)-extension:\/\//;

/**
 * Opens a port of 127.0.0.1 that passes HTTP and WebSocket connections on to the node. The node itself asks nobody
 * who they are. It answers whatever host a request names, which lets in pages that have their name point here (DNS
 * rebinding). It also takes WebSockets of every origin. This port takes neither.
 */
export async function openDoor(node: NodeAddress): Promise<Door> {
  const agent = new Agent({ keepAlive: true });
  const upgraded = new Set<Duplex>();
  const server = createServer((request, response) => {
    if (isOwn(request)) pass(node, agent, request, response);
    else refuse(response);
  });
  // Callers close idle connections themselves, as at the node's own port. If both did, a request could be lost: it is sent
  // over a connection that is being closed.
  server.keepAliveTimeout = 0;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (!isOwn(request)) return void socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
    for (const end of join(node, request, socket, head)) {
      upgraded.add(end);
      end.once('close', () => upgraded.delete(end));
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => void server.close(resolve));
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      agent.destroy();
      await closed;
    },
  };
}

function isOwn({ headers: { host, origin } }: IncomingMessage): boolean {
  return host !== undefined && OWN_HOST.test(host) && (origin === undefined || EXTENSION.test(origin));
}

function refuse(response: ServerResponse): void {
  const detail = 'The sandbox chain answers programs on this machine, and no web pages.';
  response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(detail);
}

function pass(node: NodeAddress, agent: Agent, request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request;
  const asked = forward({ ...node, agent, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.once('error', () => response.destroy());
  });
  // While the node starts again, the connection ends as it would at the node's own port.
  asked.once('error', () => response.destroy());
  response.once('close', () => asked.destroy());
  request.pipe(asked);
}

/** Joins a WebSocket to the node, with the request that opened it. */
function join(node: NodeAddress, request: IncomingMessage, caller: Duplex, head: Buffer): readonly Duplex[] {
  const ours: Socket = connect(node.port, node.host);
  const { method, url, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  ours.write(`${lines.join('\r\n')}\r\n\r\n`);
  ours.write(head);
  ours.on('error', () => caller.destroy());
  ours.once('close', () => caller.destroy());
  caller.once('close', () => ours.destroy());
  caller.pipe(ours).pipe(caller);
  return [caller, ours];
}
