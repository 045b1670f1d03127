import type { Plan } from '@fairway/plan';
import type { PlanScope, Store } from '@fairway/store';
import type { ChainService } from '../chains/chainService.ts';
import type { Corridors } from './corridors.ts';
import type { DeriveInstructions } from './instructions.ts';

/** What payment plans are made and carried on with. */
export type PaymentParts = {
  readonly corridors: Corridors;
  readonly chains: ReadonlyMap<number, ChainService>;
  readonly store: Pick<Store, 'payments' | 'jobs' | 'fingerprint' | 'collect'>;
  readonly derive: DeriveInstructions;
  /** Makes and mails the collect link that a plan owes its recipient. */
  readonly sendLink: DoWork;
  /** How long a plan lives while no money moves. */
  readonly planLifeMs: number;
  nowMs(): number;
};

/** Whose plans somebody acts on, and in whose name: a credential's id, `recipient` or `service`. */
export type Acting = { readonly scope: PlanScope; readonly actor: string };

/** Does one kind of the work that plans leave to the service. */
export type DoWork = (scope: PlanScope, plan: Plan) => Promise<WorkDone>;

/** The plan after work was tried. `againMs`: something outside prevented the work, which is due again after that time. */
export type WorkDone = { readonly plan: Plan; readonly againMs?: number };
