import { setTimeout as sleep } from 'node:timers/promises';
import { authorizationOf, type ServiceAccess } from '../../platform/config/serviceAccess.ts';
import { fetchFault } from './fetchFault.ts';

/** A service sends something every 15 seconds: after twice that without a byte the connection is dead. */
const SILENCE_MS = 30_000;
/** How long to wait before the service is asked again. */
const AGAIN_MS = 2_000;

/**
 * What came. `id`: the cursor of what follows. `text`: an event as JSON, as it was sent; undefined where only the place moved on.
 * `isResent`: the event was asked for again, and its `id` is where the reader was before.
 */
export type Streamed = {
  readonly id: string;
  readonly text: string | undefined;
  readonly isResent: boolean;
};

/** Which events are followed, from where on; also those that are asked for again meanwhile. `onLost`: told once for each time that the service does not answer. */
export type Following = {
  readonly access: ServiceAccess;
  readonly types: string | undefined;
  /** Where to go on, or `now`. */
  readonly after: string;
  readonly signal: AbortSignal;
  readonly onLost: (why: string) => void;
  readonly onFound: () => void;
  /** For tests; 30 s and 2 s when absent. */
  readonly silenceMs?: number;
  readonly againMs?: number;
};

/** The service refuses the stream for good; the message is its reason. */
export class StreamRefused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'StreamRefused';
    this.status = status;
  }
}

/**
 * Follows the events of a service until the signal. A connection that is lost, or silent for too long, is made again behind
 * the last event that was taken.
 * @throws StreamRefused
 */
export async function* followEvents(following: Following): AsyncGenerator<Streamed, void, undefined> {
  const { signal, onLost, onFound, againMs = AGAIN_MS } = following;
  let after = following.after;
  let isLost = false;
  while (!signal.aborted) {
    try {
      for await (const frame of framesOf({ ...following, after })) {
        if (isLost) onFound();
        isLost = false;
        yield { id: frame.id ?? after, text: frame.text, isResent: frame.isResent };
        // Only now: what was not taken is sent again.
        after = frame.id ?? after;
      }
    } catch (error) {
      if (error instanceof StreamRefused) throw error;
      if (!signal.aborted && !isLost) onLost(fetchFault(error));
      isLost = true;
    }
    await sleep(againMs, undefined, { signal }).catch(() => undefined);
  }
}

type Frame = Omit<Streamed, 'id'> & { readonly id: string | undefined };

/** The parts of one connection, each as it comes. An id without an event counts, too, which parsers for browsers do not tell. */
async function* framesOf({
  access,
  types,
  after,
  signal,
  silenceMs = SILENCE_MS,
}: Following): AsyncGenerator<Frame> {
  const silence = new AbortController();
  const isSilent = () => silence.abort(new Error(`nothing came for ${silenceMs / 1000} s`));
  let timer = setTimeout(isSilent, silenceMs);
  try {
    const query = new URLSearchParams({
      after,
      resends: 'true',
      ...(types === undefined ? {} : { type: types }),
    });
    const response = await fetch(`${access.url}/v1/events/stream?${query.toString()}`, {
      headers: { authorization: authorizationOf(access) },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || response.body === null) throw await refusalOf(response);
    const text = new TextDecoder();
    let rest = '';
    for await (const bytes of response.body) {
      // While what came is handled, nothing is read, however long that takes.
      clearTimeout(timer);
      const frames = `${rest}${text.decode(bytes as Uint8Array, { stream: true })}`.split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames)
        yield {
          id: /^id: (.*)$/m.exec(frame)?.[1],
          text: /^data: (.*)$/m.exec(frame)?.[1],
          isResent: /^event: resent$/m.test(frame),
        };
      timer = setTimeout(isSilent, silenceMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Statuses that pass by themselves. */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

async function refusalOf(response: Response): Promise<Error> {
  const { status } = response;
  const problem = (await response.json().catch(() => undefined)) as { detail?: string } | undefined;
  const detail = problem?.detail ?? `it answers ${status}`;
  return PASSING.has(status) ? new Error(detail) : new StreamRefused(status, detail);
}
