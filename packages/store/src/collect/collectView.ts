import type { TimeMs } from '@fairway/plan';
import type { Database } from '../database.ts';
import type { PlanScope } from '../payments/planScope.ts';
import { attempt, type Unavailable } from '../unavailable.ts';

/** The e-mail of a link, without anything of what it says. `sentAtMs` is when a mail server took it. */
export type CollectMail = {
  readonly state: 'QUEUED' | 'ACCEPTED' | 'BOUNCED' | 'DROPPED';
  readonly attempts: number;
  readonly lastError?: string;
  readonly sentAtMs?: TimeMs;
};

/** The e-mail of a plan's newest link. */
export function collectView(
  database: Database,
  { organisationId, environment }: PlanScope,
  planId: string,
): Promise<{ ok: true; mail: CollectMail | undefined } | Unavailable> {
  return attempt(async () => {
    const row = await database
      .selectFrom('mails')
      .innerJoin('collect_links', 'collect_links.token_hash', 'mails.token_hash')
      .select(['mails.state', 'attempts', 'last_error', 'ended_at'])
      .where('collect_links.organisation_id', '=', organisationId)
      .where('collect_links.environment', '=', environment)
      .where('collect_links.plan_id', '=', planId)
      .where('kind', '<>', 'CODE')
      .where('due_at', 'is', null)
      .orderBy('version', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) return { ok: true, mail: undefined };
    const { state, attempts, last_error: lastError, ended_at: endedAt } = row;
    const mail: CollectMail = {
      state,
      attempts,
      ...(lastError === null ? {} : { lastError }),
      ...(state === 'ACCEPTED' && endedAt !== null ? { sentAtMs: endedAt.getTime() } : {}),
    };
    return { ok: true, mail };
  });
}
