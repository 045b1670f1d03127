import { type ChainRpc, latestHead, type NodeRpc, RpcAnswerError } from '@fairway/evm';
import type { Call, Hex, Instruction, Refusal, RelayPorts } from '@fairway/relay';

/** Judges a call before a nonce is bound to it, and again before it is first signed: undefined where it may be executed. */
export type Policy = (about: Instruction) => Promise<Refusal | undefined>;

/** What a call is judged with. */
export type JudgeOptions = {
  readonly request: ChainRpc['request'];
  readonly nodes: readonly NodeRpc[];
  readonly policy: Policy;
  /** What a unit of gas may cost at most: the balance must be enough for it. */
  readonly maxFeePerGasCapWei: bigint;
};

/** A block can change what a call costs, so that more gas is allowed than was estimated. Unused gas is not paid. */
const [ALLOWED, ESTIMATED] = [5n, 4n];

/** Judges by the policy, then by a simulation at the newest block. */
export function createJudge({
  request,
  nodes,
  policy,
  maxFeePerGasCapWei,
}: JudgeOptions): RelayPorts['judge'] {
  return async (about) => {
    const refusal = await policy(about);
    if (refusal !== undefined) return { may: 'NEVER', refusal };
    const { call } = about;
    const balanceWei = await balanceOf(request, call.sender);
    if (balanceWei < call.valueWei) return { may: 'WAIT' };
    if (await reverts(request, call)) return { may: 'NEVER', refusal: { code: 'SIMULATION_FAILED' } };
    const gasLimit = await gasLimitOf(nodes, call);
    const { baseFeePerGas } = await latestHead(request);
    const feeWei = least(2n * baseFeePerGas, maxFeePerGasCapWei);
    return balanceWei < call.valueWei + gasLimit * feeWei ? { may: 'WAIT' } : { may: 'EXECUTE', gasLimit };
  };
}

/** What an account has of the native currency. */
export async function balanceOf(request: ChainRpc['request'], address: Hex): Promise<bigint> {
  const { hash } = await latestHead(request);
  return BigInt((await request({ method: 'eth_getBalance', params: [address, { blockHash: hash }] })) as Hex);
}

function parametersOf({ sender, to, data, valueWei }: Call) {
  return { from: sender, to, data, value: `0x${valueWei.toString(16)}` };
}

/** Nodes that do not answer say nothing about the call: that is thrown, and the call waits. */
async function reverts(request: ChainRpc['request'], call: Call): Promise<boolean> {
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
async function gasLimitOf(nodes: readonly NodeRpc[], call: Call): Promise<bigint> {
  const params = [parametersOf(call), 'latest'];
  const estimated = await Promise.allSettled(
    nodes.map(({ rpc }) => rpc.request({ method: 'eth_estimateGas', params })),
  );
  const found = estimated.flatMap((each) => (each.status === 'fulfilled' ? [BigInt(each.value as Hex)] : []));
  const [first] = estimated;
  if (found.length === 0) throw first?.status === 'rejected' ? first.reason : new Error('There are no nodes');
  return (found.reduce((one, other) => (one > other ? one : other)) * ALLOWED) / ESTIMATED;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
