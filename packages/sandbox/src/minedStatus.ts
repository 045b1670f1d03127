import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { Rpc } from './rpc.ts';

const RECEIPT_POLL_MS = 20;
const PATIENCE_MS = 10_000;
/** After this time without a receipt, automatic mining must be off, and a block is mined here. */
const MINE_AFTER_MS = 200;

type Receipt = { readonly status: Hex };

/** Waits until a transaction that was sent is mined, and mines a block itself where automatic mining is off. */
export async function minedStatus(
  rpc: Rpc,
  transactionHash: Hex,
): Promise<'SUCCEEDED' | 'REVERTED' | 'NOT_MINED'> {
  const sentAt = performance.now();
  let mineAt = sentAt + MINE_AFTER_MS;
  while (performance.now() - sentAt < PATIENCE_MS) {
    const receipt = await rpc.request<Receipt | null>('eth_getTransactionReceipt', [transactionHash]);
    if (receipt !== null) return receipt.status === '0x1' ? 'SUCCEEDED' : 'REVERTED';
    if (performance.now() > mineAt) {
      await rpc.request('evm_mine');
      mineAt = performance.now() + MINE_AFTER_MS;
    }
    await sleep(RECEIPT_POLL_MS);
  }
  return 'NOT_MINED';
}
