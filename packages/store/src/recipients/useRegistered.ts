import type { RegisteredVersion } from '@fairway/recipients';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { isRegistered } from './registeredRows.ts';

/** Thrown where a registered recipient is no longer ACTIVE, or has another version than the one that was read. */
export class RecipientChangedError extends Error {
  override readonly name = 'RecipientChangedError';
}

/**
 * The condition that `r` is this version of a registered recipient, that new plans may still be made of. `revision`: that nothing else of
 * it has changed either, such as the check of its payee.
 */
function isUsable(
  scope: PlanScope,
  { recipientId, version }: RegisteredVersion,
  revision: number | undefined,
): RawBuilder<unknown> {
  const isSame = revision === undefined ? sql`` : sql`and r.revision = ${revision}`;
  return sql`${isRegistered(scope, recipientId)} and r.status = 'ACTIVE' and r.version = ${version} ${isSame}`;
}

/**
 * The parts of a WITH clause for a plan that is made of a registered recipient. `meant` has a row while the recipient is
 * ACTIVE with this version. It locks that row, so that nobody deactivates or changes the recipient before the plan is
 * committed. `used` notes the time where `made` has a row: that of the writing, which is not before the version was
 * made.
 */
export function withRegistered(
  scope: PlanScope,
  version: RegisteredVersion | undefined,
  revision: number | undefined,
  atMs: number,
): {
  readonly meant: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
  readonly used: RawBuilder<unknown>;
} {
  if (version === undefined) return { meant: sql``, from: sql``, used: sql`` };
  return {
    meant: sql`meant as (select from registered_recipients r where ${isUsable(scope, version, revision)} for no key update),`,
    from: sql`meant,`,
    used: sql`used as (
      update registered_recipients r set last_used_at = greatest(r.last_used_at, ${new Date(atMs)})
      from made where ${isUsable(scope, version, revision)}
    ),`,
  };
}

/** Notes that an existing plan pays a registered recipient. @throws RecipientChangedError */
export async function noteUse(
  transaction: Database,
  scope: PlanScope,
  version: RegisteredVersion,
  revision: number | undefined,
  atMs: number,
): Promise<void> {
  const { rows } = await sql`
    update registered_recipients r set last_used_at = greatest(r.last_used_at, ${new Date(atMs)})
    where ${isUsable(scope, version, revision)} returning r.recipient_id`.execute(transaction);
  if (rows.length === 0) throw new RecipientChangedError('The registered recipient was changed meanwhile.');
}
