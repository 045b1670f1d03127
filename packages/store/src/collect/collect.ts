import type { Plan, PlanEvent, Recipient } from '@fairway/plan';
import type { Unavailable } from '@fairway/postgres';
import type { Environment } from '../database/schema.ts';
import type { ChangedPlan, Deed } from '../payments/changePlan.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { UnreadableRecipient } from '../payments/recipients.ts';
import type { CollectParts } from './collectParts.ts';
import { type ConfirmedSubmission, confirmSubmission } from './confirmSubmission.ts';
import { findLink, type FoundLink, type LinkMade, makeLink, type NewLink } from './links.ts';
import { type MailOutcome, markMail, type ReadMail, readMail } from './mails.ts';
import { type KeptSubmission, keepSubmission, type Submission } from './submissions.ts';

/**
 * Links, what is submitted through them, and their e-mails. Each operation is one transaction and can also answer that
 * the database is unavailable. Of tokens and codes it knows hashes alone.
 */
export type Collect = {
  /**
   * Lets LINK_MADE happen: the link, the end of those before it, the sealed e-mail and its job. The details of a new
   * recipient take the place of the sealed ones. Throws without a key to seal with.
   */
  makeLink(
    scope: PlanScope,
    planId: string,
    event: LinkMade,
    link: NewLink,
    deed: Deed,
  ): Promise<ChangedPlan | Unavailable>;
  /** Whose link this is and how it stands by now; one whose time is over is EXPIRED. */
  findLink(
    environment: Environment,
    tokenHash: Buffer,
  ): Promise<{ ok: true; link: FoundLink | undefined } | Unavailable>;
  /** Keeps a submission until its code is confirmed, and mails the code. A later one takes its place. */
  keepSubmission(
    environment: Environment,
    tokenHash: Buffer,
    submission: Submission,
  ): Promise<KeptSubmission | Unavailable>;
  /**
   * Compares the code in constant time and counts wrong ones. The right one lets the event happen, seals the
   * destination with the plan and uses the link up: of many at once one succeeds, the others find the link gone.
   */
  confirmSubmission(
    environment: Environment,
    tokenHash: Buffer,
    codeHash: Buffer,
    toEvent: (plan: Plan, destination: Recipient) => PlanEvent,
    deed: Deed,
  ): Promise<ConfirmedSubmission | UnreadableRecipient | Unavailable>;
  /** An e-mail to be sent, opened. Not when it was sent, is not due, or is dropped as what it is about has ended. */
  readMail(mailId: string): Promise<ReadMail | UnreadableRecipient | Unavailable>;
  /**
   * Notes what became of an e-mail. Once it was accepted or bounced its details are erased, and the plan learns it by
   * LINK_MAILED in the same transaction. Throws for an error that is no code of capitals, digits, spaces and stops.
   */
  markMail(mailId: string, outcome: MailOutcome, deed: Deed): Promise<{ ok: true } | Unavailable>;
};

/** Binds the operations to what they work with. */
export function createCollect(parts: CollectParts): Collect {
  const { database, now } = parts;
  return {
    makeLink: (scope, planId, event, link, deed) => makeLink(parts, scope, planId, event, link, deed),
    findLink: (environment, tokenHash) => findLink(database, now(), environment, tokenHash),
    keepSubmission: (environment, tokenHash, submission) =>
      keepSubmission(parts, environment, tokenHash, submission),
    confirmSubmission: (environment, tokenHash, codeHash, toEvent, deed) =>
      confirmSubmission(parts, environment, tokenHash, codeHash, toEvent, deed),
    readMail: (mailId) => readMail(parts, mailId),
    markMail: (mailId, outcome, deed) => markMail(database, now(), mailId, outcome, deed),
  };
}
