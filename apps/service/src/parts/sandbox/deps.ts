import type { SunkMail } from './mailSink.ts';

/** The parts of the built-in sandbox that its operations need. Addresses are in EIP-55. */
export type SandboxDeps = {
  /** The e-mails that the sandbox received, newest first. */
  mailbox(): readonly SunkMail[];
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly accounts: readonly { readonly address: string; readonly privateKey: string }[];
  readonly routers: Readonly<Record<string, string>>;
  readonly factories: readonly {
    readonly kind: 'UNISWAP_V2' | 'UNISWAP_V3';
    readonly name: string;
    readonly address: string;
  }[];
  readonly wrappedNative: string;
  readonly multicall3: string;
  /** The mail server of the sandbox. */
  readonly smtpUrl: string;
  readonly tokens: readonly {
    readonly address: string;
    readonly symbol: string;
    readonly decimals: number;
  }[];
  /** Moves the time of the chain and the service forward; resolves when the chain has a block with the new time. */
  advanceClock(seconds: number): Promise<SandboxOutcome>;
  /** Gives an account funds; resolves when the account has them. */
  faucet(request: FaucetOrder): Promise<SandboxOutcome>;
  /** Sends a transaction from any account, without its key; resolves when it is mined. Addresses in any letter case. */
  send(order: SendOrder): Promise<SentOutcome>;
};

/** A transaction to send from the account `from`. `value` in wei. */
export type SendOrder = {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly value: bigint;
};

/** The hash and the outcome of a mined transaction, or why it was not mined. */
export type SentOutcome =
  | { readonly ok: true; readonly txHash: `0x${string}`; readonly outcome: 'SUCCEEDED' | 'REVERTED' }
  | Extract<SandboxOutcome, { readonly ok: false }>;

/**
 * The result of an order to the sandbox chain. REFUSED: the order cannot be carried out. UNAVAILABLE: it may succeed
 * later. `detail`: a sentence for the caller.
 */
export type SandboxOutcome =
  | { readonly ok: true; readonly txHash?: `0x${string}` }
  | { readonly ok: false; readonly reason: 'REFUSED' | 'UNAVAILABLE'; readonly detail: string };

/** An order for the faucet: a token or native currency for an address. */
export type FaucetOrder =
  | { readonly address: string; readonly token: string; readonly amount: bigint }
  | { readonly address: string; readonly native: true; readonly amount: bigint };
