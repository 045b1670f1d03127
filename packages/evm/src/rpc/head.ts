import { NodeNonsenseError } from './errors.ts';
import { headerHash } from './headerHash.ts';
import type { Head } from '../types.ts';
import type { RpcRequest } from './endpoint.ts';

const HASH = /^0x[0-9a-f]{64}$/i;
/** The last second that a JavaScript Date can hold. */
const LATEST_SECONDS = 8_640_000_000_000n;
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;

/** Reads a block header as nodes send it. @throws for anything that is not a block header. */
export function headerToHead(header: unknown): Head {
  const {
    number,
    hash: own,
    parentHash,
    timestamp,
    baseFeePerGas,
  } = (header ?? {}) as Record<string, unknown>;
  const base = baseFeePerGas ?? '0x0';
  if (!(isText(own, HASH) && isText(parentHash, HASH) && isText(number, QUANTITY))) throw notAHeader();
  if (!(isText(timestamp, QUANTITY) && isText(base, QUANTITY))) throw notAHeader();
  if (BigInt(timestamp) > LATEST_SECONDS) throw notAHeader();
  return {
    number: BigInt(number),
    hash: own,
    parentHash,
    timestampSeconds: BigInt(timestamp),
    baseFeePerGas: BigInt(base),
    ...commitmentsOf(header as Readonly<Record<string, unknown>>),
  };
}

/** What the hash of a block proves about its logs; nothing on a chain whose headers are hashed by other rules. */
function commitmentsOf(header: Readonly<Record<string, unknown>>): Pick<Head, 'commitments'> {
  const { hash, logsBloom, receiptsRoot } = header as Readonly<Record<string, `0x${string}`>>;
  if (logsBloom === undefined || receiptsRoot === undefined) return {};
  return headerHash(header) === hash?.toLowerCase() ? { commitments: { logsBloom, receiptsRoot } } : {};
}

function isText(value: unknown, pattern: RegExp): value is `0x${string}` {
  return typeof value === 'string' && pattern.test(value);
}

function notAHeader(): NodeNonsenseError {
  return new NodeNonsenseError('The node sent something that is no block header');
}

/**
 * The node's latest block.
 *
 * @example
 * ```ts
 * import { latestHead, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * const { number, hash } = await latestHead(request);
 * ```
 */
export async function latestHead(request: RpcRequest): Promise<Head> {
  return headerToHead(await request({ method: 'eth_getBlockByNumber', params: ['latest', false] }));
}

/**
 * The block with a hash; undefined when the node does not know it, or no longer.
 *
 * @example
 * ```ts
 * import { headByHash, latestHead, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * const { parentHash } = await latestHead(request);
 * const parent = await headByHash(request, parentHash);
 * ```
 */
export async function headByHash(request: RpcRequest, hash: string): Promise<Head | undefined> {
  const header = await request({ method: 'eth_getBlockByHash', params: [hash, false] });
  if (!header) return undefined;
  const head = headerToHead(header);
  if (head.hash.toLowerCase() !== hash.toLowerCase())
    throw new NodeNonsenseError('The node sent another block than was asked for');
  return head;
}

/** The block with a number; undefined when the chain is shorter. */
export async function headByNumber(request: RpcRequest, number: bigint): Promise<Head | undefined> {
  const header = await request({
    method: 'eth_getBlockByNumber',
    params: [`0x${number.toString(16)}`, false],
  });
  return header ? headerToHead(header) : undefined;
}
