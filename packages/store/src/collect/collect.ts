import type { Plan, PlanCommand, Recipient } from '@fairway/plan';
import type { Environment } from '../database/schema.ts';
import type { ChangedPlan } from '../payments/changePlan.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { UnreadableRecipient } from '../payments/recipients.ts';
import type { CollectDatabase } from './database.ts';
import { type ConfirmedSubmission, confirmSubmission } from './confirmSubmission.ts';
import { findLink, type FoundLink, type LinkMade, makeLink, type NewLink } from './links.ts';
import { type CollectFilter, findRound, type ListedRounds, listRounds, type RoundPage } from './requests.ts';
import { type MailOutcome, markMail, type ReadMail, readMail } from './mails.ts';
import {
  findSubmission,
  type FoundSubmission,
  type KeptSubmission,
  keepSubmission,
  type Submission,
} from './submissions.ts';

/**
 * Links, the submissions made through them, and their e-mails. Each operation is one transaction. Tokens and codes
 * are given as hashes.
 */
export type Collect = {
  /**
   * Lets LINK_MADE happen: makes the link, ends earlier links, and queues the sealed e-mail. The details of a new
   * recipient replace the sealed ones. Throws without a key to seal with.
   */
  makeLink(
    scope: PlanScope,
    planId: string,
    command: LinkMade,
    link: NewLink,
    context: CommandContext,
  ): Promise<ChangedPlan>;
  /** The link with its plan and its present state; a link whose time is over is EXPIRED. */
  findLink(environment: Environment, tokenHash: Buffer): Promise<{ link: FoundLink | undefined }>;
  /** Rounds of asking recipients that match, the one first whose first link was made last. */
  listRounds(scope: PlanScope, filter: CollectFilter, page: RoundPage): Promise<ListedRounds>;
  /** When a round of a plan began; undefined where the scope has no such round. */
  findRound(
    scope: PlanScope,
    planId: string,
    round: number,
  ): Promise<{ readonly createdAtMs: number | undefined }>;
  /**
   * Keeps a submission until its code is confirmed, and queues the e-mail with the code. A later submission replaces
   * it.
   */
  keepSubmission(
    environment: Environment,
    tokenHash: Buffer,
    submission: Submission,
  ): Promise<KeptSubmission>;
  /** The submission that waits for its code at a link, opened, and how its code stands. */
  findSubmission(environment: Environment, tokenHash: Buffer): Promise<FoundSubmission | UnreadableRecipient>;
  /**
   * Compares the code in constant time and counts wrong codes. The right code lets the event happen, seals the
   * destination and ends the link. When requests confirm in parallel, one succeeds, and the others find the link
   * gone.
   */
  confirmSubmission(
    environment: Environment,
    tokenHash: Buffer,
    codeHash: Buffer,
    toCommand: (plan: Plan, destination: Recipient) => PlanCommand,
    context: CommandContext,
  ): Promise<ConfirmedSubmission | UnreadableRecipient>;
  /** Opens an e-mail that is to be sent. Refused when it was sent or dropped, or is not due. */
  readMail(mailId: string): Promise<ReadMail | UnreadableRecipient>;
  /**
   * Records the outcome of an e-mail. When it was accepted or bounced, its details are erased, and LINK_MAILED happens
   * to the plan in the same transaction. Throws for an error that is not a code of capitals, digits, spaces and full
   * stops.
   */
  markMail(mailId: string, outcome: MailOutcome, context: CommandContext): Promise<void>;
};

/** Binds the operations to a database, the sealing keys and the service's clock. */
export function createCollect(parts: CollectDatabase): Collect {
  const { database, fingerprints, now } = parts;
  return {
    makeLink: (scope, planId, command, link, context) =>
      makeLink(parts, scope, planId, command, link, context),
    listRounds: (scope, filter, page) => listRounds(database, fingerprints, scope, filter, page),
    findRound: (scope, planId, round) => findRound(database, scope, planId, round),
    findLink: (environment, tokenHash) => findLink(database, now(), environment, tokenHash),
    keepSubmission: (environment, tokenHash, submission) =>
      keepSubmission(parts, environment, tokenHash, submission),
    findSubmission: (environment, tokenHash) => findSubmission(parts, environment, tokenHash),
    confirmSubmission: (environment, tokenHash, codeHash, toCommand, context) =>
      confirmSubmission(parts, environment, tokenHash, codeHash, toCommand, context),
    readMail: (mailId) => readMail(parts, mailId),
    markMail: (mailId, outcome, context) => markMail(parts, mailId, outcome, context),
  };
}
