import {
  type Account,
  type Chain,
  keccak256,
  type PublicClient,
  type TransactionReceipt,
  type Transport,
  WaitForTransactionReceiptTimeoutError,
  type WalletClient,
} from 'viem';
import type { CallOptions } from './connection/connection.ts';
import { ExecutionError } from './errors/refusals.ts';
import { executePlanWith, type PlanToExecute } from './execution/executePlan.ts';
import { type ExecutedSwap, executeSwapWith, type SwapToExecute } from './execution/executeSwap.ts';
import type { CheckedCall } from './execution/order.ts';
import type { Wallet } from './execution/wallet.ts';
import type { FollowOptions, PaymentPlan, Payments } from './resources/payments.ts';
import type { Swaps } from './resources/swaps.ts';

export type { KnownCorridor, PlanToExecute } from './execution/executePlan.ts';
export type { ExecutedSwap, SwapToExecute } from './execution/executeSwap.ts';
export type { Limit } from './execution/order.ts';

const LONGEST_WAIT_MS = 180_000;
const POLLS_UNTIL_ASKED_ANEW = 5;

/** viem's clients: what signs, and the caller's own node. */
export type ViemClients = {
  readonly wallet: WalletClient<Transport, Chain, Account>;
  readonly node: PublicClient;
};

/**
 * Asks for a swap, checks it against the request, and executes it: first the approvals that it needs, then the swap.
 * @throws UnsafeAnswerError before anything is signed, when the answer does anything but what was asked for.
 */
export function executeSwap(
  fairway: { readonly swaps: Swaps },
  swap: SwapToExecute & ViemClients,
  options?: CallOptions,
): Promise<ExecutedSwap> {
  return executeSwapWith(walletOf(swap), fairway, swap, options);
}

/**
 * Executes the wallet's part of a plan: waits for the deposit, checks the calls against the request, reports and sends
 * them. Answers with the plan when somebody else is to act, or nobody.
 * @throws UnsafeAnswerError before anything is signed, when the calls do anything but what was asked for.
 */
export function executePlan(
  fairway: { readonly payments: Payments },
  plan: PlanToExecute & ViemClients,
  options?: FollowOptions,
): Promise<PaymentPlan> {
  return executePlanWith(walletOf(plan), fairway, plan, options);
}

function walletOf({ wallet, node }: ViemClients): Wallet {
  const { account } = wallet;
  return {
    address: account.address,
    chainIds: () => Promise.all([wallet.getChainId(), node.getChainId()]),
    latestSeconds: async () => (await node.getBlock()).timestamp,
    read: async (to, data) =>
      (await node.call({ to: to as `0x${string}`, data: data as `0x${string}` })).data ?? '0x',
    async send(call, onSigned) {
      if (onSigned === undefined) return wallet.sendTransaction(call);
      if (account.type === 'local') return sendSigned(wallet, node, call, onSigned);
      const txHash = await wallet.sendTransaction(call);
      const { nonce } = await node.getTransaction({ hash: txHash });
      await onSigned({ txHash, nonce });
      return txHash;
    },
    async succeeded(txHash) {
      const { status, transactionHash } = await receiptOf(node, txHash as `0x${string}`);
      if (transactionHash !== txHash)
        throw new ExecutionError(`Transaction ${txHash} was replaced by ${transactionHash}.`, txHash);
      if (status !== 'success') throw new ExecutionError(`Transaction ${txHash} was reverted.`, txHash);
    },
  };
}

/**
 * viem overlooks a block that comes while it looks for a replacement, and waits for the next one. A chain that makes blocks
 * on demand has no next one, so it is asked anew.
 */
async function receiptOf(node: PublicClient, hash: `0x${string}`): Promise<TransactionReceipt> {
  const timeout = POLLS_UNTIL_ASKED_ANEW * node.pollingInterval;
  const untilMs = Date.now() + LONGEST_WAIT_MS;
  for (;;)
    try {
      return await node.waitForTransactionReceipt({ hash, timeout });
    } catch (error) {
      if (!(error instanceof WaitForTransactionReceiptTimeoutError) || Date.now() > untilMs) throw error;
    }
}

async function sendSigned(
  wallet: ViemClients['wallet'],
  node: PublicClient,
  call: CheckedCall,
  onSigned: NonNullable<Parameters<Wallet['send']>[1]>,
): Promise<string> {
  const request = await wallet.prepareTransactionRequest(call);
  const serializedTransaction = await wallet.signTransaction(request);
  const txHash = keccak256(serializedTransaction);
  await onSigned({ txHash, nonce: request.nonce });
  await node.sendRawTransaction({ serializedTransaction });
  return txHash;
}
