import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { type Got, type Receiver, startReceiver } from '../webhookReceivers.ts';

/** What a receiver does wrong with an attempt. */
type Fault = (response: ServerResponse) => void | Promise<void>;

const FAULTS: readonly Fault[] = [
  (response) => void response.writeHead(500).end('no'),
  () => {},
  (response) => void response.socket?.resetAndDestroy(),
  (response) => void response.socket?.end('HTTP/1.1 200'),
  (response) => void response.writeHead(302, { location: 'http://127.0.0.1:22/' }).end(),
  (response) => void response.writeHead(503, { 'retry-after': '1' }).end(),
  (response) => drip(response, 'HTTP/1.1 200 OK\r\n'),
  (response) => flood(response.writeHead(500)),
];

/** The ways in which a receiver answers after it has taken an event. Anything after the status changes nothing. */
const TAKINGS: readonly Fault[] = [
  (response) => void response.writeHead(204).end(),
  (response) => void response.writeHead(200, { 'content-length': 9 }).write('half', () => response.destroy()),
  (response) => flood(response.writeHead(200)),
];

async function drip({ socket }: ServerResponse, text: string): Promise<void> {
  for (const sign of text) {
    if (socket === null || socket.destroyed) return;
    socket.write(sign);
    await sleep(50);
  }
}

/** Sends as much as the other side reads. */
async function flood(response: ServerResponse): Promise<void> {
  const chunk = Buffer.alloc(65_536, 'x');
  for (let count = 0; count < 200 && !response.destroyed; count += 1) {
    response.write(chunk);
    await sleep(1);
  }
  response.destroy();
}

/** What receivers noticed: events that were taken, how often each came, and attempts that are not as they must be. */
export type Noticed = {
  readonly taken: Set<string>;
  readonly attempts: Map<string, number>;
  readonly wrong: string[];
};

/** A receiver that fails the first attempts of most events, each time in another way, and checks every attempt. */
export async function startMixedReceiver(
  secretOf: () => string,
): Promise<{ readonly receiver: Receiver; readonly noticed: Noticed }> {
  const noticed: Noticed = { taken: new Set(), attempts: new Map(), wrong: [] };
  const texts = new Map<string, string>();
  const receiver = await startReceiver((got, response) => {
    response.on('error', () => undefined);
    const id = check(got, secretOf(), texts, noticed);
    const before = noticed.attempts.get(id) ?? 0;
    noticed.attempts.set(id, before + 1);
    const number = Number.parseInt(id.slice(-4), 16);
    if (before < number % 4) return void FAULTS[(number + 3 * before) % FAULTS.length]?.(response);
    noticed.taken.add(id);
    return void TAKINGS[number % TAKINGS.length]?.(response);
  });
  return { receiver, noticed };
}

/** Checks an attempt as a careful receiver does, and that it is the same as those before. */
function check(
  { headers, text }: Got,
  secret: string,
  texts: Map<string, string>,
  { wrong }: Noticed,
): string {
  const id = headers['webhook-id'] ?? '';
  try {
    const event = new Webhook(secret).verify(text, headers) as { id: string };
    if (event.id !== id) wrong.push(`${id}: the body is of ${event.id}`);
  } catch (error) {
    wrong.push(`${id}: ${String(error)}`);
  }
  if ((texts.get(id) ?? text) !== text) wrong.push(`${id}: another body than before`);
  texts.set(id, text);
  return id;
}
