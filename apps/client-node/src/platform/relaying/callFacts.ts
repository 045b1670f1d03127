import { type ChainRpc, latestHead, type NodeRpc, RpcAnswerError } from '@fairway/evm';
import type { Call, Hex } from '@fairway/relay';

/** What a chain would say of a call that is not signed yet. */
type Unsigned = Pick<Call, 'sender' | 'to' | 'data' | 'valueWei'>;

/** A block can change what a call costs, so that more gas is allowed than was estimated. Unused gas is not paid. */
const [ALLOWED, ESTIMATED] = [5n, 4n];

/** What an account has of the native currency. */
export async function balanceOf(request: ChainRpc['request'], address: Hex): Promise<bigint> {
  const { hash } = await latestHead(request);
  return BigInt((await request({ method: 'eth_getBalance', params: [address, { blockHash: hash }] })) as Hex);
}

/** The time of the chain. A chain without new blocks stands still, and deadlines do not. */
export async function latestSeconds(request: ChainRpc['request']): Promise<bigint> {
  const { timestampSeconds } = await latestHead(request);
  const nowSeconds = BigInt(Math.floor(Date.now() / 1000));
  return timestampSeconds > nowSeconds ? timestampSeconds : nowSeconds;
}

/** Nodes that do not answer say nothing about the call: that is thrown. */
export async function reverts(request: ChainRpc['request'], call: Unsigned): Promise<boolean> {
  try {
    await request({ method: 'eth_call', params: [parametersOf(call), 'latest'] });
    return false;
  } catch (error) {
    if (error instanceof RpcAnswerError && (error.code === REVERTED || typeof error.data === 'string'))
      return true;
    throw error;
  }
}

/** The error code of a reverted call; some nodes use others, but then send the revert's data. */
const REVERTED = 3;

/** The nodes may differ in what they estimate: the most of what they say is taken. */
export async function gasLimitOf(nodes: readonly NodeRpc[], call: Unsigned): Promise<bigint> {
  const params = [parametersOf(call), 'latest'];
  const estimated = await Promise.allSettled(
    nodes.map(({ rpc }) => rpc.request({ method: 'eth_estimateGas', params })),
  );
  const found = estimated.flatMap((each) => (each.status === 'fulfilled' ? [BigInt(each.value as Hex)] : []));
  const [first] = estimated;
  if (found.length === 0) throw first?.status === 'rejected' ? first.reason : new Error('There are no nodes');
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
