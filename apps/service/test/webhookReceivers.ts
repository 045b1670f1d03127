import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import assert from 'node:assert/strict';

/** A request that a receiver got. */
export type Got = {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly atMs: number;
};

/** A receiver of webhooks on loopback. */
export type Receiver = {
  readonly url: string;
  readonly got: Got[];
  close(): Promise<void>;
};

/** Answers a request whose body has come. */
export type AnswerTo = (got: Got, response: ServerResponse, request: IncomingMessage) => void;

const receivers: Receiver[] = [];

/** Closes all receivers of this file that are still open. */
export async function closeReceivers(): Promise<void> {
  for (const receiver of receivers.splice(0)) await receiver.close();
}

/** Starts a receiver, which answers 204 unless told otherwise. */
export async function startReceiver(
  answer: AnswerTo = (_, response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('error', () => undefined).on('data', (bytes: Buffer) => (text += bytes.toString()));
    request.once('end', () => {
      const one = { headers: request.headers as Record<string, string>, text, atMs: performance.now() };
      got.push(one);
      answer(one, response, request);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const receiver = { url: `http://127.0.0.1:${port}/hooks`, got, close };
  receivers.push(receiver);
  return receiver;
}

/** Waits until something is so. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  mostMs = 30_000,
): Promise<void> {
  for (const untilMs = performance.now() + mostMs; !(await isSo()); await sleep(20))
    if (performance.now() > untilMs) assert.fail(`${what} did not come`);
}
