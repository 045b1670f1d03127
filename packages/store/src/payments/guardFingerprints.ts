import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { type Fingerprints, isUnguarded } from '../keys/fingerprints.ts';

/** A column that holds fingerprints of recipients, and the paths to them; `*` is every element of a list. */
type Place = {
  readonly table: 'plans' | 'plan_steps' | 'plan_events';
  readonly column: string;
  /** The columns that, with those of the plan, are the key of the table. */
  readonly key: readonly string[];
  readonly paths: readonly (readonly string[])[];
};

const PLAN_KEY = ['organisation_id', 'environment', 'plan_id'] as const;

const PLACES: readonly Place[] = [
  { table: 'plans', column: 'recipient', key: [], paths: [['fingerprint']] },
  { table: 'plan_steps', column: 'destination', key: ['step_id'], paths: [['fingerprint']] },
  { table: 'plan_steps', column: 'rounds', key: ['step_id'], paths: [['*', 'destination', 'fingerprint']] },
  {
    table: 'plan_events',
    column: 'event',
    key: ['revision'],
    paths: [
      ['recipient', 'fingerprint'],
      ['destination', 'fingerprint'],
      ['plan', 'recipient', 'fingerprint'],
    ],
  },
];

/** 32 bytes as base64url. */
const UNGUARDED_TEXT = '^[A-Za-z0-9_-]{43}$';

/** How many plans still have a fingerprint that the server key alone guards. */
export async function countUnguarded(database: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from plans any_fingerprint where ${isUnguardedPlan()}`.execute(database);
  return rows[0]?.count ?? 0;
}

/**
 * Brings the fingerprints of the next plans to their guarded form, in one transaction. Answers how many plans; 0: none
 * is left. The plans are locked, so that nobody changes them meanwhile.
 */
export function guardFingerprints(
  database: Database,
  fingerprints: Fingerprints,
  limit: number,
): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    const { rows: plans } = await sql<PlanRow>`
      select organisation_id, environment, plan_id, body_fingerprint from plans any_fingerprint
      where ${isUnguardedPlan()} order by organisation_id, environment, plan_id limit ${limit}
      for update`.execute(transaction);
    if (plans.length === 0) return 0;
    await guardRequests(transaction, fingerprints, plans);
    for (const place of PLACES) await guardRecipients(transaction, fingerprints, place, plans);
    return plans.length;
  });
}

type PlanRow = Record<(typeof PLAN_KEY)[number], string> & { readonly body_fingerprint: Buffer };

async function guardRequests(
  transaction: Database,
  { current }: Fingerprints,
  plans: readonly PlanRow[],
): Promise<void> {
  const again = plans
    .filter(({ body_fingerprint }) => isUnguarded(body_fingerprint))
    .map((plan) => ({
      ...keyOf(PLAN_KEY, plan),
      value: current('request', plan.body_fingerprint)?.toString('hex'),
    }));
  await sql`
    update plans as any_fingerprint set body_fingerprint = decode(again.value, 'hex')
    from jsonb_to_recordset(${JSON.stringify(again)}::jsonb)
      as again(organisation_id text, environment text, plan_id text, value text)
    where ${isSame(PLAN_KEY)}`.execute(transaction);
}

type Edit = { readonly path: readonly string[]; readonly value: string };

async function guardRecipients(
  transaction: Database,
  fingerprints: Fingerprints,
  { table, column, key, paths }: Place,
  plans: readonly PlanRow[],
): Promise<void> {
  const columns = [...PLAN_KEY, ...key];
  const keys = plans.map((plan) => keyOf(PLAN_KEY, plan));
  const { rows } = await sql<Record<string, unknown>>`
    select ${sql.join(columns.map((name) => sql.ref(`any_fingerprint.${name}`)))}, any_fingerprint.${sql.ref(column)} as content
    from ${sql.table(table)} as any_fingerprint, jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
      as again(organisation_id text, environment text, plan_id text)
    where ${isSame(PLAN_KEY)} and any_fingerprint.${sql.ref(column)} is not null`.execute(transaction);
  const edited = rows
    .map((row) => ({
      key: keyOf(columns, row),
      edits: paths.flatMap((path) => editsOf(fingerprints, row['content'], path)),
    }))
    .filter(({ edits }) => edits.length > 0);
  // A statement changes a row once, so that rows with several fingerprints take several statements.
  const most = Math.max(0, ...edited.map(({ edits }) => edits.length));
  for (let nth = 0; nth < most; nth += 1) {
    const again = edited.flatMap(({ key: of, edits }) => {
      const edit = edits[nth];
      return edit === undefined ? [] : [{ ...of, ...edit }];
    });
    await sql`
      update ${sql.table(table)} as any_fingerprint
      set ${sql.ref(column)} = jsonb_set(any_fingerprint.${sql.ref(column)}, again.path, to_jsonb(again.value), false)
      from jsonb_to_recordset(${JSON.stringify(again)}::jsonb)
        as again(organisation_id text, environment text, plan_id text, step_id text, revision int, path text[], value text)
      where ${isSame(columns)}`.execute(transaction);
  }
}

/** The unguarded fingerprints at a path of a JSON value, and what takes their places. */
function editsOf(
  fingerprints: Fingerprints,
  content: unknown,
  path: readonly string[],
  walked: readonly string[] = [],
): Edit[] {
  const [step, ...rest] = path;
  if (step === undefined) {
    if (typeof content !== 'string') return [];
    const stored = Buffer.from(content, 'base64url');
    const value = isUnguarded(stored) ? fingerprints.current('recipient', stored) : undefined;
    return value === undefined ? [] : [{ path: walked, value: value.toString('base64url') }];
  }
  if (typeof content !== 'object' || content === null) return [];
  const members = Object.entries(content as Readonly<Record<string, unknown>>);
  return members
    .filter(([name]) => step === '*' || name === step)
    .flatMap(([name, member]) => editsOf(fingerprints, member, rest, [...walked, name]));
}

/**
 * Whether `any_fingerprint`, a row of `plans`, or what belongs to it has a fingerprint that the server key alone
 * guards.
 */
function isUnguardedPlan(): RawBuilder<boolean> {
  const of = sql`(o.organisation_id, o.environment, o.plan_id) = (any_fingerprint.organisation_id, any_fingerprint.environment, any_fingerprint.plan_id)`;
  const elsewhere = PLACES.map(({ table, column, paths }) => {
    const found = paths.map(
      (path) => sql`jsonb_path_exists(o.${sql.ref(column)}, ${sql.lit(jsonPath(path))}::jsonpath)`,
    );
    return sql`exists (select from ${sql.table(table)} o where ${of} and (${sql.join(found, sql` or `)}))`;
  });
  return sql`(length(any_fingerprint.body_fingerprint) = 32 or ${sql.join(elsewhere, sql` or `)})`;
}

function jsonPath(path: readonly string[]): string {
  const steps = path.map((step) => (step === '*' ? '[*]' : `.${step}`)).join('');
  return `$${steps} ? (@ like_regex "${UNGUARDED_TEXT}")`;
}

function keyOf<Column extends string>(
  columns: readonly Column[],
  row: Readonly<Record<Column, unknown>>,
): Record<Column, unknown> {
  return Object.fromEntries(columns.map((column) => [column, row[column]])) as Record<Column, unknown>;
}

function isSame(columns: readonly string[]): RawBuilder<boolean> {
  const of = (alias: string) => sql.join(columns.map((column) => sql.ref(`${alias}.${column}`)));
  return sql`(${of('any_fingerprint')}) = (${of('again')})`;
}
