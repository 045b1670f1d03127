import type { Freshness, Head } from '../types.ts';

/**
 * How far a block's time may be ahead of the service's clock. Producers may set it a little ahead, and a block from
 * further ahead would count as fresh for as long.
 */
const MAX_BLOCK_AHEAD_MS = 15_000;

/** What freshness is judged by. Times in milliseconds. */
export type ContactOptions = {
  readonly pollIntervalMs: number;
  readonly staleAfterMs: number;
  readonly maxBlockAgeMs?: number;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  /** A sentence for the caller while `nowMs` cannot be trusted. */
  readonly clockFault?: () => string | undefined;
};

/** What is known of the contact with the nodes. Times in milliseconds of the monotonic clock. */
type ContactState = {
  heardAtMs?: number;
  behindSinceMs?: number | undefined;
  /** Whether the nodes contradicted each other when they were asked last. */
  isContradicted: boolean;
  /** Whether the nodes' latest block was below the market's own when they were asked last. */
  isPassedOver: boolean;
};

type Fault = Pick<Extract<Freshness, { fresh: false }>, 'why' | 'detail'>;

/** Records when the node was last heard and which block it named, and derives the market's freshness. */
export function createContact(options: ContactOptions) {
  const { monotonicMs, staleAfterMs } = options;
  const startedAtMs = monotonicMs();
  const state: ContactState = { isContradicted: false, isPassedOver: false };
  let nodeHead: Head | undefined;
  let pushCount = 0;

  function freshness(head: Head | undefined): Freshness {
    const fault = contactFault(state, options) ?? clockFaultOf(options) ?? blockFault(head, options);
    if (fault === undefined) return { fresh: true };
    const retryAfterSeconds = Math.max(1, Math.ceil(options.pollIntervalMs / 1000));
    return { fresh: false, ...fault, retryAfterSeconds };
  }

  return {
    freshness,
    /** Whether the nodes have been silent for too long, counted from the start where none has answered yet. */
    isSilent: () => monotonicMs() - (state.heardAtMs ?? startedAtMs) > staleAfterMs,
    /** Records that the node named its latest block. Returns the time, for `reached`. */
    heard(head: Head, followed: Head | undefined): number {
      const now = monotonicMs();
      state.isPassedOver = false;
      state.heardAtMs = now;
      nodeHead = head;
      if (followed?.hash !== head.hash) state.behindSinceMs ??= now;
      return now;
    },
    /**
     * Records that the market has reached a head. Where a newer one was heard since, it is behind since that head was
     * heard.
     */
    reached(followed: Head | undefined, thenHeardAtMs: number): void {
      state.isContradicted = false;
      state.behindSinceMs = followed?.hash === nodeHead?.hash ? undefined : thenHeardAtMs;
    },
    /** Records that the nodes contradicted each other, so that nothing new is known. */
    contradicted(): void {
      state.isContradicted = true;
    },
    /** Records that the nodes named a block below the market's own. */
    passedOver(): void {
      state.isPassedOver = true;
    },
    pushed(): void {
      pushCount++;
    },
    pushes: () => pushCount,
    nodeBlockNumber: () => nodeHead?.number,
    ageMs: () => (state.heardAtMs === undefined ? undefined : monotonicMs() - state.heardAtMs),
    lagBlocks(followed: Head | undefined): bigint {
      const lag = (nodeHead?.number ?? 0n) - (followed?.number ?? 0n);
      return lag > 0n ? lag : 0n;
    },
  };
}

function contactFault(
  { heardAtMs, behindSinceMs, isContradicted, isPassedOver }: ContactState,
  { monotonicMs, staleAfterMs }: ContactOptions,
): Fault | undefined {
  const isSilent = heardAtMs === undefined || monotonicMs() - heardAtMs > staleAfterMs;
  const isBehind = behindSinceMs !== undefined && monotonicMs() - behindSinceMs > staleAfterMs;
  if ((isSilent || isBehind) && isContradicted) {
    const detail = 'The nodes of this chain contradict each other; quotes resume when enough of them agree.';
    return { why: 'NODES_DISAGREE', detail };
  }
  if (isSilent && isPassedOver) {
    const detail =
      'The nodes of this chain are behind the block of the market; quotes resume when they have caught up.';
    return { why: 'LAGGING', detail };
  }
  if (isSilent) {
    const detail = 'Too few nodes of this chain answer; quotes resume by themselves when enough of them do.';
    return { why: 'NO_CONTACT', detail };
  }
  if (!isBehind) return undefined;
  return {
    why: 'LAGGING',
    detail: 'The market is behind the latest block; quotes resume when it has caught up.',
  };
}

function clockFaultOf({ clockFault }: ContactOptions): Fault | undefined {
  const detail = clockFault?.();
  return detail === undefined ? undefined : { why: 'CLOCK_DIFFERS', detail };
}

/** What is wrong with the time of the latest block; judged only where a limit is configured. */
function blockFault(head: Head | undefined, { nowMs, maxBlockAgeMs }: ContactOptions): Fault | undefined {
  if (maxBlockAgeMs === undefined) return undefined;
  const ageMs = nowMs() - 1000 * Number(head?.timestampSeconds ?? 0n);
  const seconds = Math.round(Math.abs(ageMs) / 1000);
  if (-ageMs > MAX_BLOCK_AHEAD_MS) {
    const detail = `The chain's latest block is ${seconds} s ahead of the service's clock; quotes resume when both agree.`;
    return { why: 'BLOCK_IN_FUTURE', detail };
  }
  if (ageMs <= maxBlockAgeMs) return undefined;
  const detail = `The chain's latest block is ${seconds} s old; quotes resume with a new one.`;
  return { why: 'BLOCK_TOO_OLD', detail };
}
