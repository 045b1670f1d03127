import { setTimeout as sleep } from 'node:timers/promises';
import type { AskNode } from '@fairway/testing';
import { createWalletClient, defineChain, encodeFunctionData, erc20Abi, http, parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/** A call to sign and send, as the API returns it. */
export type Call = { readonly to: string; readonly data: string; readonly value: string };

/** The nonce and fee that decide which of a wallet's transactions is mined. */
export type Bid = { readonly nonce?: number; readonly feeWei?: bigint };

/** A transaction that was sent, with the signed bytes: they can be sent again after a reorganisation. */
export type Sent = { readonly hash: string; readonly raw: string };

/** The receipt of a mined transaction. */
export type Receipt = {
  readonly status: string;
  readonly blockNumber: string;
  readonly logs: readonly { readonly logIndex: string }[];
};

/** A wallet that signs with its own key, as an integrator's wallet does. The node does not hold the key. */
export type KeyWallet = {
  readonly address: string;
  /** Signs and sends; does not wait until it is mined. With `nonce` and `feeWei` it replaces a waiting transaction. */
  send(call: Call, bid?: Bid): Promise<Sent>;
  /** Signs without sending; the signed bytes. */
  sign(call: Call, bid?: Bid): Promise<string>;
  /** Signs a text (EIP-191). */
  signText(text: string): Promise<string>;
  /** Sends calls in order, waits for each and returns the last. Throws when a call is reverted. */
  execute(calls: readonly Call[]): Promise<Sent>;
  /** Sends an ERC-20 transfer and waits for it. */
  transfer(token: string, to: string, amount: bigint): Promise<Sent>;
  /** Approves and waits. */
  approve(token: string, spender: string, amount: bigint): Promise<Sent>;
};

/** Stated here, because viem's list of chains takes a third of a second to load. */
const SANDBOX_CHAIN = defineChain({
  id: 31_337,
  name: 'Sandbox',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
});

/** `approve` in the form of tokens whose function returns nothing. */
const approveAbi = parseAbi(['function approve(address, uint256)']);

/**
 * Makes a wallet for a key, or for a fresh one, at a node. Gas is not estimated, so that reverting calls are mined,
 * too.
 */
export function keyWallet(rpcUrl: string, rpc: AskNode, privateKey = generatePrivateKey()): KeyWallet {
  const account = privateKeyToAccount(privateKey);
  const client = createWalletClient({ account, chain: SANDBOX_CHAIN, transport: http(rpcUrl) });

  async function sign({ to, data, value }: Call, { nonce, feeWei = 10n ** 10n }: Bid = {}): Promise<string> {
    const next = await rpc<string>('eth_getTransactionCount', [account.address, 'pending']);
    return client.signTransaction({
      to: to as `0x${string}`,
      data: data as `0x${string}`,
      value: BigInt(value),
      nonce: nonce ?? Number(next),
      gas: 3_000_000n,
      maxFeePerGas: feeWei,
      maxPriorityFeePerGas: feeWei / 2n,
      type: 'eip1559',
    });
  }

  async function send(call: Call, bid?: Bid): Promise<Sent> {
    const raw = await sign(call, bid);
    return { hash: await rpc<string>('eth_sendRawTransaction', [raw]), raw };
  }

  async function execute(calls: readonly Call[]): Promise<Sent> {
    let last: Sent | undefined;
    for (const call of calls) {
      last = await send(call);
      const { status } = await receiptOf(rpc, last.hash);
      if (status !== '0x1') throw new Error(`The transaction ${last.hash} was reverted`);
    }
    if (last === undefined) throw new Error('There is nothing to execute');
    return last;
  }

  return {
    address: account.address,
    send,
    sign,
    signText: (message) => account.signMessage({ message }),
    execute,
    transfer: (token, to, amount) => execute([transferCall(token, to, amount)]),
    approve(token, spender, amount) {
      const args = [spender as `0x${string}`, amount] as const;
      const data = encodeFunctionData({ abi: approveAbi, functionName: 'approve', args });
      return execute([{ to: token, data, value: '0' }]);
    },
  };
}

/** An ERC-20 transfer. */
export function transferCall(token: string, to: string, amount: bigint): Call {
  const args = [to as `0x${string}`, amount] as const;
  return {
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
    value: '0',
  };
}

/** Waits for the receipt of a transaction. */
export async function receiptOf(rpc: AskNode, hash: string): Promise<Receipt> {
  for (let tries = 0; tries < 500; tries++) {
    const receipt = await rpc<Receipt | null>('eth_getTransactionReceipt', [hash]);
    if (receipt !== null) return receipt;
    await sleep(10);
  }
  throw new Error(`The transaction ${hash} was not mined`);
}
