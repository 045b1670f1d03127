import type { Logger } from 'pino';
import type { ChainService } from '../chains/chainService.ts';
import type { CollectParts } from '../collect/collectParts.ts';
import type { SunkMail } from '../sandbox/mailSink.ts';

/** Everything the HTTP side needs, as plain functions and values: built by the composition root, or by a test. */
export type HttpDeps = {
  readonly environment: 'sandbox' | 'production';
  readonly version: string;
  /** Base URL of problem types and examples, without a trailing slash. A function: the port may be known late. */
  publicUrl(): string;
  /** The service's clock. */
  nowMs(): number;
  /** Checks a credential; cached by the implementation, never throws for an unreachable database. */
  authenticate(username: string, password: string): Promise<AuthenticationResult>;
  readonly chains: readonly ChainService[];
  readonly payments: CollectParts;
  readonly limits: {
    readonly requestsPerSecond: number;
    readonly failedLoginsPerMinute: number;
    /** Swaps planned at once before more are answered 503 overloaded; 64 when absent. */
    readonly concurrentSwaps?: number;
    /** Those of one credential; 16 when absent. */
    readonly concurrentSwapsEach?: number;
  };
  /** Proxies whose X-Forwarded-For is believed, as addresses or CIDR ranges; none when absent. */
  readonly trustedProxies?: readonly string[];
  /** Present only when the built-in sandbox runs. */
  readonly sandbox?: SandboxDeps;
  readonly log: Logger;
};

/** What is known of a credential after checking it. */
export type AuthenticationResult =
  | {
      readonly outcome: 'AUTHENTICATED';
      readonly credentialId: string;
      readonly organisationId: string;
      readonly environment: 'sandbox' | 'production';
      readonly permissions: readonly string[];
    }
  | { readonly outcome: 'REJECTED' }
  /** The database is gone and nothing is cached. */
  | { readonly outcome: 'UNAVAILABLE' };

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
