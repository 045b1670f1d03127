import { canonicalRecipient, type Recipient, type TimeMs } from '@fairway/plan';
import { defined } from '@fairway/values';
import { removeJob } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Environment, Row } from '../database/schema.ts';
import type { Database } from '../database/database.ts';
import { mailJobKey } from '../mail/job.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { submissionPlace } from '../keys/sealedPlaces.ts';
import type { Sealing } from '@fairway/keys';
import type { CollectDatabase } from './database.ts';
import type { UnreadableRecipient } from '../payments/recipients.ts';
import { type FoundLink, lockLiveLink, readLink } from './links.ts';
import { type MailOrder, queueMail } from '../mail/queue.ts';

/** What a recipient entered, and the code that confirms it. `codeHash` is a keyed fingerprint of 32 bytes. */
export type Submission = {
  readonly destination: Recipient;
  readonly codeHash: Buffer;
  readonly codeLifeMs: number;
  readonly mail: MailOrder;
};

/**
 * LINK_GONE: there is no such link or it has ended. TOO_SOON: the last code was sent less than 30 s ago. TOO_MANY: the
 * link has no more codes, because five were sent or wrong codes were tried too often.
 */
export type KeptSubmission =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'LINK_GONE' | 'TOO_MANY' }
  | { readonly ok: false; readonly reason: 'TOO_SOON'; readonly retryAfterMs: number };

/**
 * A submission that waits for its code. `attemptsLeft`: how often the code can still be entered. `nextCodeAtMs`: when
 * another code can be sent; absent when the link has no more codes. `isOneOfSeveral`: other details were submitted with the
 * same link before.
 */
export type WaitingSubmission = {
  readonly destination: Recipient;
  readonly sentAtMs: TimeMs;
  readonly expiresAtMs: TimeMs;
  readonly attemptsLeft: number;
  readonly nextCodeAtMs?: TimeMs;
  readonly isOneOfSeveral?: true;
};

const CODES_APART_MS = 30_000;
const CODES_PER_LINK = 5;
const WRONG_PER_CODE = 5;
const WRONG_PER_LINK = 15;

/** Keeps a submission, which replaces an earlier one, and queues the e-mail with its code. */
export async function keepSubmission(
  { database, sealing, now }: CollectDatabase,
  environment: Environment,
  tokenHash: Buffer,
  { destination, codeHash, codeLifeMs, mail }: Submission,
): Promise<KeptSubmission> {
  return database.transaction().execute(async (transaction) => {
    const live = await lockLiveLink(transaction, now(), environment, tokenHash);
    if (live === undefined) return { ok: false, reason: 'LINK_GONE' };
    const { scope, planId, expiresAtMs: linkExpiresAtMs } = live.link;
    const at = now();
    const kept = await readSubmission(transaction, scope, tokenHash);
    const refusal = kept && refuseCode(kept, at.getTime());
    if (refusal !== undefined) return refusal;
    const codeEndsAtMs = at.getTime() + codeLifeMs;
    const expiresAtMs = Math.min(codeEndsAtMs, linkExpiresAtMs);
    await writeSubmission(transaction, scope.organisationId, planId, {
      token_hash: tokenHash,
      ...seal(sealing, live.link, tokenHash, marked(sealing, live.link, kept, destination)),
      code_hash: codeHash,
      code_expires_at: new Date(expiresAtMs),
      last_sent_at: at,
    });
    await dropCodeMails(transaction, scope, tokenHash, at);
    const order = { scope, planId, tokenHash, expiresAtMs, order: mail };
    await queueMail(transaction, sealing, at, order);
    return { ok: true };
  });
}

/** Opens the submission that waits for its code at the link of this token; undefined when there is none. */
export async function findSubmission(
  { database, sealing, now }: CollectDatabase,
  environment: Environment,
  tokenHash: Buffer,
): Promise<FoundSubmission | UnreadableRecipient> {
  const link = await readLink(database, now(), environment, tokenHash);
  const kept = link?.state === 'LIVE' ? await readSubmission(database, link.scope, tokenHash) : undefined;
  if (link === undefined || kept === undefined) return { ok: true, submission: undefined };
  const opened = openSubmission(sealing, link, kept);
  if (!opened.ok) return opened;
  const submission = {
    destination: opened.destination,
    sentAtMs: kept.last_sent_at.getTime(),
    expiresAtMs: kept.code_expires_at.getTime(),
    attemptsLeft: Math.max(0, attemptsLeft(kept).ofCode),
  };
  const nextCodeAtMs = canResend(kept) ? kept.last_sent_at.getTime() + CODES_APART_MS : undefined;
  const { isOneOfSeveral } = opened;
  return { ok: true, submission: { ...submission, ...defined({ nextCodeAtMs, isOneOfSeveral }) } };
}

/** The submission that waits at a link, if any. */
export type FoundSubmission = { readonly ok: true; readonly submission: WaitingSubmission | undefined };

