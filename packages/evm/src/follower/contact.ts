import type { Freshness, Head } from '../types.ts';

/**
 * How far a block's time may be ahead of this machine's clock. Producers may set it a little ahead, and a block from further
 * ahead would count as fresh for as long.
 */
const MAX_BLOCK_AHEAD_MS = 15_000;

/** What freshness is judged by. Times in milliseconds. */
export type ContactOptions = {
  readonly pollIntervalMs: number;
  readonly staleAfterMs: number;
  readonly maxBlockAgeMs?: number;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
};

/** Records when the node was last heard and which block it named, and derives the market's freshness. */
export function createContact(options: ContactOptions) {
  const { monotonicMs, staleAfterMs, maxBlockAgeMs } = options;
  const startedAtMs = monotonicMs();
  let heardAtMs: number | undefined;
  let nodeHead: Head | undefined;
  let behindSinceMs: number | undefined;
  let pushCount = 0;
  /** Whether the nodes contradicted each other when they were asked last. */
  let isContradicted = false;

  function freshness(head: Head | undefined): Freshness {
    const retryAfterSeconds = Math.max(1, Math.ceil(options.pollIntervalMs / 1000));
    const isSilent = heardAtMs === undefined || monotonicMs() - heardAtMs > staleAfterMs;
    const isBehind = behindSinceMs !== undefined && monotonicMs() - behindSinceMs > staleAfterMs;
    if ((isSilent || isBehind) && isContradicted) {
      const detail = 'The nodes of this chain contradict each other; quotes resume when enough of them agree.';
      return { fresh: false, why: 'NODES_DISAGREE', detail, retryAfterSeconds };
    }
    if (isSilent) {
      const detail = 'The nodes of this chain do not answer; quotes resume by themselves when one does.';
      return { fresh: false, why: 'NO_CONTACT', detail, retryAfterSeconds };
    }
    if (isBehind) {
      const detail = 'The market is behind the latest block; quotes resume when it has caught up.';
      return { fresh: false, why: 'LAGGING', detail, retryAfterSeconds };
    }
    const ageMs = options.nowMs() - 1000 * Number(head?.timestampSeconds ?? 0n);
    if (maxBlockAgeMs !== undefined && -ageMs > MAX_BLOCK_AHEAD_MS) {
      const detail =
        `The chain's latest block is ${Math.round(-ageMs / 1000)} s ahead of this machine's clock; ` +
        'quotes resume when both agree.';
      return { fresh: false, why: 'BLOCK_IN_FUTURE', detail, retryAfterSeconds };
    }
    if (maxBlockAgeMs !== undefined && ageMs > maxBlockAgeMs) {
      const detail = `The chain's latest block is ${Math.round(ageMs / 1000)} s old; quotes resume with a new one.`;
      return { fresh: false, why: 'BLOCK_TOO_OLD', detail, retryAfterSeconds };
    }
    return { fresh: true };
  }

  return {
    freshness,
    /** Whether the nodes have been silent for too long, counted from the start where none has answered yet. */
    isSilent: () => monotonicMs() - (heardAtMs ?? startedAtMs) > staleAfterMs,
    /** Records that the node named its latest block. Returns the time, for `reached`. */
    heard(head: Head, followed: Head | undefined): number {
      const now = monotonicMs();
      heardAtMs = now;
      nodeHead = head;
      if (followed?.hash !== head.hash) behindSinceMs ??= now;
      return now;
    },
    /**
     * Records that the market has reached a head. Where a newer one was heard since, it is behind since that head was
     * heard.
     */
    reached(followed: Head | undefined, thenHeardAtMs: number): void {
      isContradicted = false;
      behindSinceMs = followed?.hash === nodeHead?.hash ? undefined : thenHeardAtMs;
    },
    /** Records that the nodes contradicted each other, so that nothing new is known. */
    contradicted(): void {
      isContradicted = true;
    },
    pushed(): void {
      pushCount++;
    },
    pushes: () => pushCount,
    nodeBlockNumber: () => nodeHead?.number,
    ageMs: () => (heardAtMs === undefined ? undefined : monotonicMs() - heardAtMs),
    lagBlocks(followed: Head | undefined): bigint {
      const lag = (nodeHead?.number ?? 0n) - (followed?.number ?? 0n);
      return lag > 0n ? lag : 0n;
    },
  };
}
