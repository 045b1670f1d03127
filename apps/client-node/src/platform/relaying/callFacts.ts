import { type ChainRpc, type Head, latestHead, type NodeRpc, RpcAnswerError } from '@fairway/evm';
import type { Call, Hex, Look } from '@fairway/relay';

/** What a chain would say of a call that is not signed yet. */
type Unsigned = Pick<Call, 'sender' | 'to' | 'data' | 'valueWei'>;

/** A block can change what a call costs, so that more gas is allowed than was estimated. Unused gas is not paid. */
const [ALLOWED, ESTIMATED] = [5n, 4n];

/** A block, as far as calls are judged by it. */
export type JudgedBlock = Pick<Head, 'hash' | 'timestampSeconds' | 'baseFeePerGas'>;

/** The block by which calls of a sender are judged, and what the sender has of the native currency there. */
export type Sender = { readonly head: JudgedBlock; readonly balanceWei: bigint };

/** Reads what the chain says of a sender now. */
export async function readSender(
  request: ChainRpc['request'],
  address: Hex,
): Promise<Sender & { readonly head: Head }> {
  const head = await latestHead(request);
  const params = [address, { blockHash: head.hash }];
  const balance = (await request({ method: 'eth_getBalance', params })) as Hex;
  return { head, balanceWei: BigInt(balance) };
}

/** What a look has said of a sender. */
export function senderOf({ head, balanceWei }: Look): Sender {
  const timestampSeconds = BigInt(head.timestampMs / 1000);
  return { head: { hash: head.hash, timestampSeconds, baseFeePerGas: head.baseFeePerGasWei }, balanceWei };
}

/** The time of the chain. A chain without new blocks stands still, and deadlines do not. */
export async function latestSeconds(request: ChainRpc['request']): Promise<bigint> {
  return secondsAt(await latestHead(request));
}

/** The time of the chain at its newest block. */
export function secondsAt({ timestampSeconds }: Pick<Head, 'timestampSeconds'>): bigint {
  const nowSeconds = BigInt(Math.floor(Date.now() / 1000));
  return timestampSeconds > nowSeconds ? timestampSeconds : nowSeconds;
}

/** The error code of a reverted call; some nodes use others, but then send the revert's data. */
const REVERTED = 3;

function isRevert(error: unknown): boolean {
  return error instanceof RpcAnswerError && (error.code === REVERTED || typeof error.data === 'string');
}

/**
 * How much gas a call may take. The nodes may differ in what they estimate: the most of what they say is taken. It
 * reverts where each says so. Nodes that do not answer say nothing about the call: that is thrown.
 */
export async function gasLimitOf(nodes: readonly NodeRpc[], call: Unsigned): Promise<bigint | 'REVERTED'> {
  const params = [parametersOf(call), 'latest'];
  const estimated = await Promise.allSettled(
    nodes.map(({ rpc }) => rpc.request({ method: 'eth_estimateGas', params })),
  );
  const found = estimated.flatMap((each) => (each.status === 'fulfilled' ? [BigInt(each.value as Hex)] : []));
  const failures = estimated.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []));
  if (found.length === 0) {
    const away = failures.find((each) => !isRevert(each));
    if (away !== undefined) throw away;
    return 'REVERTED';
  }
  return (found.reduce((one, other) => (one > other ? one : other)) * ALLOWED) / ESTIMATED;
}

function parametersOf({ sender, to, data, valueWei }: Unsigned) {
  return { from: sender, to, data, value: `0x${valueWei.toString(16)}` };
}

/** What an account has of a token. Throws where the token does not say so. */
export async function tokenBalanceOf(
  request: ChainRpc['request'],
  token: string,
  owner: Hex,
): Promise<bigint> {
  const { hash } = await latestHead(request);
  const data = `0x70a08231${owner.slice(2).padStart(64, '0')}`;
  return BigInt(
    (await request({ method: 'eth_call', params: [{ to: token, data }, { blockHash: hash }] })) as Hex,
  );
}
