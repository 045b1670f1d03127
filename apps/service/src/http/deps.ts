import type { Authenticate } from '@fairway/store';
import type { Logger } from 'pino';
import type { ChainService } from '../chains/chainService.ts';
import type { CollectParts } from '../collect/collectParts.ts';
import type { SandboxDeps } from '../sandbox/sandboxDeps.ts';

/** Everything the HTTP side needs, as plain functions and values: built by the composition root, or by a test. */
export type HttpDeps = {
  readonly environment: 'sandbox' | 'production';
  readonly version: string;
  /** Base URL of problem types and examples, without a trailing slash. A function: the port may be known late. */
  publicUrl(): string;
  /** The service's clock. */
  nowMs(): number;
  /** Checks a credential; cached by the implementation, never throws for an unreachable database. */
  readonly authenticate: Authenticate;
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
