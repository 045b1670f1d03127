import type { CheckedCall } from './order.ts';

/** A transaction that is signed, and may be sent. */
export type SignedTransaction = { readonly txHash: string; readonly nonce: number };

/** What executes calls: a wallet, and the caller's own node. An entry makes one of each library's. */
export type Wallet = {
  readonly address: string;
  /** The chains that the wallet and the node are on. */
  chainIds(): Promise<readonly number[]>;
  /** The time of the latest block. */
  latestSeconds(): Promise<bigint>;
  /** Reads the chain, and answers with hex. */
  read(to: string, data: string): Promise<string>;
  /**
   * Signs a call and sends it. `onSigned` is awaited before anything is sent; when it throws, nothing is. A wallet that
   * signs only what it sends calls it afterwards.
   */
  send(call: CheckedCall, onSigned?: (transaction: SignedTransaction) => Promise<void>): Promise<string>;
  /** Waits until a transaction is mined. @throws ExecutionError when it was reverted. */
  succeeded(txHash: string): Promise<void>;
};
