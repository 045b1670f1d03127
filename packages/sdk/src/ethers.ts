import { type Provider, type Signer, Transaction } from 'ethers';
import type { CallOptions } from './connection/connection.ts';
import { sleep } from './connection/waiting.ts';
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

/** A signer of ethers, with a provider of the caller's own node. */
export type EthersSigner = { readonly signer: Signer };

/**
 * Asks for a swap, checks it against the request, and executes it: first the approvals that it needs, then the swap.
 * @throws UnsafeAnswerError before anything is signed, when the answer does anything but what was asked for.
 */
export async function executeSwap(
  fairway: { readonly swaps: Swaps },
  swap: SwapToExecute & EthersSigner,
  options?: CallOptions,
): Promise<ExecutedSwap> {
  return executeSwapWith(await walletOf(swap), fairway, swap, options);
}

/**
 * Executes the wallet's part of a plan: waits for the deposit, checks the calls against the request, reports and sends
 * them. Answers with the plan when somebody else is to act, or nobody.
 * @throws UnsafeAnswerError before anything is signed, when the calls do anything but what was asked for.
 */
export async function executePlan(
  fairway: { readonly payments: Payments },
  plan: PlanToExecute & EthersSigner,
  options?: FollowOptions,
): Promise<PaymentPlan> {
  return executePlanWith(await walletOf(plan), fairway, plan, options);
}

async function walletOf({ signer }: EthersSigner): Promise<Wallet> {
  const provider = signer.provider;
  if (provider === null) throw new TypeError('The signer has no provider.');
  const nonces = new Map<string, number>();
  return {
    address: await signer.getAddress(),
    chainIds: async () => [Number((await provider.getNetwork()).chainId)],
    latestSeconds: async () => BigInt((await provider.getBlock('latest'))?.timestamp ?? Number.NaN),
    read: (to, data) => provider.call({ to, data }),
    async send(call, onSigned) {
      const { hash, nonce } = await (onSigned === undefined
        ? signer.sendTransaction({ ...call })
        : sendSigned(signer, provider, call, onSigned));
      nonces.set(hash, nonce);
      return hash;
    },
    async succeeded(txHash) {
      for (let looks = 0; ; ) {
        // Read before the receipt: a receipt that is missing then is of a transaction that was replaced.
        const isOver = (await signer.getNonce('latest')) > (nonces.get(txHash) ?? 0);
        const receipt = await provider.getTransactionReceipt(txHash);
        if (receipt?.status === 1) return;
        if (receipt !== null) throw new ExecutionError(`Transaction ${txHash} was reverted.`, txHash);
        looks = isOver ? looks + 1 : 0;
        if (looks === LOOKS_UNTIL_REPLACED)
          throw new ExecutionError(`Transaction ${txHash} was replaced by another.`, txHash);
        await sleep(POLLING_MS, undefined);
      }
    },
  };
}

/** ethers waits for a block after the one that has the transaction, which may be long in coming. */
const POLLING_MS = 500;

/** A node counts a transaction a moment before it has the receipt, and one of several nodes may be behind another. */
const LOOKS_UNTIL_REPLACED = 20;

async function sendSigned(
  signer: Signer,
  provider: Provider,
  call: CheckedCall,
  onSigned: NonNullable<Parameters<Wallet['send']>[1]>,
): Promise<{ hash: string; nonce: number }> {
  const { from: _from, ...unsigned } = await signer.populateTransaction({ ...call });
  const signed = await signer.signTransaction(unsigned);
  const { hash, nonce } = Transaction.from(signed);
  if (hash === null) throw new TypeError('The signer did not sign.');
  await onSigned({ txHash: hash, nonce });
  await provider.broadcastTransaction(signed);
  return { hash, nonce };
}
