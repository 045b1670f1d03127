import type { RecipientId } from '@fairway/recipients';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { Erasure } from '../recipients/eraseRegistered.ts';

/** Recipients that are ERASED; `next` is the `after` of the next part, undefined at the end. */
export type ErasedPage = {
  readonly erasures: readonly Erasure[];
  readonly next: string | undefined;
};

type ErasedRow = {
  readonly organisation_id: string;
  readonly environment: PlanScope['environment'];
  readonly recipient_id: RecipientId;
  readonly updated_at: Date;
};

/** Lists recipients that are ERASED. Nothing of one changes after that, so that it was erased when it was last changed. */
export async function erasedRecipients(
  database: Database,
  { limit, after = '' }: { readonly limit: number; readonly after?: string | undefined },
): Promise<ErasedPage> {
  const { rows } = await sql<ErasedRow>`
    select organisation_id, environment, recipient_id, updated_at from registered_recipients any_operated
    where status = 'ERASED' and recipient_id > ${after} order by recipient_id limit ${limit}`.execute(
    database,
  );
  const erasures = rows.map(
    ({ organisation_id: organisationId, environment, recipient_id: recipientId, updated_at }): Erasure => ({
      scope: { organisationId, environment },
      recipientId,
      atMs: updated_at.getTime(),
    }),
  );
  return { erasures, next: rows.length < limit ? undefined : rows.at(-1)?.recipient_id };
}
