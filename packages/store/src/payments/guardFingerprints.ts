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

const RECIPIENTS: Place = { table: 'plans', column: 'recipient', key: [], paths: [['fingerprint']] };

const PLACES: readonly Place[] = [
  RECIPIENTS,
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

/** What names a plan among those of all organisations. */
export type PlanKey = Record<(typeof PLAN_KEY)[number], string>;

/** What became of some plans. `last`: where the next ones follow; undefined after the last plan of all. */
export type GuardedBatch = {
  readonly plans: number;
  readonly guarded: number;
  readonly last: PlanKey | undefined;
};

/** How many plans there are. */
export async function countPlans(database: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from plans any_fingerprint`.execute(database);
  return rows[0]?.count ?? 0;
}

/**
 * Brings the fingerprints of the plans that follow `after` to their guarded form. Plans are walked in the order of their
 * key: looking for those that are left would read all of them again for each batch.
 */
export async function guardNextPlans(
  database: Database,
  fingerprints: Fingerprints,
  after: PlanKey | undefined,
  limit: number,
): Promise<GuardedBatch> {
  const follows =
    after === undefined
      ? sql`true`
      : sql`(${columnsOf(PLAN_KEY)}) > (${sql.join(PLAN_KEY.map((column) => after[column]))})`;
  const { rows: plans } = await sql<PlanKey & { is_unguarded: boolean }>`
    select ${columnsOf(PLAN_KEY)}, length(body_fingerprint) = 32 or ${hasUnguarded(RECIPIENTS)} as is_unguarded
    from plans any_fingerprint where ${follows} order by ${columnsOf(PLAN_KEY)} limit ${limit}`.execute(
    database,
  );
  const elsewhere = await unguardedElsewhere(database, plans);
  const unguarded = plans.filter((plan) => plan.is_unguarded || elsewhere.has(nameOf(plan)));
  if (unguarded.length > 0) await guardPlans(database, fingerprints, unguarded, sql`for update`);
  const last = plans.length < limit ? undefined : plans.at(-1);
  return { plans: plans.length, guarded: unguarded.length, last };
}

/**
 * Brings all fingerprints of a plan to their guarded form, unless somebody holds the plan. Answers whether it was done.
 */
export async function guardPlan(
  database: Database,
  fingerprints: Fingerprints,
  key: PlanKey,
): Promise<boolean> {
  const done = await guardPlans(database, fingerprints, [key], sql`for update skip locked`);
  return done > 0;
}

/** Guards plans in one transaction, in which they are locked, so that nobody changes them meanwhile. */
function guardPlans(
  database: Database,
  fingerprints: Fingerprints,
  keys: readonly PlanKey[],
  lock: RawBuilder<unknown>,
): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    const { rows: plans } = await sql<PlanRow>`
      select ${columnsOf(PLAN_KEY)}, any_fingerprint.body_fingerprint from plans any_fingerprint
      where (${columnsOf(PLAN_KEY)}) in (select ${columnsOf(PLAN_KEY, 'again')} from ${givenPlans(keys)})
      order by ${columnsOf(PLAN_KEY)} ${lock}`.execute(transaction);
    if (plans.length === 0) return 0;
    await guardRequests(transaction, fingerprints, plans);
    for (const place of PLACES) await guardRecipients(transaction, fingerprints, place, plans);
    return plans.length;
  });
}

/** The names of those of the plans of which a step or an event has a fingerprint that the server key alone guards. */
async function unguardedElsewhere(
  database: Database,
  plans: readonly PlanKey[],
): Promise<ReadonlySet<string>> {
  const found = PLACES.filter((place) => place !== RECIPIENTS).map(
    (place) => sql`
      select ${columnsOf(PLAN_KEY)} from ${sql.table(place.table)} any_fingerprint, ${givenPlans(plans)}
      where ${isSame(PLAN_KEY)} and ${hasUnguarded(place)}`,
  );
  const { rows } = await sql<PlanKey>`${sql.join(found, sql` union `)}`.execute(database);
  return new Set(rows.map(nameOf));
}

function nameOf(plan: PlanKey): string {
  return JSON.stringify(PLAN_KEY.map((column) => plan[column]));
}

type PlanRow = PlanKey & { readonly body_fingerprint: Buffer };

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
  place: Place,
  plans: readonly PlanRow[],
): Promise<void> {
  const { table, column, key, paths } = place;
  const columns = [...PLAN_KEY, ...key];
  const { rows } = await sql<Record<string, unknown>>`
    select ${columnsOf(columns)}, any_fingerprint.${sql.ref(column)} as content
    from ${sql.table(table)} as any_fingerprint, ${givenPlans(plans)}
    where ${isSame(PLAN_KEY)} and ${hasUnguarded(place)}`.execute(transaction);
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

/** Whether a row of the place has a fingerprint that the server key alone guards. */
function hasUnguarded({ column, paths }: Place): RawBuilder<boolean> {
  const content = sql.ref(`any_fingerprint.${column}`);
  const found = paths.map((path) => sql`jsonb_path_exists(${content}, ${sql.lit(jsonPath(path))}::jsonpath)`);
  return sql`(${sql.join(found, sql` or `)})`;
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

/** Plans as the table `again`. */
function givenPlans(plans: readonly PlanKey[]): RawBuilder<unknown> {
  const keys = plans.map((plan) => keyOf(PLAN_KEY, plan));
  return sql`jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as again(organisation_id text, environment text, plan_id text)`;
}

function isSame(columns: readonly string[]): RawBuilder<boolean> {
  return sql`(${columnsOf(columns)}) = (${columnsOf(columns, 'again')})`;
}

function columnsOf(columns: readonly string[], alias = 'any_fingerprint'): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(`${alias}.${column}`)));
}
