import type { ChainService } from '../../platform/chains/chainService.ts';
import type { PaymentParts } from '../payments/index.ts';

/** What start page, quick start and examples tell of. */
export type Shown = {
  readonly environment: string;
  readonly version: string;
  readonly isSandbox: boolean;
  readonly chains: readonly ChainService[];
  readonly payments: Pick<PaymentParts, 'corridors'>;
  publicUrl(): string;
  nowMs(): number;
};
