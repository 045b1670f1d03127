import type { Effect, Plan, RecordedEvent } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { awaitBlock } from '../../jobs/chainWait.ts';
import { planJob, workDelayMs } from '../../jobs/planJob.ts';
import { queueNotice } from '../../mail/notices.ts';
import type { PlanScope } from '../../plans/planScope.ts';
import { endLink } from './endLink.ts';
import {
  restAddresses,
  watchAddressesAgain,
  type WatchedAddressRow,
  watchedAddressRow,
} from './watchedAddresses.ts';

/**
 * Writes the row of a new link. The caller who drew the link's token provides this function, because neither plan nor
 * effect holds the token.
 */
export type KeepLink = (transaction: Database, link: Extract<Effect, { kind: 'LINK_MADE' }>) => Promise<void>;

/** The plan after the change, and the time by the service's clock. */
export type EffectContext = {
  readonly scope: PlanScope;
  readonly plan: Plan;
  /** The event that made the change, and in whose name. */
  readonly recorded: RecordedEvent;
  readonly nowMs: number;
  readonly keepLink?: KeepLink | undefined;
};

/**
 * How an effect is brought about. `within` is an SQL expression in the query that writes the plan, and `watched`
 * an address that this query writes, too. `after` runs queries of its own after it, in the same transaction.
 */
type Interpretation =
  | { readonly within: RawBuilder<unknown> }
  | { readonly watched: WatchedAddressRow }
  | { readonly after: (transaction: Database) => Promise<void> };

type Interpreters = {
  readonly [Kind in Effect['kind']]: (
    effect: Extract<Effect, { kind: Kind }>,
    context: EffectContext,
  ) => Interpretation;
};

/** A notice that could not be sent for this long is not sent at all. */
const NOTICE_LIFE_MS = 3 * 86_400_000;

/** What each kind of effect means for the database. A kind without a row here does not compile. */
const INTERPRETERS: Interpreters = {
  WORK_DUE: ({ work }, { scope, plan, nowMs }) => ({
    within: planJob(scope, plan.planId, workDelayMs(work, nowMs)),
  }),
  NO_WORK_DUE: (_effect, { scope, plan }) => ({ within: planJob(scope, plan.planId, undefined) }),
  LINK_ENDED: ({ end }, { scope, plan, nowMs }) => ({
    after: (transaction) => endLink(transaction, scope, plan.planId, end, nowMs),
  }),
  LINK_MADE: (link, { keepLink }) => ({
    // Without a token there is no row to write: nobody could open the link.
    after: async (transaction) => keepLink?.(transaction, link),
  }),
  REMINDER_WANTED: ({ dueAtMs, expiresAtMs, ...link }, { scope, plan, nowMs }) => ({
    after: (transaction) =>
      queueNotice(transaction, scope, plan.planId, link, { kind: 'REMINDER', dueAtMs, expiresAtMs }, nowMs),
  }),
  NOTICE_WANTED: ({ notice, ...link }, { scope, plan, nowMs }) => {
    const queued = { kind: notice, dueAtMs: nowMs, expiresAtMs: nowMs + NOTICE_LIFE_MS };
    return {
      after: (transaction) => queueNotice(transaction, scope, plan.planId, link, queued, nowMs),
    };
  },
  CHAIN_AWAITED: ({ chainId, dueBlock }, { scope, plan }) => ({
    after: (transaction) => awaitBlock(transaction, scope, plan.planId, { chainId, dueBlock }),
  }),
  ADDRESS_WATCHED: (watched, { scope, plan }) => ({ watched: watchedAddressRow(scope, plan, watched) }),
  ADDRESSES_RESTED: (_effect, { scope, plan }) => ({
    after: (transaction) => restAddresses(transaction, scope, plan.planId),
  }),
  ADDRESSES_WATCHED_AGAIN: (_effect, { scope, plan }) => ({
    after: (transaction) => watchAddressesAgain(transaction, scope, plan.planId),
  }),
};

/**
 * How effects are brought about: `within` and the rows of `watched` are parts of the query that writes the plan,
 * `after` follows it.
 */
export type Consequences = {
  readonly within: RawBuilder<unknown>;
  readonly watched: readonly WatchedAddressRow[];
  readonly after: readonly ((transaction: Database) => Promise<void>)[];
};

/** How to bring these effects about, in their order. */
export function consequencesOf(effects: readonly Effect[], context: EffectContext): Consequences {
  const interpretations = effects.map((effect) => interpret(effect, context));
  const within = interpretations.flatMap((each) => ('within' in each ? [each.within] : []));
  const watched = interpretations.flatMap((each) => ('watched' in each ? [each.watched] : []));
  const after = interpretations.flatMap((each) => ('after' in each ? [each.after] : []));
  return { within: sql`jsonb_build_array(${sql.join(within)})`, watched, after };
}

function interpret(effect: Effect, context: EffectContext): Interpretation {
  // The compiler cannot see that the row belongs to the kind of this effect.
  const interpreter = INTERPRETERS[effect.kind] as (effect: Effect, context: EffectContext) => Interpretation;
  return interpreter(effect, context);
}
