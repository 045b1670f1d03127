import { randomBytes } from 'node:crypto';
import type { Plan } from '@fairway/plan';
import { type ClaimedStep, type PaymentParts, reportOnStep, type StepReport } from '../payments/index.ts';
import type { Acting, Outcome } from '@fairway/api';
import type { CollectParts } from '../collect/index.ts';
import type { SandboxDeps } from './deps.ts';

/** What the simulation of an event of a plan needs. */
export type Scene = {
  readonly parts: PaymentParts;
  readonly sandbox: SandboxDeps;
  readonly acting: Acting;
  readonly plan: Plan;
};

/** What the simulation of a recipient needs. */
export type RecipientScene = Omit<Scene, 'parts'> & { readonly parts: CollectParts };

/** What the simulation of an event of a step needs. */
export type Stage = Scene & { readonly step: ClaimedStep };

/** Reports on the step that the stage was set for. */
export function report({ parts, acting, ...found }: Stage, given: StepReport): Promise<Outcome<Plan>> {
  return reportOnStep(parts, acting, found, given);
}

/** A custodian's reference that nothing else has. */
export function reference(): string {
  return `SIM-${randomBytes(8).toString('hex')}`;
}
