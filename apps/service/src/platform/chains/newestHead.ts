import { type Follower, type Head, latestHead, type RpcRequest } from '@fairway/evm';

/** The market's head is the newest while it is at most so many blocks behind the nodes' latest. */
const NEAR_BLOCKS = 2n;
/** How often the nodes are asked for their latest block where the market does not follow it. */
const ASK_MS = 1_000;

/**
 * Makes a reader of the newest block that is believed. It is the market's head, which was asked for already, and the nodes'
 * own where the market is being read or stands still. Undefined while the nodes are not asked again.
 */
export function createHeadReader(follower: Follower, request: RpcRequest): () => Promise<Head | undefined> {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const { head, lagBlocks } = follower.status();
    if (head !== undefined && lagBlocks <= NEAR_BLOCKS) return head;
    if (performance.now() < askedAtMs + ASK_MS) return undefined;
    askedAtMs = performance.now();
    return latestHead(request);
  };
}
