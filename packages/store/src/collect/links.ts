import type { Plan, PlanCommand, Recipient, StepId, TimeMs } from '@fairway/plan';

import { sql } from 'kysely';
import type { CollectLinkState, Environment } from '../database/schema.ts';
import type { Database } from '../database/database.ts';
import { type ChangedPlan, changeLocked, writtenBy } from '../payments/changePlan.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import { decisively } from '../payments/decisively.ts';
import { lockPlan } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { keepDetails } from '../payments/recipients.ts';
import { noteAddressee } from './addressees.ts';
import type { CollectDatabase } from './database.ts';
import type { KeepLink } from '../payments/effects/effects.ts';
import { type MailOrder, queueMail } from '../mail/queue.ts';

/** A link with the plan that it belongs to. */
export type FoundLink = {
  readonly scope: PlanScope;
  readonly planId: string;
  readonly stepId: StepId;
  readonly version: number;
  readonly state: CollectLinkState;
  readonly expiresAtMs: TimeMs;
  /** A later link went to another recipient; known of links that `findLink` finds. */
  readonly isReaddressed?: true;
};

/** A new link: `tokenHash` is the SHA-256 of its token, `recipient` a new recipient who replaces the old one. */
export type NewLink = {
  readonly tokenHash: Buffer;
  readonly mail: MailOrder;
  readonly recipient?: Recipient;
};

/** The command that makes a link. */
export type LinkMade = Extract<PlanCommand, { type: 'LINK_MADE' }>;

/** Lets the command happen and writes the link, its e-mail and the details of a new recipient; or writes nothing. */
export async function makeLink(
  parts: CollectDatabase,
  scope: PlanScope,
  planId: string,
  command: LinkMade,
  link: NewLink,
  context: CommandContext,
): Promise<ChangedPlan> {
  const { database, sealing } = parts;
  const make = async (transaction: Database) => {
    const keepLink = keepingOf(parts, scope, planId, link);
    const changed = await changeLocked(transaction, parts, scope, planId, command, context, keepLink);
    if (!changed.ok || changed.outcome === 'UNCHANGED') return changed;
    if (link.recipient !== undefined)
      await keepDetails(transaction, sealing, scope, planId, 'recipient', link.recipient);
    return changed;
  };
  return decisively(database, make, (changed) => writtenBy(changed, scope, command, context));
}

/** Writes the row of a new link, and its e-mail. */
function keepingOf(
  { sealing, fingerprints, now }: CollectDatabase,
  scope: PlanScope,
  planId: string,
  { tokenHash, mail }: NewLink,
): KeepLink {
  return async (transaction, { stepId, version, expiresAtMs }) => {
    await supersedeEnded(transaction, scope, planId, stepId);
    await transaction
      .insertInto('collect_links')
      .values({
        token_hash: tokenHash,
        organisation_id: scope.organisationId,
        environment: scope.environment,
        plan_id: planId,
        step_id: stepId,
        version,
        expires_at: new Date(expiresAtMs),
        state: 'LIVE',
      })
      .execute();
    await noteAddressee(transaction, fingerprints, scope, { planId, version, email: mail.to });
    const place = { scope, planId, tokenHash, expiresAtMs };
    await queueMail(transaction, sealing, now(), { ...place, order: mail });
  };
}

/** Marks links that ended earlier as superseded, so that whoever opens one is told of the newer link. */
async function supersedeEnded(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  planId: string,
  stepId: string,
): Promise<void> {
  await transaction
    .updateTable('collect_links')
    .set({ state: 'SUPERSEDED' })
    .where('organisation_id', '=', organisationId)
    .where('environment', '=', environment)
    .where('plan_id', '=', planId)
    .where('step_id', '=', stepId)
    .where('state', 'in', ['EXPIRED', 'CANCELLED'])
    .execute();
}

/** Finds a link by the hash of its token. */
export async function findLink(
  database: Database,
  now: Date,
  environment: Environment,
  tokenHash: Buffer,
): Promise<{ link: FoundLink | undefined }> {
  const link = await readLink(database, now, environment, tokenHash);
  const isReplaced = link?.state === 'SUPERSEDED' && (await isReaddressed(database, link));
  return { link: isReplaced ? { ...link, isReaddressed: true } : link };
}

/** Whether a link after this one named another recipient. */
async function isReaddressed(database: Database, { scope, planId, version }: FoundLink): Promise<boolean> {
  const { organisationId, environment } = scope;
  const { rows } = await sql<{ is_readdressed: boolean }>`
    select exists (
      select from plan_events e
      where e.organisation_id = ${organisationId} and e.environment = ${environment} and e.plan_id = ${planId}
        and e.command ->> 'type' = 'LINK_MADE' and e.command -> 'recipient' is not null
        and (e.command ->> 'version')::integer > ${version}
    ) as is_readdressed`.execute(database);
  return rows[0]?.is_readdressed === true;
}

/** The link of this token with its present state; undefined when there is none. */
export async function readLink(
  database: Database,
  now: Date,
  environment: Environment,
  tokenHash: Buffer,
): Promise<FoundLink | undefined> {
  const row = await database
    .selectFrom('collect_links as any_link')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('environment', '=', environment)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  // The end of the link may be recorded later.
  const isOver = row.state === 'LIVE' && row.expires_at <= now;
  return {
    scope: { organisationId: row.organisation_id, environment },
    planId: row.plan_id,
    stepId: row.step_id as StepId,
    version: row.version,
    state: isOver ? 'EXPIRED' : row.state,
    expiresAtMs: row.expires_at.getTime(),
  };
}

/** A link that can be used, and its plan, which is locked until the transaction ends. */
export type LiveLink = { readonly link: FoundLink; readonly plan: Plan };

/**
 * Locks the plan of a link. That protects the link, its submission and its e-mails too, because whoever changes them
 * locks the plan first. Undefined when the link cannot be used.
 */
export async function lockLiveLink(
  transaction: Database,
  now: Date,
  environment: Environment,
  tokenHash: Buffer,
): Promise<LiveLink | undefined> {
  const seen = await readLink(transaction, now, environment, tokenHash);
  // A link that ended never becomes live again.
  if (seen?.state !== 'LIVE') return undefined;
  const plan = await lockPlan(transaction, seen.scope, seen.planId);
  const link = await readLink(transaction, now, environment, tokenHash);
  return plan === undefined || link?.state !== 'LIVE' ? undefined : { link, plan };
}
