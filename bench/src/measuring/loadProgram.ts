import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onAnswers } from './httpClient.ts';

/** What a load sends. Its requests take turns. */
export type LoadAsk = {
  readonly port: number;
  /** Requests as texts for the wire. `REFERENCE` in a text is replaced by another text of the same length each time. */
  readonly requests: readonly string[];
  /** Requests a second, whether or not answers come; or the next request of a connection with each answer. */
  readonly pace: number | 'ON_ANSWER';
  readonly durationMs: number;
  readonly mostConnections: number;
};

/** What became of a load. */
export type LoadReport = {
  readonly sent: number;
  /** Answers by their status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Times from when a request was due to its answer of 200. */
  readonly servedMs: readonly number[];
  /** Requests whose connection was closed or that were not answered within five seconds after the end. */
  readonly lost: number;
  /** Requests for which no connection was free. */
  readonly unsent: number;
  /** Answers of 429 and 503 without Retry-After. */
  readonly withoutRetryAfter: number;
};

/** The twelve characters that are replaced in each request. */
export const REFERENCE = 'REFERENCE---';

const DRAIN_MS = 5_000;

type State = {
  readonly ask: LoadAsk;
  readonly idle: Socket[];
  readonly open: Set<Socket>;
  /** When the request was due that waits on a connection. */
  readonly due: Map<Socket, number>;
  readonly statuses: Record<string, number>;
  readonly servedMs: number[];
  sent: number;
  lost: number;
  unsent: number;
  withoutRetryAfter: number;
  isOver: boolean;
};

let references = 0;

async function runLoad(ask: LoadAsk): Promise<LoadReport> {
  const state: State = {
    ...{ ask, idle: [], open: new Set(), due: new Map(), statuses: {}, servedMs: [] },
    ...{ sent: 0, lost: 0, unsent: 0, withoutRetryAfter: 0, isOver: false },
  };
  const startedAt = performance.now();
  if (ask.pace === 'ON_ANSWER') for (let count = 0; count < ask.mostConnections; count += 1) send(state);
  for (let now = startedAt; now < startedAt + ask.durationMs; now = performance.now()) {
    if (ask.pace !== 'ON_ANSWER') {
      const dueCount = ((now - startedAt) * ask.pace) / 1000;
      while (state.sent + state.unsent < dueCount)
        send(state, startedAt + ((state.sent + state.unsent) * 1000) / ask.pace);
    }
    await sleep(1);
  }
  state.isOver = true;
  const deadline = performance.now() + DRAIN_MS;
  while (state.due.size > 0 && performance.now() < deadline) await sleep(5);
  const { sent, lost, unsent, statuses, servedMs, withoutRetryAfter, due } = state;
  const report = { sent, statuses, servedMs, lost: lost + due.size, unsent, withoutRetryAfter };
  due.clear();
  for (const socket of state.open) socket.destroy();
  return report;
}

/** Sends the next request over a connection that is free, or over a new one. */
function send(state: State, dueAt: number = performance.now()): void {
  const { idle, open, due, ask } = state;
  const socket = idle.pop() ?? (open.size < ask.mostConnections ? openSocket(state) : undefined);
  if (socket === undefined) {
    state.unsent += 1;
    return;
  }
  const text = ask.requests[state.sent % ask.requests.length] ?? '';
  state.sent += 1;
  references += 1;
  due.set(socket, dueAt);
  const reference = `${process.pid.toString(36)}${references.toString(36).padStart(8, '0')}`.slice(-12);
  socket.write(text.replace(REFERENCE, reference.padStart(12, '0')));
}

function openSocket(state: State): Socket {
  const { port } = state.ask;
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  state.open.add(socket);
  onAnswers(socket, (isOk, text) => {
    const now = performance.now();
    const dueAt = state.due.get(socket) ?? now;
    state.due.delete(socket);
    note(state, isOk ? '200' : text(), now - dueAt);
    state.idle.push(socket);
    if (state.ask.pace === 'ON_ANSWER' && !state.isOver) send(state);
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    state.open.delete(socket);
    const place = state.idle.indexOf(socket);
    if (place >= 0) state.idle.splice(place, 1);
    if (state.due.delete(socket)) state.lost += 1;
  });
  return socket;
}

function note(state: State, answer: string, tookMs: number): void {
  const status = answer === '200' ? answer : answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
  state.statuses[status] = (state.statuses[status] ?? 0) + 1;
  if (status === '200') state.servedMs.push(tookMs);
  if ((status === '429' || status === '503') && !/\r\nretry-after: *\d/i.test(answer))
    state.withoutRetryAfter += 1;
}

process.on('message', (ask: LoadAsk) => {
  void runLoad(ask).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit());
