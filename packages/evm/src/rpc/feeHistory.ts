import type { RpcRequest } from './endpoint.ts';
import type { GasTerms, Head } from '../types.ts';
import { NodeNonsenseError } from './errors.ts';

/** Blocks whose priority fees are looked at. */
const BLOCKS = 20;
/** Contracts by which rollups tell what they charge for data: of the OP stack, Arbitrum and Scroll. */
const DATA_FEE_ORACLES = [
  '0x420000000000000000000000000000000000000f',
  '0x000000000000000000000000000000000000006c',
  '0x5300000000000000000000000000000000000002',
];
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;

/**
 * What transactions of the latest blocks paid per unit of gas beyond the base fee, in wei. It is the median over
 * blocks of the median of each block. Empty blocks say nothing; 0 where all are. Where the base fee is 0, this is the
 * price of gas.
 */
async function readPriorityFee(request: RpcRequest, newest: string): Promise<bigint> {
  const params = [`0x${BLOCKS.toString(16)}`, newest, [50]];
  return priorityFeeOf(await request({ method: 'eth_feeHistory', params }));
}

/** Whether the chain charges a fee for data beside its gas: whether it has a contract that tells this fee. */
async function readHasDataFee(request: RpcRequest, block: unknown): Promise<boolean> {
  const codes = await Promise.all(
    DATA_FEE_ORACLES.map((address) => request({ method: 'eth_getCode', params: [address, block] })),
  );
  return codes.some((code) => code !== '0x');
}

/** What gas costs beside the base fee, at a block or at the latest. A fee that nodes do not tell is left out. */
export async function readGasTerms(request: RpcRequest, at?: Head): Promise<GasTerms> {
  const newest = at === undefined ? 'latest' : `0x${at.number.toString(16)}`;
  const block = at === undefined ? 'latest' : { blockHash: at.hash, requireCanonical: true };
  const [fee, hasDataFee] = await Promise.allSettled([
    readPriorityFee(request, newest),
    readHasDataFee(request, block),
  ]);
  return {
    ...(fee.status === 'fulfilled' ? { priorityFeePerGas: fee.value } : {}),
    ...(hasDataFee.status === 'fulfilled' ? { hasDataFee: hasDataFee.value } : {}),
  };
}

/** The median priority fee that a fee history says. @throws NodeNonsenseError for what is no fee history */
export function priorityFeeOf(history: unknown): bigint {
  const { reward, gasUsedRatio } = (history ?? {}) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(reward) || !Array.isArray(gasUsedRatio)) throw notAHistory();
  const fees = reward.flatMap((row: unknown, index) => {
    const fee: unknown = Array.isArray(row) ? row[0] : undefined;
    if (typeof fee !== 'string' || !QUANTITY.test(fee)) throw notAHistory();
    return gasUsedRatio[index] === 0 ? [] : [BigInt(fee)];
  });
  fees.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return fees[(fees.length - 1) >> 1] ?? 0n;
}

function notAHistory(): NodeNonsenseError {
  return new NodeNonsenseError('The node sent something that is no fee history');
}
