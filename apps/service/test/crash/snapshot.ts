import type { RecordedEvent } from '@fairway/plan';
import type { SocketConnection } from '@fairway/store';
import { Client } from 'pg';

/** A row of `plans`, as far as the invariants need it. */
export type PlanRow = {
  organisation_id: string;
  environment: 'sandbox';
  plan_id: string;
  client_reference: string;
  revision: number;
};

/** A job; `detached`: another replaced it while it ran, and its worker is to remove it. */
export type JobRow = { key: string | null; detached: boolean };

/** What the database holds, all of one moment. */
export type Snapshot = {
  readonly plans: readonly PlanRow[];
  /** The history of each plan, oldest first. */
  readonly events: ReadonlyMap<string, readonly RecordedEvent[]>;
  readonly jobs: readonly JobRow[];
  /** Ids of the e-mails that wait to be sent. */
  readonly queuedMails: readonly string[];
  /** Rows that belong to nothing, or that a plan lacks: what, and how many. */
  readonly strays: readonly { what: string; count: number }[];
};

type EventRow = {
  plan_id: string;
  revision: number;
  at: Date;
  actor: string;
  event: RecordedEvent['event'];
};

/** Reads everything in one transaction that sees one moment. */
export async function readSnapshot(connection: SocketConnection): Promise<Snapshot> {
  const client = new Client(connection);
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read');
    const plans = await client.query<PlanRow>(
      'select organisation_id, environment, plan_id, client_reference, revision from plans',
    );
    const events = await client.query<EventRow>(
      'select plan_id, revision, at, actor, event from plan_events order by plan_id, revision',
    );
    const jobs = await client.query<JobRow>(
      'select key, key is null and attempts >= max_attempts as detached from graphile_worker.jobs',
    );
    const mails = await client.query<{ mail_id: string }>("select mail_id from mails where state = 'QUEUED'");
    const strays = await client.query<{ what: string; count: number }>(STRAYS);
    return {
      plans: plans.rows,
      events: histories(events.rows),
      jobs: jobs.rows,
      queuedMails: mails.rows.map(({ mail_id }) => mail_id),
      strays: strays.rows.filter(({ count }) => count > 0),
    };
  } finally {
    await client.end();
  }
}

function histories(rows: readonly EventRow[]): Map<string, RecordedEvent[]> {
  const known = new Map<string, RecordedEvent[]>();
  for (const { plan_id, revision, at, actor, event } of rows) {
    const history = known.get(plan_id) ?? [];
    history.push({ revision, atMs: at.getTime(), actor, event });
    known.set(plan_id, history);
  }
  return known;
}

/** Said without the constraints that should prevent it: they may be what is broken. */
const STRAYS = [
  [
    'references with two plans',
    'select from plans group by organisation_id, environment, client_reference having count(*) > 1',
  ],
  [
    'plans without three steps',
    'select from plans p where (select count(*) from plan_steps s where s.plan_id = p.plan_id) <> 3',
  ],
  [
    'plans without a recipient',
    'select from plans p where not exists (select from recipients r where r.plan_id = p.plan_id)',
  ],
  ...[
    'plan_steps',
    'step_attempts',
    'step_evidence',
    'settlements',
    'plan_returns',
    'plan_events',
    'recipients',
  ].map((table) => [
    `rows of ${table} without a plan`,
    `select from ${table} t where not exists (select from plans p where (p.organisation_id, p.environment, p.plan_id) = (t.organisation_id, t.environment, t.plan_id))`,
  ]),
  ...['step_attempts', 'step_evidence', 'settlements', 'plan_returns'].map((table) => [
    `rows of ${table} without a step`,
    `select from ${table} t where not exists (select from plan_steps s where (s.plan_id, s.step_id) = (t.plan_id, t.step_id))`,
  ]),
]
  .map(([what, rows]) => `select '${what}' as what, count(*)::int as count from (${rows}) as stray`)
  .join(' union all ');
