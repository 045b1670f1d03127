import { MOST_RECEIVERS } from './readRangeTransfers.ts';

/** About how many bytes a log takes in an answer, and a request for the logs of so many receivers with its answer. */
const BYTES_PER_LOG = 500;
const BYTES_PER_REQUEST = 50_000;

/** Blocks that are missing: how many, how many logs of the tokens each has, and for how many addresses. */
export type Gap = {
  readonly blocks: number;
  readonly logsPerBlock: number;
  readonly addresses: number;
  /** How many blocks one request is for. */
  readonly width: number;
};

/**
 * Which way to read missing blocks moves fewer bytes. One way reads all transfers of the tokens and matches them
 * here. The other reads those to the addresses, in requests for as many as nodes take.
 *
 * @example
 * ```ts
 * import { logFilterOf } from '@fairway/evm';
 *
 * const gap = { blocks: 1_800, logsPerBlock: 2, addresses: 100_000, width: 2_000 };
 * const filter = logFilterOf(gap); // 'BY_TOKEN'
 * ```
 */
export function logFilterOf({ blocks, logsPerBlock, addresses, width }: Gap): 'BY_TOKEN' | 'BY_ADDRESS' {
  const requests = Math.ceil(addresses / MOST_RECEIVERS) * Math.ceil(blocks / width);
  return blocks * logsPerBlock * BYTES_PER_LOG < requests * BYTES_PER_REQUEST ? 'BY_TOKEN' : 'BY_ADDRESS';
}
