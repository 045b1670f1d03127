import type { RateFor } from '../../platform/rates/currentRate.ts';
import type { NoticeOptions, Plan } from '@fairway/plan';
import type { PlanScope, SOUND_CLOCK, Store } from '@fairway/store';
import type { ChainService } from '../../platform/chains/chainService.ts';
import type { ChainMoments } from './chainMoments.ts';
import type { Corridors } from './corridors/corridors.ts';
import type { DeriveInstructions } from './instructions.ts';

/**
 * By which rules an organisation pays. `notices`: what its recipients get by e-mail in addition to links and codes.
 * `recipientApproval`: whether a second person approves the details of recipients.
 */
export type OrganisationRules = {
  readonly notices?: NoticeOptions;
  readonly recipientApproval?: 'REQUIRED';
};

/** What the use cases of payment plans need. */
export type PaymentParts = {
  readonly corridors: Corridors;
  readonly chains: ReadonlyMap<number, ChainService>;
  readonly store: Pick<
    Store,
    | 'payments'
    | 'recipients'
    | 'jobs'
    | 'record'
    | 'fingerprint'
    | 'planTag'
    | 'endToEndId'
    | 'collect'
    | 'pageStates'
  >;
  readonly moments: ChainMoments;
  readonly derive: DeriveInstructions;
  /** Makes and mails the collect link that a plan owes its recipient. */
  readonly sendLink: DoWork;
  /** The rate of a corridor, as a plan has it; undefined where there is none, or none that is young enough. */
  readonly rateFor: RateFor;
  /** How long after it was made a plan expires, unless money has moved. */
  readonly planLifeMs: number;
  /** The rules of an organisation. */
  organisationOf(organisationId: string): Promise<OrganisationRules>;
  nowMs(): number;
  /** Counts a report that was refused. */
  onClaimRefused(reason: 'EVIDENCE' | 'TRANSFER_CLAIMED' | 'REFERENCE_USED'): void;
};

/** Does one kind of the work that a plan needs from the service. */
export type DoWork = (scope: PlanScope, plan: Plan) => Promise<WorkDone>;

/**
 * The plan after the work was tried. `againMs`: the work could not be done now and is due again after this time.
 * `dueBlock`: it is due again when the record of the plan's chain has read this block; 0: when the record is at its head.
 * `needs`: a process has to do it that has this, which this one lacks.
 */
export type WorkDone = {
  readonly plan: Plan;
  readonly againMs?: number;
  readonly dueBlock?: number;
  readonly needs?: typeof SOUND_CLOCK;
};
