import { type Notice, noticeTruth, type StepId, type TimeMs } from '@fairway/plan';

import type { Database } from '../database/database.ts';
import { changeLocked } from '../payments/changePlan.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import { isErased } from '../plans/erasedDetails.ts';
import { lockPlan } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { UnreadableRecipient } from '../payments/recipients.ts';
import type { Row } from '../database/schema.ts';
import type { CollectDatabase } from './database.ts';
import { mailPlace } from '../keys/sealedPlaces.ts';
import { isErrorCode } from '../mail/errors.ts';
import type { MailOrder } from '../mail/queue.ts';

/**
 * An e-mail to be sent, about the link of this version. `expiresAtMs` is when its link or its code ends. The text of a
 * notice is made from the plan when the notice is sent.
 */
export type QueuedMail = {
  readonly mailId: string;
  readonly scope: PlanScope;
  readonly planId: string;
  readonly order: MailOrder | { readonly kind: Notice };
  readonly messageId: string;
  readonly version: number;
  readonly expiresAtMs: TimeMs;
};

/** An e-mail to be sent, or how it ended. NOT_DUE: its time has not come, or what it tells is not true yet. */
export type ReadMail =
  | { readonly ok: true; readonly mail: QueuedMail }
  | { readonly ok: false; readonly reason: 'NOT_DUE' }
  | {
      readonly ok: false;
      readonly reason: 'NOT_QUEUED';
      readonly state: 'ACCEPTED' | 'BOUNCED' | 'DROPPED' | 'UNKNOWN';
    };

/**
 * What a mail server did with an e-mail. DEFERRED: the e-mail is to be tried again. `error` is a code such as
 * "ECONNECTION" or "550 5.1.1", because the words of a mail server may hold addresses.
 */
export type MailOutcome =
  | { readonly outcome: 'ACCEPTED' }
  | { readonly outcome: 'BOUNCED' | 'DEFERRED'; readonly error: string };

/** Opens an e-mail that is to be sent. Drops an e-mail whose time is over, and a notice that is no longer true. */
export async function readMail(
  { database, sealing, now }: CollectDatabase,
  mailId: string,
): Promise<ReadMail | UnreadableRecipient> {
  const nowOf = now();
  const row = await mailRow(database, mailId);
  if (row === undefined) return { ok: false, reason: 'NOT_QUEUED', state: 'UNKNOWN' };
  if (row.state !== 'QUEUED') return { ok: false, reason: 'NOT_QUEUED', state: row.state };
  if (row.expires_at <= nowOf) {
    await endMail(database, row, 'DROPPED', nowOf);
    return { ok: false, reason: 'NOT_QUEUED', state: 'DROPPED' };
  }
  const { kind, key_id: keyId, sealed } = row;
  if (isNotice(kind)) return readNotice(database, nowOf, row, kind);
  if (keyId === null || sealed === null)
    throw new Error('An e-mail that is QUEUED and no notice must have sealed details.');
  const opened = sealing.unseal(mailPlace(row.organisation_id, row.plan_id, mailId), { keyId, sealed });
  if (!opened.ok) return opened;
  return { ok: true, mail: queuedMail(row, JSON.parse(opened.text) as MailOrder) };
}

type MailAndLink = NonNullable<Awaited<ReturnType<typeof mailRow>>>;

function readNotice(database: Database, now: Date, row: MailAndLink, kind: Notice): Promise<ReadMail> {
  return database.transaction().execute(async (transaction) => {
    if (row.due_at !== null && row.due_at > now) return { ok: false, reason: 'NOT_DUE' };
    const scope = scopeOf(row);
    const plan = await lockPlan(transaction, scope, row.plan_id);
    // An erased recipient is told nothing more: nobody knows the address.
    const isOver = plan === undefined || (await isErased(transaction, scope, row.plan_id));
    const truth = isOver ? 'OVER' : noticeTruth(plan, kind, row.version);
    if (truth === 'TRUE') return { ok: true, mail: queuedMail(row, { kind }) };
    if (truth === 'NOT_YET') return { ok: false, reason: 'NOT_DUE' };
    await endMail(transaction, row, 'DROPPED', now);
    return { ok: false, reason: 'NOT_QUEUED', state: 'DROPPED' };
  });
}

function queuedMail(row: MailAndLink, order: QueuedMail['order']): QueuedMail {
  return {
    mailId: row.mail_id,
    scope: scopeOf(row),
    planId: row.plan_id,
    order,
    messageId: row.message_id,
    version: row.version,
    expiresAtMs: row.expires_at.getTime(),
  };
}

function isNotice(kind: Row<'mails'>['kind']): kind is Notice {
  return kind === 'REMINDER' || kind === 'CONFIRMATION' || kind === 'DELIVERED';
}

/** Records the outcome of an e-mail, on its row and on its plan. An e-mail that had ended before stays as it was. */
export async function markMail(
  parts: CollectDatabase,
  mailId: string,
  outcome: MailOutcome,
  context: CommandContext,
): Promise<void> {
  const error = 'error' in outcome ? outcome.error : undefined;
  if (error !== undefined && !isErrorCode(error))
    throw new Error('What is kept of an error of an e-mail is a code.');
  await parts.database.transaction().execute(async (transaction) => {
    const found = await mailRow(transaction, mailId);
    if (found === undefined) return;
    const scope = scopeOf(found);
    await lockPlan(transaction, scope, found.plan_id);
    // An e-mail may be dropped while it is being sent: then it was sent all the same.
    const row = await mailRow(transaction, mailId);
    if (row?.state !== 'QUEUED' && row?.state !== 'DROPPED') return;
    await transaction
      .updateTable('mails')
      .set((mails) => ({ attempts: mails('attempts', '+', 1), last_error: error ?? null }))
      .where('organisation_id', '=', scope.organisationId)
      .where('mail_id', '=', mailId)
      .execute();
    if (outcome.outcome === 'DEFERRED') return;
    await endMail(transaction, row, outcome.outcome, parts.now());
    if (row.kind === 'CODE' || isNotice(row.kind)) return;
    const told = { stepId: row.step_id as StepId, version: row.version, outcome: outcome.outcome };
    // A plan with a newer link refuses the event or ignores it, which is right.
    await changeLocked(transaction, parts, scope, row.plan_id, { type: 'LINK_MAILED', ...told }, context);
  });
}

type MailState = 'ACCEPTED' | 'BOUNCED' | 'DROPPED';

/** Ends an e-mail and erases its details. */
async function endMail(
  database: Database,
  { organisation_id: organisationId, mail_id: mailId }: MailAndLink,
  state: MailState,
  now: Date,
): Promise<void> {
  await database
    .updateTable('mails')
    .set({ state, sealed: null, key_id: null, ended_at: now })
    .where('organisation_id', '=', organisationId)
    .where('mail_id', '=', mailId)
    .where('state', 'in', ['QUEUED', 'DROPPED'])
    .execute();
}

function mailRow(database: Database, mailId: string) {
  return database
    .selectFrom('mails as any_mail')
    .innerJoin('collect_links as link', (on) =>
      on
        .onRef('link.organisation_id', '=', 'any_mail.organisation_id')
        .onRef('link.token_hash', '=', 'any_mail.token_hash'),
    )
    .selectAll('any_mail')
    .select(['link.step_id', 'link.version'])
    .where('mail_id', '=', mailId)
    .executeTakeFirst();
}

function scopeOf(row: { organisation_id: string; environment: PlanScope['environment'] }): PlanScope {
  return { organisationId: row.organisation_id, environment: row.environment };
}
