import { NO_JSON, type OpenChannel } from './channel.ts';
import type { Endpoint, HeadSubscription } from './endpoint.ts';
import { TOO_LONG } from './longestAnswer.ts';
import { AnswerTooLongError, RpcAnswerError, RpcUnreachableError } from './errors.ts';

type Message = {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly params?: { readonly subscription?: unknown; readonly result?: unknown };
};
type Pending = { answered(message: Message): void; failed(error: Error): void };
type Session = {
  /** Resolves with the answer's message. `onAnswer` gets it before the next message is read. */
  ask(method: string, params: readonly unknown[], onAnswer?: (message: Message) => void): Promise<Message>;
  /** Delivers the pushes of a subscription until the session ends. */
  deliver(subscription: unknown, onPush: (result: unknown) => void, onEnd: () => void): void;
  forget(subscription: unknown): void;
  end(reason: string): void;
};

/**
 * A node over a connection that stays open and can push. A connection is given up when it ends, carries something
 * that is not JSON-RPC or too long, or leaves a request unanswered. The next request opens another connection.
 */
export function socketEndpoint(open: OpenChannel, timeoutMs: number): Endpoint {
  const usual = keptSession(open, timeoutMs);
  const tracing = keptSession(open, timeoutMs);
  let traced: Promise<unknown> = Promise.resolve();

  /** One at a time, so that it is known whose answer is too long. */
  function trace(method: string, params: readonly unknown[]): Promise<Message> {
    const answer = traced.then(() => tracing.current().ask(method, params));
    traced = answer.catch(() => undefined);
    return answer;
  }

  return {
    async request({ method, params = [] }) {
      const { error, result } = await (TRACES.has(method)
        ? trace(method, params)
        : usual.current().ask(method, params));
      if (error) throw new RpcAnswerError(error.code, error.message, error.data);
      return result;
    },
    async subscribeHeads(onHead, onEnd): Promise<HeadSubscription> {
      try {
        const over = usual.current();
        let stopped = false;
        const { error, result } = await over.ask('eth_subscribe', ['newHeads'], (answer) => {
          if (answer.error) return;
          over.deliver(
            answer.result,
            (header) => {
              if (!stopped) onHead(header);
            },
            () => {
              if (!stopped) onEnd();
            },
          );
        });
        if (error) return { state: 'UNAVAILABLE' };
        return {
          state: 'SUBSCRIBED',
          stop() {
            if (stopped) return;
            stopped = true;
            over.forget(result);
            over.ask('eth_unsubscribe', [result]).catch(() => undefined);
          },
        };
      } catch {
        return { state: 'UNAVAILABLE' };
      }
    },
    close() {
      usual.close();
      tracing.close();
    },
  };
}

/**
 * The sender of a transaction decides how long its trace is. Traces have a connection of their own: no other request
 * ends with it.
 */
const TRACES: ReadonlySet<string> = new Set(['debug_traceTransaction', 'debug_traceBlockByHash']);

/** A session that is opened when it is needed, and again after it has ended. */
function keptSession(open: OpenChannel, timeoutMs: number) {
  let session: Session | undefined;
  let closed = false;
  return {
    current(): Session {
      if (closed) throw new RpcUnreachableError('the connection is closed');
      if (session !== undefined) return session;
      const opened = openSession(open, timeoutMs, () => {
        if (session === opened) session = undefined;
      });
      session = opened;
      return opened;
    },
    close() {
      closed = true;
      session?.end('the connection is closed');
    },
  };
}

function silenceFor(reason: string): RpcUnreachableError {
  return reason === TOO_LONG ? new AnswerTooLongError() : new RpcUnreachableError(reason);
}

function openSession(open: OpenChannel, timeoutMs: number, onEnd: () => void): Session {
  const pending = new Map<number, Pending>();
  const subscriptions = new Map<unknown, { onPush(result: unknown): void; onEnd(): void }>();
  let lastId = 0;
  let ended = false;

  const channel = open({
    onMessage(text) {
      const message = parse(text);
      if (message === undefined) end(NO_JSON);
      else if (message.method === 'eth_subscription') {
        subscriptions.get(message.params?.subscription)?.onPush(message.params?.result);
      } else if (typeof message.id === 'number') pending.get(message.id)?.answered(message);
    },
    onEnd: (reason = 'the connection was lost') => end(reason),
  });

  function end(reason: string): void {
    if (ended) return;
    ended = true;
    onEnd();
    channel.close();
    // When several requests are pending, nobody knows whose answer was too long.
    const silence = pending.size === 1 ? silenceFor(reason) : new RpcUnreachableError(reason);
    for (const { failed } of pending.values()) failed(silence);
    for (const subscription of subscriptions.values()) subscription.onEnd();
  }

  channel.opened.catch(() => end('no connection'));
  return {
    end,
    ask(method, params, onAnswer) {
      const id = ++lastId;
      return new Promise<Message>((resolve, reject) => {
        const timer = setTimeout(() => end('timed out'), timeoutMs);
        const settle =
          <T>(then: (value: T) => void) =>
          (value: T) => {
            clearTimeout(timer);
            pending.delete(id);
            then(value);
          };
        const resolved = settle(resolve);
        pending.set(id, {
          answered(message) {
            onAnswer?.(message);
            resolved(message);
          },
          failed: settle(reject),
        });
        if (ended) pending.get(id)?.failed(new RpcUnreachableError('the connection was lost'));
        channel.opened.then(
          () => {
            if (!ended) channel.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
          },
          () => undefined,
        );
      });
    },
    deliver(subscription, onPush, onSubscriptionEnd) {
      if (ended) onSubscriptionEnd();
      else subscriptions.set(subscription, { onPush, onEnd: onSubscriptionEnd });
    },
    forget: (subscription) => subscriptions.delete(subscription),
  };
}

function parse(text: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}
