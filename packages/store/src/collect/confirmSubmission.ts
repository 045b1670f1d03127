import { timingSafeEqual } from 'node:crypto';
import type { Plan, PlanEvent, Recipient, Refusal } from '@fairway/plan';
import { attempt, type Unavailable } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Environment } from '../database/schema.ts';
import type { Database } from '../database/database.ts';
import { changeLocked, writtenBy } from '../payments/changePlan.ts';
import type { Deed } from '../plans/deed.ts';
import { decisively, type WrittenEvent } from '../payments/decisively.ts';
import { keepDetails, type UnreadableRecipient } from '../payments/recipients.ts';
import type { CollectCodeRow } from '../database/schema.ts';
import { submissionPlace } from '../keys/sealedPlaces.ts';
import type { CollectDatabase } from './collectDatabase.ts';
import { lockLiveLink } from './links.ts';
import { attemptsLeft, canResend, readSubmission } from './submissions.ts';

/**
 * The outcome of a code. CODE_WRONG: `attemptsLeft` more codes can be tried, perhaps none. TOO_MANY: the code can no
 * longer be used. `canResend`: the link can have another code. REFUSED: the plan does not take the submission.
 */
export type ConfirmedSubmission =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly reason: 'LINK_GONE' | 'NO_SUBMISSION' }
  | {
      readonly ok: false;
      readonly reason: 'CODE_WRONG';
      readonly attemptsLeft: number;
      readonly canResend: boolean;
    }
  | { readonly ok: false; readonly reason: 'CODE_EXPIRED' | 'TOO_MANY'; readonly canResend: boolean }
  | { readonly ok: false; readonly reason: 'REFUSED'; readonly refusal: Refusal; readonly plan: Plan };

/** Lets the submission happen for the right code, once, and counts wrong codes. */
export function confirmSubmission(
  parts: CollectDatabase,
  environment: Environment,
  tokenHash: Buffer,
  codeHash: Buffer,
  toEvent: (plan: Plan, destination: Recipient) => PlanEvent,
  deed: Deed,
): Promise<ConfirmedSubmission | UnreadableRecipient | Unavailable> {
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
    const place = submissionPlace(scope.organisationId, planId, tokenHash);
    const opened = sealing.unseal(place, { keyId: kept.key_id, sealed: kept.sealed });
    if (!opened.ok) return opened;
    const destination = JSON.parse(opened.text) as Recipient;
    const event = toEvent(live.plan, destination);
    const changed = await changeLocked(transaction, parts, scope, planId, event, deed);
    if (!changed.ok && changed.reason === 'REFUSED') return changed;
    // The effects of the change ended the link and erased the submission.
    if (!changed.ok || (await readSubmission(transaction, scope, tokenHash)) !== undefined)
      throw new Error('A submission that was accepted uses its link up.');
    await keepDetails(transaction, sealing, scope, planId, 'destination', destination);
    written = writtenBy(changed, scope, event, deed);
    return { ok: true, plan: changed.plan };
  };
  return attempt(() => decisively(database, confirm, () => written));
}

/** Why the code is not accepted, after counting a wrong one; undefined when it is the right code. */
async function tryCode(
  transaction: Database,
  kept: CollectCodeRow,
  codeHash: Buffer,
  now: Date,
): Promise<ConfirmedSubmission | undefined> {
  const left = attemptsLeft(kept).ofCode;
  if (left <= 0) return { ok: false, reason: 'TOO_MANY', canResend: canResend(kept) };
  if (kept.code_expires_at <= now) return { ok: false, reason: 'CODE_EXPIRED', canResend: canResend(kept) };
  if (timingSafeEqual(kept.code_hash, codeHash)) return undefined;
  await sql`update collect_codes set wrong_attempts = wrong_attempts + 1,
      link_wrong_attempts = link_wrong_attempts + 1
    where organisation_id = ${kept.organisation_id} and token_hash = ${kept.token_hash}`.execute(transaction);
  const tried = { ...kept, link_wrong_attempts: kept.link_wrong_attempts + 1 };
  return { ok: false, reason: 'CODE_WRONG', attemptsLeft: left - 1, canResend: canResend(tried) };
}
