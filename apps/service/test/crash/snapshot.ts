import type { RecordedEvent } from '@fairway/plan';
import type { SocketConnection } from '@fairway/postgres';
import type { CollectLinkState } from '@fairway/store';
import { Client } from 'pg';

/** The columns of a row of `plans` that the invariants need. */
export type PlanRow = {
  organisation_id: string;
  environment: 'sandbox';
  plan_id: string;
  client_reference: string;
  revision: number;
};

/** A job. `detached`: another job replaced it while it ran, and its worker must remove it. */
export type JobRow = { key: string | null; detached: boolean };

/** A collect link, and the state of its e-mail. */
export type LinkRow = {
  token_hash: Buffer;
  plan_id: string;
  version: number;
  state: CollectLinkState;
  mail: 'QUEUED' | 'ACCEPTED' | 'BOUNCED' | 'DROPPED' | null;
};

/** An event that is published or will be. `position`: null until it is published. */
export type PublishedRow = { subject_id: string; sequence: string; type: string; position: string | null };

/** The content of the database at one moment. */
export type Snapshot = {
  readonly plans: readonly PlanRow[];
  /** The history of each plan, oldest first. */
  readonly events: ReadonlyMap<string, readonly RecordedEvent[]>;
  readonly jobs: readonly JobRow[];
  /** The plans that wait for blocks of their chain. */
  readonly waiting: ReadonlySet<string>;
  /** The links of each plan, oldest first. */
  readonly links: ReadonlyMap<string, readonly LinkRow[]>;
  /** The events of each plan and round of collecting, in the order of their numbers. */
  readonly told: ReadonlyMap<string, readonly PublishedRow[]>;
  /** Ids of the e-mails that wait to be sent. */
  readonly queuedMails: readonly string[];
  /** Kinds of rows that belong to nothing, or that a plan lacks, with their number. */
  readonly strays: readonly { what: string; count: number }[];
};

type EventRow = {
  plan_id: string;
  revision: number;
  at: Date;
  actor: string;
  command: RecordedEvent['command'];
  changes: RecordedEvent['changes'];
};

/** Reads all tables in one transaction, so that they are of one moment. */
export async function readSnapshot(connection: SocketConnection): Promise<Snapshot> {
  const client = new Client(connection);
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read');
    const plans = await client.query<PlanRow>(
      'select organisation_id, environment, plan_id, client_reference, revision from plans',
    );
    const events = await client.query<EventRow>(
      'select plan_id, revision, at, actor, command, changes from plan_events order by plan_id, revision',
    );
    const jobs = await client.query<JobRow>(
      'select key, key is null and attempts >= max_attempts as detached from graphile_worker.jobs',
    );
    const waits = await client.query<{ plan_id: string }>('select plan_id from chain_waits');
    const mails = await client.query<{ mail_id: string }>("select mail_id from mails where state = 'QUEUED'");
    const links = await client.query<LinkRow>(
      `select l.token_hash, l.plan_id, l.version, l.state, (
         select min(m.state) from mails m where m.token_hash = l.token_hash and m.kind like 'LINK_%'
       ) as mail
       from collect_links l order by l.plan_id, l.version`,
    );
    const told = await client.query<PublishedRow>(
      `select subject_id, sequence, type, position from events
       where subject_type in ('payment_plan', 'collect_request') order by subject_id, sequence`,
    );
    const strays = await client.query<{ what: string; count: number }>(STRAYS);
    return {
      plans: plans.rows,
      events: histories(events.rows),
      jobs: jobs.rows,
      waiting: new Set(waits.rows.map(({ plan_id }) => plan_id)),
      links: Map.groupBy(links.rows, ({ plan_id }) => plan_id),
      told: Map.groupBy(told.rows, ({ subject_id }) => subject_id),
      queuedMails: mails.rows.map(({ mail_id }) => mail_id),
      strays: strays.rows.filter(({ count }) => count > 0),
    };
  } finally {
    await client.end();
  }
}

function histories(rows: readonly EventRow[]): Map<string, RecordedEvent[]> {
  const known = new Map<string, RecordedEvent[]>();
  for (const { plan_id, at, ...event } of rows) {
    const history = known.get(plan_id) ?? [];
    history.push({ ...event, atMs: at.getTime() });
    known.set(plan_id, history);
  }
  return known;
}

/**
 * An e-mail that was sent or given up may still have a job that has begun. Its worker ends the job, or the next worker
 * does when that one was killed. Dropping an e-mail removes its jobs in the same transaction, except a job that was
 * running when the e-mail expired.
 */
const COLLECT_STRAYS = [
  [
    'plans with two live links',
    "select from collect_links where state = 'LIVE' group by organisation_id, environment, plan_id having count(*) > 1",
  ],
  [
    'links without just one e-mail',
    "select from collect_links l where (select count(*) from mails m where m.token_hash = l.token_hash and m.kind like 'LINK_%') <> 1",
  ],
  [
    'codes without a live link of their plan',
    "select from collect_codes c where not exists (select from collect_links l where (l.organisation_id, l.plan_id, l.token_hash) = (c.organisation_id, c.plan_id, c.token_hash) and l.state = 'LIVE')",
  ],
  [
    'codes with more or fewer e-mails than were sent',
    "select from collect_codes c where (select count(*) from mails m where m.token_hash = c.token_hash and m.kind = 'CODE') <> c.sends",
  ],
  [
    'e-mails without a link of their plan',
    'select from mails m where not exists (select from collect_links l where (l.organisation_id, l.environment, l.plan_id, l.token_hash) = (m.organisation_id, m.environment, m.plan_id, m.token_hash))',
  ],
  [
    'e-mails that wait for a link that has ended',
    "select from mails m where m.state = 'QUEUED' and m.due_at is null and not exists (select from collect_links l where l.token_hash = m.token_hash and l.state = 'LIVE')",
  ],
  [
    'e-mails whose details are sealed when they should not be, or not when they should',
    "select from mails where (sealed is not null) <> (state = 'QUEUED' and due_at is null) or (key_id is null) <> (sealed is null) or (ended_at is null) <> (state = 'QUEUED')",
  ],
  [
    'jobs of e-mails that do not wait',
    "select from graphile_worker.jobs j left join mails m on j.key = 'mail:' || m.mail_id where j.key like 'mail:%' and (m.mail_id is null or m.state <> 'QUEUED' and j.attempts = 0 or m.state = 'DROPPED' and m.expires_at > now())",
  ],
];

/** The queries do not rely on the constraints that should prevent these rows, because the constraints may be broken. */
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
    'collect_links',
    'mails',
  ].map((table) => [
    `rows of ${table} without a plan`,
    `select from ${table} t where not exists (select from plans p where (p.organisation_id, p.environment, p.plan_id) = (t.organisation_id, t.environment, t.plan_id))`,
  ]),
  ...['step_attempts', 'step_evidence', 'settlements', 'plan_returns', 'collect_links'].map((table) => [
    `rows of ${table} without a step`,
    `select from ${table} t where not exists (select from plan_steps s where (s.plan_id, s.step_id) = (t.plan_id, t.step_id))`,
  ]),
  ...COLLECT_STRAYS,
]
  .map(([what, rows]) => `select '${what}' as what, count(*)::int as count from (${rows}) as stray`)
  .join(' union all ');
