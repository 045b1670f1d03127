import type { TokenTransfer } from '@fairway/evm';

/** A block that was read, with the transfers of all tokens that were watched then. The hashes are in lower case. */
export type RingBlock = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timeMs: number;
  readonly transfers: readonly TokenTransfer[];
  /** How many tokens were watched when the block was read. */
  readonly tokenCount: number;
};

/** The newest blocks of one chain, oldest first, without gaps. */
export type BlockRing = {
  blocks(): readonly RingBlock[];
  has(hash: string): boolean;
  /** Drops the blocks above a number, and adds those that follow it. */
  follow(ancestorNumber: number, blocks: readonly RingBlock[]): void;
  clear(): void;
};

/**
 * The number of blocks that are kept. A reorganisation is rarely deeper. A plan rarely appears more blocks than this
 * after a transfer that concerns it.
 */
export const RING_BLOCKS = 64;

/** Makes an empty ring. */
export function createBlockRing(): BlockRing {
  let kept: readonly RingBlock[] = [];
  return {
    blocks: () => kept,
    has: (hash) => kept.some((block) => block.hash === hash),
    follow(ancestorNumber, blocks) {
      kept = [...kept.filter(({ number }) => number <= ancestorNumber), ...blocks].slice(-RING_BLOCKS);
    },
    clear() {
      kept = [];
    },
  };
}
