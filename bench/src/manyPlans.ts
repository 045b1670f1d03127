import type { Plan } from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import type { Pool } from 'pg';

/** How many plans are made, and over which time; the last is made now. */
export type ManyPlans = { readonly count: number; readonly firstMs: number; readonly lastMs: number };

/** The indexes of lists, as the store's migrations make them. They are made again over the full table and timed. */
const LIST_INDEXES: Readonly<Record<string, string>> = {
  plans_by_corridor: '(organisation_id, environment, corridor_id, status, mode, plan_id)',
  plans_by_status_mode: '(organisation_id, environment, status, mode, plan_id)',
};

/** How long an index took to build, in which time no plan can be written, and how large it is. */
export type BuiltIndex = { readonly name: string; readonly seconds: number; readonly megabytes: number };

/**
 * Copies a plan with its steps until there are many, one in ten of another organisation. Most plans are COMPLETED, most
 * corridors and FAILED plans are rare, and DIGITAL_COLLECT is of the first third of the time. Answers the built indexes.
 */
export async function copyPlan(
  pool: Pool,
  { planId }: Plan,
  scopes: { readonly own: PlanScope; readonly other: PlanScope },
  { count, firstMs, lastMs }: ManyPlans,
): Promise<readonly BuiltIndex[]> {
  const stepMs = Math.max(1, Math.floor((lastMs - firstMs) / count));
  const ms = `(${firstMs}::bigint + n * ${stepMs}::bigint)`;
  const keys = {
    organisation_id: `case when n % 10 = 0 then '${scopes.other.organisationId}' else '${scopes.own.organisationId}' end`,
    plan_id: `'plan_' || lpad(to_hex(${ms}), 12, '0') || '7' || lpad(to_hex(n), 19, '0')`,
  };
  // The copies keep the foreign keys; to look at each of them would take most of the time.
  for (const table of ['plans', 'plan_steps']) await dropForeignKeys(pool, table);
  for (const name of Object.keys(LIST_INDEXES)) await pool.query(`drop index ${name}`);
  await copyRows(
    pool,
    'plans',
    planId,
    { from: 1, to: count },
    {
      ...keys,
      client_reference: `'R-' || n`,
      end_to_end_id: `'FW' || lpad(to_hex(n), 32, '0')`,
      corridor_id: `case when n % 10000 = 17 then 'seldom' when n % 1000 = 18 then 'usdc-eur-bank' when n % 3 = 0 then 'usdc-php-emoney' else corridor_id end`,
      mode: `case when n < ${Math.floor(count / 3)} then 'DIGITAL_COLLECT' else 'STANDARD' end`,
      status: `case when n % 5000 = 11 then 'IN_PROGRESS' when n % 700 = 12 or n % 300 = 13 then 'ACTION_REQUIRED'
      when n % 9 = 0 then 'ENDED' else 'COMPLETED' end`,
      is_unfunded: 'n % 300 = 13',
      created_at: `to_timestamp(${ms} / 1000.0)`,
    },
  );
  await copyRows(pool, 'plan_steps', planId, { from: 1, to: count }, keys);
  const built: BuiltIndex[] = [];
  for (const [name, columns] of Object.entries(LIST_INDEXES)) {
    const startedAt = performance.now();
    await pool.query(`create index ${name} on plans ${columns}`);
    const seconds = (performance.now() - startedAt) / 1000;
    const { rows } = await pool.query<{ bytes: string }>(`select pg_relation_size('${name}') as bytes`);
    built.push({ name, seconds, megabytes: Number(rows[0]?.bytes) / 1e6 });
  }
  await pool.query('analyze plans, plan_steps');
  return built;
}

/**
 * Copies a plan with its steps and its watched address until there are `count`, from the `before` that were copied already.
 * Each copy has an address of its own.
 */
export async function copyWatchedPlan(
  pool: Pool,
  planId: string,
  before: number,
  count: number,
): Promise<void> {
  const numbers = { from: before + 1, to: count };
  const keys = { plan_id: `'plan_ffff' || lpad(to_hex(n), 28, '0')` };
  const address = `'0x' || left(encode(sha256(n::text::bytea), 'hex'), 40)`;
  const plan = {
    ...keys,
    client_reference: `'R-' || n`,
    end_to_end_id: `'FW' || lpad(to_hex(n), 32, '0')`,
    deposit_address: address,
  };
  await copyRows(pool, 'plans', planId, numbers, plan);
  await copyRows(pool, 'plan_steps', planId, numbers, keys);
  await copyRows(pool, 'watched_addresses', planId, numbers, { ...keys, address });
  await pool.query('analyze plans, plan_steps, watched_addresses');
}

async function dropForeignKeys(pool: Pool, table: string): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select conname as name from pg_constraint where contype = 'f' and conrelid = '${table}'::regclass`,
  );
  for (const { name } of rows)
    await patiently(() => pool.query(`alter table ${table} drop constraint ${name}`));
}

/** Does something again where a service that works on the same tables made it end with a deadlock. */
async function patiently(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (cause) {
      if (tries === 10 || (cause as { readonly code?: string }).code !== '40P01') throw cause;
    }
  }
}

/** Inserts copies of the rows that a plan has in a table; `n` counts the copies, and `changes` are expressions. */
async function copyRows(
  pool: Pool,
  table: string,
  planId: string,
  { from, to }: { readonly from: number; readonly to: number },
  changes: Readonly<Record<string, string>>,
): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_name = '${table}' order by ordinal_position`,
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => changes[name] ?? name).join(', ');
  await pool.query(
    `insert into ${table} (${names.join(', ')}) select ${values}
     from generate_series(${from}::bigint, ${to}::bigint) n, (select * from ${table} where plan_id = '${planId}') made`,
  );
}

/** How many movements each copy of a plan gets. */
export const MOVEMENTS_A_PLAN = 20;

/**
 * Copies a plan with its steps, its history and its movements, until there are `count` copies that were recorded before now. Each
 * round of movements has a transaction of its own, as on a chain: gas is looked up by the transaction.
 */
export async function copyMovedPlan(pool: Pool, planId: string, count: number): Promise<void> {
  const { rows } = await pool.query<{ count: string }>(
    `select count(*) from movements where plan_id = '${planId}'`,
  );
  const own = Number(rows[0]?.count);
  const times = Math.ceil(MOVEMENTS_A_PLAN / own);
  const idOf = (n: string) => `'plan_eeee' || lpad(to_hex(${n}), 28, '0')`;
  const keys = { plan_id: idOf('n') };
  const plan = {
    ...keys,
    client_reference: `'R-' || n`,
    end_to_end_id: `'FW' || lpad(to_hex(n), 32, '0')`,
    deposit_address: 'null',
  };
  for (const table of ['plans', 'plan_steps', 'plan_events', 'movements']) await dropForeignKeys(pool, table);
  await copyRows(pool, 'plans', planId, { from: 1, to: count }, plan);
  for (const table of ['plan_steps', 'plan_events'])
    await copyRows(pool, table, planId, { from: 1, to: count }, keys);
  const numbers = { from: 0, to: count * times - 1 };
  await copyRows(pool, 'movements', planId, numbers, {
    plan_id: idOf(`n / ${times} + 1`),
    seq: `seq + ${own} * (n % ${times})`,
    tx_hash: `case when tx_hash is not null then '0x' || encode(sha256(n::text::bytea), 'hex') end`,
    recorded_at: `recorded_at - interval '1 minute' - n * interval '1 millisecond'`,
  });
  await pool.query('analyze plans, plan_steps, plan_events, movements');
}
