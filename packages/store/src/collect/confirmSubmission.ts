import { timingSafeEqual } from 'node:crypto';
import type { Plan, PlanCommand, Recipient, Refusal } from '@fairway/plan';

import { sql } from 'kysely';
import type { Environment, Row } from '../database/schema.ts';
import type { Database } from '../database/database.ts';
import { changeLocked, writtenBy } from '../payments/changePlan.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import { decisively, type WrittenEvent } from '../payments/decisively.ts';
import { keepDetails, type UnreadableRecipient } from '../payments/recipients.ts';
import type { CollectDatabase } from './database.ts';
import { lockLiveLink } from './links.ts';
import { attemptsLeft, openSubmission, readSubmission } from './submissions.ts';

/**
 * The outcome of a code. TOO_MANY: too many wrong codes were tried, so that this one can no longer be used. REFUSED:
 * the plan does not take the submission.
 */
export type ConfirmedSubmission =
  | { readonly ok: true; readonly plan: Plan }
  | {
      readonly ok: false;
      readonly reason: 'LINK_GONE' | 'NO_SUBMISSION' | 'CODE_WRONG' | 'CODE_EXPIRED' | 'TOO_MANY';
    }
  | { readonly ok: false; readonly reason: 'REFUSED'; readonly refusal: Refusal; readonly plan: Plan };

/** Lets the submission happen for the right code, once, and counts wrong codes. */
export async function confirmSubmission(
  parts: CollectDatabase,
  environment: Environment,
  tokenHash: Buffer,
  codeHash: Buffer,
  toCommand: (plan: Plan, destination: Recipient) => PlanCommand,
  context: CommandContext,
): Promise<ConfirmedSubmission | UnreadableRecipient> {
  const { database, sealing, now } = parts;
  let written: WrittenEvent | undefined;
  const confirm = async (transaction: Database): Promise<ConfirmedSubmission | UnreadableRecipient> => {
    const live = await lockLiveLink(transaction, now(), environment, tokenHash);
    if (live === undefined) return { ok: false, reason: 'LINK_GONE' };
    const { scope, planId } = live.link;
    const kept = await readSubmission(transaction, scope, tokenHash);
    if (kept === undefined) return { ok: false, reason: 'NO_SUBMISSION' };
    const refusal = await tryCode(transaction, kept, codeHash, now());
    if (refusal !== undefined) return refusal;
    const opened = openSubmission(sealing, live.link, kept);
    if (!opened.ok) return opened;
    const { destination } = opened;
    const command = toCommand(live.plan, destination);
    const changed = await changeLocked(transaction, parts, scope, planId, command, context);
    if (!changed.ok && changed.reason === 'REFUSED') return changed;
    // The effects of the change ended the link and erased the submission.
    if (!changed.ok || (await readSubmission(transaction, scope, tokenHash)) !== undefined)
      throw new Error('A submission that was accepted uses its link up.');
    await keepDetails(transaction, sealing, scope, planId, 'destination', destination);
    written = writtenBy(changed, scope, command, context);
    return { ok: true, plan: changed.plan };
  };
  return decisively(database, confirm, () => written);
}

/** Why the code is not accepted, after counting a wrong one; undefined when it is the right code. */
async function tryCode(
  transaction: Database,
  kept: Row<'collect_codes'>,
  codeHash: Buffer,
  now: Date,
): Promise<ConfirmedSubmission | undefined> {
  if (attemptsLeft(kept).ofCode <= 0) return { ok: false, reason: 'TOO_MANY' };
  if (kept.code_expires_at <= now) return { ok: false, reason: 'CODE_EXPIRED' };
  if (timingSafeEqual(kept.code_hash, codeHash)) return undefined;
  await sql`update collect_codes set wrong_attempts = wrong_attempts + 1,
      link_wrong_attempts = link_wrong_attempts + 1
    where organisation_id = ${kept.organisation_id} and token_hash = ${kept.token_hash}`.execute(transaction);
  return { ok: false, reason: 'CODE_WRONG' };
}
