import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, isIPv4, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeCertificate, type TestCertificate } from '@fairway/testing/certificate';
import { createWebhookSecret, type DeliveryOrder } from '../src/index.ts';

const anySecret = createWebhookSecret();

/** An order to deliver a small event to a URL, now and for the last time. */
export function orderTo(url: string, more: Partial<DeliveryOrder> = {}): DeliveryOrder {
  const last = { secrets: [anySecret], failedAttempts: 9, nowMs: Date.now() };
  return { url, eventId: 'evt_1', body: '{"type":"test"}', ...last, ...more };
}

/** Makes a certificate that this process trusts from now on, without any option of the sender. */
export function trustedCertificate(...hosts: readonly string[]): TestCertificate {
  const certificate = makeCertificate({ hosts });
  setDefaultCACertificates([...getCACertificates('default'), certificate.cert]);
  return certificate;
}

const closings: (() => Promise<void>)[] = [];

/** Closes all servers of this file that are still open: for `after`, so that a test that fails leaves nothing running. */
export async function closeServers(): Promise<void> {
  await Promise.all(closings.map((close) => close()));
}

/** A server on loopback that ends with all of its connections. */
export type Receiver = {
  readonly port: number;
  /** How many connections it has accepted. */
  connections(): number;
  /** How many connections are open. */
  open(): number;
  close(): Promise<void>;
};

/** Treats a connection. `reset` breaks it off below TLS. */
export type Serve = (socket: Socket, reset: () => void) => void;

/** Starts a server that treats each connection itself; over TLS where there is a certificate. */
export function startRawReceiver(
  serve: Serve,
  { address = '127.0.0.1', port = 0, certificate }: RawOptions = {},
): Promise<Receiver> {
  const sockets = new Map<number | undefined, Socket>();
  const quietly = (socket: Socket): void => {
    socket.on('error', () => undefined);
    serve(socket, () => sockets.get(socket.remotePort)?.resetAndDestroy());
  };
  const server = certificate === undefined ? createServer(quietly) : createTlsServer(certificate, quietly);
  server.prependListener('connection', (socket: Socket) => {
    const { remotePort } = socket;
    sockets.set(remotePort, socket);
    socket.on('close', () => sockets.delete(remotePort));
  });
  return listening(server, address, port);
}

type RawOptions = {
  readonly address?: string;
  readonly port?: number;
  readonly certificate?: TestCertificate;
};

/** Starts an HTTP server, over TLS where there is a certificate. */
export function startReceiver(
  answer: RequestListener,
  { address = '127.0.0.1', certificate }: RawOptions = {},
): Promise<Receiver> {
  const server =
    certificate === undefined ? createHttpServer(answer) : createHttpsServer(certificate, answer);
  return listening(server, address, 0);
}

/** Waits until a server listens, and counts its connections. */
export async function listening(server: Server, address: string, port: number): Promise<Receiver> {
  const open = new Set<Socket>();
  let connectionCount = 0;
  server.on('connection', (socket: Socket) => {
    connectionCount += 1;
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  server.listen(port, address);
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    for (const socket of open) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  closings.push(close);
  const { port: givenPort } = server.address() as AddressInfo;
  return { port: givenPort, connections: () => connectionCount, open: () => open.size, close };
}

/** Sensors on several addresses of this machine and one port: nothing may connect to them. */
export type Sensors = { readonly port: number; connections(): number };

/** Starts sensors on 127.0.0.1, another address of 127.0.0.0/8, and ::1. */
export async function startSensors(): Promise<Sensors> {
  const sensors = [await startRawReceiver((socket) => socket.destroy())];
  const port = sensors[0]?.port ?? 0;
  for (const address of ['127.44.0.9', '::1']) {
    sensors.push(await startRawReceiver((socket) => socket.destroy(), { address, port }));
  }
  return {
    port,
    connections: () => sensors.reduce((sum, sensor) => sum + sensor.connections(), 0),
  };
}

/** What a name server says of a name: its addresses of both families, one of two failures, or nothing at all. */
export type NameAnswer = readonly string[] | 'NO_SUCH_NAME' | 'SERVER_FAILURE' | 'SILENCE';

/** A name server over UDP on loopback. */
export type NameServer = {
  /** For the sender's option `nameServers`. */
  readonly nameServers: readonly string[];
  /** The questions so far, such as `A receiver.test`. */
  readonly questions: readonly string[];
};

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' };

/** Starts a name server. `answerTo` is called for each question, so that it can answer differently each time. */
export async function startNameServer(
  answerTo: (name: string, type: string) => NameAnswer,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (query, sender) => {
    const end = query.indexOf(0, 12) + 5;
    const name = nameIn(query);
    const type = TYPES[query.readUInt16BE(end - 4)] ?? '?';
    questions.push(`${type} ${name}`);
    const answer = answerTo(name, type);
    if (answer === 'SILENCE') return;
    const records = (typeof answer === 'string' ? [] : answer)
      .filter((address) => isIPv4(address) === (type === 'A'))
      .map((address) => recordOf(address));
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180 + (answer === 'NO_SUCH_NAME' ? 3 : answer === 'SERVER_FAILURE' ? 2 : 0), 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), sender.port, sender.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closings.push(async () => {
    socket.close();
    await once(socket, 'close');
  });
  return { nameServers: [`127.0.0.1:${socket.address().port}`], questions };
}

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at] !== 0; at += 1 + (query[at] ?? 0)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
  }
  return labels.join('.');
}

/** A record of the name in the question, with an hour to live, so that a cache would keep it. */
function recordOf(address: string): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : bytesOfIpv6(address);
  const type = isIPv4(address) ? 1 : 28;
  return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0x0e, 0x10, 0, bytes.length]), bytes]);
}

function bytesOfIpv6(address: string): Buffer {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined): string[] => (text ? text.split(':') : []);
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(zeros).fill('0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
