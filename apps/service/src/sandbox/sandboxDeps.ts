import type { SunkMail } from './mailSink.ts';

/** The built-in sandbox chain. Addresses in EIP-55. */
export type SandboxDeps = {
  /** E-mails that were caught, newest first. */
  mailbox(): readonly SunkMail[];
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly accounts: readonly { readonly address: string; readonly privateKey: string }[];
  readonly routers: Readonly<Record<string, string>>;
  readonly tokens: readonly {
    readonly address: string;
    readonly symbol: string;
    readonly decimals: number;
  }[];
  /** Moves chain and service together; resolves when the chain has a block at the new time. */
  advanceClock(seconds: number): Promise<SandboxOutcome>;
  /** Gives an account funds; resolves when they are there. */
  faucet(request: FaucetOrder): Promise<SandboxOutcome>;
  /** Sends a transaction in the name of any account; resolves when it is mined. Addresses in any case. */
  send(order: SendOrder): Promise<SentOutcome>;
};

/** A call to send in the name of an account. `value` in wei. */
export type SendOrder = {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly value: bigint;
};

/** A mined transaction, or why there is none. */
export type SentOutcome =
  | { readonly ok: true; readonly txHash: `0x${string}`; readonly outcome: 'SUCCEEDED' | 'REVERTED' }
  | Extract<SandboxOutcome, { readonly ok: false }>;

/** What came of an order to the sandbox chain. REFUSED: it cannot be done; UNAVAILABLE: try again. `detail` is a sentence for the caller. */
export type SandboxOutcome =
  | { readonly ok: true; readonly txHash?: `0x${string}` }
  | { readonly ok: false; readonly reason: 'REFUSED' | 'UNAVAILABLE'; readonly detail: string };

/** What the faucet is to give. */
export type FaucetOrder =
  | { readonly address: string; readonly token: string; readonly amount: bigint }
  | { readonly address: string; readonly native: true; readonly amount: bigint };