/** What is sealed of a submission: its destination, with a mark when other details were submitted before. */
type SealedSubmission = Recipient & { readonly isOneOfSeveral?: true };

/** A destination to be sealed in the place of the submission before it. One that no key opens counts as a different one. */
function marked(
  sealing: Sealing,
  link: FoundLink,
  before: Row<'collect_codes'> | undefined,
  destination: Recipient,
): SealedSubmission {
  if (before === undefined) return destination;
  const opened = openSubmission(sealing, link, before);
  const isSame = opened.ok && canonicalRecipient(opened.destination) === canonicalRecipient(destination);
  return isSame && opened.isOneOfSeveral !== true ? destination : { ...destination, isOneOfSeveral: true };
}

/** Opens the sealed destination of a submission. */
export function openSubmission(
  sealing: Sealing,
  { scope, planId }: Pick<FoundLink, 'scope' | 'planId'>,
  kept: Row<'collect_codes'>,
):
  | { readonly ok: true; readonly destination: Recipient; readonly isOneOfSeveral?: true }
  | UnreadableRecipient {
  const place = submissionPlace(scope.organisationId, planId, kept.token_hash);
  const opened = sealing.unseal(place, { keyId: kept.key_id, sealed: kept.sealed });
  if (!opened.ok) return opened;
  const { isOneOfSeveral, ...destination } = JSON.parse(opened.text) as SealedSubmission;
  return { ok: true, destination, ...defined({ isOneOfSeveral }) };
}

/** The row of the submission that waits for its code at the link of this token; undefined when there is none. */
export function readSubmission(
  database: Database,
  { organisationId }: PlanScope,
  tokenHash: Buffer,
): Promise<Row<'collect_codes'> | undefined> {
  return database
    .selectFrom('collect_codes')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
}

/** How many more attempts the last code has, and how many the link has over all its codes. */
export function attemptsLeft(kept: Row<'collect_codes'>): { ofCode: number; ofLink: number } {
  const ofLink = WRONG_PER_LINK - kept.link_wrong_attempts;
  const ofCode = WRONG_PER_CODE - kept.wrong_attempts;
  return { ofCode: ofCode < ofLink ? ofCode : ofLink, ofLink };
}

/** Whether the link can have another code, now or a little later. */
function canResend(kept: Row<'collect_codes'>): boolean {
  return kept.sends < CODES_PER_LINK && attemptsLeft(kept).ofLink > 0;
}

function refuseCode(kept: Row<'collect_codes'>, nowMs: number): KeptSubmission | undefined {
  if (!canResend(kept)) return { ok: false, reason: 'TOO_MANY' };
  const retryAfterMs = kept.last_sent_at.getTime() + CODES_APART_MS - nowMs;
  return retryAfterMs > 0 ? { ok: false, reason: 'TOO_SOON', retryAfterMs } : undefined;
}

function seal(
  sealing: Sealing,
  { scope, planId }: FoundLink,
  tokenHash: Buffer,
  destination: SealedSubmission,
): { key_id: string; sealed: Buffer } {
  const place = submissionPlace(scope.organisationId, planId, tokenHash);
  const { keyId, sealed } = sealing.seal(place, JSON.stringify(destination));
  return { key_id: keyId, sealed };
}

type NewCode = Pick<
  Row<'collect_codes'>,
  'token_hash' | 'key_id' | 'sealed' | 'code_hash' | 'code_expires_at' | 'last_sent_at'
>;

/** Writes a submission with a new code. Wrong attempts at the link are still counted when the code is replaced. */
async function writeSubmission(
  transaction: Database,
  organisationId: string,
  planId: string,
  code: NewCode,
): Promise<void> {
  await transaction
    .insertInto('collect_codes')
    .values({
      ...code,
      organisation_id: organisationId,
      plan_id: planId,
      wrong_attempts: 0,
      link_wrong_attempts: 0,
      sends: 1,
    })
    .onConflict((conflict) =>
      conflict
        .column('token_hash')
        .doUpdateSet((codes) => ({
          ...code,
          wrong_attempts: 0,
          sends: codes('collect_codes.sends', '+', 1),
        }))
        .where('collect_codes.organisation_id', '=', organisationId),
    )
    .execute();
}

/** Drops the waiting e-mails with earlier codes. */
async function dropCodeMails(
  transaction: Database,
  { organisationId }: PlanScope,
  tokenHash: Buffer,
  now: Date,
): Promise<void> {
  await sql`
    with dropped as (
      update mails set state = 'DROPPED', sealed = null, key_id = null, ended_at = ${now}
      where organisation_id = ${organisationId} and token_hash = ${tokenHash} and kind = 'CODE' and state = 'QUEUED'
      returning mail_id
    )
    select ${removeJob(sql`${mailJobKey('')} || mail_id`)} from dropped`.execute(transaction);
}
