import type { Store } from '@fairway/store';
import type { ChainService } from '../chains/chainService.ts';
import type { Corridors } from './corridors.ts';
import type { DeriveInstructions } from './instructions.ts';

/** What payment plans are made and carried on with. */
export type PaymentParts = {
  readonly corridors: Corridors;
  readonly chains: ReadonlyMap<number, ChainService>;
  readonly store: Pick<Store, 'payments' | 'jobs' | 'fingerprint' | 'collect'>;
  readonly derive: DeriveInstructions;
  /** How long a plan lives while no money moves. */
  readonly planLifeMs: number;
  nowMs(): number;
};
